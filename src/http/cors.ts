import fastifyCors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

/** How long a browser may cache a preflight, in seconds: as long as the most patient browser does. */
const PREFLIGHT_SECONDS = 7_200

/**
 * Lets pages of these origins call the service and read its responses, including the headers of errors and versions. A
 * preflight is answered without a key, because browsers send it without one. Register this before anything that may refuse a
 * request: a page can read a refusal only if it has these headers too.
 */
export async function mountCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(fastifyCors, {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'accept',
      'authorization',
      'content-type',
      'idempotency-key',
      'if-match',
      'if-none-match',
      'x-api-key',
      'x-api-version',
      'x-date',
      'x-signature',
    ],
    exposedHeaders: [
      'date',
      'etag',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-error-code',
      'x-next-cursor',
      'x-request-id',
    ],
    maxAge: PREFLIGHT_SECONDS,
    // An OPTIONS request that is not a preflight would be refused in plain text.
    strictPreflight: false,
  })
  // An operation's own Vary replaces the plug-in's: without this, a cache could give one origin's answer to another's page.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const vary = String(reply.getHeader('vary') ?? '')
    if (!/\borigin\b/i.test(vary)) reply.header('vary', vary === '' ? 'Origin' : `${vary}, Origin`)
    done()
  })
}
