import { StartError } from '../lib/start-error.js'
import { toConnectionSentence } from './connection-fault.js'
import { type Database, DatabaseUnavailableError } from './database.js'
import { openPostgres } from './postgres.js'
import { readValue } from './queries.js'

/** Two URLs of one database: one for the service, one for the role that migrates it. */
interface Urls {
  url: string | undefined
  migrateUrl: string | undefined
}

/** Messages about a database name DATABASE_URL. This makes them name MIGRATE_DATABASE_URL if that one is at fault. */
export const namingSetting =
  ({ migrateUrl }: Urls) =>
  (error: unknown): never => {
    const fault = error instanceof DatabaseUnavailableError ? error.fault : undefined
    const text = fault === undefined ? (error as Error).message : toConnectionSentence(fault)
    if (migrateUrl === undefined || (fault === undefined && !(error instanceof StartError))) throw error
    const named = text.replaceAll(/\bDATABASE_URL\b|the URL of the database/g, 'MIGRATE_DATABASE_URL')
    throw new StartError(named, { cause: error })
  }

/**
 * Throws StartError if the service would use a database other than the open one, which is about to be migrated. One database
 * may have two addresses, such as that of a pooler, so the servers are asked. If they do not say, the addresses are
 * compared.
 */
export async function refuseOtherDatabase(
  database: Database,
  { url, migrateUrl }: Urls,
  describe: (url: string) => string,
): Promise<void> {
  if (url === undefined || migrateUrl === undefined) return
  const migrated = await identify(database).catch(namingSetting({ url, migrateUrl }))
  const running = openPostgres({ url, poolMax: 2, statements: 'unnamed', applicationName: 'greenroom command' })
  const used = await identify(running)
    .catch(() => undefined)
    .finally(() => running.close())
  const [place, other] = [describe(migrateUrl), describe(url)]
  const isSame = migrated === undefined || used === undefined ? place === other : migrated === used
  if (isSame) return
  const found =
    used === undefined
      ? `, which cannot be confirmed to be the same as ${other} of DATABASE_URL`
      : `, but DATABASE_URL to ${other}`
  throw new StartError(
    `MIGRATE_DATABASE_URL leads to ${place}${found}, so nothing was changed: correct one of them, or unset DATABASE_URL and name the role of the service with --grant-to.`,
  )
}

/** Returns the cluster and the database in it; undefined if the role may not ask. Throws DatabaseUnavailableError. */
async function identify(database: Database): Promise<string | undefined> {
  try {
    return await readValue<string>(
      database,
      `select concat_ws('/', system_identifier, oid) from pg_control_system(), pg_database where datname = current_database()`,
    )
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error
    return undefined
  }
}
