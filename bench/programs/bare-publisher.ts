/**
 * The ceiling of bench/publishing.ts: makes the platform calls of the given posts, several posts at a time, without a
 * database, a schedule or stored state. Takes the sandbox's URL, an access token, the posts as JSON, and how many to
 * publish at a time.
 */
import { pino } from 'pino'
import { createGraphClient } from '../../src/graph/graph-client.js'
import {
  createContainer,
  getContainerStatus,
  getPermalink,
  getPublishingQuota,
  publishContainer,
  publishFeedPost,
  uploadPhoto,
} from '../../src/graph/publishing.js'
import { toChannelTarget } from '../../src/graph/target.js'
import type { ChannelType } from '../../src/interface/generated/types.js'
import { systemClock } from '../../src/lib/clock.js'

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
  const photo = await uploadPhoto(page, { url })
  const { id } = await publishFeedPost(page, { message: caption, photoId: photo.id })
  await getPermalink(page, id)
}

async function publishOnInstagram({ accountId, caption, url }: BenchPost): Promise<void> {
  const account = target('INSTAGRAM_ACCOUNT', accountId)
  await getPublishingQuota(account)
  const container = await createContainer(account, { mediaType: 'IMAGE', url, caption })
  await getContainerStatus(account, container.id)
  const media = await publishContainer(account, container.id)
  await getPermalink(account, media.id)
}

await Promise.all(Array.from({ length: Number(atATime) }, publishPosts))
