import { createHash, createHmac } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import type { Clock } from '../lib/clock.js'
import { type Wait, waitJittered } from '../lib/wait.js'
import { classifyGraphError, GraphError, type GraphErrorKind, isAppLimit, parseGraphErrorBody } from './graph-error.js'
import { createRateLimits } from './rate-limits.js'
import { type GraphUsage, readUsage } from './usage.js'

/** The ad platform's Graph API. The only server-side fetch of the program. */
export interface GraphClient {
  /**
   * One GET of `path` (such as `/act_123/campaigns`), tried a second time when the failure may be passing. Returns the
   * JSON object it answers; throws a GraphError, or the signal's reason when the request it serves was aborted.
   */
  get(path: string, params: Record<string, string>, access: GraphAccess): Promise<Record<string, unknown>>
  /** The same client for one request of ours: aborted with it, its upstream time counted. */
  forRequest(request: GraphRequest): GraphClient
}

export interface GraphAccess {
  accessToken: string
  /** What a rate limit of the platform applies to: the ad account id. */
  limitKey: string
}

export interface GraphRequest {
  signal: AbortSignal
  onUpstreamMs(ms: number): void
}

export type GraphConfig = Pick<Config, 'graphBaseUrl' | 'graphVersion' | 'graphAppSecret' | 'graphTimeoutMs'>

export interface GraphDependencies {
  clock: Clock
  log: Logger
  /** Before a second try; only tests give their own. */
  wait?: Wait
}

/** A page of insights is a few hundred kilobytes; anything like this is not an answer. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
const RETRY_WAIT_MS = 400
const RETRIED: ReadonlySet<GraphErrorKind> = new Set(['transient', 'network', 'maybe-too-much-data'])
/** When the platform limits us without saying for how long. */
const LIMIT_SECONDS_DEFAULT = 60
const LIMIT_SECONDS_MAX = 86_400
/** From here on the platform is about to limit us. */
const USAGE_WARN_PERCENT = 80
const QUOTE_CHARS_MAX = 500

