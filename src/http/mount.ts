import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { limit } from '../lib/limits.js'
import { type Ready, whenReady } from '../lib/ready.js'
import { newMeter } from '../observability/meter.js'
import { checkAnswer } from './check-answer.js'
import type { Context } from './context.js'
import { toApiError } from './error-handler.js'
import { noteFailure } from './failed-attempts.js'
import { createInputReader } from './fast-path/read-input.js'
import { requestContext } from './fast-path/request-context.js'
import { settle } from './fast-path/settle.js'
import type { Answer, Call, Operation } from './operation.js'
import {
  holdsAny,
  holdsAnywhere,
  type Principal,
  permissionsOf,
  type ServerPrincipal,
  tokenOfActor,
} from './principal.js'
import { takeChange, takeOne } from './rate-limits.js'
import { type Authenticator, type Caller, isTagged, type Route, routesOf, type Surface } from './surfaces.js'
import { tagAnswer } from './tag-answer.js'
import { hintsOf } from './validation.js'

/** Uploads of any image or video type are read, so that the refusal can name the format. */
export const MEDIA_TYPE = /^(?:image|video)\//

/** Types that the operation reads as they arrive, whatever the size. */
export const STREAMED_TYPES = [
  'application/x-ndjson',
  'text/csv',
  'application/octet-stream',
  'image/jpeg',
  'image/png',
  'video/mp4',
  'video/quicktime',
]

interface MountOptions {
  surface: Surface
  authenticator: Authenticator
  /** Checks each response against the operation's declared statuses and success body (tests). */
  checkAnswers: boolean
}

/**
 * Creates a route for each operation that the surface offers: authenticate → read → validate → enter the organization →
 * permission → handle → answer.
 */
export function mount<Needs extends Context>(
  app: FastifyInstance,
  context: Needs,
  operations: readonly Operation<Needs>[],
  options: MountOptions,
): void {
  const { surface } = options
  const hints = hintsOf(context.clock)
  for (const route of routesOf(surface, operations)) {
    const { operation } = route
    const mounted: Mounted<Needs> = { ...options, context, route, readInput: createInputReader(route, hints) }
    const takesNoCredential = operation.permission === 'sign-in' || operation.permission === 'device'
    const bodyBytesMax = operation.bodyBytesMax ?? (takesNoCredential ? OPEN_BODY_BYTES_MAX : undefined)
    app.route({
      // A separate HEAD route for each GET would double the cost of an app; node itself sends no body.
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      exposeHeadRoute: false,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest(request, reply, done) {
        request.state = {
          operationId: route.operationId,
          surface,
          caller: undefined,
          principal: undefined,
          authenticateBody: undefined,
          bodyBytesMax,
          meter: newMeter(),
        }
        // Neither a browser after a sign-out nor a proxy may give a response to someone who may not see it.
        reply.header('cache-control', 'no-store')
        settle(() => begin(mounted, request, reply), done)
      },
      handler(request, reply) {
        settle(
          () => answer(mounted, request, reply),
          (error) => {
            if (error !== undefined) reply.send(error)
          },
        )
      },
      ...(isTagged(surface, operation) ? { onSend: tagAnswer } : {}),
      // Includes errors while reading the body, which reach no handler.
      onError(request, _reply, error, done) {
        noteFailure(context, request, toApiError(error), takesNoCredential)
        done()
      },
    })
  }
}

/** An operation on a surface. */
interface Mounted<Needs extends Context> extends MountOptions {
  context: Needs
  route: Route<Needs>
  readInput(request: FastifyRequest): Pick<Call, 'params' | 'query' | 'body'>
}

/** Authenticates by the headers before any of the body is read, or by the body's bytes if those are signed. */
function begin<Needs extends Context>(
  { context, authenticator, route: { operation } }: Mounted<Needs>,
  request: FastifyRequest,
  reply: FastifyReply,
): Ready<void> {
  const state = request.state!
  const authenticate = (body?: Buffer): Ready<void> =>
    whenReady(authenticator.authenticate(request, operation.permission, body), (caller) => {
      state.caller = caller
      state.principal = caller.principal
      state.authenticateBody = undefined
      if (caller.answerHeaders !== undefined) reply.headers(caller.answerHeaders)
      if (operation.method !== 'GET' && operation.isUnlimited !== true) {
        reply.headers(takeChange(context, caller.principal) ?? {})
      }
    })
  if (authenticator.reads === 'headers') return whenReady(authenticate(), () => checkContentType(operation, request))
  state.authenticateBody = authenticate
  return checkContentType(operation, request)
}

