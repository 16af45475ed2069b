import { randomBytes, randomFillSync } from 'node:crypto'

const ID_BYTES = 16
/** Random bytes for the next ids, 256 at a time: a call to the system for each costs 12 % of full 50 (bench/README.md). */
const pool = Buffer.alloc(256 * ID_BYTES)
let used = pool.length

/** A new random identifier such as `post_5V3k…`: a prefix for its kind and 128 random bits. */
export function newId(prefix: string): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return `${prefix}_${pool.toString('base64url', used - ID_BYTES, used)}`
}

/** A regular expression, for JavaScript and PostgreSQL, that finds the ids of a kind within any text. */
export const idPattern = (prefix: string): string => `${prefix}_[A-Za-z0-9_-]{22}`

/** A new secret of 256 bits, as 64 lowercase hex digits. */
export function newSecret(): string {
  return randomBytes(32).toString('hex')
}
