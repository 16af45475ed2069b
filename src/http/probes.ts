import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { createAddressList, isLoopbackAddress } from '../lib/addresses.js'
import { limit } from '../lib/limits.js'
import { shared } from '../lib/shared.js'
import type { Health } from '../observability/health.js'
import { createScrape, type Metrics, type Scraped } from '../observability/metrics.js'
import { hasBearer } from './bearer.js'
import type { Context } from './context.js'

/** Headers by which a proxy says that it passes on the request of another machine. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

const PROBES = ['/healthz', '/readyz', '/metrics']

/** What programs ask for every few seconds. */
export const isProbe = ({ state, routeOptions }: FastifyRequest): boolean =>
  state === undefined && PROBES.includes(routeOptions.url ?? '')

/** Counts every request from here on, by its operation. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  const count = (request: FastifyRequest, status: string, durationMs: number): void =>
    metrics.countRequest(request.state?.operationId ?? 'none', status, durationMs)
  app.addHook('onResponse', (request, reply, done) => {
    count(request, String(reply.statusCode), reply.elapsedTime)
    done()
  })
  app.addHook('onRequestAbort', (request, done) => {
    const now = performance.now()
    // What belongs to no operation answers at once.
    count(request, 'aborted', now - (request.state?.meter.startedAt ?? now))
    done()
  })
}

/**
 * Without a key: `/healthz`, the process answers; `/readyz`, this process can serve: every migration is applied, and the
 * publisher, where it runs here, has looked for due posts in the last minute; with `?database=needed` also that its database
 * answers: cheap, for probes. `/status`, the same with figures, for people, and `/metrics`, for Prometheus, tell how busy the
 * service is: to this machine, and to others with METRICS_TOKEN. Each is read once for all who ask at the same time.
 */
export function mountProbes(
  app: FastifyInstance,
  context: Pick<Context, 'backups' | 'clock' | 'log' | 'config' | 'database' | 'failedAttempts' | 'metrics'>,
  { health, scraped }: { health: Health; scraped: Scraped | undefined },
): void {
  const now = (): number => context.clock.now()
  const readiness = shared(() => health.readiness(false), now, 0)
  const readinessWithDatabase = shared(() => health.readiness(true), now, 0)
  const status = shared(() => health.status(), now, 0)
  const { config, failedAttempts, metrics } = context
  const { metricsToken } = config
  const isTrusted = createAddressList(config.trustProxy)
  function requireToken({ headers, ip }: FastifyRequest, token: string): void {
    if (hasBearer(headers, token)) return
    failedAttempts.check(ip)
    failedAttempts.note(ip)
    throw new ApiError('metrics_token_wrong')
  }
  function requireLocal(request: FastifyRequest): void {
    if (isFromThisMachine(request, isTrusted)) return
    if (metricsToken === undefined) throw new ApiError('metrics_local')
    requireToken(request, metricsToken)
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
    requireLocal(request)
    return status()
  })
  if (scraped === undefined) return
  const text = shared(createScrape(context, scraped), now, limit('scrapeKeptMs'))
  app.get('/metrics', uncached, async (request, reply) => {
    // Where a token is set, a scraper on this machine sends it as well.
    if (metricsToken === undefined) requireLocal(request)
    else requireToken(request, metricsToken)
    return reply.type(metrics.contentType).send(await text())
  })
}

/**
 * Tells if no other machine can have sent the request. A proxy on this machine that TRUST_PROXY does not name may pass on anyone's:
 * what it writes is not believed, and its headers show that it is one. Of the headers of a trusted one X-Forwarded-For alone is read.
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
