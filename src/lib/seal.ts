import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets that must be readable again (key secrets, platform tokens) before they are stored. */
export interface Sealer {
  /** `context` names the owner of the secret: a sealed value that is copied to another row cannot be decrypted there. */
  seal(plaintext: string, context: string): string
  /** Throws UnsealError. */
  open(sealed: string, context: string): string
}

/**
 * A sealed value cannot be decrypted: its master key is not available, or the value is damaged or was copied from another
 * row. The secret itself may still be valid.
 */
export class UnsealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnsealError'
  }
}

const FORMAT = 'v1'
const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_BYTES = 8

/** Returns a name for a master key that reveals nothing about it. */
export const keyIdOf = (masterKey: Buffer): string =>
  deriveKey(masterKey, 'greenroom key id').toString('base64url', 0, KEY_ID_BYTES)

/** AES-256-GCM with several 32-byte master keys: each of them can decrypt, and one encrypts. */
export class KeyRing implements Sealer {
  readonly #keys = new Map<string, Buffer>()
  #sealing: string

  /** The first key encrypts, unless `sealUnder` chooses another. */
  constructor(masterKeys: readonly [Buffer, ...Buffer[]]) {
    for (const masterKey of masterKeys) this.add(masterKey)
    this.#sealing = keyIdOf(masterKeys[0])
  }

  add(masterKey: Buffer): void {
    this.#keys.set(keyIdOf(masterKey), deriveKey(masterKey, 'greenroom seal'))
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  sealUnder(keyId: string): void {
    if (!this.has(keyId)) throw new UnsealError(`the master key ${keyId} is not available`)
    this.#sealing = keyId
  }

  seal(plaintext: string, context: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#keys.get(this.#sealing)!, iv).setAAD(Buffer.from(context))
    const parts = [iv, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return [FORMAT, Buffer.concat(parts).toString('base64url'), this.#sealing].join('.')
  }

  open(sealed: string, context: string): string {
    const [format, payload, keyId] = sealed.split('.')
    if (format !== FORMAT || payload === undefined || keyId === undefined) {
      throw new UnsealError('a sealed value has an unknown format')
    }
    const key = this.#keys.get(keyId)
    if (key === undefined)
      throw new UnsealError(`a value is sealed under the master key ${keyId}, which is not available`)
    try {
      return openUnder(key, Buffer.from(payload, 'base64url'), context)
    } catch (cause) {
      throw new UnsealError('a sealed value cannot be opened with the master key', { cause })
    }
  }
}

function openUnder(key: Buffer, bytes: Buffer, context: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
}

/** Derives a key for one purpose, so that each use of the master key has its own. */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32))
}