export function createGraphClient(config: GraphConfig, dependencies: GraphDependencies): GraphClient {
  const { clock, log, wait = waitJittered } = dependencies
  const limits = createRateLimits()

  async function get(
    path: string,
    params: Record<string, string>,
    access: GraphAccess,
    request: GraphRequest | undefined,
  ): Promise<Record<string, unknown>> {
    try {
      return await getOnce(path, params, access, request)
    } catch (error) {
      if (!(error instanceof GraphError) || !RETRIED.has(error.kind)) throw error
      await wait(RETRY_WAIT_MS, request?.signal)
      return await getOnce(path, params, access, request)
    }
  }

  async function getOnce(
    path: string,
    params: Record<string, string>,
    access: GraphAccess,
    request: GraphRequest | undefined,
  ): Promise<Record<string, unknown>> {
    request?.signal.throwIfAborted()
    requireUsableToken(access)
    requireUnlimited(access)
    const start = performance.now()
    try {
      const { status, headers, text } = await fetchText(urlOf(path, params, access), access, request)
      const tookMs = performance.now() - start
      return readAnswer({ status, headers, text, path, tookMs, access })
    } catch (error) {
      if (error instanceof GraphError) {
        const { kind, status, code, subcode, fbtraceId, message } = error
        log.warn({ path, kind, status, code, subcode, fbtraceId, reason: message }, 'ad platform call failed')
      }
      throw error
    } finally {
      request?.onUpstreamMs(performance.now() - start)
    }
  }

  function urlOf(path: string, params: Record<string, string>, access: GraphAccess): string {
    const query = new URLSearchParams(params)
    if (config.graphAppSecret !== undefined) {
      query.set('appsecret_proof', createHmac('sha256', config.graphAppSecret).update(access.accessToken).digest('hex'))
    }
    return `${config.graphBaseUrl}/${config.graphVersion}${path}?${query}`
  }

  /** The whole answer as text. Throws a GraphError of kind `timeout`, `network` or `nonsense`, or the abort's reason. */
  async function fetchText(url: string, access: GraphAccess, request: GraphRequest | undefined): Promise<RawAnswer> {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), config.graphTimeoutMs)
    const onAbort = (): void => stop.abort()
    request?.signal.addEventListener('abort', onAbort)
    try {
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${access.accessToken}`, accept: 'application/json' },
        // The platform redirects none of our calls; the token must follow nobody elsewhere.
        redirect: 'error',
        signal: stop.signal,
      })
      return { status: response.status, headers: response.headers, text: await readBounded(response) }
    } catch (error) {
      if (error instanceof GraphError) throw error
      request?.signal.throwIfAborted()
      if (stop.signal.aborted) {
        throw new GraphError('timeout', `no whole answer within ${config.graphTimeoutMs} ms`)
      }
      throw new GraphError('network', redact(networkReason(error), access))
    } finally {
      clearTimeout(timer)
      request?.signal.removeEventListener('abort', onAbort)
    }
  }

  function readAnswer(raw: RawAnswer & { path: string; tookMs: number; access: GraphAccess }): Record<string, unknown> {
    const { status, headers, text, path, tookMs, access } = raw
    const usage = readUsage(headers)
    logAnswer({ status, headers, path, tookMs, usage })

    const answer = parseObject(text)
    const errorBody = answer === undefined ? undefined : parseGraphErrorBody(answer)
    if (answer !== undefined && errorBody === undefined && status >= 200 && status < 300) {
      if (usage.blockedSeconds > 0) limits.block(accountKey(access), clock.now() + usage.blockedSeconds * 1000)
      return answer
    }

    const kind = classifyGraphError(status, errorBody)
    const said = errorBody === undefined ? text : `${errorBody.message} ${errorBody.userTexts}`.trim()
    const { code, subcode } = errorBody ?? {}
    throw new GraphError(kind, `HTTP ${status}: ${redact(said, access) || '(nothing)'}`, {
      status,
      code,
      subcode,
      fbtraceId: errorBody?.fbtraceId ?? headers.get('x-fb-trace-id') ?? undefined,
      retryAfterSeconds: kind === 'rate-limited' ? limit(access, code, usage, headers) : undefined,
    })
  }

  /** Notes that no more calls be made for now; returns for how many seconds. */
  function limit(access: GraphAccess, code: number | undefined, usage: GraphUsage, headers: Headers): number {
    const said = usage.blockedSeconds || Number(headers.get('retry-after')) || LIMIT_SECONDS_DEFAULT
    const seconds = Math.min(LIMIT_SECONDS_MAX, Math.max(1, Math.ceil(said)))
    limits.block(isAppLimit(code) ? appKey(access) : accountKey(access), clock.now() + seconds * 1000)
    return seconds
  }

  function requireUnlimited(access: GraphAccess): void {
    const leftMs = limits.blockedMs([accountKey(access), appKey(access)], clock.now())
    if (leftMs > 0) {
      throw new GraphError('rate-limited', 'not called: the ad platform is still limiting us', {
        retryAfterSeconds: Math.ceil(leftMs / 1000),
      })
    }
  }

  const accountKey = (access: GraphAccess): string => `account ${access.limitKey}`

  /**
   * What an app-wide limit applies to. With an app secret every token is of that one app; without it tokens may be of
   * different apps, and one organization's app must not silence another's. A digest, so that no token is kept.
   */
  function appKey(access: GraphAccess): string {
    if (config.graphAppSecret !== undefined) return 'app'
    return `app of ${createHash('sha256').update(access.accessToken).digest('base64')}`
  }

  function logAnswer(answer: Omit<RawAnswer, 'text'> & { path: string; tookMs: number; usage: GraphUsage }): void {
    const { status, headers, path, tookMs, usage } = answer
    const versionWarning = headers.get('x-ad-api-version-warning') ?? undefined
    const isNotable =
      (usage.highestPercent ?? 0) >= USAGE_WARN_PERCENT || usage.blockedSeconds > 0 || versionWarning !== undefined
    log[isNotable ? 'warn' : 'debug'](
      {
        path,
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
    get: (path, params, access) => get(path, params, access, request),
    forRequest: clientFor,
  })
  return clientFor(undefined)
}

interface RawAnswer {
  status: number
  headers: Headers
  text: string
}

/** fetch refuses such a token too, but in words that quote it. */
function requireUsableToken({ accessToken }: GraphAccess): void {
  if (!/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new GraphError('credentials', 'not called: the access token is empty or holds characters that no token has')
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
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Free of the access token, which the platform quotes when it finds it malformed, and short. */
function redact(text: string, access: GraphAccess): string {
  return text
    .replaceAll(access.accessToken, '[access token]')
    .replace(/(access_token|appsecret_proof)=[^&\s"'<]+/g, '$1=[…]')
    .slice(0, QUOTE_CHARS_MAX)
}

/** fetch hides the reason one level down. */
function networkReason(error: unknown): string {
  const { code, message } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown; message?: unknown }
  return `no whole answer: ${typeof code === 'string' ? code : (message ?? 'the connection failed')}`
}
