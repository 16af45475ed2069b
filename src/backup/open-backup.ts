import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { AGE_MAGIC, DecryptionError, decryptUnderPassphrase } from '../lib/age.js'
import { BackupError, type Part, readParts } from './backup-file.js'
import type { BackupPlace } from './storage/backup-storage.js'

const READ_BYTES = 256 * 1024

const MESSAGES: Record<DecryptionError['reason'], string> = {
  passphrase: 'The passphrase is wrong, or the header of the file was changed.',
  damaged: 'It was changed or truncated after it was made: use another copy of it, or an earlier backup.',
  cost: 'It demands more work than any passphrase needs: Greenroom did not make it.',
}

export interface OpenBackup {
  /** True if it was encrypted under the passphrase: only then can nobody else have made or changed it. */
  isAuthenticated: boolean
  parts: AsyncGenerator<Part>
}

/** Opens a backup from any source. The passphrase is that of an encrypted one. Throws BackupError, as its parts do. */
export async function openBackup(file: AsyncIterable<Uint8Array>, passphrase: string | undefined): Promise<OpenBackup> {
  const { isEncrypted, whole, close } = await peek(file)
  if (!isEncrypted) return { isAuthenticated: false, parts: readParts(whole) }
  if (passphrase === undefined) {
    await close()
    throw new BackupError('It is encrypted: pass its passphrase with --passphrase-file.')
  }
  return { isAuthenticated: true, parts: readParts(decrypted(whole, passphrase)) }
}

/** A backup that can be read more than once: the path of a file, or a backup in a storage. */
export type BackupSource = string | BackupPlace

export const nameOfSource = (source: BackupSource): string =>
  typeof source === 'string' ? basename(source) : source.name

const read = (source: BackupSource): AsyncIterable<Uint8Array> =>
  typeof source === 'string'
    ? createReadStream(source, { highWaterMark: READ_BYTES })
    : source.storage.read(source.name)

export const openBackupFile = (source: BackupSource, passphrase: string | undefined): Promise<OpenBackup> =>
  openBackup(read(source), passphrase)

/** Returns whether the file is encrypted. It may be another file by the time it is opened. */
export async function isEncryptedFile(source: BackupSource): Promise<boolean> {
  const { isEncrypted, close } = await peek(read(source))
  await close()
  return isEncrypted
}

async function peek(file: AsyncIterable<Uint8Array>) {
  const iterator = file[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < AGE_MAGIC.length) {
    const { done, value } = await iterator.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* whole(): AsyncGenerator<Uint8Array, void> {
    try {
      yield head
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return {
    isEncrypted: head.toString('latin1', 0, AGE_MAGIC.length) === AGE_MAGIC,
    /** The whole stream, from its beginning. */
    whole: whole(),
    close: async () => iterator.return?.(),
  }
}

async function* decrypted(file: AsyncIterable<Uint8Array>, passphrase: string): AsyncGenerator<Buffer> {
  try {
    yield* decryptUnderPassphrase(file, passphrase)
  } catch (error) {
    if (error instanceof DecryptionError) throw new BackupError(MESSAGES[error.reason], { cause: error })
    throw error
  }
}
