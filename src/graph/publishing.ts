import { toRecord } from '../lib/json.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphClient } from './graph-client.js'
import { GraphError } from './graph-error.js'
import { listPages, nonsense, readData, requireId, requireText } from './reading.js'

/** A channel as the platform knows it: a page or an Instagram account. */
export interface PublishTarget {
  /** Digits. */
  platformId: string
  access: GraphAccess
}

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

export interface VideoStatus {
  status: 'PROCESSING' | 'READY' | 'ERROR'
  /** The platform's own text, with ERROR where it gave one. */
  reason?: string
}

const CONTAINER_STATUSES = ['IN_PROGRESS', 'FINISHED', 'ERROR', 'EXPIRED', 'PUBLISHED'] as const

export interface ContainerStatus {
  status: (typeof CONTAINER_STATUSES)[number]
  /** The platform's own text, with ERROR where it gave one. */
  reason?: string
}

// Every function throws a GraphError. A call that publishes must not be repeated: the error's `outcome` tells whether it
// may have gone through.

// Pages.

/** Uploads a photo without publishing it. May be repeated. */
export async function uploadPhoto(
  graph: GraphClient,
  { platformId, access }: PublishTarget,
  photo: { url: string },
): Promise<{ id: string }> {
  return toId(await graph.post(`/${requireId(platformId)}/photos`, { url: photo.url, published: false }, access))
}

/** Tells whether an uploaded photo is still there: the platform keeps one that no post shows for about a day. */
export async function hasPhoto(graph: GraphClient, { access }: PublishTarget, photoId: string): Promise<boolean> {
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
  graph: GraphClient,
  { platformId, access }: PublishTarget,
  post: { message: string; photoId: string },
): Promise<{ id: string }> {
  const { message, photoId } = post
  const params = { message, attached_media: [{ media_fbid: photoId }] }
  return toId(await graph.post(`/${requireId(platformId)}/feed`, params, access))
}

/**
 * The post that `publishFeedPost` made with this photo (`exact`). Where the platform does not list a post's photos, those
 * since then with this message.
 */
export async function findFeedPosts(
  graph: GraphClient,
  { platformId, access }: PublishTarget,
  wanted: { message: string; photoId: string; since: Since },
): Promise<FoundPublished> {
  const posts = await listSince(graph, access, {
    path: `/${requireId(platformId)}/feed`,
    fields: 'id,message,created_time,permalink_url,attachments{target}',
    timeField: 'created_time',
    since: wanted.since,
  })
  const withPhoto = posts.find((post) => targetIds(post).includes(wanted.photoId))
  if (withPhoto !== undefined) return { exact: toPublished(withPhoto), sameText: [] }
  const withoutPhotos = posts.filter((post) => targetIds(post).length === 0)
  return { sameText: withoutPhotos.filter(({ message }) => isSameText(message, wanted.message)).map(toPublished) }
}

/** Publishes a video, which the platform fetches and processes afterwards: see `getVideoStatus`. */
export async function publishVideo(
  graph: GraphClient,
  { platformId, access }: PublishTarget,
  video: { url: string; description: string },
): Promise<{ id: string }> {
  const params = { file_url: video.url, description: video.description }
  return toId(await graph.post(`/${requireId(platformId)}/videos`, params, access))
}

/** The videos since then with this description. */
export const findVideos = (
  graph: GraphClient,
  { platformId, access }: PublishTarget,
  { description, since }: { description: string; since: Since },
): Promise<FoundPublished> => {
  const list = { path: `/${requireId(platformId)}/videos`, fields: 'id,description,created_time,permalink_url' }
  return findByText(graph, access, { ...list, timeField: 'created_time', since }, 'description', description)
}

/** The processing of a published video. */
export async function getVideoStatus(
  graph: GraphClient,
  { access }: PublishTarget,
  videoId: string,
): Promise<VideoStatus> {
  const answer = await graph.get(`/${requireId(videoId)}`, { fields: 'status' }, access)
  const status = toRecord(answer.status)
  const videoStatus = requireText(status?.video_status, /^/, 'a video_status')
  if (videoStatus === 'ready') return { status: 'READY' }
  if (!['error', 'upload_failed', 'expired'].includes(videoStatus)) return { status: 'PROCESSING' }
  return { status: 'ERROR', reason: toReason(phaseError(status ?? {})) }
}

// Instagram accounts.

