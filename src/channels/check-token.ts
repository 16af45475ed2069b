import type { GraphAccess } from '../graph/graph-call.js'
import { getPublishingQuota } from '../graph/publishing.js'
import {
  getInstagramAccount,
  getTokenOwner,
  inspectToken,
  orTokenError,
  readFeed,
  type TokenFacts,
  tokenRefused,
} from '../graph/tokens.js'
import type { Context } from '../http/context.js'
import type { ChannelType } from '../interface/channels.js'

/** The permissions that publishing takes; of several names one is enough. */
const PERMISSIONS: Record<ChannelType, readonly (readonly [string, ...string[]])[]> = {
  FB_PAGE: [['pages_manage_posts'], ['pages_read_engagement']],
  INSTAGRAM_ACCOUNT: [
    ['instagram_basic', 'instagram_business_basic'],
    ['instagram_content_publish', 'instagram_business_content_publish'],
  ],
}

/**
 * Asks the platform whether the token may publish on the channel, and gives when it ends, where that is told. Throws
 * access_token_refused (400), which says what is missing, or platform_* (502, 503, 504) when the platform gives no answer.
 */
export async function checkChannelToken(
  { graph, config }: Pick<Context, 'graph' | 'config'>,
  { type, platformId }: { type: ChannelType; platformId: string },
  accessToken: string,
): Promise<Date | undefined> {
  const useCase = type === 'FB_PAGE' ? 'pages' : 'instagram'
  const access: GraphAccess = { accessToken, limitKey: platformId, useCase }
  if (type === 'FB_PAGE') {
    const owner = await orTokenError(getTokenOwner(graph, access))
    if (owner.id !== platformId) throw notOfPage(platformId, `${owner.name} (${owner.id})`)
  } else {
    await orTokenError(getInstagramAccount(graph, access, platformId))
  }
  const facts = await orTokenError(inspectToken(graph, access, config.graph.appSecret))
  const missing = facts === undefined ? [] : PERMISSIONS[type].filter((names) => !isGranted(facts, names, platformId))
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(' and ')
    throw tokenRefused(`The access token lacks ${names} for ${platformId}: grant that and give a new token.`)
  }
  // These take permissions, so that they are asked for where the platform does not list them.
  if (type === 'INSTAGRAM_ACCOUNT') await orTokenError(getPublishingQuota({ graph, platformId, access }))
  else if (facts === undefined) await orTokenError(readFeed(graph, access, platformId))
  return facts?.expiresAt
}

function isGranted({ scopes, targetIds }: TokenFacts, names: readonly string[], platformId: string): boolean {
  // It is not documented whether an Instagram permission names the account or its page.
  const isForIt = (name: string): boolean =>
    !name.startsWith('pages_') || (targetIds.get(name)?.includes(platformId) ?? true)
  return names.some((name) => scopes.includes(name) && isForIt(name))
}

const notOfPage = (pageId: string, owner: string) =>
  tokenRefused(
    `The access token is that of ${owner}, not of the page ${pageId}: give the page's own, which the platform answers to /${pageId}?fields=access_token.`,
  )
