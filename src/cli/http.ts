import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { signDate } from '../lib/sign-date.js'
import { CliError, type Io } from './io.js'
import { onOneLine } from './output.js'
import { type ApiKey, readTarget } from './settings.js'

export interface Request {
  method: string
  url: URL
  headers: Record<string, string>
  body?: string | Buffer | Readable | undefined
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** There is no answer. `connected` tells whether there was a connection before, so that something may have arrived. */
export class NoAnswerError extends Error {
  constructor(
    readonly connected: boolean,
    cause: unknown,
  ) {
    super(describe(cause), { cause })
    this.name = 'NoAnswerError'
  }
}

const CONTINUE_WAIT_MS = 1_000
/** Longer than the server lets a connection lie idle. */
const IDLE_MS = 180_000

/**
 * Sends one request and reads its answer; throws NoAnswerError, or the error of a body that cannot be read.
 * On node:http and not on fetch: fetch gives up after 300 s without an answer while an upload is still running, and
 * has no setting for it.
 */
export function send({ method, url, headers, body }: Request): Promise<Answer> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    let connected = false
    const streams = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body)
    const outgoing = request(url, { method, headers: { ...headers, ...(streams ? { expect: '100-continue' } : {}) } })
    const fail = (error: unknown): void => reject(new NoAnswerError(connected, error))
    outgoing.on('error', fail)
    outgoing.setTimeout(IDLE_MS, () => outgoing.destroy(new Error(`nothing came for ${IDLE_MS / 1000} seconds`)))
    const onConnect = (): void => {
      connected = true
    }
    outgoing.on('socket', (socket: Socket) => {
      if (socket.connecting) socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnect)
      else onConnect()
    })
    // A server may answer before it has read the body: the answer counts, and what is left of the body is dropped.
    outgoing.on('response', (incoming) => {
      text(incoming).then((content) => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: content })
        outgoing.destroy()
      }, fail)
    })
    if (!streams) {
      outgoing.end(body)
      return
    }
    // A server that refuses the request for its headers does so first: it may close the connection, and its answer is
    // lost to whoever is still sending then. One that does not know `expect` is not waited for.
    body.once('error', reject)
    const upload = (): void => {
      waitNoMore()
      pipeline(body, outgoing, () => {})
    }
    const patience = setTimeout(upload, CONTINUE_WAIT_MS)
    const waitNoMore = (): void => {
      clearTimeout(patience)
      outgoing.off('continue', upload)
    }
    outgoing.once('continue', upload).once('response', waitNoMore).once('close', waitNoMore)
  })
}

function describe(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection reset',
    EPIPE: 'connection closed',
    ENOTFOUND: 'no such host',
    ETIMEDOUT: 'connecting took too long',
  }
  return reasons[code] ?? (message || code)
}

/** The sentence for a request that got no answer. */
export function toUnreachable(url: string, error: unknown): unknown {
  if (!(error instanceof NoAnswerError)) return error
  return new CliError(
    3,
    error.connected
      ? `The connection to ${url} was lost before an answer came (${error.message}).`
      : `There is no answer at ${url} (${error.message}): is the server running, and GREENROOM_URL right?`,
  )
}

