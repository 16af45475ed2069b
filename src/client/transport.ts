import type { Method, Shape } from '../interface/calls.js'
import { trimEnd } from '../interface/trim.js'
import { type Answer, readBody, toError } from './answer.js'
import {
  ConnectionError,
  type GreenroomError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from './errors.js'
import type { Runtime } from './runtime.js'
import type { Authorization } from './signer.js'

/** Options of both clients. */
export interface TransportOptions {
  /** The time for each attempt, including reading the response. Defaults to 30,000. */
  timeoutMs?: number
  /** How often to retry a call that is safe to retry. Defaults to 3. */
  maxRetries?: number
  /** Replaces the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** The last argument of every call. */
export interface RequestOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Overrides the client's time-out. */
  timeoutMs?: number | undefined
  /** Overrides the client's number of retries. */
  maxRetries?: number | undefined
  /** Sent in addition to the client's own headers, which they cannot replace. */
  headers?: Record<string, string> | undefined
}

/** A body that is sent unchanged. An AsyncIterable works only in Node. */
export type Upload = string | Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** One call of an operation. */
export interface Call {
  operation: string
  method: Method
  path: string
  query?: object | undefined
  /** Sent as JSON. */
  body?: object | undefined
  upload?: { body: Upload; contentType: string } | undefined
  headers?: Record<string, string | undefined>
  /** The expected body of a success. A stream is an AsyncIterable of bytes, and each part of it has its own time-out. */
  shape: Shape
  /** The time-outs if the caller gives none. Defaults to those of all calls. */
  patience?: Patience
  /** True if the call may arrive twice. Defaults to true for GET, PUT and DELETE. */
  isIdempotent?: boolean
}

/** Time-outs in milliseconds: for a response, or for the head of a stream and then each part. */
export interface Patience {
  headMs: number
  partMs: number
}

export interface Answered {
  body: unknown
  headers: Headers
}

const TIMEOUT_MS = 30_000
const MAX_RETRIES = 3
/** The wait before the first retry. It doubles for each further one. */
const BACK_OFF_MS = 250
const BACK_OFF_MS_MAX = 8_000
/** The client does not wait for a longer Retry-After. The caller decides. */
const RETRY_AFTER_MS_MAX = 60_000
/** A longer timer would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Sends calls: authorizes each attempt, retries if that is safe, and converts failures to errors. */
export class Transport {
  readonly #baseUrl: string
  readonly #authorization: Authorization
  readonly #options: Required<TransportOptions>
  readonly #runtime: Runtime

  constructor(baseUrl: string, authorization: Authorization, options: TransportOptions, runtime: Runtime) {
    this.#baseUrl = parseBaseUrl(baseUrl)
    this.#authorization = authorization
    this.#options = {
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      maxRetries: options.maxRetries ?? MAX_RETRIES,
      fetch: options.fetch ?? globalThis.fetch,
    }
    this.#runtime = runtime
  }

  /** Resolves with a success. Rejects with a GreenroomError, or with the reason of the caller's abort. */
  async send(call: Call, options: RequestOptions = {}): Promise<Answered> {
    const { operation, method, isIdempotent = ['GET', 'PUT', 'DELETE'].includes(method) } = call
    const maxRetries = options.maxRetries ?? this.#options.maxRetries
    let hasLearned = false
    let lost: GreenroomError | undefined
    for (let retries = 0; ; ) {
      let failed: GreenroomError
      try {
        const authorization = await this.#authorization.headers()
        const answer = await this.#attempt(call, options, authorization)
        const { status, headers } = answer
        if (status >= 200 && status < 300) {
          return { body: answer.stream ?? readBody(answer, call), headers }
        }
        // The server refused the call before doing anything, so any call may be sent again.
        if (!hasLearned && this.#authorization.learn(answer, authorization)) {
          hasLearned = true
          continue
        }
        failed = toError(answer, operation, this.#runtime.now())
        if (lost !== undefined && method === 'DELETE' && status === 404) throw perhapsDeleted(failed, lost)
      } catch (error) {
        if (!(error instanceof ConnectionError || error instanceof TimeoutError)) throw error
        failed = lost = error
      }
      const waitMs = isIdempotent || isRefusedUnread(failed, call) ? retryAfterMs(failed) : undefined
      if (waitMs === undefined || waitMs > RETRY_AFTER_MS_MAX || retries >= maxRetries) throw failed
      // Jitter prevents callers that failed together from returning together.
      const backOffMs = Math.min(BACK_OFF_MS * 2 ** retries, BACK_OFF_MS_MAX) * (0.5 + this.#runtime.random() / 2)
      await this.#runtime.wait(waitMs + backOffMs, options.signal)
      retries++
    }
  }

  /** Returns a complete answer. Throws ConnectionError or TimeoutError if there is none. */
  async #attempt(
    { operation, method, path, query, body, upload, headers, shape, patience }: Call,
    options: RequestOptions,
    authorization: Record<string, string>,
  ): Promise<Answer & { stream?: AsyncIterable<Uint8Array> }> {
    const { signal } = options
    const given = options.timeoutMs ?? this.#options.timeoutMs
    const { headMs: timeoutMs, partMs } = (options.timeoutMs === undefined && patience) || {
      headMs: given,
      partMs: given,
    }
    const type = upload === undefined ? body && 'application/json' : upload.contentType
    const attempt = new AbortController()
    const init = {
      method,
      headers: toHeaders(options.headers, headers, { 'content-type': type }, authorization),
      body: upload === undefined ? JSON.stringify(body) : (upload.body as RequestInit['body']),
      // Following a redirect would send the key and signature to another server.
      redirect: 'manual',
      signal: attempt.signal,
      // A stream needs half duplex. With another redirect mode, or a window, Node keeps the whole upload in memory.
      ...(upload && { duplex: 'half', redirect: 'error', window: null }),
    } satisfies RequestInit & { duplex?: string }
    signal?.throwIfAborted()
    const onAbort = (): void => attempt.abort()
    signal?.addEventListener('abort', onAbort)
    let timedOut = false
    const onTimeout = (): void => {
      timedOut = true
      attempt.abort()
    }
    const timer = timeoutMs > TIMER_MS_MAX ? undefined : setTimeout(onTimeout, timeoutMs)
    let isOpen = false
    try {
      const { fetch } = this.#options
      const response = await fetch(this.#baseUrl + path + toSearch(query), init)
      if (shape === 'stream' && response.ok) {
        isOpen = true
        const end = (): void => {
          signal?.removeEventListener('abort', onAbort)
          attempt.abort()
        }
        const stream = streamOf(response, { operation, signal, partMs, end })
        return { status: response.status, headers: response.headers, text: '', stream }
      }
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (cause) {
      signal?.throwIfAborted()
      const then = method === 'GET' ? 'Try again later.' : 'The change may have been made: check before you repeat it.'
      if (timedOut) {
        const message = `There was no complete answer within ${timeoutMs} ms. ${then} If the call needs longer, raise timeoutMs.`
        throw new TimeoutError({ message, operation })
      }
      const message = `There was no complete answer from ${this.#baseUrl} (${describe(cause)}). Is the server running? ${then}`
      throw new ConnectionError({ message, operation, cause })
    } finally {
      clearTimeout(timer)
      // The caller can also abort a stream.
      if (!isOpen) signal?.removeEventListener('abort', onAbort)
    }
  }
}

interface StreamOptions {
  operation: string
  signal: AbortSignal | undefined
  /** The time-out of each part, in milliseconds. */
  partMs: number
  /** Ends the request. */
  end(): void
}

/**
 * Yields the bytes of the body. Throws ConnectionError if it ends early, TimeoutError if a part takes too long, and the
 * reason of the caller's abort.
 */
async function* streamOf(response: Response, options: StreamOptions): AsyncGenerator<Uint8Array> {
  const { operation, signal, partMs, end } = options
  const reader = response.body?.getReader()
  try {
    for (;;) {
      signal?.throwIfAborted()
      const part = await inTime(reader?.read(), signal, partMs)
      if (part === undefined || part.done) return
      yield part.value
    }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof Silence) {
      const message = `No part of the response arrived within ${partMs} ms, so it is incomplete. Try again later. If the server needs longer, raise timeoutMs.`
      throw new TimeoutError({ message, operation })
    }
    const message = `The response ended early (${describe(cause)}) and is incomplete.`
    throw new ConnectionError({ message, operation, cause })
  } finally {
    end()
    await reader?.cancel().catch(() => {})
  }
}

class Silence extends Error {}

/** Waits for the result. Rejects with the signal's reason if it is aborted first, and with Silence after `ms`. */
function inTime<T>(
  result: Promise<T> | undefined,
  signal: AbortSignal | undefined,
  ms: number,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => end(() => reject(signal!.reason))
    const timer = ms > TIMER_MS_MAX ? undefined : setTimeout(() => end(() => reject(new Silence())), ms)
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      settle()
    }
    signal?.addEventListener('abort', onAbort)
    Promise.resolve(result).then(
      (value) => end(() => resolve(value)),
      (error) => end(() => reject(error)),
    )
  })
}

