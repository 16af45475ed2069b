import type { ChannelType } from '../interface/generated/types.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphClient } from './graph-client.js'
import { loginOf } from './login.js'
import { requireId } from './reading.js'

/** A channel as the platform knows it, a page or an Instagram account, and the client that reaches it. */
export interface ChannelTarget {
  graph: GraphClient
  type: ChannelType
  /** Digits. */
  platformId: string
  /** The Facebook page of an Instagram account that is reached by Facebook login; null if it is not known. */
  pageId: string | null
  access: GraphAccess
}

/** `channelId` is such as `FB_PAGE_123456789012345`. */
export function toChannelTarget(
  graph: GraphClient,
  { channelId, type, pageId }: { channelId: string; type: ChannelType; pageId: string | null },
  accessToken: string,
): ChannelTarget {
  const platformId = channelId.slice(type.length + 1)
  const useCase = type === 'FB_PAGE' ? 'pages' : 'instagram'
  return { graph, type, platformId, pageId, access: { accessToken, limitKey: platformId, useCase } }
}

/**
 * The path of the object whose edges carry messages and subscriptions. With Facebook login these are edges of the page of
 * an Instagram account: its own id answers (#3). If the page is not known, `/me` is the page of a page's token.
 */
export function messagingPath({ type, platformId, pageId, access }: ChannelTarget): string {
  const isByPage = type === 'INSTAGRAM_ACCOUNT' && loginOf(access.accessToken) === 'facebook'
  if (isByPage && pageId === null) return '/me'
  return `/${requireId(isByPage ? pageId! : platformId)}`
}
