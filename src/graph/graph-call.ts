import type { LimitedObject } from './usage.js'

/** The token that a call carries, and the object that a rate limit of the platform then applies to. */
export interface GraphAccess extends LimitedObject {
  accessToken: string
  /** It is not made once the object's quota is used up to a share: the rest is for publishing. */
  yields?: true
}

export interface GraphRequest {
  signal: AbortSignal
  onUpstreamMs(ms: number): void
}

/** One call of the ad platform. */
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
 * Removes access tokens, and shortens the text: the platform quotes one that it finds malformed, and some of its answers
 * hold others.
 */
export function redact(text: string, access: GraphAccess): string {
  return text
    .replaceAll(access.accessToken, '[access token]')
    .replace(/(access_token|appsecret_proof)=[^&\s"'<]+/g, '$1=[…]')
    .replace(/\\?"access_token\\?"\s{0,20}:\s{0,20}\\?"[^"\\]*/g, '"access_token":"[…]')
    .slice(0, QUOTE_CHARS_MAX)
}
