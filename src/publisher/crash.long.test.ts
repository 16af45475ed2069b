import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  acceptedThenBadGatewayFault,
  accountLimitFault,
  badGatewayFault,
  type Fault,
  tokenExpiredFault,
} from '../../packages/sandbox/src/make-faults.js'
import type { SandboxPublication } from '../../packages/sandbox/src/publications.js'
import type { RecordedRequest } from '../../packages/sandbox/src/route.js'
import { runToEnd, withPoints } from '../../test/points.js'
import { readHistory } from '../../test/posts.js'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import type { AppContext } from '../context.js'
import type { ChannelType } from '../interface/generated/types.js'
import { createPublisher } from './publisher.js'

class Crash extends Error {}

/**
 * A publisher that dies at the given point, by number or name: nothing of it reaches the database or the platform
 * afterwards.
 */
function crashingPublisher(
  t: PublisherTest,
  at: number | RegExp,
): { tick(): Promise<void>; diedAt(): string | undefined } {
  let passed = 0
  const isThere = (name: string): boolean => (typeof at === 'number' ? passed++ === at : at.test(name))
  let diedAt: string | undefined
  const context = withPoints(t.context, (name) => {
    if (diedAt === undefined && isThere(name)) diedAt = name
    if (diedAt !== undefined) throw new Crash(`dead since ${diedAt}`)
  })
  return {
    async tick() {
      const publisher = createPublisher(context)
      await publisher.tick().catch((error) => {
        if (!(error instanceof Crash)) throw error
      })
      // Statements that it had already sent to the database still arrive there.
      await publisher.stop()
    },
    diedAt: () => diedAt,
  }
}

const publishedAs = (t: PublisherTest, caption: string): SandboxPublication[] =>
  t.sandbox.published.filter(({ text }) => text === caption)

const KINDS: [ChannelType, 'IMAGE' | 'VIDEO'][] = [
  ['FB_PAGE', 'IMAGE'],
  ['FB_PAGE', 'VIDEO'],
  ['INSTAGRAM_ACCOUNT', 'IMAGE'],
]

describe('a publisher that dies', () => {
  /** Lets a publisher of one post die there, and the next one continue. Returns where it died, and whether in the gap. */
  async function dieAt(
    t: PublisherTest,
    at: number | RegExp,
    post: { mediaType: 'IMAGE' | 'VIDEO'; channelId: string; caption: string },
  ): Promise<{ diedAt: string | undefined; isLost: boolean }> {
    const { mediaType, channelId, caption } = post
    const id = await t.post({ mediaType, channels: [{ channelId, caption }] })
    const publisher = crashingPublisher(t, at)
    await publisher.tick()
    // The only gap that cannot be closed: the call was about to be made, and was not.
    const isAttempted = (await t.publications(id))[0]?.attempted_at != null
    const isLost = isAttempted && publishedAs(t, caption).length === 0
    await t.runToEnd()

    const { status } = await t.read(id)
    const [publication] = await t.publications(id)
    const published = publishedAs(t, caption)
    const diedAt = publisher.diedAt()
    const where = `${diedAt}: ${publication?.error}`
    expect((await readHistory(t.tenant, id)).at(-1)!.toStatus).toBe(status)
    if (isLost) {
      expect([status, published], where).toEqual(['FAILED', []])
      expect(publication!.error).toMatch(/^It may have been published: .* Check there before you retry\.$/)
    } else {
      expect([status, published], where).toEqual(['PUBLISHED', [expect.objectContaining({ received: 1 })]])
      expect(publication!.external_id).toBe(published[0]!.id)
    }
    return { diedAt, isLost }
  }

  test.each(KINDS)(
    'at any point (%s, %s): the next one finishes the post, which is published once or not at all',
    async (type, mediaType) => {
      const t = await startPublisherTest()
      const channelId = await t.channel(type)
      let points = 0
      let lost = 0
      for (; ; points++) {
        const { diedAt, isLost } = await dieAt(t, points, { mediaType, channelId, caption: `Post ${points}` })
        if (diedAt === undefined) break
        if (isLost) lost++
      }
      expect(points).toBeGreaterThan(30)
      // This happens between storing the attempt and making the call, and nowhere else.
      expect(lost).toBeLessThan(points / 4)
    },
    120_000,
  )

  test.each(KINDS)('right before the call that publishes (%s, %s): the call is not made', async (type, mediaType) => {
    const t = await startPublisherTest()
    const channelId = await t.channel(type)
    const publishing = /^before POST .*\/(feed|videos|media_publish)$/
    const { diedAt, isLost } = await dieAt(t, publishing, { mediaType, channelId, caption: 'The gap' })
    expect(diedAt).toMatch(publishing)
    expect(isLost).toBe(true)
  })
})

