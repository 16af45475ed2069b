import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fillChannel } from '../../test/audience-lists.js'
import { startTestApp, Tenant, type TestApp, type TestConversation } from '../../test/harness.js'

let app: TestApp
let tenant: Tenant
let workspaceId: string
let channelId: string

beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  workspaceId = await tenant.workspace('VIP')
  channelId = await tenant.channel([workspaceId])
})

const url = (query: Record<string, string | number> = {}): string =>
  `/vip-users?${new URLSearchParams({ workspaceId, mediumId: channelId, ...stringify(query) })}`

const stringify = (query: Record<string, string | number>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))

const list = async (query: Record<string, string | number> = {}) => (await tenant.get(200, url(query))).body

const ids = (body: { items: { conversationId: string }[] }): string[] => body.items.map((item) => item.conversationId)

describe('interface 2.1: the row', () => {
  test('4.1.3: it has every field with a value, always conversationId and cuid, and never null', async () => {
    await app.context.database.query(
      `insert into conversations values
        ($1, $2, 'full', 'cu_1', 'user.1', 'Zoë 🌸', 'Nguyễn', 'https://pictures.example/1.jpg', '2000-02-29',
         1700000000001, 1700000000002, 1700000000003, 12.5),
        ($1, $2, 'bare', 'cu_2', null, null, null, null, null, null, null, null, 0)`,
      [tenant.organizationId, channelId],
    )
    expect((await list({ scope: 'all' })).items).toEqual([
      {
        conversationId: 'full',
        userName: 'user.1',
        firstName: 'Zoë 🌸',
        lastName: 'Nguyễn',
        cuid: 'cu_1',
        profilePic: 'https://pictures.example/1.jpg',
        birthday: '2000-02-29',
        lastPurchaseTimestamp: 1700000000001,
        lastUserMessageTimestamp: 1700000000002,
        lastAppOpenTimestamp: 1700000000003,
      },
      { conversationId: 'bare', cuid: 'cu_2' },
    ])
    expect((await list({ scope: 'all', compact: 'true' })).items).toEqual([
      { conversationId: 'full', cuid: 'cu_1', birthday: '2000-02-29' },
      { conversationId: 'bare', cuid: 'cu_2' },
    ])
  })
})

