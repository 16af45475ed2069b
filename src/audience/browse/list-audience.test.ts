import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'
import { AUDIENCE_SORTS, type AudienceSort } from '../../interface/audience.js'
import type { AudienceRow } from '../../interface/generated/types.js'
import { browse } from './browse.store.js'
import { birthdayRanges } from './conditions.js'

const DAY = 86_400_000

let app: TestApp
let tenant: Tenant
let workspaceId: string
let channelId: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  workspaceId = await tenant.workspace()
  channelId = await tenant.channel([workspaceId])
})

type Query = Record<string, string | number | undefined>
const call = (status: number, path: string, query: Query = {}, of = tenant) => {
  const given = Object.entries({ workspaceId, channelId, ...query }).filter(([, value]) => value !== undefined)
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
  return operatorCall(app, status, 'GET', `/organizations/${of.organizationId}${path}?${search}`)
}
const list = async (query: Query = {}) => (await call(200, '/audience', { scope: 'all', ...query })).body
const ids = ({ items }: { items: AudienceRow[] }): string[] => items.map(({ conversationId }) => conversationId)

/** Every page of a list, by cursor. */
async function walk(query: Query): Promise<string[]> {
  const found: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await list({ ...query, after })
    expect(page.skipped).toBe(found.length)
    found.push(...ids(page))
    if (!page.mayHaveMore) return found
    after = page.nextCursor
  }
}

