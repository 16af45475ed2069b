import type { Logger } from 'pino'
import type { GraphConfig } from '../config/graph.js'
import type { Clock } from '../lib/clock.js'
import { parseJson, toRecord } from '../lib/json.js'
import type { Tracing } from '../lib/tracing.js'
import { type StartTimer, startTimer, type Wait, waitJittered } from '../lib/wait.js'
import { type CallLimits, createCallLimits } from './call-limits.js'
import { type GraphAccess, type GraphCall, type GraphRequest, redact } from './graph-call.js'
import {
  classifyGraphError,
  GraphError,
  type GraphErrorKind,
  limitOf,
  outcomeOf,
  parseGraphErrorBody,
} from './graph-error.js'
import { createSender, type RawAnswer } from './sender.js'
import { type GraphUsage, readUsage } from './usage.js'

/** The ad platform's Graph API. */
export interface GraphClient {
  /**
   * Sends a GET of `path` (such as `/act_123/campaigns`), and retries once if the failure may be temporary. Returns the JSON
   * object of the response. Throws a GraphError, or the abort reason if the request that it serves was aborted.
   */
  get(path: string, params: Record<string, string>, access: GraphAccess): Promise<Record<string, unknown>>
  /**
   * Sends a POST of `params` as JSON, and never retries. Returns the JSON object of the response, with the list of a batch
   * (`/`) as `{ batch }`. Throws a GraphError whose `outcome` says whether the call may have been carried out, even if the
   * request it serves was aborted.
   */
  post(path: string, params: Record<string, unknown>, access: GraphAccess): Promise<Record<string, unknown>>
  /** The platform's time: the Date of its last response plus the time since. Undefined before its first response. */
  platformNow(): Date | undefined
  /** Returns a client for one of our requests: its calls are aborted with that request, and counted as upstream time. */
  forRequest(request: GraphRequest): GraphClient
}

export interface GraphDependencies {
  clock: Clock
  log: Logger
  tracing?: Tracing | undefined
  /** Receives the outcome of each call: `ok`, `aborted`, or the kind of failure. */
  onCall?(outcome: 'ok' | 'aborted' | GraphErrorKind): void
  /** Waits before a retry. Only tests supply their own. */
  wait?: Wait
  /** Ends a call that takes too long. Only tests supply their own. */
  startTimer?: StartTimer
}

const RETRY_WAIT_MS = 400
const RETRIED: ReadonlySet<GraphErrorKind> = new Set(['transient', 'network', 'maybe-too-much-data'])
/** From this share of a quota on, the platform will soon limit us. */
const USAGE_WARN_PERCENT = 80

export function createGraphClient(config: GraphConfig, dependencies: GraphDependencies): GraphClient {
  const { clock, log, tracing, onCall, wait = waitJittered, startTimer: start = startTimer } = dependencies
  const { hostname } = new URL(config.baseUrl)
  const sender = createSender(config, tracing, start)
  const limits = createCallLimits(config, clock)

  async function callOnce(call: GraphCall): Promise<Record<string, unknown>> {
    const { method, path, access, request } = call
    request?.signal.throwIfAborted()
    requireUsableToken(access)
    limits.requireUnlimited(access)
    if (tracing === undefined) return await makeCall(call)
    // Ids are replaced, so that all pages and ad accounts share one span name.
    const name = `${method} ${path.replaceAll(/(?<=\/)(act_)?\d[\d_]*/g, '{id}')}`
    const attributes = { 'http.request.method': method, 'server.address': hostname }
    return await tracing.part(name, 'client', attributes, (note) =>
      makeCall(call, (status) => note({ 'http.response.status_code': status })),
    )
  }

  async function makeCall(call: GraphCall, onStatus?: (status: number) => void): Promise<Record<string, unknown>> {
    const start = performance.now()
    try {
      const raw = await sender.send(call)
      onStatus?.(raw.status)
      const usage = readUsage(raw.headers, call.access)
      logAnswer(log, call, raw, usage, performance.now() - start)
      const answer = readAnswer(raw, call, usage, limits)
      onCall?.('ok')
      return answer
    } catch (error) {
      onCall?.(error instanceof GraphError ? error.kind : 'aborted')
      if (error instanceof GraphError) logFailure(log, call, error)
      throw error
    } finally {
      call.request?.onUpstreamMs(performance.now() - start)
    }
  }

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
      throw new GraphError('network', 'stopped before the whole response arrived', { cause: error })
    }
  }

  const clientFor = (request: GraphRequest | undefined): GraphClient => ({
    get: (path, params, access) => get({ method: 'GET', path, query: params, access, request }),
    post: (path, params, access) => post({ method: 'POST', path, body: JSON.stringify(params), access, request }),
    platformNow: sender.platformNow,
    forRequest: clientFor,
  })
  return clientFor(undefined)
}

/** Returns the JSON object of the response. Throws a GraphError for an error of the platform, and records its limits. */
function readAnswer(
  { status, headers, text }: RawAnswer,
  { access, method, path }: GraphCall,
  usage: GraphUsage,
  limits: CallLimits,
): Record<string, unknown> {
  // The platform sends JSON under several content types, so we parse whatever arrives.
  const json = parseJson(text)
  const answer = toRecord(json) ?? (path === '/' && Array.isArray(json) ? { batch: json } : undefined)
  const errorBody = answer === undefined ? undefined : parseGraphErrorBody(answer)
  if (answer !== undefined && errorBody === undefined && status >= 200 && status < 300) {
    limits.noteUsage(access, usage)
    return answer
  }
  const kind = classifyGraphError(status, errorBody, method)
  const errorText = errorBody === undefined ? text : `${errorBody.message} ${errorBody.userTexts}`.trim()
  const platformMessage = redact(errorBody?.userMessage || errorBody?.message || '', access)
  const userText = platformMessage || `the platform answered HTTP ${status} without saying why`
  throw new GraphError(kind, `HTTP ${status}: ${redact(errorText, access) || '(nothing)'}`, {
    outcome: outcomeOf(status, errorBody, kind),
    userText,
    status,
    code: errorBody?.code,
    subcode: errorBody?.subcode,
    fbtraceId: errorBody?.fbtraceId ?? headers.get('x-fb-trace-id') ?? undefined,
    retryAfterSeconds:
      kind === 'rate-limited'
        ? limits.noteLimit(access, { body: errorBody, usage, headers, words: userText })
        : undefined,
    limitOf: kind === 'rate-limited' ? limitOf(errorBody) : undefined,
  })
}

function logAnswer(log: Logger, call: GraphCall, raw: RawAnswer, usage: GraphUsage, tookMs: number): void {
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

function logFailure(log: Logger, { method, path }: GraphCall, error: GraphError): void {
  const { kind, outcome, status, code, subcode, fbtraceId, message } = error
  log.warn(
    { method, path, kind, outcome, status, code, subcode, fbtraceId, reason: message },
    'ad platform call failed',
  )
}

/** fetch would reject such a token too, but would quote it in the error. */
function requireUsableToken({ accessToken }: GraphAccess): void {
  if (!/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new GraphError('credentials', 'not called: the access token is empty or contains invalid characters', {
      outcome: 'refused',
      userText: 'The access token is empty or contains invalid characters.',
    })
  }
}
