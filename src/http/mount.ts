import { parse } from 'node:querystring'
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode } from '../errors.js'
import type { GraphClient } from '../graph/graph-client.js'
import { limit } from '../lib/limits.js'
import { type Ready, whenReady } from '../lib/ready.js'
import { type Meter, MeteredDatabase, newMeter } from '../observability/meter.js'
import type { Context } from './context.js'
import { toApiError } from './error-handler.js'
import type { Answer, Call, Operation } from './operation.js'
import { holdsAny, type Needed, type Principal, permissionsOf, type ServerPrincipal } from './principal.js'
import { type Caller, type Entrance, type Route, routesOf, type Surface } from './surfaces.js'
import { checkSize, type Hints, hintsOf, type Part, tooLong, validateParts } from './validation.js'

/** Read by their operation as they arrive, whatever their size. */
export const STREAMED_TYPES = [
  'application/x-ndjson',
  'text/csv',
  'application/octet-stream',
  'image/jpeg',
  'image/png',
  'video/mp4',
  'video/quicktime',
]

/** What is known of a running request; the log line at its end is made of it. */
export interface RequestState {
  operationId: string
  surface: Surface
  /** Undefined until the caller is known. */
  caller: Caller | undefined
  /** Of the organization that is meant; undefined until it is known. */
  principal: Principal | ServerPrincipal | undefined
  /** Where the signature covers the body: checks it, before the body is parsed. */
  authenticateBody: ((body: Buffer) => Ready<void>) | undefined
  /** The bytes that its JSON body may have; undefined: as many as any may. */
  bodyBytesMax: number | undefined
  meter: Meter
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for what belongs to no operation. */
    state: RequestState | undefined
  }
}

export interface MountOptions {
  /** Holds each answer to the operation's declared statuses and success body (tests). */
  checkAnswers: boolean
}

/**
 * Makes a route of each operation that is offered on the surface:
 * authenticate → read → validate → enter the organization → permission → handle → answer.
 */
export function mount<Needs extends Context>(
  app: FastifyInstance,
  context: Needs,
  operations: readonly Operation<Needs>[],
  { surface, entrance }: { surface: Surface; entrance: Entrance },
  { checkAnswers }: MountOptions,
): void {
  const hints = hintsOf(context.clock)
  for (const route of routesOf(surface, operations)) {
    const { operation, operationId } = route
    const known: KnownInputs = new Map()
    const takesNoCredential = operation.permission === 'sign-in'
    const bodyBytesMax = operation.bodyBytesMax ?? (takesNoCredential ? OPEN_BODY_BYTES_MAX : undefined)
    app.route({
      method: operation.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest(request, reply, done) {
        const state: RequestState = {
          operationId,
          surface,
          caller: undefined,
          principal: undefined,
          authenticateBody: undefined,
          bodyBytesMax,
          meter: newMeter(),
        }
        request.state = state
        // Neither a browser after a sign-out nor a proxy gives an answer to one who may not see it.
        reply.header('cache-control', 'no-store')
        const authenticate = (body?: Buffer): Ready<void> =>
          whenReady(entrance.authenticate(request, operation.permission, body), (caller) => {
            state.caller = caller
            state.principal = caller.principal
            state.authenticateBody = undefined
            if (caller.answerHeaders !== undefined) reply.headers(caller.answerHeaders)
            if (operation.method !== 'GET' && operation.isUnlimited !== true) {
              reply.headers(takeChange(context, caller) ?? {})
            }
          })
        settle(() => {
          if (entrance.reads === 'headers') {
            return whenReady(authenticate(), () => checkContentType(operation, request))
          }
          state.authenticateBody = authenticate
          checkContentType(operation, request)
        }, done)
      },
      handler(request, reply) {
        const state = request.state!
        const { meter } = state
        settle(
          () =>
            // A request without a body has not been through the parser.
            whenReady(state.authenticateBody?.(NO_BODY), () => {
              const caller = state.caller!
              const { params, query, body } = readInput(route, request, known, hints)
              const own = requestContext(context, state, reply)
              return whenReady(enter(caller, params, own), (principal) => {
                state.principal = principal
                checkPermission(principal, operation.permission)
                if (operation.rateLimit !== undefined) {
                  reply.headers(takeOne(context, operation.rateLimit, principal as Principal) ?? {})
                }
                const call = {
                  params,
                  query,
                  body,
                  headers: request.headers,
                  caller: request,
                  principal,
                  snapshot: caller.snapshot,
                  meter,
                }
                const handled = whenReady(requireConfirmation(principal), () => operation.handle(call as Call, own))
                return whenReady(handled, (answer) => {
                  if (checkAnswers) checkAnswer(route, answer)
                  reply.code(answer.status)
                  if (answer.headers !== undefined) reply.headers(answer.headers)
                  reply.send(request.method === 'HEAD' ? unread(answer.body) : answer.body)
                })
              })
            }),
          (error) => {
            if (error !== undefined) reply.send(error)
          },
        )
      },
      // Errors of reading the body too, which reach no handler.
      onError(request, _reply, error, done) {
        const weight = weightOf(toApiError(error), takesNoCredential)
        if (weight > 0) noteFailure(context, request, weight)
        done()
      },
    })

    /** Throws confirmation_needed where the operation takes a person who has just proven themselves. Programs hold no session. */
    function requireConfirmation(principal: ServerPrincipal): Ready<void> {
      if (!operation.needsConfirmation || principal.sessionId === undefined) return undefined
      return entrance.requireConfirmation?.(principal)
    }

    /** The principal in the organization that the path names, where it names one. */
    function enter(caller: Caller, params: unknown, { database }: Context): Ready<Principal | ServerPrincipal> {
      if (surface.organization === 'caller' || operation.scope === 'server') return caller.principal
      return entrance.enterOrganization!(caller, (params as { organizationId: string }).organizationId, database)
    }
  }
}

