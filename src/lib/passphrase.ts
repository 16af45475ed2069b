import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'

/** Parameters that, together with its passphrase, open a sealed value. */
export interface Sealing {
  /** The cost of scrypt. */
  n: number
  r: number
  p: number
  /** base64url, like the IV. */
  salt: string
  iv: string
}

/** How much work a passphrase costs. */
export interface PassphraseCost {
  /** The power of two that is scrypt's cost for a stream (lib/age.ts). */
  workFactor: number
  /** The cost for a single value. */
  value: Pick<Sealing, 'n' | 'r' | 'p'>
}

/** For a stream, 128 MiB and half a second; for a value, 64 MiB and half a second. */
export const PASSPHRASE_COST: PassphraseCost = { workFactor: 17, value: { n: 2 ** 16, r: 8, p: 2 } }
/** The most work a file may ask for: 1 GiB and a few seconds. */
const COST_MAX = { n: 2 ** 20, r: 8, p: 2 }
export const PASSPHRASE_CHARS_MIN = 12
const TAG_BYTES = 16

/**
 * Encrypts with AES-256-GCM under a key that scrypt derives from the passphrase at this cost. The value is bound to
 * `context`.
 */
export async function sealUnderPassphrase(
  plain: Buffer,
  passphrase: string,
  context: string,
  cost = PASSPHRASE_COST.value,
): Promise<{ sealing: Sealing; sealed: Buffer }> {
  const [salt, iv] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await scryptKey(passphrase, salt, cost), iv).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return { sealing: { ...cost, salt: salt.toString('base64url'), iv: iv.toString('base64url') }, sealed }
}

/** Returns undefined if it cannot be decrypted: the passphrase differs, or the value is damaged. */
export async function openUnderPassphrase(
  sealed: Buffer,
  { n, r, p, salt, iv }: Sealing,
  passphrase: string,
  context: string,
): Promise<Buffer | undefined> {
  const isSound = [n, r, p].every((value) => Number.isInteger(value) && value > 0)
  if (!isSound || n > COST_MAX.n || r > COST_MAX.r || p > COST_MAX.p || sealed.length < TAG_BYTES) return undefined
  try {
    const key = await scryptKey(passphrase, Buffer.from(salt, 'base64url'), { n, r, p })
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Derives 32 bytes with scrypt, without blocking the event loop. */
export function scryptKey(passphrase: string, salt: Buffer, { n, r, p }: PassphraseCost['value']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same characters in another Unicode form are the same passphrase.
    const options = { N: n, r, p, maxmem: 256 * n * r }
    scrypt(passphrase.normalize('NFC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
