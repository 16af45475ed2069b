import { join } from 'node:path'
import type { Database } from '../database/database.js'
import { migratesData } from '../database/rows.js'
import type { Context } from '../http/context.js'
import { StartError } from '../lib/start-error.js'
import { makeBackup } from './make-backup.js'
import { keepNewest } from './storage/backup-storage.js'
import { openDirectory } from './storage/directory.js'
import { writeFileWhole } from './write-file.js'

const KEPT = 3
const NAME = /^before-\d{4}\.backup$/

/**
 * Before a start changes the schema of an embedded database that holds data: keeps them as they are, beside it. The
 * master key is in the same directory. Throws StartError when that is impossible.
 */
export async function backUpBeforeMigrating(
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
        // The start alone uses the database. The media are no matter of the schema.
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
    log.info({ file, bytes }, 'backed up before the migrations')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    throw new StartError(
      `The backup before the migrations cannot be written to ${directory} (${code ?? message}): make room there, and start again.`,
      { cause },
    )
  }
}
