import { useState } from 'preact/hooks'
import { describe, expect, test } from 'vitest'
import { type ListPage, Loaded, Pager, Rows, readPages, useList } from '../../../src/console/list.tsx'
import { Row } from '../../../src/console/settings/section.tsx'
import { button, press, show, textOf, until, untilShown } from './page.tsx'

const PAGES: Record<string, ListPage<number>> = {
  '': { items: [1, 2], nextCursor: 'b' },
  b: { items: [3], nextCursor: 'c' },
  c: { items: [4, 5], nextCursor: null },
}
/** Reads PAGES, and records the cursor and the number of earlier rows of each call. */
const reader = (asked: [string | undefined, number][] = []) => ({
  asked,
  read: async ({ after }: { after?: string }, _: unknown, found: number) => {
    asked.push([after, found])
    return PAGES[after ?? '']!
  },
})

describe('readPages', () => {
  test('follows the cursors to the end, and passes the number of earlier rows to each call', async () => {
    const { asked, read } = reader()
    const progress: number[] = []
    const all = await readPages(read, { onRead: (found) => progress.push(found) })
    expect(all).toEqual({ items: [1, 2, 3, 4, 5], nextCursor: undefined })
    expect(asked).toEqual([
      [undefined, 0],
      ['b', 2],
      ['c', 3],
    ])
    expect(progress).toEqual([2, 3, 5])
  })

  test('stops at enough rows or pages, and returns the cursor to continue from', async () => {
    expect(await readPages(reader().read, { rows: 3 })).toEqual({ items: [1, 2, 3], nextCursor: 'c' })
    expect(await readPages(reader().read, { rows: 2 })).toEqual({ items: [1, 2], nextCursor: 'b' })
    expect(await readPages(reader().read, { pages: 1 })).toEqual({ items: [1, 2], nextCursor: 'b' })
    expect(await readPages(reader().read, { after: 'c' })).toEqual({ items: [4, 5], nextCursor: undefined })
  })

  test('fails as a whole if one page fails', async () => {
    const read = async ({ after }: { after?: string }): Promise<ListPage<number>> => {
      if (after === 'b') throw new Error('gone')
      return PAGES['']!
    }
    await expect(readPages(read)).rejects.toThrow('gone')
  })
})

describe('a list', () => {
  function Numbers({ read }: { read: Parameters<typeof useList<number>>[1] }) {
    const numbers = useList(['numbers'], read)
    return (
      <Loaded read={numbers} empty={<p>Nothing here</p>}>
        {(items) => (
          <Rows label="Numbers" items={items} keyOf={String}>
            {(one) => (
              <Row name={one} controls={<button type="button">Remove</button>} actions={one === 1 && []}>
                <span>row</span>
              </Row>
            )}
          </Rows>
        )}
      </Loaded>
    )
  }

  test('shows a placeholder until all pages are read, then a row for each item with its actions', async () => {
    show(<Numbers read={reader().read} />)
    expect(textOf()).toBe('Loading…')
    await untilShown('1')
    const list = document.querySelector('ul')!
    expect(list.getAttribute('aria-label')).toBe('Numbers')
    expect([...list.children].map((row) => textOf(row))).toEqual(['1rowRemove', '2row', '3row', '4row', '5row'])
    expect(document.querySelectorAll('.actions')).toHaveLength(1)
  })

  test('says that it is empty', async () => {
    show(<Numbers read={async () => ({ items: [] })} />)
    await untilShown('Nothing here')
    expect(document.querySelector('ul')).toBeNull()
  })

  test('shows why it could not be read, and tries again on demand', async () => {
    let fails = true
    const read = async (): Promise<ListPage<number>> => {
      if (fails) throw new Error('The list is away.')
      return { items: [7] }
    }
    show(<Numbers read={read} />)
    await untilShown('The list is away.')
    expect(document.querySelector('[role=alert]')).not.toBeNull()
    fails = false
    await press('Try again')
    await until(() => expect(document.querySelectorAll('li')).toHaveLength(1))
    expect(document.querySelector('[role=alert]')).toBeNull()
  })
})

describe('a pager', () => {
  function Pages({ last }: { last: number }) {
    const [page, setPage] = useState(1)
    return (
      <>
        <p>{`Page ${page}`}</p>
        <Pager
          label="Pages"
          before={{ text: 'Before', go: page === 1 ? undefined : () => setPage(page - 1) }}
          next={{ text: 'Next', go: page === last ? undefined : () => setPage(page + 1) }}
        />
      </>
    )
  }

  test('turns the pages, and offers none before the first or after the last', async () => {
    show(<Pages last={2} />)
    expect(document.querySelector('nav')?.getAttribute('aria-label')).toBe('Pages')
    expect([button('Before').disabled, button('Next').disabled]).toEqual([true, false])
    await press('Next')
    await untilShown('Page 2')
    expect([button('Before').disabled, button('Next').disabled]).toEqual([false, true])
    await press('Before')
    await untilShown('Page 1')
  })

  test('is absent if there is one page', () => {
    show(<Pages last={1} />)
    expect(document.querySelector('nav')).toBeNull()
  })
})
