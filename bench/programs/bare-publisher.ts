/**
 * The ceiling of bench/publishing.ts: makes the platform calls of the given posts, several posts at a time, without a
 * database, a schedule or stored state. Takes the sandbox's URL, an access token, the posts as JSON, and how many to
 * publish at a time.
 */
import { pino } from 'pino'
import { createGraphClient } from '../../src/graph/graph-client.js'
import type { ChannelType } from '../../src/interface/generated/types.js'
import { systemClock } from '../../src/lib/clock.js'
import * as facebook from '../../src/networks/facebook/publishing.js'
import * as instagram from '../../src/networks/instagram/publishing.js'
import { toChannelTarget } from '../../src/networks/target.js'

const [graphBaseUrl = '', accessToken = '', postsJson = '[]', atATime = '1'] = process.argv.slice(2)
interface BenchPost {
  pageId: string
  accountId: string
  caption: string
  url: string
}

const posts = JSON.parse(postsJson) as BenchPost[]
const graph = createGraphClient(
  {
    baseUrl: graphBaseUrl,
    version: 'v27.0',
    appSecret: undefined,
    timeoutMs: 25_000,
    instagramUrl: undefined,
    instagramAppSecret: undefined,
  },
  { clock: systemClock, log: pino({ level: 'info' }) },
)
const target = (type: ChannelType, platformId: string) =>
  toChannelTarget(graph, { channelId: `${type}_${platformId}`, type, pageId: null }, accessToken)

async function publishPosts(): Promise<void> {
  for (let post = posts.shift(); post !== undefined; post = posts.shift()) {
    await Promise.all([publishOnPage(post), publishOnInstagram(post)])
  }
}

async function publishOnPage({ pageId, caption, url }: BenchPost): Promise<void> {
  const page = target('FB_PAGE', pageId)
  const photo = await facebook.uploadPhoto(page, { url })
  const { id } = await facebook.publishFeedPost(page, { message: caption, photoId: photo.id })
  await facebook.getPermalink(page, id)
}

async function publishOnInstagram({ accountId, caption, url }: BenchPost): Promise<void> {
  const account = target('INSTAGRAM_ACCOUNT', accountId)
  await instagram.getPublishingQuota(account)
  const container = await instagram.createContainer(account, { mediaType: 'IMAGE', url, caption })
  await instagram.getContainerStatus(account, container.id)
  const media = await instagram.publishContainer(account, container.id)
  await instagram.getPermalink(account, media.id)
}

await Promise.all(Array.from({ length: Number(atATime) }, publishPosts))
