import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestSpan, SpanAttributes, Tracing } from '../lib/tracing.js'
import { isProbe } from './probes.js'

/** The span of each request but the probes, from here on. Gives what finds it. */
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
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    end(request, statusCode >= 500, {
      'http.response.status_code': statusCode,
      ...optional('error.type', reply.getHeader('x-error-code')),
    })
    done()
  })
  app.addHook('onRequestAbort', (request, done) => {
    end(request, false, { 'error.type': 'aborted' })
    done()
  })
  return (request) => spans.get(request)

  function end(request: FastifyRequest, isFault: boolean, outcome: SpanAttributes): void {
    const { state, routeOptions, method, id } = request
    const { principal } = state ?? {}
    const attributes = {
      'http.request.method': method,
      // As it is declared, without the ids of the path.
      ...optional('http.route', routeOptions.url),
      'greenroom.request_id': id,
      ...optional(
        'greenroom.organization',
        principal && 'organizationId' in principal ? principal.organizationId : undefined,
      ),
      ...outcome,
    }
    spans.get(request)?.end(state?.operationId ?? 'none', attributes, isFault)
  }
}

const optional = (name: string, value: unknown): SpanAttributes => (typeof value === 'string' ? { [name]: value } : {})
