import type { PlatformLogin } from '../interface/generated/types.js'

/**
 * Returns which of Meta's logins granted a token. Tokens of Instagram login begin with IG, belong to the account itself, and
 * work on graph.instagram.com only; all others work on graph.facebook.com only.
 */
export const loginOf = (accessToken: string): PlatformLogin => (accessToken.startsWith('IG') ? 'instagram' : 'facebook')
