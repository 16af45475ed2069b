import { describe, expect, it } from 'vitest'
import { type Fault, refusedFault } from '../../packages/sandbox/src/make-faults.js'
import { INSTAGRAM_ID, PAGE_ACCESS_TOKEN, PAGE_ID, startPublishing } from '../../test/graph-harness.js'
import {
  findFeedPosts,
  findVideos,
  getVideoStatus,
  publishFeedPost,
  publishVideo,
  uploadPhoto,
} from './facebook/publishing.js'
import {
  createContainer,
  findMedia,
  getContainerStatus,
  getPublishingQuota,
  publishContainer,
} from './instagram/publishing.js'
import { networkOf } from './networks.js'

const IMAGE = { url: 'https://media.example/shirt.jpg' }
const VIDEO_URL = 'https://media.example/shirt.mp4'
const TEXT = 'New in: the "linen" shirt & more\n@aurora #novo ✨ عروض'
const MINUTE_MS = 60_000

/** Returns a function that always returns the current time of the clock. */
function sinceNow(clock: { now(): number }): () => Date {
  const since = new Date(clock.now())
  return () => since
}

const json = (body: Record<string, unknown>): Fault => ({ kind: 'answer', answer: { status: 200, body } })

describe('a post with a photo on a page', () => {
  it('is published once, and has a permalink', async () => {
    const { sandbox, page, clock } = await startPublishing()
    const photo = await uploadPhoto(page, IMAGE)
    expect(sandbox.published).toEqual([])
    const { id } = await publishFeedPost(page, { message: TEXT, photoId: photo.id })
    const permalink = `${sandbox.url}/pages/${PAGE_ID}#${id}`
    expect(sandbox.published).toEqual([
      {
        id,
        pageId: PAGE_ID,
        text: TEXT,
        mediaType: 'IMAGE',
        mediaUrl: IMAGE.url,
        publishedAt: clock.now(),
        permalink,
        received: 1,
      },
    ])
    expect(await networkOf(page).getPermalink(page, id)).toBe(permalink)
  })

  it('is found by its photo after a lost response, among posts with the same text', async () => {
    const { sandbox, page, clock } = await startPublishing()
    const since = sinceNow(clock)
    for (const url of ['https://media.example/1.jpg', 'https://media.example/2.jpg']) {
      const other = await uploadPhoto(page, { url })
      await publishFeedPost(page, { message: TEXT, photoId: other.id })
    }
    const photo = await uploadPhoto(page, IMAGE)
    const wanted = { message: TEXT, photoId: photo.id, since }
    expect(await findFeedPosts(page, wanted)).toEqual({ sameText: [] })

    sandbox.faults.add({ fault: { kind: 'accepted-then-reset' } })
    await expect(publishFeedPost(page, wanted)).rejects.toMatchObject({ outcome: 'unknown' })
    const { id, permalink } = sandbox.published.at(-1)!
    expect(await findFeedPosts(page, wanted)).toEqual({ exact: { id, permalink }, sameText: [] })
  })

  it('is found by its text if the posts do not list their photos', async () => {
    const { sandbox, page, clock } = await startPublishing()
    const wanted = { message: TEXT, photoId: '7', since: sinceNow(clock) }
    const post = (id: string, message: string): Record<string, unknown> => ({
      id: `${PAGE_ID}_${id}`,
      message,
      created_time: '2026-11-20T10:00:01+0100',
    })
    const ours = post('1', 'New in: the "linen"  shirt & more\naurora #novo ✨ عروض ')
    sandbox.faults.add({ fault: json({ data: [post('2', 'another'), ours] }) })
    sandbox.faults.add({ fault: json({ data: [ours, post('3', TEXT)] }) })
    expect(await findFeedPosts(page, wanted)).toEqual({ sameText: [{ id: ours.id }] })
    expect(await findFeedPosts(page, wanted)).toEqual({ sameText: [{ id: ours.id }, { id: `${PAGE_ID}_3` }] })
  })

  it('is found on a later page of a busy feed', async () => {
    const { sandbox, graph, page, clock } = await startPublishing()
    const since = sinceNow(clock)
    const photo = await uploadPhoto(page, IMAGE)
    const { id } = await publishFeedPost(page, { message: TEXT, photoId: photo.id })
    await Promise.all(Array.from({ length: 120 }, () => graph.post(`/${PAGE_ID}/feed`, { message: 'x' }, page.access)))
    const found = await findFeedPosts(page, { message: TEXT, photoId: photo.id, since })
    expect(found.exact?.id).toBe(id)
    expect(sandbox.requests.filter(({ method }) => method === 'GET')).toHaveLength(2)
  })
})

