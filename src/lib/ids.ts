import { randomBytes } from 'node:crypto'

/** A new random identifier such as `post_5V3k…`: a prefix that tells its kind and 128 bits nobody can guess. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('base64url')}`
}

/** A new secret of 256 bits, as 64 lowercase hex digits. */
export function newSecret(): string {
  return randomBytes(32).toString('hex')
}
