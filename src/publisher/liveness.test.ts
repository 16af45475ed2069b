import { beforeEach, describe, expect, test, vi } from 'vitest'
import { gate } from '../../test/gate.js'
import { readHistory } from '../../test/posts.js'
import { holdUp, type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import type { AppContext } from '../context.js'
import { DatabaseUnavailableError } from '../database/database.js'
import type { Wait } from '../lib/wait.js'
import { beatHolder, endSilentHolder, insertHolder, listHolders } from '../work/holders.store.js'
import { createLiveness, createLoneLiveness } from '../work/liveness.js'
import { endLeases } from './claims.store.js'
import { createPublisher } from './publisher.js'

let t: PublisherTest
let channelId: string
beforeEach(async () => {
  t = await startPublisherTest({ graph: { timeoutMs: 30_000 } })
  channelId = await t.channel('FB_PAGE')
})

const due = (caption: string): Promise<string> => t.post({ channels: [{ channelId, caption }] })
const status = async (id: string): Promise<string> => (await t.read(id)).status
const captions = (): string[] => t.sandbox.published.map(({ text }) => text)

/** The context of a process that is stopped right after it has stored that it is about to make the publishing call. */
function stoppedBeforeCall(context: AppContext): { context: AppContext; stopped: Promise<void>; resume(): void } {
  const [arrival, end] = [gate(), gate()]
  const { database } = context
  const query: typeof database.query = async (text, values) => {
    const result = await database.query(text, values)
    const isAttempt = text.includes('update publications') && values?.[7] instanceof Date && values[10] === null
    if (isAttempt) {
      arrival.open()
      await end.opened
    }
    return result as never
  }
  return { context: { ...context, database: { ...database, query } }, stopped: arrival.opened, resume: end.open }
}

/** Runs another publisher, a round a second, until the condition is true. Returns the seconds that it took. */
async function secondsUntil(holds: () => Promise<boolean>): Promise<number> {
  const publisher = createPublisher(t.context)
  for (let second = 0; second <= 60; second++) {
    await publisher.tick()
    if (await holds()) return second
    t.clock.advance(1_000)
  }
  throw new Error('it does not happen within a minute')
}

describe('a publisher that stopped responding', () => {
  test.each([
    ['before its call', /photos$/, 'slow'],
    ['after its call', /feed$/, 'accepted-then-slow'],
  ] as const)('%s: its post is taken over within 15 seconds, and published once', async (_, edge, kind) => {
    const id = await due('Once')
    const call = holdUp(t, edge, kind)
    const killed = createPublisher(t.context).tick()
    await call.arrived
    const seconds = await secondsUntil(async () => (await status(id)) === 'PUBLISHED')
    expect(seconds).toBeGreaterThanOrEqual(9)
    expect(seconds).toBeLessThanOrEqual(15)
    const after = [await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]
    expect((await readHistory(t.tenant, id)).map(({ action }) => action)).toEqual([
      'created',
      'claimed',
      'claimed',
      'published',
    ])
    expect(t.logLines().filter(({ msg }) => /stopped responding/.test(String(msg)))).toHaveLength(1)
    // Its late response changes nothing.
    call.release()
    await killed
    expect([await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]).toEqual(after)
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
  })

  test('all of several posts are taken over, and none of another publisher', async () => {
    const calls = [holdUp(t, /photos$/, 'slow'), holdUp(t, /photos$/, 'slow'), holdUp(t, /photos$/, 'slow')]
    const ids = [await due('1'), await due('2')]
    const killed = createPublisher(t.context)
    const killedTick = killed.tick()
    await Promise.all(calls.slice(0, 2).map(({ arrived }) => arrived))
    const living = createPublisher(t.context)
    const other = await due('3')
    const livingTick = living.tick()
    await calls[2]!.arrived
    await secondsUntil(async () => {
      await living.keepAlive()
      return (await status(ids[0]!)) === 'PUBLISHED' && (await status(ids[1]!)) === 'PUBLISHED'
    })
    for (let second = 0; second < 40; second++) {
      t.clock.advance(1_000)
      await living.keepAlive()
      await createPublisher(t.context).tick()
    }
    expect(await status(other)).toBe('PUBLISHING')
    for (const { release } of calls) release()
    await Promise.all([killedTick, livingTick])
    expect(await status(other)).toBe('PUBLISHED')
    expect(captions().toSorted()).toEqual(['1', '2', '3'])
  })
})

describe('a publisher that was paused right before the call that publishes', () => {
  test('and was taken over makes no call, and saves nothing', async () => {
    const id = await due('Once')
    const { context, stopped, resume } = stoppedBeforeCall(t.context)
    const first = createPublisher(context)
    const firstTick = first.tick()
    await stopped
    const isTakenOver = async (): Promise<boolean> => (await readHistory(t.tenant, id)).length >= 3
    expect(await secondsUntil(isTakenOver)).toBeLessThanOrEqual(15)
    // It returns and reports that it is alive before it continues.
    await first.keepAlive()
    const after = [await t.read(id), await t.publications(id)]
    resume()
    await firstTick
    expect([await t.read(id), await t.publications(id)]).toEqual(after)
    expect(t.logLines().filter(({ msg }) => msg === 'another publisher has taken over a post')).toHaveLength(1)
    const calls = t.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/feed'))
    expect(calls).toEqual([])
    await t.runToEnd()
    expect([await status(id), captions()]).toEqual(['FAILED', []])
  })

  test('and was not taken over withdraws its mark, and the post is published once', async () => {
    const id = await due('Once')
    const { context, stopped, resume } = stoppedBeforeCall(t.context)
    const firstTick = createPublisher(context).tick()
    await stopped
    t.clock.advance(30_000)
    resume()
    await firstTick
    expect(captions()).toEqual([])
    expect((await t.publications(id))[0]).toMatchObject({ attempted_at: null, state: 'PENDING' })
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHING', leased_by: null })
    await t.runToEnd()
    expect(await status(id)).toBe('PUBLISHED')
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
  })
})

describe('a database that is unavailable for a moment', () => {
  /** The context of a process whose database is unavailable for this long, by the clock, which its waits move. */
  function withBlip(): { context: AppContext; retryWait: Wait; begin(ms: number): void } {
    let backAt = 0
    const { database } = t.context
    const check = (): void => {
      if (t.clock.now() < backAt) throw new DatabaseUnavailableError(new Error('gone'))
    }
    return {
      context: {
        ...t.context,
        database: {
          ...database,
          async query(...args) {
            check()
            return await database.query(...args)
          },
          async transaction(work) {
            check()
            return await database.transaction(work)
          },
        },
      },
      retryWait: async (ms) => t.clock.advance(ms),
      begin(ms) {
        backAt = t.clock.now() + ms
      },
    }
  }

  test.each([
    ['before the call that publishes', /photos$/],
    ['during the call that publishes', /feed$/],
    ['after it', /^\/\d+_\d+$/],
  ])('%s, for 3 seconds: the post is published seconds later, once', async (_, edge) => {
    const id = await due('Once')
    const call = holdUp(t, edge, 'accepted-then-slow')
    const { context, retryWait, begin } = withBlip()
    const startedAt = t.clock.now()
    const publisher = createPublisher(context, { retryWait })
    const ticked = publisher.tick()
    await call.arrived
    begin(3_000)
    call.release()
    await ticked
    expect(await status(id)).toBe('PUBLISHED')
    expect(t.clock.now() - startedAt).toBeGreaterThanOrEqual(3_000)
    expect(t.clock.now() - startedAt).toBeLessThan(6_000)
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
    expect(publisher.status()).toMatchObject({ claimed: 1, published: 1 })
  })

  test('for longer than the lease: the work ends, and the next claim continues from the stored state', async () => {
    const id = await due('Once')
    const call = holdUp(t, /photos$/, 'slow')
    const { context, retryWait, begin } = withBlip()
    const publisher = createPublisher(context, { retryWait })
    const ticked = publisher.tick().catch(() => {})
    await call.arrived
    begin(200_000)
    call.release()
    await vi.waitFor(() => expect(publisher.status().running).toBe(0), { interval: 1 })
    await ticked
    expect(t.logLines().filter(({ msg }) => msg === 'work on a post was interrupted: no database')).toHaveLength(1)
    t.clock.advance(200_000)
    await createPublisher(t.context).tick()
    expect([await status(id), captions()]).toEqual(['PUBLISHED', ['Once']])
  })
})

describe('heartbeats', () => {
  test('are judged by beats, not by clocks: another process that beats is alive, whatever its clock', async () => {
    const { database } = t.context
    await insertHolder(database, 'publishing', 'publisher_other')
    const liveness = createLiveness(t.context, endLeases)
    for (let second = 0; second < 30; second++) {
      expect(await liveness.keepAlive()).toEqual([])
      t.clock.advance(1_000)
      if (second % 5 === 0) await beatHolder(database, 'publisher_other')
    }
    const ended: string[] = []
    for (let second = 0; second < 15; second++) {
      ended.push(...(await liveness.keepAlive()))
      t.clock.advance(1_000)
    }
    expect(ended).toEqual(['publisher_other'])
  })

  test('a pause of the observer says nothing about the others', async () => {
    await insertHolder(t.context.database, 'publishing', 'publisher_other')
    const liveness = createLiveness(t.context, endLeases)
    for (const pauseMs of [0, 60_000, 60_000, -60_000, 60_000]) {
      t.clock.advance(pauseMs)
      expect(await liveness.keepAlive()).toEqual([])
    }
  })

  test('a process that has beaten since it was observed is not ended', async () => {
    const { database } = t.context
    await insertHolder(database, 'publishing', 'publisher_other')
    const [seen] = await listHolders(database, 'publishing')
    await beatHolder(database, 'publisher_other')
    expect(await endSilentHolder(database, seen!, endLeases)).toBe(false)
    expect(await endSilentHolder(database, { ...seen!, beats: 1 }, endLeases)).toBe(true)
    expect(await endSilentHolder(database, { ...seen!, beats: 1 }, endLeases)).toBe(false)
  })

  test('a process found dead claims with another id, and holds nothing with the old one', async () => {
    const { database } = t.context
    const liveness = createLiveness(t.context, endLeases)
    const id = await liveness.requireId()
    expect(liveness.isLive(id)).toBe(true)
    t.clock.advance(6_999)
    expect(liveness.isLive(id)).toBe(true)
    t.clock.advance(1)
    expect(liveness.isLive(id)).toBe(false)
    // No other found it dead, so it is still alive.
    expect(await liveness.requireId()).toBe(id)
    expect(liveness.isLive(id)).toBe(true)
    await database.query('delete from publishers where publisher_id = $1', [id])
    t.clock.advance(7_000)
    const next = await liveness.requireId()
    expect(next).not.toBe(id)
    expect([liveness.isLive(id), liveness.isLive(next)]).toEqual([false, true])
    await liveness.end()
    expect(await listHolders(database, 'publishing')).toEqual([])
  })

  test("the only process of a database takes over its predecessor's work at once", async () => {
    const id = await due('Once')
    const call = holdUp(t, /photos$/, 'slow')
    const killed = createPublisher(t.context).tick()
    await call.arrived
    await createPublisher(t.context, {}, createLoneLiveness(t.context, endLeases)).tick()
    expect([await status(id), captions()]).toEqual(['PUBLISHED', ['Once']])
    call.release()
    await killed
    expect(captions()).toEqual(['Once'])
  })

  test('the only process of a database is visible too, before there is a post, and until it ends', async () => {
    const { database } = t.context
    const lone = createLoneLiveness(t.context, endLeases)
    expect(await lone.keepAlive()).toEqual([])
    const holder = { publisher_id: await lone.requireId(), beats: 0 }
    expect(await listHolders(database, 'publishing')).toEqual([holder])
    await lone.keepAlive()
    expect(await listHolders(database, 'publishing')).toEqual([holder])
    await lone.end()
    expect(await listHolders(database, 'publishing')).toEqual([])
  })
})
