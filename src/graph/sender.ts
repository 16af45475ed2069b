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

/** A page of insights is a few hundred kilobytes; anything like this is not an answer. */
const ANSWER_BYTES_MAX = limit('graphAnswerBytes')

export interface RawAnswer {
  status: number
  headers: Headers
  text: string
}

/** Makes the calls. The only server-side fetch of the program that reaches the platform. */
export interface Sender {
  /** Gives the whole answer. Throws a GraphError of kind `timeout`, `network` or `nonsense`, or the abort's reason. */
  send(call: GraphCall): Promise<RawAnswer>
  /** The platform's time: the Date of its last answer, and what has passed since. Undefined before its first answer. */
  platformNow(): Date | undefined
}

export function createSender(config: GraphConfig, tracing: Tracing | undefined, start: StartTimer): Sender {
  /** `atMs` is of performance.now(), which no change of our clock touches. */
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
      // A GET may be repeated in any case, so that it does not matter whether it was sent.
      const watched = method === 'POST' ? watchSending() : undefined
      try {
        const url = urlOf(config, call)
        const response = await fetch(url, {
          method,
          headers: {
            authorization: `Bearer ${access.accessToken}`,
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            // Meta does not need the ids of our traces: they go only to a stand-in or a gateway of the operator's.
            ...(isMeta(url) ? undefined : tracing?.headers()),
          },
          body,
          // The platform redirects none of our calls; the token must not reach another server.
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
          // Only a watched call is known to have had no connection.
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

/** A token of Instagram login is of another app, with a secret and a host of its own. */
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
    if (bytes > ANSWER_BYTES_MAX) throw new GraphError('nonsense', `an answer of more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** fetch hides the reason one level down, and two levels down where several addresses were tried. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const [first] = cause instanceof AggregateError ? cause.errors : []
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown }
  const known = [code, (first as { code?: unknown } | undefined)?.code].find((one) => typeof one === 'string')
  return String(known ?? (message || 'the connection failed'))
}
