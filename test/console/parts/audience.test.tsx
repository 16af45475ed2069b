import { describe, expect, test } from 'vitest'
import { guessFields, toColumnMap } from '../../../src/console/audience/import-fields.ts'
import { People } from '../../../src/console/audience/people.tsx'
import { readCsvHead } from '../../../src/console/audience/read-csv.ts'
import type { AudienceList, AudienceRow, Channel } from '../../../src/interface/generated/types.ts'
import { button, press, show, textOf, until, untilShown } from './page.tsx'
import { type Call, FakeService } from './service.ts'

const ORG = '/organizations/org_1'
const queryOf = ({ path }: Call): URLSearchParams => new URL(path, 'http://x').searchParams

const rowOf = (conversationId: string, more: Partial<AudienceRow> = {}): AudienceRow => ({
  ...{ conversationId, cuid: conversationId, lifetimeValue: 1234.5, rank: 1, vip: true },
  ...more,
})
const pageOf = (items: AudienceRow[], more: Partial<AudienceList> = {}): AudienceList => ({
  ...{
    items,
    currency: null,
    skipped: 0,
    total: items.length,
    mayHaveMore: false,
    nextCursor: null,
    scanCapped: false,
  },
  ...more,
})

/** Answers with pages of `many` people, as the service does. */
function serve(many: number, { scanCapped = false } = {}): FakeService {
  const service = new FakeService()
  service.on('GET', `${ORG}/segments`, { body: [] })
  service.on('GET', `${ORG}/audience`, (call) => {
    const query = queryOf(call)
    const isByCursor = query.get('sort') !== 'value'
    const skipped = Number((isByCursor ? query.get('after')?.slice(2) : query.get('offset')) ?? 0)
    const length = Math.max(0, Math.min(Number(query.get('limit')), many - skipped))
    const items = Array.from({ length }, (_, index) => rowOf(`t_${skipped + index}`, { rank: skipped + index + 1 }))
    const next = skipped + length
    const mayHaveMore = next < many
    const nextCursor = isByCursor && mayHaveMore ? `c_${next}` : null
    return { body: pageOf(items, { skipped, total: many, mayHaveMore, nextCursor, scanCapped }) }
  })
  return service
}

describe('the people of a channel', () => {
  const channel = { id: 'FB_PAGE_1', name: 'Corner', type: 'FB_PAGE' } as Channel
  const people = <People workspaceId="ws_1" channel={channel} />

  test('are shown page by page, with a count of the rows', async () => {
    serve(60)
    show(people)
    await untilShown('1–50 of 60 people')
    expect(button('Previous').disabled).toBe(true)
    await press('Next')
    await untilShown('51–60 of 60 people')
    expect(button('Next').disabled).toBe(true)
    expect(document.querySelectorAll('tbody tr').length).toBe(10)
  })

  test('in another order are paged by cursors, in both directions', async () => {
    serve(120)
    history.replaceState(null, '', '/?sort=name')
    show(people)
    await untilShown('1–50 of 120 people · by name')
    await press('Next')
    await untilShown('51–100 of 120 people')
    await press('Next')
    await untilShown('101–120 of 120 people')
    await press('Previous')
    await untilShown('51–100 of 120 people')
    await press('Previous')
    await untilShown('1–50 of 120 people')
    expect(button('Previous').disabled).toBe(true)
  })

  test("show their value and rank, in the organization's currency", async () => {
    const service = new FakeService()
    const items = [rowOf('t_0', { rank: 1_200 }), rowOf('t_1', { lifetimeValue: -3, rank: null })]
    service.on('GET', `${ORG}/audience`, { body: pageOf(items, { currency: 'EUR' }) })
    show(people)
    await untilShown('Lifetime value in EUR')
    const cells = [...document.querySelectorAll('tbody tr')].map((row) =>
      ['.value', '.rank'].map((cell) => row.querySelector(cell)?.textContent),
    )
    expect(cells).toEqual([
      ['1,234.50', '1,200'],
      ['−3', ''],
    ])
  })

  test('can be marked and unmarked if all are shown, and the star follows the service', async () => {
    const marks = new Set(['t_1'])
    const service = new FakeService()
    service.on('GET', `${ORG}/audience`, () => ({
      body: pageOf(['t_0', 't_1'].map((id) => rowOf(id, { vip: marks.has(id) }))),
    }))
    service.on('PUT', `${ORG}/workspaces/ws_1/channels/FB_PAGE_1/vips/t_0`, () => {
      marks.add('t_0')
      return { body: {} }
    })
    history.replaceState(null, '', '/?scope=all')
    show(people, { permissions: ['audience:read', 'audience:mark'] })
    const pressed = () =>
      [...document.querySelectorAll('tbody button')].map((star) => star.getAttribute('aria-pressed'))
    await until(() => expect(pressed()).toEqual(['false', 'true']))
    await press('t_0 is a VIP')
    await untilShown('t_0 is a VIP now.')
    await until(() => expect(pressed()).toEqual(['true', 'true']))
    expect(service.calls.filter(({ method }) => method === 'PUT').length).toBe(1)
  })

  test('can be marked together, and Undo reverts exactly what changed', async () => {
    const service = serve(3)
    const marked = { marked: ['t_1'], unmarked: [], missing: [] }
    const answers = [marked, { marked: [], unmarked: ['t_1'], missing: [] }]
    service.on('POST', `${ORG}/workspaces/ws_1/channels/FB_PAGE_1/vips`, () => ({ body: answers.shift() }))
    history.replaceState(null, '', '/?scope=all')
    show(people, { permissions: ['audience:read', 'audience:mark'] })
    await untilShown('1–3 of 3 people')
    const box = document.querySelector<HTMLInputElement>('thead input')!
    box.click()
    await untilShown('3 people selected')
    await press('Mark as VIPs')
    await untilShown('1 person is a VIP now.')
    await press('Undo')
    await until(() => expect(service.calls.filter(({ method }) => method === 'POST')).toHaveLength(2))
    expect(service.calls.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
      { mark: ['t_0', 't_1', 't_2'] },
      { mark: [], unmark: ['t_1'] },
    ])
  })

  test('report that the list was cut, or that it is empty', async () => {
    serve(0, { scanCapped: true })
    show(people)
    await untilShown('No people found')
    expect(textOf()).toContain('more than 25,000 conversations')
    expect(button('Export CSV').disabled).toBe(true)
  })
})