describe('interface 2.2 and 4.1: the list', () => {
  test('4.1.1: rows are ordered by lifetime value, highest first, and ties by conversationId, byte by byte', async () => {
    const rows: TestConversation[] = [
      { id: 'b', lifetime_value: 10 },
      { id: 'a', lifetime_value: 10 },
      { id: 'Z', lifetime_value: 10 },
      { id: 'é', lifetime_value: 10 },
      { id: 'top', lifetime_value: 10.01 },
      { id: 'owes', lifetime_value: -3 },
      { id: 'none' },
    ]
    await tenant.conversations(channelId, rows)
    expect(ids(await list({ scope: 'all' }))).toEqual(['top', 'Z', 'a', 'b', 'é', 'none', 'owes'])
  })

  test('scope vip, the default, lists only the VIPs of this workspace; scope all lists the whole channel', async () => {
    const other = await tenant.workspace('VIP')
    const shared = await tenant.channel([workspaceId, other])
    await tenant.conversations(shared, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])
    await tenant.markVips(workspaceId, shared, ['a', 'b'])
    await tenant.markVips(other, shared, ['c'])
    const page = (query: Record<string, string>) => list({ mediumId: shared, ...query })
    expect(ids(await page({}))).toEqual(['a', 'b'])
    expect(ids(await page({ scope: 'vip' }))).toEqual(['a', 'b'])
    expect(ids(await page({ workspaceId: other }))).toEqual(['c'])
    expect(ids(await page({ scope: 'all' }))).toEqual(['a', 'b', 'c'])
  })

  test('4.1: hasBirthday and birthdayMonth filter, with and without a year, including 29 February', async () => {
    await tenant.conversations(channelId, [
      { id: 'a', birthday: '1996-02-29' },
      { id: 'b', birthday: '--02-29' },
      { id: 'c', birthday: '2001-11-02' },
      { id: 'd' },
    ])
    expect(ids(await list({ scope: 'all', hasBirthday: 'true' }))).toEqual(['a', 'b', 'c'])
    expect(ids(await list({ scope: 'all', hasBirthday: 'false' }))).toEqual(['a', 'b', 'c', 'd'])
    expect(ids(await list({ scope: 'all', birthdayMonth: 2 }))).toEqual(['a', 'b'])
    expect(await list({ scope: 'all', birthdayMonth: 11, hasBirthday: 'true' })).toMatchObject({
      total: 1,
      returned: 1,
    })
    expect(await list({ scope: 'all', birthdayMonth: 12 })).toEqual({
      items: [],
      returned: 0,
      total: 0,
      mayHaveMore: false,
      nextOffset: 0,
      scanCapped: false,
    })
  })

  test('interface 8: full pages have 50 and at most 200 rows, compact ones 5000; a larger limit is clamped', async () => {
    await fillChannel(tenant, channelId, 5_100)
    const returned = async (query: Record<string, string | number>) => (await list({ scope: 'all', ...query })).returned
    expect(await returned({})).toBe(50)
    expect(await returned({ limit: 7 })).toBe(7)
    expect(await returned({ limit: 201 })).toBe(200)
    expect(await returned({ limit: '99999999999999999999' })).toBe(200)
    expect(await returned({ compact: 'false', limit: 5000 })).toBe(200)
    expect(await returned({ compact: 'true' })).toBe(5000)
    expect(await returned({ compact: 'true', limit: 5001 })).toBe(5000)
    expect(await returned({ compact: 'true', limit: 3 })).toBe(3)
  })

  test('4.1.5: nextOffset is offset + returned; an offset past the end returns an empty page', async () => {
    await fillChannel(tenant, channelId, 120)
    const first = await list({ scope: 'all', limit: 100 })
    expect(first).toMatchObject({ returned: 100, total: 120, mayHaveMore: true, nextOffset: 100, scanCapped: false })
    const last = await list({ scope: 'all', limit: 100, offset: 100 })
    expect(last).toMatchObject({ returned: 20, total: 120, mayHaveMore: false, nextOffset: 120 })
    const exact = await list({ scope: 'all', limit: 60, offset: 60 })
    expect(exact).toMatchObject({ returned: 60, mayHaveMore: false, nextOffset: 120 })
    for (const offset of [120, 121, 25_000, 9_007_199_254_740_991]) {
      const past = await list({ scope: 'all', offset })
      expect(past).toEqual({
        items: [],
        returned: 0,
        total: 120,
        mayHaveMore: false,
        nextOffset: offset,
        scanCapped: false,
      })
    }
  })

  test('following nextOffset over any data returns every row once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({ id: fc.string({ minLength: 1, unit: 'grapheme-ascii' }), value: fc.integer({ min: 0, max: 3 }) }),
          {
            selector: (row) => row.id,
            maxLength: 40,
          },
        ),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('true', 'false'),
        async (rows, limit, compact) => {
          channelId = await tenant.channel([workspaceId])
          await tenant.conversations(
            channelId,
            rows.map(({ id, value }) => ({ id, lifetime_value: value })),
          )
          const wanted = [...rows].sort(
            (a, b) => b.value - a.value || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
          )
          const seen: string[] = []
          let page = { mayHaveMore: true, nextOffset: 0 }
          while (page.mayHaveMore) {
            const body = await list({ scope: 'all', limit, compact, offset: page.nextOffset })
            expect(body.total).toBe(rows.length)
            seen.push(...ids(body))
            page = body
          }
          expect(seen).toEqual(wanted.map((row) => row.id))
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('interface 4.1: whose workspace, whose channel', () => {
  test('an unknown workspace and one of another organization get the same 404', async () => {
    const other = await Tenant.create(app)
    const foreign = await other.workspace('VIP')
    const replies = [
      await tenant.get(404, url({ workspaceId: 'nowhere' })),
      await tenant.get(404, url({ workspaceId: foreign })),
    ]
    expect(replies[1]!.body).toEqual(replies[0]!.body)
  })

  test('4.1.2: a workspace that is not a VIP workspace is refused', async () => {
    const standard = await tenant.workspace('STANDARD')
    const reply = await tenant.get(400, url({ workspaceId: standard }))
    expect(reply.headers['x-error-code']).toBe('workspace_not_vip')
  })

  test('an unknown channel, a foreign one and one not connected to the workspace are refused', async () => {
    const other = await Tenant.create(app)
    const foreign = await other.channel([await other.workspace()])
    const lone = await tenant.channel([])
    const code = async (mediumId: string) => (await tenant.get(400, url({ mediumId }))).headers['x-error-code']
    expect(await code('FB_PAGE_1')).toBe('channel_unknown')
    expect(await code(foreign)).toBe('channel_unknown')
    expect(await code(lone)).toBe('channel_not_connected')
  })

  test('the same channel id in two organizations remains two channels', async () => {
    const other = await Tenant.create(app)
    const theirs = await other.workspace('VIP')
    await app.context.database.query(`insert into channels values ($1, $2, 'FB_PAGE', 'Theirs')`, [
      other.organizationId,
      channelId,
    ])
    await app.context.database.query('insert into workspace_channels values ($1, $2, $3)', [
      other.organizationId,
      theirs,
      channelId,
    ])
    await other.conversations(channelId, [{ id: 'theirs' }])
    await tenant.conversations(channelId, [{ id: 'ours' }])
    expect(ids(await list({ scope: 'all' }))).toEqual(['ours'])
    const reply = await other.get(200, url({ workspaceId: theirs, scope: 'all' }))
    expect(ids(reply.body)).toEqual(['theirs'])
  })
})

describe('interface 7: each wrong parameter is named', () => {
  test.each<[string, string, string, string]>([
    ['limit', '0', 'number.min', 'limit'],
    ['limit', '-1', 'number.min', 'limit'],
    ['limit', '1.5', 'number.integer', 'limit'],
    ['limit', 'ten', 'number.base', 'limit'],
    ['limit', '', 'number.base', 'limit'],
    ['limit', 'Infinity', 'number.base', 'limit'],
    ['offset', '-1', 'number.min', 'offset'],
    ['offset', '0.5', 'number.integer', 'offset'],
    ['scope', 'VIP', 'any.only', 'scope'],
    ['scope', '', 'any.only', 'scope'],
    ['hasBirthday', 'yes', 'any.only', 'hasBirthday'],
    ['hasBirthday', '1', 'any.only', 'hasBirthday'],
    ['compact', 'TRUE', 'any.only', 'compact'],
    ['birthdayMonth', '0', 'number.min', 'birthdayMonth'],
    ['birthdayMonth', '13', 'number.max', 'birthdayMonth'],
    ['birthdayMonth', '2.5', 'number.integer', 'birthdayMonth'],
    ['birthdayMonth', 'May', 'number.base', 'birthdayMonth'],
    ['workspaceId', '', 'string.empty', 'workspaceId'],
    ['mediumId', '', 'string.empty', 'mediumId'],
    ['mediumId', '\0', 'string.unicode', 'mediumId'],
    ['Limit', '5', 'object.unknown', 'Limit'],
    ['__proto__', '5', 'object.unknown', '__proto__'],
  ])('%s=%s: %s', async (name, value, type, path) => {
    const query = new URLSearchParams({ workspaceId, mediumId: channelId })
    query.set(name, value)
    const { body } = await tenant.get(422, `/vip-users?${query}`)
    expect(Object.keys(body)).toEqual(['error'])
    const item = body.error.find((found: { type: string }) => found.type === type)
    expect(item).toMatchObject({ path: [path], message: expect.stringContaining(path), context: expect.any(Object) })
  })

  test('a repeated parameter is refused instead of choosing one', async () => {
    for (const name of ['limit', 'workspaceId', 'scope', 'compact']) {
      const { body } = await tenant.get(422, `${url({ limit: 1, scope: 'all', compact: 'true' })}&${name}=1`)
      expect(new Set(body.error.map((item: { path: string[] }) => item.path.join('.')))).toEqual(new Set([name]))
    }
  })

  test('all errors are reported at once', async () => {
    const { body } = await tenant.get(422, '/vip-users?limit=0&scope=none&colour=red')
    expect(body.error.map((item: { path: string[]; type: string }) => [item.path[0], item.type]).sort()).toEqual([
      ['colour', 'object.unknown'],
      ['limit', 'number.min'],
      ['mediumId', 'any.required'],
      ['scope', 'any.only'],
      ['workspaceId', 'any.required'],
    ])
  })
})

describe('interface 9.4: the earlier variant', () => {
  test('lists VIPs with its documented parameters, and refuses scope and compact', async () => {
    await tenant.conversations(channelId, [{ id: 'a', birthday: '--05-01' }, { id: 'b' }, { id: 'c' }])
    await tenant.markVips(workspaceId, channelId, ['a', 'b'])
    const { body } = await tenant.callEarlier(200, 'GET', url({ limit: 1, offset: 0 }))
    expect(body).toMatchObject({ returned: 1, total: 2, mayHaveMore: true, nextOffset: 1 })
    const filtered = await tenant.callEarlier(200, 'GET', url({ hasBirthday: 'true', birthdayMonth: 5 }))
    expect(ids(filtered.body)).toEqual(['a'])
    await tenant.callEarlier(422, 'GET', url({ scope: 'all' }))
    await tenant.callEarlier(422, 'GET', url({ compact: 'true' }))
  })
})
