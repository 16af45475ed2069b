import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Fault, refusedFault } from '../../test/faults.js'
import { operatorCall } from '../../test/harness.js'
import { callAny, readHistory } from '../../test/posts.js'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { DatabaseUnavailableError } from '../database/database.js'
import type { Context } from '../http/context.js'
import {
  claimDuePost,
  countPostsByStatus,
  findOldestDueAt,
  finishPost,
  releasePost,
  savePublication,
} from '../posts/publications.store.js'
import { createPublisher, startPublisher } from './publisher.js'

let t: PublisherTest
beforeEach(async () => {
  t = await startPublisherTest({ graphTimeoutMs: 5_000 })
})

const HOUR_MS = 3_600_000
const dueIn = (ms: number): Date => new Date(t.clock.now() + ms)
const captions = (): string[] => t.sandbox.published.map(({ text }) => text).sort()
const finished = (): Record<string, unknown>[] =>
  t.logLines().filter(({ msg }) => msg === 'post published' || msg === 'post failed')

/** A promise and what fulfills it. */
function gate(): { opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Holds up the answer to the next such request, and tells when it has come. */
function holdUp(edge: RegExp, kind: 'slow' | 'accepted-then-slow'): { arrived: Promise<void>; release(): void } {
  const arrival = gate()
  const answer = gate()
  t.sandbox.faults.add({
    match({ path }) {
      if (!edge.test(path)) return false
      arrival.open()
      return true
    },
    fault: { kind, until: answer.opened },
  })
  return { arrived: arrival.opened, release: answer.open }
}

const KINDS = [
  ['FB_PAGE', 'IMAGE'],
  ['FB_PAGE', 'VIDEO'],
  ['FB_PAGE', undefined],
  ['INSTAGRAM_ACCOUNT', 'IMAGE'],
  ['INSTAGRAM_ACCOUNT', 'VIDEO'],
] as const

describe('a post whose time has come', () => {
  test.each(KINDS)('is published on %s with %s, and its history and the log say so', async (type, mediaType) => {
    const channelId = await t.channel(type)
    const id = await t.post({ mediaType, channels: [{ channelId, caption: 'Summer is here ☀️' }] })
    const delays: number[] = []
    t.clock.advance(1_500)
    await createPublisher(t.context, { onPublished: (delayMs) => delays.push(delayMs) }).tick()
    expect(await t.read(id)).toEqual({
      status: 'PUBLISHED',
      task_id: null,
      leased_by: null,
      leased_until: null,
      next_attempt_at: null,
      published_at: dueIn(0),
    })
    const [published, ...others] = t.sandbox.published
    expect(others).toEqual([])
    expect(published).toMatchObject({ text: 'Summer is here ☀️', mediaType: mediaType ?? 'IMAGE', received: 1 })
    const { id: externalId, permalink } = published!
    expect(await t.publications(id)).toEqual([
      expect.objectContaining({ state: 'PUBLISHED', external_id: externalId, permalink }),
    ])
    expect(delays).toEqual([1_500])

    const history = await readHistory(t.tenant, id)
    expect(history.map(({ action, actor, toStatus }) => [action, actor, toStatus])).toEqual([
      ['created', 'operator', 'SCHEDULED'],
      ['claimed', 'publisher', 'PUBLISHING'],
      ['published', 'publisher', 'PUBLISHED'],
    ])
    expect(history.at(-1)!.detail).toEqual({ channels: { [channelId]: { state: 'PUBLISHED', externalId, permalink } } })
    expect(finished()).toEqual([
      expect.objectContaining({
        organization: t.tenant.organizationId,
        post: id,
        status: 'PUBLISHED',
        channels: [{ channel: channelId, state: 'PUBLISHED', externalId }],
        delayMs: 1_500,
        upstreamMs: expect.any(Number),
        durationMs: expect.any(Number),
      }),
    ])
  })

  test('goes out at that time, not before, on all its channels', async () => {
    const channelIds = [await t.channel('FB_PAGE'), await t.channel('INSTAGRAM_ACCOUNT'), await t.channel('FB_PAGE')]
    const id = await t.post({
      scheduledFor: dueIn(60_000),
      channels: channelIds.map((channelId) => ({ channelId, caption: 'Hi' })),
    })
    const publisher = createPublisher(t.context)
    t.clock.advance(59_999)
    await publisher.tick()
    expect([(await t.read(id)).status, t.sandbox.published]).toEqual(['SCHEDULED', []])
    t.clock.advance(1)
    await publisher.tick()
    expect([(await t.read(id)).status, t.sandbox.published.length]).toEqual(['PUBLISHED', 3])
  })

  test('and no other: no draft, no post that waits for approval, no rejected, published or failed one', async () => {
    const channelId = await t.channel('FB_PAGE')
    for (const status of ['DRAFT', 'WAITING_FOR_APPROVAL', 'REJECTED', 'PUBLISHED', 'FAILED'] as const) {
      await t.post({ status, channels: [{ channelId, caption: status }] })
    }
    await createPublisher(t.context).tick()
    expect(t.sandbox.requests).toEqual([])
  })

  test('releases its hashtags when it ends', async () => {
    const channelId = await t.channel('FB_PAGE')
    const channels = [{ channelId, caption: 'Hi', superpower: { hashtag: '#summer' } }]
    await t.post({ channels })
    await expect(t.post({ channels })).rejects.toThrow('hashtag')
    await createPublisher(t.context).tick()
    await t.post({ channels })
  })
})

describe('a post that fails on some of its channels', () => {
  test('is FAILED on those alone, and a retry publishes on those alone', async () => {
    const [good, bad] = [await t.channel('FB_PAGE'), await t.channel('FB_PAGE')]
    const id = await t.post({ channels: [good, bad].map((channelId) => ({ channelId, caption: 'Hi' })) })
    const badId = bad.slice('FB_PAGE_'.length)
    t.sandbox.faults.add({ match: new RegExp(`${badId}/feed`), fault: refusedFault('Not this one.') })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    const { body } = await t.tenant.get(200, `/scheduled-posts/${id}`)
    expect([body.status, body.mediumsData[good].failedToPublish, body.mediumsData[bad].failedToPublish]).toEqual([
      'FAILED',
      false,
      true,
    ])
    expect((await readHistory(t.tenant, id)).at(-1)).toMatchObject({
      action: 'failed',
      detail: { channels: { [bad]: { state: 'FAILED', error: 'Not this one.' }, [good]: { state: 'PUBLISHED' } } },
    })
    expect(publisher.status()).toMatchObject({ claimed: 1, published: 0, failed: 1 })

    const path = `/organizations/${t.tenant.organizationId}/scheduled-posts/${id}/retry`
    await operatorCall(t, 200, 'POST', path, { body: { scheduledFor: dueIn(60_000).toISOString() } })
    const asked = t.sandbox.requests.length
    t.clock.advance(60_000)
    await publisher.tick()
    const after = await t.tenant.get(200, `/scheduled-posts/${id}`)
    expect([after.body.status, after.body.mediumsData[bad].failedToPublish]).toEqual(['PUBLISHED', false])
    const repeated = t.sandbox.requests.slice(asked)
    expect(repeated.length).toBeGreaterThan(0)
    expect(repeated.filter(({ path }) => !path.includes(badId))).toEqual([])
    expect(t.sandbox.published).toHaveLength(2)
    expect((await readHistory(t.tenant, id)).map(({ action }) => action)).toEqual([
      'created',
      'claimed',
      'failed',
      'retried',
      'claimed',
      'published',
    ])
  })
})

describe('a post that is late', () => {
  test('goes out up to the limit, and past it fails with that reason', async () => {
    const channelId = await t.channel('FB_PAGE')
    const inTime = await t.post({ scheduledFor: dueIn(-24 * HOUR_MS), channels: [{ channelId, caption: 'In time' }] })
    const late = await t.post({ scheduledFor: dueIn(-24 * HOUR_MS - 1), channels: [{ channelId, caption: 'Late' }] })
    const ancient = await t.post({ scheduledFor: new Date(0), channels: [{ channelId, caption: 'Ancient' }] })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    expect(captions()).toEqual(['In time'])
    expect((await t.read(inTime)).status).toBe('PUBLISHED')
    const error = 'It could not be published within 24 hours of its time.'
    for (const id of [late, ancient]) {
      const { body } = await t.tenant.get(200, `/scheduled-posts/${id}`)
      expect([body.status, body.mediumsData[channelId].failedToPublish]).toEqual(['FAILED', true])
      expect((await readHistory(t.tenant, id)).at(-1)).toMatchObject({
        action: 'failed',
        fromStatus: 'SCHEDULED',
        detail: { channels: { [channelId]: { state: 'FAILED', error } } },
      })
    }
    expect(publisher.status()).toMatchObject({ claimed: 1, published: 1, failed: 2 })
  })
})

describe('several publishers on one database', () => {
  test.each([2, 4])('%i of them publish each of 200 posts exactly once', async (count) => {
    // Hundreds of calls at once on a busy machine: none of them may run into a time-out, which is another test.
    t = await startPublisherTest({ graphTimeoutMs: 30_000 })
    const channelIds = await Promise.all(
      (['FB_PAGE', 'FB_PAGE', 'INSTAGRAM_ACCOUNT', 'FB_PAGE'] as const).map((type) =>
        t.channel(type, { quotaTotal: 1e6 }),
      ),
    )
    for (let index = 0; index < 200; index++) {
      await t.post({ channels: [{ channelId: channelIds[index % channelIds.length]!, caption: `Post ${index}` }] })
    }
    const publishers = await Promise.all(
      Array.from({ length: count }, async () => createPublisher({ ...t.context, database: await t.openAnother() })),
    )
    await Promise.all(publishers.map((publisher) => publisher.tick()))
    expect(t.sandbox.published.map(({ received }) => received)).toEqual(Array(200).fill(1))
    expect(new Set(captions()).size).toBe(200)
    expect(await countPostsByStatus(t.context.database)).toMatchObject({
      PUBLISHED: 200,
      PUBLISHING: 0,
      SCHEDULED: 0,
      FAILED: 0,
    })
    const shares = publishers.map((publisher) => publisher.status())
    expect(shares.reduce((sum, { claimed }) => sum + claimed, 0)).toBe(200)
    for (const { published } of shares) expect(published).toBeGreaterThan(0)
    expect(t.logLines().filter(({ msg }) => msg === 'another publisher has taken over a post')).toEqual([])
  }, 60_000)
})

describe('a lease that is lost in the middle of a step', () => {
  test('the next holder finds what the call has published, and the late answer changes nothing', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await t.post({ channels: [{ channelId, caption: 'Once' }] })
    const call = holdUp(/feed$/, 'accepted-then-slow')
    const first = createPublisher(t.context)
    const firstTick = first.tick()
    await call.arrived
    t.clock.advance(120_001)
    await createPublisher(t.context).tick()
    const after = [await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]
    expect((await t.read(id)).status).toBe('PUBLISHED')
    call.release()
    await firstTick
    expect([await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]).toEqual(after)
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
    expect(first.status()).toMatchObject({ claimed: 1, published: 0, failed: 0, running: 0 })
    expect(t.logLines().filter(({ msg }) => msg === 'another publisher has taken over a post')).toHaveLength(1)
    expect((await readHistory(t.tenant, id)).map(({ action }) => action)).toEqual([
      'created',
      'claimed',
      'claimed',
      'published',
    ])
  })

  test('a call that the platform carries out only after the lease was lost is found too', async () => {
    const channelId = await t.channel('INSTAGRAM_ACCOUNT')
    const id = await t.post({ channels: [{ channelId, caption: 'Late' }] })
    const call = holdUp(/media_publish$/, 'slow')
    const firstTick = createPublisher(t.context).tick()
    await call.arrived
    t.clock.advance(120_001)
    const second = createPublisher(t.context)
    await second.tick()
    expect([(await t.read(id)).status, t.sandbox.published]).toEqual(['PUBLISHING', []])
    call.release()
    await firstTick
    await t.runToEnd()
    expect((await t.read(id)).status).toBe('PUBLISHED')
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
  })

  test('before the call that publishes: only the next holder makes it', async () => {
    const channelId = await t.channel('FB_PAGE')
    await t.post({ channels: [{ channelId, caption: 'Once' }] })
    const call = holdUp(/photos$/, 'slow')
    const firstTick = createPublisher(t.context).tick()
    await call.arrived
    t.clock.advance(120_001)
    await createPublisher(t.context).tick()
    call.release()
    await firstTick
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
    expect(t.sandbox.requests.filter(({ path }) => path.endsWith('/feed'))).toHaveLength(1)
  })

  test('its own posts are not taken over by the publisher that still works on them', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await t.post({ channels: [{ channelId, caption: 'Once' }] })
    const call = holdUp(/feed$/, 'accepted-then-slow')
    const publisher = createPublisher(t.context)
    const ticked = publisher.tick()
    await call.arrived
    t.clock.advance(10 * HOUR_MS)
    await publisher.claimAll()
    expect(publisher.status().claimed).toBe(1)
    call.release()
    await ticked
    expect((await t.read(id)).status).toBe('PUBLISHED')
  })

  test('every write of a holder who lost it is refused, and changes nothing', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
    const { database } = t.context
    const claimAt = (now: Date) => claimDuePost(database, { now, leaseMs: 120_000, except: [], busyChannelIds: [] })
    const lost = (await claimAt(dueIn(0)))!
    expect(await claimAt(dueIn(119_999))).toBeUndefined()
    const held = (await claimAt(dueIn(120_000)))!
    const before = [await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]
    const [row] = lost.publications
    const writes = [
      () => savePublication(database, lost.lease, row!, { attempted_at: dueIn(0) }, dueIn(0)),
      () => releasePost(database, lost.lease, dueIn(0)),
      () => finishPost(database, lost.lease, [{ ...row!, state: 'PUBLISHED' }], dueIn(0)),
    ]
    for (const write of writes) await expect(write()).rejects.toThrow('is lost')
    expect([await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]).toEqual(before)
    await savePublication(database, held.lease, held.publications[0]!, { container_id: '7' }, dueIn(0))
    expect((await t.publications(id))[0]!.container_id).toBe('7')
  })
})

