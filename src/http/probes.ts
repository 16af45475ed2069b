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

/** Headers by which a proxy says that it passes on the request of another machine. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

const PROBES = ['/healthz', '/readyz', '/metrics']

/** Tells if programs ask for it every few seconds. */
export const isProbe = ({ state, routeOptions }: FastifyRequest): boolean =>
  state === undefined && PROBES.includes(routeOptions.url ?? '')

/** Counts every request from here on, by its operation. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  onEnd(app, ({ state }, reply) => {
    const operation = state?.operationId ?? 'none'
    if (reply !== undefined) metrics.countRequest(operation, String(reply.statusCode), reply.elapsedTime)
    // A route without an operation answers at once.
    else metrics.countRequest(operation, 'aborted', state === undefined ? 0 : performance.now() - state.meter.startedAt)
  })
}

/**
 * Without a key: `/healthz`, the process answers; `/readyz`, this process can serve: every migration is applied,
 * and the publisher, where it runs here, has looked for due posts in the last minute; with `?database=needed` also
 * that its database answers: cheap, for probes. `/status`, the same with figures, for people, with `?tables=true`
 * also what each table takes, and `/metrics`, for Prometheus, tell how busy the service is: to callers with
 * METRICS_TOKEN, or, where none is set, to this machine. Each is read once for all who ask at the same time.
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
  /** A proxy on this machine may pass on anyone's request, so that a token that is set is asked of every caller. */
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
  // A query is its text here (app.ts).
  app.get('/readyz', uncached, ({ query }) =>
    new URLSearchParams(query as string).get('database') === 'needed' ? readinessWithDatabase() : readiness(),
  )
  app.get('/status', uncached, async (request) => {
    requireWatcher(request)
    const told = await status()
    const wantsTables = new URLSearchParams(request.query as string).get('tables') === 'true'
    return wantsTables ? { ...told, ...(await storage()) } : told
  })
  if (scraped === undefined) return
  const text = shared(createScrape(context, scraped), now, limit('scrapeKeptMs'))
  app.get('/metrics', uncached, async (request, reply) => {
    requireWatcher(request)
    return reply.type(metrics.contentType).send(await text())
  })
}

/**
 * Tells if no other machine can have sent the request. A proxy on this machine that TRUST_PROXY does not name may
 * pass on anyone's: what it writes is not believed, and its headers show that it is one. Of the headers of a
 * trusted one X-Forwarded-For alone is read.
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
