import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Returns the bearer token of the request, if it has one. */
export const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

/** Returns whether the request carries this bearer token. */
export function hasBearer(headers: IncomingHttpHeaders, token: string): boolean {
  const given = bearerOf(headers) ?? ''
  // Digests all have the same length, so the comparison reveals nothing, not even the token's length.
  return timingSafeEqual(sha256(given), sha256(token))
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
