import { GraphError, namesMediaFailure } from '../graph/graph-error.js'
import {
  createContainer,
  type FoundPublished,
  findFeedPosts,
  findMedia,
  findVideos,
  getContainerStatus,
  getPublishingQuota,
  getVideoStatus,
  hasPhoto,
  publishContainer,
  publishFeedPost,
  publishVideo,
  type Since,
  uploadPhoto,
} from '../graph/publishing.js'
import type { ChannelTarget } from '../graph/target.js'
import type { ChannelType } from '../interface/generated/types.js'
import type { WaitReason } from '../interface/post-waits.js'

/** The content of a publication, and the page or account that it goes to. */
export interface Publishing {
  target: ChannelTarget
  mediaType: MediaType
  mediaUrl: string
  /** A video has none. */
  altText?: string | undefined
  /** Pages take no such declaration. */
  aiGenerated: boolean
  caption: string
}

export type MediaType = 'IMAGE' | 'VIDEO'

/** It cannot succeed now: ask again, after `waitMs` where that is known. */
interface NotYet {
  is: 'not-yet'
  reason: string
  /** `processing` when left out. */
  wait?: WaitReason
  waitMs?: number
}

/** It cannot succeed, now or later. */
interface Never {
  is: 'never'
  reason: string
}

/** The platform failed on the media; it may succeed if they are prepared again. */
interface MediaFailure {
  is: 'media-failure'
  reason: string
}

/** Result of searching for a publish whose answer was lost. */
export interface Found extends FoundPublished {
  is: 'found'
  /** The platform says that it is published, whether or not it lists it. */
  isOut: boolean
}

/**
 * Publishes one kind of post on one kind of channel. Only `publish` publishes; the other calls may be repeated. All
 * throw GraphErrors.
 */
export interface PublishAdapter {
  /** Makes what `publish` needs and gives its id. Left out where it needs nothing. */
  prepare?(publishing: Publishing): Promise<{ is: 'prepared'; id: string } | NotYet>
  /**
   * Tells whether what was prepared may be published now: it may have to be prepared again (`stale`), and it may be
   * published although the platform refused to publish it (`out`). `unseen`: the platform does not show it, so that only
   * the call that publishes can tell. Left out if the platform cannot be asked. `isFresh`: it was prepared a moment ago.
   */
  check?(
    publishing: Publishing,
    preparedId: string,
    isFresh: boolean,
  ): Promise<
    { is: 'ready' } | { is: 'unseen' } | { is: 'out' } | { is: 'stale'; reason: string } | MediaFailure | NotYet | Never
  >
  publish(publishing: Publishing, preparedId: string): Promise<{ id: string }>
  /** Searches for what a `publish` whose answer was lost may have published since then. */
  find(publishing: Publishing, preparedId: string, since: Since): Promise<Found | Never>
  /** Asks whether the publication is processed. Left out where the platform's answer to `publish` is final. */
  follow?(publishing: Publishing, id: string): Promise<{ is: 'out' } | NotYet | Never>
}

export function adapterFor(channelType: ChannelType, mediaType: MediaType): PublishAdapter {
  if (channelType === 'INSTAGRAM_ACCOUNT') return instagram
  return mediaType === 'VIDEO' ? pageVideo : pagePhoto
}

const toFound = (items: FoundPublished): Found => ({ is: 'found', isOut: false, ...items })

const pagePhoto: PublishAdapter = {
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

const pageVideo: PublishAdapter = {
  publish: ({ target, mediaUrl, caption }) => publishVideo(target, { url: mediaUrl, description: caption }),
  find: async ({ target, caption }, _, since) => toFound(await findVideos(target, { description: caption, since })),
  async follow({ target }, videoId) {
    const { status, reason } = await getVideoStatus(target, videoId)
    if (status === 'READY') return { is: 'out' }
    if (status === 'PROCESSING') return { is: 'not-yet', reason: 'The platform is still processing the video.' }
    return { is: 'never', reason: `The platform cannot publish the video: ${orNone(reason)}` }
  },
}

/** The quota is of a rolling day, and the platform does not say when a place becomes free. */
const QUOTA_WAIT_MS = 900_000

const instagram: PublishAdapter = {
  async prepare({ target, mediaUrl: url, ...content }) {
    const { used, total } = await getPublishingQuota(target)
    if (used >= total) {
      const reason = `The account has used up its quota of ${total} posts a day.`
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
          reason: `The platform cannot publish the media: ${orNone(reason)}`,
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
      return { is: 'never', reason: `The platform cannot publish the media: ${orNone(container.reason)}` }
    }
    // A media with this caption is another post's while the container says that it is not published.
    if (container !== undefined && container.status !== 'PUBLISHED') return toFound({ sameText: [] })
    return { ...toFound(await findMedia(target, { caption, since })), isOut: container !== undefined }
  },
}

/** (#10) and "no such object" are what the platform answered for days in May 2026 for containers that it published. */
const PERMISSION = 10

/** Undefined if the platform does not show the container, which says nothing about it or about the token. */
async function readContainer(target: ChannelTarget, containerId: string) {
  try {
    return await getContainerStatus(target, containerId)
  } catch (error) {
    if (error instanceof GraphError && (error.kind === 'not-found' || error.code === PERMISSION)) return undefined
    throw error
  }
}

const orNone = (reason: string | undefined): string => reason || 'it gives no reason.'