describe('a change that races the claim', () => {
  const RACES = 12

  test.each([
    ['an edit', 'PATCH', '', { channels: {} as Record<string, unknown> }],
    ['a revert', 'POST', '/revert', undefined],
    ['a deletion', 'DELETE', '', undefined],
  ] as const)('%s wins or is refused, and nothing between', async (_, method, action, body) => {
    const channelId = await t.channel('FB_PAGE')
    const ids: string[] = []
    for (let index = 0; index < RACES; index++) {
      // The time of the edit must lie ahead; the publisher's clock is past it.
      ids.push(await t.post({ scheduledFor: dueIn(1), channels: [{ channelId, caption: `Old ${index}` }] }))
    }
    const ahead: Context = { ...t.context, clock: { now: () => t.clock.now() + 1 } }
    const edits = ids.map((id, index) => {
      const edit = { channels: { [channelId]: { caption: `New ${index}` } } }
      return callAny(t.tenant, method, `/scheduled-posts/${id}${action}`, {
        body: body === undefined ? undefined : edit,
      })
    })
    const [replies] = await Promise.all([Promise.all(edits), createPublisher(ahead).tick()])
    t.clock.advance(1)
    await createPublisher(t.context).tick()
    for (const [index, id] of ids.entries()) {
      const { status } = replies[index]!
      const published = captions().filter((text) => text.endsWith(` ${index}`))
      expect([200, 400]).toContain(status)
      if (status === 400) expect(published).toEqual([`Old ${index}`])
      // Another text waits for its own approval.
      else expect(published).toEqual([])
      await readHistory(t.tenant, id)
    }
  })
})