/** The four headers of interface 5, or the three of the earlier variant. */
export function signedHeaders({ id, secret }: ApiKey, nowMs: number, earlier: boolean): Record<string, string> {
  const date = earlier ? new Date(nowMs).toISOString() : new Date(nowMs).toUTCString()
  return {
    'x-api-key': id,
    'x-date': date,
    'x-signature': signDate(secret, date),
    ...(earlier ? {} : { 'x-api-version': '1' }),
  }
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** A path with its values encoded. An empty value, such as an unset shell variable, is refused: it makes another path. */
export function path(texts: TemplateStringsArray, ...values: string[]): string {
  if (values.some((value) => value.trim() === '')) throw new CliError(2, 'An id is empty.')
  return String.raw({ raw: texts }, ...values.map(encodeURIComponent))
}

export interface RequestBody {
  contentType: string
  content: string | Readable
}

/** The body of a success; throws a CliError for anything else, NoAnswerError apart. */
async function sendForJson<T>(url: string, request: Omit<Request, 'url'> & { path: string }): Promise<T> {
  const answer = await send({ ...request, url: new URL(url + request.path) })
  const content = parseAnswer(answer, url)
  if (answer.status >= 200 && answer.status < 300) return content as T
  throw new CliError(1, describeRefusal(answer, content))
}

/** Calls `/operator` and returns the body of its success; throws a CliError for anything else, NoAnswerError apart. */
export async function sendToOperator<T>(io: Io, method: string, path: string, body?: RequestBody): Promise<T> {
  const target = readTarget(io)
  return sendForJson<T>(target.url, {
    method,
    path: `/operator${path}`,
    headers: { ...bearer(target.requireOperatorToken()), ...contentHeaders(body) },
    body: body?.content,
  })
}

const contentHeaders = (body: RequestBody | undefined): Record<string, string> => ({
  ...(body === undefined ? {} : { 'content-type': body.contentType }),
  ...(typeof body?.content === 'string' ? { 'content-length': String(Buffer.byteLength(body.content)) } : {}),
})

/** The same with a JSON body. */
export async function callOperator<T = Record<string, unknown>>(
  io: Io,
  method: string,
  path: string,
  body?: Record<string, unknown>,
): Promise<T> {
  return sendToOperator<T>(io, method, path, toJsonBody(body)).catch((error) => {
    throw toUnreachable(readTarget(io).url, error)
  })
}

/** Calls `/v1` with a signature and returns the body of its success; throws a CliError for anything else. */
export async function callApi<T = Record<string, unknown>>(
  io: Io,
  method: string,
  path: string,
  { body, headers = {} }: { body?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Promise<T> {
  const target = readTarget(io)
  const json = toJsonBody(body)
  return sendForJson<T>(target.url, {
    method,
    path: `/v1${path}`,
    headers: { ...headers, ...signedHeaders(target.requireKey(), io.clock.now(), false), ...contentHeaders(json) },
    body: json?.content,
  }).catch((error) => {
    throw toUnreachable(target.url, error)
  })
}

const toJsonBody = (body: Record<string, unknown> | undefined) =>
  body && { contentType: 'application/json', content: JSON.stringify(body) }

/** What the server answers without a key, whatever its status. */
export async function getPlain(io: Io, path: string): Promise<Answer> {
  const { url } = readTarget(io)
  return send({ method: 'GET', url: new URL(url + path), headers: {} }).catch((error) => {
    throw toUnreachable(url, error)
  })
}

function parseAnswer({ status, text }: Answer, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CliError(3, `${url} answered ${status} without JSON: does GREENROOM_URL lead to a Greenroom server?`)
  }
}

const HINTS: Record<string, string> = {
  operator_token_wrong: 'Set GREENROOM_OPERATOR_TOKEN to the OPERATOR_TOKEN of the server.',
  route_not_found: 'Only a server with the role api serves it, and the operator side only with an OPERATOR_TOKEN.',
}

/** The message of any of the three error bodies (interface 7), then status, error code and request id. */
function describeRefusal({ status, headers }: Answer, content: unknown): string {
  const { message, error } = (content ?? {}) as { message?: unknown; error?: unknown }
  const messages = Array.isArray(error) ? error.map((item) => item?.message) : [message]
  const code = String(headers['x-error-code'] ?? '')
  return [
    ...messages.filter((each) => typeof each === 'string').map(onOneLine),
    ...(HINTS[code] === undefined ? [] : [HINTS[code]]),
    `(${describeStatus({ status, headers })})`,
  ].join('\n')
}

/** `404 organization_not_found, request req_…` */
export function describeStatus({ status, headers }: Pick<Answer, 'status' | 'headers'>): string {
  const requestId = headers['x-request-id']
  return `${[status, headers['x-error-code']].filter(Boolean).join(' ')}${requestId === undefined ? '' : `, request ${requestId}`}`
}
