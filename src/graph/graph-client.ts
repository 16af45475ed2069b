import { createHash, createHmac } from 'node:crypto'
import type { Logger } from 'pino'
import type { GraphConfig } from '../config/graph.js'
import type { Clock } from '../lib/clock.js'
import { parseImfFixdate } from '../lib/dates.js'
import { limit } from '../lib/limits.js'
import type { Tracing } from '../lib/tracing.js'
import { type Wait, waitJittered } from '../lib/wait.js'
import {
  classifyGraphError,
  GraphError,
  type GraphErrorBody,
  type GraphErrorKind,
  isAdsAppLimit,
  isAppLimit,
  isPublishingQuota,
  outcomeOf,
  parseGraphErrorBody,
} from './graph-error.js'
import { createRateLimits } from './rate-limits.js'
import { type GraphUsage, type LimitedObject, readUsage } from './usage.js'
import { watchSending } from './watch-sending.js'

/** The ad platform's Graph API. The only server-side fetch of the program. */
export interface GraphClient {
  /**
   * One GET of `path` (such as `/act_123/campaigns`), tried a second time when the failure may be passing. Returns the
   * JSON object it answers; throws a GraphError, or the signal's reason when the request it serves was aborted.
   */
  get(path: string, params: Record<string, string>, access: GraphAccess): Promise<Record<string, unknown>>
  /**
   * One POST of `params` as JSON, never tried twice. Returns the JSON object it answers, and the list that a batch (`/`)
   * answers as `{ batch }`; throws a GraphError whose `outcome` tells whether it may have been carried out, also when the
   * request it serves was aborted.
   */
  post(path: string, params: Record<string, unknown>, access: GraphAccess): Promise<Record<string, unknown>>
  /** The platform's time: the Date of its last answer, and what has passed since. Undefined before its first answer. */
  platformNow(): Date | undefined
  /** The same client for one request of ours: aborted with it, its upstream time counted. */
  forRequest(request: GraphRequest): GraphClient
}

/** Whose token a call carries, and what a rate limit of the platform then applies to. */
export interface GraphAccess extends LimitedObject {
  accessToken: string
}

export interface GraphRequest {
  signal: AbortSignal
  onUpstreamMs(ms: number): void
}

export interface GraphDependencies {
  clock: Clock
  log: Logger
  tracing?: Tracing | undefined
  /** Told of each call that was made: `ok`, `aborted`, or the kind of its failure. */
  onCall?(outcome: 'ok' | 'aborted' | GraphErrorKind): void
  /** Before a second try; only tests give their own. */
  wait?: Wait
}

/** A page of insights is a few hundred kilobytes; anything like this is not an answer. */
const ANSWER_BYTES_MAX = limit('graphAnswerBytes')
const RETRY_WAIT_MS = 400
const RETRIED: ReadonlySet<GraphErrorKind> = new Set(['transient', 'network', 'maybe-too-much-data'])
/** When the platform limits us without saying for how long. */
const LIMIT_SECONDS_DEFAULT = 60
const LIMIT_SECONDS_MAX = 86_400
/** The app's own quota is of a rolling hour. */
const APP_LIMIT_SECONDS_MAX = 3600
/** The quota of posts is of a rolling day and frees itself post by post, when is not said. */
const QUOTA_SECONDS = 3600
/** From here on the platform is about to limit us. */
const USAGE_WARN_PERCENT = 80
const QUOTE_CHARS_MAX = 500

