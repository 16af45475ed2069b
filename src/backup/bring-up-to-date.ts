import { join } from 'node:path'
import { recordAudit, SERVER } from '../audit/audit.store.js'
import type { Database } from '../database/database.js'
import { migrate, pendingMigrations } from '../database/migrate.js'
import { markPurpose, type Purpose, refuseOtherPurpose } from '../database/purpose.js'
import { migratesData, refuseUnfinished } from '../database/rows.js'
import { describe, refuseSetAside, type SetAside, takeBack } from '../database/set-aside.js'
import type { Context } from '../http/context.js'
import { StartError } from '../lib/start-error.js'
import { makeBackup } from './make-backup.js'
import { keepNewest } from './storage/backup-storage.js'
import { openDirectory } from './storage/directory.js'
import { writeFileWhole } from './write-file.js'

interface Starting extends Pick<Context, 'config' | 'clock' | 'log'> {
  purpose: Purpose
  /** True to take back a database that was moved or replaced. */
  again: boolean
  /** False to only check that no migration is pending, for a role that may not change tables. */
  migrates: boolean
}

/**
 * Refuses a database with another purpose or one that is set aside, and brings any other up to date. Returns the names of
 * the migrations that ran.
 */
export async function bringUpToDate(
  database: Database,
  { config, clock, log, purpose, again, migrates }: Starting,
): Promise<{ applied: string[] }> {
  const place = config.database.url === undefined ? `DATA_DIR ${config.database.dataDir}` : 'DATABASE_URL'
  await refuseUnfinished(database, place)
  await refuseOtherPurpose(database, purpose, place)
  if (again && !migrates) {
    throw new StartError('--again changes tables: pass it to `greenroom migrate`, and start the service without it.')
  }
  const before = again ? await takeBack(database) : undefined
  if (!again) await refuseSetAside(database, place)
  if (!migrates) await refusePending(database)
  else await backUpBeforeMigrating(database, { config, clock, log })
  const { applied } = migrates ? await migrate(database) : { applied: [] }
  await markPurpose(database, purpose, place)
  if (again) await logTakingBack(before, { database, place, log, clock })
  return { applied }
}

async function refusePending(database: Database): Promise<void> {
  const pending = await pendingMigrations(database)
  if (pending.length === 0) return
  throw new StartError(
    `The database needs ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} (${pending[0]}${pending.length > 1 ? ' …' : ''}), and MIGRATE_AT_START is off: run \`greenroom migrate\` with the role that owns the tables, in MIGRATE_DATABASE_URL.`,
  )
}

async function logTakingBack(
  before: SetAside | undefined,
  { database, place, log, clock }: Pick<Context, 'database' | 'log' | 'clock'> & { place: string },
): Promise<void> {
  if (before === undefined) {
    log.warn('the start has --again, but the database was not set aside: remove --again, or it will undo the next move')
    return
  }
  await database.transaction((tx) =>
    recordAudit(tx, {
      principal: { organizationId: SERVER, actor: { type: 'operator' } },
      at: new Date(clock.now()),
      operation: 'takeBackServer',
      target: { type: 'server', id: SERVER },
      changes: { ...before, at: before.at.toISOString() },
    }),
  )
  log.warn(
    { ...before },
    `taken back with --again. ${describe(before, place)} Stop that service permanently: posts that it has published since may be published again`,
  )
}

const KEPT = 3
const NAME = /^before-\d{4}\.backup$/

/**
 * Backs up an embedded database with data before a start changes its schema. The backup is stored next to it; the master key
 * is in the same directory. Throws StartError if that is impossible.
 */
async function backUpBeforeMigrating(
  database: Database,
  { config, clock, log }: Pick<Context, 'config' | 'clock' | 'log'>,
): Promise<void> {
  // A database in memory has nothing to keep.
  if (database.engine !== 'pglite' || database.diskBytes === undefined) return
  const [first] = await migratesData(database)
  if (first === undefined) return
  const directory = join(config.database.dataDir, 'backups')
  const file = join(directory, `before-${first.slice(0, 4)}.backup`)
  try {
    const { bytes } = await writeFileWhole(file, (write) =>
      makeBackup(
        // Only the start uses the database. Media have nothing to do with the schema.
        {
          readRows: (read) => database.transaction(read),
          engine: database.engine,
          at: new Date(clock.now()),
          mediaDir: undefined,
        },
        write,
      ),
    )
    const storage = openDirectory(directory)
    await keepNewest(storage, NAME, KEPT)
    await storage.removeUnfinished(NAME)
    log.info({ file, bytes }, 'the database was backed up before the migrations')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    throw new StartError(
      `The backup before the migrations cannot be written to ${directory} (${code ?? message}): free some space there, and start again.`,
      { cause },
    )
  }
}
