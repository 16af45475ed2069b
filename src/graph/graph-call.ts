import type { LimitedObject } from './usage.js'

/** The token of a call, and the object that the platform's rate limits then apply to. */
export interface GraphAccess extends LimitedObject {
  accessToken: string
  /** The call is not made once a share of the object's quota is used: the rest is kept for publishing. */
  yields?: true
}

export interface GraphRequest {
  signal: AbortSignal
  onUpstreamMs(ms: number): void
}

/** A call to the ad platform. */
export interface GraphCall {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  /** JSON. */
  body?: string
  access: GraphAccess
  request: GraphRequest | undefined
}

const QUOTE_CHARS_MAX = 500

/**
 * Removes access tokens and shortens the text: the platform quotes tokens that it finds malformed, and some of its responses
 * contain others.
 */
export function redact(text: string, access: GraphAccess): string {
  return text
    .replaceAll(access.accessToken, '[access token]')
    .replace(/(access_token|appsecret_proof)=[^&\s"'<]+/g, '$1=[…]')
    .replace(/\\?"access_token\\?"\s{0,20}:\s{0,20}\\?"[^"\\]*/g, '"access_token":"[…]')
    .slice(0, QUOTE_CHARS_MAX)
}
