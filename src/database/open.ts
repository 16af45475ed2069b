import type { Config } from '../config.js'
import type { Database, Log } from './database.js'
import { openPglite } from './pglite/pglite.js'
import { openPostgres } from './postgres.js'

/** The database that the configuration names: a PostgreSQL, or the embedded one in the data directory. */
export async function openDatabase(config: Config, log: Log): Promise<Database> {
  const { databaseUrl, databasePoolMax, dataDir } = config
  if (databaseUrl === undefined) return await openPglite({ dataDir, log })
  return openPostgres({ url: databaseUrl, poolMax: databasePoolMax, log })
}
