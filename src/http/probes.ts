import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Health } from '../observability/health.js'
import { type Scraped, scrape } from '../observability/metrics.js'
import type { Context } from './context.js'

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
 * Without a key: `/healthz`, the process answers; `/readyz`, so does its database, with every migration applied, and the
 * publisher, where it runs here, has looked for due posts in the last minute: cheap, for probes; `/status`, the same with
 * figures, for people; `/metrics`, for Prometheus. The last two tell how busy the service is: they are not for the internet.
 */
export function mountProbes(
  app: FastifyInstance,
  context: Pick<Context, 'clock' | 'log' | 'database'>,
  { health, scraped }: { health: Health; scraped: Scraped },
): void {
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', () => health.readiness())
  app.get('/status', () => health.status())
  app.get('/metrics', async (_request, reply) =>
    reply.type(scraped.metrics.contentType).send(await scrape(context, scraped)),
  )
}
