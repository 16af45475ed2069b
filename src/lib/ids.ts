import { randomBytes, randomFillSync } from 'node:crypto'

const ID_BYTES = 16
/** Random bytes for the next ids, 256 ids at a time: a system call for each costs 12 % of full 50 (bench/README.md). */
const pool = Buffer.alloc(256 * ID_BYTES)
let used = pool.length

/** Returns a new random identifier such as `post_5V3k…`: a prefix for its kind and 128 random bits. */
export function newId(prefix: string): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return `${prefix}_${pool.toString('base64url', used - ID_BYTES, used)}`
}

/** Returns a regular expression, for JavaScript and PostgreSQL, that finds the ids of a kind in any text. */
export const idPattern = (prefix: string): string => `${prefix}_[A-Za-z0-9_-]{22}`

/** Returns a new secret of 256 bits, as 64 lowercase hex digits. */
export function newSecret(): string {
  return randomBytes(32).toString('hex')
}
