import { PagingError } from './errors.js'

interface Walk<Page, Position> {
  operation: string
  start: Position | undefined
  read(position: Position | undefined): Promise<Page>
  /** Where the page says that the next one begins. */
  next(page: Page): Position | null
  /** Whether that leads on from where the page began. */
  leadsOn(next: Position, position: Position | undefined): boolean
}

/**
 * Every page, each asked for when the one before is used up, until one says that there is no more. Rejects with PagingError
 * after a page that says there is more and does not lead on.
 */
export async function* walkPages<Page extends { mayHaveMore: boolean }, Position>({
  operation,
  start,
  read,
  next,
  leadsOn,
}: Walk<Page, Position>): AsyncGenerator<Page, void, undefined> {
  for (let position = start; ; ) {
    const page = await read(position)
    yield page
    if (!page.mayHaveMore) return
    const following = next(page)
    if (following === null || !leadsOn(following, position)) {
      const message = `The server says that there is more, but leads from ${position} to ${following}: what came so far is not all. Tell the one who runs it.`
      throw new PagingError({ message, operation })
    }
    position = following
  }
}

/** For pages that lead on by a cursor. */
export const cursorLeadsOn = (next: string, position: string | undefined): boolean =>
  typeof next === 'string' && next !== '' && next !== position

/** The items of every page. */
export async function* flatten<Page, Item>(
  pages: AsyncIterable<Page>,
  items: (page: Page) => Item[],
): AsyncGenerator<Item, void, undefined> {
  // Not `yield*`, which takes half as long again for each item.
  for await (const page of pages) for (const item of items(page)) yield item
}
