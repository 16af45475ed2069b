import { createHmac, timingSafeEqual } from 'node:crypto'
import Joi, { type ObjectSchema, type Schema } from 'joi'
import type { Page } from '../interface/pages.js'
import type { OpaqueNumbers } from '../lib/opaque-numbers.js'
import { cursorError } from './detail.js'
import { named, namingOf } from './named.js'

const MAC_BYTES = 16
const CURSOR_CHARS_MAX = 4096

/** A page with a count. */
interface CountedPage<Item> extends Page<Item> {
  returned: number
  mayHaveMore: boolean
}

/** The query parameter for the cursor of a list on our own surfaces. */
export const afterSchema = Joi.string().description('The nextCursor of the previous page.')

/** The body of a list on our own surfaces. */
export const pageBody = <Item>(item: Schema): ObjectSchema<Page<Item>> =>
  namedPage(
    item,
    Joi.object<Page<Item>>({
      items: Joi.array().items(item).required(),
      nextCursor: Joi.string()
        .required()
        .allow(null)
        .description('Send it as `after` for the next page; null on the last.'),
    }),
  )

/** The same with a count, for the lists that have always had one. */
export const countedPageBody = <Item>(item: Schema): ObjectSchema<CountedPage<Item>> =>
  namedPage(
    item,
    Joi.object<CountedPage<Item>>({
      items: Joi.array().items(item).required(),
      returned: Joi.number().integer().required(),
      mayHaveMore: Joi.boolean().required(),
      nextCursor: Joi.string().required().allow(null),
    }),
  )

/** Names a page after its items: `ReviewLinkPage`. */
function namedPage<S extends Schema>(item: Schema, page: S): S {
  const naming = namingOf(item)
  return naming === undefined ? page : named(`${naming.name}Page`, page)
}

/** Makes a page whose successor begins at a position; undefined for the last page. */
export const toPage = <Item>(
  key: Buffer,
  scope: readonly unknown[],
  items: Item[],
  next: readonly unknown[] | undefined,
): Page<Item> => ({ items, nextCursor: next === undefined ? null : encodeCursor(key, scope, next) })

/** Makes a page with a count, and the cursor of the next page. */
export const toCountedPage = <Item>(items: Item[], nextCursor: string | null): CountedPage<Item> => ({
  items,
  returned: items.length,
  mayHaveMore: nextCursor !== null,
  nextCursor,
})

/**
 * Encodes an opaque cursor: base64url of a MAC and the position. The scope (the list and its filters) is covered by the MAC
 * but not part of the cursor, so a cursor stays short whatever the ids. `key` must be used only for this purpose.
 */
export function encodeCursor(key: Buffer, scope: readonly unknown[], position: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(position))
  return Buffer.concat([macOf(key, scope, payload), payload]).toString('base64url')
}

/** Returns the position in a request. Throws validation_failed (`after`, cursor.invalid), which names what it `must` be. */
export function readCursor<Position extends readonly unknown[]>(
  key: Buffer,
  scope: readonly unknown[],
  after: string | undefined,
  must: string,
): Position | undefined {
  if (after === undefined) return undefined
  const position = decodeCursor<Position>(key, scope, after)
  if (position === undefined) throw cursorError(`must be ${must}; omit it to start again`)
  return position
}

/** The number that a cursor hides, where organizations share one sequence of numbers. Throws as readCursor does. */
export function readNumber(numbers: OpaqueNumbers, after: string | undefined): number | undefined {
  if (after === undefined) return undefined
  const number = numbers.reveal(after)
  if (number === undefined) {
    throw cursorError('must be the nextCursor of the previous page; omit it to start again')
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
