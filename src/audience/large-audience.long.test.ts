import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  askTables,
  deleteRows,
  FIRST_PAGE,
  fillChannel,
  importRows,
  makeChannel,
  readPage,
} from '../../test/audience-lists.js'
import { startTestApp, Tenant, type TestApp } from '../../test/harness.js'

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

describe('interface 4.1.4 and 8: the scan guardrail', () => {
  test('25,000 conversations are served completely; with 25,001 the scan is capped and total is a floor', async () => {
    await fillChannel(tenant, channelId, 25_000)
    expect(await list({ scope: 'all', limit: 1 })).toMatchObject({ total: 25_000, scanCapped: false })
    await tenant.conversations(channelId, [{ id: 'one more', lifetime_value: -1 }])
    expect(await list({ scope: 'all', limit: 1 })).toMatchObject({ total: 25_000, scanCapped: true })

    const end = await list({ scope: 'all', compact: 'true', offset: 24_999 })
    expect(end).toMatchObject({ returned: 1, mayHaveMore: false, nextOffset: 25_000 })
    expect(ids(end)).toEqual(['c000001'])
    expect(await list({ scope: 'all', offset: 25_000 })).toMatchObject({ returned: 0, mayHaveMore: false })
  })

  test('on a channel of 30,000 the scan takes the candidates of the scope, and VIPs are counted exactly', async () => {
    await fillChannel(tenant, channelId, 30_000)
    const vips = Array.from({ length: 300 }, (_, index) => `c${String(index * 90 + 1).padStart(6, '0')}`)
    await tenant.markVips(workspaceId, channelId, vips)
    const body = await list({ limit: 200 })
    expect(body).toMatchObject({ total: 300, returned: 200, mayHaveMore: true, scanCapped: true })
    expect(ids(body)).toEqual(vips.toReversed().slice(0, 200))

    // The scan of scope all reads c030000 to c005001, and then filters.
    const all = await list({ scope: 'all', hasBirthday: 'true', compact: 'true', offset: 12_000 })
    expect(all).toMatchObject({ total: 12_500, returned: 500, mayHaveMore: false, scanCapped: true })
    expect(ids(all).at(-1)).toBe('c005002')
  })
})

test('an audience of 26,500 rows with rows moving in and out of the first 25,000 matches plain SQL', async () => {
  const channel = await makeChannel(app)
  const { tenant, channelId, workspaces } = channel
  await tenant.changeAudience(
    channelId,
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value, birthday)
     select $1, $2, 'c' || n, 'cu' || n, n, case when n % 3 = 0 then '--' || lpad((n % 12 + 1)::text, 2, '0') || '-15' end
       from generate_series(1, $3::int) n`,
    [26_500],
  )
  const compare = async (scope: 'vip' | 'all') => {
    for (const query of [
      { birthdayMonth: 4, compact: true, limit: 5_000 },
      { offset: 20_000, compact: true, limit: 5_000 },
      { hasBirthday: true, offset: 8_300 },
    ]) {
      const full = { ...FIRST_PAGE, workspaceId: workspaces[0], scope, ...query }
      expect(await readPage(app, channel, full)).toEqual(await askTables(channel, full, 25_000))
    }
  }
  await compare('all')
  const value = (id: number, lifetimeValue: number) => ({ conversationId: `c${id}`, cuid: `cu${id}`, lifetimeValue })
  await importRows(app, channel, workspaces[0], [value(26_500, 1), value(2, 99_999), value(20_000, 10_000.5)])
  await compare('all')
  // This is more than the slack, all at once.
  const many = Array.from({ length: 1_200 }, (_, index) => `c${26_000 - index}`)
  await deleteRows(channel, many)
  await compare('all')
  await importRows(app, channel, workspaces[0], [{ ...value(7, 3), vip: true }])
  await compare('vip')
  await compare('all')
})
