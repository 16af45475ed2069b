import type { IncomingMessage } from 'node:http'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { createIsActive } from './access/active-organizations.js'
import { countEndingByAge } from './access/greatest-age.js'
import { countLiveSessions } from './access/sessions/sessions.store.js'
import { openSurfaces } from './access/surfaces.js'
import { countAuditEntries } from './audit/audit.store.js'
import { readAutomationFigures } from './automation/reports.store.js'
import { findLastBackup } from './backup/last-backup.store.js'
import type { AppContext } from './context.js'
import { ApiError, type ErrorCode } from './errors.js'
import { addBodyParsers, type SpanOf } from './http/body-parsers.js'
import { closeIdleConnections, countWaiting, createBoundedServer, endUnreadBody } from './http/connections.js'
import { mountConsole } from './http/console.js'
import { mountCors } from './http/cors.js'
import { mountDocs } from './http/docs.js'
import { toApiError, toErrorBody, toErrorHeaders } from './http/error-handler.js'
import { createRequestLog, type Origin, type Outcome } from './http/fast-path/request-log.js'
import { HeldBodies } from './http/held-bodies.js'
import { mountMedia } from './http/media.js'
import { mount } from './http/mount.js'
import { countRequests, isProbe, mountProbes } from './http/probes.js'
import { mountRaw } from './http/raw-routes.js'
import { onEnd } from './http/request-state.js'
import { traceRequests } from './http/traces.js'
import { createTransportSecurity } from './http/transport-security.js'
import { answerUnreadableRequest, refuseConnect, refuseExpectation } from './http/unrouted.js'
import { hookRoutes } from './intake/hooks/routes.js'
import { readInboxFigures } from './intake/inbox/inbox.store.js'
import type { AutomationStatus, InboxStatus } from './interface/status.js'
import { createAddressList, plainAddress } from './lib/addresses.js'
import { newId } from './lib/ids.js'
import { limit } from './lib/limits.js'
import type { AbortableWait } from './observability/answer-within.js'
import { createDiskReader, hasRoomForChanges } from './observability/disks.js'
import { createHealth, type PublisherView } from './observability/health.js'
import type { Stored } from './observability/metrics.js'
import { operations } from './operations.js'
import { feedRoutes } from './posts/calendar/calendar-feed.js'
import { countLatePosts } from './posts/waits.js'
import { readStorage } from './removal/figures.js'

/** Longer than any request line that node:http reads: an id of any length is looked up, and not found. */
const PATH_PARAM_CHARS_MAX = limit('pathParamChars')
/** A connection on which nothing moves is cut… */
const IDLE_CONNECTION_MS_MIN = 120_000
/** …but not while we wait for the ad platform: an answer may take two reads, each tried twice. */
const CALLS_PER_ANSWER = 4

export interface AppOptions {
  /** Holds every answer to its operation's declaration; on in tests. */
  checkAnswers?: boolean
  /** False leaves /v1, /v0, /api and the reference out: what is left tells how the process is. */
  api?: boolean
  /** Where `vite build` put the web console; without it there is none. */
  consoleFolder?: URL
  /** Where it put the page at /docs; without it there is none. */
  referenceFolder?: URL
  /** Where it runs in this process. */
  publisher?: PublisherView
  /** From when on it says on every answer that the connection ends, and is not ready. */
  isStopping?: () => boolean
  /** False where `/metrics` listens elsewhere. */
  scrapes?: boolean
  /** How long probes and scrapes wait for the database; a dependency, so that tests pass on a busy machine. */
  wait?: AbortableWait
}

/** The whole HTTP service, not yet listening. `close()` finishes what runs. */
export async function buildApp(context: AppContext, options: AppOptions = {}): Promise<FastifyInstance> {
  const { isStopping = () => false } = options
  const headersOf = createSharedHeaders(context.config.http)
  const app = createServer(context, headersOf)
  app.decorateRequest('state', undefined)
  const { config, tracing, metrics } = context
  const held = new HeldBodies()
  const spanOf = tracing && traceRequests(app, tracing)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOf(request))
    if (isStopping()) reply.header('connection', 'close')
    usePlainAddress(request)
    done(hostProblem(request.raw))
  })
  countWaiting(app)
  countRequests(app, metrics)
  if (config.http.corsOrigins.length > 0) await mountCors(app, config.http.corsOrigins)
  app.addHook('onRequest', (request, _reply, done) => {
    // Here, before a body is read: what is sent to no route is not looked at.
    done(request.is404 ? new ApiError('route_not_found') : undefined)
  })
  answerErrors(app)
  logRequests(app, context, spanOf)
  addBodyParsers(app, held, spanOf)
  onEnd(app, ({ raw }) => held.release(raw))
  closeIdleConnections(app)
  await mountAll(app, context, { ...options, isStopping, held })
  return app
}

type HeadersOf = (request: Pick<FastifyRequest, 'id' | 'raw'>) => Record<string, string>

