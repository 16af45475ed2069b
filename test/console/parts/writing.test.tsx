import { Route, Router } from 'preact-iso'
import { beforeEach, describe, expect, test } from 'vitest'
import PostPage from '../../../src/console/posts/post.tsx'
import { useFollowRevision } from '../../../src/console/use-revision.ts'
import type { PostImport, ReportedLine, SavedText } from '../../../src/interface/generated/types.ts'
import { button, field, press, show, textOf, type, until, untilShown } from './page.tsx'
import { FakePosts, page, postOf } from './posts.ts'
import { FakeService, refusal } from './service.ts'

const ROOT = '/organizations/org_1'
const POSTS = `${ROOT}/scheduled-posts`
let service: FakeService
let posts: FakePosts

beforeEach(() => {
  service = new FakeService()
  posts = new FakePosts(service)
  posts.set(postOf({ status: 'DRAFT' }))
  service.on('GET', `${ROOT}/channels`, {
    body: [{ id: 'FB_1', name: 'Mercado Aurora', type: 'FB_PAGE', status: 'connected' }],
  })
  service.on('GET', `${ROOT}/superpowers`, { body: page([]) })
  service.on('GET', `${ROOT}/media`, refusal(404, 'media_disabled'))
})

function open(path: string): void {
  history.replaceState(null, '', `/o/org_1/posts/${path}`)
  show(
    <Router>
      <Route path="/o/:organizationId/:page/:rest*" component={PostPage} />
      <Route default component={() => <p>elsewhere</p>} />
    </Router>,
  )
}

/** Opens a post in a page that follows other people's changes, and returns the function that announces one. */
async function openAndFollow(path: string): Promise<() => Promise<void>> {
  const revision = { posts: '1', audience: '1', inbox: '1', other: '1', unread: 0 }
  service.on('GET', `${ROOT}/revision`, () => ({ body: revision }))
  function Following() {
    useFollowRevision()
    return <PostPage />
  }
  history.replaceState(null, '', `/o/org_1/posts/${path}`)
  const client = show(
    <Router>
      <Route path="/o/:organizationId/:page/:rest*" component={Following} />
      <Route default component={() => <p>elsewhere</p>} />
    </Router>,
  )
  await until(() => expect(service.made('GET', `${ROOT}/revision`)).toHaveLength(1))
  return async () => {
    revision.other = '2'
    await client.invalidateQueries({ queryKey: ['revision'] })
  }
}

const caption = (): HTMLTextAreaElement => field<HTMLTextAreaElement>('Text on Mercado Aurora')
async function putCursor(from: number, to = from): Promise<void> {
  await until(() => caption())
  caption().setSelectionRange(from, to)
}

describe('saved texts', () => {
  let saved: SavedText[]
  beforeEach(() => {
    saved = [{ id: 'text_1', kind: 'HASHTAGS', name: 'Bakery', text: '#bread #bakery' }]
    service.on('GET', `${ROOT}/saved-texts`, () => ({ body: saved }))
    service.on('POST', `${ROOT}/saved-texts`, ({ body }) => {
      const text = { id: `text_${saved.length + 1}`, ...(body as Omit<SavedText, 'id'>) }
      saved = [...saved, text]
      return { status: 201, body: text }
    })
    service.on('DELETE', `${ROOT}/saved-texts/*`, ({ path }) => {
      saved = saved.filter(({ id }) => !path.endsWith(id))
      return { body: { id: 'text_1' } }
    })
  })

  test('replace the selection, and are counted', async () => {
    open('post_1')
    await putCursor(6, 14)
    await press('Saved texts… Mercado Aurora')
    await press('Insert Bakery')
    await until(() => expect(caption().value).toBe('Bread #bread #bakery #bread'))
    await untilShown('27 of 63,206 characters')
    expect(document.activeElement).toBe(caption())
    expect(document.querySelector('dialog')).toBeNull()
    // Their authors are authors of the post.
    await press('Save')
    const patches = () => service.made('PATCH', `${ROOT}/scheduled-posts/post_1`).map(({ body }) => body)
    await until(() => expect(patches()[0]).toMatchObject({ copiedFrom: { savedTexts: ['text_1'] } }))
  })

  test('include what another person has just saved', async () => {
    const tell = await openAndFollow('post_1')
    await putCursor(0)
    await press('Saved texts… Mercado Aurora')
    await until(() => button('Insert Bakery'))
    saved = [...saved, { id: 'text_9', kind: 'TEXT', name: 'Hours', text: 'Open until eight.' }]
    await tell()
    await until(() => button('Insert Hours'))
  })

  test('are made from the selection, and deleted with an undo', async () => {
    open('post_1')
    await putCursor(0, 5)
    await press('Saved texts… Mercado Aurora')
    await press('Save a new one')
    type(field('Name'), 'Short')
    await press('Save')
    await untilShown('Short was saved.')
    expect(service.made('POST', `${ROOT}/saved-texts`)[0]!.body).toEqual({ kind: 'TEXT', name: 'Short', text: 'Bread' })
    await press('Delete Bakery')
    await untilShown('Bakery was deleted. Posts that used it keep the text.')
    await press('Undo')
    await until(() => button('Insert Bakery'))
    expect(saved.map(({ name }) => name).sort()).toEqual(['Bakery', 'Short'])
  })
})