describe('any combination of faults', () => {
  let t: PublisherTest
  beforeEach(async () => {
    t = await startPublisherTest()
  })

  const FAULTS: Record<string, () => Fault> = {
    reset: () => ({ kind: 'reset' }),
    html: badGatewayFault,
    lost: () => ({ kind: 'accepted-then-reset' }),
    'lost in HTML': acceptedThenBadGatewayFault,
    'lost halfway': () => ({ kind: 'reset-in-body' }),
    limit: () => accountLimitFault('1', 3, 'pages'),
    slow: () => ({ kind: 'processing', polls: 2 }),
    broken: () => ({ kind: 'processing', polls: 1, error: 'Broken' }),
    fine: () => ({ kind: 'headers', headers: {} }),
  }
  const walk = fc.record({
    posts: fc.array(
      fc.record({
        mediaType: fc.constantFrom('IMAGE' as const, 'VIDEO' as const),
        channels: fc.subarray([0, 1, 2], { minLength: 1 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    faults: fc.array(fc.constantFrom(...Object.keys(FAULTS)), { maxLength: 12 }),
    turns: fc.array(fc.record({ dieAt: fc.nat({ max: 90 }), passMs: fc.integer({ min: -600_000, max: 900_000 }) }), {
      maxLength: 6,
    }),
  })

  test('no post is published twice or lost, and its history is complete (random faults, deaths and leaps of the clock)', async () => {
    const types = ['FB_PAGE', 'FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const
    const channels = await Promise.all(types.map((type) => t.channel(type)))
    let runs = 0
    await fc.assert(
      fc.asyncProperty(walk, async ({ posts, faults, turns }) => {
        runs++
        const made: { id: string; caption: string }[] = []
        for (const [index, { mediaType, channels: chosen }] of posts.entries()) {
          const caption = `Walk ${runs}, post ${index}`
          const id = await t.post({
            mediaType,
            channels: chosen.map((channel) => ({ channelId: channels[channel]!, caption })),
          })
          made.push({ id, caption })
        }
        for (const name of faults) t.sandbox.faults.add({ fault: FAULTS[name]!() })
        for (const { dieAt, passMs } of turns) {
          await crashingPublisher(t, dieAt).tick()
          t.clock.advance(passMs)
        }
        t.sandbox.faults.clear()
        // The clock does not leap back before the posts' time, when they would not be due.
        t.clock.advance(3_600_000)
        await t.runToEnd()

        for (const { id, caption } of made) {
          const { status } = await t.read(id)
          const publications = await t.publications(id)
          for (const { channel_id, state, error } of publications) {
            const pageId = channel_id.replace(/^\D+/, '')
            const published = publishedAs(t, caption).filter((publication) => publication.pageId === pageId)
            expect(published.length).toBeLessThanOrEqual(1)
            if (state === 'PUBLISHED') expect([published.length, error]).toEqual([1, null])
            else expect([state, error]).toEqual(['FAILED', expect.stringMatching(/./)])
            if (state === 'FAILED' && published.length === 1) expect(error).toMatch(/Check there before you retry/)
          }
          const isPublished = publications.every(({ state }) => state === 'PUBLISHED')
          expect(status).toBe(isPublished ? 'PUBLISHED' : 'FAILED')
          expect((await readHistory(t.tenant, id)).at(-1)!.toStatus).toBe(status)
        }
      }),
      { numRuns: 40 },
    )
  }, 120_000)
})

describe('posts with the same text on one channel, and two publishers', () => {
  const CAPTION = 'The same'
  const FAULTS: Record<string, () => Fault> = {
    'not carried out': () => ({ kind: 'reset' }),
    'carried out, answer lost': () => ({ kind: 'accepted-then-reset' }),
    'carried out, HTML': acceptedThenBadGatewayFault,
    'token refused': tokenExpiredFault,
    slow: () => ({ kind: 'processing', polls: 2 }),
    fine: () => ({ kind: 'headers', headers: {} }),
    // A refused call may be repeated.
    limit: () => accountLimitFault('1', 3, 'pages'),
  }
  const fault = fc.constantFrom(...Object.keys(FAULTS))
  const walk = fc.record({
    mediaTypes: fc.array(fc.constantFrom('IMAGE' as const, 'VIDEO' as const, 'VIDEO' as const), {
      minLength: 2,
      maxLength: 5,
    }),
    channels: fc.subarray([0, 1], { minLength: 1 }),
    /** The numbers of calls that publish, and of all others. */
    publishing: fc.array(
      fault.filter((name) => name !== 'limit'),
      { minLength: 1, maxLength: 6 },
    ),
    others: fc.array(fault, { maxLength: 4 }),
    turns: fc.array(fc.record({ dieAt: fc.nat({ max: 150 }), passMs: fc.nat({ max: 200_000 }) }), { maxLength: 3 }),
  })

  test('no item belongs to two posts', async () => {
    const t = await startPublisherTest({ graph: { timeoutMs: 30_000 } })
    const contexts = await Promise.all([1, 2].map(async () => ({ ...t.context, database: await t.openAnother() })))
    let runs = 0
    let searches = 0
    await fc.assert(
      fc.asyncProperty(walk, async ({ mediaTypes, channels, publishing, others, turns }) => {
        runs++
        const channelIds = [await t.channel('FB_PAGE'), await t.channel('INSTAGRAM_ACCOUNT')]
        const ids: string[] = []
        for (const [index, mediaType] of mediaTypes.entries()) {
          ids.push(
            await t.post({
              media: mediaOf(index),
              mediaType,
              channels: channels.map((channel) => ({ channelId: channelIds[channel]!, caption: CAPTION })),
            }),
          )
        }
        const isPublishing = ({ method, path }: RecordedRequest): boolean =>
          method === 'POST' && /(feed|videos|media_publish)$/.test(path)
        for (const name of publishing) t.sandbox.faults.add({ match: isPublishing, fault: FAULTS[name]!() })
        for (const name of others)
          t.sandbox.faults.add({ match: (request) => !isPublishing(request), fault: FAULTS[name]!() })

        for (const { dieAt, passMs } of turns) {
          await Promise.all([crashingPublisher({ ...t, context: contexts[0]! }, dieAt).tick(), tick(contexts[1]!)])
          t.clock.advance(passMs)
        }
        await Promise.all(contexts.map(tick))
        t.sandbox.faults.clear()
        await runToEnd(contexts, t.clock)

        for (const channelId of channels.map((channel) => channelIds[channel]!)) {
          const published = t.sandbox.published.filter(({ pageId }) => channelId.endsWith(`_${pageId}`))
          expect(published.map(({ received }) => received)).toEqual(published.map(() => 1))
          const adopted: string[] = []
          for (const [index, id] of ids.entries()) {
            const { state, external_id, error } = (await t.publications(id)).find(
              (row) => row.channel_id === channelId,
            )!
            const items = published.filter(({ mediaUrl }) => mediaUrl === mediaOf(index))
            expect(items.length).toBeLessThanOrEqual(1)
            if (external_id !== null) adopted.push(external_id)
            // It is its own item, and no other.
            if (external_id !== null) expect(items.map((item) => item.id)).toEqual([external_id])
            if (state === 'PUBLISHED') expect([items.length, error]).toEqual([1, null])
            else if (items.length === 1) expect(error).toMatch(/Check there before you retry/)
            if (/may have been published/.test(error ?? '') || (state === 'PUBLISHED' && publishing.length > 1))
              searches++
          }
          expect(new Set(adopted).size).toBe(adopted.length)
        }
      }),
      { numRuns: 40 },
    )
    expect(searches).toBeGreaterThan(runs)
  }, 240_000)

  const mediaOf = (index: number): string => `https://cdn.example.com/${index}`
  const tick = (context: AppContext): Promise<void> => createPublisher(context).tick()
})
