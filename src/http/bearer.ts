import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The bearer token of the request, if it carries one. */
export const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

/** Tells if the request carries the bearer token. */
export function hasBearer(headers: IncomingHttpHeaders, token: string): boolean {
  const given = bearerOf(headers) ?? ''
  // Digests have one length, so that the comparison tells nothing, not even the token's length.
  return timingSafeEqual(sha256(given), sha256(token))
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
