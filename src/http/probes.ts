import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { StorageStatus } from '../interface/status.js'
import { createAddressList, isLoopbackAddress } from '../lib/addresses.js'
import { limit } from '../lib/limits.js'
import { shared } from '../lib/shared.js'
import type { Health } from '../observability/health.js'
import { createScrape, type Metrics, type Scraped } from '../observability/metrics.js'
import { hasBearer } from './bearer.js'
import type { Context } from './context.js'
import { onEnd } from './request-state.js'

/** Headers with which a proxy shows that it passes on another machine's request. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

const PROBES = ['/healthz', '/readyz', '/metrics']

/** Returns whether programs request this every few seconds. */
export const isProbe = ({ state, routeOptions }: FastifyRequest): boolean =>
  state === undefined && PROBES.includes(routeOptions.url ?? '')

/** Counts every request from now on, by its operation. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  onEnd(app, ({ state }, reply) => {
    const operation = state?.operationId ?? 'none'
    if (reply !== undefined) metrics.countRequest(operation, String(reply.statusCode), reply.elapsedTime)
    // A route without an operation answers at once.
    else metrics.countRequest(operation, 'aborted', state === undefined ? 0 : performance.now() - state.meter.startedAt)
  })
}

/**
 * Mounts, without a key: `/healthz`, which says that the process answers; and `/readyz`, which says that it can serve: every
 * migration is applied and, if the publisher runs here, it has looked for due posts in the last minute. With
 * `?database=needed` the database must answer too. These are cheap, for probes. `/status`, with figures for people (and with
 * `?tables=true` the size of each table), and `/metrics`, for Prometheus, show how busy the service is: to callers with
 * METRICS_TOKEN or, if none is set, to this machine. Each is read once for everyone who asks at the same time.
 */
export function mountProbes(
  app: FastifyInstance,
  context: Pick<Context, 'backups' | 'clock' | 'log' | 'config' | 'database' | 'failedAttempts' | 'metrics'>,
  {
    health,
    scraped,
    readStorage,
  }: { health: Health; scraped: Scraped | undefined; readStorage(): Promise<StorageStatus> },
): void {
  const now = (): number => context.clock.now()
  const readiness = shared(() => health.readiness(false), now, 0)
  const readinessWithDatabase = shared(() => health.readiness(true), now, 0)
  const status = shared(() => health.status(), now, 0)
  const storage = shared(readStorage, now, limit('scrapeKeptMs'))
  const { config, failedAttempts, metrics } = context
  const { token: metricsToken } = config.metrics
  const isTrusted = createAddressList(config.http.trustProxy)
  function requireToken({ headers, ip }: FastifyRequest, token: string): void {
    if (hasBearer(headers, token)) return
    failedAttempts.check(ip)
    failedAttempts.note(ip)
    throw new ApiError('metrics_token_wrong')
  }
  /** A proxy on this machine may pass on anyone's request, so if a token is set, every caller needs it. */
  function requireWatcher(request: FastifyRequest): void {
    if (metricsToken !== undefined) requireToken(request, metricsToken)
    else if (!isFromThisMachine(request, isTrusted)) throw new ApiError('metrics_local')
  }
  const uncached = {
    onRequest: (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      reply.header('cache-control', 'no-store')
      done()
    },
  }
  app.get('/healthz', uncached, async () => ({ status: 'alive' }))
  // Here a query is plain text (app.ts).
  app.get('/readyz', uncached, ({ query }) =>
    new URLSearchParams(query as string).get('database') === 'needed' ? readinessWithDatabase() : readiness(),
  )
  app.get('/status', uncached, async (request) => {
    requireWatcher(request)
    const answer = await status()
    const wantsTables = new URLSearchParams(request.query as string).get('tables') === 'true'
    return wantsTables ? { ...answer, ...(await storage()) } : answer
  })
  if (scraped === undefined) return
  const text = shared(createScrape(context, scraped), now, limit('scrapeKeptMs'))
  app.get('/metrics', uncached, async (request, reply) => {
    requireWatcher(request)
    return reply.type(metrics.contentType).send(await text())
  })
}

/**
 * Returns whether no other machine can have sent the request. A proxy on this machine that TRUST_PROXY does not name may
 * pass on anyone's request: its headers are not believed, but show that it is a proxy. Of a trusted proxy's headers, only
 * X-Forwarded-For is read.
 */
function isFromThisMachine(
  { raw, headers, ip }: FastifyRequest,
  isTrusted: (address: string | undefined) => boolean,
): boolean {
  const { remoteAddress } = raw.socket
  if (!isLoopbackAddress(remoteAddress) || !isLoopbackAddress(ip)) return false
  const isNamed = isTrusted(remoteAddress) && headers['x-forwarded-for'] !== undefined
  return isNamed || !FORWARDED.some((name) => headers[name] !== undefined)
}