interface Person {
  id: string
  first?: string
  last?: string
  user?: string
  birthday?: string
  bought?: number
  wrote?: number
  value?: number
}
const put = (people: Person[]) =>
  tenant.changeAudience(
    channelId,
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, first_name, last_name, user_name,
       birthday, last_purchase_at_ms, last_user_message_at_ms, lifetime_value)
     select $1, $2, id, 'cu_' || id, first, last, "user", birthday, bought, wrote, coalesce(value, 0)
       from jsonb_to_recordset($3::jsonb) as t (id text, first text, last text, "user" text, birthday text, bought bigint,
            wrote bigint, value float8)`,
    [JSON.stringify(people)],
  )

/** The tests' clock is at 20 November 2026. */
const PEOPLE: Person[] = [
  { id: 'a', first: 'Zoë', last: '🌸', birthday: '1990-11-20', bought: 3, wrote: 10, value: 50 },
  { id: 'b', first: 'Édouard', birthday: '--11-19', bought: 5, value: 70.5 },
  { id: 'c', user: 'emil', birthday: '--01-02', wrote: 30, value: 70.5 },
  { id: 'd', last: 'adler', value: -3 },
  { id: 'e', first: 'Émile', user: 'x', birthday: '2000-02-29', bought: 5, wrote: 20 },
  { id: 'f' },
]
const ORDERS: Record<AudienceSort, string> = {
  value: 'bcaefd',
  name: 'dbceaf',
  lastPurchase: 'beacdf',
  lastMessage: 'ceabdf',
  birthday: 'aceb',
}

describe('the orders', () => {
  test.each(AUDIENCE_SORTS)('by %s: one page, pages of one, pages of two and the file agree', async (sort) => {
    await put(PEOPLE)
    const expected = [...ORDERS[sort]]
    expect(ids(await list({ sort }))).toEqual(expected)
    // Without conditions the order by value continues by offset.
    const paged = { sort, noPurchaseForDays: sort === 'value' ? 1 : undefined }
    expect(await walk({ ...paged, limit: 1 })).toEqual(expected)
    expect(await walk({ ...paged, limit: 2 })).toEqual(expected)
    expect(ids((await call(200, '/audience/export', { scope: 'all', sort })).body)).toEqual(expected)
  })

  test.each(AUDIENCE_SORTS)('by %s: the VIPs, who are read completely, are in the same order', async (sort) => {
    await put(PEOPLE)
    await tenant.markVips(workspaceId, channelId, ['a', 'b', 'e', 'f'])
    const expected = [...ORDERS[sort]].filter((id) => 'abef'.includes(id))
    const paged = { sort, scope: 'vip', noPurchaseForDays: sort === 'value' ? 1 : undefined }
    expect(await walk({ ...paged, limit: 1 })).toEqual(expected)
    const page = await list({ ...paged, limit: 3 })
    expect([page.total, page.scanCapped]).toEqual([expected.length, false])
  })

  test('rows have the value, the rank by value within the scope in any order, and the mark', async () => {
    await put(PEOPLE)
    await tenant.markVips(workspaceId, channelId, ['a', 'd'])
    const rowsOf = (page: { items: AudienceRow[] }) =>
      page.items.map(({ conversationId, lifetimeValue, rank, vip }) => [conversationId, lifetimeValue, rank, vip])
    expect(rowsOf(await list())).toEqual([
      ['b', 70.5, 1, false],
      ['c', 70.5, 2, false],
      ['a', 50, 3, true],
      ['e', 0, 4, false],
      ['f', 0, 5, false],
      ['d', -3, 6, true],
    ])
    expect(rowsOf(await list({ sort: 'name', limit: 2 }))).toEqual([
      ['d', -3, 6, true],
      ['b', 70.5, 1, false],
    ])
    expect(rowsOf(await list({ sort: 'name', scope: 'vip' }))).toEqual([
      ['d', -3, 2, true],
      ['a', 50, 1, true],
    ])
    expect(rowsOf(await list({ offset: 2, limit: 1 }))).toEqual([['a', 50, 3, true]])
    expect((await list({ hasBirthday: 'true' })).items[3].rank).toBe(4)
    expect((await list()).currency).toBe(null)
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { currency: 'EUR' } })
    expect((await list()).currency).toBe('EUR')
  })

  test('an empty channel has an empty page, and a cursor belongs only to its list', async () => {
    expect(await list({ sort: 'name' })).toEqual({
      ...{ items: [], currency: null, skipped: 0, total: 0, mayHaveMore: false, nextCursor: null, scanCapped: false },
    })
    await put(PEOPLE)
    const { nextCursor } = await list({ sort: 'name', limit: 1 })
    expect(code(await call(422, '/audience', { scope: 'all', sort: 'lastMessage', after: nextCursor }))).toBe(
      'validation_failed',
    )
    expect(code(await call(422, '/audience', { sort: 'height' }))).toBe('validation_failed')
  })

  test('another organization sees nobody, and nothing of a channel that is not connected', async () => {
    await put(PEOPLE)
    const other = await Tenant.create(app)
    await call(404, '/audience', {}, other)
    const alone = await tenant.channel()
    expect(code(await call(400, '/audience', { channelId: alone }))).toBe('channel_not_connected')
  })
})

describe('the conditions', () => {
  const now = () => app.clock.now()

  test('a value above a limit, no purchase for days, and VIP or not can be combined', async () => {
    await put([
      { id: 'a', value: 100, bought: now() - 10 * DAY },
      { id: 'b', value: 90, bought: now() - 90 * DAY },
      { id: 'c', value: 80 },
      { id: 'd', value: 10 },
    ])
    await tenant.markVips(workspaceId, channelId, ['c'])
    expect(ids(await list({ valueAbove: 80 }))).toEqual(['a', 'b'])
    expect(ids(await list({ noPurchaseForDays: 9 }))).toEqual(['a', 'b', 'c', 'd'])
    expect(ids(await list({ noPurchaseForDays: 11 }))).toEqual(['b', 'c', 'd'])
    expect(ids(await list({ valueAbove: 50, noPurchaseForDays: 30 }))).toEqual(['b', 'c'])
    expect(ids(await list({ valueAbove: 50, noPurchaseForDays: 30, scope: 'vip' }))).toEqual(['c'])
  })

  test.each([
    ['2026-11-20', 1, [['11-20', '11-20']]],
    ['2026-11-20', 7, [['11-20', '11-26']]],
    [
      '2026-12-30',
      4,
      [
        ['12-30', '12-31'],
        ['01-01', '01-02'],
      ],
    ],
    ['2026-12-31', 1, [['12-31', '12-31']]],
    ['2027-02-28', 1, [['02-28', '02-29']]],
    ['2027-02-27', 2, [['02-27', '02-29']]],
    ['2027-02-27', 1, [['02-27', '02-27']]],
    ['2027-03-01', 2, [['03-01', '03-02']]],
    ['2028-02-28', 1, [['02-28', '02-28']]],
    ['2028-02-28', 2, [['02-28', '02-29']]],
    ['2028-02-29', 1, [['02-29', '02-29']]],
    ['2026-11-20', 365, [['01-01', '12-31']]],
    [
      '2026-11-20',
      364,
      [
        ['11-20', '12-31'],
        ['01-01', '11-18'],
      ],
    ],
  ])('birthdays from %s on, for %i days', (today, days, ranges) => {
    expect(birthdayRanges(today, days)).toEqual(ranges)
  })

  test('birthdays of the next days are in the order of the days, across the end of the year', async () => {
    await put([
      { id: 'a', birthday: '--11-26' },
      { id: 'b', birthday: '1980-11-20' },
      { id: 'c', birthday: '--11-27' },
      { id: 'd', birthday: '--11-19' },
      { id: 'e' },
      { id: 'f', birthday: '--01-03' },
    ])
    expect(ids(await list({ birthdayWithinDays: 7, sort: 'birthday' }))).toEqual(['b', 'a'])
    expect(ids(await list({ birthdayWithinDays: 60, sort: 'birthday' }))).toEqual(['b', 'a', 'c', 'f'])
    expect(ids(await list({ birthdayWithinDays: 366, sort: 'birthday' }))).toEqual(['b', 'a', 'c', 'f', 'd'])
  })

  test('a page looks at a limited number of rows, and continues after the last of them', async () => {
    await put(Array.from({ length: 30 }, (_, n) => ({ id: `p${String(n).padStart(2, '0')}`, value: n % 10 })))
    const { organizationId } = tenant
    const conditions = {
      ...{ vipsOf: null, notVipsOf: null, valueAbove: null, noPurchaseSinceMs: null, birthdays: null },
      ...{ hasBirthday: false, birthdayMonth: 3 },
    }
    const query = { organizationId, channelId, workspaceId, conditions, sort: 'name', today: '11-20' } as const
    const looked = await browse(app.context.database, { ...query, after: undefined, rows: 5, look: 20 })
    expect(looked).toEqual({ rows: [], last: [1, null, 'p19'], total: undefined })
    expect(await browse(app.context.database, { ...query, after: looked.last, rows: 5, look: 20 })).toEqual({
      ...{ rows: [], last: undefined, total: undefined },
    })
  })
})
