import type { DatabaseConfig } from '../config/database.js'
import { waitJittered } from '../lib/wait.js'
import { NoConnectionError } from './connection-fault.js'
import { type Database, DatabaseUnavailableError, errorCode, type Log } from './database.js'
import { openPglite } from './pglite/pglite.js'
import { openPostgres } from './postgres.js'
import { checkSession } from './session-options.js'
import { checkSuitability, UnsuitableDatabaseError } from './suitability.js'

const RETRY_MS = 500
/**
 * SQLSTATE: the server rejects the user or the password, has no such database, or does not admit the user. Waiting does not
 * help against any of these.
 */
const REFUSAL = /^(28|3D|42501)/

/**
 * Opens the database that the configuration names: PostgreSQL, or the embedded one in the data directory. Waits for a
 * PostgreSQL that is not available yet. Throws DatabaseUnavailableError, or StartError for one that a service cannot use.
 */
export async function openDatabase(config: DatabaseConfig, log: Log, wait = waitJittered): Promise<Database> {
  const { url, poolMax, statements, dataDir, dataMaxBytes, startTimeoutMs, migratesAtStart } = config
  if (url === undefined) return await openPglite({ dataDir, dataMaxBytes, isMigrated: true, log })
  const database = openPostgres({ url, poolMax, statements, log })
  const endsAt = performance.now() + startTimeoutMs
  let isWaiting = false
  for (;;) {
    try {
      await checkSession(database, log)
      await checkSuitability(database, { poolMax, migrates: migratesAtStart }, log)
      return database
    } catch (error) {
      if (!mayPass(error) || performance.now() >= endsAt) {
        await database.close()
        throw toStartError(error)
      }
    }
    if (!isWaiting) log.info({ startTimeoutMs }, 'the start is waiting for the database')
    isWaiting = true
    await wait(RETRY_MS)
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof UnsuitableDatabaseError) return error.reasons.every((reason) => reason.mayPass)
  if (!(error instanceof DatabaseUnavailableError)) return false
  return error.fault?.mayPass ?? !REFUSAL.test(errorCode(error.cause) ?? '')
}

const toStartError = (error: unknown): unknown =>
  error instanceof DatabaseUnavailableError && error.fault !== undefined
    ? new NoConnectionError(error.fault, error)
    : error
