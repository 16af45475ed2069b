import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { RecordedRequest } from '../../packages/sandbox/src/route.js'
import {
  AD_ACCOUNT_ID,
  INSTAGRAM_ID,
  makeAccount,
  makeCampaign,
  makePages,
  PAGE_ACCESS_TOKEN,
  PAGE_ID,
  startGraph,
} from '../../test/graph-harness.js'
import type { ChannelType } from '../interface/generated/types.js'
import { findCampaign, listCampaignDays, listCampaignsPage } from './campaigns.js'
import {
  canReplyPrivately,
  findCommentedId,
  likeComment,
  listComments,
  sendMessage,
  sendPrivateReply,
  sendPublicReply,
} from './comments.js'
import {
  createContainer,
  findFeedPosts,
  findMedia,
  findVideos,
  getContainerStatus,
  getPermalink,
  getPublishingQuota,
  getVideoStatus,
  hasPhoto,
  publishContainer,
  publishFeedPost,
  publishVideo,
  uploadPhoto,
} from './publishing.js'
import { listSubscribedFields, readProfile, subscribe } from './subscriptions.js'
import { toChannelTarget } from './target.js'
import {
  findPageOfAccount,
  getAdAccount,
  getInstagramAccount,
  getInstagramOwner,
  getTokenOwner,
  inspectToken,
  listPermissions,
  mayReadComments,
  mayReadMessages,
  readFeed,
  refreshToken,
} from './tokens.js'

// Since 2026-11-04 new apps may not use these on any version, and v28.0 removes them for all:
// https://developers.facebook.com/blog/post/2026/11/04/introducing-graph-api-v27-and-marketing-api-v27/

type Call = Pick<RecordedRequest, 'path' | 'query' | 'body'>

const PARAMETERS: Readonly<Record<string, string>> = {
  ids: 'multi-ID request',
  date_format: 'date format',
  method: 'method override',
  callback: 'JSONP',
}

