import type { Config } from '../config.js'
import { waitJittered } from '../lib/wait.js'
import { type Database, DatabaseUnavailableError, errorCode, type Log } from './database.js'
import { openPglite } from './pglite/pglite.js'
import { openPostgres } from './postgres.js'
import { checkSession } from './session-options.js'

const RETRY_MS = 500
/** SQLSTATE: it refuses the user or the password, or has no such database. To wait changes none of these. */
const REFUSAL = /^(28|3D)/

/**
 * The database that the configuration names: a PostgreSQL, or the embedded one in the data directory. A PostgreSQL that is
 * not there yet is waited for. Throws DatabaseUnavailableError.
 */
export async function openDatabase(config: Config, log: Log, wait = waitJittered): Promise<Database> {
  const { databaseUrl, databasePoolMax, databaseStatements, dataDir, dataMaxBytes, startTimeoutMs } = config
  if (databaseUrl === undefined) return await openPglite({ dataDir, dataMaxBytes, log })
  const database = openPostgres({ url: databaseUrl, poolMax: databasePoolMax, statements: databaseStatements, log })
  const endsAt = performance.now() + startTimeoutMs
  for (;;) {
    try {
      await checkSession(database, log)
      return database
    } catch (error) {
      const isRefused = error instanceof DatabaseUnavailableError && REFUSAL.test(errorCode(error.cause) ?? '')
      if (!(error instanceof DatabaseUnavailableError) || isRefused || performance.now() >= endsAt) {
        await database.close()
        throw error
      }
    }
    await wait(RETRY_MS)
  }
}
