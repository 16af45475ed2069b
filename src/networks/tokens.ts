import { loginOf } from '../graph/login.js'
import { type TokenFacts, tokenRefused } from '../graph/tokens.js'
import { BEYOND_PUBLISHING, permissionsFor } from './calls.js'
import type { ChannelTarget } from './target.js'

/** The platform's responses about a channel's token. */
export interface CheckedToken {
  /** The token to store. For an Instagram account it is its page's, because a person's token expires. */
  accessToken: string
  /** The page of an Instagram account with Facebook login. */
  pageId: string | null
  expiresAt: Date | undefined
  /** The permissions that it lacks beyond publishing; undefined if the platform does not list them. */
  missing: string[] | undefined
}

/** A Facebook page that an Instagram account belongs to. */
export interface AccountPage {
  id: string
  /** True if the token used for the question is the page's own. */
  isOwner: boolean
  /** The page's own token, if the platform gave it. */
  accessToken: string | undefined
}

/** Throws access_token_refused if the token lacks a permission that publishing takes. */
export function requirePublishing({ type, platformId }: ChannelTarget, facts: TokenFacts | undefined): void {
  if (facts === undefined) return
  const needed = [...permissionsFor(type, 'facebook', ['publish']).keys()]
  const missing = needed.filter((permission) => !isGranted(facts, permission, platformId))
  if (missing.length === 0) return
  throw tokenRefused(
    `The access token lacks ${missing.join(' and ')} for ${platformId}: grant it and provide a new token.`,
  )
}

/** The platform does not document whether an Instagram permission names the account or its page. */
function isGranted({ scopes, targetIds }: TokenFacts, permission: string, platformId: string): boolean {
  const isForIt = !permission.startsWith('pages_') || (targetIds.get(permission)?.includes(platformId) ?? true)
  return scopes.includes(permission) && isForIt
}

/** Returns the permissions beyond publishing that are known to be missing. */
export const missingOf = (
  { type, access }: ChannelTarget,
  isGranted: (permission: string) => boolean | undefined,
): string[] =>
  [...permissionsFor(type, loginOf(access.accessToken), BEYOND_PUBLISHING).keys()].filter(
    (permission) => isGranted(permission) === false,
  )
