import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'

/** Parameters that open a seal together with its passphrase. */
export interface Sealing {
  /** The cost of scrypt. */
  n: number
  r: number
  p: number
  /** base64url, like the IV. */
  salt: string
  iv: string
}

/** How much work a passphrase is worth. */
export interface PassphraseCost {
  /** The power of two that is scrypt's cost for a stream (lib/age.ts). */
  workFactor: number
  /** For a single value. */
  value: Pick<Sealing, 'n' | 'r' | 'p'>
}

/** For a stream 128 MiB and half a second, for a value 64 MiB and half a second. */
export const PASSPHRASE_COST: PassphraseCost = { workFactor: 17, value: { n: 2 ** 16, r: 8, p: 2 } }
/** A file may make us spend 1 GiB and some seconds, and no more. */
const COST_MAX = { n: 2 ** 20, r: 8, p: 2 }
export const PASSPHRASE_CHARS_MIN = 12
const TAG_BYTES = 16

/** AES-256-GCM under a key that scrypt makes of the passphrase, at this cost. `context` is bound to it. */
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

/** Undefined when it does not open: another passphrase, or a damaged value. */
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

/** 32 bytes by scrypt, beside the event loop. */
export function scryptKey(passphrase: string, salt: Buffer, { n, r, p }: PassphraseCost['value']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Written in one of several ways, the same characters are the same passphrase.
    const options = { N: n, r, p, maxmem: 256 * n * r }
    scrypt(passphrase.normalize('NFC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
