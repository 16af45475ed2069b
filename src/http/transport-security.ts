import type { IncomingMessage } from 'node:http'
import type { HttpConfig } from '../config/http.js'
import { createAddressList } from '../lib/addresses.js'

/** Only for this host: other hosts of the domain are not this service's to decide about. */
const A_YEAR = 'max-age=31536000'

/**
 * Returns the Strict-Transport-Security of a response; undefined if the client came over plain http. A proxy of TRUST_PROXY
 * says how it came; otherwise the scheme of PUBLIC_URL decides.
 */
export function createTransportSecurity({
  publicUrl,
  trustProxy,
}: Pick<HttpConfig, 'publicUrl' | 'trustProxy'>): (request: IncomingMessage) => string | undefined {
  const isPublicSecure = publicUrl !== undefined && new URL(publicUrl).protocol === 'https:'
  const isProxy = createAddressList(trustProxy)
  return ({ headers, socket }) => {
    const forwardedProto = headers['x-forwarded-proto']
    if (typeof forwardedProto !== 'string' || !isProxy(socket.remoteAddress)) return isPublicSecure ? A_YEAR : undefined
    // The client may have written everything before the last comma.
    return forwardedProto
      .slice(forwardedProto.lastIndexOf(',') + 1)
      .trim()
      .toLowerCase() === 'https'
      ? A_YEAR
      : undefined
  }
}