/** Gives the headers of every answer. */
function createSharedHeaders(http: AppContext['config']['http']): HeadersOf {
  const transportSecurityOf = createTransportSecurity(http)
  return ({ id, raw }) => {
    const headers: Record<string, string> = { 'x-request-id': id, 'x-content-type-options': 'nosniff' }
    const transportSecurity = transportSecurityOf(raw)
    if (transportSecurity !== undefined) headers['strict-transport-security'] = transportSecurity
    return headers
  }
}

/** Fastify's own compilers of JSON Schema would be loaded, and no route has such a schema: the operations validate. */
const noCompiler = (): never => {
  throw new Error('routes have no JSON Schema: operations validate by their own')
}
const NO_COMPILERS = { buildValidator: () => noCompiler, buildSerializer: () => noCompiler }

function createServer({ config: { http, graph }, log }: AppContext, headersOf: HeadersOf): FastifyInstance {
  const idleMs = Math.max(IDLE_CONNECTION_MS_MIN, CALLS_PER_ANSWER * graph.timeoutMs)
  return fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId('req'),
    trustProxy: http.trustProxy.length > 0 && createAddressList(http.trustProxy),
    routerOptions: {
      maxParamLength: PATH_PARAM_CHARS_MAX,
      // Parsed by the operations, which know most queries already.
      querystringParser: (text) => text as unknown as Record<string, unknown>,
    },
    serverFactory: (handle) => createBoundedServer(handle, { maxConnections: http.maxConnections, idleMs }),
    schemaController: { compilersFactory: NO_COMPILERS },
    // Running requests and their connections finish; Fastify's own 503 would have another body than ours.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendError((reply as FastifyReply).headers(headersOf(request as FastifyRequest)), toApiError(error)),
    clientErrorHandler: answerUnreadableRequest,
  })
}

/** Answers every failure in JSON, also of what never reaches a route. */
function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const answered = toApiError(error)
    // The caller has gone, which ended the work: no fault of ours, and no one to answer. And the database says
    // itself when it is away: a stack for each request would fill the log. So does a stop: probes come every second
    // while the server drains.
    const isToldElsewhere = TOLD_ELSEWHERE.includes(answered.code)
    if (answered.status >= 500 && !isToldElsewhere && !reply.raw.destroyed) {
      request.log.error({ err: answered.cause ?? answered }, answered.code)
    }
    return sendError(reply, answered)
  })
  app.setNotFoundHandler((_request, reply) => sendError(reply, new ApiError('route_not_found')))
  app.server.on('checkExpectation', refuseExpectation)
  // Without a listener node closes the connection in silence.
  app.server.on('connect', (_request, socket) => refuseConnect(socket))
}

interface Mounting {
  isStopping(): boolean
  held: HeldBodies
}

async function mountAll(
  app: FastifyInstance,
  context: AppContext,
  { api = true, checkAnswers = false, scrapes = true, ...options }: AppOptions & Mounting,
): Promise<void> {
  const { publisher, isStopping, held, consoleFolder, referenceFolder, wait } = options
  const { config, metrics } = context
  const readDisks = createDiskReader(config)
  mountProbes(app, context, {
    health: createHealth(context, publisher, metrics.publishDelays, isStopping, {
      greatestAges: () => countEndingByAge(context),
      inbox: () => readInboxStatus(context),
      automation: () => readAutomationStatus(context),
      latePosts: () => countLatePosts(context.database, new Date(context.clock.now())),
      hasRoom: () => hasRoomForChanges(readDisks),
      wait,
    }),
    scraped: scrapes
      ? {
          publisher,
          audienceMemory: context.audienceCache.memory,
          readStored: () => readStored(context),
          readDisks,
          wait,
        }
      : undefined,
    readStorage: () => readStorage(context.database, config),
  })
  if (api) {
    await mountDocs(app, {
      folder: referenceFolder,
      // A served document is made by the build, so its makers are not loaded.
      make: async (name) => (await import('./api-document.js')).apiDocument(name),
      hasEarlier: config.http.earlierVariant,
      publicUrl: config.http.publicUrl,
    })
    await mountApi(app, context, { checkAnswers, held })
  }
  if (api && config.http.console && consoleFolder !== undefined) {
    await mountConsole(app, context, consoleFolder, new URL(`${config.http.publicUrl ?? 'http://localhost'}/`).pathname)
  }
}

/** Reads what the metrics tell of the database's contents. */
async function readStored({ clock, config, database }: AppContext): Promise<Stored> {
  const { waiting, waiting_of: waitingOf, oldest_at, problems } = await readInboxFigures(database)
  const lastBackup = await findLastBackup(database)
  return {
    liveSessions: await countLiveSessions(database, new Date(clock.now())),
    auditEntries: await countAuditEntries(database),
    inbox: { waiting, waitingOf, oldestAt: oldest_at ?? undefined, problems },
    automation: await readAutomationFigures(database, new Date(clock.now())),
    latePosts: await countLatePosts(database, new Date(clock.now())),
    // Zero where they are made and none is yet, so that an alert sees it.
    lastBackupAtMs: lastBackup?.made_at.getTime() ?? (config.backup === null ? undefined : 0),
    lastBackupMissingMedia: lastBackup?.missing_media ?? (config.backup === null ? undefined : 0),
  }
}

