import type { PlatformLogin } from '../interface/generated/types.js'

/**
 * Returns which of Meta's logins issued a token. Tokens of Instagram login begin with IG, belong to the account itself, and
 * work only on graph.instagram.com; all others work only on graph.facebook.com.
 */
export const loginOf = (accessToken: string): PlatformLogin => (accessToken.startsWith('IG') ? 'instagram' : 'facebook')
