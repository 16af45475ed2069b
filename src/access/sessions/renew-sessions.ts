import type { Queryable } from '../../database/database.js'
import type { ServerPrincipal } from '../../http/principal.js'
import { endTokens } from '../tokens/end-tokens.js'
import type { SessionRequest } from './note-sign-in.js'
import { renewSession } from './session.js'
import { deleteSessions, findSessionById, type OwnSessionRow } from './sessions.store.js'

interface Renewal extends SessionRequest {
  principal: ServerPrincipal
}

/**
 * After a change of a person's rights in one organization. They are read at each request, so that sessions go on
 * with the new ones, here and in other organizations; only that of the caller, if it is the person's own, goes on
 * under a new token: the headers that say so to the browser.
 */
export async function renewOwnSession(
  tx: Queryable,
  personId: string,
  { principal, ...from }: Renewal,
): Promise<Record<string, string> | undefined> {
  const own = await findOwn(tx, personId, principal)
  return own && (await renewSession(tx, personId, own, from)).headers
}

/** The same after a change of a person's rights on the server: their other sessions and their tokens end. */
export async function renewSessions(
  tx: Queryable,
  { person_id: personId, active }: { person_id: string; active: boolean },
  { principal, ...from }: Renewal,
): Promise<Record<string, string> | undefined> {
  const own = active ? await findOwn(tx, personId, principal) : undefined
  await deleteSessions(tx, personId)
  await endTokens(tx, personId, principal.actor, from.now)
  return own && (await renewSession(tx, personId, own, from)).headers
}

async function findOwn(
  tx: Queryable,
  personId: string,
  { actor, sessionId }: ServerPrincipal,
): Promise<OwnSessionRow | undefined> {
  const isOwn = actor.type === 'user' && actor.id === personId && sessionId !== undefined
  return isOwn ? await findSessionById(tx, sessionId) : undefined
}