/** Returns a text as bytes: in UTF-8, in Latin-1, or in UTF-16 with the low byte first. */
function bytesOf(text: string, encoding?: 'latin1' | 'utf16le'): Uint8Array {
  if (encoding === undefined) return new TextEncoder().encode(text)
  const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return encoding === 'latin1' ? Uint8Array.from(codes) : new Uint8Array(Uint16Array.from(codes).buffer)
}

describe('the columns of a CSV', () => {
  test.each([
    ['a,b\n1,2\n', ['a', 'b'], [['1', '2']]],
    ['\uFEFFsep=;\r\na;"b;c"\r\n"x ""y""";\r\n', ['a', 'b;c'], [['x "y"', '']]],
    ['a\tb\n"two\nlines"\t🌸', ['a', 'b'], [['two\nlines', '🌸']]],
    ['', [], []],
    ['a,b\n"open', ['a', 'b'], []],
    ['a,b\r1,2\r', ['a', 'b'], [['1', '2']]],
    [
      'a,b,\n1\n,,\n"=""0123456789012345""",2,',
      ['a', 'b'],
      [
        ['1', ''],
        ['0123456789012345', '2'],
      ],
    ],
  ])('%j', (text, columns, rows) => {
    expect(readCsvHead(bytesOf(text), 5, true)).toEqual({ columns, rows, encoding: 'UTF-8' })
  })

  test('and its first rows are shown in the encoding of the file, up to a truncated line', () => {
    const head = (text: string, encoding: 'latin1' | 'utf16le') => readCsvHead(bytesOf(text, encoding), 5, false)
    expect(head('a,b\ncafé,1\nx,', 'latin1')).toEqual({
      ...{ columns: ['a', 'b'], rows: [['café', '1']], encoding: 'Windows-1252' },
    })
    expect(head('a\tb\ncafé\t1\nx', 'utf16le')).toMatchObject({ rows: [['café', '1']], encoding: 'UTF-16' })
    expect(() => readCsvHead(bytesOf('a,"b\n'), 5, true)).toThrow('a quote is opened but never closed')
  })

  test('are guessed by their names, each field once, exact names first', () => {
    const columns = [
      'Customer ID',
      'cuid',
      'E-Mail',
      'First name',
      'NACHNAME',
      'conversation_id',
      'Total spent',
      'Last order',
    ]
    expect(guessFields(columns)).toEqual([
      ...['', 'cuid', '', 'firstName', 'lastName', 'conversationId', 'lifetimeValue', 'lastPurchaseTimestamp'],
    ])
    expect(toColumnMap(['cuid', 'Notes'], ['cuid', ''])).toBe('{"Notes":""}')
    expect(toColumnMap(['cuid'], ['cuid'])).toBe(undefined)
  })
})
