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
import { findCampaign, listCampaignDays, listCampaignsPage } from '../graph/campaigns.js'
import { getAdAccount, inspectToken, listPermissions } from '../graph/tokens.js'
import type { ChannelType } from '../interface/generated/types.js'
import * as pages from './facebook/publishing.js'
import * as connectAccount from './instagram/connect.js'
import * as accounts from './instagram/publishing.js'
import type { Network } from './network.js'
import { networkOf } from './networks.js'
import { listSubscribedFields, readProfile, subscribe } from './subscriptions.js'
import { toChannelTarget } from './target.js'

// Since 2026-11-04 new apps may not use these on any version, and v28.0 ends them for all:
// https://developers.facebook.com/blog/post/2026/11/04/introducing-graph-api-v27-and-marketing-api-v27/

type Call = Pick<RecordedRequest, 'path' | 'query' | 'body'>

const PARAMETERS: Readonly<Record<string, string>> = {
  ids: 'multi-ID request',
  date_format: 'date format',
  method: 'method override',
  callback: 'JSONP',
}

/** Names what the call uses that is ended, also in the calls of a batch. */
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

/** They make no call of their own, or one that is not of the Graph API. */
const HELPERS = [
  ...['listPages', 'orApiError', 'orTokenError', 'undefinedIfRefused', 'reach'],
  ...['listCommentPages', 'listSince', 'postLike', 'postMessage', 'postReply', 'read'],
]

/** The names of the functions that wait for a response: those of a network behind the name of its folder. */
async function listWaiting(): Promise<string[]> {
  const root = join(import.meta.dirname, '..')
  const folders = ['graph', 'networks', 'networks/facebook', 'networks/instagram']
  const named = folders.map(async (folder) => {
    const files = readdirSync(join(root, folder)).filter((name) => /^[\w-]+\.ts$/.test(name))
    const modules = await Promise.all(files.map((name) => import(pathToFileURL(join(root, folder, name)).href)))
    const [, network] = folder.split('/')
    return modules.flatMap((module: object) =>
      Object.entries(module).flatMap(([name, value]) => {
        const waits = typeof value === 'function' && value.constructor.name.startsWith('Async')
        return waits ? [network === undefined ? name : `${network} ${name}`] : []
      }),
    )
  })
  return [...new Set((await Promise.all(named)).flat())].toSorted()
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
    /** Runs something one time or several, and notes its calls under the name. Returns its last response. */
    async run<Answer>(name: string, ...times: (() => Promise<Answer>)[]): Promise<Answer> {
      const before = sandbox.requests.length
      let answer: Answer
      for (const time of times) answer = await time()
      calls.set(name, sandbox.requests.slice(before))
      return answer!
    },
  }
}

type Started = Awaited<ReturnType<typeof start>>

async function runInsights({ run, graph, access }: Started): Promise<void> {
  const window = { startDate: '2026-11-01', endDate: '2026-11-07' }
  const list = { adAccountId: AD_ACCOUNT_ID, window, limit: 5, after: undefined }
  await run('listCampaignsPage', () => listCampaignsPage(graph, access, list))
  await run('findCampaign', () => findCampaign(graph, access, CAMPAIGN.id))
  await run('listCampaignDays', () => listCampaignDays(graph, access, CAMPAIGN.id, window))
}

/** Returns the id of the video. */
async function runPages({ run, page, since }: Started): Promise<string> {
  const [url, altText] = [URL_OF_MEDIA, 'A shirt']
  const { id: photoId } = await run('facebook uploadPhoto', () => pages.uploadPhoto(page, { url, altText }))
  await run('facebook hasPhoto', () => pages.hasPhoto(page, photoId))
  const post = { message: TEXT, photoId, since }
  const { id: postId } = await run('facebook publishFeedPost', () => pages.publishFeedPost(page, post))
  await run('facebook findFeedPosts', () => pages.findFeedPosts(page, post))
  const video = { url, description: TEXT, since }
  const { id: videoId } = await run('facebook publishVideo', () => pages.publishVideo(page, video))
  await run('facebook findVideos', () => pages.findVideos(page, video))
  await run('facebook getVideoStatus', () => pages.getVideoStatus(page, videoId))
  await run('facebook getPermalink', ...[postId, videoId].map((id) => () => pages.getPermalink(page, id)))
  return videoId
}

