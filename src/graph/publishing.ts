import { toNormalForm } from '../interface/normal-form.js'
import { toRecord } from '../lib/json.js'
import { GraphError } from './graph-error.js'
import { listPages, nonsense, parseInstant, readData, requireId, requireText } from './reading.js'
import type { ChannelTarget } from './target.js'

/** A publication, as the platform shows it. */
export interface Published {
  id: string
  permalink?: string
}

/** The instant from which items count, by the platform's clock, which the first answer tells: so it is read after one. */
export type Since = () => Date

/** The items on the platform that a call may have published. */
export interface FoundPublished {
  /** It names what was prepared for the call. */
  exact?: Published
  /** These have the text of the call. */
  sameText: Published[]
}

const CONTAINER_STATUSES = ['IN_PROGRESS', 'FINISHED', 'ERROR', 'EXPIRED', 'PUBLISHED'] as const

interface Processing<Status> {
  status: Status
  /** The platform's own text, with ERROR where it gave one. */
  reason?: string
}

// Every function throws a GraphError. A call that publishes must not be repeated: the error's `outcome` tells whether it
// may have gone through.

// Pages.

/** Uploads a photo without publishing it. May be repeated. */
export async function uploadPhoto(
  { graph, platformId, access }: ChannelTarget,
  { url, altText }: { url: string; altText?: string | undefined },
): Promise<{ id: string }> {
  const params = { url, published: false, ...(altText === undefined ? {} : { alt_text_custom: altText }) }
  return toId(await graph.post(`/${requireId(platformId)}/photos`, params, access))
}

/** Tells whether an uploaded photo is still there: the platform keeps one that no post shows for about a day. */
export async function hasPhoto({ graph, access }: ChannelTarget, photoId: string): Promise<boolean> {
  try {
    await graph.get(`/${requireId(photoId)}`, { fields: 'id' }, access)
    return true
  } catch (error) {
    if (error instanceof GraphError && error.kind === 'not-found') return false
    throw error
  }
}

/** Publishes a post with an uploaded photo. Its id is `<page>_<post>`. */
export async function publishFeedPost(
  { graph, platformId, access }: ChannelTarget,
  { message, photoId }: { message: string; photoId: string },
): Promise<{ id: string }> {
  const params = { message, attached_media: [{ media_fbid: photoId }] }
  return toId(await graph.post(`/${requireId(platformId)}/feed`, params, access))
}

/**
 * The post that `publishFeedPost` made with this photo (`exact`). Where the platform does not list a post's photos, those
 * since then with this message.
 */
export async function findFeedPosts(
  target: ChannelTarget,
  { message, photoId, since }: { message: string; photoId: string; since: Since },
): Promise<FoundPublished> {
  const fields = 'id,message,created_time,permalink_url,attachments{target}'
  const posts = await listSince(target, { edge: 'feed', fields, timeField: 'created_time', since })
  const withPhoto = posts.find((post) => targetIds(post).includes(photoId))
  if (withPhoto !== undefined) return { exact: toPublished(withPhoto), sameText: [] }
  const withoutPhotos = posts.filter((post) => targetIds(post).length === 0)
  return { sameText: publishedWith('message', message, withoutPhotos) }
}

/** Publishes a video, which the platform fetches and processes afterwards: see `getVideoStatus`. */
export async function publishVideo(
  { graph, platformId, access }: ChannelTarget,
  { url, description }: { url: string; description: string },
): Promise<{ id: string }> {
  return toId(await graph.post(`/${requireId(platformId)}/videos`, { file_url: url, description }, access))
}

/** The videos since then with this description. */
export async function findVideos(
  target: ChannelTarget,
  { description, since }: { description: string; since: Since },
): Promise<FoundPublished> {
  const fields = 'id,description,created_time,permalink_url'
  const videos = await listSince(target, { edge: 'videos', fields, timeField: 'created_time', since })
  return { sameText: publishedWith('description', description, videos) }
}

/** The processing of a published video. */
export async function getVideoStatus(
  { graph, access }: ChannelTarget,
  videoId: string,
): Promise<Processing<'PROCESSING' | 'READY' | 'ERROR'>> {
  const answer = await graph.get(`/${requireId(videoId)}`, { fields: 'status' }, access)
  const status = toRecord(answer.status)
  const videoStatus = requireText(status?.video_status, /^/, 'a video_status')
  if (videoStatus === 'ready') return { status: 'READY' }
  if (!['error', 'upload_failed', 'expired'].includes(videoStatus)) return { status: 'PROCESSING' }
  return { status: 'ERROR', reason: toReason(phaseError(status ?? {})) }
}

// Instagram accounts.

/** Reads the account's quota of posts, and how much of it is used. */
export async function getPublishingQuota(target: ChannelTarget): Promise<{ used: number; total: number }> {
  const { graph, platformId, access } = target
  const path = `/${requireId(platformId)}/content_publishing_limit`
  const [limit] = readData(await graph.get(path, { fields: 'config,quota_usage' }, access))
  const config = toRecord(limit?.config)
  return {
    used: requireCount(limit?.quota_usage, 'a quota_usage'),
    total: requireCount(config?.quota_total, 'a quota_total'),
  }
}

/** Has the platform fetch the media into a container, which lives 24 hours. A reel takes no alt text. May be repeated. */
export async function createContainer(
  { graph, platformId, access }: ChannelTarget,
  {
    mediaType,
    url,
    altText,
    aiGenerated,
    caption,
  }: {
    mediaType: 'IMAGE' | 'VIDEO'
    url: string
    altText?: string | undefined
    aiGenerated?: boolean | undefined
    caption: string
  },
): Promise<{ id: string }> {
  const params =
    mediaType === 'IMAGE'
      ? { image_url: url, caption, ...(altText === undefined ? {} : { alt_text: altText }) }
      : { media_type: 'REELS', video_url: url, caption }
  const declared = aiGenerated ? { is_ai_generated: true } : {}
  return toId(await graph.post(`/${requireId(platformId)}/media`, { ...params, ...declared }, access))
}