describe('many posts at once', () => {
  test('a channel that does not answer holds up no other', async () => {
    const [slow, good] = [await t.channel('FB_PAGE'), await t.channel('FB_PAGE')]
    for (let index = 0; index < 40; index++) {
      await t.post({ scheduledFor: dueIn(-60_000), channels: [{ channelId: slow, caption: `Slow ${index}` }] })
    }
    const ids = [await t.post({ channels: [{ channelId: good, caption: 'Good' }] })]
    const answer = gate()
    const fault: Fault = { kind: 'slow', until: answer.opened }
    t.sandbox.faults.add({ match: ({ path }) => path.includes(slow.slice(8)), times: 4, fault })
    const publisher = createPublisher(t.context)
    const ticked = publisher.tick()
    await vi.waitFor(async () => expect((await t.read(ids[0]!)).status).toBe('PUBLISHED'), { interval: 5 })
    expect(captions()).toEqual(['Good'])
    answer.open()
    await ticked
    expect(t.sandbox.published).toHaveLength(41)
  })
})

describe('a clock that leaps', () => {
  test('back: what was begun goes on, and nothing is published twice', async () => {
    const channelId = await t.channel('FB_PAGE')
    const call = holdUp(/feed$/, 'accepted-then-slow')
    const held = await t.post({ channels: [{ channelId, caption: 'Held' }] })
    const first = createPublisher(t.context).tick()
    await call.arrived
    t.sandbox.faults.add({ match: /photos$/, fault: { kind: 'reset' } })
    const waiting = await t.post({ channels: [{ channelId, caption: 'Waiting' }] })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    expect((await t.read(waiting)).next_attempt_at).not.toBeNull()

    t.clock.advance(-365 * 24 * HOUR_MS)
    await publisher.tick()
    expect((await t.read(waiting)).status).toBe('PUBLISHED')
    call.release()
    await first
    t.clock.advance(365 * 24 * HOUR_MS)
    await t.runToEnd()
    expect((await t.read(held)).status).toBe('PUBLISHED')
    expect(captions()).toEqual(['Held', 'Waiting'])
    expect(t.sandbox.published.map(({ received }) => received)).toEqual([1, 1])
  })

  test('forward within the limit: posts go out; beyond it, by the clock they are too late', async () => {
    const channelId = await t.channel('FB_PAGE')
    await t.post({ scheduledFor: dueIn(HOUR_MS), channels: [{ channelId, caption: 'Soon' }] })
    const later = await t.post({ scheduledFor: dueIn(30 * HOUR_MS), channels: [{ channelId, caption: 'Later' }] })
    t.clock.advance(20 * HOUR_MS)
    const publisher = createPublisher(t.context)
    await publisher.tick()
    expect(captions()).toEqual(['Soon'])
    t.clock.advance(35 * HOUR_MS)
    await publisher.tick()
    expect((await t.read(later)).status).toBe('FAILED')
  })
})

