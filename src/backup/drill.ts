import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { openMasterKeys } from '../access/master-keys.js'
import { countSealed } from '../access/sealed-values.js'
import type { Database } from '../database/database.js'
import { migrate } from '../database/migrate.js'
import { openPglite } from '../database/pglite/pglite.js'
import { SEALED_COLUMNS } from '../database/sealed-column.js'
import { readTableFigures } from '../database/table-figures.js'
import type { Clock } from '../lib/clock.js'
import { StartError } from '../lib/start-error.js'
import { listMediaFiles } from '../media/media.store.js'
import { readDisk, type Statfs } from '../observability/disks.js'
import type { BackupSource } from './open-backup.js'
import { restoreBackup } from './restore.js'
import { type Contents, type OnProgress, verifyBackup } from './verify.js'

export interface Drill {
  file: BackupSource
  passphrase: string | undefined
  /** The key, in hex, for a backup that contains none. */
  masterKey: string | undefined
  /** An empty directory, which the caller removes. */
  directory: string
  clock: Clock
  onProgress: OnProgress
  statfs?: Statfs | undefined
}

/** The findings about a restored backup. */
export interface Drilled extends Contents {
  /** The number of migrations that this version runs on it. */
  migrated: number
  organizations: number
  conversations: number
  posts: number
  /** Undefined without a master key. */
  secrets: { count: number; unopened: string[] } | undefined
  /** Uploaded files that the restored rows name and the restored directory lacks. */
  absentMedia: string[]
}

/** The size of a new service's embedded database, with its log. */
const DATABASE_BYTES = 160 * 1024 ** 2
/** Rows take more space in tables with their indexes, and again in the log, than as text. */
const ROW_FACTOR = 5

/**
 * Restores a backup into a throwaway directory, opens it as a start does, and checks that everything is there. Throws
 * BackupError or StartError.
 */
export async function drillBackup({ directory, ...drill }: Drill): Promise<Drilled> {
  const { file, passphrase, masterKey, clock, onProgress } = drill
  const contents = await verifyBackup(file, { passphrase, onProgress })
  await requireRoom(contents, directory, drill.statfs)
  const [dataDir, mediaDir] = [join(directory, 'data'), join(directory, 'media')]
  await mkdir(dataDir, { mode: 0o700 })
  await restoreBackup({ file, place: { dataDir }, mediaDir, passphrase, masterKeyFile: undefined, clock, onProgress })
  const key = join(dataDir, 'master.key')
  if (!existsSync(key) && masterKey !== undefined) await writeFile(key, masterKey, { mode: 0o600 })
  const database = await openPglite({ dataDir, isThrownAway: true })
  try {
    const { applied } = await migrate(database)
    const figures = await readTableFigures(database)
    const rowsOf = (table: string): number => figures.find(({ name }) => name === table)?.rows ?? 0
    const files = await listMediaFiles(database)
    const absent = files.filter(({ organizationId, name }) => !existsSync(join(mediaDir, organizationId, name)))
    return {
      ...contents,
      migrated: applied.length,
      organizations: rowsOf('organizations'),
      conversations: rowsOf('conversations'),
      posts: rowsOf('scheduled_posts'),
      secrets: existsSync(key) ? await openSecrets(database, dataDir, clock) : undefined,
      absentMedia: absent.map(({ organizationId, name }) => `${organizationId}/${name}`),
    }
  } finally {
    await database.close()
  }
}

async function requireRoom({ rowBytes, mediaBytes }: Contents, directory: string, statfs?: Statfs): Promise<void> {
  const needed = DATABASE_BYTES + ROW_FACTOR * rowBytes + mediaBytes
  const { freeBytes } = await readDisk(directory, statfs)
  if (freeBytes >= needed) return
  const toMegabytes = (bytes: number): string => Math.ceil(bytes / 1_000_000).toLocaleString('en')
  throw new StartError(
    `The restore needs about ${toMegabytes(needed)} MB, and the disk of ${directory} has ${toMegabytes(freeBytes)} MB left: choose a directory on another disk with --in.`,
  )
}

/** Throws StartError for a key that does not belong to the database. */
async function openSecrets(database: Database, dataDir: string, clock: Clock): Promise<Drilled['secrets']> {
  const config = { masterKeys: { current: undefined, previous: undefined }, database: { dataDir } }
  const { sealer } = await openMasterKeys(database, {
    config: config as Parameters<typeof openMasterKeys>[1]['config'],
    log: pino({ level: 'silent' }),
    clock,
  })
  const found = { count: 0, unopened: [] as string[] }
  for (const column of SEALED_COLUMNS) {
    const { count, unopened } = await countSealed(database, column, sealer)
    found.count += count
    found.unopened.push(...unopened)
  }
  return found
}
