import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { ReadableStream, TransformStream } from 'node:stream/web'
import type { Identity, Recipient, Stanza } from 'age-encryption'
import { PASSPHRASE_COST, scryptKey } from './passphrase.js'

/*
 * Streams that are encrypted and authenticated under a passphrase, in the format of age (https://age-encryption.org/v1), so
 * that `age --decrypt` opens them too. The library's own scrypt blocks the event loop for most of a second; Node's does not.
 */

/** Every encrypted stream begins with this. */
export const AGE_MAGIC = 'age-encryption.org/v1\n'

/** The most work a stream may ask for: 1 GiB and a few seconds. */
const WORK_FACTOR_MAX = 20
const LABEL = 'age-encryption.org/v1/scrypt'
const [SALT_BYTES, TAG_BYTES, FILE_KEY_BYTES] = [16, 16, 16]
/** One stanza for a passphrase takes about 150 bytes. The library itself would read a header of any length into memory. */
const HEADER_BYTES_MAX = 4_096

/**
 * `passphrase` means a different one, or a modified header. `cost` means that the header asks for more work than any
 * passphrase is worth.
 */
export class DecryptionError extends Error {
  constructor(
    readonly reason: 'passphrase' | 'damaged' | 'cost',
    options?: ErrorOptions,
  ) {
    super(`the stream cannot be opened: ${reason}`, options)
    this.name = 'DecryptionError'
  }
}

/** Accepts plaintext. Each function rejects with the receiver's error if the receiver accepts no more. */
export interface EncryptingSink {
  write(bytes: Uint8Array): Promise<void>
  /** Resolves when the receiver has everything. */
  end(): Promise<void>
  /** Never rejects. */
  abort(cause: unknown): Promise<void>
}

/** Encrypts into `receive`, which gets nothing before the first write. */
export async function encryptUnderPassphrase(
  passphrase: string,
  receive: (bytes: Buffer) => Promise<void>,
  workFactor = PASSPHRASE_COST.workFactor,
): Promise<EncryptingSink> {
  const { Encrypter, Stanza } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipientOf(passphrase, workFactor, Stanza))
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const encrypted = (await encrypter.encrypt(readable as never)) as unknown as ReadableStream<Uint8Array>
  const writer = writable.getWriter()
  // Its error is the receiver's, which is reported below.
  writer.closed.catch(() => {})
  let pumping: Promise<void> | undefined
  const pump = async (): Promise<void> => {
    const reader = encrypted.getReader()
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) await receive(toBuffer(read.value))
    } catch (error) {
      await reader.cancel(error).catch(() => {})
      throw error
    }
  }
  const begin = (): Promise<void> => {
    pumping ??= pump()
    pumping.catch(() => {})
    return pumping
  }
  const orReceiversError = async (done: Promise<void>): Promise<void> => {
    const pumped = begin()
    try {
      await done
    } catch (error) {
      await pumped
      throw error
    }
  }
  return {
    write: (bytes) => orReceiversError(writer.write(bytes)),
    async end() {
      await orReceiversError(writer.close())
      await begin()
    },
    async abort(cause) {
      await writer.abort(cause).catch(() => {})
      await pumping?.catch(() => {})
    },
  }
}

/**
 * Yields the plaintext. Each piece is authenticated before it is yielded, and so is the end. Throws DecryptionError, or the
 * source's error.
 */
export async function* decryptUnderPassphrase(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addIdentity(identityOf(passphrase))
  let failed: { error: unknown } | undefined
  async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* withShortHeader(source)
    } catch (error) {
      failed = { error }
      throw error
    }
  }
  const bytes = read()
  try {
    const plain = await decrypter.decrypt(ReadableStream.from(bytes) as never)
    for await (const piece of plain as unknown as AsyncIterable<Uint8Array>) yield toBuffer(piece)
  } catch (error) {
    if (failed !== undefined) throw failed.error
    throw error instanceof DecryptionError ? error : new DecryptionError('damaged', { cause: error })
  } finally {
    // The library closes its source later, or never.
    await bytes.return(undefined)
  }
}

/** Yields the same bytes; throws DecryptionError if the header does not end soon. */
async function* withShortHeader(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const bytes of source) {
    if (head === undefined) {
      yield bytes
      continue
    }
    head = Buffer.concat([head, bytes])
    if (head.length < HEADER_BYTES_MAX) continue
    yield requireShortHeader(head)
    head = undefined
  }
  if (head !== undefined) yield requireShortHeader(head)
}

function requireShortHeader(head: Buffer): Buffer {
  const last = head.indexOf('\n---')
  if (last < 0 || last > HEADER_BYTES_MAX) throw new DecryptionError('damaged')
  return head
}

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function recipientOf(passphrase: string, workFactor: number, StanzaClass: typeof Stanza): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(SALT_BYTES)
      const key = await wrappingKey(passphrase, salt, workFactor)
      const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: TAG_BYTES })
      const sealed = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
      const saltText = salt.toString('base64').replace(/={1,2}$/, '')
      return [new StanzaClass(['scrypt', saltText, String(workFactor)], sealed)]
    },
  }
}

function identityOf(passphrase: string): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza] = stanzas
      // A passphrase must be the only stanza: another would open the file for someone who does not know it.
      if (stanzas.length !== 1 || stanza?.args.length !== 3) throw new DecryptionError('damaged')
      const [kind, saltText, factorText] = stanza.args as [string, string, string]
      const salt = Buffer.from(saltText, 'base64')
      const isSound =
        kind === 'scrypt' &&
        salt.length === SALT_BYTES &&
        /^[1-9]\d{0,2}$/.test(factorText) &&
        stanza.body.length === FILE_KEY_BYTES + TAG_BYTES
      if (!isSound) throw new DecryptionError('damaged')
      if (Number(factorText) > WORK_FACTOR_MAX) throw new DecryptionError('cost')
      const key = await wrappingKey(passphrase, salt, Number(factorText))
      const decipher = createDecipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(stanza.body.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(stanza.body.subarray(0, -TAG_BYTES)), decipher.final()])
      } catch (cause) {
        throw new DecryptionError('passphrase', { cause })
      }
    },
  }
}

const wrappingKey = (passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> =>
  scryptKey(passphrase, Buffer.concat([Buffer.from(LABEL), salt]), { n: 2 ** workFactor, r: 8, p: 1 })
