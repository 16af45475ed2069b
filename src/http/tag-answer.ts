import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Gives a read of the console an ETag of its bytes, unless it has a better one, and a 304 in place of bytes that the
 * page has already.
 */
export function tagAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  if (reply.statusCode !== 200 || typeof payload !== 'string' || reply.hasHeader('etag')) {
    done(null, payload)
    return
  }
  const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`
  reply.header('etag', etag)
  const isKnown = request.headers['if-none-match'] === etag
  // An idle page is answered so again and again: it has no content whose type a browser could guess.
  if (isKnown) reply.code(304).removeHeader('content-type').removeHeader('x-content-type-options')
  done(null, isKnown ? '' : payload)
}
