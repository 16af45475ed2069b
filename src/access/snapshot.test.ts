import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Tenant, type TestApp } from '../../test/harness.js'
import { takeEmptyApp } from '../../test/test-app.js'
import { TEST_DATABASE_URL } from '../../test/test-database.js'
import type { Database } from '../database/database.js'
import type { ChannelRef } from '../http/snapshot.js'
import { createSnapshotReader, type ReadSnapshot, toChannelRef } from './snapshot.js'

let testApp: TestApp
let database: Database
let tenant: Tenant
let channel: ChannelRef

beforeAll(async () => {
  // Apps of other tests keep writing to the shared database.
  testApp = await takeEmptyApp({})
  database = testApp.context.database
})
beforeEach(async () => {
  tenant = await Tenant.create(testApp)
  channel = toChannelRef(tenant.organizationId, await tenant.channel([]))
})

const write = (id: string): Promise<void> => tenant.conversations(channel.channelId, [{ id }])
const addWorkspace = (): Promise<string> => tenant.workspace()

/** Wraps the database and records the channels of each select for revisions. */
function watch(): { watched: Database; asked: string[][] } {
  const asked: string[][] = []
  const watched: Database = {
    ...database,
    query: (text, values) => {
      asked.push([values![1]].flat().filter((id) => id !== null) as string[])
      return database.query(text, values)
    },
  }
  return { watched, asked }
}

const revisionOf = async (read: ReadSnapshot, of = channel): Promise<number> =>
  (await (await read()).audienceRevision(of)).revision