describe('emoji', () => {
  test('are found by name, inserted at the cursor, and come first the next time', async () => {
    open('post_1')
    await putCursor(5)
    await press('Emoji… Mercado Aurora')
    await until(() => field('Search'))
    expect(textOf()).not.toContain('Recent')
    type(field('Search'), 'brea')
    await press('bread')
    await until(() => expect(caption().value).toBe('Bread🍞 at eight #bread'))
    await press('Emoji… Mercado Aurora')
    await untilShown('Recent')
  })

  test('arrow keys move in the grid, which is one stop in the Tab order', async () => {
    open('post_1')
    await press('Emoji… Mercado Aurora')
    const grid = await until(() => {
      const found = document.querySelector<HTMLElement>('.emoji-grid')
      expect(found).not.toBeNull()
      return found!
    })
    const tabStops = () => [...grid.querySelectorAll<HTMLButtonElement>('button[tabindex="0"]')]
    await until(() => expect(tabStops()).toHaveLength(1))
    tabStops()[0]!.focus()
    const key = (name: string) =>
      grid.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }))
    key('ArrowRight')
    await until(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('grinning face with big eyes'))
    key('End')
    await until(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('trade mark'))
    expect(tabStops()).toHaveLength(1)
  })
})

describe('the import of a file', () => {
  const line = (changes: Partial<ReportedLine> & { text: string }): ReportedLine => {
    const { text, ...more } = changes
    return {
      line: 2,
      cells: { time: '', channel: 'Mercado Aurora', text, media: '', notes: '' },
      problems: [],
      ...more,
    }
  }
  const past = { column: 'time', code: 'time_past', message: 'The time has passed.' } as const

  test('shows mistakes, accepts a correction, leaves a line out, and imports once under one key', async () => {
    let tries = 0
    service.on('POST', `${POSTS}/import`, ({ body }) => {
      const { csv, lines, dryRun } = body as PostImport
      if (csv !== undefined) {
        const lines = [
          line({ text: 'Good' }),
          line({ line: 3, text: 'Old', problems: [past] }),
          line({ line: 4, text: 'Third' }),
        ]
        return { body: { created: 0, lines } }
      }
      const now = lines!.map(({ line: at, ...cells }) => ({ ...line({ line: at, text: '' }), cells }))
      if (dryRun) return { body: { created: 0, lines: now } }
      tries += 1
      return tries === 1 ? refusal(503, 'database_unavailable') : { body: { created: now.length, lines: now } }
    })
    open('import')
    await until(() => button('Choose a file…'))
    const picker = document.querySelector<HTMLInputElement>('input[type=file]')!
    Object.defineProperty(picker, 'files', { value: [new File(['channel,text\n'], 'plan.csv')] })
    picker.dispatchEvent(new Event('change', { bubbles: true }))
    await untilShown('1 line of 3 has a problem: correct it or skip it.')
    await untilShown('This time has passed.')
    expect(button('Import 3 drafts').disabled).toBe(true)
    await press('Correct Line 3')
    type(field('Time'), '2099-12-24 18:00')
    await until(() => expect(textOf()).not.toContain('This time has passed.'))
    await press('Done')
    await untilShown('3 lines can be imported.')
    await press('Skip Line 4')
    await press('Import 2 drafts')
    await untilShown('Greenroom cannot reach its database right now.')
    await press('Import 2 drafts')
    await untilShown('2 drafts are imported.')
    const sent = service.made('POST', `${POSTS}/import`).filter(({ body }) => (body as PostImport).dryRun !== true)
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
    expect([keys.length, new Set(keys).size, keys[0]]).toEqual([2, 1, expect.stringMatching(/.{8}/)])
    expect(sent[1]!.body).toMatchObject({ lines: [{ line: 2 }, { line: 3, time: '2099-12-24 18:00' }] })
  })

  /** Chooses a file with these bytes; the service answers its lines with `linesOf`. */
  async function choose(bytes: number[] | string, linesOf: (body: PostImport) => object): Promise<void> {
    service.on('POST', `${POSTS}/import`, ({ body }) => ({ body: { created: 0, ...linesOf(body as PostImport) } }))
    open('import')
    await until(() => button('Choose a file…'))
    const picker = document.querySelector<HTMLInputElement>('input[type=file]')!
    const content = typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)
    Object.defineProperty(picker, 'files', { value: [new File([content], 'plan.csv')] })
    picker.dispatchEvent(new Event('change', { bubbles: true }))
  }
  const latin1 = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0))

  test('in Windows-1252 is read as such, and says so', async () => {
    await choose(latin1('channel,text\r\nMercado Aurora,P\xe3o \x96 \x80 5\r\n'), ({ csv }) => {
      expect(csv).toBe('channel,text\r\nMercado Aurora,Pão – € 5\r\n')
      return { lines: [line({ text: 'Pão – € 5' })] }
    })
    await untilShown('plan.csv was read as Windows-1252.')
  })

  test('that is not text reports the line', async () => {
    await choose([0x61, 0x0a, 0x00, 0xff], () => ({ lines: [] }))
    await untilShown('Line 2: the line is not valid UTF-8')
  })

  test('without lines says so', async () => {
    await choose('channel,text\n', () => ({ lines: [], note: 'The file has nothing to import.' }))
    await untilShown('The file has no lines below its header.')
  })

  test('with ambiguous dates asks for their order once, and shows how each was read', async () => {
    const cell = '05/01/2099 18:00'
    const choices = { DMY: '2099-01-05T18:00:00.000Z', MDY: '2099-05-01T18:00:00.000Z' }
    const ambiguous = { column: 'time', code: 'time_ambiguous', message: 'It is ambiguous.', choices } as const
    const asked = line({ text: 'One', problems: [ambiguous] })
    const cells = { ...asked.cells, time: cell }
    await choose('time,channel,text\n', ({ dateOrder }) =>
      dateOrder === undefined
        ? { lines: [{ ...asked, cells }] }
        : {
            dateOrder,
            lines: [{ ...asked, cells, problems: [], scheduledFor: choices[dateOrder], timeReadAs: 'It was read.' }],
          },
    )
    await untilShown(`Which date is ${cell}? Your answer applies to the whole file.`)
    await press('Mon, 5 Jan 2099, 18:00')
    await untilShown(`${cell} was read as Mon, 5 Jan 2099, 18:00 (UTC).`)
    await press('Import 1 draft')
    await until(() => expect(service.made('POST', `${POSTS}/import`)).toHaveLength(3))
    const bodies = service.made('POST', `${POSTS}/import`).map(({ body }) => body as PostImport)
    expect(bodies.map(({ dateOrder, dryRun }) => [dateOrder, dryRun])).toEqual([
      ...[
        [undefined, true],
        ['DMY', true],
        ['DMY', undefined],
      ],
    ])
  })
})

