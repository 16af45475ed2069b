import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Gives a read of a page an ETag of its bytes, and a 304 in place of bytes that the page has already. That of a post names
 * its version, which does not tell whether a name beside it has changed: only the holder of a link is content with it.
 */
export function tagAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const own = reply.getHeader('etag')
  const isKept = own === undefined || request.state?.surface.name === 'review'
  if (reply.statusCode !== 200 || typeof payload !== 'string' || !isKept) {
    done(null, payload)
    return
  }
  const etag = own ?? `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`
  reply.header('etag', etag)
  const isKnown = request.headers['if-none-match'] === etag
  // An idle page is answered so again and again: it has no content whose type a browser could guess.
  if (isKnown) reply.code(304).removeHeader('content-type').removeHeader('x-content-type-options')
  done(null, isKnown ? '' : payload)
}
