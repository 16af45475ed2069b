import { parse } from 'node:querystring'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../access/authenticate.js'
import { ApiError } from '../errors.js'
import type { GraphClient } from '../graph/graph-client.js'
import { type Ready, whenReady } from '../lib/ready.js'
import { type Meter, MeteredDatabase, newMeter } from '../observability/meter.js'
import type { Context } from './context.js'
import type { Answer, ApiOperation, Call, OperatorOperation } from './operation.js'
import { checkDepth, type Part, validateParts } from './validation.js'

/** Read by their operation as they arrive, whatever their size. */
export const STREAMED_TYPES = ['application/x-ndjson', 'text/csv']

/** What is known of a running request; the log line at its end is made of it. */
export interface RequestState {
  operationId: string
  /** Undefined until the caller is known, and on the operator's side. */
  caller: Caller | undefined
  meter: Meter
}

/** Where the states are. On the requests themselves: a WeakMap would keep each of them past its end, for the collector. */
export class RequestStates {
  private readonly key = Symbol('state')

  get(request: FastifyRequest): RequestState | undefined {
    return (request as FastifyRequest & Record<symbol, RequestState | undefined>)[this.key]
  }

  set(request: FastifyRequest, state: RequestState): void {
    ;(request as FastifyRequest & Record<symbol, RequestState>)[this.key] = state
  }
}

/** A set of operations at one base path, behind one way of authentication. */
export interface Surface<Operation> {
  prefix: string
  operations: readonly Operation[]
  /** Throws unless the caller may call; runs before the body is read. */
  authenticate(request: FastifyRequest): Ready<Caller | undefined>
}

export interface MountOptions {
  states: RequestStates
  /** Holds each answer to the operation's declared statuses and success body (tests). */
  checkAnswers: boolean
}

/** Makes a route of each operation: authenticate → read → validate → handle → answer. */
export function mount<Operation extends ApiOperation | OperatorOperation>(
  app: FastifyInstance,
  context: Context,
  surface: Surface<Operation>,
  { states, checkAnswers }: MountOptions,
): void {
  for (const operation of surface.operations) {
    const known: KnownInputs = new Map()
    app.route({
      method: operation.method,
      url: surface.prefix + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...(operation.streams === undefined ? {} : { bodyLimit: Number.MAX_SAFE_INTEGER }),
      onRequest(request, _reply, done) {
        const state: RequestState = { operationId: operation.operationId, caller: undefined, meter: newMeter() }
        states.set(request, state)
        settle(
          () =>
            whenReady(surface.authenticate(request), (caller) => {
              state.caller = caller
              checkContentType(operation, request)
            }),
          done,
        )
      },
      handler(request, reply) {
        const { meter, caller } = states.get(request)!
        settle(
          () => {
            const { params, query, body } = readInput(operation, request, known)
            const call = { params, query, body, headers: request.headers, meter, ...(caller as Caller) }
            return whenReady(operation.handle(call, requestContext(context, meter, reply)), (answer) => {
              if (checkAnswers) checkAnswer(operation, answer)
              reply.code(answer.status)
              if (answer.headers !== undefined) reply.headers(answer.headers)
              reply.send(answer.body)
            })
          },
          (error) => error && reply.send(error),
        )
      },
    })
  }
}

/** Calls back when the work is done, at once when it need not wait: with the error, if there was one. */
function settle(work: () => Ready<void>, callback: (error?: Error) => void): void {
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
function checkContentType(operation: ApiOperation | OperatorOperation, request: FastifyRequest): void {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const { streams } = operation
  if (streams === undefined ? STREAMED_TYPES.includes(type ?? '') : !streams.includes(type ?? '')) {
    const wanted = (streams ?? ['application/json']).join(' or ')
    throw new ApiError('media_type_unsupported', { message: `The content type is unsupported: send ${wanted}.` })
  }
}

/** What the schemas of an operation made of path and query, by the URL: whoever asks, they make the same of it. */
type KnownInputs = Map<string, Pick<Call<unknown, unknown, unknown>, 'params' | 'query'>>

const KNOWN_INPUTS_MAX = 1_000
const KNOWN_URL_CHARS_MAX = 500

function readInput(
  operation: ApiOperation | OperatorOperation,
  request: FastifyRequest,
  known: KnownInputs,
): Pick<Call<unknown, unknown, unknown>, 'params' | 'query' | 'body'> {
  const hasBody = operation.streams === undefined && operation.body !== undefined
  const parts = (): Part[] => [
    { schema: operation.params, value: request.params, convert: true },
    { schema: operation.query, value: parse(request.query as string, '&', '=', { maxKeys: 0 }), convert: true },
  ]
  if (!hasBody) {
    const { params, query } = known.get(request.url) ?? remember(known, request.url, validateParts(parts()))
    return { params, query, body: request.body }
  }
  if (request.body === undefined) {
    throw new ApiError('body_malformed', { message: 'The body is empty: send one JSON object.' })
  }
  checkDepth(request.body)
  const [params, query, body] = validateParts([
    ...parts(),
    { schema: operation.body!.required(), value: request.body, convert: false },
  ])
  return { params, query, body }
}

function remember(known: KnownInputs, url: string, [params, query]: unknown[]): { params: unknown; query: unknown } {
  // Shared by all who ask for the same from now on.
  const input = { params: Object.freeze(params), query: Object.freeze(query) }
  if (url.length > KNOWN_URL_CHARS_MAX) return input
  // The oldest makes room.
  if (known.size === KNOWN_INPUTS_MAX) known.delete(known.keys().next().value!)
  known.set(url, input)
  return input
}

/** The context for one request: its time is counted, and what it asks upstream ends with it. */
function requestContext(context: Context, meter: Meter, reply: FastifyReply): Context {
  return {
    ...context,
    database: new MeteredDatabase(context.database, meter),
    graph: new RequestGraph(context.graph, meter, reply),
  }
}

/** Gets itself ready at the first call: most requests ask nothing upstream. */
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

function checkAnswer(operation: ApiOperation | OperatorOperation, answer: Answer): void {
  const name = operation.operationId
  if (!operation.answers.includes(answer.status))
    throw new Error(`${name} answers ${answer.status}, which it does not declare`)
  if (answer.status === 304) return
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
