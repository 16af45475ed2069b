import { beforeAll, describe, expect, test } from 'vitest'
import {
  askTables,
  FIRST_PAGE,
  firstPage,
  LIMITS,
  makeChannel,
  type Query,
  ROOMY,
  readPage,
  startNode,
  watched,
  withLists,
} from '../../../test/audience-lists.js'
import { startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { inLongSuite } from '../../../test/runs.js'
import { createSnapshotReader, toChannelRef } from '../../access/snapshot.js'
import { limit } from '../../lib/limits.js'
import { AudienceCache } from './audience-cache.js'

let plain: TestApp
beforeAll(async () => {
  plain = await startTestApp()
})

describe('the memory budget of lists', () => {
  test.runIf(inLongSuite())(
    '800 channels stay within a small budget, and every response is correct',
    { timeout: 120_000 },
    async () => {
      const tenant = await Tenant.create(plain)
      const { organizationId } = tenant
      const { database } = plain.context
      const channels = 800
      await database.transaction(async (tx) => {
        await tx.query(
          `insert into channels (organization_id, channel_id, type, name)
         select $1, 'FB_PAGE_' || n, 'FB_PAGE', 'Page ' || n from generate_series(1, $2::int) n`,
          [organizationId, channels],
        )
        await tx.query(
          `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value)
         select $1, 'FB_PAGE_' || n, 'c' || n || '-' || m, 'cu', m
           from generate_series(1, $2::int) n, generate_series(1, 2) m`,
          [organizationId, channels],
        )
      })
      const memoryBytesMax = 40_000
      const audiences = new AudienceCache(database, { memoryBytesMax })
      const readSnapshot = createSnapshotReader(database)
      const query = firstPage({ compact: true, limit: 1 })
      const top = async (n: number): Promise<string> => {
        const channel = toChannelRef(organizationId, `FB_PAGE_${n}`)
        const { audienceRevision } = await readSnapshot()
        const { body } = await audiences.page(channel, query, await audienceRevision(channel), 'identity')
        return JSON.parse(body.toString()).items[0].conversationId
      }
      let mostCached = 0
      for (let first = 1; first <= channels; first += 100) {
        const numbers = Array.from({ length: 100 }, (_, index) => first + index)
        expect(await Promise.all(numbers.map(top))).toEqual(numbers.map((n) => `c${n}-2`))
        expect(audiences.memory().bytes).toBeLessThanOrEqual(memoryBytesMax)
        mostCached = Math.max(mostCached, audiences.memory().channels)
      }
      expect(mostCached).toBeGreaterThan(10)
      expect(mostCached).toBeLessThan(channels / 2)
      // An evicted list is read again, with the changes since.
      await database.query(
        `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value)
         values ($1, 'FB_PAGE_1', 'new', 'cu', 99)`,
        [organizationId],
      )
      expect(await top(1)).toBe('new')
    },
  )

  test('a list that is evicted soon after it was built is not cached again for a second', async () => {
    const { watch, listReads } = watched(plain.context.database)
    const channels = await Promise.all([makeChannel(plain), makeChannel(plain)])
    for (const { tenant, channelId } of channels) await tenant.conversations(channelId, [{ id: 'a' }, { id: 'b' }])
    const readSnapshot = createSnapshotReader(plain.context.database)
    let now = 0
    const roomy = new AudienceCache(watch, { memoryBytesMax: ROOMY })
    let audiences = roomy
    const readsOf = async (index: number): Promise<number> => {
      const { tenant, channelId } = channels[index]!
      const channel = toChannelRef(tenant.organizationId, channelId)
      const before = listReads()
      const revision = await (await readSnapshot()).audienceRevision(channel)
      const { body } = await audiences.page(channel, firstPage(), revision, 'identity')
      expect(JSON.parse(body.toString()).total).toBe(2)
      return listReads() - before
    }
    await readsOf(0)
    const memoryBytesMax = roomy.memory().bytes * 1.5
    audiences = new AudienceCache(watch, { memoryBytesMax, clock: { now: () => now } })
    expect(await readsOf(0)).toBeGreaterThan(0)
    expect(await readsOf(0)).toBe(0)
    expect(await readsOf(1)).toBeGreaterThan(0)
    expect(audiences.memory().channels).toBe(1)
    // The first list is read from the database each time, and does not evict the second.
    for (let round = 0; round < 2; round++) expect(await readsOf(0)).toBeGreaterThan(0)
    expect(await readsOf(1)).toBe(0)
    now += 1_000
    expect(await readsOf(0)).toBeGreaterThan(0)
    expect(await readsOf(0)).toBe(0)
  })

  test('a list is refused if too many others wait, over HTTP with a 503 and a Retry-After', async () => {
    const { watch } = watched(plain.context.database)
    const { tenant, channelId, workspaces } = await makeChannel(plain)
    const audienceCache = new AudienceCache(watch, { memoryBytesMax: ROOMY })
    const node = await withLists(plain, audienceCache)
    const waiting = limit('listBuildsAtOnce') + limit('listBuildsWaitingOfOrganization')
    let release = (): void => {}
    const blocked = new Promise<void>((resolve) => {
      release = resolve
    })
    const readInSnapshot = watch.readInSnapshot
    watch.readInSnapshot = async (work) => {
      await blocked
      return await readInSnapshot(work)
    }
    const pages = Array.from({ length: waiting }, (_, n) =>
      audienceCache.page(
        toChannelRef(tenant.organizationId, `waiting-${n}`),
        firstPage(),
        { epoch: '', revision: 0 },
        'identity',
      ),
    )
    const path = `/vip-users?workspaceId=${workspaces[0]}&mediumId=${channelId}&scope=all`
    const reply = await tenant.on(node).get(503, path)
    expect(reply.headers).toMatchObject({ 'x-error-code': 'lists_busy', 'retry-after': '2' })
    release()
    await Promise.allSettled(pages)
    await tenant.on(node).get(200, path)
  })

  test('a list larger than the whole budget is still served', async () => {
    const channel = await makeChannel(plain)
    await channel.tenant.conversations(channel.channelId, [{ id: 'a', lifetime_value: 1 }, { id: 'b' }])
    const node = await startNode(plain, LIMITS, 100)
    const query: Query = { ...FIRST_PAGE, workspaceId: channel.workspaces[0], scope: 'all' }
    for (let round = 0; round < 2; round++) {
      expect(await readPage(node, channel, query)).toEqual(await askTables(channel, query))
      expect(node.context.audienceCache.memory()).toEqual({ channels: 0, bytes: 0 })
    }
  })

  test.runIf(inLongSuite())('a list is read in batches, and only as far as it fits', async () => {
    const { tenant, channelId } = await makeChannel(plain)
    await tenant.changeAudience(
      channelId,
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, lifetime_value)
       select $1, $2, 'c' || n, 'u', repeat('x', 20000), n from generate_series(1, 900) n`,
    )
    const { watch, listReads } = watched(plain.context.database)
    const readSnapshot = createSnapshotReader(plain.context.database)
    const channel = toChannelRef(tenant.organizationId, channelId)
    const revision = await (await readSnapshot()).audienceRevision(channel)
    const query = firstPage({ limit: 3, offset: 600 })
    const pages: unknown[] = []
    // The first batch has 500 rows and the next ones have 52, about 1 MiB each, so the whole list takes nine reads. With a
    // budget of 1 MiB, the first batch is already too large, and only the page is read after it.
    for (const [memoryBytesMax, reads] of [
      [ROOMY, 9],
      [1024 * 1024, 2],
    ] as const) {
      const before = listReads()
      const audiences = new AudienceCache(watch, { memoryBytesMax })
      const { body } = await audiences.page(channel, query, revision, 'identity')
      pages.push(JSON.parse(body.toString()))
      expect(listReads() - before).toBe(reads)
      expect(audiences.memory().bytes).toBeLessThanOrEqual(memoryBytesMax)
      await audiences.page(channel, query, revision, 'identity')
      expect(listReads() - before).toBe(memoryBytesMax === ROOMY ? reads : reads + 1)
    }
    expect(pages[1]).toEqual(pages[0])
    expect(pages[0]).toMatchObject({
      returned: 3,
      total: 900,
      nextOffset: 603,
      items: [{ conversationId: 'c300' }, {}, {}],
    })
  })
})