const NO_BODY = Buffer.alloc(0)

/** Takes a stream out of the answer to a HEAD: Fastify would read it to its end and throw it away. */
function unread(body: Answer['body']): Answer['body'] {
  if (!(body instanceof Readable)) return body
  body.destroy()
  return Readable.from([])
}

const OPEN_BODY_BYTES_MAX = limit('openBodyBytes')

/** A password, a code or a link that was tried in vain. Other credentials are counted by their entrance. */
const FAILED_ATTEMPTS: readonly ErrorCode[] = [
  'sign_in_failed',
  'link_unusable',
  'oidc_state_wrong',
  'oidc_refused',
  'code_wrong',
  'passkey_refused',
]
/** Another site can make a visitor's browser send these, and must not lock the visitor out; and a wait does not lengthen itself. */
const UNCOUNTED: readonly ErrorCode[] = ['cross_site', 'https_needed', 'too_many_failures']
/** A call without a credential may go wrong in other ways: a form that is filled in wrongly four times is one attempt. */
const MISTAKE_WEIGHT = 0.25

/** How much of a failed attempt an answer is. */
function weightOf({ code, status }: ApiError, takesNoCredential: boolean): number {
  if (FAILED_ATTEMPTS.includes(code)) return 1
  return takesNoCredential && status >= 400 && status < 500 && !UNCOUNTED.includes(code) ? MISTAKE_WEIGHT : 0
}

/** Counts against the address, and against the browser that the entrance knows. */
function noteFailure({ failedAttempts }: Context, { ip, state }: FastifyRequest, weight: number): void {
  failedAttempts.note(ip, weight)
  const device = state?.caller?.principal.device
  if (device !== undefined) failedAttempts.noteDevice(device.id, weight)
}

/** Throws a 429 for a person who has made as many changes as a minute allows; whom a link lets in is one too. */
function takeChange(
  { rateLimits: { person }, clock }: Context,
  { principal: { actor } }: Caller,
): Record<string, string> | undefined {
  if (actor.type !== 'user' && actor.type !== 'outsider') return undefined
  return person.take(person.bucketOf(actor.id), clock.now())
}

/** Throws unless the principal holds a permission that is enough. */
function checkPermission({ actor, permissions }: ServerPrincipal, needed: Needed): void {
  if (holdsAny(permissions, needed)) return
  if (needed === 'posts:approve' && actor.type === 'key') throw new ApiError('approval_is_human')
  throw new ApiError('permission_missing', {
    message: `This takes the permission ${permissionsOf(needed).join(' or ')}, which you do not hold.`,
  })
}

/** Throws a 429 when the organization has none left. */
function takeOne(
  { rateLimits, clock }: Context,
  name: 'imports' | 'insights',
  { organizationId }: Principal,
): Record<string, string> | undefined {
  const rateLimit = rateLimits[name]
  return rateLimit.take(rateLimit.bucketOf(organizationId), clock.now())
}

/** Calls back when the work is done, at once when it need not wait: with the error, if there was one. */
export function settle(work: () => Ready<void>, callback: (error?: Error) => void): void {
  const fail = (error: unknown): void =>
    callback(error instanceof Error ? error : new Error('something that is no Error was thrown', { cause: error }))
  let done: Ready<void>
  try {
    done = work()
  } catch (error) {
    fail(error)
    return
  }
  if (done instanceof Promise) done.then(() => callback(), fail)
  else callback()
}

/** Bodies are JSON, but for the operations that read a stream: refused here, before a byte of it is read. */
function checkContentType(operation: Operation, request: FastifyRequest): void {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const { streams } = operation
  if (streams === undefined ? STREAMED_TYPES.includes(type ?? '') : !streams.includes(type ?? '')) {
    const wanted = (streams ?? ['application/json']).join(' or ')
    throw new ApiError('media_type_unsupported', { message: `The content type is unsupported: send ${wanted}.` })
  }
}

/**
 * Validated path and query of a route by URL: the same for every caller. Without it full 50 costs 80 % more
 * (bench/README.md).
 */
type KnownInputs = Map<string, Pick<Call, 'params' | 'query'>>

