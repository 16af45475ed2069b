import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.js'
import { readDescriptorLimit } from '../lib/descriptors.js'
import { limit } from '../lib/limits.js'

const CONNECTIONS_MAX = limit('connections')
const REQUESTS_WAITING_MAX = limit('requestsWaiting')
/** A kept-alive connection without a request is closed; longer than proxies commonly keep theirs. */
const KEEP_ALIVE_MS = 72_000
const MAKE_ROOM_MS = 100

const WAITING = Symbol('requests that wait for their answers')
type CallerSocket = Socket & { [WAITING]?: number }

/** Connections on which no request has arrived yet, by server, the oldest first. */
const unusedOf = new WeakMap<Server, Set<Socket>>()

export interface ConnectionBounds {
  /** Undefined: as many as the process's descriptors allow. */
  maxConnections: number | undefined
  /** A connection on which nothing moves for so long is cut. */
  idleMs: number
}

/** The server of node:http, which bounds how many connections there are and what waits on each. */
export function createBoundedServer(handle: RequestListener, { maxConnections, idleMs }: ConnectionBounds): Server {
  const server = createServer((request, response) => {
    // Its connection ends after the answers that are due, the last of which says so.
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

/** Half of the descriptors stay for the database, the log and the calls of the ad platform. */
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

/**
 * Nothing but running requests holds up a stop: neither the spare connections that browsers open and that never carried
 * a request, nor a kept-alive one once its last request is answered.
 */
export function closeIdleConnections(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    app.server.keepAliveTimeout = 1
    for (const socket of unusedOf.get(app.server) ?? []) socket.destroy()
  })
}
