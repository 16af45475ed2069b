// Answers, in JSON like all others, requests that never reach a route: Fastify has no request for them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../errors.js'
import { newId } from '../lib/ids.js'
import { endSoon, isLongBody } from './connections.js'
import { toErrorBody, toErrorHeaders } from './error-handler.js'

/** Answers bytes that node:http cannot read as a request, which never reach a route, in JSON all the same. */
export function answerUnreadableRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isLongBody(socket)) return
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'request_malformed'
  answerOnSocket(socket, new ApiError(code))
}

/** Only a proxy connects through to others. */
export function refuseConnect(socket: Duplex): void {
  // node:http has removed its own listeners: a caller who disconnects would end the process, and one who reads nothing would
  // stay.
  const destroy = (): void => void socket.destroy()
  socket.on('error', destroy).on('timeout', destroy)
  answerOnSocket(socket, new ApiError('route_not_found'))
}

/** A connection, and the response that is being written to it. */
type Answering = Duplex & { _httpMessage?: ServerResponse | null }

const unreadable = new WeakSet<Duplex>()

/** Answers when there is no response to write to, after pending answers, and closes the connection. Only once. */
function answerOnSocket(socket: Answering, answered: ApiError): void {
  if (unreadable.has(socket)) return
  unreadable.add(socket)
  answerInTurn(socket, answered)
}

function answerInTurn(socket: Answering, answered: ApiError): void {
  const { writable, _httpMessage: current } = socket
  if (writable && current?.req.complete) {
    current.once('close', () => answerInTurn(socket, answered))
    return
  }
  endSoon(socket)
  // The last answer has been given; or part of this request's answer has been written, and ours would end up inside it.
  if (!writable || current?.headersSent) return
  const { headers, body } = toPlainAnswer(answered)
  const head = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${answered.status} ${answered.code}\r\n${head.join('')}\r\n${body}`)
}

/**
 * Answers an `Expect` that node:http does not know. It never reaches a route either, and node would answer it without a
 * body.
 */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const answered = new ApiError('expectation_failed')
  const { headers, body } = toPlainAnswer(answered)
  response.writeHead(answered.status, headers).end(body)
}

/** Makes what Fastify would answer, for a request that never reaches it. */
function toPlainAnswer(answered: ApiError): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(toErrorBody(answered))
  const headers = {
    ...toErrorHeaders(answered),
    'x-request-id': newId('req'),
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  }
  return { headers, body }
}
