import { beforeEach, describe, expect, test } from 'vitest'
import {
  acceptedThenBadGatewayFault,
  accountLimitFault,
  appLimitFault,
  badGatewayFault,
  type Fault,
  graphErrorFault,
  quotaReachedFault,
} from '../../packages/sandbox/src/make-faults.js'
import { Member, operatorCall, Tenant } from '../../test/harness.js'
import { readHistory } from '../../test/posts.js'
import { holdUp, type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { setChannelToken } from '../channels/channels.store.js'
import type { ChannelType } from '../interface/generated/types.js'
import { WAIT_TEXTS, type WaitReason } from '../interface/post-waits.js'
import { insertHolder } from '../work/holders.store.js'
import { createLateWatch } from './late-watch.js'
import { createPublisher } from './publisher.js'

let t: PublisherTest
beforeEach(async () => {
  t = await startPublisherTest({ graph: { timeoutMs: 30_000 } })
})

const MINUTE_MS = 60_000
const exactPublisher = () => createPublisher(t.context, { jitter: (ms) => ms })
const due = (channelId: string, mediaType: 'IMAGE' | 'VIDEO' = 'IMAGE', caption = 'Hi') =>
  t.post({ mediaType, channels: [{ channelId, caption }] })
const readWait = async (id: string) => (await t.tenant.get(200, `/scheduled-posts/${id}/wait`)).body.wait
const logged = (msg: string) => t.logLines().filter((line) => line.msg === msg)
const waitsIn = async (id: string) =>
  (await readHistory(t.tenant, id)).flatMap(({ action, detail }) => (action === 'waits' ? [detail] : []))
const NONE = { count: 0, reasons: {} }
const readStatus = async () => (await t.app.inject({ method: 'GET', url: '/status' })).json().latePosts ?? NONE
const readMetric = async (reason: WaitReason): Promise<string | undefined> =>
  new RegExp(`^greenroom_posts_late\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(
    (await t.app.inject({ method: 'GET', url: '/metrics' })).body,
  )?.[1]

/** The calls that prepare a post, and those that publish it. */
const PREPARE = /(photos|media)$/
const PUBLISH = /(feed|media_publish)$/

const BOTH = ['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const
const ACCOUNT = ['INSTAGRAM_ACCOUNT'] as const

/** A fault of one call, its reason on channels of these types, and its message. */
const FAULTS: [WaitReason, readonly ChannelType[], RegExp, (id: string) => Fault, RegExp][] = [
  ['platform_down', BOTH, PREPARE, () => graphErrorFault({ code: 2, message: 'Try later' }), /Try later/],
  ['platform_unreachable', BOTH, PREPARE, () => ({ kind: 'reset' }), /no whole response/],
  ['rate_limit_app', BOTH, PREPARE, () => appLimitFault(), /request limit/],
  ['rate_limit_channel', BOTH, PREPARE, (id) => accountLimitFault(id, 5), /too many calls/],
  ['posting_quota', ACCOUNT, PUBLISH, () => quotaReachedFault(), /./],
  [
    ...(['media_unreachable', ACCOUNT, PREPARE] as const),
    () => graphErrorFault({ code: -2, subcode: 2207003, message: 'It takes too long to download the media.' }),
    /too long/,
  ],
  ['answer_lost', BOTH, PUBLISH, () => acceptedThenBadGatewayFault(), /HTTP 502/],
]

describe('a waiting post states the reason', () => {
  test.each(FAULTS)('%s on %s, with the message and the next attempt, until it is published', async (...given) => {
    const [reason, types, match, toFault, words] = given
    for (const type of types) {
      const channelId = await t.channel(type)
      const id = await due(channelId)
      t.sandbox.faults.add({ match, fault: toFault(channelId.slice(type.length + 1)) })
      await exactPublisher().tick()
      const nextAttemptAt = (await t.read(id)).next_attempt_at!.toISOString()
      const now = new Date(t.clock.now()).toISOString()
      expect(await readWait(id)).toEqual({
        ...{ reason, text: WAIT_TEXTS[reason], dueAt: now, since: now, nextAttemptAt },
        channels: [{ channelId, reason, words: expect.stringMatching(words), nextAttemptAt }],
      })
      const channel = { wait: reason, words: expect.stringMatching(words), nextAttemptAt }
      const detail = { wait: reason, reason: WAIT_TEXTS[reason], nextAttemptAt, channels: { [channelId]: channel } }
      expect(await waitsIn(id)).toEqual([detail])
      const ofPost = (msg: string) => logged(msg).filter(({ post }) => post === id)
      expect(ofPost('post waits')).toMatchObject([{ level: 40, ...detail }])

      await t.runToEnd()
      expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
      expect(await readWait(id)).toBeNull()
      expect(ofPost('post waits no longer')).toMatchObject([{ level: 30, wait: reason }])
      expect(await waitsIn(id)).toHaveLength(1)
      expect(JSON.stringify([await readHistory(t.tenant, id), t.logLines()])).not.toContain('EAAtoken')
    }
  })

  test("the token is removed from the platform's message", async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await due(channelId)
    const token = `EAAtoken${channelId.slice('FB_PAGE_'.length)}`
    t.sandbox.faults.add({ match: PREPARE, fault: graphErrorFault({ code: 2, message: `Broken by ${token}.` }) })
    await exactPublisher().tick()
    expect((await readWait(id)).channels[0].words).toBe('Broken by [access token].')
  })

  test.each(BOTH)('same_text, processing and token_unreadable on %s', async (type) => {
    const channelId = await t.channel(type)
    await due(channelId)
    t.sandbox.faults.add({ match: PUBLISH, fault: acceptedThenBadGatewayFault() })
    await exactPublisher().tick()
    const second = await due(channelId)
    await exactPublisher().tick()
    expect(await readWait(second)).toMatchObject({ reason: 'same_text', channels: [{ channelId }] })
    await t.runToEnd()

    const id = await due(channelId, 'VIDEO')
    t.sandbox.faults.add({ match: /(videos|media)$/, fault: { kind: 'processing', polls: 20 } })
    const publisher = exactPublisher()
    await publisher.tick()
    // People who ask see what the platform does; the history has only what is unusual.
    expect([(await readWait(id)).reason, await waitsIn(id), await readStatus()]).toEqual([...['processing', [], NONE]])
    t.clock.advance(2 * MINUTE_MS)
    await publisher.tick()
    expect(await waitsIn(id)).toMatchObject([{ wait: 'processing' }])
    expect(await readStatus()).toMatchObject({ count: 1, reasons: { processing: 1 } })
    await t.runToEnd()

    const sealed = t.context.sealer.seal('EAAtoken', 'channel of another organization')
    await setChannelToken(t.context.database, t.tenant.organizationId, channelId, sealed)
    const third = await due(channelId)
    await exactPublisher().tick()
    expect(await readWait(third)).toMatchObject({ reason: 'token_unreadable', channels: [{ channelId }] })
  })

  test('publisher_off, queue, in_progress and organization_inactive are found although no publisher writes them', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await due(channelId)
    const look = createLateWatch(t.context)
    expect(await readWait(id)).toMatchObject({ reason: 'publisher_off', channels: [] })
    expect(await readStatus()).toEqual(NONE)
    t.clock.advance(2 * MINUTE_MS)
    const oldestDueAt = new Date(t.clock.now() - 2 * MINUTE_MS).toISOString()
    expect(await readStatus()).toEqual({ count: 1, oldestDueAt, reasons: { publisher_off: 1 } })
    expect(await readMetric('publisher_off')).toBe('1')
    for (let minute = 0; minute < 45; minute++) {
      await look()
      t.clock.advance(MINUTE_MS)
    }
    // They come at once, and after 5, 10, 20 and 40 minutes.
    expect(logged('posts wait')).toHaveLength(5)

    await insertHolder(t.context.database, 'publishing', 'holder_alive')
    expect(await readWait(id)).toMatchObject({ reason: 'queue' })
    await look()
    expect(logged('posts wait no longer')).toMatchObject([{ wait: 'publisher_off' }])

    const call = holdUp(t, /photos$/, 'slow')
    const tick = exactPublisher().tick()
    await call.arrived
    expect(await readWait(id)).toMatchObject({ reason: 'in_progress' })
    expect(await readStatus()).toMatchObject({ reasons: { in_progress: 1 } })
    const activate = async (active: boolean) =>
      operatorCall(t, 200, 'PATCH', `/organizations/${t.tenant.organizationId}`, { body: { active } })
    await activate(false)
    expect((await operatorCall(t, 200, 'GET', waitPath(id))).body.wait).toMatchObject({
      reason: 'organization_inactive',
    })
    expect(await readStatus()).toMatchObject({ reasons: { organization_inactive: 1 } })
    await activate(true)
    call.release()
    await tick
    await t.runToEnd()
    expect([await readWait(id), await readStatus()]).toEqual([null, NONE])
    expect(await readMetric('publisher_off')).toBe('0')
  })
})

const waitPath = (id: string): string => `/organizations/${t.tenant.organizationId}/scheduled-posts/${id}/wait`

describe('a continuing wait', () => {
  test('leaves one entry for each change of the reason, and log lines at growing intervals', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await due(channelId)
    const publisher = exactPublisher()
    const fail = async (tries: number, fault: Fault) => {
      for (let n = 0; n < tries; n++) {
        t.sandbox.faults.add({ match: PREPARE, fault })
        await publisher.tick()
        t.clock.advance(5 * MINUTE_MS)
      }
    }
    await fail(12, badGatewayFault())
    expect(await waitsIn(id)).toHaveLength(1)
    // They come at once, and after 5, 10, 20 and 40 of the 55 minutes.
    expect(logged('post waits')).toHaveLength(5)
    await fail(1, { kind: 'reset' })
    await fail(1, badGatewayFault())
    expect((await waitsIn(id)).map((detail) => detail!.wait)).toEqual([
      ...['platform_down', 'platform_unreachable', 'platform_down'],
    ])
    expect(logged('post waits')).toHaveLength(7)
    await t.context.database.query('update scheduled_posts set wait_changes = 19 where organization_id = $1', [
      t.tenant.organizationId,
    ])
    await fail(1, { kind: 'reset' })
    await fail(1, badGatewayFault())
    expect(await waitsIn(id)).toHaveLength(4)
    expect(await readStatus()).toMatchObject({ count: 1, reasons: { platform_down: 1 } })
  })

  test('for a limit that another post has hit has its message, and continues when it ends, however often the post failed', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await due(channelId)
    const nextOf = async (post: string) => (await t.read(post)).next_attempt_at!.toISOString()
    for (let failures = 0; failures < 4; failures++) {
      if (failures > 0) t.clock.set(await nextOf(id))
      t.sandbox.faults.add({ match: PREPARE, fault: badGatewayFault() })
      await exactPublisher().tick()
    }
    // The limit begins shortly before the first post's next attempt, so that it still applies then.
    t.clock.set(await nextOf(id))
    t.clock.advance(-10_000)
    const other = await due(channelId, 'IMAGE', 'Hello')
    t.sandbox.faults.add({ match: PREPARE, fault: accountLimitFault(channelId.slice('FB_PAGE_'.length), 6) })
    await exactPublisher().tick()
    const endsAt = await nextOf(other)
    t.clock.set(await nextOf(id))
    await exactPublisher().tick()
    const words = expect.stringMatching(/too many calls/)
    expect(await readWait(id)).toMatchObject({ reason: 'rate_limit_channel', channels: [{ words }] })
    // A fifth failure would have postponed it longer.
    expect(await nextOf(id)).toBe(endsAt)
    t.clock.set(endsAt)
    await exactPublisher().tick()
    expect([(await t.read(id)).status, (await t.read(other)).status]).toEqual(['PUBLISHED', 'PUBLISHED'])
  })

  test('of several channels shows the foremost reason, and lists each', async () => {
    const [page, account] = [await t.channel('FB_PAGE'), await t.channel('INSTAGRAM_ACCOUNT')]
    const id = await t.post({ channels: [page, account].map((channelId) => ({ channelId, caption: 'Hi' })) })
    t.sandbox.faults.add({ match: /photos$/, fault: badGatewayFault() })
    t.sandbox.faults.add({ match: /\/media$/, fault: appLimitFault() })
    await exactPublisher().tick()
    expect(await readWait(id)).toMatchObject({
      reason: 'rate_limit_app',
      channels: [
        { channelId: page, reason: 'platform_down' },
        { channelId: account, reason: 'rate_limit_app' },
      ],
    })
  })

  test('is replaced by the reason that another publisher finds, after a kill', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await due(channelId)
    t.sandbox.faults.add({ match: PREPARE, fault: badGatewayFault() })
    await exactPublisher().tick()
    t.clock.advance(MINUTE_MS)
    const call = holdUp(t, PREPARE, 'slow')
    const killed = exactPublisher().tick()
    await call.arrived
    // The reason stays until another process finds one.
    expect(await readStatus()).toMatchObject({ count: 0 })
    t.clock.advance(10 * MINUTE_MS)
    expect(await readStatus()).toMatchObject({ reasons: { platform_down: 1 } })
    t.sandbox.faults.add({ match: PREPARE, fault: { kind: 'reset' } })
    await exactPublisher().tick()
    expect(await readWait(id)).toMatchObject({ reason: 'platform_unreachable' })
    call.release()
    await killed
    expect(await readWait(id)).toMatchObject({ reason: 'platform_unreachable' })
  })

  test("is shown only to the organization's people; the calendar shows the reason", async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await due(channelId)
    t.sandbox.faults.add({ match: PREPARE, fault: badGatewayFault() })
    await exactPublisher().tick()
    t.clock.advance(2 * MINUTE_MS)
    const { organizationId } = t.tenant
    const member = await Member.create(t, { organizationId, role: 'VIEWER' })
    expect((await member.call(200, 'GET', waitPath(id))).body.wait).toMatchObject({ reason: 'platform_down' })
    const calendar = `/organizations/${organizationId}/calendar-posts`
    const [post] = (await member.call(200, 'GET', calendar)).body.items
    expect(post).toMatchObject({ id, waitsFor: 'platform_down' })

    const other = await Tenant.create(t)
    await other.get(404, `/scheduled-posts/${id}/wait`)
    const stranger = await Member.create(t, { organizationId: other.organizationId, role: 'ADMIN' })
    await stranger.call(404, 'GET', waitPath(id))
    await stranger.call(404, 'GET', `/organizations/${other.organizationId}/scheduled-posts/${id}/wait`)

    const scheduled = await t.post({
      scheduledFor: new Date(t.clock.now() + MINUTE_MS),
      channels: [{ channelId, caption: 'Later' }],
    })
    expect(await readWait(scheduled)).toBeNull()
    await t.context.database.query('delete from publishers')
    t.clock.advance(3 * MINUTE_MS)
    expect(await readWait(scheduled)).toMatchObject({ reason: 'publisher_off' })
    await t.tenant.call(200, 'POST', `/scheduled-posts/${scheduled}/revert`)
    expect(await readWait(scheduled)).toBeNull()
  })
})

describe('the history of a post that a publisher reaches late has the cause', () => {
  const claimDetail = async (id: string) =>
    (await readHistory(t.tenant, id)).find(({ action }) => action === 'claimed')!.detail

  test('no process was publishing, or the clock jumped', async () => {
    const channelId = await t.channel('FB_PAGE')
    const early = await due(channelId)
    t.clock.advance(5 * MINUTE_MS)
    const publisher = exactPublisher()
    await publisher.tick()
    expect(await claimDetail(early)).toMatchObject({ late: 'publisher_off' })
    const inTime = await due(channelId, 'IMAGE', 'In time')
    await publisher.tick()
    expect(await claimDetail(inTime)).toBeUndefined()
    const skipped = await t.post({
      scheduledFor: new Date(t.clock.now() + MINUTE_MS),
      channels: [{ channelId, caption: 'Skipped' }],
    })
    t.clock.advance(60 * MINUTE_MS)
    await publisher.tick()
    expect(await claimDetail(skipped)).toMatchObject({ late: 'clock_jumped' })
  })

  test('the database was unavailable, or other posts of the channel came first', async () => {
    const channelId = await t.channel('FB_PAGE')
    const { database } = t.context
    let isAway = false
    const transaction: typeof database.transaction = (...work) =>
      isAway ? Promise.reject(new Error('no database')) : database.transaction(...work)
    const publisher = createPublisher({ ...t.context, database: { ...database, transaction } })
    await publisher.tick()
    const id = await due(channelId)
    isAway = true
    for (let minute = 0; minute < 3; minute++) {
      await expect(publisher.claimAll()).rejects.toThrow('no database')
      t.clock.advance(MINUTE_MS)
    }
    isAway = false
    await publisher.tick()
    expect(await claimDetail(id)).toMatchObject({ late: 'database_away' })

    const first = [1, 2, 3, 4].map((n) => [n, holdUp(t, PREPARE, 'slow')] as const)
    for (const [n] of first) await due(channelId, 'IMAGE', `First ${n}`)
    await publisher.claimAll()
    for (const [, { arrived }] of first) await arrived
    const last = await due(channelId, 'IMAGE', 'Last')
    for (let minute = 0; minute < 3; minute++) {
      await publisher.claimAll()
      t.clock.advance(MINUTE_MS)
    }
    for (const [, { release }] of first) release()
    await publisher.tick()
    expect(await claimDetail(last)).toMatchObject({ late: 'queue' })
  })
})