/** Tells what waits of sources; undefined where there is none. */
async function readInboxStatus({ database, intake }: AppContext): Promise<InboxStatus | undefined> {
  const { sources, waiting, oldest_at, problems } = await readInboxFigures(database)
  const unknownKeys = intake.unknownKeys()
  if (sources === 0 && unknownKeys === undefined) return undefined
  return {
    ...{ sources, waiting, problems },
    ...(oldest_at !== null && { oldestAt: oldest_at.toISOString() }),
    ...(unknownKeys && { unknownKeys }),
  }
}

/** Tells what superpowers do; undefined where they act on no channel. */
async function readAutomationStatus({ database, clock }: AppContext): Promise<AutomationStatus | undefined> {
  const figures = await readAutomationFigures(database, new Date(clock.now()))
  const { channels, stopped, posts, waiting, unknown, oldest_at, newest_comment_at } = figures
  if (channels === 0) return undefined
  return {
    ...{ channels, stopped, posts, waiting, unknown },
    ...(oldest_at !== null && { oldestAt: oldest_at.toISOString() }),
    ...(newest_comment_at !== null && { newestCommentAt: newest_comment_at.toISOString() }),
  }
}

async function mountApi(
  app: FastifyInstance,
  context: AppContext,
  { checkAnswers, held }: { checkAnswers: boolean; held: HeldBodies },
): Promise<void> {
  const { media } = context.config
  if (media !== null) await mountMedia(app, media.dir, createIsActive(context.database))
  await mountRaw(app, hookRoutes(context, context.intake), { bytesMax: limit('deliveryBytes'), held })
  await mountRaw(app, feedRoutes(context), { bytesMax: limit('openBodyBytes'), held })
  for (const [surface, authenticator] of openSurfaces(context)) {
    mount(app, context, operations, { surface, authenticator, checkAnswers })
  }
}

/**
 * A proxy may write a port or map IPv4 into IPv6: limits, lists of addresses and the log know each address by one
 * spelling.
 */
function usePlainAddress(request: FastifyRequest): void {
  const { socket, headers } = request.raw
  // Most have neither, and the address of a request is found only where it is asked for.
  if (socket.remoteAddress?.includes(':') !== true && headers['x-forwarded-for']?.includes(':') !== true) return
  const { ip } = request
  const plain = plainAddress(ip)
  if (plain !== ip) Object.defineProperty(request, 'ip', { value: plain })
}

/**
 * node:http keeps the first of two and drops the other, so that a proxy may have read another one (RFC 9112, 3.2).
 */
function hostProblem({ rawHeaders, httpVersion }: IncomingMessage): ApiError | undefined {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined
  const message =
    hosts === 0
      ? 'The request names no host: send a Host header.'
      : 'The request has more than one Host header: send one.'
  return new ApiError('request_malformed', { message })
}

function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  endUnreadBody(reply.request, reply)
  return reply
    .code(error.status)
    .headers(toErrorHeaders(error))
    .send(toErrorBody(error, reply.request.state?.principal?.actor))
}

/** Answers of 500 and above that are no fault of their request, and that the log tells once. */
const TOLD_ELSEWHERE: readonly ErrorCode[] = ['database_unavailable', 'busy', 'bodies_busy', 'stopping']

function logRequests(app: FastifyInstance, { log, clock, config }: AppContext, spanOf?: SpanOf): void {
  const { format } = config.log
  const logRequest = createRequestLog(log, clock, { level: 'info', format })
  const logProbe = createRequestLog(log, clock, { level: 'debug', format })
  // A caller who goes gets no response, and has a line all the same: a cut import would leave no trace.
  onEnd(app, (request, reply) => {
    const traceId = spanOf?.(request)?.traceId
    const outcome: Outcome =
      reply === undefined
        ? { aborted: true, traceId }
        : {
            status: reply.statusCode,
            errorCode: reply.getHeader('x-error-code') as string | undefined,
            durationMs: reply.elapsedTime,
            traceId,
          }
    if (isProbe(request)) logProbe(request.id, undefined, outcome)
    else logRequest(request.id, request.state, outcome, originOf(request))
  })
}

/** Gives the origin of an operator's call, and of one that was refused before its caller was known. */
function originOf({ state, ip, params }: FastifyRequest): Origin | undefined {
  if (state === undefined) return undefined
  const isWatched = state.surface.organization === 'path' || state.principal === undefined
  return isWatched ? { address: ip, params: params as Record<string, string> } : undefined
}
