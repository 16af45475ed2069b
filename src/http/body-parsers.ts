import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { RequestSpan } from '../lib/tracing.js'
import { allowLongBody } from './connections.js'
import { settle } from './fast-path/settle.js'
import { type HeldBodies, type Holder, strangerAt } from './held-bodies.js'
import { MEDIA_TYPE, STREAMED_TYPES } from './mount.js'
import { textOfActor } from './principal.js'
import { readBody } from './read-body.js'

export type SpanOf = (request: FastifyRequest) => RequestSpan | undefined

type Parsed = (error: Error | null, body?: unknown) => void

/**
 * Parses JSON, whose bytes must be UTF-8, and passes files and the two forms of an import on as streams. Other content types
 * are refused.
 */
export function addBodyParsers(app: FastifyInstance, held: HeldBodies, spanOf?: SpanOf): void {
  app.removeAllContentTypeParsers()
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', (request, payload: IncomingMessage, done) => {
    const take = (error: Error | null, bytes?: Buffer): void => {
      if (error) done(error)
      else parseBody(request, bytes!, done)
    }
    // The parts of a body arrive outside the span.
    const span = spanOf?.(request)
    const taken =
      span === undefined ? take : (error: Error | null, bytes?: Buffer) => span.run(() => take(error, bytes))
    readBody(payload, taken, { bytesMax: request.state?.bodyBytesMax, held, holder: holderOf(request) })
  })
  for (const type of [STREAMED_TYPES, MEDIA_TYPE]) {
    app.addContentTypeParser(type, (request: FastifyRequest, payload: IncomingMessage, done: Parsed) => {
      allowLongBody(request.raw)
      done(null, payload as Readable)
    })
  }

  function parseBody(request: FastifyRequest, bytes: Buffer, done: Parsed): void {
    settle(
      () => request.state?.authenticateBody?.(bytes),
      (refusal) => {
        if (refusal) return done(refusal)
        // Many clients name the content type of a body that they do not send; the operation knows whether there must be one.
        if (bytes.length === 0) return done(null, undefined)
        let text: string
        try {
          text = utf8.decode(bytes)
        } catch (error) {
          return done(new ApiError('body_malformed', { message: 'The body is not valid UTF-8.', cause: error }))
        }
        parseJson(request, text, (error, value) => {
          if (error) done(new ApiError('body_malformed', { cause: error }))
          else done(null, value)
        })
      },
    )
  }
}

/** Returns the holder whose memory a JSON body uses: the caller if the head identifies one, otherwise the address. */
function holderOf({ state, ip }: FastifyRequest): Holder {
  const actor = state?.principal?.actor
  return actor === undefined || actor.type === 'visitor' ? strangerAt(ip) : { group: 'callers', id: textOfActor(actor) }
}
