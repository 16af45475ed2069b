import { beforeEach, describe, expect, test } from 'vitest'
import { type GraphErrorFields, graphError } from '../../packages/sandbox/src/answers.js'
import { acceptedThenBadGatewayFault, type Fault, graphErrorFault } from '../../packages/sandbox/src/make-faults.js'
import type { RecordedRequest } from '../../packages/sandbox/src/route.js'
import { operatorCall } from '../../test/harness.js'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import type { ChannelType } from '../interface/generated/types.js'
import { createPublisher } from './publisher.js'

let t: PublisherTest
let startedAt: number
beforeEach(async () => {
  t = await startPublisherTest()
  startedAt = t.clock.now()
})

const FOREVER = 1_000_000
const secondsSince = (atMs: number): number => (t.clock.now() - atMs) / 1000

async function postOn(
  type: ChannelType,
  mediaType: 'IMAGE' | 'VIDEO' = 'IMAGE',
): Promise<[id: string, channelId: string]> {
  const channelId = await t.channel(type)
  return [await t.post({ mediaType, channels: [{ channelId, caption: 'Summer' }] }), channelId]
}

const callsOf = (edge: RegExp, method = 'POST'): RecordedRequest[] =>
  t.sandbox.requests.filter((request) => request.method === method && edge.test(request.path))
const fail = (match: RegExp, fault: Fault, times = 1): unknown =>
  t.sandbox.faults.add({ match: ({ method, path }) => method === 'POST' && match.test(path), fault, times })
const isContainer = ({ method, path }: RecordedRequest): boolean => method === 'GET' && /^\/17\d+$/.test(path)

/** The call is carried out, but answered with an error. */
const behind = (error: GraphErrorFields): Fault => ({ kind: 'accepted-then-answer', answer: graphError(error) })

const GONE = { code: 100, subcode: 33, message: 'Unsupported get request. Object does not exist' }
const NOT_SHOWN = { code: 10, message: '(#10) Application does not have permission for this action' }

const MEDIA_FAILURES: [type: ChannelType, mediaType: 'IMAGE' | 'VIDEO', call: RegExp, error: GraphErrorFields][] = [
  ['INSTAGRAM_ACCOUNT', 'IMAGE', /media$/, { code: 9004, subcode: 2207052 }],
  ['INSTAGRAM_ACCOUNT', 'VIDEO', /media$/, { code: 9004 }],
  ['INSTAGRAM_ACCOUNT', 'VIDEO', /media$/, { code: -1, subcode: 2207053, status: 500 }],
  ['FB_PAGE', 'IMAGE', /photos$/, { code: 324, subcode: 2069019, status: 500 }],
  ['INSTAGRAM_ACCOUNT', 'IMAGE', /media$/, { code: -1, subcode: 2207032 }],
  ['INSTAGRAM_ACCOUNT', 'IMAGE', /media_publish$/, { code: -1, subcode: 2207053 }],
  ['INSTAGRAM_ACCOUNT', 'IMAGE', /media_publish$/, { code: -1, subcode: 2207032, isTransient: true }],
  ['FB_PAGE', 'IMAGE', /photos$/, { code: 324, subcode: 2069019 }],
  ['FB_PAGE', 'VIDEO', /videos$/, { code: 389 }],
  ['FB_PAGE', 'VIDEO', /videos$/, { code: 6000, subcode: 1363037 }],
]

