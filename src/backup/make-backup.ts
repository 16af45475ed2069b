import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { listMasterKeyRows } from '../access/master-keys.store.js'
import type { Database, Queryable } from '../database/database.js'
import { digestOfRows, RowDigest, readRows, readShape } from '../database/rows.js'
import type { Context } from '../http/context.js'
import { encryptUnderPassphrase } from '../lib/age.js'
import { newId } from '../lib/ids.js'
import { undefinedIfMissing } from '../lib/missing-file.js'
import type { PassphraseCost } from '../lib/passphrase.js'
import { programVersion } from '../lib/version.js'
import { isMediaKept, listMediaFiles, listSmallPictures, type MediaFile } from '../media/media.store.js'
import { BackupWriter, type End, MASTER_KEY_CONTEXT, type Write } from './backup-file.js'

export interface Backup {
  /** Reads the rows: everything that `read` reads comes from one moment. */
  readRows<T>(read: (tx: Queryable) => Promise<T>): Promise<T>
  engine: Database['engine']
  /** An instant before the rows are read. */
  at: Date
  mediaDir: string | undefined
  /** Returns whether a file that is not on disk was deleted after the rows were read, in which case nothing is missing. */
  isDeleted?(file: MediaFile): Promise<boolean>
  /** Encrypts and authenticates the whole file; without it there are only checksums. */
  passphrase?: string
  passphraseCost?: PassphraseCost
  /** Without it the backup contains no master key. */
  sealKeys?: (keyIds: readonly string[]) => ReturnType<Context['sealMasterKeys']>
}

/**
 * Returns the backup of everything in a running service, with its master key if there is a passphrase and the key is not
 * excluded.
 */
export function backupOf(
  context: Pick<Context, 'config' | 'database' | 'passphraseCost' | 'sealMasterKeys'>,
  { passphrase, masterKey = true, at }: { passphrase: string | undefined; masterKey?: boolean | undefined; at: Date },
): Backup {
  const { config, database, passphraseCost, sealMasterKeys } = context
  const backup: Backup = {
    readRows: (read) => database.readAside(read),
    engine: database.engine,
    at,
    mediaDir: config.media?.dir,
    isDeleted: async (file) => !(await isMediaKept(database, file)),
  }
  if (passphrase === undefined) return backup
  const sealKeys: Backup['sealKeys'] = (keyIds) =>
    sealMasterKeys(keyIds, passphrase, MASTER_KEY_CONTEXT, passphraseCost.value)
  return { ...backup, passphrase, passphraseCost, ...(masterKey && { sealKeys }) }
}

export interface BackupReport {
  /** The id of the backup, which its head also has. */
  id: string
  encrypted: boolean
  rows: number
  mediaFiles: number
  /** The number of files that the rows name and the backup lacks, without those deleted while it was made. */
  missingMediaFiles: number
  masterKey: boolean
}

/** Warns because a backup without its media looks complete until someone restores it. */
export function warnOfMissingMedia(
  { id, missingMediaFiles }: Pick<BackupReport, 'id' | 'missingMediaFiles'>,
  { config, log }: Pick<Context, 'config' | 'log'>,
): void {
  if (missingMediaFiles === 0) return
  const cause = config.media === null ? 'this node has no MEDIA_DIR' : `they are not in ${config.media.dir}`
  log.error({ id, missingMediaFiles }, `the backup lacks uploaded media: ${cause}`)
}

const READ_BYTES = 256 * 1024

/** Writes a backup, encrypted if there is a passphrase. */
export async function makeBackup(backup: Backup, write: Write): Promise<BackupReport> {
  if (backup.passphrase === undefined) return await writeBackup(backup, write)
  const encrypting = await encryptUnderPassphrase(backup.passphrase, write, backup.passphraseCost?.workFactor)
  try {
    const report = await writeBackup(backup, (bytes) => encrypting.write(bytes))
    await encrypting.end()
    return report
  } catch (error) {
    await encrypting.abort(error)
    throw error
  }
}

/** The rows come first, so that no transaction is open while the media are read. */
async function writeBackup(backup: Backup, write: Write): Promise<BackupReport> {
  const id = newId('backup')
  const writer = new BackupWriter(write)
  const digests: End['digests'] = {}
  const { media, small } = await backup.readRows(async (tx) => {
    const shape = await readShape(tx)
    await writer.head({ id, program: programVersion(), at: backup.at.toISOString(), engine: backup.engine, ...shape })
    if (backup.sealKeys !== undefined) {
      const rows = await listMasterKeyRows(tx)
      // The keys are in the order of a data directory's files.
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
    // A backup before a migration has the schema of that moment.
    const columns = shape.tables.find(({ name }) => name === 'media')?.columns
    return {
      media: columns === undefined ? [] : await listMediaFiles(tx),
      small: columns?.some(({ name }) => name === 'small_bytes') ? await listSmallPictures(tx) : [],
    }
  })
  const absent: MediaFile[] = []
  for (const file of media) {
    if (!(await writeMedia(writer, backup.mediaDir, file))) absent.push(file)
  }
  // If a small picture is missing, its file is shown instead, so that does not count.
  let smallFiles = 0
  for (const file of small) if (await writeMedia(writer, backup.mediaDir, file)) smallFiles += 1
  const missing = await countMissing(absent, backup)
  await writer.end(digests, missing)
  return {
    id,
    encrypted: backup.passphrase !== undefined,
    rows: Object.values(digests).reduce((sum, { rows }) => sum + rows, 0),
    mediaFiles: media.length - absent.length + smallFiles,
    missingMediaFiles: missing,
    masterKey: backup.sealKeys !== undefined,
  }
}

async function countMissing(absent: readonly MediaFile[], { mediaDir, isDeleted }: Backup): Promise<number> {
  if (mediaDir === undefined || isDeleted === undefined) return absent.length
  let missing = 0
  for (const file of absent) if (!(await isDeleted(file))) missing += 1
  return missing
}

/** Returns false if the file does not exist, for example because it was deleted in the meantime. */
async function writeMedia(writer: BackupWriter, mediaDir: string | undefined, file: MediaFile): Promise<boolean> {
  if (mediaDir === undefined) return false
  const handle = await open(join(mediaDir, file.organizationId, file.name)).catch(undefinedIfMissing)
  if (handle === undefined) return false
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
