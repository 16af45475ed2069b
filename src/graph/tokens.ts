import { ApiError } from '../errors.js'
import { parseJson, toRecord } from '../lib/json.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphClient } from './graph-client.js'
import { GraphError, type GraphErrorKind, toApiError } from './graph-error.js'
import { listPages, nonsense, readData, requireId, requireText } from './reading.js'
import type { ChannelTarget } from './target.js'
import { describeUnreached } from './unreached.js'

/** The owner of a token, or an account that it may read. */
export interface GraphNode {
  id: string
  name: string
}

/** The platform's facts about an access token. */
export interface TokenFacts {
  /** The permissions that it carries. */
  scopes: string[]
  /** The ids of the objects for which a permission is granted, where it is not granted for all. */
  targetIds: Map<string, string[]>
  /** Undefined when it does not end by time. */
  expiresAt: Date | undefined
}

// Every function throws a GraphError.

/** Gives the owner of the token: for a page's token the page. */
export async function getTokenOwner(graph: GraphClient, access: GraphAccess): Promise<GraphNode> {
  return toNode(await graph.get('/me', { fields: 'id,name' }, access))
}

/** Reads what the token must be able to see. */
export async function getInstagramAccount(graph: GraphClient, access: GraphAccess, id: string): Promise<GraphNode> {
  const answer = await graph.get(`/${requireId(id)}`, { fields: 'id,username' }, access)
  return toNode({ id: answer.id, name: answer.username })
}

/** A Facebook page that an Instagram account belongs to. */
export interface AccountPage {
  id: string
  /** The token that was asked with is the page's own. */
  isOwner: boolean
  /** The page's own token, if the platform gave it. */
  accessToken: string | undefined
}

/** Far more pages than a person manages. */
const PAGES_OF_PERSON_MAX = 2000

/**
 * Finds the page that an Instagram account belongs to: the owner of a page's token, or one of the pages of a person's.
 * Undefined if the token shows none.
 */