describe('when the platform fails on the media, before anything was published', () => {
  test.each(
    MEDIA_FAILURES,
  )('%s, %s, %s: %j once is retried within two minutes', async (type, mediaType, call, error) => {
    const [id] = await postOn(type, mediaType)
    fail(call, graphErrorFault({ message: 'It failed.', ...error }))
    await createPublisher(t.context).tick()
    expect((await t.publications(id))[0]).toMatchObject({ state: 'PENDING', attempted_at: null, error: 'It failed.' })
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect(t.sandbox.published).toEqual([
      expect.objectContaining({ received: call.test('media_publish') ? 1 : expect.any(Number) }),
    ])
    expect(secondsSince(startedAt)).toSatisfy((seconds: number) => seconds >= 30 && seconds <= 120)
  })

  test.each(
    MEDIA_FAILURES,
  )('%s, %s, %s: %j each time fails after three attempts, with the last message', async (type, mediaType, call, error) => {
    const [id, channelId] = await postOn(type, mediaType)
    const words = ['The first words.', 'The second words.', 'The last words.', 'One try too many.']
    for (const message of words) fail(call, graphErrorFault({ message, ...error }))
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
    expect((await t.publications(id))[0]).toMatchObject({ state: 'FAILED', error: 'The last words.' })
    expect(callsOf(call)).toHaveLength(3)
    expect(secondsSince(startedAt)).toSatisfy((seconds: number) => seconds >= 500 && seconds <= 720)
    expect(t.sandbox.published).toEqual([])
    // A person may retry it, with as many attempts.
    await operatorCall(t, 200, 'POST', `/organizations/${t.tenant.organizationId}/scheduled-posts/${id}/retry`, {
      body: {},
    })
    expect((await t.publications(id))[0]).toMatchObject({ channel_id: channelId, media_failures: 0 })
  })

  test.each([
    'Error: Media upload has failed with error code 2207053',
    'Error code 2207032',
  ])('a container that failed with %j is replaced', async (error) => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT', 'VIDEO')
    fail(/media$/, { kind: 'processing', polls: 1, error })
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect(callsOf(/media$/)).toHaveLength(2)
    expect(t.sandbox.published).toHaveLength(1)
  })

  test('a container that failed each time fails its post after three', async () => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT', 'VIDEO')
    fail(/media$/, { kind: 'processing', polls: 1, error: 'Error code 2207053' }, FOREVER)
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
    expect(callsOf(/media$/)).toHaveLength(3)
    expect((await t.publications(id))[0]!.error).toMatch(/cannot publish the media: .*2207053/)
  })

  test.each([
    '2207026',
    '12207053',
    'The codec is unknown',
  ])('a container that failed with %j fails its post at once', async (error) => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT', 'VIDEO')
    fail(/media$/, { kind: 'processing', polls: 0, error })
    await createPublisher(t.context).tick()
    expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
  })
})

describe('while the platform does not show its containers', () => {
  test.each([GONE, NOT_SHOWN])('a post is still published, once: %j', async (error) => {
    const [id, channelId] = await postOn('INSTAGRAM_ACCOUNT')
    t.sandbox.faults.add({ match: isContainer, fault: graphErrorFault(error), times: FOREVER })
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect(callsOf(/media$/)).toHaveLength(1)
    expect(callsOf(/media_publish$/)).toHaveLength(1)
    expect((await t.tenant.get(200, '/channels')).body).toEqual([
      expect.objectContaining({ id: channelId, status: 'connected' }),
    ])
  })

  test('a container that is still being processed is awaited', async () => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT', 'VIDEO')
    t.sandbox.faults.add({ match: isContainer, fault: graphErrorFault(GONE), times: FOREVER })
    fail(/media_publish$/, graphErrorFault({ code: 9007, subcode: 2207027, message: 'Not ready.' }), 3)
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect(callsOf(/media$/)).toHaveLength(1)
    expect(t.sandbox.published).toHaveLength(1)
  })

  test('at most two containers are made for a post in an hour', async () => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT')
    t.sandbox.faults.add({ match: isContainer, fault: graphErrorFault(GONE), times: FOREVER })
    fail(/media_publish$/, graphErrorFault({ code: 24, subcode: 2207006, message: 'Media not found.' }), FOREVER)
    const publisher = createPublisher(t.context)
    const madeAt: number[] = []
    while (secondsSince(startedAt) < 4 * 3600) {
      const before = callsOf(/media$/).length
      await publisher.tick()
      if (callsOf(/media$/).length > before) madeAt.push(t.clock.now())
      t.clock.advance(30_000)
    }
    expect(madeAt.length).toBeGreaterThan(3)
    for (const at of madeAt) {
      expect(madeAt.filter((other) => other >= at && other < at + 3_600_000).length).toBeLessThanOrEqual(2)
    }
    t.sandbox.faults.clear()
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect(t.sandbox.published).toHaveLength(1)
  })

  test.each([
    ['IMAGE', 1],
    ['VIDEO', 1],
    ['IMAGE', 3],
  ] as const)('(#10) for a container that its token has made does not mark the channel (%s, %i times)', async (mediaType, times) => {
    const [id, channelId] = await postOn('INSTAGRAM_ACCOUNT', mediaType)
    fail(/media$/, { kind: 'processing', polls: mediaType === 'VIDEO' ? 2 : 0, error: undefined })
    fail(/media_publish$/, graphErrorFault(NOT_SHOWN), times)
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect((await t.tenant.get(200, '/channels')).body).toMatchObject([{ id: channelId, status: 'connected' }])
    expect(t.sandbox.published).toHaveLength(1)
  })

  test('(#10) for making a container marks the channel', async () => {
    const [id, channelId] = await postOn('INSTAGRAM_ACCOUNT')
    fail(/media$/, graphErrorFault(NOT_SHOWN))
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
    expect((await t.tenant.get(200, '/channels')).body).toMatchObject([{ id: channelId, status: 'needs-reconnect' }])
  })

  test('a container that was published despite a refusal is found in the list, and not replaced', async () => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT')
    t.sandbox.faults.add({ match: isContainer, fault: graphErrorFault(GONE), times: FOREVER })
    fail(/media_publish$/, behind({ code: 24, subcode: 2207008, message: 'Try again.' }))
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
    expect(callsOf(/media$/)).toHaveLength(1)
  })

  test('a container that is not ready was not published, whatever the HTTP status', async () => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT', 'VIDEO')
    t.sandbox.faults.add({ match: isContainer, fault: graphErrorFault(GONE), times: FOREVER })
    fail(/media_publish$/, graphErrorFault({ status: 500, code: 9007, subcode: 2207027, message: 'Not ready.' }), 2)
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect(t.sandbox.published).toHaveLength(1)
  })
})

