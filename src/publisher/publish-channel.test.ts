import { type AddressInfo, createServer } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  acceptedThenBadGatewayFault,
  accountLimitFault,
  badGatewayFault,
  type Fault,
  tokenExpiredFault,
} from '../../packages/sandbox/src/make-faults.js'
import type { RecordedRequest } from '../../packages/sandbox/src/route.js'
import { withConfig } from '../../test/config.js'
import { operatorCall } from '../../test/harness.js'
import { impatiently } from '../../test/patience.js'
import { runToEnd } from '../../test/points.js'
import { readHistory } from '../../test/posts.js'
import { holdUp, type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { findChannelToken, setChannelToken } from '../channels/channels.store.js'
import { createGraphClient } from '../graph/graph-client.js'
import { createContainer, publishContainer } from '../networks/instagram/publishing.js'
import { toChannelTarget } from '../networks/target.js'
import type { PublicationRow } from './publications.store.js'
import { nextStep, type Step } from './publish-channel.js'
import { createPublisher } from './publisher.js'

const NOW = new Date('2026-11-20T09:00:00.000Z')

/**
 * Starts a server that ends every connection before TLS is negotiated, as a proxy in between may, until the test ends. It
 * reads first, so that each client sees the same end of its connection: ECONNRESET.
 */
async function portWithoutTls(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const minutes = (count: number): Date => new Date(NOW.getTime() + count * 60_000)

describe('the next step on a channel', () => {
  const PENDING: PublicationRow = {
    channel_id: 'FB_PAGE_1',
    state: 'PENDING',
    container_id: null,
    attempted_at: null,
    platform_attempted_at: null,
    text_digest: null,
    external_id: null,
    permalink: null,
    attempts: 0,
    next_attempt_at: null,
    error: null,
    wait_reason: null,
    media_failures: 0,
    renewed_at: null,
  }
  const attempted = { container_id: '1', attempted_at: minutes(-1) }
  const cases: [string, Partial<PublicationRow>, Step][] = [
    ['nothing is done yet', {}, 'prepare'],
    ['it is prepared', { container_id: '1' }, 'publish'],
    ['the call may have gone through', attempted, 'find'],
    ['the call has gone through', { ...attempted, external_id: '2' }, 'confirm'],
    ['it is out', { ...attempted, external_id: '2', state: 'PUBLISHED' }, 'none'],
    ['it has failed', { error: 'No.', state: 'FAILED' }, 'none'],
    ['it has failed after the call', { ...attempted, state: 'FAILED' }, 'none'],
    ['it waits', { next_attempt_at: minutes(1) }, 'none'],
    ['it waits after the call', { ...attempted, next_attempt_at: minutes(1) }, 'none'],
    ['the wait is over', { next_attempt_at: NOW }, 'prepare'],
    ['a clock that was ahead has put it off by a year', { next_attempt_at: minutes(525_600) }, 'prepare'],
  ]
  test.each(cases)('%s', (_, row, step) => {
    expect(nextStep({ ...PENDING, ...row }, { prepare: async () => ({ is: 'prepared', id: '1' }) }, NOW, NOW)).toBe(
      step,
    )
  })

  test('if nothing must be prepared, publishing comes first', () => {
    expect(nextStep(PENDING, {}, NOW, NOW)).toBe('publish')
  })

  test('too late: unattempted channels are abandoned, and nothing else', () => {
    const steps = cases.map(([, row]) => nextStep({ ...PENDING, ...row }, {}, minutes(-1), NOW))
    const expected = cases.map(([, , step]) => (step === 'prepare' || step === 'publish' ? 'give-up' : step))
    expect(steps).toEqual(expected)
  })
})

describe('a channel of a due post', () => {
  let t: PublisherTest
  beforeEach(async () => {
    t = await startPublisherTest()
  })

  /** A publisher that waits exactly as long as stated. */
  const exactPublisher = () => createPublisher(t.context, { jitter: (ms) => ms })
  const waitSeconds = async (id: string): Promise<number> =>
    ((await t.read(id)).next_attempt_at!.getTime() - t.clock.now()) / 1000

  describe('waiting', () => {
    test.each([
      // The first step is a POST of the video or the photo; for Instagram it is a GET of the quota, which is not watched.
      ['FB_PAGE', 'VIDEO', 'no connection: ECONNRESET'],
      ['FB_PAGE', 'IMAGE', 'no connection: ECONNRESET'],
      ['INSTAGRAM_ACCOUNT', 'IMAGE', 'no whole response: ECONNRESET'],
    ] as const)('an unreachable platform published nothing: the post waits (%s, %s: %s)', async (type, mediaType, error) => {
      const channelId = await t.channel(type)
      const id = await t.post({ mediaType, channels: [{ channelId, caption: 'Hi' }] })
      const graphBaseUrl = `https://127.0.0.1:${await portWithoutTls()}`
      const config = { ...t.context.config.graph, baseUrl: graphBaseUrl, timeoutMs: 10_000 }
      const graph = createGraphClient(config, { ...t.context, wait: async () => {} })
      const publisher = createPublisher({ ...t.context, graph })
      for (let hour = 0; hour < 3; hour++) {
        await publisher.tick()
        expect(await t.publications(id)).toMatchObject([{ state: 'PENDING', attempted_at: null, error }])
        t.clock.advance(3_600_000)
      }
      await t.runToEnd()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
    })

    test('temporary failures are postponed longer and longer, without a lease, with a reason', async () => {
      const channelId = await t.channel('FB_PAGE')
      const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
      t.sandbox.faults.add({ match: /photos$/, times: 5, fault: badGatewayFault() })
      const publisher = exactPublisher()
      for (const seconds of [10, 30, 120, 300, 300]) {
        await publisher.tick()
        expect(await t.read(id)).toMatchObject({ status: 'PUBLISHING', leased_by: null })
        expect(await waitSeconds(id)).toBe(seconds)
        expect((await t.publications(id))[0]!.error).toBeTruthy()
        const asked = t.sandbox.requests.length
        t.clock.advance(seconds * 1000 - 1)
        await publisher.tick()
        expect(t.sandbox.requests).toHaveLength(asked)
        t.clock.advance(1)
      }
      await publisher.tick()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      // There is one entry for the reason of the wait, however many attempts it takes.
      const actions = (await readHistory(t.tenant, id)).map(({ action }) => action)
      expect(actions).toEqual(['created', 'claimed', 'waits', 'published'])
    })

    test('posts postponed together do not return together', async () => {
      const channelId = await t.channel('FB_PAGE')
      const ids = [
        await t.post({ channels: [{ channelId, caption: '1' }] }),
        await t.post({ channels: [{ channelId, caption: '2' }] }),
      ]
      t.sandbox.faults.add({ match: /photos$/, times: 2, fault: badGatewayFault() })
      await createPublisher(t.context).tick()
      const waits = await Promise.all(ids.map(waitSeconds))
      expect(waits[0]).not.toBe(waits[1])
      for (const seconds of waits) expect(seconds).toSatisfy((wait: number) => wait >= 10 && wait <= 12)
    })

    test('a rate limit delays only what it applies to', async () => {
      const [limited, free] = [await t.channel('FB_PAGE'), await t.channel('FB_PAGE')]
      const id = await t.post({
        channels: [limited, free].map((channelId) => ({ channelId, caption: 'Hi' })),
      })
      const pageId = limited.slice('FB_PAGE_'.length)
      t.sandbox.faults.add({ match: new RegExp(`${pageId}/feed`), fault: accountLimitFault(pageId, 7, 'pages') })
      const publisher = exactPublisher()
      await publisher.tick()
      expect(await waitSeconds(id)).toBe(420)
      expect((await t.publications(id)).map(({ state }) => state).sort()).toEqual(['PENDING', 'PUBLISHED'])
      t.clock.advance(420_000)
      await publisher.tick()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect(t.sandbox.published).toHaveLength(2)
    })

    test('an Instagram account without quota waits until it has some', async () => {
      const channelId = await t.channel('INSTAGRAM_ACCOUNT', { quotaTotal: 1 })
      const first = await t.post({ channels: [{ channelId, caption: 'First' }] })
      const publisher = exactPublisher()
      await publisher.tick()
      const second = await t.post({ channels: [{ channelId, caption: 'Second' }] })
      await publisher.tick()
      expect(await t.read(first)).toMatchObject({ status: 'PUBLISHED' })
      expect(await waitSeconds(second)).toBe(900)
      expect((await t.publications(second))[0]!.error).toBe('The account has used its quota of 1 posts a day.')
      t.sandbox.model.pages![0]!.quotaTotal = 2
      await t.runToEnd()
      expect(await t.read(second)).toMatchObject({ status: 'PUBLISHED' })
    })

    test('a slow container is polled again, and a failed one has a reason', async () => {
      const channelId = await t.channel('INSTAGRAM_ACCOUNT')
      t.sandbox.faults.add({ match: /media$/, fault: { kind: 'processing', polls: 4 } })
      t.sandbox.faults.add({ match: /media$/, fault: { kind: 'processing', polls: 1, error: 'The codec is unknown' } })
      const slow = await t.post({ mediaType: 'VIDEO', channels: [{ channelId, caption: 'Slow' }] })
      const publisher = exactPublisher()
      for (const seconds of [5, 10, 15, 30]) {
        await publisher.tick()
        expect(await waitSeconds(slow)).toBe(seconds)
        t.clock.advance(seconds * 1000)
      }
      await publisher.tick()
      expect(await t.read(slow)).toMatchObject({ status: 'PUBLISHED' })
      const broken = await t.post({ mediaType: 'VIDEO', channels: [{ channelId, caption: 'Broken' }] })
      await t.runToEnd()
      expect(await t.read(broken)).toMatchObject({ status: 'FAILED' })
      expect((await t.publications(broken))[0]!.error).toMatch(
        /^The platform cannot publish the media: .*codec is unknown/,
      )
    })

    test('an expired container is made again', async () => {
      const channelId = await t.channel('INSTAGRAM_ACCOUNT')
      t.sandbox.faults.add({ match: /media$/, fault: { kind: 'processing', polls: 1 } })
      const id = await t.post({ channels: [{ channelId, caption: 'Hi' }], scheduledFor: minutes(0) })
      const long = { ...t.context, config: withConfig(t.context.config, { publisher: { latePostHours: 48 } }) }
      await createPublisher(long).tick()
      t.clock.advance(25 * 3_600_000)
      await createPublisher(long).tick()
      t.clock.advance(25 * 60_000)
      await createPublisher(long).tick()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect(
        t.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/media')),
      ).toHaveLength(2)
    })

    test("a page's photo that was prepared long ago is prepared again", async () => {
      const channelId = await t.channel('FB_PAGE')
      t.sandbox.faults.add({ match: /feed$/, fault: accountLimitFault(channelId.slice('FB_PAGE_'.length), 5, 'pages') })
      const id = await t.post({ channels: [{ channelId, caption: 'Hi' }], scheduledFor: minutes(0) })
      const long = { ...t.context, config: withConfig(t.context.config, { publisher: { latePostHours: 48 } }) }
      await createPublisher(long).tick()
      const [{ container_id: before }] = (await t.publications(id)) as [PublicationRow]
      expect(before).not.toBeNull()
      t.clock.advance(25 * 3_600_000)
      await createPublisher(long).tick()
      expect((await t.publications(id))[0]).toMatchObject({
        state: 'PENDING',
        container_id: null,
        attempted_at: null,
        error: 'The platform no longer has the photo that was prepared.',
      })
      t.clock.advance(25 * 60_000)
      await createPublisher(long).tick()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect(t.sandbox.published).toHaveLength(1)
      expect(t.sandbox.requests.filter(({ path }) => path.endsWith('/photos'))).toHaveLength(2)
    })

    test("a page's photo that still exists is not prepared again, and a recent one is not checked", async () => {
      const channelId = await t.channel('FB_PAGE')
      const asksForPhoto = ({ method, path }: RecordedRequest): boolean => method === 'GET' && /^\/12\d+$/.test(path)
      await t.post({ channels: [{ channelId, caption: 'Hi' }] })
      await t.runToEnd()
      expect(t.sandbox.requests.filter(asksForPhoto)).toEqual([])
      t.sandbox.faults.add({ match: /feed$/, fault: accountLimitFault(channelId.slice('FB_PAGE_'.length), 5, 'pages') })
      const id = await t.post({ channels: [{ channelId, caption: 'Later' }] })
      await t.runToEnd()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect(t.sandbox.requests.filter(asksForPhoto)).toHaveLength(1)
      expect(t.sandbox.requests.filter(({ path }) => path.endsWith('/photos'))).toHaveLength(2)
    })

    test('a video that Facebook cannot process fails with its reason', async () => {
      const channelId = await t.channel('FB_PAGE')
      t.sandbox.faults.add({ match: /videos$/, fault: { kind: 'processing', polls: 3, error: 'No sound' } })
      const id = await t.post({ mediaType: 'VIDEO', channels: [{ channelId, caption: 'Hi' }] })
      await t.runToEnd()
      expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
      expect((await t.publications(id))[0]!.error).toBe('The platform cannot publish the video: No sound')
    })

    test('a video that is processed for more than a day fails, and says that it may be published', async () => {
      const channelId = await t.channel('FB_PAGE')
      t.sandbox.faults.add({ match: /videos$/, fault: { kind: 'processing', polls: 1e9 } })
      const id = await t.post({ mediaType: 'VIDEO', channels: [{ channelId, caption: 'Hi' }] })
      const publisher = createPublisher(t.context)
      await publisher.tick()
      t.clock.advance(86_400_001)
      await publisher.tick()
      expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
      expect((await t.publications(id))[0]!.error).toMatch(/still processing.+Check there/)
    })

    test('a post that waits too long fails, with the last problem', async () => {
      const channelId = await t.channel('FB_PAGE')
      const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
      t.sandbox.faults.add({ match: /photos$/, times: 1e9, fault: { kind: 'reset' } })
      const publisher = createPublisher(t.context)
      await publisher.tick()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHING' })
      t.clock.advance(86_400_001)
      await publisher.tick()
      expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
      expect((await t.publications(id))[0]!.error).toMatch(
        /^It could not be published within 24 hours of its time\. The last problem: no whole response/,
      )
    })
  })

  describe('after a call with a lost response', () => {
    test('the search continues for ten minutes, and finds late items', async () => {
      const channelId = await t.channel('FB_PAGE')
      let appear = (): void => {}
      const until = new Promise<void>((resolve) => {
        appear = resolve
      })
      const match = impatiently(t.patience, ({ path }: RecordedRequest) => path.endsWith('/feed'))
      t.sandbox.faults.add({ match, fault: { kind: 'slow', until } })
      const id = await t.post({ channels: [{ channelId, caption: 'Late' }] })
      const publisher = exactPublisher()
      await publisher.tick()
      for (const seconds of [10, 20, 30, 60, 120, 180]) {
        expect(await waitSeconds(id)).toBe(seconds)
        t.clock.advance(seconds * 1000)
        await publisher.tick()
      }
      expect(await waitSeconds(id)).toBe(180)
      expect(t.sandbox.published).toEqual([])
      appear()
      await vi.waitFor(() => expect(t.sandbox.published).toHaveLength(1), { interval: 1 })
      t.clock.advance(180_000)
      await publisher.tick()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect((await t.publications(id))[0]!.external_id).toBe(t.sandbox.published[0]!.id)
    })

    test('failed searches do not count', async () => {
      const channelId = await t.channel('FB_PAGE')
      t.sandbox.faults.add({ match: /feed$/, fault: { kind: 'accepted-then-reset' } })
      t.sandbox.faults.add({
        match: ({ method, path }) => method === 'GET' && /feed$/.test(path),
        times: 60,
        fault: { kind: 'reset' },
      })
      const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
      await t.runToEnd()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect(t.clock.now() - NOW.getTime()).toBeGreaterThan(10 * 60_000)
      expect(t.sandbox.published).toHaveLength(1)
    })

    test('an item of another post is excluded when those with the same text are counted', async () => {
      for (const type of ['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const) {
        const channelId = await t.channel(type)
        const publish = async (media: string): Promise<string> => {
          const id = await t.post({ media, mediaType: 'VIDEO', channels: [{ channelId, caption: 'Good morning' }] })
          await t.runToEnd()
          return id
        }
        const before = await publish('https://cdn.example.com/1.mp4')
        t.sandbox.faults.add({ match: /(videos|media_publish)$/, fault: { kind: 'accepted-then-reset' } })
        const lost = await publish('https://cdn.example.com/2.mp4')
        for (const [id, media] of [
          [before, 'https://cdn.example.com/1.mp4'],
          [lost, 'https://cdn.example.com/2.mp4'],
        ]) {
          const [publication] = await t.publications(id!)
          const item = t.sandbox.published.find((published) => published.id === publication!.external_id)
          expect([publication!.state, item?.mediaUrl]).toEqual(['PUBLISHED', media])
        }
      }
    })

    test.each([-7_200_000, 61_000])('the item is found by a clock that is %i ms off', async (offMs) => {
      const clock = { now: () => t.clock.now() + offMs, advance: (ms: number) => t.clock.advance(ms) }
      const graph = createGraphClient(t.context.config.graph, { clock, log: t.context.log, wait: async () => {} })
      for (const [type, edge] of [
        ['FB_PAGE', /videos$/],
        ['INSTAGRAM_ACCOUNT', /media_publish$/],
      ] as const) {
        const channelId = await t.channel(type)
        t.sandbox.faults.add({ match: edge, fault: { kind: 'accepted-then-reset' } })
        const channels = [{ channelId, caption: 'Hi' }]
        const id = await t.post({ mediaType: 'VIDEO', scheduledFor: new Date(clock.now()), channels })
        await runToEnd({ ...t.context, clock, graph }, clock)
        expect(await t.publications(id)).toEqual([
          expect.objectContaining({ state: 'PUBLISHED', external_id: t.sandbox.published.at(-1)!.id }),
        ])
      }
    })

    test('the item is found with a clock that differs from that of the call', async () => {
      for (const offMs of [-7_200_000, 7_200_000]) {
        const clock = { now: () => t.clock.now() + offMs, advance: (ms: number) => t.clock.advance(ms) }
        for (const [type, edge] of [
          ['FB_PAGE', /feed$/],
          ['INSTAGRAM_ACCOUNT', /media_publish$/],
        ] as const) {
          const channelId = await t.channel(type)
          t.sandbox.faults.add({ match: edge, fault: { kind: 'accepted-then-reset' } })
          const scheduledFor = new Date(Math.min(clock.now(), t.clock.now()))
          const id = await t.post({ scheduledFor, channels: [{ channelId, caption: 'Hi' }] })
          await createPublisher({ ...t.context, clock }).tick()
          await t.runToEnd()
          expect(await t.publications(id)).toEqual([
            expect.objectContaining({ state: 'PUBLISHED', external_id: t.sandbox.published.at(-1)!.id }),
          ])
        }
      }
    })

    test('another post with the same text is not published before the outcome is known', async () => {
      const channelId = await t.channel('FB_PAGE')
      const post = (media: string, caption: string): Promise<string> =>
        t.post({ media, mediaType: 'VIDEO', channels: [{ channelId, caption }] })
      const states = async (...ids: string[]): Promise<(string | null)[][]> =>
        (await Promise.all(ids.map((id) => t.publications(id)))).map(([row]) => [row!.state, row!.error])
      t.sandbox.faults.add({ match: /videos$/, fault: { kind: 'reset' } })
      const first = await post('https://cdn.example.com/1.mp4', 'The same')
      const publisher = createPublisher(t.context)
      await publisher.tick()
      // In the platform's spelling, it is the same text.
      const second = await post('https://cdn.example.com/2.mp4', ' The  same')
      const other = await post('https://cdn.example.com/3.mp4', 'Another')
      await publisher.tick()
      expect(t.sandbox.published.map(({ mediaUrl }) => mediaUrl)).toEqual(['https://cdn.example.com/3.mp4'])
      expect(await states(first, second, other)).toEqual([
        ['PENDING', expect.stringMatching(/^no whole response/)],
        ['PENDING', 'Another post with the same text is being published on the channel.'],
        ['PUBLISHED', null],
      ])
      await t.runToEnd()
      expect(await states(first, second)).toEqual([
        ['FAILED', expect.stringMatching(/^It may have been published: /)],
        ['PUBLISHED', null],
      ])
    })

    test('an item that a post with the same text may have published is not mistaken for it', async () => {
      const channelId = await t.channel('FB_PAGE')
      const post = (media: string): Promise<string> =>
        t.post({ media, mediaType: 'VIDEO', channels: [{ channelId, caption: 'The same' }] })
      // The first is published, but fails before that is known. The second is not published.
      t.sandbox.faults.add({ match: /videos$/, fault: { kind: 'accepted-then-reset' } })
      t.sandbox.faults.add({
        match: ({ method, path }) => method === 'GET' && /videos$/.test(path),
        fault: tokenExpiredFault(),
      })
      const first = await post('https://cdn.example.com/1.mp4')
      await t.runToEnd()
      t.sandbox.faults.add({
        match: ({ method, path }) => method === 'POST' && /videos$/.test(path),
        fault: { kind: 'reset' },
      })
      const second = await post('https://cdn.example.com/2.mp4')
      await t.runToEnd()
      for (const id of [first, second]) {
        expect((await t.publications(id))[0]).toMatchObject({
          state: 'FAILED',
          external_id: null,
          error: expect.stringMatching(/^It may have been published: /),
        })
      }
    })

    test('a response with the id of another post fails, and the other post keeps it', async () => {
      const channelId = await t.channel('FB_PAGE')
      const first = await t.post({ channels: [{ channelId, caption: 'First' }] })
      await t.runToEnd()
      const { id } = t.sandbox.published[0]!
      t.sandbox.faults.add({ match: /feed$/, fault: { kind: 'answer', answer: { status: 200, body: { id } } } })
      const second = await t.post({ channels: [{ channelId, caption: 'Second' }] })
      await t.runToEnd()
      expect((await t.publications(first))[0]).toMatchObject({ state: 'PUBLISHED', external_id: id })
      expect((await t.publications(second))[0]).toMatchObject({
        state: 'FAILED',
        external_id: null,
        error: `It may have been published: the platform returned ${id}, which is another post. Check there before you retry.`,
      })
    })

    test('another post with the same text is not mistaken for it', async () => {
      const channelId = await t.channel('FB_PAGE')
      const other = await t.post({ mediaType: 'VIDEO', channels: [{ channelId, caption: 'The same' }] })
      await createPublisher(t.context).tick()
      t.sandbox.faults.add({ match: /videos$/, fault: { kind: 'reset' } })
      const id = await t.post({ mediaType: 'VIDEO', channels: [{ channelId, caption: 'The same' }] })
      await t.runToEnd()
      expect(await t.read(other)).toMatchObject({ status: 'PUBLISHED' })
      expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
    })

    test('Instagram: a container reported as published is published, even if its media is not shown', async () => {
      const channelId = await t.channel('INSTAGRAM_ACCOUNT')
      // A person posts the same text.
      const { accessToken } = t.sandbox.model.pages![0]!
      const account = { channelId, type: 'INSTAGRAM_ACCOUNT', pageId: null } as const
      const target = toChannelTarget(t.context.graph, account, accessToken)
      const media = { mediaType: 'IMAGE', url: 'https://cdn.example.com/theirs.jpg', caption: 'The same' } as const
      await publishContainer(target, (await createContainer(target, media)).id)
      t.sandbox.faults.add({ match: /media_publish$/, fault: { kind: 'accepted-then-reset' } })
      const id = await t.post({ channels: [{ channelId, caption: 'The same' }] })
      await t.runToEnd()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect((await t.publications(id))[0]).toMatchObject({ state: 'PUBLISHED', external_id: null, error: null })
    })

    test('Instagram: a publication despite a refusal is found, not published again', async () => {
      const channelId = await t.channel('INSTAGRAM_ACCOUNT')
      const { answer } = accountLimitFault('1', 5) as Extract<Fault, { kind: 'answer' }>
      t.sandbox.faults.add({ match: /media_publish$/, fault: { kind: 'accepted-then-answer', answer } })
      const id = await t.post({ channels: [{ channelId, caption: 'Refused' }] })
      await t.runToEnd()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
    })
  })

  describe('the access token of a channel', () => {
    const channels = async (): Promise<Record<string, unknown>[]> => (await t.tenant.get(200, '/channels')).body

    test('that the platform refuses marks the channel, and affects no other', async () => {
      const [expired, good] = [await t.channel('FB_PAGE'), await t.channel('INSTAGRAM_ACCOUNT')]
      const id = await t.post({ channels: [expired, good].map((channelId) => ({ channelId, caption: 'Hi' })) })
      const other = await t.post({ channels: [{ channelId: good, caption: 'Other' }] })
      t.sandbox.faults.add({ match: /photos$/, fault: tokenExpiredFault() })
      await t.runToEnd()
      const problem = 'Error validating access token: Session has expired'
      expect(await channels()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: expired, status: 'needs-reconnect', problem }),
          expect.objectContaining({ id: good, status: 'connected' }),
        ]),
      )
      expect(await t.read(other)).toMatchObject({ status: 'PUBLISHED' })
      const { body } = await t.tenant.get(200, `/scheduled-posts/${id}`)
      expect(body).toMatchObject({
        status: 'FAILED',
        mediumsData: { [expired]: { failedToPublish: true }, [good]: { failedToPublish: false } },
      })
      expect((await readHistory(t.tenant, id)).at(-1)!.detail).toEqual({
        channels: {
          [expired]: { state: 'FAILED', error: problem },
          [good]: { state: 'PUBLISHED', externalId: expect.any(String), permalink: expect.any(String) },
        },
      })
    })

    test('that is missing fails its posts and says so', async () => {
      const none = await t.channel('FB_PAGE')
      const path = `/organizations/${t.tenant.organizationId}/channels`
      await operatorCall(t, 200, 'PATCH', `${path}/${none}`, { body: { accessToken: null } })
      const id = await t.post({ channels: [{ channelId: none, caption: 'Hi' }] })
      await t.runToEnd()
      expect(await t.publications(id)).toMatchObject([{ error: 'The channel is not connected to its platform.' }])
      expect(t.sandbox.requests).toEqual([])
    })

    describe('that is replaced while a post is being published', () => {
      const NEW_TOKEN = 'EAAnewToken'
      /** From now on, the platform accepts only the new token, and so does the channel. */
      async function replaceToken(channelId: string): Promise<void> {
        for (const page of t.sandbox.model.pages!) {
          if (channelId.endsWith(page.id)) page.accessToken = NEW_TOKEN
        }
        const path = `/organizations/${t.tenant.organizationId}/channels/${channelId}`
        await operatorCall(t, 200, 'PATCH', path, { body: { accessToken: NEW_TOKEN, check: false } })
      }

      test.each([
        ['FB_PAGE', 'IMAGE', 'after', /\/photos$/],
        ['FB_PAGE', 'IMAGE', 'before', /\/feed$/],
        ['FB_PAGE', 'VIDEO', 'after', /\/videos$/],
        ['INSTAGRAM_ACCOUNT', 'IMAGE', 'after', /\/media$/],
        ['INSTAGRAM_ACCOUNT', 'VIDEO', 'before', /\/media_publish$/],
      ] as const)('the next call uses the new one (%s, %s, %s the platform has checked %s)', async (type, mediaType, when, edge) => {
        t = await startPublisherTest()
        const channelId = await t.channel(type)
        const id = await t.post({ mediaType, channels: [{ channelId, caption: 'Hi' }] })
        const held = holdUp(t, edge, when === 'after' ? 'accepted-then-slow' : 'slow')
        const turn = createPublisher(t.context).tick()
        await held.arrived
        await replaceToken(channelId)
        held.release()
        await turn
        await t.runToEnd()
        expect((await t.publications(id))[0]).toMatchObject({ state: 'PUBLISHED', error: null })
        expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
        expect(t.sandbox.published).toEqual([expect.objectContaining({ text: 'Hi' })])
        expect(await channels()).toContainEqual(expect.objectContaining({ id: channelId, status: 'connected' }))
      })

      test('does not fail posts that may be published either', async () => {
        t = await startPublisherTest()
        const channelId = await t.channel('FB_PAGE')
        const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
        t.sandbox.faults.add({ match: /feed$/, fault: { kind: 'accepted-then-reset' } })
        await createPublisher(t.context).tick()
        t.clock.advance(60_000)
        const held = holdUp(t, /feed$/, 'slow')
        const turn = createPublisher(t.context).tick()
        await held.arrived
        await replaceToken(channelId)
        held.release()
        await turn
        await t.runToEnd()
        expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
        expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
      })

      test('a removed token fails it, with a message for that', async () => {
        const channelId = await t.channel('FB_PAGE')
        const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
        const held = holdUp(t, /photos$/, 'accepted-then-slow')
        const turn = createPublisher(t.context).tick()
        await held.arrived
        const path = `/organizations/${t.tenant.organizationId}/channels/${channelId}`
        await operatorCall(t, 200, 'PATCH', path, { body: { accessToken: null } })
        held.release()
        await turn
        expect(await t.publications(id)).toMatchObject([{ error: 'The channel is not connected to its platform.' }])
        expect(t.sandbox.published).toEqual([])
      })
    })

    describe('that cannot be opened with the master key', () => {
      const ERROR = "The channel's access token cannot be opened with this MASTER_KEY."
      const sealedOf = async (channelId: string) =>
        (await findChannelToken(t.context.database, t.tenant.organizationId, channelId))!.access_token_sealed!
      /** Returns the channel's previous value. */
      async function exchange(channelId: string, sealed: string): Promise<string> {
        const before = await sealedOf(channelId)
        await setChannelToken(t.context.database, t.tenant.organizationId, channelId, sealed)
        return before
      }
      const unreadable = () => t.context.sealer.seal('EAAtoken', 'channel of another organization')

      test.each([
        ['FB_PAGE', 'IMAGE'],
        ['INSTAGRAM_ACCOUNT', 'VIDEO'],
      ] as const)('makes its posts wait, and no channel (%s, %s) needs to be reconnected', async (type, mediaType) => {
        const [sealed, good] = [await t.channel(type), await t.channel(type)]
        const token = await exchange(sealed, unreadable())
        const id = await t.post({
          mediaType,
          channels: [sealed, good].map((channelId) => ({ channelId, caption: 'Hi' })),
        })
        const publisher = createPublisher(t.context)
        for (let minute = 0; minute < 3; minute++) {
          await publisher.tick()
          t.clock.advance(61_000)
        }
        const rows = Object.fromEntries((await t.publications(id)).map((row) => [row.channel_id, row]))
        expect(rows[good]).toMatchObject({ state: 'PUBLISHED' })
        expect(rows[sealed]).toMatchObject({ state: 'PENDING', attempted_at: null, attempts: 0, error: ERROR })
        expect(await t.read(id)).toMatchObject({ status: 'PUBLISHING' })
        expect(await channels()).toContainEqual(expect.objectContaining({ id: sealed, status: 'connected' }))
        expect(t.logLines()).toContainEqual(expect.objectContaining({ post: id, channel: sealed, level: 50 }))

        await exchange(sealed, token)
        await t.runToEnd()
        expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      })

      test('does not fail posts that may be published: they are searched when the token can be opened again', async () => {
        const channelId = await t.channel('FB_PAGE')
        const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
        t.sandbox.faults.add({ match: /feed$/, fault: acceptedThenBadGatewayFault() })
        const publisher = createPublisher(t.context)
        await publisher.tick()
        const [lost] = await t.publications(id)
        expect(lost).toMatchObject({ state: 'PENDING', attempted_at: expect.any(Date), error: expect.any(String) })
        const token = await exchange(channelId, unreadable())
        for (let hour = 0; hour < 6; hour++) {
          t.clock.advance(5 * 3_600_000)
          await publisher.tick()
        }
        expect(await t.publications(id)).toMatchObject([
          { ...lost, wait_reason: 'token_unreadable', next_attempt_at: expect.any(Date) },
        ])
        await exchange(channelId, token)
        await t.runToEnd()
        expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
        expect(t.sandbox.published).toHaveLength(1)
      })
    })
  })

  test('media that the platform cannot fetch fail with its message', async () => {
    for (const type of ['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const) {
      for (const mediaType of ['IMAGE', 'VIDEO'] as const) {
        const channelId = await t.channel(type)
        const media = 'https://media.invalid/gone'
        const id = await t.post({ media, mediaType, channels: [{ channelId, caption: 'Hi' }] })
        await t.runToEnd()
        expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
        expect((await t.publications(id))[0]!.error).toMatch(/could not be fetched|Media upload has failed/)
      }
    }
    expect(t.sandbox.published).toEqual([])
  })
})
