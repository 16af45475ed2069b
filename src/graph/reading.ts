import { toRecord } from '../lib/json.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphClient } from './graph-client.js'
import { GraphError } from './graph-error.js'

/** The platform's cursors have about 100 characters. */
const CURSOR_CHARS_MAX = 1024

/** The platform's ids are digits. Nothing else may become part of a path. */
export function requireId(id: string): string {
  if (!/^\d{1,32}$/.test(id)) {
    throw new GraphError('not-found', 'not called: an id of the ad platform is all digits', { outcome: 'refused' })
  }
  return id
}

/** Ids of posts and comments may have two parts, such as `<page>_<post>` and `<post>_<comment>`. */
export function requireObjectId(id: string): string {
  const [first = '', ...second] = id.split('_')
  return [requireId(first), ...(second.length === 0 ? [] : [requireId(second.join('_'))])].join('_')
}

/**
 * Yields every page of a list in turn, up to `pagesMax`. Throws a GraphError of kind `nonsense` if there are more, so that
 * endless paging is noticed.
 */
export async function* listPages(
  graph: GraphClient,
  access: GraphAccess,
  list: { path: string; params: Record<string, string>; pagesMax: number },
): AsyncGenerator<Record<string, unknown>[]> {
  let after: string | undefined
  for (let page = 0; page < list.pagesMax; page++) {
    const answer = await graph.get(list.path, { ...list.params, ...(after === undefined ? {} : { after }) }, access)
    yield readData(answer)
    after = readNextAfter(answer, after)
    if (after === undefined) return
  }
  throw nonsense(`a list longer than ${list.pagesMax} pages`)
}

/**
 * Returns the cursor of the next page; undefined at the end. `paging.next` only shows that there is one: it contains the
 * access token and is never followed. A cursor that does not move would make the caller loop forever.
 */
export function readNextAfter(answer: Record<string, unknown>, sentAfter: string | undefined): string | undefined {
  const paging = toRecord(answer.paging)
  if (paging?.next === undefined || paging.next === null) return undefined
  const after = toRecord(paging.cursors)?.after
  if (typeof after !== 'string' || after === '' || after.length > CURSOR_CHARS_MAX) {
    throw nonsense('a next page without a usable cursor')
  }
  if (after === sentAfter) throw nonsense('a cursor that does not move')
  return after
}

export function readData(answer: Record<string, unknown>): Record<string, unknown>[] {
  const { data } = answer
  if (!Array.isArray(data)) throw nonsense('no list of data')
  return data.map((item) => {
    const record = toRecord(item)
    if (record === undefined) throw nonsense('an item that is not an object')
    return record
  })
}

/** Returns the value if it is a string of this form; otherwise throws a GraphError that names `what`. */
export function requireText(value: unknown, pattern: RegExp, what: string): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw nonsense(`something other than ${what}`)
  return value
}

/** Parses `2026-11-20T09:00:00+0000` to milliseconds. */
export function parseInstant(value: unknown): number {
  const text = requireText(value, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{4}$/, 'an instant with its offset')
  return Date.parse(text.replace(/(\d{2})$/, ':$1'))
}

export const nonsense = (what: string): GraphError => new GraphError('nonsense', `the ad platform answered ${what}`)