export async function getContainerStatus(
  { graph, access }: ChannelTarget,
  containerId: string,
): Promise<Processing<(typeof CONTAINER_STATUSES)[number]>> {
  const answer = await graph.get(`/${requireId(containerId)}`, { fields: 'status_code,status' }, access)
  const status = CONTAINER_STATUSES.find((known) => known === answer.status_code)
  if (status === undefined) throw nonsense('something else in place of a status_code')
  return status === 'ERROR' ? { status, reason: toReason(answer.status) } : { status }
}

/** Publishes a finished container. */
export async function publishContainer(
  { graph, platformId, access }: ChannelTarget,
  containerId: string,
): Promise<{ id: string }> {
  return toId(await graph.post(`/${requireId(platformId)}/media_publish`, { creation_id: containerId }, access))
}

/** The media since then with this caption. A container never names its media. */
export async function findMedia(
  target: ChannelTarget,
  { caption, since }: { caption: string; since: Since },
): Promise<FoundPublished> {
  const fields = 'id,caption,timestamp,permalink'
  const media = await listSince(target, { edge: 'media', fields, timeField: 'timestamp', since })
  return { sameText: publishedWith('caption', caption, media) }
}

// Both.

/** The public URL of a post, a video or a media; undefined when the platform gives none. */
export async function getPermalink({ graph, access }: ChannelTarget, id: string): Promise<string | undefined> {
  if (id.includes('_')) {
    const path = `/${id.split('_').map(requireId).join('_')}`
    return toPermalink((await graph.get(path, { fields: 'permalink_url' }, access)).permalink_url)
  }
  try {
    return toPermalink((await graph.get(`/${requireId(id)}`, { fields: 'permalink' }, access)).permalink)
  } catch (error) {
    // A video of a page has the other field, and its id looks like that of a media.
    if (!(error instanceof GraphError) || error.code !== 100 || error.kind !== 'invalid') throw error
    return toPermalink((await graph.get(`/${requireId(id)}`, { fields: 'permalink_url' }, access)).permalink_url)
  }
}

// Reading the answers.

const LIST_LIMIT = 100
/** Far more than a channel publishes while the outcome of a call is in doubt. */
const LIST_PAGES_MAX = 20
const REASON_CHARS_MAX = 500

/** Reads a newest-first list of the target down to `since`. */
async function listSince(
  { graph, platformId, access }: ChannelTarget,
  { edge, fields, timeField, since }: { edge: string; fields: string; timeField: string; since: Since },
): Promise<Record<string, unknown>[]> {
  const list = { path: `/${requireId(platformId)}/${edge}`, params: { fields, limit: String(LIST_LIMIT) } }
  const found: Record<string, unknown>[] = []
  for await (const page of listPages(graph, access, { ...list, pagesMax: LIST_PAGES_MAX })) {
    // The platform's instants are of whole seconds.
    const sinceMs = Math.floor(since().getTime() / 1000) * 1000
    const recent = page.filter((item) => parseInstant(item[timeField]) >= sinceMs)
    found.push(...recent)
    // Some lists do not apply `since`.
    if (page.length > 0 && recent.length === 0) break
  }
  return found
}

/** The ids of the photos or videos of a post. */
function targetIds(post: Record<string, unknown>): string[] {
  const attachments = toRecord(post.attachments)
  if (attachments === undefined) return []
  return readData(attachments).flatMap((attachment) => {
    const id = toRecord(attachment.target)?.id
    return typeof id === 'string' ? [id] : []
  })
}

/** The items with this text in the field. */
const publishedWith = (field: string, text: string, items: Record<string, unknown>[]): Published[] =>
  items.filter((item) => isSameText(item[field], text)).map(toPublished)

const isSameText = (a: unknown, b: string): boolean => typeof a === 'string' && plainText(a) === plainText(b)

/** A text as the platform may show it: it trims texts, may join their spaces, and leaves out the @ of a mention. */
export const plainText = (text: string): string =>
  toNormalForm(text, 'NFC').replaceAll('@', '').replace(/\s+/g, ' ').trim()

function toPublished(item: Record<string, unknown>): Published {
  const permalink = toPermalink(item.permalink_url ?? item.permalink)
  return { ...toId(item), ...(permalink === undefined ? {} : { permalink }) }
}

const toId = (answer: Record<string, unknown>): { id: string } => ({
  id: requireText(answer.id, /^\d{1,32}(_\d{1,32})?$/, 'an id'),
})

/** Absolute: the platform gives those of videos without its host. */
function toPermalink(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value, PERMALINK_BASE)) return undefined
  const url = new URL(value, PERMALINK_BASE)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
}
const PERMALINK_BASE = 'https://www.facebook.com'

/** The text of the first phase that failed. */
function phaseError(status: Record<string, unknown>): unknown {
  for (const name of ['uploading_phase', 'processing_phase', 'publishing_phase']) {
    const phase = toRecord(status[name])
    const errors = Array.isArray(phase?.errors) ? phase.errors : [phase?.error]
    const message = toRecord(errors[0])?.message
    if (typeof message === 'string' && message !== '') return message
  }
  return undefined
}

const toReason = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, REASON_CHARS_MAX) : undefined

function requireCount(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw nonsense(`something else in place of ${what}`)
  }
  return value
}
