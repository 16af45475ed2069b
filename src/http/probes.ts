import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { limit } from '../lib/limits.js'
import { shared } from '../lib/shared.js'
import type { Health } from '../observability/health.js'
import { type Scraped, scrape } from '../observability/metrics.js'
import { hasBearer } from './bearer.js'
import type { Context } from './context.js'

const PROBES = ['/healthz', '/readyz', '/metrics']

/** What programs ask for every few seconds. */
export const isProbe = ({ state, routeOptions }: FastifyRequest): boolean =>
  state === undefined && PROBES.includes(routeOptions.url ?? '')

/** Counts every request from here on, by its operation. */
export function countRequests(app: FastifyInstance, metrics: Scraped['metrics']): void {
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
 * answers: cheap, for probes; `/status`, the same with figures, for people; `/metrics`, for Prometheus, with METRICS_TOKEN where it is set. The last two tell how busy the service
 * is: they are not for the internet. Each is read once for all who ask at the same time.
 */
export function mountProbes(
  app: FastifyInstance,
  context: Pick<Context, 'clock' | 'log' | 'config' | 'database' | 'failedAttempts'>,
  { health, scraped }: { health: Health; scraped: Scraped | undefined },
): void {
  const now = (): number => context.clock.now()
  const readiness = shared(() => health.readiness(false), now, 0)
  const readinessWithDatabase = shared(() => health.readiness(true), now, 0)
  const status = shared(() => health.status(), now, 0)
  app.get('/healthz', async () => ({ status: 'alive' }))
  // A query is its text here (app.ts).
  app.get('/readyz', ({ query }) =>
    new URLSearchParams(query as string).get('database') === 'needed' ? readinessWithDatabase() : readiness(),
  )
  app.get('/status', () => status())
  if (scraped === undefined) return
  const text = shared(() => scrape(context, scraped), now, limit('scrapeKeptMs'))
  const { metricsToken } = context.config
  const { failedAttempts } = context
  app.get('/metrics', async ({ headers, ip }, reply) => {
    if (metricsToken !== undefined && !hasBearer(headers, metricsToken)) {
      failedAttempts.check(ip)
      failedAttempts.note(ip)
      throw new ApiError('metrics_token_wrong')
    }
    return reply.type(scraped.metrics.contentType).send(await text())
  })
}
