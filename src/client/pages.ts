import { PagingError } from './errors.js'

/** The position of a page in its list. */
export interface Place {
  after?: string | undefined
  offset?: number | undefined
}

interface ReadPage {
  operation: string
  /** The names of the query parameters. */
  names: readonly string[]
  place: Place
  body: unknown
  headers: Headers
}

/**
 * Returns the position of the next page, or undefined after the last. Throws PagingError if the page says that there are
 * more but does not advance.
 */
export function nextPlace({ operation, names, place, body, headers }: ReadPage): Place | undefined {
  const { after, offset } = place
  if (Array.isArray(body)) {
    const cursor = headers.get('x-next-cursor')
    if (cursor !== null) return advance(operation, after, cursor)
    // If a server has no cursors, or a browser cannot read the header, continue by offset until a page is empty.
    const goesOn = after === undefined && names.includes('offset') && body.length > 0
    return goesOn ? { offset: (offset ?? 0) + body.length } : undefined
  }
  const { nextCursor, nextOffset, mayHaveMore } = body as Record<string, unknown>
  const hasCursor = names.includes('after')
  // Some operations cut their only page short, and cannot continue.
  if (!hasCursor && !names.includes('offset')) return undefined
  const next = (hasCursor ? nextCursor : nextOffset) ?? null
  if (!(mayHaveMore ?? next !== null)) return undefined
  return hasCursor ? advance(operation, after, next) : advance(operation, offset ?? 0, next)
}

function advance(operation: string, from: string | number | undefined, to: unknown): Place {
  if (typeof to === 'number' && typeof from === 'number' && to > from) return { offset: to }
  if (typeof to === 'string' && typeof from !== 'number' && to !== '' && to !== from) return { after: to }
  const message = `The server says that there are more pages, but continues from ${from} at ${to}: the pages so far are incomplete. Report this to the server's operator.`
  throw new PagingError({ message, operation })
}

/** Yields the items of every page. */
export async function* flatten<Page, Item>(
  pages: AsyncIterable<Page>,
  items: (page: Page) => Item[],
): AsyncGenerator<Item, void, undefined> {
  // `yield*` takes 50 % longer for each item.
  for await (const page of pages) for (const item of items(page)) yield item
}