/** Lists the removed features that the call uses, also in the calls of a batch. */
function legacyFeaturesOf({ path, query, body = {} }: Call): string[] {
  const { batch, ...own } = { ...query, ...body }
  const text = JSON.stringify([path, own])
  return [
    ...Object.keys(own).flatMap((name) => PARAMETERS[name] ?? []),
    ...(/\.as\(/.test(text) ? ['field alias'] : []),
    ...(/async/i.test(text) ? ['asynchronous batch'] : []),
    ...(text.includes('total_video_consumption_rate') ? ['metric'] : []),
    ...(Array.isArray(batch) ? batch : []).flatMap((item: { relative_url: string; body?: string }) => {
      const { pathname, searchParams } = new URL(item.relative_url, 'http://batch.invalid/')
      const params = [...searchParams, ...new URLSearchParams(item.body)]
      return legacyFeaturesOf({ path: pathname, query: Object.fromEntries(params) })
    }),
  ]
}

test.each<[string, Partial<Call>]>([
  ['multi-ID request', { path: '/', query: { ids: '1,2', fields: 'id' } }],
  ['date format', { query: { date_format: 'U' } }],
  ['method override', { query: { method: 'delete' } }],
  ['method override', { body: { method: 'DELETE' } }],
  ['JSONP', { query: { callback: 'done' } }],
  ['field alias', { query: { fields: 'id,insights.time_increment(1).as(days){spend}' } }],
  ['asynchronous batch', { path: '/act_1/async_batch_requests' }],
  ['asynchronous batch', { path: '/', body: { batch: [], asyncbatch: true } }],
  ['metric', { query: { metric: 'total_video_views,total_video_consumption_rate' } }],
  ['multi-ID request', { path: '/', body: { batch: [{ method: 'GET', relative_url: '?ids=1,2' }] } }],
  ['JSONP', { path: '/', body: { batch: [{ method: 'POST', relative_url: '1/feed', body: 'callback=done' }] } }],
])('%s: recognized in %j', (feature, call) => {
  expect(legacyFeaturesOf({ path: '/1', query: {}, ...call })).toEqual([feature])
})

/** These make no call of their own, or one that is not of the Graph API. */
const HELPERS = ['listPages', 'orApiError', 'orTokenError', 'reach']

/** The names of this directory's functions that wait for an answer. */
async function listWaiting(): Promise<string[]> {
  const files = readdirSync(import.meta.dirname).filter((name) => /^[\w-]+\.ts$/.test(name))
  const modules = await Promise.all(files.map((name) => import(pathToFileURL(join(import.meta.dirname, name)).href)))
  const names = modules.flatMap((module: object) =>
    Object.entries(module).flatMap(([name, value]) =>
      typeof value === 'function' && value.constructor.name.startsWith('Async') ? [name] : [],
    ),
  )
  return [...new Set(names)].toSorted()
}

const CAMPAIGN = makeCampaign(['2026-11-02'])
const URL_OF_MEDIA = 'https://media.example/shirt.jpg'
const TEXT = 'New in: shirts'
const OWN_ID = '17841400008460099'
const INSTAGRAM_TOKEN = 'IGAAtopSecretInstagramToken'

async function start() {
  const accounts = [makeAccount({ campaigns: [CAMPAIGN] })]
  const harness = await startGraph(accounts, { appSecret: 'app-secret', pages: makePages() })
  const { sandbox, graph, clock } = harness
  const target = (type: ChannelType, id: string, accessToken = PAGE_ACCESS_TOKEN) =>
    toChannelTarget(graph, { channelId: `${type}_${id}`, type, pageId: null }, accessToken)
  sandbox.model.pages!.push({ id: OWN_ID, platform: 'instagram', name: 'maker', accessToken: INSTAGRAM_TOKEN })
  const calls = new Map<string, Call[]>()
  return {
    ...{ ...harness, calls, page: target('FB_PAGE', PAGE_ID), account: target('INSTAGRAM_ACCOUNT', INSTAGRAM_ID) },
    own: target('INSTAGRAM_ACCOUNT', OWN_ID, INSTAGRAM_TOKEN),
    since: () => new Date(clock.now()),
    /** Runs a function one or more times, and records its calls under its name. Returns its last answer. */
    async run<Answer>(of: { name: string }, ...times: (() => Promise<Answer>)[]): Promise<Answer> {
      const before = sandbox.requests.length
      let answer: Answer
      for (const time of times) answer = await time()
      calls.set(of.name, sandbox.requests.slice(before))
      return answer!
    },
  }
}

type Started = Awaited<ReturnType<typeof start>>

async function runInsights({ run, graph, access }: Started): Promise<void> {
  const window = { startDate: '2026-11-01', endDate: '2026-11-07' }
  const list = { adAccountId: AD_ACCOUNT_ID, window, limit: 5, after: undefined }
  await run(listCampaignsPage, () => listCampaignsPage(graph, access, list))
  await run(findCampaign, () => findCampaign(graph, access, CAMPAIGN.id))
  await run(listCampaignDays, () => listCampaignDays(graph, access, CAMPAIGN.id, window))
}

/** Returns the id of the video. */
async function runPublishing({ run, page, account, since }: Started): Promise<string> {
  const [url, altText, caption] = [URL_OF_MEDIA, 'A shirt', TEXT]
  const { id: photoId } = await run(uploadPhoto, () => uploadPhoto(page, { url, altText }))
  await run(hasPhoto, () => hasPhoto(page, photoId))
  const { id: postId } = await run(publishFeedPost, () => publishFeedPost(page, { message: TEXT, photoId }))
  await run(findFeedPosts, () => findFeedPosts(page, { message: TEXT, photoId, since }))
  const { id: videoId } = await run(publishVideo, () => publishVideo(page, { url, description: TEXT }))
  await run(findVideos, () => findVideos(page, { description: TEXT, since }))
  await run(getVideoStatus, () => getVideoStatus(page, videoId))
  await run(getPublishingQuota, () => getPublishingQuota(account))
  const { id: containerId } = await run(
    createContainer,
    () => createContainer(account, { mediaType: 'VIDEO', url, caption }),
    () => createContainer(account, { mediaType: 'IMAGE', url, altText, caption }),
  )
  await run(getContainerStatus, () => getContainerStatus(account, containerId))
  const { id: mediaId } = await run(publishContainer, () => publishContainer(account, containerId))
  await run(findMedia, () => findMedia(account, { caption, since }))
  await run(
    getPermalink,
    () => getPermalink(page, postId),
    () => getPermalink(page, videoId),
    () => getPermalink(account, mediaId),
  )
  return videoId
}

async function runComments({ run, sandbox, page, account, clock }: Started, videoId: string): Promise<void> {
  const types = [
    { type: 'FB_PAGE', target: page, pageId: PAGE_ID, postId: `${PAGE_ID}_1200000000000001` },
    { type: 'INSTAGRAM_ACCOUNT', target: account, pageId: INSTAGRAM_ID, postId: '18000000000000001' },
  ] as const
  const commented = await Promise.all(
    types.map(async ({ pageId, postId, ...more }) => {
      const commentId = await sandbox.comment({ pageId, postId, from: 'Ana', text: 'Price?' })
      await sandbox.comments.write({ pageId, from: 'Ana', text: 'Hello' })
      return { ...more, postId, commentId, recipientId: sandbox.comments.require(commentId).person!.conversationId }
    }),
  )
  /** Runs it on a page and on an Instagram account. */
  const runBoth = (of: { name: string }, ask: (on: (typeof commented)[number]) => Promise<unknown>) =>
    run(of, ...commented.map((on) => () => ask(on)))
  await runBoth(listComments, async ({ type, target, postId }) => {
    const what = { type, objectId: postId, sinceMs: clock.now() - 1000, pagesMax: 2 }
    for await (const listed of listComments(target, what)) expect(listed).toHaveLength(1)
  })
  const video = { type: 'FB_PAGE', externalId: videoId, mediaType: 'VIDEO' } as const
  await run(findCommentedId, () => findCommentedId(page, video))
  await run(canReplyPrivately, () => canReplyPrivately(page, commented[0]!.commentId))
  const links = [{ text: 'Shop', url: 'https://shop.example/' }]
  const message = { text: 'Here', mediaUrl: URL_OF_MEDIA, links }
  await runBoth(sendPrivateReply, ({ target, ...to }) => sendPrivateReply(target, { ...to, message }))
  await runBoth(sendPublicReply, ({ target, ...to }) => sendPublicReply(target, { ...to, text: TEXT }))
  await runBoth(likeComment, ({ target, ...to }) => likeComment(target, to))
  await runBoth(sendMessage, ({ target, recipientId }) => sendMessage(target, { recipientId, message }))
}

async function runConnecting({ run, sandbox, graph, page, account, own, access }: Started): Promise<void> {
  await run(subscribe, () => subscribe(page, ['feed', 'messages']))
  await run(listSubscribedFields, () => listSubscribedFields(page))
  const people = [page, account].map(({ platformId }) => {
    const of = sandbox.model.pages!.find(({ id }) => id === platformId)!
    return sandbox.comments.people.of(of, 'Ana').conversationId
  })
  await run(readProfile, ...[page, account].map((target, at) => () => readProfile(target, people[at]!)))
  await run(findPageOfAccount, () => findPageOfAccount(account))
  await run(getInstagramOwner, () => getInstagramOwner(graph, own.access))
  await run(mayReadComments, () => mayReadComments(own))
  await run(mayReadMessages, () => mayReadMessages(own))
  await run(refreshToken, () => refreshToken(graph, own.access))
  await run(getTokenOwner, () => getTokenOwner(graph, page.access))
  await run(getInstagramAccount, () => getInstagramAccount(graph, account.access, INSTAGRAM_ID))
  await run(getAdAccount, () => getAdAccount(graph, access, AD_ACCOUNT_ID))
  await run(readFeed, () => readFeed(graph, page.access, PAGE_ID))
  await run(listPermissions, () => listPermissions(graph, page.access))
  await run(
    inspectToken,
    () => inspectToken(graph, page.access, 'app-secret'),
    () => inspectToken(graph, page.access, undefined),
  )
}

test('no function that makes calls uses a feature removed by v28.0', async () => {
  const started = await start()
  await runInsights(started)
  await runComments(started, await runPublishing(started))
  await runConnecting(started)
  const { calls } = started
  expect([...calls.keys(), ...HELPERS].toSorted()).toEqual(await listWaiting())
  expect([...calls].filter(([, made]) => made.length === 0)).toEqual([])
  const used = [...calls].flatMap(([name, made]) => made.flatMap(legacyFeaturesOf).map((one) => `${name}: ${one}`))
  expect(used).toEqual([])
})