const KNOWN_INPUTS_MAX = 1_000
const KNOWN_URL_CHARS_MAX = 500
const QUERY_VALUE_CHARS_MAX = limit('queryValueChars')

function readInput(
  { operation, params: paramsSchema, body: bodySchema }: Route,
  request: FastifyRequest,
  known: KnownInputs,
  hints: Hints,
): Pick<Call, 'params' | 'query' | 'body'> {
  const parts = (): Part[] => [
    { schema: paramsSchema, value: request.params, convert: true },
    { schema: operation.query, value: readQuery(request.query as string), convert: true },
  ]
  if (bodySchema === undefined) {
    const kept = operation.method === 'GET' ? known : undefined
    const { params, query } = kept?.get(request.url) ?? remember(kept, request.url, validateParts(parts(), hints))
    return { params, query, body: request.body }
  }
  const { bodyIsOptional = false } = operation
  if (request.body === undefined && !bodyIsOptional) {
    throw new ApiError('body_malformed', { message: 'The body is empty: send one JSON object.' })
  }
  const given = request.body === undefined ? {} : request.body
  checkSize(given)
  const [params, query, body] = validateParts([...parts(), { schema: bodySchema, value: given, convert: false }], hints)
  return { params, query, body }
}

/** Throws validation_failed for a value that is longer than any sound one, before a pattern of Joi sees it. */
function readQuery(text: string): Record<string, unknown> {
  const query = parse(text, '&', '=', { maxKeys: 0 })
  if (text.length <= QUERY_VALUE_CHARS_MAX) return query
  const details = Object.entries(query)
    .filter(([, value]) => [value].flat().some((one) => (one ?? '').length > QUERY_VALUE_CHARS_MAX))
    .map(([key]) => tooLong(key, QUERY_VALUE_CHARS_MAX))
  if (details.length > 0) throw new ApiError('validation_failed', { details })
  return query
}

function remember(
  known: KnownInputs | undefined,
  url: string,
  [params, query]: unknown[],
): { params: unknown; query: unknown } {
  // Shared by all who ask for the same from now on.
  const input = { params: Object.freeze(params), query: Object.freeze(query) }
  // A change is made once, and its URL may name a person who is erased by it.
  if (known === undefined || url.length > KNOWN_URL_CHARS_MAX) return input
  // The oldest makes room.
  if (known.size === KNOWN_INPUTS_MAX) known.delete(known.keys().next().value!)
  known.set(url, input)
  return input
}

/** The context for one request: its time is counted, and what it asks upstream ends with it. */
function requestContext<Needs extends Context>(context: Needs, state: RequestState, reply: FastifyReply): Needs {
  const { meter } = state
  // Beside the rest, not a copy of it: that costs PostgreSQL's full 50 another 6 % (bench/README.md).
  const own: Needs = Object.create(context)
  own.database = new MeteredDatabase(context.database, meter, () => organizationOf(state))
  own.graph = new RequestGraph(context.graph, meter, reply)
  return own
}

function organizationOf({ principal }: RequestState): string | undefined {
  return principal !== undefined && 'organizationId' in principal ? principal.organizationId : undefined
}

/** Made at the first call: most requests ask nothing upstream, and an AbortSignal for each costs 28 % of full 50 (bench/README.md). */
class RequestGraph implements GraphClient {
  private made: GraphClient | undefined

  constructor(
    private readonly graph: GraphClient,
    private readonly meter: Meter,
    private readonly reply: FastifyReply,
  ) {}

  get(...args: Parameters<GraphClient['get']>): ReturnType<GraphClient['get']> {
    return this.client().get(...args)
  }

  post(...args: Parameters<GraphClient['post']>): ReturnType<GraphClient['post']> {
    return this.client().post(...args)
  }

  platformNow(): Date | undefined {
    return this.graph.platformNow()
  }

  forRequest(...args: Parameters<GraphClient['forRequest']>): GraphClient {
    return this.graph.forRequest(...args)
  }

  private client(): GraphClient {
    this.made ??= this.graph.forRequest({
      signal: abortedWithCaller(this.reply),
      onUpstreamMs: (ms) => {
        this.meter.upstreamMs += ms
      },
    })
    return this.made
  }
}

function abortedWithCaller({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const onClose = (): void => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.closed) onClose()
  else raw.once('close', onClose)
  return controller.signal
}

function checkAnswer({ operationId: name, operation, answers }: Route, answer: Answer): void {
  if (!answers.includes(answer.status)) {
    throw new Error(`${name} answers ${answer.status}, which it does not declare`)
  }
  if (answer.status === 304 || answer.body instanceof Readable) return
  const error = operation.success?.validate(readBody(answer), { convert: false }).error
  if (error !== undefined) throw new Error(`${name} answers a body unlike its schema: ${error.message}`)
}

/** What the caller will read. */
function readBody({ body, headers }: Answer): unknown {
  if (!Buffer.isBuffer(body)) return JSON.parse(JSON.stringify(body))
  const encoding = headers?.['content-encoding']
  const plain = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body
  return JSON.parse(plain.toString())
}
