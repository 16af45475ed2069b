import { BadRequest, graphError, notFound, type SandboxAnswer } from './answers.js'
import { EDGES, nameOf } from './edges.js'
import type { Fault } from './faults.js'
import type { Clock } from './lib/clock.js'
import type { SandboxModel } from './model.js'
import { requireEdge, unknownPath } from './refuse-edge.js'
import { readPath } from './requests.js'
import type { Handler, RecordedRequest, SandboxCall, SandboxNode, SandboxPart } from './route.js'
import { ownerOf } from './token-routes.js'
import { findToken, readToken, SANDBOX_APP_ID } from './tokens.js'
import { LEGACY_ENDS, versionFor } from './versions.js'

interface Platform {
  model: SandboxModel
  clock: Clock
  versionsClock: Clock
  url: string
  parts: readonly SandboxPart[]
  handlers: ReadonlyMap<string, Handler>
}

/** Collects the handlers of all parts. Throws unless they match the table of edges. */
export function gatherHandlers(parts: readonly SandboxPart[]): Platform['handlers'] {
  const handlers = new Map(parts.flatMap((part) => Object.entries(part.handlers)))
  const names = new Set(EDGES.map(nameOf))
  const odd = [...names, ...handlers.keys()].filter((name) => !names.has(name) || !handlers.has(name))
  if (odd.length > 0) throw new Error(`the table of edges and the handlers differ: ${odd.join(', ')}`)
  return handlers
}

/** Answers a call as the platform does. */
export function answerCall(
  platform: Platform,
  request: RecordedRequest,
  accessToken: string,
  proof: string | undefined,
  fault: Fault | undefined,
): SandboxAnswer {
  const version = versionFor(request.version, platform.versionsClock.now())
  if (version === undefined) return unknownPath(`/${request.version}${request.path}`)
  const answer = answerToToken(platform, request, { accessToken, proof, fault, version })
  return { ...answer, headers: { 'facebook-api-version': version, ...answer.headers } }
}

interface Given {
  accessToken: string
  proof: string | undefined
  fault: Fault | undefined
  /** The version that the call runs on. */
  version: string
}

function answerToToken(platform: Platform, request: RecordedRequest, given: Given): SandboxAnswer {
  const { model, clock } = platform
  const { accessToken: value, proof } = given
  const now = clock.now()
  if (value === '') return /^\/me(\/|$)/.test(request.path) ? NOBODY : NO_TOKEN
  const read = readToken(model, { value, proof, proofTime: proofTimeOf(request), host: request.host, now })
  if ('refusal' in read) return read.refusal
  try {
    const today = platform.versionsClock.now()
    requireNoLegacy(request, today)
    const call = toCall(platform, request, given, read.token)
    const { node, edge } = locate(platform.parts, request, call)
    const { method, host, version: askedVersion } = request
    const row = requireEdge(node, call.token, { method, host, edge, askedVersion, version: given.version, now: today })
    return platform.handlers.get(nameOf(row))!(call, node)
  } catch (error) {
    if (error instanceof BadRequest) return error.answer
    throw error
  }
}

function proofTimeOf({ query, body }: RecordedRequest): string | undefined {
  const time = query.appsecret_time ?? body?.appsecret_time
  return time === undefined ? undefined : String(time)
}

const NO_TOKEN = graphError({ code: 104, message: 'An access token is required to request this resource.' })
const NOBODY = graphError({
  code: 2500,
  message: 'An active access token must be used to query information about the current user.',
})

/** Refuses features that new apps may no longer use. Meta does not document its wording, so the message is made up. */
function requireNoLegacy({ query, body }: RecordedRequest, now: number): void {
  if (now < LEGACY_ENDS) return
  const params = { ...query, ...body }
  const name = ['ids', 'date_format', 'method', 'callback'].find((each) => params[each] !== undefined)
  if (name !== undefined) throw new BadRequest(`The parameter ${name} is not available to this app`)
  if (/\.as\(/.test(String(params.fields ?? ''))) throw new BadRequest('Field aliases are not available to this app')
}

function toCall(
  platform: Platform,
  request: RecordedRequest,
  { accessToken, proof, fault, version }: Given,
  token: SandboxCall['token'],
): SandboxCall {
  const { model, clock, url } = platform
  const { host, query, body } = request
  return {
    ...{ now: clock.now(), query, params: { ...query, ...body }, token, model },
    findToken: (value) => findToken(model, value),
    answer(relativeUrl) {
      const { pathname, searchParams } = new URL(relativeUrl, 'http://sandbox.invalid/')
      const proofTime = proofTimeOf(request)
      const query = {
        ...(proofTime !== undefined && { appsecret_time: proofTime }),
        ...Object.fromEntries(searchParams),
      }
      const asked = { ...request, ...readPath(pathname), host, query }
      const item = { ...asked, version: asked.version || request.version, method: 'GET', body: {} }
      return answerCall(platform, item, accessToken, proof, undefined)
    },
    spent: fault?.kind === 'spends-reply' ? fault.answer : undefined,
    forgets: fault?.kind === 'accepted-then-answer' && fault.forgets === true,
    processing:
      fault?.kind === 'processing' ? { polls: fault.polls, error: fault.error } : { polls: 0, error: undefined },
    pageUrl(path, given) {
      const base = host === 'graph.instagram.com' ? `${url}/instagram` : url
      return `${base}/${version}${path}?${new URLSearchParams({ access_token: accessToken, ...given })}`
    },
  }
}

/** The names of edges of the root, which belong to no object. */
const ROOT_EDGES: ReadonlySet<string> = new Set(EDGES.filter(({ node }) => node === 'Root').map(({ edge }) => edge))
const OBJECT_ID = /^(?:act_)?\d{1,32}(?:_\d{1,32})?$/

/** Finds the object and the edge of a call. Throws a BadRequest if the token sees no such object. */
function locate(
  parts: readonly SandboxPart[],
  { path, method }: RecordedRequest,
  call: SandboxCall,
): { node: SandboxNode; edge: string } {
  const [first = '', edge = '', ...further] = path.slice(1).split('/')
  if (further.length > 0) throw BadRequest.with(unknownPath(path))
  if (edge === '' && ROOT_EDGES.has(first)) return { node: { type: 'Root', id: first }, edge: first }
  if (first === 'app') return { node: { type: 'Application', id: SANDBOX_APP_ID }, edge }
  if (first === 'me') {
    const node = ownerOf(call.token)
    if (node === undefined) throw BadRequest.with(NOBODY)
    return { node, edge }
  }
  if (!OBJECT_ID.test(first)) throw BadRequest.with(unknownPath(path))
  for (const part of parts) {
    const node = part.find?.(first, call)
    if (node !== undefined && isSeen(node, call)) return { node, edge }
  }
  throw BadRequest.with(notFound(first, method))
}

const isSeen = ({ page }: SandboxNode, { token }: SandboxCall): boolean =>
  page === undefined || token.pages.some(({ id }) => id === page.id)
