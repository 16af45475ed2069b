import { RowDigest } from '../database/rows.js'
import { openUnderPassphrase, type Sealing } from '../lib/passphrase.js'
import { BackupError, type End, type Head, linesOf, MASTER_KEY_CONTEXT, type Part } from './backup-file.js'
import { refuseOtherName } from './backup-name.js'
import { type BackupSource, nameOfSource, openBackupFile } from './open-backup.js'

/** The contents of a backup. */
export interface Contents {
  head: Head
  /** True if it is encrypted with the passphrase, which proves that nobody without the passphrase made or changed it. */
  isAuthenticated: boolean
  rows: number
  /** The size of the rows as text. */
  rowBytes: number
  mediaFiles: number
  mediaBytes: number
  missingMediaFiles: number
  /** The keys in hex, if the backup has them and the passphrase was given. */
  masterKeys: string[] | undefined
  holdsMasterKey: boolean
  /** Identifies the content. */
  sha256: string
  digests: End['digests']
}

export type OnProgress = (what: string, rows: number) => void

/** Returns whether the file has a master key. Reads only its beginning. Throws a BackupError or an I/O error. */
export async function hasMasterKey(file: BackupSource, passphrase: string | undefined): Promise<boolean> {
  const { parts } = await openBackupFile(file, passphrase)
  for await (const { header } of parts) if (header.part !== 'head') return header.part === 'masterKey'
  return false
}

/** Reads a whole backup and verifies all of its checksums. Throws a BackupError or an I/O error. */
export async function verifyBackup(
  file: BackupSource,
  { passphrase, onProgress = () => {} }: { passphrase?: string | undefined; onProgress?: OnProgress } = {},
): Promise<Contents> {
  const { isAuthenticated, parts } = await openBackupFile(file, passphrase)
  const digests = new Map<string, RowDigest>()
  const media = { mediaFiles: 0, mediaBytes: 0 }
  let rowBytes = 0
  let head: Head | undefined
  let holdsMasterKey = false
  let masterKeys: string[] | undefined
  for await (const { header, content } of parts) {
    if (header.part === 'head') head = header
    else if (header.part === 'masterKey') {
      holdsMasterKey = true
      masterKeys = await readKeys(content, header.sealing, passphrase)
    } else if (header.part === 'rows') {
      const isKnown = head!.tables.some(({ name }) => name === header.table)
      if (!isKnown || digests.has(header.table)) {
        throw new BackupError('It is damaged (rows without a table): use an earlier backup.')
      }
      const read = await readRows(header.table, content, onProgress)
      digests.set(header.table, read.digest)
      rowBytes += read.bytes
    } else if (header.part === 'media') {
      media.mediaBytes += await readMedia(content, header.bytes)
      media.mediaFiles += 1
      onProgress('media', media.mediaFiles)
    } else {
      const rows = verifyRows(header.digests, digests)
      if (passphrase !== undefined && !isAuthenticated && !holdsMasterKey) {
        throw new BackupError(
          'It is not encrypted, although you gave a passphrase: someone may have replaced your backup with it. If you trust the file, run the command without the passphrase.',
        )
      }
      refuseOtherName(nameOfSource(file), head!)
      const { sha256, missing: missingMediaFiles } = header
      const about = { isAuthenticated, holdsMasterKey, masterKeys, sha256, digests: header.digests }
      return { head: head!, ...about, rows, rowBytes, ...media, missingMediaFiles }
    }
  }
  throw new BackupError('It is truncated: it was not written or copied completely.')
}

/** Decrypts the master keys. Returns undefined without a passphrase. */
async function readKeys(
  content: Part['content'],
  sealing: Sealing,
  passphrase: string | undefined,
): Promise<string[] | undefined> {
  const sealed: Buffer[] = []
  for await (const block of content) sealed.push(block)
  if (passphrase === undefined) return undefined
  const opened = await openUnderPassphrase(Buffer.concat(sealed), sealing, passphrase, MASTER_KEY_CONTEXT)
  if (opened === undefined)
    throw new BackupError('The passphrase is wrong: it cannot decrypt the master key in the backup.')
  return JSON.parse(opened.toString())
}

async function readRows(table: string, content: Part['content'], onProgress: OnProgress) {
  const digest = new RowDigest()
  let bytes = 0
  for await (const lines of linesOf(content)) {
    for (const line of lines) {
      digest.add(line)
      bytes += line.length
    }
    onProgress(table, digest.rows)
  }
  return { digest, bytes }
}

async function readMedia(content: Part['content'], expectedBytes: number): Promise<number> {
  let bytes = 0
  for await (const block of content) bytes += block.length
  if (bytes !== expectedBytes) throw new BackupError('It is damaged (a file has the wrong size): use another copy.')
  return bytes
}

/** Returns the number of rows. Throws a BackupError if the rows that were read do not match the digests of the end part. */
function verifyRows(stated: End['digests'], read: ReadonlyMap<string, RowDigest>): number {
  const isWhole =
    Object.keys(stated).length === read.size &&
    [...read].every(([table, digest]) => stated[table] && digest.equals(stated[table]))
  if (!isWhole) throw new BackupError('It is damaged (rows are missing): use an earlier backup.')
  return [...read.values()].reduce((sum, { rows }) => sum + rows, 0)
}
