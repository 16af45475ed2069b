import { createHmac } from 'node:crypto'
import { type GraphConfig, instagramUrlOf, isMeta } from '../config/graph.js'
import { parseImfFixdate } from '../lib/dates.js'
import { limit } from '../lib/limits.js'
import type { Tracing } from '../lib/tracing.js'
import type { StartTimer } from '../lib/wait.js'
import { type GraphCall, redact } from './graph-call.js'
import { GraphError } from './graph-error.js'
import { loginOf } from './login.js'
import { toUnreached } from './unreached.js'
import { watchSending } from './watch-sending.js'

/** A page of insights is a few hundred kilobytes; anything this large is not a real answer. */
const ANSWER_BYTES_MAX = limit('graphAnswerBytes')

export interface RawAnswer {
  status: number
  headers: Headers
  text: string
}

/** Makes the calls. This is the only server-side fetch that reaches the platform. */
export interface Sender {
  /** Returns the whole response. Throws a GraphError of kind `timeout`, `network` or `nonsense`, or the abort's reason. */
  send(call: GraphCall): Promise<RawAnswer>
  /** The platform's time: the Date of its last response plus the time since. Undefined before its first response. */
  platformNow(): Date | undefined
}

export function createSender(config: GraphConfig, tracing: Tracing | undefined, start: StartTimer): Sender {
  /** `atMs` comes from performance.now(), which changes of the system clock do not affect. */
  let lastDate: { platformMs: number; atMs: number } | undefined

  function noteDate(date: string | null): void {
    const platformMs = parseImfFixdate(date ?? '')
    if (platformMs !== undefined) lastDate = { platformMs, atMs: performance.now() }
  }

  return {
    platformNow: () => lastDate && new Date(lastDate.platformMs + performance.now() - lastDate.atMs),
    async send(call) {
      const { method, access, body, request } = call
      const stop = new AbortController()
      const cancelTimer = start(() => stop.abort(), config.timeoutMs)
      const onAbort = (): void => stop.abort()
      request?.signal.addEventListener('abort', onAbort)
      // A GET may be repeated in any case, so it does not matter whether it was sent.
      const watched = method === 'POST' ? watchSending() : undefined
      try {
        const url = urlOf(config, call)
        const response = await fetch(url, {
          method,
          headers: {
            authorization: `Bearer ${access.accessToken}`,
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            // Meta does not need our trace ids: they go only to a stand-in or a gateway of the operator.
            ...(isMeta(url) ? undefined : tracing?.headers()),
          },
          body,
          // The platform never redirects our calls, and the token must not reach another server.
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
        const missing = mayBeSent ? 'no whole response' : 'no connection'
        const outcome = mayBeSent ? 'unknown' : 'refused'
        if (stop.signal.aborted) {
          // Only for a watched call is it known that there was no connection.
          const unreached = mayBeSent ? undefined : toUnreached('ETIMEDOUT', error)
          throw new GraphError('timeout', `${missing} within ${config.timeoutMs} ms`, { outcome, unreached })
        }
        const reason = redact(reasonOf(error), access)
        const unreached = toUnreached(reason, error)
        throw new GraphError('network', `${missing}: ${reason}`, { outcome, unreached })
      } finally {
        cancelTimer()
        request?.signal.removeEventListener('abort', onAbort)
      }
    },
  }
}

/** Tokens of Instagram login belong to another app, with its own secret and host. */
function urlOf(config: GraphConfig, { path, query: params, access }: GraphCall): string {
  const isInstagram = loginOf(access.accessToken) === 'instagram'
  const [baseUrl, appSecret] = isInstagram
    ? [instagramUrlOf(config), config.instagramAppSecret]
    : [config.baseUrl, config.appSecret]
  const query = new URLSearchParams(params)
  if (appSecret !== undefined) {
    query.set('appsecret_proof', createHmac('sha256', appSecret).update(access.accessToken).digest('hex'))
  }
  return `${baseUrl}/${config.version}${path}${query.size > 0 ? `?${query}` : ''}`
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the rest of the body.
    if (bytes > ANSWER_BYTES_MAX) throw new GraphError('nonsense', `a response of more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** fetch hides the reason one level down, or two levels if it tried several addresses. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const [first] = cause instanceof AggregateError ? cause.errors : []
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown }
  const known = [code, (first as { code?: unknown } | undefined)?.code].find((one) => typeof one === 'string')
  return String(known ?? (message || 'the connection failed'))
}