test.each([
  ['INSTAGRAM_ACCOUNT', 'IMAGE', /media_publish$/, { code: -1, subcode: 2207053, isTransient: true }],
  ['FB_PAGE', 'VIDEO', /videos$/, { code: 6000, subcode: 1363037 }],
] as const)('%s, %s, %s: an error of the platform itself may hide a publication: %j', async (type, mediaType, call, error) => {
  const [id] = await postOn(type, mediaType)
  fail(call, behind({ ...error, status: 500, message: 'It failed.' }))
  await t.runToEnd()
  expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
  expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
})

describe('a refusal is not a lost response', () => {
  test('a container that is refused for now is published in 30 seconds to two minutes', async () => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT')
    fail(/media_publish$/, graphErrorFault({ code: 24, subcode: 2207008, message: 'Try again.' }), 3)
    const times: number[] = []
    const publisher = createPublisher(t.context)
    while (t.sandbox.published.length === 0) {
      const before = callsOf(/media_publish$/).length
      await publisher.tick()
      if (callsOf(/media_publish$/).length > before) times.push(secondsSince(startedAt))
      t.clock.advance(1_000)
    }
    const waits = times.slice(1).map((at, index) => at - times[index]!)
    expect(waits).toHaveLength(3)
    for (const wait of waits) expect(wait).toSatisfy((seconds: number) => seconds >= 30 && seconds <= 120)
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect(callsOf(/media$/)).toHaveLength(1)
    expect(t.sandbox.published).toHaveLength(1)
  })

  test.each([GONE, NOT_SHOWN])('the list of media is read if the container is not shown: %j', async (error) => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT')
    fail(/media_publish$/, acceptedThenBadGatewayFault())
    await createPublisher(t.context).tick()
    t.sandbox.faults.add({ match: isContainer, fault: graphErrorFault(error), times: FOREVER })
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED' })
    expect((await t.publications(id))[0]).toMatchObject({ external_id: t.sandbox.published[0]!.id, error: null })
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
  })

  test('media that are neither shown nor listed do not count as published', async () => {
    const [id] = await postOn('INSTAGRAM_ACCOUNT')
    fail(/media_publish$/, { kind: 'reset' })
    await createPublisher(t.context).tick()
    t.sandbox.faults.add({ match: isContainer, fault: graphErrorFault(GONE), times: FOREVER })
    await t.runToEnd()
    expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
    expect((await t.publications(id))[0]!.error).toMatch(/^It may have been published/)
    expect(callsOf(/media_publish$/)).toHaveLength(1)
  })
})

test.each([
  ['FB_PAGE', /photos$/, { code: 10, subcode: 1893063 }],
  ['INSTAGRAM_ACCOUNT', /media$/, { code: 25, subcode: 2207050 }],
] as const)("a restricted %s stops the channel, with the platform's reason", async (type, call, error) => {
  const [id, channelId] = await postOn(type)
  fail(call, graphErrorFault({ ...error, message: 'It is restricted.' }))
  await t.runToEnd()
  expect(await t.read(id)).toMatchObject({ status: 'FAILED' })
  expect((await t.tenant.get(200, '/channels')).body).toMatchObject([
    { id: channelId, status: 'needs-reconnect', problem: 'It is restricted.' },
  ])
})
