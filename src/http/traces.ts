import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestSpan, SpanAttributes, Tracing } from '../lib/tracing.js'
import { isProbe } from './probes.js'
import { onEnd } from './request-state.js'

/** Traces each request except probes from now on. Returns a function that finds a request's span. */
export function traceRequests(
  app: FastifyInstance,
  tracing: Tracing,
): (request: FastifyRequest) => RequestSpan | undefined {
  const spans = new WeakMap<FastifyRequest, RequestSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    if (isProbe(request)) {
      done()
      return
    }
    const span = tracing.beginRequest(request.headers)
    spans.set(request, span)
    span.run(done)
  })
  onEnd(app, (request, reply) => {
    const { state, routeOptions, method, id } = request
    const attributes = {
      'http.request.method': method,
      // As declared, without the ids in the path.
      ...optional('http.route', routeOptions.url),
      'greenroom.request_id': id,
      ...optional('greenroom.organization', state?.principal?.organizationId),
      ...(reply === undefined
        ? { 'error.type': 'aborted' }
        : {
            'http.response.status_code': reply.statusCode,
            ...optional('error.type', reply.getHeader('x-error-code')),
          }),
    }
    spans.get(request)?.end(state?.operationId ?? 'none', attributes, reply !== undefined && reply.statusCode >= 500)
  })
  return (request) => spans.get(request)
}

const optional = (name: string, value: unknown): SpanAttributes => (typeof value === 'string' ? { [name]: value } : {})