describe('a video on a page', () => {
  it('is published, processed, and has a permalink', async () => {
    const { sandbox, page } = await startPublishing()
    sandbox.faults.add({ fault: { kind: 'processing', polls: 2 } })
    const { id } = await publishVideo(page, { url: VIDEO_URL, description: TEXT })
    expect(await getVideoStatus(page, id)).toEqual({ status: 'PROCESSING' })
    expect(await getVideoStatus(page, id)).toEqual({ status: 'PROCESSING' })
    expect(await getVideoStatus(page, id)).toEqual({ status: 'READY' })
    expect(sandbox.published).toMatchObject([{ id, text: TEXT, mediaType: 'VIDEO', mediaUrl: VIDEO_URL, received: 1 }])
    expect(await networkOf(page).getPermalink(page, id)).toBe(`${sandbox.url}/pages/${PAGE_ID}#${id}`)
  })

  it('that cannot be processed has a reason', async () => {
    const { sandbox, page } = await startPublishing()
    sandbox.faults.add({ fault: { kind: 'processing', polls: 1, error: 'The codec is not known.' } })
    const { id } = await publishVideo(page, { url: VIDEO_URL, description: TEXT })
    expect(await getVideoStatus(page, id)).toEqual({ status: 'PROCESSING' })
    expect(await getVideoStatus(page, id)).toEqual({ status: 'ERROR', reason: 'The codec is not known.' })
    expect(sandbox.published).toEqual([])
  })

  it('is found by its description after a lost response, with others published since', async () => {
    const { sandbox, page, clock } = await startPublishing()
    const video = { url: VIDEO_URL, description: TEXT }
    await publishVideo(page, video)
    clock.advance(10 * MINUTE_MS)
    const wanted = { description: TEXT, since: sinceNow(clock) }
    expect(await findVideos(page, wanted)).toEqual({ sameText: [] })

    sandbox.faults.add({ fault: { kind: 'accepted-then-reset' } })
    await expect(publishVideo(page, video)).rejects.toMatchObject({ outcome: 'unknown' })
    const { id, permalink } = sandbox.published.at(-1)!
    expect(await findVideos(page, wanted)).toEqual({ sameText: [{ id, permalink }] })

    await publishVideo(page, video)
    expect((await findVideos(page, wanted)).sameText).toHaveLength(2)
  })

  it('is not searched for among older videos, although the list ignores `since`', async () => {
    const { sandbox, page, clock } = await startPublishing()
    await Promise.all(Array.from({ length: 101 }, () => publishVideo(page, { url: VIDEO_URL, description: TEXT })))
    clock.advance(MINUTE_MS)
    expect(await findVideos(page, { description: TEXT, since: sinceNow(clock) })).toEqual({ sameText: [] })
    expect(sandbox.requests.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })

  it.each<[string, unknown, string | undefined]>([
    ['absolute', 'https://www.facebook.com/7', 'https://www.facebook.com/7'],
    ['without a host', '/shop/videos/7/', 'https://www.facebook.com/shop/videos/7/'],
    ['with another scheme', 'javascript:alert(1)', undefined],
    ['missing', undefined, undefined],
  ])('has a permalink only if that is a web address (%s)', async (_name, given, expected) => {
    const { sandbox, page } = await startPublishing()
    sandbox.faults.add({ fault: json({ id: '7', permalink_url: given }) })
    expect(await networkOf(page).getPermalink(page, `${PAGE_ID}_7`)).toBe(expected)
  })
})

describe('a publication on Instagram', () => {
  it.each([
    ['IMAGE', IMAGE.url],
    ['VIDEO', VIDEO_URL],
  ] as const)('(%s) uses a container, and is published once', async (mediaType, url) => {
    const { sandbox, account } = await startPublishing()
    sandbox.faults.add({ fault: { kind: 'processing', polls: 1 } })
    const container = await createContainer(account, { mediaType, url, caption: TEXT })
    await expect(publishContainer(account, container.id)).rejects.toMatchObject({
      kind: 'transient',
      outcome: 'refused',
      code: 9007,
    })
    expect(await getContainerStatus(account, container.id)).toEqual({ status: 'IN_PROGRESS' })
    expect(await getContainerStatus(account, container.id)).toEqual({ status: 'FINISHED' })
    expect(sandbox.published).toEqual([])
    const { id } = await publishContainer(account, container.id)
    expect(await getContainerStatus(account, container.id)).toEqual({ status: 'PUBLISHED' })
    expect(sandbox.published).toMatchObject([
      { id, pageId: INSTAGRAM_ID, text: TEXT, mediaType, mediaUrl: url, received: 2 },
    ])
    expect(await networkOf(account).getPermalink(account, id)).toBe(`${sandbox.url}/pages/${INSTAGRAM_ID}#${id}`)
    await expect(publishContainer(account, container.id)).rejects.toMatchObject({ outcome: 'refused' })
    expect(sandbox.published).toMatchObject([{ received: 3 }])
  })

  it('has a reason if its container failed, and cannot be published once its container has expired', async () => {
    const { sandbox, account, clock } = await startPublishing()
    const image = { mediaType: 'IMAGE', url: IMAGE.url, caption: TEXT } as const
    sandbox.faults.add({ fault: { kind: 'processing', polls: 0, error: 'The ratio is not supported.' } })
    const failed = await createContainer(account, image)
    const reason = 'Error: The ratio is not supported.'
    expect(await getContainerStatus(account, failed.id)).toEqual({ status: 'ERROR', reason })

    const old = await createContainer(account, image)
    clock.advance(24 * 60 * MINUTE_MS - 1)
    expect(await getContainerStatus(account, old.id)).toEqual({ status: 'FINISHED' })
    clock.advance(1)
    expect(await getContainerStatus(account, old.id)).toEqual({ status: 'EXPIRED' })
    await expect(publishContainer(account, old.id)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('is found by its caption after a lost response, with others published since', async () => {
    const { sandbox, account, clock } = await startPublishing()
    const publish = async (caption: string): Promise<void> => {
      const container = await createContainer(account, { mediaType: 'IMAGE', url: IMAGE.url, caption })
      await publishContainer(account, container.id)
    }
    await publish(TEXT)
    clock.advance(MINUTE_MS)
    const wanted = { caption: TEXT, since: sinceNow(clock) }
    await publish('Something else')
    expect(await findMedia(account, wanted)).toEqual({ sameText: [] })

    sandbox.faults.add({ fault: { kind: 'accepted-then-reset' }, match: /media_publish/ })
    await expect(publish(TEXT)).rejects.toMatchObject({ outcome: 'unknown' })
    const { id, permalink } = sandbox.published.at(-1)!
    expect(await findMedia(account, wanted)).toEqual({ sameText: [{ id, permalink }] })

    await publish(TEXT)
    expect((await findMedia(account, wanted)).sameText).toHaveLength(2)
  })

  it('counts against the quota', async () => {
    const { sandbox, account } = await startPublishing()
    const container = await createContainer(account, { mediaType: 'IMAGE', url: IMAGE.url, caption: TEXT })
    expect(await getPublishingQuota(account)).toEqual({ used: 0, total: 50 })
    sandbox.model.pages!.find(({ id }) => id === INSTAGRAM_ID)!.quotaTotal = 1
    await publishContainer(account, container.id)
    expect(await getPublishingQuota(account)).toEqual({ used: 1, total: 1 })
  })
})

describe('any call to the platform', () => {
  it('an id that is not all digits is never sent', async () => {
    const { sandbox, page } = await startPublishing()
    const odd = { ...page, platformId: '../me' }
    const calls = [
      uploadPhoto(odd, IMAGE),
      publishFeedPost(odd, { message: TEXT, photoId: '1' }),
      publishContainer(odd, '1'),
      getContainerStatus(page, '1?x'),
      getVideoStatus(page, ''),
      networkOf(page).getPermalink(page, '1_../me'),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ kind: 'not-found', outcome: 'refused' })
    expect(sandbox.requests).toEqual([])
  })

  it.each([
    {},
    { id: 7 },
    { id: '' },
    { id: '1/2' },
    { success: true },
  ])('a publication answered with %j may have succeeded', async (body) => {
    const { sandbox, page } = await startPublishing()
    sandbox.faults.add({ fault: json(body) })
    const call = publishFeedPost(page, { message: TEXT, photoId: '1' })
    await expect(call).rejects.toMatchObject({ kind: 'nonsense', outcome: 'unknown' })
  })

  it.each<[string, Record<string, unknown>]>([
    ['no list', {}],
    ['an empty list', { data: [] }],
    ['no config', { data: [{ quota_usage: 1 }] }],
    ['text instead of a number', { data: [{ quota_usage: '1', config: { quota_total: 50, quota_duration: 86_400 } }] }],
  ])('a quota response with %s is nonsense', async (_name, body) => {
    const { sandbox, account } = await startPublishing()
    sandbox.faults.add({ fault: json(body) })
    await expect(getPublishingQuota(account)).rejects.toMatchObject({ kind: 'nonsense' })
  })

  it('an unknown status is nonsense', async () => {
    const { sandbox, account, page } = await startPublishing()
    sandbox.faults.add({ fault: json({ status_code: 'NEARLY' }), times: 1 })
    sandbox.faults.add({ fault: json({ status: {} }), times: 1 })
    await expect(getContainerStatus(account, '7')).rejects.toMatchObject({ kind: 'nonsense' })
    await expect(getVideoStatus(page, '7')).rejects.toMatchObject({ kind: 'nonsense' })
  })

  it('a refusal contains the user-facing message, and no token', async () => {
    const { sandbox, page } = await startPublishing()
    sandbox.faults.add({ fault: refusedFault('Photos of this page must have a caption.') })
    const call = publishFeedPost(page, { message: TEXT, photoId: '1' })
    await expect(call).rejects.toMatchObject({
      kind: 'invalid',
      outcome: 'refused',
      userText: 'Photos of this page must have a caption.',
      message: expect.not.stringContaining(PAGE_ACCESS_TOKEN),
    })
  })
})
