import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { findNewestBackup } from '../backup/newest-backup.js'
import type { Config } from '../config/index.js'
import { NoConnectionError } from '../database/connection-fault.js'
import { type Database, DatabaseUnavailableError } from '../database/database.js'
import { pendingMigrations } from '../database/migrate.js'
import { openDatabase } from '../database/open.js'
import { asDamage, DamagedDirectoryError, putAside } from '../database/pglite/damage.js'
import { DataDirectoryInUseError } from '../database/pglite/in-use.js'
import { mixesStatements } from '../database/pooler.js'
import { refuseOtherPurpose } from '../database/purpose.js'
import { hasTable } from '../database/queries.js'
import { refuseUnfinished, serverVersion } from '../database/rows.js'
import { findSessionFaults } from '../database/session-options.js'
import { refuseSetAside, SetAsideError } from '../database/set-aside.js'
import { findUnsuitable, UnsuitableDatabaseError } from '../database/suitability.js'
import { reach } from '../graph/reachability.js'
import { reachableUrl } from '../lib/addresses.js'
import { describeFault } from '../lib/fault.js'
import { toShellWord } from '../lib/shell-word.js'
import { StartError } from '../lib/start-error.js'
import { checkBackups } from './check-backups.js'
import { checkDatabaseClock } from './check-clock.js'
import { checkKeys } from './check-keys.js'
import { checkMaximumAges } from './check-maximum-ages.js'
import { checkMedia } from './check-media.js'
import { checkRetention } from './check-retention.js'
import { checkSources } from './check-sources.js'
import { type Examined, type ExaminedDatabase, type Finding, type Findings, findingsOf, gather } from './finding.js'

const { ok, problem, warning } = findingsOf('database')

const POSTGRES_NEEDED = 15

/** Opens the database as a start does, and checks it and its contents. */
export async function* checkDatabase(examined: Examined): Findings {
  const { config } = examined
  const { url, dataDir } = config.database
  const isMade = ['database', 'database.filling'].some((name) => existsSync(join(dataDir, name)))
  if (url === undefined && !isMade) return yield ok(`There is none in ${dataDir}: the first start creates it.`)
  let database: Database
  const pooled = await gather(checkPooler(examined))
  try {
    // Other faults are looked for as well.
    const statements = pooled.length > 0 ? 'unnamed' : config.database.statements
    database = await openDatabase({ ...config.database, statements, startTimeoutMs: 0 }, pino({ level: 'silent' }))
  } catch (error) {
    yield* pooled
    return yield* unopened(error, config)
  }
  try {
    // An error is reported on its own, without earlier findings.
    yield* await gather(checkOpened({ ...examined, database }, pooled))
  } catch (error) {
    const found = url === undefined ? asDamage(error, dataDir) : error
    if (found instanceof SetAsideError) yield problem(found.finding, found.remedy)
    else if (found instanceof StartError || found instanceof DatabaseUnavailableError) yield* unopened(found, config)
    else yield problem(`It cannot be read: ${describeFault(found)}.`, 'Restore a backup, or report it.')
  } finally {
    await database.close()
  }
}

async function* checkOpened(examined: ExaminedDatabase, pooled: readonly Finding[]): Findings {
  const { database } = examined
  const { url, dataDir } = examined.config.database
  const place = url === undefined ? `DATA_DIR ${dataDir}` : 'DATABASE_URL'
  await refuseUnfinished(database, place)
  await refuseOtherPurpose(database, 'service', place)
  await refuseSetAside(database, place)
  const pending = await pendingMigrations(database)
  const version = await serverVersion(database)
  yield version >= POSTGRES_NEEDED
    ? ok(`${place} answers (PostgreSQL ${version}).`)
    : problem(`${place} is a PostgreSQL ${version}.`, `Use PostgreSQL ${POSTGRES_NEEDED} or later.`)
  yield* pooled
  if (database.engine === 'postgres') yield* checkServer(examined)
  if (!(await hasTable(database, 'organizations'))) return yield reportEmpty(examined.config)
  if (pending.length > 0) {
    const made = url === undefined ? 'It backs up the data first.' : 'Back it up first.'
    if (!examined.config.database.migratesAtStart) {
      return yield problem(`It needs migrations (${pending.join(', ')}).`, `${made} Then run \`greenroom migrate\`.`)
    }
    return yield warning(`The next start changes the schema (${pending.join(', ')}).`, made)
  }
  for (const check of [checkKeys, checkBackups, checkMaximumAges, checkRetention, checkMedia, checkSources])
    yield* check(examined)
}

