// Answers requests that never reach Fastify. Like all other responses, these are in JSON.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../errors.js'
import { newId } from '../lib/ids.js'
import { endSoon, isLongBody } from './connections.js'
import { toErrorBody, toErrorHeaders } from './error-handler.js'

/** Answers bytes that node:http cannot parse as a request. */
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

/** Refuses a CONNECT request: this server is not a proxy. */
export function refuseConnect(socket: Duplex): void {
  // node:http has removed its own listeners. Without these, a caller who disconnects would crash the process, and one who
  // reads nothing would stay connected.
  const destroy = (): void => void socket.destroy()
  socket.on('error', destroy).on('timeout', destroy)
  answerOnSocket(socket, new ApiError('route_not_found'))
}

/** A connection, with the response that node:http is writing to it. */
type Answering = Duplex & { _httpMessage?: ServerResponse | null }

const answeredSockets = new WeakSet<Duplex>()

/** Writes a response directly to the socket, after any pending ones, and closes the connection. Does so once per socket. */
function answerOnSocket(socket: Answering, refusal: ApiError): void {
  if (answeredSockets.has(socket)) return
  answeredSockets.add(socket)
  answerInTurn(socket, refusal)
}

function answerInTurn(socket: Answering, refusal: ApiError): void {
  const { writable, _httpMessage: current } = socket
  if (writable && current?.req.complete) {
    current.once('close', () => answerInTurn(socket, refusal))
    return
  }
  endSoon(socket)
  // Either nothing more can be written, or part of a response already has been, and ours would end up inside it.
  if (!writable || current?.headersSent) return
  const { headers, body } = toPlainAnswer(refusal)
  const head = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.code}\r\n${head.join('')}\r\n${body}`)
}

/**
 * Refuses a request with an `Expect` header that node:http does not support. It never reaches a route either, and Node
 * would answer it without a body.
 */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const refusal = new ApiError('expectation_failed')
  const { headers, body } = toPlainAnswer(refusal)
  response.writeHead(refusal.status, headers).end(body)
}

/** Builds the response that a request would get if it reached Fastify. */
function toPlainAnswer(refusal: ApiError): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(toErrorBody(refusal))
  const headers = {
    ...toErrorHeaders(refusal),
    'x-request-id': newId('req'),
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  }
  return { headers, body }
}
