import { ApiError } from '../../errors.js'
import type { RequestHead } from '../../http/surfaces.js'
import { isLoopback } from '../../lib/addresses.js'

/**
 * Throws cross_site for a change that does not come from a page of this server, and https_needed for one of a page
 * that the browser would not keep a session for. Browsers send Sec-Fetch-Site where they keep the cookie, over
 * https and on localhost; without it the Origin decides.
 */
export function checkSameSite({ method, headers }: Pick<RequestHead, 'method' | 'headers'>): void {
  if (method === 'GET' || method === 'HEAD') return
  const site = headers['sec-fetch-site']
  if (site === 'same-origin') return
  const origin = parseOrigin(headers.origin)
  if (site !== undefined || origin === undefined || origin.host !== headers.host?.toLowerCase()) {
    throw new ApiError('cross_site')
  }
  if (origin.protocol !== 'https:' && !isLoopback(origin.hostname)) throw new ApiError('https_needed')
}

const parseOrigin = (text: string | undefined): URL | undefined =>
  text !== undefined && /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : undefined