const reportEmpty = ({ database }: Config): Finding =>
  database.migratesAtStart
    ? ok('It is empty: the first start creates its tables.')
    : problem(
        'It is empty, but MIGRATE_AT_START is off, so the service does not start.',
        'Run `greenroom migrate` with the role that owns the tables, in MIGRATE_DATABASE_URL, or unset MIGRATE_AT_START.',
      )

/** Checks for a pooler that mixes up prepared statements. A database that does not answer is reported later. */
async function* checkPooler({ config }: Examined): Findings {
  const { url, statements } = config.database
  if (url === undefined || statements === 'unnamed') return
  if (!(await mixesStatements(url).catch(() => false))) return
  yield problem(
    'A pooler in front of PostgreSQL, such as PgBouncer, shares connections and mixes up the prepared statements of its clients.',
    'Set DATABASE_STATEMENTS=unnamed, or set max_prepared_statements in the pooler (PgBouncer 1.21 or later).',
  )
}

/** Each warning that a start would log is a finding here. */
async function* checkServer(examined: ExaminedDatabase): Findings {
  const { database, config } = examined
  const { poolMax, migratesAtStart } = config.database
  const faults = [
    ...(await findSessionFaults(database)),
    ...(await findUnsuitable(database, { poolMax, migrates: migratesAtStart })),
  ]
  for (const { finding, remedy } of faults) yield warning(finding, remedy)
  yield* checkDatabaseClock(examined)
}

async function* unopened(error: unknown, config: Config): Findings {
  if (error instanceof DataDirectoryInUseError && error.holder !== undefined) {
    return yield await heldBy(error.holder, config)
  }
  if (error instanceof UnsuitableDatabaseError) {
    for (const { finding, remedy } of error.reasons) yield problem(finding, remedy)
    return
  }
  if (error instanceof DamagedDirectoryError) return yield damaged(error, config)
  if (error instanceof NoConnectionError) return yield problem(error.fault.finding, error.fault.remedy)
  if (error instanceof StartError) return yield problem(error.message, 'The finding says what to do.')
  const { message = '', code = '' } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  yield problem(`It cannot be opened: ${message || code}.`, 'Start it, or correct DATABASE_URL or DATA_DIR.')
}

async function heldBy(holder: string, { http: { host, port } }: Config): Promise<Finding> {
  const url = reachableUrl(host, port)
  const answer = await reach(`${url}/readyz`).catch(() => undefined)
  return answer?.status === 200
    ? ok(`A running service has it open (${url}). Stop the service to check the keys and tokens too.`)
    : problem(`${holder}, and ${url}/readyz does not report it as ready.`, 'See its log, and `greenroom status`.')
}

/** Names the backup to restore, or the place that has it. */
function damaged({ dataDir, reason }: DamagedDirectoryError, { backup }: Config): Finding {
  const aside = putAside(dataDir)
  const command = `DATA_DIR=${toShellWord(dataDir)} greenroom restore`
  const damage = (remedy: string): Finding =>
    problem(`The embedded database in ${dataDir} is damaged: ${reason}.`, remedy)
  const restoring = `${aside.charAt(0).toUpperCase()}${aside.slice(1)}, and restore the newest backup:`
  // A backup next to the database may be much older than those in the bucket.
  if (backup?.bucket !== undefined) {
    return damage(
      `${restoring} \`greenroom backup list\` lists those in BACKUP_DIR, and \`${command} NAME\` restores one. Changes since that backup are lost.`,
    )
  }
  const newest = findNewestBackup([join(dataDir, 'backups'), ...(backup?.dir === undefined ? [] : [backup.dir])])
  return newest === undefined
    ? damage(
        `There is no backup in BACKUP_DIR or ${join(dataDir, 'backups')}: ${aside}, then take the directory from a copy of this disk, or restore a backup from elsewhere (greenroom restore).`,
      )
    : damage(`${restoring} ${command} ${toShellWord(newest)}. Changes since that backup are lost.`)
}
