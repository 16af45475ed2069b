import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Whether the request carries the bearer token. */
export function hasBearer(headers: IncomingHttpHeaders, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  // Digests have one length, so that the comparison tells nothing, not even the token's length.
  return timingSafeEqual(sha256(given), sha256(token))
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
