import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { HttpConfig } from '../../config/http.js'
import { ApiError } from '../../errors.js'
import { isLoopback } from '../../lib/addresses.js'

/** The server as browsers identify it: passkeys are bound to the id, signatures to the origin. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * Derives the relying party from PUBLIC_URL, or else from the address that the browser called. Throws https_needed
 * for an address for which browsers do not create passkeys.
 */
export function requireRelyingParty(
  { publicUrl }: Pick<HttpConfig, 'publicUrl'>,
  headers: IncomingHttpHeaders,
): RelyingParty {
  const { origin, protocol, hostname } = publicUrl === undefined ? calledAddress(headers) : new URL(publicUrl)
  if (protocol !== 'https:' && !isLoopback(hostname)) throw new ApiError('https_needed')
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) {
    throw new ApiError('https_needed', {
      message: 'Passkeys need a host name, not an IP address: open the server by its name, or at http://localhost.',
    })
  }
  return { id: hostname, origin }
}

/** The same-site check has already compared the Origin, if there is one, with the Host. */
function calledAddress({ host = '', origin }: IncomingHttpHeaders): URL {
  const given = origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined
  if (given !== undefined && given.host === host.toLowerCase()) return given
  const plain = `http://${host}`
  if (!URL.canParse(plain)) throw new ApiError('https_needed')
  const called = new URL(plain)
  return isLoopback(called.hostname) ? called : new URL(`https://${host}`)
}
