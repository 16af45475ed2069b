import type { GraphAccess } from '../../graph/graph-call.js'
import type { GraphClient } from '../../graph/graph-client.js'
import { loginOf } from '../../graph/login.js'
import { readData, requireId } from '../../graph/reading.js'
import { type GraphNode, inspectToken, orTokenError, tokenRefused, toNode } from '../../graph/tokens.js'
import type { ChannelTarget } from '../target.js'
import { type CheckedToken, missingOf, requirePublishing } from '../tokens.js'

/** Checks an access token, which must belong to the page itself. */
export async function checkToken(target: ChannelTarget, appSecret: string | undefined): Promise<CheckedToken> {
  const { graph, platformId, access } = target
  if (loginOf(access.accessToken) === 'instagram') {
    throw tokenRefused(
      'An access token from Instagram login does not work for a Facebook page: provide one from Facebook login.',
    )
  }
  const owner = await orTokenError(getTokenOwner(graph, access))
  if (owner.id !== platformId) throw notOfPage(platformId, `${owner.name} (${owner.id})`)
  const facts = await orTokenError(inspectToken(graph, access, appSecret))
  requirePublishing(target, facts)
  // If the platform does not list the permissions, reading the feed proves at least one.
  if (facts === undefined) await orTokenError(readFeed(graph, access, platformId))
  return {
    accessToken: access.accessToken,
    pageId: null,
    expiresAt: facts?.expiresAt,
    missing: facts && missingOf(target, (permission) => facts.scopes.includes(permission)),
  }
}

/** Returns the owner of the token; for a page's token that is the page. */
async function getTokenOwner(graph: GraphClient, access: GraphAccess): Promise<GraphNode> {
  return toNode(await graph.get('/me', { fields: 'id,name' }, access))
}

/** Reads a page's feed, which requires the permission to read its posts. */
async function readFeed(graph: GraphClient, access: GraphAccess, pageId: string): Promise<void> {
  readData(await graph.get(`/${requireId(pageId)}/feed`, { fields: 'id', limit: '1' }, access))
}

const notOfPage = (pageId: string, owner: string) =>
  tokenRefused(
    `The access token belongs to ${owner}, not to the page ${pageId}: provide the page's own token, which the platform returns from /${pageId}?fields=access_token.`,
  )
