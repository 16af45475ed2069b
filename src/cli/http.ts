import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Cli, CliError } from './io.js'
import { describeCause, notGreenroom, refused, unreachable } from './refusal.js'
import { readTarget, type Target } from './settings.js'

/** What the client is not for: an upload, a call of any path, and what is answered without a key. */

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
    super(describeCause(cause), { cause })
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

/** The sentence for a request that got no answer. */
export function toUnreachable(target: Target, error: unknown): unknown {
  if (!(error instanceof NoAnswerError)) return error
  if (!error.connected) return unreachable(target, error.message)
  return new CliError(3, `The connection to ${target.url} was lost before an answer came (${error.message}).`)
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** Uploads to `/operator` and returns the body of its success; throws a CliError for anything else, NoAnswerError apart. */
export async function uploadToOperator<T>(cli: Cli, path: string, contentType: string, content: Readable): Promise<T> {
  const target = readTarget(cli)
  const answer = await send({
    method: 'POST',
    url: new URL(`${target.url}/operator${path}`),
    headers: { ...bearer(target.requireOperatorToken()), 'content-type': contentType },
    body: content,
  })
  const body = parseAnswer(answer, target)
  if (answer.status >= 200 && answer.status < 300) return body as T
  throw refused({ ...statusOf(answer), messages: messagesOf(body) })
}

/** What the server answers without a key, whatever its status. */
export async function getPlain(cli: Cli, path: string): Promise<Answer> {
  const target = readTarget(cli)
  return send({ method: 'GET', url: new URL(target.url + path), headers: {} }).catch((error) => {
    throw toUnreachable(target, error)
  })
}

function parseAnswer({ status, text }: Answer, target: Target): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notGreenroom(target, status)
  }
}

/** The message of any of the three error bodies (interface 7). */
function messagesOf(content: unknown): string[] {
  const { message, error } = (content ?? {}) as { message?: unknown; error?: unknown }
  const messages = Array.isArray(error) ? error.map((item) => item?.message) : [message]
  return messages.filter((each) => typeof each === 'string')
}

/** An answer's status with what its headers say beside it. */
export function statusOf({ status, headers }: Answer): { status: number; code?: string; requestId?: string } {
  const header = (name: string): string | undefined => headers[name]?.toString()
  return { status, code: header('x-error-code'), requestId: header('x-request-id') }
}
