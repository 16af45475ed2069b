import { GraphError, namesMediaFailure } from '../../graph/graph-error.js'
import { nonsense, readData, requireId } from '../../graph/reading.js'
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
  toReason,
} from '../publishing.js'
import type { ChannelTarget } from '../target.js'

const CONTAINER_STATUSES = ['IN_PROGRESS', 'FINISHED', 'ERROR', 'EXPIRED', 'PUBLISHED'] as const

// Every function throws a GraphError. A call that publishes must not be repeated: the error's `outcome` says whether it
// may have gone through.

/** Reads the account's quota of posts and its use. */
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

/** Makes the platform fetch the media into a container, which lives 24 hours. A reel takes no alt text. May be repeated. */
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
  if (status === undefined) throw nonsense('something other than a status_code')
  return status === 'ERROR' ? { status, reason: toReason(answer.status) } : { status }
}

/** Publishes a finished container. */
export async function publishContainer(
  { graph, platformId, access }: ChannelTarget,
  containerId: string,
): Promise<{ id: string }> {
  return toId(await graph.post(`/${requireId(platformId)}/media_publish`, { creation_id: containerId }, access))
}

/** Finds the media since then with this caption. A container never names its media. */
export async function findMedia(
  target: ChannelTarget,
  { caption, since }: { caption: string; since: Since },
): Promise<FoundPublished> {
  const fields = 'id,caption,timestamp,permalink'
  const media = await listSince(target, { edge: 'media', fields, timeField: 'timestamp', since })
  return { sameText: publishedWith('caption', caption, media) }
}

/** Reads the public URL of a medium; undefined if the platform gives none. */
export async function getPermalink({ graph, access }: ChannelTarget, id: string): Promise<string | undefined> {
  return toPermalink((await graph.get(`/${requireId(id)}`, { fields: 'permalink' }, access)).permalink)
}

function requireCount(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw nonsense(`something other than ${what}`)
  }
  return value
}

/** The quota is for a rolling day, and the platform does not say when it frees up. */
const QUOTA_WAIT_MS = 900_000

export const account: PublishAdapter = {
  async prepare({ target, mediaUrl: url, ...content }) {
    const { used, total } = await getPublishingQuota(target)
    if (used >= total) {
      const reason = `The account has used its quota of ${total} posts a day.`
      return { is: 'not-yet', reason, wait: 'posting_quota', waitMs: QUOTA_WAIT_MS }
    }
    return { is: 'prepared', ...(await createContainer(target, { url, ...content })) }
  },
  async check({ target }, containerId) {
    const container = await readContainer(target, containerId)
    switch (container?.status) {
      case undefined:
        return { is: 'unseen' }
      case 'FINISHED':
        return { is: 'ready' }
      case 'IN_PROGRESS':
        return { is: 'not-yet', reason: 'The platform is still processing the media.' }
      case 'EXPIRED':
        return { is: 'stale', reason: 'The platform has let the prepared media expire.' }
      case 'PUBLISHED':
        return { is: 'out' }
      case 'ERROR': {
        const { reason = '' } = container!
        return {
          is: namesMediaFailure(reason) ? 'media-failure' : 'never',
          reason: `The platform cannot publish the media: ${orNoReason(reason)}`,
        }
      }
    }
  },
  publish: ({ target }, containerId) => publishContainer(target, containerId),
  async find({ target, caption }, containerId, since) {
    const container = await readContainer(target, containerId)
    if (container?.status === 'EXPIRED') {
      return { is: 'never', reason: 'The platform let the media expire without publishing it.' }
    }
    if (container?.status === 'ERROR') {
      return { is: 'never', reason: `The platform cannot publish the media: ${orNoReason(container.reason)}` }
    }
    // While the container is not published, media with this caption belong to another post.
    if (container !== undefined && container.status !== 'PUBLISHED') return toFound({ sameText: [] })
    return { ...toFound(await findMedia(target, { caption, since })), isOut: container !== undefined }
  },
}

/** For days in May 2026 the platform returned (#10) and "no such object" for containers that it had published. */
const PERMISSION = 10

/** Returns undefined if the platform does not show the container, which says nothing about it or about the token. */
async function readContainer(target: ChannelTarget, containerId: string) {
  try {
    return await getContainerStatus(target, containerId)
  } catch (error) {
    if (error instanceof GraphError && (error.kind === 'not-found' || error.code === PERMISSION)) return undefined
    throw error
  }
}
