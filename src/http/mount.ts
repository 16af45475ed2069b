import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.js'
import { ApiError } from '../errors.js'
import type { Principal } from './authenticate.js'
import { type Meter, meteredDatabase, newMeter } from './meter.js'
import type { Answer, ApiOperation, Call, OperatorOperation } from './operation.js'
import { checkDepth, validateParts } from './validation.js'

/** Read by their operation as they arrive, whatever their size. */
export const STREAMED_TYPES = ['application/x-ndjson', 'text/csv']

/** What is known of a running request; the log line at its end is made of it. */
export interface RequestState {
  operationId: string
  principal: Principal | undefined
  meter: Meter
}

export type RequestStates = WeakMap<FastifyRequest, RequestState>

/** A set of operations at one base path, behind one way of authentication. */
export interface Surface<Operation> {
  prefix: string
  operations: readonly Operation[]
  /** Throws unless the caller may call; runs before the body is read. */
  authenticate(request: FastifyRequest): Promise<Principal | undefined>
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
    app.route({
      method: operation.method,
      url: surface.prefix + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...(operation.streams === undefined ? {} : { bodyLimit: Number.MAX_SAFE_INTEGER }),
      async onRequest(request) {
        const state: RequestState = { operationId: operation.operationId, principal: undefined, meter: newMeter() }
        states.set(request, state)
        state.principal = await surface.authenticate(request)
        checkContentType(operation, request)
      },
      async handler(request, reply) {
        const { meter, principal } = states.get(request)!
        const input = readInput(operation, request)
        const signal = abortedWithCaller(reply)
        const call = { ...input, headers: request.headers, signal, meter, principal: principal as Principal }
        const answer = await operation.handle(call, requestContext(context, meter, signal))
        if (checkAnswers) checkAnswer(operation, answer)
        return reply
          .code(answer.status)
          .headers(answer.headers ?? {})
          .send(answer.body)
      },
    })
  }
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

function readInput(
  operation: ApiOperation | OperatorOperation,
  request: FastifyRequest,
): Pick<Call<unknown, unknown, unknown>, 'params' | 'query' | 'body'> {
  const parts = [
    { schema: operation.params, value: request.params, convert: true },
    { schema: operation.query, value: request.query, convert: true },
  ]
  if (operation.streams !== undefined || operation.body === undefined) {
    const [params, query] = validateParts(parts)
    return { params, query, body: request.body }
  }
  if (request.body === undefined) {
    throw new ApiError('body_malformed', { message: 'The body is empty: send one JSON object.' })
  }
  checkDepth(request.body)
  const [params, query, body] = validateParts([
    ...parts,
    { schema: operation.body.required(), value: request.body, convert: false },
  ])
  return { params, query, body }
}

/** The context for one request: its time is counted, and what it asks upstream ends with it. */
function requestContext(context: Context, meter: Meter, signal: AbortSignal): Context {
  const onUpstreamMs = (ms: number): void => {
    meter.upstreamMs += ms
  }
  return {
    ...context,
    database: meteredDatabase(context.database, meter),
    graph: context.graph.forRequest({ signal, onUpstreamMs }),
  }
}

function abortedWithCaller(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}

function checkAnswer(operation: ApiOperation | OperatorOperation, answer: Answer): void {
  const name = operation.operationId
  if (!operation.answers.includes(answer.status))
    throw new Error(`${name} answers ${answer.status}, which it does not declare`)
  const error = operation.success?.validate(JSON.parse(JSON.stringify(answer.body)), { convert: false }).error
  if (error !== undefined) throw new Error(`${name} answers a body unlike its schema: ${error.message}`)
}