async function runAccounts({ run, account, since }: Started): Promise<void> {
  const [url, altText, caption] = [URL_OF_MEDIA, 'A shirt', TEXT]
  await run('instagram getPublishingQuota', () => accounts.getPublishingQuota(account))
  const { id: containerId } = await run(
    'instagram createContainer',
    () => accounts.createContainer(account, { mediaType: 'VIDEO', url, caption }),
    () => accounts.createContainer(account, { mediaType: 'IMAGE', url, altText, caption }),
  )
  await run('instagram getContainerStatus', () => accounts.getContainerStatus(account, containerId))
  const published = () => accounts.publishContainer(account, containerId)
  const { id: mediaId } = await run('instagram publishContainer', published)
  await run('instagram findMedia', () => accounts.findMedia(account, { caption, since }))
  await run('instagram getPermalink', () => accounts.getPermalink(account, mediaId))
}

async function runComments({ run, sandbox, page, account, clock }: Started, videoId: string): Promise<void> {
  for (const [name, target, postId] of [
    ['facebook', page, `${PAGE_ID}_1200000000000001`],
    ['instagram', account, '18000000000000001'],
  ] as const) {
    const pageId = target.platformId
    const commentId = await sandbox.comment({ pageId, postId, from: 'Ana', text: 'Price?' })
    await sandbox.comments.write({ pageId, from: 'Ana', text: 'Hello' })
    const { conversationId: recipientId } = sandbox.comments.require(commentId).person!
    const network = networkOf(target)
    const runOwn = (method: keyof Network, call: () => Promise<unknown>) => run(`${name} ${method}`, call)
    await runOwn('listComments', async () => {
      const list = { objectId: postId, sinceMs: clock.now() - 1000, pagesMax: 2 }
      for await (const listed of network.listComments(target, list)) expect(listed).toHaveLength(1)
    })
    if (name === 'facebook') {
      const video = { externalId: videoId, mediaType: 'VIDEO' } as const
      await runOwn('findCommentedId', () => network.findCommentedId(target, video))
      await runOwn('mayReplyPrivately', () => network.mayReplyPrivately(target, commentId))
    }
    const links = [{ text: 'Shop', url: 'https://shop.example/' }]
    const message = { text: 'Here', mediaUrl: URL_OF_MEDIA, links }
    await runOwn('sendPrivateReply', () => network.sendPrivateReply(target, { commentId, message }))
    await runOwn('sendPublicReply', () => network.sendPublicReply(target, { commentId, text: TEXT }))
    await runOwn('likeComment', () => network.likeComment(target, commentId))
    await runOwn('sendMessage', () => network.sendMessage(target, { recipientId, message }))
  }
}

async function runConnecting({ run, sandbox, graph, page, account, own, access }: Started): Promise<void> {
  await run('subscribe', () => subscribe(page, ['feed', 'messages']))
  await run('listSubscribedFields', () => listSubscribedFields(page))
  const people = [page, account].map(({ platformId }) => {
    const of = sandbox.model.pages!.find(({ id }) => id === platformId)!
    return sandbox.comments.people.of(of, 'Ana').conversationId
  })
  await run('readProfile', ...[page, account].map((target, at) => () => readProfile(target, people[at]!)))
  // With a secret of the app, and without: then other calls show what the token may do.
  const checks = (target: typeof page) =>
    ['app-secret', undefined].map((secret) => () => networkOf(target).checkToken(target, secret))
  await run('facebook checkToken', ...checks(page))
  await run('instagram checkToken', ...[account, own].flatMap(checks))
  await run('instagram findPage', () => networkOf(account).findPage(account))
  await run('instagram refreshToken', () => connectAccount.refreshToken(graph, own.access))
  await run('getAdAccount', () => getAdAccount(graph, access, AD_ACCOUNT_ID))
  await run('listPermissions', () => listPermissions(graph, page.access))
  await run('inspectToken', ...['app-secret', undefined].map((key) => () => inspectToken(graph, page.access, key)))
}

test('no function that makes calls uses what v28.0 ends', async () => {
  const started = await start()
  await runInsights(started)
  await runAccounts(started)
  await runComments(started, await runPages(started))
  await runConnecting(started)
  const { calls } = started
  expect([...calls.keys(), ...HELPERS].toSorted()).toEqual(await listWaiting())
  expect([...calls].filter(([, made]) => made.length === 0)).toEqual([])
  const used = [...calls].flatMap(([name, made]) => made.flatMap(legacyFeaturesOf).map((one) => `${name}: ${one}`))
  expect(used).toEqual([])
})
