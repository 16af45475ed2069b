import { PagingError } from './errors.js'
import type { Answered } from './transport.js'

interface Walk<Page, Position> {
  operation: string
  start: Position | undefined
  read(position: Position | undefined): Promise<Page>
  /** The position of the next page, as the page states it. */
  next(page: Page): Position | null
  /** Whether the next position is past that of the page. */
  advances(next: Position, position: Position | undefined): boolean
}

/**
 * Every page, each requested when the one before is used up, until one says that there is no more. Rejects with PagingError
 * after a page that says there is more but does not advance.
 */
export async function* walkPages<Page extends { mayHaveMore: boolean }, Position>({
  operation,
  start,
  read,
  next,
  advances,
}: Walk<Page, Position>): AsyncGenerator<Page, void, undefined> {
  for (let position = start; ; ) {
    const page = await read(position)
    yield page
    if (!page.mayHaveMore) return
    const following = next(page)
    if (following === null || !advances(following, position)) throw notAdvancing(operation, position, following)
    position = following
  }
}

export function notAdvancing(operation: string, position: unknown, next: unknown): PagingError {
  const message = `The server says that there is more, but goes from ${position} to ${next}: the pages so far are incomplete. Report it to the server's operator.`
  return new PagingError({ message, operation })
}

/** For pages that advance by a cursor. */
export const cursorAdvances = (next: string, position: string | undefined): boolean =>
  typeof next === 'string' && next !== '' && next !== position

/** The items of every page of an operation whose body is an array, and whose header x-next-cursor leads on. */
export async function* walkByHeader<Item>(
  operation: string,
  start: string | undefined,
  read: (after: string | undefined) => Promise<Answered<Item[]>>,
): AsyncGenerator<Item, void, undefined> {
  for (let after = start; ; ) {
    const { body, headers } = await read(after)
    for (const item of body) yield item
    const next = headers.get('x-next-cursor')
    if (next === null) return
    if (!cursorAdvances(next, after)) throw notAdvancing(operation, after, next)
    after = next
  }
}

/** The items of every page. */
export async function* flatten<Page, Item>(
  pages: AsyncIterable<Page>,
  items: (page: Page) => Item[],
): AsyncGenerator<Item, void, undefined> {
  // Not `yield*`, which takes 50 % longer for each item.
  for await (const page of pages) for (const item of items(page)) yield item
}
