import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { readDescriptorLimit } from '../lib/descriptors.js'
import { limit } from '../lib/limits.js'

const CONNECTIONS_MAX = limit('connections')
const REQUESTS_WAITING_MAX = limit('requestsWaiting')
/** When an idle kept-alive connection is closed; later than proxies usually close theirs. */
const KEEP_ALIVE_MS = 72_000
const MAKE_ROOM_MS = 100
const BODY_PARTS_MAX = limit('bodyParts')
const STREAM_PART_BYTES_MIN = limit('streamPartBytes')
const UNREAD_BODY_PARTS_MAX = limit('unreadBodyParts')
const UNREAD_BODY_MS = limit('unreadBodyMs')
/** node:http checks these per server rather than per request, so requests without a body cost nothing. */
const TIMEOUTS = {
  headersTimeout: limit('headersMs'),
  requestTimeout: limit('requestMs'),
  connectionsCheckingInterval: 1_000,
}

const WAITING = Symbol('requests waiting for their responses')
type CallerSocket = Socket & { [WAITING]?: number }

/** Connections that have not carried a request yet, by server, oldest first. */
const unusedOf = new WeakMap<Server, Set<Socket>>()

export interface ConnectionBounds {
  /** Undefined for as many as the process's descriptors allow. */
  maxConnections: number | undefined
  /** A connection without any traffic for this long is cut. */
  idleMs: number
}

/** Creates a node:http server with limits on the number of connections and on what waits on each. */
export function createBoundedServer(handle: RequestListener, { maxConnections, idleMs }: ConnectionBounds): Server {
  // Without a Host header, node's own refusal would have no body.
  const server = createServer({ ...TIMEOUTS, requireHostHeader: false }, (request, response) => {
    // Its connection ends after the pending responses, the last of which says so.
    if (((request.socket as CallerSocket)[WAITING] ?? 0) > REQUESTS_WAITING_MAX) return
    handle(request, response)
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.setTimeout(idleMs)
  server.maxConnections = maxConnections ?? defaultMaxConnections()

  const unused = new Set<Socket>()
  unusedOf.set(server, unused)
  server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))

  let makesRoom = false
  server.on('drop', () => {
    if (makesRoom) return
    makesRoom = true
    // Once for the many that are refused together.
    setTimeout(() => {
      makesRoom = false
    }, MAKE_ROOM_MS).unref()
    server.closeIdleConnections()
    for (const socket of [...unused].slice(0, Math.ceil(unused.size / 2))) socket.destroy()
  })
  return server
}

/** Half of the descriptors are left for the database, the log and calls to the ad platform. */
function defaultMaxConnections(): number {
  return Math.min(CONNECTIONS_MAX, Math.floor((readDescriptorLimit() ?? Number.POSITIVE_INFINITY) / 2))
}

/** Counts the requests that wait on each connection, and refuses one too many. */
export function countWaiting(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const socket: CallerSocket = request.raw.socket
    const waiting = (socket[WAITING] ?? 0) + 1
    socket[WAITING] = waiting
    if (waiting <= REQUESTS_WAITING_MAX) {
      done()
      return
    }
    reply.header('connection', 'close')
    done(new ApiError('too_many_waiting'))
  })
  app.addHook('onResponse', (request, _reply, done) => {
    const socket: CallerSocket = request.raw.socket
    socket[WAITING]! -= 1
    done()
  })
}

/** The request on a connection whose body is read as it arrives. */
const streamOf = new WeakMap<Socket, IncomingMessage>()

/**
 * Exempts a request from the time limit for its arrival. Reading it fails with body_too_large if it arrives in many small
 * pieces.
 */
export function allowLongBody(request: IncomingMessage): void {
  streamOf.set(request.socket, request)
  const push = request.push.bind(request)
  let parts = 0
  let bytes = 0
  // Before they are put together for the reader.
  request.push = (part: Buffer | null) => {
    if (part === null) return push(part)
    parts += 1
    bytes += part.length
    if (parts <= BODY_PARTS_MAX || bytes >= parts * STREAM_PART_BYTES_MIN) return push(part)
    cutOff(request)
    const error = new ApiError('body_too_large', {
      message: `The body arrives in more than ${BODY_PARTS_MAX} parts of a few bytes: send parts of at least ${STREAM_PART_BYTES_MIN} bytes.`,
    })
    failReaders(request, error)
    return false
  }
}

/** Fails current and future readers. Often there is none: a call may be refused before its body is read. */
function failReaders(request: IncomingMessage, error: Error): void {
  const fail = (): void => {
    if (request.listenerCount('error') > 0) request.emit('error', error)
  }
  queueMicrotask(fail)
  request.on('newListener', (event) => {
    if (event === 'error') queueMicrotask(fail)
  })
}

const cutOffRequests = new WeakSet<IncomingMessage>()

/** Stops reading the request: its connection ends with the response. */
export function cutOff(request: IncomingMessage): void {
  cutOffRequests.add(request)
  // Bytes that were already received cost least if they are dropped.
  request.push = () => false
  request.socket.pause()
}

/** Returns whether the request arriving there may take longer than others. */
export const isLongBody = (socket: Socket): boolean => streamOf.get(socket)?.complete === false

/** For an error: discards the rest of the body for a moment, so that the caller sees the response. */
export function endUnreadBody({ raw: request }: FastifyRequest, reply: FastifyReply): void {
  const { headers, complete } = request
  if (complete || (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)) return
  if (cutOffRequests.has(request)) {
    reply.header('connection', 'close')
    return
  }
  setTimeout(() => {
    if (!request.complete) request.destroy()
  }, UNREAD_BODY_MS).unref()
  let parts = 0
  request.on('data', () => {
    parts += 1
    if (parts <= UNREAD_BODY_PARTS_MAX) return
    // Discarding a part costs as much as reading it.
    cutOff(request)
    request.destroy()
  })
}

/** Ends the connection after a moment, so that its last response arrives. */
export function endSoon(socket: Duplex): void {
  setTimeout(() => socket.destroy(), UNREAD_BODY_MS).unref()
}

/**
 * Lets a stop wait only for running requests: not for the spare connections that browsers open and never use, nor for a
 * kept-alive one whose last request is answered.
 */
export function closeIdleConnections(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    app.server.keepAliveTimeout = 1
    for (const socket of unusedOf.get(app.server) ?? []) socket.destroy()
  })
}
