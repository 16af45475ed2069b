import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets that must be readable again (key secrets, platform tokens) before they are stored. */
export interface Sealer {
  /** `context` names the owner of the secret: a sealed value copied to another row does not open there. */
  seal(plaintext: string, context: string): string
  open(sealed: string, context: string): string
}

const FORMAT = 'v1'
const IV_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM under a 32-byte master key. */
export function createSealer(masterKey: Buffer): Sealer {
  const key = deriveKey(masterKey, 'greenroom seal')
  return {
    seal(plaintext, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
      const parts = [iv, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `${FORMAT}.${Buffer.concat(parts).toString('base64url')}`
    },
    open(sealed, context) {
      const [format, payload] = sealed.split('.')
      if (format !== FORMAT || payload === undefined) throw new Error('a sealed value has an unknown format')
      const bytes = Buffer.from(payload, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
    },
  }
}

/** A key for one purpose: each use of the master key has its own. */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32))
}
