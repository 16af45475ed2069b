import { createReadStream } from 'node:fs'
import { RowDigest } from '../database/rows.js'
import { openUnderPassphrase } from '../lib/passphrase.js'
import {
  BackupError,
  type Head,
  type Header,
  linesOf,
  MASTER_KEY_CONTEXT,
  type Part,
  readParts,
} from './backup-file.js'

const READ_BYTES = 256 * 1024

/** What a backup holds. */
export interface Contents {
  head: Head
  rows: number
  mediaFiles: number
  mediaBytes: number
  missingMediaFiles: number
  /** The keys as hex, where they are in it and the passphrase was given. */
  masterKeys: string[] | undefined
  holdsMasterKey: boolean
  /** Names the file. */
  sha256: string
  digests: Extract<Header, { part: 'end' }>['digests']
}

export type OnProgress = (what: string, rows: number) => void

/** The parts of a backup in a file. Throws BackupError, or the system's error. */
export const partsOf = (file: string): AsyncGenerator<Part> =>
  readParts(createReadStream(file, { highWaterMark: READ_BYTES }))

/** Reads a whole backup and holds everything in it against its checksums. Throws BackupError, or the system's error. */
export async function verifyBackup(
  file: string,
  { passphrase, onProgress = () => {} }: { passphrase?: string | undefined; onProgress?: OnProgress } = {},
): Promise<Contents> {
  let head: Head | undefined
  let masterKeys: string[] | undefined
  let holdsMasterKey = false
  const media = { files: 0, bytes: 0 }
  const digests = new Map<string, RowDigest>()
  for await (const { header, content } of partsOf(file)) {
    if (header.part === 'head') head = header
    else if (header.part === 'masterKey') {
      holdsMasterKey = true
      const sealed: Buffer[] = []
      for await (const block of content) sealed.push(block)
      if (passphrase !== undefined) masterKeys = await openKeys(Buffer.concat(sealed), header, passphrase)
    } else if (header.part === 'rows') {
      const digest = new RowDigest()
      digests.set(header.table, digest)
      for await (const lines of linesOf(content)) {
        for (const line of lines) digest.add(line)
        onProgress(header.table, digest.rows)
      }
    } else if (header.part === 'media') {
      media.files += 1
      media.bytes += header.bytes
      onProgress('media', media.files)
    } else {
      const isWhole =
        Object.keys(header.digests).length === digests.size &&
        [...digests].every(([table, digest]) => header.digests[table] && digest.equals(header.digests[table]))
      if (!isWhole) throw new BackupError('It is damaged (not all rows are there): take an earlier backup.')
      return {
        head: head!,
        rows: [...digests.values()].reduce((sum, { rows }) => sum + rows, 0),
        mediaFiles: media.files,
        mediaBytes: media.bytes,
        missingMediaFiles: header.missing,
        masterKeys,
        holdsMasterKey,
        sha256: header.sha256,
        digests: header.digests,
      }
    }
  }
  throw new BackupError('It is cut short: it was not written, or not copied, to its end.')
}

async function openKeys(
  sealed: Buffer,
  { sealing }: Extract<Header, { part: 'masterKey' }>,
  passphrase: string,
): Promise<string[]> {
  const opened = await openUnderPassphrase(sealed, sealing, passphrase, MASTER_KEY_CONTEXT)
  if (opened === undefined) throw new BackupError('The passphrase is wrong: the master key in it does not open.')
  return JSON.parse(opened.toString())
}
