import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toApiError } from './error-handler.js'
import { type HeldBodies, type Holder, strangerAt } from './held-bodies.js'
import { readBody } from './read-body.js'

/** A request whose body is bytes, whatever its content type says, because the sender signs them. */
export interface RawRequest {
  headers: IncomingHttpHeaders
  params: Readonly<Record<string, string>>
  /** The path below the root. */
  path: string
  /** The client's address, after TRUST_PROXY. */
  ip: string
  query: URLSearchParams
  bytes: Buffer
}

/** The response: a body is sent as JSON unless it is text, which is plain unless `headers` name its type. */
export interface RawAnswer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** The head of a request: what is known before its body. */
export type RawHead = Omit<RawRequest, 'bytes'>

/** The result of checking a request's head: how its body may be read. */
export interface Admission<Admitted> {
  /** Passed to the route with the request. */
  admitted: Admitted
  /** The most that is read of the body. */
  bytesMax: number
  /** The holder whose memory the body uses. Defaults to the address of the request. */
  holder?: Holder
}

export interface RawRoute<Admitted = unknown> {
  method: 'GET' | 'POST' | 'OPTIONS'
  /** Parameters are written as `:name`. */
  path: string
  /** Called before any of the body is read. May throw ApiError. Without it, the body counts as a stranger's. */
  admit?(head: RawHead): Promise<Admission<Admitted>>
  /** May throw ApiError. */
  handle(request: RawRequest, admitted: Admitted): Promise<RawAnswer>
  /** Returns the error to send to this sender instead, also for an error of a body that was not read. */
  toError?(error: Error, request: RawHead, admitted: Admitted | undefined): Promise<Error>
}

/** Mounts routes outside the surfaces. Their bodies are read as bytes, at most `bytesMax` unless a route allows less. */
export async function mountRaw(
  app: FastifyInstance,
  routes: readonly RawRoute[],
  { bytesMax, held }: { bytesMax: number; held: HeldBodies },
): Promise<void> {
  await app.register(async (scope) => {
    const admissions = new WeakMap<FastifyRequest, Admission<unknown>>()
    // Fastify returns 415 for a content type that it cannot parse; here any is accepted.
    scope.addHook('onRequest', ({ headers }, _reply, done) => {
      if (headers['content-type'] !== undefined) headers['content-type'] = 'application/octet-stream'
      done()
    })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (request, payload, done) => {
      const bounds = { holder: strangerAt(request.ip), bytesMax, held, ...admissions.get(request) }
      readBody(payload as IncomingMessage, (error, bytes) => done(error, bytes), bounds)
    })
    for (const { method, path, admit, handle, toError } of routes) {
      scope.route({
        method,
        url: path,
        ...(admit && {
          onRequest: async (request) => {
            admissions.set(request, await admit(toHead(request)))
          },
        }),
        ...(toError && {
          errorHandler: async (error, request) => {
            throw await toError(toApiError(error), toHead(request), admissions.get(request)?.admitted)
          },
        }),
        async handler(request, reply) {
          send(reply, await handle(toRaw(request), admissions.get(request)?.admitted))
          await reply
        },
      })
    }
  })
}

const NOTHING = Buffer.alloc(0)

function toHead({ headers, params, url, ip }: FastifyRequest): RawHead {
  const [path = '', query = ''] = url.split('?', 2)
  return { headers, params: params as Record<string, string>, path, ip, query: new URLSearchParams(query) }
}

const toRaw = (request: FastifyRequest): RawRequest => ({
  ...toHead(request),
  bytes: (request.body as Buffer | undefined) ?? NOTHING,
})

function send(reply: FastifyReply, { status, body = '', headers = {} }: RawAnswer): void {
  const isText = typeof body === 'string'
  reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      ...headers,
    })
    .send(isText ? body : JSON.stringify(body))
}
