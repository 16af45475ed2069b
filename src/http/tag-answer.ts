import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Adds an ETag of its bytes to a page's read, and answers 304 if the page already has them. A post's own ETag names its
 * version, which does not show whether a name in it has changed; only for the holder of a link is that enough.
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
  // An idle page gets this repeatedly: there is no content whose type a browser could guess.
  if (isKnown) reply.code(304).removeHeader('content-type').removeHeader('x-content-type-options')
  done(null, isKnown ? '' : payload)
}
