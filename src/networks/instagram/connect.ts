import type { GraphAccess } from '../../graph/graph-call.js'
import type { GraphClient } from '../../graph/graph-client.js'
import { GraphError } from '../../graph/graph-error.js'
import { loginOf } from '../../graph/login.js'
import { listPages, nonsense, readData, requireId, requireText } from '../../graph/reading.js'
import {
  type GraphNode,
  inspectToken,
  isRefusal,
  listPermissions,
  orTokenError,
  tokenRefused,
  toNode,
  undefinedIfRefused,
} from '../../graph/tokens.js'
import { toRecord } from '../../lib/json.js'
import type { ChannelTarget } from '../target.js'
import { type AccountPage, type CheckedToken, missingOf, requirePublishing } from '../tokens.js'
import { getPublishingQuota } from './publishing.js'

export const checkToken = async (target: ChannelTarget, appSecret: string | undefined): Promise<CheckedToken> =>
  loginOf(target.access.accessToken) === 'instagram'
    ? await checkInstagramLogin(target)
    : await checkFacebookLogin(target, appSecret)

/** The token must see the account, as the token of its page or of a person does. */
async function checkFacebookLogin(target: ChannelTarget, appSecret: string | undefined): Promise<CheckedToken> {
  const { graph, platformId, access } = target
  await orTokenError(getInstagramAccount(graph, access, platformId))
  const facts = await orTokenError(inspectToken(graph, access, appSecret))
  requirePublishing(target, facts)
  // Reading the quota takes a permission, so it proves one if the platform does not list them.
  await orTokenError(getPublishingQuota(target))
  const page = await orTokenError(findPageOfAccount(target))
  // Only a person's token has a list of permissions.
  const scopes = facts?.scopes ?? (page?.isOwner ? undefined : await orTokenError(listPermissions(graph, access)))
  return {
    accessToken: page?.accessToken ?? access.accessToken,
    pageId: page?.id ?? null,
    expiresAt: page?.accessToken === undefined ? facts?.expiresAt : undefined,
    missing: scopes && missingOf(target, (permission) => scopes.includes(permission)),
  }
}

/** Tests each permission with a call that needs it, because graph.instagram.com does not list permissions. */
async function checkInstagramLogin(target: ChannelTarget): Promise<CheckedToken> {
  const { graph, platformId, access } = target
  const owner = await orTokenError(getInstagramOwner(graph, access))
  if (owner.id !== platformId) {
    throw tokenRefused(
      `The access token belongs to ${owner.name} (${owner.id}), not to the account ${platformId}: sign in as that account.`,
    )
  }
  await orTokenError(getPublishingQuota(target))
  const granted = new Map([
    ['instagram_business_manage_messages', await orTokenError(mayReadMessages(target))],
    ['instagram_business_manage_comments', await orTokenError(mayReadComments(target))],
  ])
  const missing = missingOf(target, (permission) => granted.get(permission))
  // The expiry is unknown until the token is refreshed.
  return { accessToken: access.accessToken, pageId: null, expiresAt: undefined, missing }
}

/** With Facebook login, an account is reached through its page. */
export const findPage = async (target: ChannelTarget): Promise<AccountPage | undefined> =>
  loginOf(target.access.accessToken) === 'facebook' ? await findPageOfAccount(target) : undefined

/** Reads an account that the token must be able to see. */
async function getInstagramAccount(graph: GraphClient, access: GraphAccess, id: string): Promise<GraphNode> {
  const answer = await graph.get(`/${requireId(id)}`, { fields: 'id,username' }, access)
  return toNode({ id: answer.id, name: answer.username })
}

/** Far more pages than a person manages. */
const PAGES_OF_PERSON_MAX = 2000

/**
 * Finds the page that an Instagram account belongs to: the owner of a page's token, or one of the pages of a person's token.
 * Undefined if the token shows none.
 */