describe('the snapshot', () => {
  test('requests that wait together share one select for what they have in common, and one for the rest', async () => {
    await write('a')
    const { watched, asked } = watch()
    const read = createSnapshotReader(watched)
    const other = toChannelRef(tenant.organizationId, 'another')
    const all = [channel, other, channel, { ...channel }].map((of) => revisionOf(read, of))
    expect(await Promise.all(all)).toEqual([1, 0, 1, 1])
    const ofBoth = [channel.channelId, other.channelId]
    expect(asked).toEqual(database.engine === 'postgres' ? [[], ofBoth] : [[], ...ofBoth.map((id) => [id])])
  })

  test.runIf(TEST_DATABASE_URL !== undefined)(
    'PostgreSQL: one select serves the next request of a channel, until it drops out in favour of others',
    async () => {
      const { watched, asked } = watch()
      const read = createSnapshotReader(watched)
      await revisionOf(read)
      asked.length = 0
      await revisionOf(read)
      expect(asked).toEqual([[channel.channelId]])
      for (let time = 0; time < 3; time++) await read()
      expect(asked).toEqual(Array.from({ length: 4 }, () => [channel.channelId]))
      asked.length = 0
      const other = toChannelRef(tenant.organizationId, 'another')
      for (let time = 0; time < 2; time++) await revisionOf(read, other)
      expect(asked).toEqual([[channel.channelId], [channel.channelId, 'another'], ['another']])
    },
  )

  test('is never older than what was acknowledged before the request, even while a select is running', async () => {
    const read = createSnapshotReader(database)
    const early: Promise<number>[] = []
    for (let written = 1; written <= 20; written++) {
      early.push(revisionOf(read))
      if (written % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
      await write(`c${written}`)
      expect(await Promise.all([revisionOf(read), revisionOf(read)])).toEqual([written, written])
    }
    for (const [index, value] of (await Promise.all(early)).entries()) expect(value).toBeGreaterThanOrEqual(index)
  })

  test('loaded data stays valid while its organization does not change, whatever others do', async () => {
    const read = createSnapshotReader(database)
    let loads = 0
    const load = async (): Promise<number> => (loads += 1)
    const value = async (scope = tenant.organizationId): Promise<number> => {
      const cache = await (await read(scope)).cacheOf(scope)
      return await cache.getOrLoad(['x'], load)
    }
    expect([await value(), await value()]).toEqual([1, 1])
    await write('a')
    const other = await Tenant.create(testApp)
    await other.workspace()
    expect(await value()).toBe(1)
    expect(await value(other.organizationId)).toBe(2)
    await addWorkspace()
    expect([await value(), await value(other.organizationId)]).toEqual([3, 2])
  })

  test('data outside any organization is cached separately, and a change to it changes every scope', async () => {
    const read = createSnapshotReader(database)
    let loads = 0
    const load = async (): Promise<number> => (loads += 1)
    const value = async (scope: string): Promise<number> =>
      await (await (await read(scope)).cacheOf(scope)).getOrLoad(['x'], load)
    expect([await value(''), await value(tenant.organizationId)]).toEqual([1, 2])
    await addWorkspace()
    expect([await value(''), await value(tenant.organizationId)]).toEqual([1, 3])
    await database.execute("select count_access_change_of('')")
    expect([await value(''), await value(tenant.organizationId)]).toEqual([4, 5])
  })

  test.runIf(TEST_DATABASE_URL !== undefined)(
    'PostgreSQL: a select reads the requested organizations, once for all that wait together',
    async () => {
      const asked: unknown[] = []
      const read = createSnapshotReader({
        ...database,
        query: (text, values) => {
          asked.push([values![2]].flat())
          return database.query(text, values)
        },
      })
      await Promise.all(['a', 'b', 'a'].map(async (scope) => await (await read(scope)).cacheOf(scope)))
      for (let time = 0; time < 3; time++) await read()
      for (let time = 0; time < 2; time++) await read('c')
      expect(asked).toEqual([...Array.from({ length: 4 }, () => ['a', 'b']), ['a', 'b', 'c'], ['c']])
    },
  )

  test('one select at a time serves all waiting requests, and a second one is sent beside a slow one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const answers: (() => void)[] = []
      const { writes: _, ...rest } = database
      const read = createSnapshotReader({
        ...rest,
        query: (text, values) => new Promise((resolve) => answers.push(() => resolve(database.query(text, values)))),
      })
      const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
      const first = read()
      await soon()
      const others = [read(), read()]
      await soon()
      expect(answers).toHaveLength(1)
      vi.advanceTimersByTime(19)
      await soon()
      expect(answers).toHaveLength(1)
      vi.advanceTimersByTime(1)
      await soon()
      expect(answers).toHaveLength(2)
      // Beside the hanging select, each later one is answered as it comes; a third never runs at the same time.
      answers[1]!()
      await Promise.all(others)
      const next = read()
      await soon()
      expect(answers).toHaveLength(3)
      const last = read()
      vi.advanceTimersByTime(1_000)
      await soon()
      expect(answers).toHaveLength(3)
      for (const answer of answers) answer()
      await Promise.all([first, next])
      await soon()
      answers.at(-1)!()
      await last
      expect(answers).toHaveLength(4)
    } finally {
      vi.useRealTimers()
    }
  })

  test('a failed select fails only the requests that waited for it', async () => {
    let broken = true
    const read = createSnapshotReader({
      ...database,
      query: (text, values) => (broken ? Promise.reject(new Error('gone')) : database.query(text, values)),
    })
    const replies = await Promise.allSettled([revisionOf(read), revisionOf(read)])
    expect(replies.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    broken = false
    expect(await revisionOf(read)).toBe(0)
    const snapshot = await read()
    broken = true
    await expect(snapshot.audienceRevision(toChannelRef('org', 'new'))).rejects.toThrow('gone')
    broken = false
    expect(await snapshot.audienceRevision(toChannelRef('org', 'new'))).toMatchObject({ revision: 0 })
  })

  test.runIf(TEST_DATABASE_URL === undefined)(
    'embedded: nothing is read until the next write, and cached data needs no waiting',
    async () => {
      await write('a')
      const { watched, asked } = watch()
      const read = createSnapshotReader(watched)
      expect(await revisionOf(read)).toBe(1)
      for (let time = 0; time < 3; time++) expect(read()).toMatchObject({ audienceRevision: expect.any(Function) })
      const snapshot = await read()
      expect(snapshot.audienceRevision(channel)).toMatchObject({ revision: 1 })
      expect(asked).toHaveLength(2)
      await write('b')
      expect(await revisionOf(read)).toBe(2)
      expect(asked).toHaveLength(3)
    },
  )
})
