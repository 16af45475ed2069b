import type { GraphAccess } from '../graph/graph-call.js'
import type { GraphClient } from '../graph/graph-client.js'
import type { ChannelType } from '../interface/generated/types.js'

/** A channel as the platform knows it, a page or an Instagram account, with the client that reaches it. */
export interface ChannelTarget {
  graph: GraphClient
  type: ChannelType
  /** Digits. */
  platformId: string
  /** The Facebook page through which an Instagram account with Facebook login is reached; null if it is unknown. */
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