export async function findPageOfAccount({
  graph,
  platformId,
  access,
}: ChannelTarget): Promise<AccountPage | undefined> {
  const isTheirs = (page: Record<string, unknown>): boolean =>
    toRecord(page.instagram_business_account)?.id === platformId
  // A person has no such field.
  const owner = await orUntold(graph.get('/me', { fields: 'id,name,instagram_business_account' }, access))
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

/** Gives the account that a token of Instagram login belongs to; `id` is the one that edges and updates use. */
export async function getInstagramOwner(graph: GraphClient, access: GraphAccess): Promise<GraphNode> {
  const { user_id: id, username: name } = await graph.get('/me', { fields: 'user_id,username' }, access)
  return toNode({ id: typeof id === 'number' ? String(id) : id, name })
}

/** Returns whether a token of Instagram login may read messages; undefined if the answer does not show it. */
export async function mayReadMessages({ graph, platformId, access }: ChannelTarget): Promise<boolean | undefined> {
  const params = { platform: 'instagram', limit: '1' }
  return await isAllowed(graph.get(`/${requireId(platformId)}/conversations`, params, access))
}

/** The same for comments. Undefined while nothing is published. */
export async function mayReadComments({ graph, platformId, access }: ChannelTarget): Promise<boolean | undefined> {
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

/** A token that takes the place of another one. */
export interface RefreshedToken {
  accessToken: string
  /** Seconds. */
  expiresIn: number
}

/** Far longer than the platform's tokens last, in seconds. */
const EXPIRES_IN_MAX = 10 * 365 * 86_400

/**
 * Makes a token of Instagram login last for 60 days from now. The platform refuses one that is younger than a day or has
 * ended. The one before stays valid until its own end, so this may be repeated.
 */
export async function refreshToken(graph: GraphClient, access: GraphAccess): Promise<RefreshedToken> {
  const answer = await graph.get('/refresh_access_token', { grant_type: 'ig_refresh_token' }, access)
  const accessToken = requireText(answer.access_token, INSTAGRAM_TOKEN, 'an access token')
  const expiresIn = Number(answer.expires_in)
  if (!(expiresIn > 0 && expiresIn < EXPIRES_IN_MAX)) {
    throw nonsense('something else in place of the end of a token')
  }
  return { accessToken, expiresIn }
}

const TOKEN = /^[\x21-\x7e]{1,2000}$/
const INSTAGRAM_TOKEN = /^IG[\x21-\x7e]{1,2000}$/

/** Reads what the token must be able to see; `id` is the digits. */
export async function getAdAccount(graph: GraphClient, access: GraphAccess, id: string): Promise<GraphNode> {
  const answer = await graph.get(`/act_${requireId(id)}`, { fields: 'account_id,name' }, access)
  return toNode({ id: answer.account_id, name: answer.name })
}

/** Reads a page's feed, which takes the permission to read what it has published. */
export async function readFeed(graph: GraphClient, access: GraphAccess, pageId: string): Promise<void> {
  readData(await graph.get(`/${requireId(pageId)}/feed`, { fields: 'id', limit: '1' }, access))
}

/** The permissions granted to a person's or system user's token; undefined for any other, which has no such list. */
export async function listPermissions(graph: GraphClient, access: GraphAccess): Promise<string[] | undefined> {
  const answer = await orUntold(graph.get('/me/permissions', {}, access))
  const granted = answer && readData(answer).filter(({ status }) => status === 'granted')
  return granted?.map(({ permission }) => String(permission))
}

/**
 * Asks the platform about the token itself. It answers the app, which the app secret shows us to be, or else the app's
 * own developers; undefined where it does not answer.
 */
export async function inspectToken(
  graph: GraphClient,
  access: GraphAccess,
  appSecret: string | undefined,
): Promise<TokenFacts | undefined> {
  const asking = appSecret === undefined ? access : await toAppAccess(graph, access, appSecret)
  if (asking === undefined) return undefined
  // A batch carries the token to inspect, which is a parameter that a GET would have in its URL.
  const relative_url = `debug_token?${new URLSearchParams({ input_token: access.accessToken })}`
  const batch = [{ method: 'GET', relative_url }]
  const answer = await orUntold(graph.post('/', { batch, include_headers: false }, asking))
  const [item] = Array.isArray(answer?.batch) ? answer.batch : []
  const data = toRecord(toRecord(parseJson(String(toRecord(item)?.body)))?.data)
  return data === undefined || !Array.isArray(data.scopes) ? undefined : toFacts(data)
}

async function toAppAccess(
  graph: GraphClient,
  access: GraphAccess,
  appSecret: string,
): Promise<GraphAccess | undefined> {
  const app = await orUntold(graph.get('/app', { fields: 'id' }, access))
  return app && { ...access, accessToken: `${requireText(app.id, /^\d+$/, 'the id of an app')}|${appSecret}` }
}

function toFacts(data: Record<string, unknown>): TokenFacts {
  const granular = Array.isArray(data.granular_scopes) ? data.granular_scopes.map(toRecord) : []
  const expiresAt = Number(data.expires_at)
  return {
    scopes: (data.scopes as unknown[]).map(String),
    targetIds: new Map(
      granular.flatMap((entry) =>
        Array.isArray(entry?.target_ids) ? [[String(entry.scope), entry.target_ids.map(String)] as const] : [],
      ),
    ),
    // 0 never ends.
    expiresAt: expiresAt > 0 ? new Date(expiresAt * 1000) : undefined,
  }
}

function toNode({ id, name }: Record<string, unknown>): GraphNode {
  if (typeof id !== 'string' || id === '') throw nonsense('something else in place of an id')
  return { id, name: typeof name === 'string' ? name : '' }
}

const REFUSALS: ReadonlySet<GraphErrorKind> = new Set(['credentials', 'not-found', 'invalid', 'nonsense'])

const isRefusal = (error: unknown): boolean => error instanceof GraphError && REFUSALS.has(error.kind)

/** Undefined where the platform does not answer such a question of this token. */
async function orUntold<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** `access_token_refused`, 400. The text says what is wrong with the token or missing, without the token. */
export const tokenRefused = (message: string, cause?: unknown): ApiError =>
  new ApiError('access_token_refused', { message, cause })

/**
 * The same answer; a GraphError becomes the ApiError of a token that is being checked: access_token_refused with the
 * platform's own reason, or platform_* when there was no answer to go by.
 */
export async function orTokenError<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof GraphError)) throw error
    if (error.kind === 'credentials' || error.kind === 'not-found' || isWrongObject(error)) {
      throw tokenRefused(`The platform does not accept the access token: ${error.userText}`, error)
    }
    const { code, retryAfterSeconds } = toApiError(error)
    const why = error.unreached === undefined ? NOT_TOLD : describeUnreached(error.unreached)
    throw new ApiError(code, { message: `${why} ${NOT_STORED}`, cause: error, retryAfterSeconds })
  }
}

/** The id is that of another kind of object, or the token of another kind of owner. */
const isWrongObject = ({ kind, code }: GraphError): boolean => kind === 'invalid' && code === 100

const NOT_TOLD = 'The platform did not say whether it accepts the access token.'
const NOT_STORED = 'The token is not stored: try again, or send check: false (--no-check) to store it unchecked.'