async function findPageOfAccount({ graph, platformId, access }: ChannelTarget): Promise<AccountPage | undefined> {
  const isTheirs = (page: Record<string, unknown>): boolean =>
    toRecord(page.instagram_business_account)?.id === platformId
  // A person has no such field.
  const owner = await undefinedIfRefused(graph.get('/me', { fields: 'id,name,instagram_business_account' }, access))
  if (owner !== undefined && isTheirs(owner)) return { id: toPageId(owner), isOwner: true, accessToken: undefined }
  const params = { fields: 'id,name,access_token,instagram_business_account', limit: '100' }
  const list = { path: '/me/accounts', params, pagesMax: PAGES_OF_PERSON_MAX / 100 }
  try {
    for await (const pages of listPages(graph, access, list)) {
      const page = pages.find(isTheirs)
      if (page === undefined) continue
      const { access_token: token } = page
      const accessToken = token === undefined ? undefined : requireText(token, TOKEN, 'an access token')
      return { id: toPageId(page), isOwner: false, accessToken }
    }
  } catch (error) {
    // A page has no such edge.
    if (!isRefusal(error)) throw error
  }
  return undefined
}

const toPageId = (page: Record<string, unknown>): string => requireId(toNode(page).id)

/** Returns the account that a token of Instagram login belongs to; `id` is the one that edges and updates use. */
async function getInstagramOwner(graph: GraphClient, access: GraphAccess): Promise<GraphNode> {
  const { user_id: id, username: name } = await graph.get('/me', { fields: 'user_id,username' }, access)
  return toNode({ id: typeof id === 'number' ? String(id) : id, name })
}

/** Returns whether a token of Instagram login may read messages; undefined if the response does not show it. */
async function mayReadMessages({ graph, platformId, access }: ChannelTarget): Promise<boolean | undefined> {
  const params = { platform: 'instagram', limit: '1' }
  return await isAllowed(graph.get(`/${requireId(platformId)}/conversations`, params, access))
}

/** Returns whether a token of Instagram login may read comments; undefined until something is published. */
async function mayReadComments({ graph, platformId, access }: ChannelTarget): Promise<boolean | undefined> {
  const [newest] = readData(await graph.get(`/${requireId(platformId)}/media`, { fields: 'id', limit: '1' }, access))
  if (newest === undefined) return undefined
  return await isAllowed(graph.get(`/${requireId(toNode(newest).id)}/comments`, { fields: 'id', limit: '1' }, access))
}

async function isAllowed(answer: Promise<Record<string, unknown>>): Promise<boolean | undefined> {
  try {
    readData(await answer)
    return true
  } catch (error) {
    if (!(error instanceof GraphError)) throw error
    return error.kind === 'credentials' ? false : undefined
  }
}

/** A token that replaces another. */
export interface RefreshedToken {
  accessToken: string
  /** Seconds. */
  expiresIn: number
}

/** Far longer than the platform's tokens last, in seconds. */
const EXPIRES_IN_MAX = 10 * 365 * 86_400

/**
 * Extends a token of Instagram login to 60 days from now. The platform refuses tokens that are younger than a day or have
 * expired. The previous token stays valid until its own expiry, so this may be repeated.
 */
export async function refreshToken(graph: GraphClient, access: GraphAccess): Promise<RefreshedToken> {
  const answer = await graph.get('/refresh_access_token', { grant_type: 'ig_refresh_token' }, access)
  const accessToken = requireText(answer.access_token, INSTAGRAM_TOKEN, 'an access token')
  const expiresIn = Number(answer.expires_in)
  if (!(expiresIn > 0 && expiresIn < EXPIRES_IN_MAX)) {
    throw nonsense('something other than the expiry of a token')
  }
  return { accessToken, expiresIn }
}

const TOKEN = /^[\x21-\x7e]{1,2000}$/
const INSTAGRAM_TOKEN = /^IG[\x21-\x7e]{1,2000}$/
