import { GraphError } from '../../graph/graph-error.js'
import { readData, requireId, requireText } from '../../graph/reading.js'
import { toRecord } from '../../lib/json.js'
import {
  type FoundPublished,
  listSince,
  orNoReason,
  type Processing,
  type PublishAdapter,
  publishedWith,
  type Since,
  toFound,
  toId,
  toPermalink,
  toPublished,
  toReason,
} from '../publishing.js'
import type { ChannelTarget } from '../target.js'

// Every function throws a GraphError. A call that publishes must not be repeated: the error's `outcome` says whether it
// may have gone through.

/** Uploads a photo without publishing it. May be repeated. */
export async function uploadPhoto(
  { graph, platformId, access }: ChannelTarget,
  { url, altText }: { url: string; altText?: string | undefined },
): Promise<{ id: string }> {
  const params = { url, published: false, ...(altText === undefined ? {} : { alt_text_custom: altText }) }
  return toId(await graph.post(`/${requireId(platformId)}/photos`, params, access))
}

/** Returns whether an uploaded photo still exists: the platform keeps a photo without a post for about a day. */
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
 * Finds the post that `publishFeedPost` made with this photo (`exact`). If the platform does not list a post's photos,
 * returns the posts since then with this message.
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

/** Finds the videos since then with this description. */
export async function findVideos(
  target: ChannelTarget,
  { description, since }: { description: string; since: Since },
): Promise<FoundPublished> {
  const fields = 'id,description,created_time,permalink_url'
  const videos = await listSince(target, { edge: 'videos', fields, timeField: 'created_time', since })
  return { sameText: publishedWith('description', description, videos) }
}

/** Reads how far the platform has processed a published video. */
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

/** Reads the public URL of a post or a video; undefined if the platform gives none. */
export async function getPermalink({ graph, access }: ChannelTarget, id: string): Promise<string | undefined> {
  const path = `/${id.split('_').map(requireId).join('_')}`
  return toPermalink((await graph.get(path, { fields: 'permalink_url' }, access)).permalink_url)
}

/** Returns the ids of a post's photos or videos. */
function targetIds(post: Record<string, unknown>): string[] {
  const attachments = toRecord(post.attachments)
  if (attachments === undefined) return []
  return readData(attachments).flatMap((attachment) => {
    const id = toRecord(attachment.target)?.id
    return typeof id === 'string' ? [id] : []
  })
}

/** Returns the text of the first phase that failed. */
function phaseError(status: Record<string, unknown>): unknown {
  for (const name of ['uploading_phase', 'processing_phase', 'publishing_phase']) {
    const phase = toRecord(status[name])
    const errors = Array.isArray(phase?.errors) ? phase.errors : [phase?.error]
    const message = toRecord(errors[0])?.message
    if (typeof message === 'string' && message !== '') return message
  }
  return undefined
}

export const pagePhoto: PublishAdapter = {
  prepare: async ({ target, mediaUrl, altText }) => ({
    is: 'prepared',
    ...(await uploadPhoto(target, { url: mediaUrl, altText })),
  }),
  async check({ target }, photoId, isFresh) {
    if (isFresh || (await hasPhoto(target, photoId))) return { is: 'ready' }
    return { is: 'stale', reason: 'The platform no longer has the photo that was prepared.' }
  },
  publish: ({ target, caption }, photoId) => publishFeedPost(target, { message: caption, photoId }),
  find: async ({ target, caption }, photoId, since) =>
    toFound(await findFeedPosts(target, { message: caption, photoId, since })),
}

export const pageVideo: PublishAdapter = {
  publish: ({ target, mediaUrl, caption }) => publishVideo(target, { url: mediaUrl, description: caption }),
  find: async ({ target, caption }, _, since) => toFound(await findVideos(target, { description: caption, since })),
  async follow({ target }, videoId) {
    const { status, reason } = await getVideoStatus(target, videoId)
    if (status === 'READY') return { is: 'out' }
    if (status === 'PROCESSING') return { is: 'not-yet', reason: 'The platform is still processing the video.' }
    return { is: 'never', reason: `The platform cannot publish the video: ${orNoReason(reason)}` }
  },
}
