import { ApiError } from '../errors.js'
import { parseJson, toRecord } from '../lib/json.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphClient } from './graph-client.js'
import { GraphError, type GraphErrorKind, toApiError } from './graph-error.js'
import { nonsense, readData, requireId, requireText } from './reading.js'
import { describeUnreached } from './unreached.js'

/** The owner of a token, or an account that the token may read. */
export interface GraphNode {
  id: string
  name: string
}

/** The platform's facts about an access token. */
export interface TokenFacts {
  /** The permissions of the token. */
  scopes: string[]
  /** The ids of the objects for which a permission is granted, if it is not granted for all. */
  targetIds: Map<string, string[]>
  /** Undefined if it does not expire. */
  expiresAt: Date | undefined
}

// Every function throws a GraphError.

/** Reads an ad account that the token must be able to see; `id` is its digits. */
export async function getAdAccount(graph: GraphClient, access: GraphAccess, id: string): Promise<GraphNode> {
  const answer = await graph.get(`/act_${requireId(id)}`, { fields: 'account_id,name' }, access)
  return toNode({ id: answer.account_id, name: answer.name })
}

/**
 * Returns the permissions granted to the token of a person or system user; undefined for other tokens, which have no such
 * list.
 */
export async function listPermissions(graph: GraphClient, access: GraphAccess): Promise<string[] | undefined> {
  const answer = await undefinedIfRefused(graph.get('/me/permissions', {}, access))
  const granted = answer && readData(answer).filter(({ status }) => status === 'granted')
  return granted?.map(({ permission }) => String(permission))
}

/**
 * Asks the platform about the token itself. It answers the app, which the app secret proves us to be, or the app's own
 * developers; undefined if it does not answer.
 */
export async function inspectToken(
  graph: GraphClient,
  access: GraphAccess,
  appSecret: string | undefined,
): Promise<TokenFacts | undefined> {
  const asking = appSecret === undefined ? access : await toAppAccess(graph, access, appSecret)
  if (asking === undefined) return undefined
  // A batch carries the token to inspect in its body; a GET would have it in its URL.
  const relative_url = `debug_token?${new URLSearchParams({ input_token: access.accessToken })}`
  const batch = [{ method: 'GET', relative_url }]
  const answer = await undefinedIfRefused(graph.post('/', { batch, include_headers: false }, asking))
  const [item] = Array.isArray(answer?.batch) ? answer.batch : []
  const data = toRecord(toRecord(parseJson(String(toRecord(item)?.body)))?.data)
  return data === undefined || !Array.isArray(data.scopes) ? undefined : toFacts(data)
}

async function toAppAccess(
  graph: GraphClient,
  access: GraphAccess,
  appSecret: string,
): Promise<GraphAccess | undefined> {
  const app = await undefinedIfRefused(graph.get('/app', { fields: 'id' }, access))
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
    // 0 means that it never expires.
    expiresAt: expiresAt > 0 ? new Date(expiresAt * 1000) : undefined,
  }
}

export function toNode({ id, name }: Record<string, unknown>): GraphNode {
  if (typeof id !== 'string' || id === '') throw nonsense('something other than an id')
  return { id, name: typeof name === 'string' ? name : '' }
}

const REFUSALS: ReadonlySet<GraphErrorKind> = new Set(['credentials', 'not-found', 'invalid', 'nonsense'])

export const isRefusal = (error: unknown): boolean => error instanceof GraphError && REFUSALS.has(error.kind)

/** Returns undefined if the platform does not answer this question for the token. */
export async function undefinedIfRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** `access_token_refused`, 400. The text says what is wrong with the token, or what it lacks, without quoting it. */
export const tokenRefused = (message: string, cause?: unknown): ApiError =>
  new ApiError('access_token_refused', { message, cause })

/**
 * Returns the response. A GraphError becomes the ApiError of a token check: access_token_refused with the platform's own
 * reason, or platform_* if there was no response to judge by.
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
    const why = error.unreached === undefined ? NO_VERDICT : describeUnreached(error.unreached)
    throw new ApiError(code, { message: `${why} ${NOT_STORED}`, cause: error, retryAfterSeconds })
  }
}

/** True if the id belongs to another kind of object, or the token to another kind of owner. */
const isWrongObject = ({ kind, code }: GraphError): boolean => kind === 'invalid' && code === 100

const NO_VERDICT = 'The platform did not say whether it accepts the access token.'
const NOT_STORED = 'The token was not stored: try again, or send check: false (--no-check) to store it unchecked.'