/** A database that is out of reach while told so. */
function unreliable(context: Context): { context: Context; setGone(gone: boolean): void } {
  let isGone = false
  const check = (): void => {
    if (isGone) throw new DatabaseUnavailableError(new Error('gone'))
  }
  const { database } = context
  return {
    context: {
      ...context,
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
    setGone(gone) {
      isGone = gone
    },
  }
}

describe('the loop', () => {
  /** A wait that ends when the test says so. */
  function turns(): { wait(ms: number, signal?: AbortSignal): Promise<void>; waits: number[]; next(): Promise<void> } {
    const waits: number[] = []
    let wake = (): void => {}
    return {
      waits,
      wait(ms, signal) {
        waits.push(ms)
        return new Promise((resolve, reject) => {
          wake = resolve
          signal?.addEventListener('abort', () => reject(signal.reason))
        })
      },
      async next() {
        const before = waits.length
        wake()
        await vi.waitFor(() => expect(waits.length).toBeGreaterThan(before), { interval: 1 })
      },
    }
  }

  test('outlives a database that is gone for a while, and goes on where it was', async () => {
    const channelId = await t.channel('FB_PAGE')
    const { context, setGone } = unreliable(t.context)
    const { wait, waits, next } = turns()
    const call = holdUp(/photos$/, 'slow')
    const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
    const publisher = startPublisher(context, { wait })
    await call.arrived
    setGone(true)
    call.release()
    await vi.waitFor(() => expect(publisher.status().running).toBe(0), { interval: 1 })
    // The round that the end of that work has begun, and one more.
    await next()
    await next()
    const { lastTickAt } = publisher.status()
    t.clock.advance(60_000)
    await next()
    expect(publisher.status().lastTickAt).toEqual(lastTickAt)
    expect(t.logLines().filter(({ msg }) => msg === 'the publisher cannot tell what is due').length).toBeGreaterThan(0)
    setGone(false)
    t.clock.advance(60_001)
    await next()
    await vi.waitFor(async () => expect((await t.read(id)).status).toBe('PUBLISHED'), { interval: 5 })
    expect(publisher.status().lastTickAt).toEqual(dueIn(0))
    expect(new Set(waits)).toEqual(new Set([1_000]))
    await publisher.stop()
    expect(t.sandbox.published).toHaveLength(1)
  })

  test('a stop lets go of the posts at once: what is being read is cut, what is being sent is waited for', async () => {
    const [reading, sending] = [await t.channel('INSTAGRAM_ACCOUNT'), await t.channel('FB_PAGE')]
    const read = holdUp(/content_publishing_limit$/, 'slow')
    const sent = holdUp(/photos$/, 'slow')
    const ids = [
      await t.post({ channels: [{ channelId: reading, caption: 'Reading' }] }),
      await t.post({ channels: [{ channelId: sending, caption: 'Sending' }] }),
    ]
    const publisher = startPublisher(t.context, { wait: turns().wait })
    await Promise.all([read.arrived, sent.arrived])
    const stopped = publisher.stop()
    sent.release()
    await stopped
    for (const id of ids) expect(await t.read(id)).toMatchObject({ status: 'PUBLISHING', leased_by: null })
    expect((await t.publications(ids[1]!))[0]!.container_id).not.toBeNull()
    expect(t.logLines().filter(({ level }) => Number(level) >= 50)).toEqual([])
    expect(publisher.status()).toMatchObject({ running: 0, published: 0 })
    read.release()
    await createPublisher(t.context).tick()
    expect(captions()).toEqual(['Reading', 'Sending'])
  })

  test('looks for due posts again and again, and stops when told', async () => {
    const channelId = await t.channel('FB_PAGE')
    const { wait, waits, next } = turns()
    const publisher = startPublisher(t.context, { wait })
    await vi.waitFor(() => expect(waits).toHaveLength(1), { interval: 1 })
    const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
    await next()
    await vi.waitFor(async () => expect((await t.read(id)).status).toBe('PUBLISHED'), { interval: 5 })
    await publisher.stop()
    const after = await t.post({ channels: [{ channelId, caption: 'After' }] })
    await publisher.tick()
    expect((await t.read(after)).status).toBe('SCHEDULED')
  })
})

test('the statistics tell the oldest post that is due and how many posts there are by status', async () => {
  const channelId = await t.channel('FB_PAGE')
  const { database } = t.context
  expect(await findOldestDueAt(database, dueIn(0))).toBeUndefined()
  expect(await countPostsByStatus(database)).toEqual({
    DRAFT: 0,
    WAITING_FOR_APPROVAL: 0,
    REJECTED: 0,
    SCHEDULED: 0,
    PUBLISHING: 0,
    PUBLISHED: 0,
    FAILED: 0,
  })
  const channels = [{ channelId, caption: 'Hi' }]
  await t.post({ status: 'DRAFT', scheduledFor: dueIn(-9_000), channels })
  await t.post({ scheduledFor: dueIn(-5_000), channels })
  await t.post({ scheduledFor: dueIn(-3_000), channels })
  await t.post({ scheduledFor: dueIn(1), channels })
  expect(await findOldestDueAt(database, dueIn(0))).toEqual(dueIn(-5_000))
  expect(await countPostsByStatus(database)).toMatchObject({ DRAFT: 1, SCHEDULED: 3 })
})