export function createGraphClient(config: GraphConfig, dependencies: GraphDependencies): GraphClient {
  const { clock, log, tracing, onCall, wait = waitJittered } = dependencies
  const { hostname } = new URL(config.baseUrl)
  const carried = tracing !== undefined && !isMeta(hostname) ? tracing : undefined
  const limits = createRateLimits()
  /** `atMs` is of performance.now(), which no change of our clock touches. */
  let lastDate: { platformMs: number; atMs: number } | undefined

  async function get(call: GraphCall): Promise<Record<string, unknown>> {
    try {
      return await callOnce(call)
    } catch (error) {
      if (!(error instanceof GraphError) || !RETRIED.has(error.kind)) throw error
      await wait(RETRY_WAIT_MS, call.request?.signal)
      return await callOnce(call)
    }
  }

  async function post(call: GraphCall): Promise<Record<string, unknown>> {
    const signal = call.request?.signal
    if (signal?.aborted) {
      throw new GraphError('network', 'not called: stopped before', { outcome: 'refused', cause: signal.reason })
    }
    try {
      return await callOnce(call)
    } catch (error) {
      if (error instanceof GraphError) throw error
      throw new GraphError('network', 'stopped before the whole answer came', { cause: error })
    }
  }

  async function callOnce(call: GraphCall): Promise<Record<string, unknown>> {
    const { method, path, access, request } = call
    request?.signal.throwIfAborted()
    requireUsableToken(access)
    requireUnlimited(access)
    if (tracing === undefined) return await makeCall(call)
    // Ids of the platform name pages and ad accounts: one name for all of them.
    const name = `${method} ${path.replaceAll(/(?<=\/)(act_)?\d[\d_]*/g, '{id}')}`
    const attributes = { 'http.request.method': method, 'server.address': hostname }
    return await tracing.part(name, 'client', attributes, (note) =>
      makeCall(call, (status) => note({ 'http.response.status_code': status })),
    )
  }

  async function makeCall(call: GraphCall, onStatus?: (status: number) => void): Promise<Record<string, unknown>> {
    const { method, path, request } = call
    const start = performance.now()
    try {
      const raw = await fetchText(call)
      onStatus?.(raw.status)
      const answer = readAnswer(raw, call, performance.now() - start)
      onCall?.('ok')
      return answer
    } catch (error) {
      onCall?.(error instanceof GraphError ? error.kind : 'aborted')
      if (error instanceof GraphError) {
        const { kind, outcome, status, code, subcode, fbtraceId, message } = error
        log.warn(
          { method, path, kind, outcome, status, code, subcode, fbtraceId, reason: message },
          'ad platform call failed',
        )
      }
      throw error
    } finally {
      request?.onUpstreamMs(performance.now() - start)
    }
  }

  function urlOf({ path, query: params, access }: GraphCall): string {
    const query = new URLSearchParams(params)
    if (config.appSecret !== undefined) {
      query.set('appsecret_proof', createHmac('sha256', config.appSecret).update(access.accessToken).digest('hex'))
    }
    return `${config.baseUrl}/${config.version}${path}${query.size > 0 ? `?${query}` : ''}`
  }

  /** The whole answer as text. Throws a GraphError of kind `timeout`, `network` or `nonsense`, or the abort's reason. */
  async function fetchText(call: GraphCall): Promise<RawAnswer> {
    const { method, access, body, request } = call
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), config.timeoutMs)
    const onAbort = (): void => stop.abort()
    request?.signal.addEventListener('abort', onAbort)
    // A GET may be repeated in any case, so that it does not matter whether it was sent.
    const watched = method === 'POST' ? watchSending() : undefined
    try {
      const response = await fetch(urlOf(call), {
        method,
        headers: {
          authorization: `Bearer ${access.accessToken}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...carried?.headers(),
        },
        body,
        // The platform redirects none of our calls; the token must follow nobody elsewhere.
        redirect: 'error',
        signal: stop.signal,
        dispatcher: watched?.dispatcher,
      })
      noteDate(response.headers.get('date'))
      return { status: response.status, headers: response.headers, text: await readBounded(response) }
    } catch (error) {
      if (error instanceof GraphError) throw error
      const mayBeSent = watched?.end().mayBeSent ?? true
      request?.signal.throwIfAborted()
      const missing = mayBeSent ? 'no whole answer' : 'no connection'
      const outcome = mayBeSent ? 'unknown' : 'refused'
      if (stop.signal.aborted) {
        throw new GraphError('timeout', `${missing} within ${config.timeoutMs} ms`, { outcome })
      }
      throw new GraphError('network', redact(`${missing}: ${reasonOf(error)}`, access), { outcome })
    } finally {
      clearTimeout(timer)
      request?.signal.removeEventListener('abort', onAbort)
    }
  }

  function noteDate(date: string | null): void {
    const platformMs = parseImfFixdate(date ?? '')
    if (platformMs !== undefined) lastDate = { platformMs, atMs: performance.now() }
  }

  function readAnswer(raw: RawAnswer, call: GraphCall, tookMs: number): Record<string, unknown> {
    const { status, headers, text } = raw
    const { access } = call
    const usage = readUsage(headers, access)
    logAnswer(raw, call, { tookMs, usage })

    const answer = parseObject(text) ?? (call.path === '/' ? parseBatch(text) : undefined)
    const errorBody = answer === undefined ? undefined : parseGraphErrorBody(answer)
    if (answer !== undefined && errorBody === undefined && status >= 200 && status < 300) {
      if (usage.blockedSeconds > 0) limits.block(accountKey(access), clock.now() + usage.blockedSeconds * 1000)
      return answer
    }

    const kind = classifyGraphError(status, errorBody, call.method)
    const said = errorBody === undefined ? text : `${errorBody.message} ${errorBody.userTexts}`.trim()
    const saidToPeople = errorBody?.userMessage || errorBody?.message || ''
    throw new GraphError(kind, `HTTP ${status}: ${redact(said, access) || '(nothing)'}`, {
      outcome: outcomeOf(status, errorBody, kind),
      userText: redact(saidToPeople, access) || `the platform answered HTTP ${status} without saying why`,
      status,
      code: errorBody?.code,
      subcode: errorBody?.subcode,
      fbtraceId: errorBody?.fbtraceId ?? headers.get('x-fb-trace-id') ?? undefined,
      retryAfterSeconds: kind === 'rate-limited' ? noteLimit(access, errorBody, usage, headers) : undefined,
    })
  }

  /** Notes that no more calls be made for now; returns for how many seconds. */
  function noteLimit(
    access: GraphAccess,
    body: GraphErrorBody | undefined,
    usage: GraphUsage,
    headers: Headers,
  ): number {
    if (body !== undefined && isPublishingQuota(body)) return QUOTA_SECONDS
    const isOfApp = body !== undefined && isAppLimit(body)
    // The headers' times are of one account: they say nothing about the app as a whole.
    const said = (isOfApp ? 0 : usage.blockedSeconds) || Number(headers.get('retry-after')) || LIMIT_SECONDS_DEFAULT
    const seconds = Math.min(isOfApp ? APP_LIMIT_SECONDS_MAX : LIMIT_SECONDS_MAX, Math.max(1, Math.ceil(said)))
    const key = isOfApp ? (isAdsAppLimit(body) ? adsAppKey(access) : appKey(access)) : accountKey(access)
    limits.block(key, clock.now() + seconds * 1000)
    return seconds
  }

  function requireUnlimited(access: GraphAccess): void {
    const keys = [accountKey(access), appKey(access), ...(access.useCase === 'ads' ? [adsAppKey(access)] : [])]
    const leftMs = limits.blockedMs(keys, clock.now())
    if (leftMs > 0) {
      throw new GraphError('rate-limited', 'not called: the ad platform is still limiting us', {
        outcome: 'refused',
        retryAfterSeconds: Math.ceil(leftMs / 1000),
      })
    }
  }

  /**
   * What an app-wide limit applies to. With an app secret every token is of that one app; without it tokens may be of
   * different apps, and one organization's app must not silence another's. A digest, so that no token is kept.
   */
  function appKey(access: GraphAccess): string {
    if (config.appSecret !== undefined) return 'app'
    return `app of ${createHash('sha256').update(access.accessToken).digest('base64')}`
  }

  /** The platform's load of insights limits no page. */
  const adsAppKey = (access: GraphAccess): string => `${appKey(access)} ads`

  /** An account is limited for one app. */
  const accountKey = (access: GraphAccess): string => `${appKey(access)} ${access.useCase} ${access.limitKey}`

  function logAnswer(raw: RawAnswer, call: GraphCall, { tookMs, usage }: { tookMs: number; usage: GraphUsage }): void {
    const { status, headers } = raw
    const versionWarning = headers.get('x-ad-api-version-warning') ?? undefined
    const isNotable =
      (usage.highestPercent ?? 0) >= USAGE_WARN_PERCENT || usage.blockedSeconds > 0 || versionWarning !== undefined
    log[isNotable ? 'warn' : 'debug'](
      {
        method: call.method,
        path: call.path,
        status,
        upstreamMs: Math.round(tookMs),
        usagePercent: usage.highestPercent,
        blockedSeconds: usage.blockedSeconds,
        version: headers.get('facebook-api-version') ?? undefined,
        versionWarning,
        fbtraceId: headers.get('x-fb-trace-id') ?? undefined,
      },
      'ad platform answered',
    )
  }

  const clientFor = (request: GraphRequest | undefined): GraphClient => ({
    get: (path, params, access) => get({ method: 'GET', path, query: params, access, request }),
    post: (path, params, access) => post({ method: 'POST', path, body: JSON.stringify(params), access, request }),
    platformNow: () => lastDate && new Date(lastDate.platformMs + performance.now() - lastDate.atMs),
    forRequest: clientFor,
  })
  return clientFor(undefined)
}

/** Nobody there needs the ids of our traces: they go to a stand-in or a gateway of the operator's alone. */
const isMeta = (hostname: string): boolean => /(^|\.)(facebook|instagram)\.com$/.test(hostname)

interface GraphCall {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  /** JSON. */
  body?: string
  access: GraphAccess
  request: GraphRequest | undefined
}

interface RawAnswer {
  status: number
  headers: Headers
  text: string
}

/** fetch refuses such a token too, but in words that quote it. */
function requireUsableToken({ accessToken }: GraphAccess): void {
  if (!/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new GraphError('credentials', 'not called: the access token is empty or holds characters that no token has', {
      outcome: 'refused',
      userText: 'The access token is empty or holds characters that no token has.',
    })
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the rest of the body.
    if (bytes > ANSWER_BYTES_MAX) throw new GraphError('nonsense', `an answer of more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The platform labels JSON in several ways, so what parses counts, not the content type. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : undefined
}

function parseBatch(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  return Array.isArray(value) ? { batch: value } : undefined
}

/** Free of the access token, which the platform quotes when it finds it malformed, and short. */
function redact(text: string, access: GraphAccess): string {
  return text
    .replaceAll(access.accessToken, '[access token]')
    .replace(/(access_token|appsecret_proof)=[^&\s"'<]+/g, '$1=[…]')
    .slice(0, QUOTE_CHARS_MAX)
}

/** fetch hides the reason one level down, and two levels down where several addresses were tried. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const [first] = cause instanceof AggregateError ? cause.errors : []
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown }
  const known = [code, (first as { code?: unknown } | undefined)?.code].find((one) => typeof one === 'string')
  return String(known ?? (message || 'the connection failed'))
}
