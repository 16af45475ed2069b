import { pino } from 'pino'
import { type Cli, CliError } from '../cli/io.js'
import { note, printLine, printObject } from '../cli/output.js'
import { type Config, readConfig, readEnvironment } from '../config/index.js'

export interface MigrateOptions {
  grantTo?: string
  sql?: true
  again?: boolean
}

/** No master key is needed, because a migration decrypts no secret. */
const NO_KEY = '00'.repeat(32)

/** Brings the database up to date, and lets the service's role use its tables. */
export async function migrate(cli: Cli, { grantTo, sql, again = false }: MigrateOptions): Promise<void> {
  const { bringUpToDate } = await import('../backup/bring-up-to-date.js')
  const { describePlace, openPlace } = await import('../backup/place.js')
  const { openDatabase } = await import('../database/open.js')
  const { grantsFor, runGrants } = await import('../database/grants.js')
  const { namingSetting, refuseOtherDatabase } = await import('../database/migrating-role.js')
  const config = readConfig(readEnvironment(cli.env), { MASTER_KEY: NO_KEY })
  const url = config.database.migrateUrl ?? config.database.url
  const role = grantTo ?? runningRole(config.database)
  if (url === undefined && (grantTo !== undefined || sql)) {
    throw new CliError(2, 'The embedded database has no roles: --grant-to and --sql are for PostgreSQL.')
  }
  if (sql && role === undefined) throw new CliError(2, 'Specify the role of the service: --grant-to ROLE.')
  // An error ends the command, which prints it.
  const log = pino({ level: 'warn' }, { write: (line) => sayWarning(cli, line) })
  const named = namingSetting(config.database)
  // A role that only asks for statements need not be able to create tables.
  const opening = sql ? openPlace({ url: url! }) : openDatabase({ ...config.database, url, migratesAtStart: true }, log)
  const database = await opening.catch(named)
  try {
    await refuseOtherDatabase(database, config.database, (each) => describePlace({ url: each }))
    if (sql) {
      for (const statement of await grantsFor(database, role!).catch(named)) printLine(cli, `${statement};`)
      return
    }
    const starting = { config: withUrl(config, url), clock: cli.clock, log, again, migrates: true }
    const { applied } = await bringUpToDate(database, { ...starting, purpose: 'service' }).catch(named)
    if (role !== undefined) await runGrants(database, await grantsFor(database, role))
    const place = describePlace(url === undefined ? { dataDir: config.database.dataDir } : { url })
    printObject(cli, { place, applied: applied.length, last: applied.at(-1) ?? null, grantedTo: role ?? null })
    if (applied.length === 0) note(cli, 'The database was up to date.')
  } finally {
    await database.close()
  }
}

function sayWarning(cli: Cli, line: string): void {
  const { level, msg } = JSON.parse(line)
  if (level === pino.levels.values.warn) note(cli, msg)
}

const withUrl = (config: Config, url: string | undefined): Config => ({
  ...config,
  database: { ...config.database, url },
})

/** Returns the role of DATABASE_URL, if another one migrates. */
function runningRole({ url, migrateUrl }: Config['database']): string | undefined {
  if (url === undefined || migrateUrl === undefined) return undefined
  const [running, migrating] = [url, migrateUrl].map((each) => decodeURIComponent(new URL(each).username))
  return running === '' || running === migrating ? undefined : running
}