/** Reads the account's quota of posts, and how much of it is used. */
export async function getPublishingQuota(
  graph: GraphClient,
  { platformId, access }: PublishTarget,
): Promise<{ used: number; total: number }> {
  const path = `/${requireId(platformId)}/content_publishing_limit`
  const [limit] = readData(await graph.get(path, { fields: 'config,quota_usage' }, access))
  const config = toRecord(limit?.config)
  return {
    used: requireCount(limit?.quota_usage, 'a quota_usage'),
    total: requireCount(config?.quota_total, 'a quota_total'),
  }
}

/** Has the platform fetch the media into a container, which lives 24 hours. May be repeated. */
export async function createContainer(
  graph: GraphClient,
  { platformId, access }: PublishTarget,
  media: { mediaType: 'IMAGE' | 'VIDEO'; url: string; caption: string },
): Promise<{ id: string }> {
  const { mediaType, url, caption } = media
  const params = mediaType === 'IMAGE' ? { image_url: url, caption } : { media_type: 'REELS', video_url: url, caption }
  return toId(await graph.post(`/${requireId(platformId)}/media`, params, access))
}

export async function getContainerStatus(
  graph: GraphClient,
  { access }: PublishTarget,
  containerId: string,
): Promise<ContainerStatus> {
  const answer = await graph.get(`/${requireId(containerId)}`, { fields: 'status_code,status' }, access)
  const status = CONTAINER_STATUSES.find((known) => known === answer.status_code)
  if (status === undefined) throw nonsense('something else in place of a status_code')
  return status === 'ERROR' ? { status, reason: toReason(answer.status) } : { status }
}

/** Publishes a finished container. */
export async function publishContainer(
  graph: GraphClient,
  { platformId, access }: PublishTarget,
  containerId: string,
): Promise<{ id: string }> {
  return toId(await graph.post(`/${requireId(platformId)}/media_publish`, { creation_id: containerId }, access))
}

/** The media since then with this caption. A container never names its media. */
export const findMedia = (
  graph: GraphClient,
  { platformId, access }: PublishTarget,
  { caption, since }: { caption: string; since: Since },
): Promise<FoundPublished> => {
  const list = { path: `/${requireId(platformId)}/media`, fields: 'id,caption,timestamp,permalink' }
  return findByText(graph, access, { ...list, timeField: 'timestamp', since }, 'caption', caption)
}

// Both.

/** The public URL of a post, a video or a media; undefined when the platform gives none. */
export async function getPermalink(
  graph: GraphClient,
  { access }: PublishTarget,
  id: string,
): Promise<string | undefined> {
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

interface NewestFirst {
  path: string
  fields: string
  timeField: string
  since: Since
}

async function findByText(
  graph: GraphClient,
  access: GraphAccess,
  list: NewestFirst,
  textField: string,
  text: string,
): Promise<FoundPublished> {
  const items = await listSince(graph, access, list)
  return { sameText: items.filter((item) => isSameText(item[textField], text)).map(toPublished) }
}

/** Reads a newest-first list down to `since`. */
async function listSince(
  graph: GraphClient,
  access: GraphAccess,
  list: NewestFirst,
): Promise<Record<string, unknown>[]> {
  const { path, fields, timeField } = list
  const params = { fields, limit: String(LIST_LIMIT) }
  const found: Record<string, unknown>[] = []
  for await (const page of listPages(graph, access, { path, params, pagesMax: LIST_PAGES_MAX })) {
    // The platform's instants are of whole seconds.
    const sinceMs = Math.floor(list.since().getTime() / 1000) * 1000
    const recent = page.filter((item) => parseInstant(item[timeField]) >= sinceMs)
    found.push(...recent)
    // Some lists do not apply `since`.
    if (page.length > 0 && recent.length === 0) break
  }
  return found
}

/** `2026-11-20T09:00:00+0000`, in milliseconds. */
function parseInstant(value: unknown): number {
  const text = requireText(value, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{4}$/, 'an instant with its offset')
  return Date.parse(text.replace(/(\d{2})$/, ':$1'))
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

const isSameText = (a: unknown, b: string): boolean => typeof a === 'string' && plainText(a) === plainText(b)

/** A text as the platform may show it: it trims texts, may join their spaces, and leaves out the @ of a mention. */
export const plainText = (text: string): string => text.normalize('NFC').replaceAll('@', '').replace(/\s+/g, ' ').trim()

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