describe('a repeated post', () => {
  const rule = { frequency: 'WEEKLY', weekdays: [2], time: '10:00', from: '2099-12-02', count: 4 }

  test('shows its times first, then sends the rule with the displayed version', async () => {
    const sent = { id: 'series_1', rule, timeZone: 'UTC', createdAt: '2026-11-20T09:00:00.000Z', posts: [] as object[] }
    service.on('POST', `${POSTS}/post_1/series`, () => {
      const copies = [1, 2, 3, 4].map((at) => ({ id: `post_c${at}`, status: 'DRAFT', isFirst: false }))
      sent.posts = [{ id: 'post_1', status: 'DRAFT', isFirst: true }, ...copies]
      service.on('GET', `${POSTS}/post_1/series`, { body: { series: sent } })
      return { status: 201, body: sent }
    })
    open('post_1')
    await press('Repeat…')
    await untilShown('4 drafts will be created')
    await untilShown('Tue, 8 Dec 2099, 10:00')
    await press('Create 4 drafts')
    await untilShown('4 drafts created.')
    const [call] = service.made('POST', `${POSTS}/post_1/series`)
    expect([call!.headers.get('if-match'), call!.body]).toEqual(['"1"', rule])
    await untilShown('Every week on Tuesday, at 10:00 in UTC.')
    service.on('POST', `${ROOT}/post-series/series_1/stop`, () => {
      service.on('GET', `${POSTS}/post_1/series`, {
        body: { series: { ...sent, stoppedAt: '2026-11-20T09:00:00.000Z', posts: [] } },
      })
      return { body: { id: 'series_1', stoppedAt: '2026-11-20T09:00:00.000Z', deleted: 4 } }
    })
    await press('Stop the series…')
    await press('Stop and delete')
    await untilShown('The series is stopped: 4 posts are deleted.')
  })

  test('shows that another person stopped the series', async () => {
    const series = { id: 'series_1', rule, timeZone: 'UTC', createdAt: '2026-11-20T09:00:00.000Z', posts: [] }
    service.on('GET', `${POSTS}/post_1/series`, { body: { series } })
    const tell = await openAndFollow('post_1')
    await until(() => button('Stop the series…'))
    const stopped = { ...series, stoppedAt: '2026-11-20T09:05:00.000Z' }
    service.on('GET', `${POSTS}/post_1/series`, { body: { series: stopped } })
    await tell()
    await untilShown('The series is stopped.')
  })

  test('cannot have the hashtag of a superpower, and says so in advance', async () => {
    const { mediumsData } = postOf()
    const superpower = { hashtag: '#Win', lookupHashtag: 'win' }
    posts.set(postOf({ status: 'DRAFT', mediumsData: { FB_1: { ...mediumsData.FB_1!, superpower } } }))
    open('post_1')
    await press('Repeat…')
    await untilShown('The superpower of this post has #Win.')
    expect(button('Create 4 drafts').disabled).toBe(true)
  })
})
