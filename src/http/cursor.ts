import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.js'
import type { OpaqueNumbers } from '../lib/opaque-numbers.js'

const MAC_BYTES = 16
const CURSOR_CHARS_MAX = 4096

/**
 * An opaque cursor: base64url of a MAC and the position. The scope (the list and its filters) is under the MAC but
 * not in the cursor, so a cursor stays short whatever the ids. `key` is one made for this purpose alone.
 */
export function encodeCursor(key: Buffer, scope: readonly unknown[], position: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(position))
  return Buffer.concat([macOf(key, scope, payload), payload]).toString('base64url')
}

/**
 * The position that a request gives. Throws validation_failed (`after`, cursor.invalid), which names what it `must`
 * be.
 */
export function readCursor<Position extends readonly unknown[]>(
  key: Buffer,
  scope: readonly unknown[],
  after: string | undefined,
  must: string,
): Position | undefined {
  if (after === undefined) return undefined
  const position = decodeCursor<Position>(key, scope, after)
  if (position === undefined) throw cursorError(`"after" must be ${must}; leave it out to begin again`)
  return position
}

/** The number that a cursor hides. Throws as readCursor does. */
export function readNumber(numbers: OpaqueNumbers, after: string | undefined): number | undefined {
  if (after === undefined) return undefined
  const number = numbers.reveal(after)
  if (number === undefined) {
    throw cursorError('"after" must be the nextCursor of the page before; leave it out to begin again')
  }
  return number
}

/** The position of a cursor; undefined when it is cut, altered, or of another scope. */
function decodeCursor<Position extends readonly unknown[]>(
  key: Buffer,
  scope: readonly unknown[],
  cursor: string,
): Position | undefined {
  const bytes = Buffer.from(cursor.slice(0, CURSOR_CHARS_MAX), 'base64url')
  const payload = bytes.subarray(MAC_BYTES)
  const mac = macOf(key, scope, payload)
  const isWhole = bytes.length > MAC_BYTES && timingSafeEqual(mac, bytes.subarray(0, MAC_BYTES))
  // Decoding is lenient about the last character and foreign ones; a cursor is only ever what was given out.
  if (!isWhole || bytes.toString('base64url') !== cursor) return undefined
  return JSON.parse(payload.toString('utf8')) as Position
}

function macOf(key: Buffer, scope: readonly unknown[], payload: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(scope))
    .update('\n')
    .update(payload)
    .digest()
    .subarray(0, MAC_BYTES)
}

/** The 422 of a cursor in the parameter `after`. */
export function cursorError(message: string, cause?: unknown): ApiError {
  const context = { label: 'after', key: 'after' }
  return new ApiError('validation_failed', {
    cause,
    details: [{ message, path: ['after'], type: 'cursor.invalid', context }],
  })
}