function answer<Needs extends Context>(
  mounted: Mounted<Needs>,
  request: FastifyRequest,
  reply: FastifyReply,
): Ready<void> {
  const state = request.state!
  const { context, authenticator, route, checkAnswers } = mounted
  const { operation } = route
  // A request without a body has not been through the parser.
  return whenReady(state.authenticateBody?.(NO_BODY), () => {
    const caller = state.caller!
    const { params, query, body } = mounted.readInput(request)
    const own = requestContext(context, state, reply)
    return whenReady(enter(mounted, caller, params, own), (entered) => {
      // Reads need no address, so their principal is not copied.
      const principal = operation.method === 'GET' ? entered : { ...entered, address: request.ip }
      state.principal = principal
      checkConfirmable(operation, principal)
      checkPermission(principal, operation, context)
      if (operation.rateLimit !== undefined) {
        reply.headers(takeOne(context, operation.rateLimit, principal as Principal) ?? {})
      }
      const { snapshot } = caller
      const { headers } = request
      const call = { params, query, body, headers, caller: request, principal, snapshot, meter: state.meter }
      const confirmed = requireConfirmation(operation, authenticator, principal)
      const handled = whenReady(confirmed, () => operation.handle(call as Call, own))
      return whenReady(handled, (answered) => {
        if (checkAnswers) {
          checkAnswer(route, answered)
          checkChannels(operation, principal)
        }
        reply.code(answered.status)
        if (answered.headers !== undefined) reply.headers(answered.headers)
        reply.send(request.method === 'HEAD' ? unread(answered.body) : answered.body)
      })
    })
  })
}

/** Throws token_cannot_confirm for a person's token if the operation asks for a confirmation. */
function checkConfirmable({ needsConfirmation }: Operation, { actor }: ServerPrincipal): void {
  if (needsConfirmation && tokenOfActor(actor) !== null) throw new ApiError('token_cannot_confirm')
}

/**
 * Throws confirmation_needed if the operation needs a person who has just proven their identity. Programs have no session.
 */
function requireConfirmation(
  operation: Operation,
  authenticator: Authenticator,
  principal: ServerPrincipal,
): Ready<void> {
  if (!operation.needsConfirmation || principal.sessionId === undefined) return undefined
  return authenticator.requireConfirmation?.(principal)
}

/** Returns the principal in the organization that the path names, if it names one. */
function enter<Needs extends Context>(
  { surface, authenticator, route: { operation } }: Mounted<Needs>,
  caller: Caller,
  params: unknown,
  { database }: Context,
): Ready<Principal | ServerPrincipal> {
  if (surface.organization === 'caller' || operation.scope === 'server') return caller.principal
  const { organizationId } = params as { organizationId: string }
  const outlives = operation.outlivesOrganization && caller.principal.permissions.has('operator')
  if (outlives) return enterDeleted(authenticator, caller, organizationId, database)
  return authenticator.enterOrganization!(caller, organizationId, database)
}

/** The same, also for a deleted organization. While the organization exists, its requirements for sessions apply. */
async function enterDeleted(
  authenticator: Authenticator,
  caller: Caller,
  organizationId: string,
  database: Context['database'],
): Promise<Principal> {
  try {
    return await authenticator.enterOrganization!(caller, organizationId, database)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'organization_not_found')) throw error
    return { ...caller.principal, organizationId }
  }
}

const NO_BODY = Buffer.alloc(0)
const OPEN_BODY_BYTES_MAX = limit('openBodyBytes')

/** Removes the stream from the response to a HEAD: Fastify would read it to its end and discard it. */
function unread(body: Answer['body']): Answer['body'] {
  if (!(body instanceof Readable)) return body
  body.destroy()
  return Readable.from([])
}

/** Throws unless the principal has a sufficient permission. */
function checkPermission(
  { actor, permissions, channels }: ServerPrincipal,
  { permission: needed, inChannels }: Operation,
  { keyUses, clock }: Pick<Context, 'keyUses' | 'clock'>,
): void {
  if (holdsAny(permissions, needed)) return
  if (inChannels !== undefined && holdsAnywhere(channels, needed)) return
  if (actor.type === 'key') keyUses.refuse(actor.id, 'permission', clock.now())
  if (needed === 'posts:approve' && actor.type === 'key') throw new ApiError('approval_is_human')
  throw new ApiError('permission_missing', {
    message: `This requires the permission ${permissionsOf(needed).join(' or ')}, which you do not hold.`,
  })
}

/** Throws for an operation that answered a member with roles by channel without checking these (tests). */
function checkChannels({ operationId, inChannels }: Operation, { channels }: ServerPrincipal): void {
  if (inChannels !== 'checked' || channels === undefined || channels.isChecked) return
  throw new Error(`${operationId} declares that it checks the channels, but did not check them`)
}

/** Bodies are JSON, except for operations that read a stream. Others are refused here, before any byte is read. */
function checkContentType(operation: Operation, request: FastifyRequest): void {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const { streams } = operation
  const isMedia = MEDIA_TYPE.test(type ?? '')
  const isTaken =
    streams === undefined
      ? !STREAMED_TYPES.includes(type ?? '') && !isMedia
      : streams.includes(type ?? '') || (isMedia && streams.includes('video/mp4'))
  if (!isTaken) {
    const wanted = (streams ?? ['application/json']).join(' or ')
    throw new ApiError('media_type_unsupported', { message: `The content type is unsupported: send ${wanted}.` })
  }
}