/**
 * Returns true if the server did nothing and says when to try again, so that any call may be sent again. A stream cannot be
 * sent again.
 */
const isRefusedUnread = (error: GreenroomError, { upload }: Call): boolean =>
  error instanceof RateLimitError && error.retryAfterMs !== undefined && upload === undefined

/** Returns how long the server asks to wait before another attempt, or undefined if there should be none. */
function retryAfterMs(error: GreenroomError): number | undefined {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return 0
  const isPassing = error instanceof RateLimitError || (error instanceof ServerError && error.status === 503)
  return isPassing ? (error.retryAfterMs ?? 0) : undefined
}

function perhapsDeleted({ message, operation, status, code, requestId }: GreenroomError, cause: GreenroomError): Error {
  const text = `${message} An earlier attempt of this call had no response and may have deleted it.`
  return new NotFoundError({ message: text, operation, status, code, requestId, cause })
}

/** Returns the URL without a trailing slash. */
function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // The message does not show the URL, which may contain a password.
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ''
  ) {
    throw new TypeError(
      'baseUrl must be an http or https URL without user, query or fragment, for example http://127.0.0.1:8080/v1',
    )
  }
  return trimEnd(url.href, '/')
}

function toHeaders(...sources: (Call['headers'] | undefined)[]): Headers {
  const headers = new Headers()
  for (const source of sources) {
    for (const [name, value] of Object.entries(source ?? {})) if (value !== undefined) headers.set(name, value)
  }
  return headers
}

function toSearch(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? '' : `?${search}`
}

/** Returns why `fetch` failed. The reason is in the cause of its error. */
function describe(error: unknown): string {
  const { message, code } = ((error as Error | undefined)?.cause ?? error ?? {}) as { message?: string; code?: string }
  return message || code || String(error)
}
