import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { listMasterKeyRows } from '../access/master-keys.store.js'
import type { Database, Queryable } from '../database/database.js'
import { digestOfRows, RowDigest, readRows, readShape } from '../database/rows.js'
import type { Context } from '../http/context.js'
import type { Clock } from '../lib/clock.js'
import { programVersion } from '../lib/version.js'
import { listMediaFiles, type MediaFile } from '../media/media.store.js'
import { BackupWriter, MASTER_KEY_CONTEXT, type Write } from './backup-file.js'

export interface Backup {
  /** For the rows: all that `read` reads is of one moment. */
  readRows<T>(read: (tx: Queryable) => Promise<T>): Promise<T>
  engine: Database['engine']
  clock: Clock
  mediaDir: string | undefined
  /** Without it the backup holds no master key. */
  sealKeys?: (keyIds: readonly string[]) => ReturnType<Context['sealMasterKeys']>
}

/** What a running service holds; with its master key when there is a passphrase. */
export const backupOf = (
  { clock, config, database, sealMasterKeys }: Pick<Context, 'clock' | 'config' | 'database' | 'sealMasterKeys'>,
  passphrase: string | undefined,
): Backup => ({
  readRows: (read) => database.readAside(read),
  engine: database.engine,
  clock,
  mediaDir: config.mediaDir,
  ...(passphrase !== undefined && {
    sealKeys: (keyIds) => sealMasterKeys(keyIds, passphrase, MASTER_KEY_CONTEXT),
  }),
})

export interface BackupReport {
  rows: number
  mediaFiles: number
  /** Of which there are rows and no files. */
  missingMediaFiles: number
  masterKey: boolean
}

const READ_BYTES = 256 * 1024

/** Writes a backup. The rows come first, and no transaction is open any more while the media are read. */
export async function makeBackup(backup: Backup, write: Write): Promise<BackupReport> {
  const writer = new BackupWriter(write)
  const digests: Record<string, { rows: number; sum: string }> = {}
  const media = await backup.readRows(async (tx) => {
    const shape = await readShape(tx)
    const at = new Date(backup.clock.now()).toISOString()
    await writer.head({ program: programVersion(), at, engine: backup.engine, ...shape })
    if (backup.sealKeys !== undefined) {
      const rows = await listMasterKeyRows(tx)
      // In the order of the files of a data directory.
      const keyIds = (['retiring', 'current'] as const).flatMap((state) =>
        rows.filter((row) => row.state === state).map((row) => row.key_id),
      )
      const { sealing, sealed } = await backup.sealKeys(keyIds)
      await writer.part({ part: 'masterKey', sealing }, [sealed])
    }
    for (const table of shape.tables) {
      const digest = new RowDigest()
      await writer.rows(table.name, digestOfRows(readRows(tx, table), digest))
      digests[table.name] = { rows: digest.rows, sum: digest.sum }
    }
    return shape.tables.some(({ name }) => name === 'media') ? await listMediaFiles(tx) : []
  })
  let missing = 0
  for (const file of media) {
    if (!(await writeMedia(writer, backup.mediaDir, file))) missing += 1
  }
  await writer.end(digests, missing)
  return {
    rows: Object.values(digests).reduce((sum, { rows }) => sum + rows, 0),
    mediaFiles: media.length - missing,
    missingMediaFiles: missing,
    masterKey: backup.sealKeys !== undefined,
  }
}

/** False when there is no such file, as of one that was deleted meanwhile. */
async function writeMedia(writer: BackupWriter, mediaDir: string | undefined, file: MediaFile): Promise<boolean> {
  if (mediaDir === undefined) return false
  let handle: FileHandle
  try {
    handle = await open(join(mediaDir, file.organizationId, file.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  const { size: bytes } = await handle.stat()
  const content = handle.createReadStream({ highWaterMark: READ_BYTES })
  try {
    await writer.part(
      { part: 'media', organization: file.organizationId, name: file.name, bytes },
      content as AsyncIterable<Buffer>,
    )
  } finally {
    content.destroy()
  }
  return true
}
