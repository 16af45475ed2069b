import { ApiError } from '../../errors.js'
import type { ServerPrincipal } from '../../http/principal.js'

/** The person who calls, and their session. Throws session_missing for another kind of caller. */
export function requireSessionOf({ actor, sessionId }: ServerPrincipal): { personId: string; sessionId: string } {
  if (actor.type !== 'user' || sessionId === undefined) throw new ApiError('session_missing')
  return { personId: actor.id, sessionId }
}
