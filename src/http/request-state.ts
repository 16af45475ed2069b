import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Ready } from '../lib/ready.js'
import type { Meter } from '../observability/meter.js'
import type { Principal, ServerPrincipal } from './principal.js'
import type { Caller, Surface } from './surfaces.js'

/** A running request, from which the log line at its end is made. */
export interface RequestState {
  operationId: string
  surface: Surface
  /** Undefined until the caller is known. */
  caller: Caller | undefined
  /** The caller in the organization concerned; undefined until it is known. */
  principal: Principal | ServerPrincipal | undefined
  /** If the signature covers the body, checks it before the body is parsed. */
  authenticateBody: ((body: Buffer) => Ready<void>) | undefined
  /** The most bytes its JSON body may have; undefined for the general limit. */
  bodyBytesMax: number | undefined
  meter: Meter
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for a request that belongs to no operation. */
    state: RequestState | undefined
  }
}

/** Calls `note` at the end of each request, with the reply, or without one if the caller left before it. */
export function onEnd(app: FastifyInstance, note: (request: FastifyRequest, reply?: FastifyReply) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    note(request, reply)
    done()
  })
  app.addHook('onRequestAbort', (request, done) => {
    note(request)
    done()
  })
}
