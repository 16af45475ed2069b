import type { IncomingMessage } from 'node:http'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { createIsActive } from './access/active-organizations.js'
import { countEndingByAge } from './access/maximum-age.js'
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

/** Longer than any request line that node:http accepts, so an id of any length reaches the lookup and is not found. */
const PATH_PARAM_CHARS_MAX = limit('pathParamChars')
/** Idle connections are closed after this time… */
const IDLE_CONNECTION_MS_MIN = 120_000
/** …but not while the ad platform is being called: one response may need two reads, each tried twice. */
const CALLS_PER_ANSWER = 4

export interface AppOptions {
  /** Checks every response against its operation's declaration; on in tests. */
  checkAnswers?: boolean
  /** False leaves out /v1, /v0, /api and the reference, so that only probes and metrics remain. */
  api?: boolean
  /** The folder that `vite build` wrote the web console to; undefined serves no console. */
  consoleFolder?: URL
  /** The folder of the page at /docs; undefined serves no page. */
  referenceFolder?: URL
  /** The publisher, if it runs in this process. */
  publisher?: PublisherView
  /** Once true, every response closes its connection and /readyz reports not ready. */
  isStopping?: () => boolean
  /** False if `/metrics` has its own listener. */
  scrapes?: boolean
  /** Bounds how long probes and scrapes wait for the database; injected so that tests pass on a busy machine. */
  wait?: AbortableWait
}

/** Builds the whole HTTP service without listening. `close()` waits for running requests. */
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
    // Rejected before the body is read, so that a request to an unknown route costs nothing more.
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

/** Returns a function that makes the headers shared by all responses. */
function createSharedHeaders(http: AppContext['config']['http']): HeadersOf {
  const transportSecurityOf = createTransportSecurity(http)
  return ({ id, raw }) => {
    const headers: Record<string, string> = { 'x-request-id': id, 'x-content-type-options': 'nosniff' }
    const transportSecurity = transportSecurityOf(raw)
    if (transportSecurity !== undefined) headers['strict-transport-security'] = transportSecurity
    return headers
  }
}

/** Fastify would load its JSON Schema compilers, although no route has such a schema: operations validate with Joi. */
const noCompiler = (): never => {
  throw new Error('routes have no JSON Schema: operations validate with Joi')
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
      // The operations parse it; they cache the results of common queries.
      querystringParser: (text) => text as unknown as Record<string, unknown>,
    },
    serverFactory: (handle) => createBoundedServer(handle, { maxConnections: http.maxConnections, idleMs }),
    schemaController: { compilersFactory: NO_COMPILERS },
    // Running requests finish on their connections. The body of Fastify's own 503 would not be one of our errors.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendError((reply as FastifyReply).headers(headersOf(request as FastifyRequest)), toApiError(error)),
    clientErrorHandler: answerUnreadableRequest,
  })
}

/** Answers every failure in JSON, including requests that never reach a route. */
function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const answered = toApiError(error)
    // If the caller disconnected, the failure is not ours and there is no one to answer. An unavailable database and
    // a stopping server are logged once where they happen; a stack per request or per probe would fill the log.
    const isLoggedElsewhere = LOGGED_ELSEWHERE.includes(answered.code)
    if (answered.status >= 500 && !isLoggedElsewhere && !reply.raw.destroyed) {
      request.log.error({ err: answered.cause ?? answered }, answered.code)
    }
    return sendError(reply, answered)
  })
  app.setNotFoundHandler((_request, reply) => sendError(reply, new ApiError('route_not_found')))
  app.server.on('checkExpectation', refuseExpectation)
  // Without a listener, node closes the connection without a response.
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
      maximumAges: () => countEndingByAge(context),
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
      // Imported on demand: the build has made the documents, so a server usually never loads this module.
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

/** Reads the metrics that come from the database. */
async function readStored({ clock, config, database }: AppContext): Promise<Stored> {
  const { waiting, waiting_of: waitingOf, oldest_at, problems } = await readInboxFigures(database)
  const lastBackup = await findLastBackup(database)
  return {
    liveSessions: await countLiveSessions(database, new Date(clock.now())),
    auditEntries: await countAuditEntries(database),
    inbox: { waiting, waitingOf, oldestAt: oldest_at ?? undefined, problems },
    automation: await readAutomationFigures(database, new Date(clock.now())),
    latePosts: await countLatePosts(database, new Date(clock.now())),
    // Zero if backups are configured but none exists yet, so that an alert fires.
    lastBackupAtMs: lastBackup?.made_at.getTime() ?? (config.backup === null ? undefined : 0),
    lastBackupMissingMedia: lastBackup?.missing_media ?? (config.backup === null ? undefined : 0),
  }
}

/** Returns the state of intake; undefined if there is no source. */
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

/** Returns the state of automation; undefined if superpowers act on no channel. */
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
 * Normalizes the address of the caller: a proxy may append a port or map IPv4 into IPv6, and limits, address lists
 * and the log need one spelling.
 */
function usePlainAddress(request: FastifyRequest): void {
  const { socket, headers } = request.raw
  // Most requests have no colon in either; reading `request.ip` would parse the header.
  if (socket.remoteAddress?.includes(':') !== true && headers['x-forwarded-for']?.includes(':') !== true) return
  const { ip } = request
  const plain = plainAddress(ip)
  if (plain !== ip) Object.defineProperty(request, 'ip', { value: plain })
}

/**
 * Returns an error unless there is exactly one Host header. node:http keeps the first and drops the rest, so a proxy
 * may have used another one (RFC 9112, 3.2).
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

/** Answers of 500 and above that do not depend on the request and are logged once elsewhere. */
const LOGGED_ELSEWHERE: readonly ErrorCode[] = ['database_unavailable', 'busy', 'bodies_busy', 'stopping']

function logRequests(app: FastifyInstance, { log, clock, config }: AppContext, spanOf?: SpanOf): void {
  const { format } = config.log
  const logRequest = createRequestLog(log, clock, { level: 'info', format })
  const logProbe = createRequestLog(log, clock, { level: 'debug', format })
  // A caller who disconnects gets no response but still gets a log line; otherwise an interrupted import would leave
  // no trace.
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

/** Returns where an operator's call came from, or one that was refused before its caller was known. */
function originOf({ state, ip, params }: FastifyRequest): Origin | undefined {
  if (state === undefined) return undefined
  const isWatched = state.surface.organization === 'path' || state.principal === undefined
  return isWatched ? { address: ip, params: params as Record<string, string> } : undefined
}
