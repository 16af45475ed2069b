import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../../database/database.js'
import type { ServerPrincipal } from '../../http/principal.js'
import { type BegunSession, continueSession } from './session.js'
import { deleteSessions, findSessionById, type OwnSessionRow } from './sessions.store.js'

/**
 * After a change of a person's rights in one organization. They are read at each request, so that sessions go on
 * with the new ones, here and in other organizations; only that of the caller, if it is the person's own, goes on
 * under a new token: the headers that say so to the browser.
 */
export async function renewOwnSession(
  tx: Queryable,
  personId: string,
  {
    principal: { actor, sessionId },
    headers,
    ip,
    now,
  }: { principal: ServerPrincipal; headers: IncomingHttpHeaders; ip: string; now: Date },
): Promise<Record<string, string> | undefined> {
  if (actor.type !== 'user' || actor.id !== personId || sessionId === undefined) return undefined
  const own = await findSessionById(tx, sessionId)
  if (own === undefined) return undefined
  return (await continueAs(tx, personId, own, { headers, ip, now })).headers
}

/**
 * After a change of a person's rights on the server: every session of the person ends. That of the caller, if it is
 * the person's own, goes on under a new token: the headers that say so to the browser.
 */
export async function renewSessions(
  tx: Queryable,
  { person_id: personId, active }: { person_id: string; active: boolean },
  { principal, headers, ip, now }: { principal: ServerPrincipal; headers: IncomingHttpHeaders; ip: string; now: Date },
): Promise<Record<string, string> | undefined> {
  const { actor, sessionId } = principal
  const isOwn = actor.type === 'user' && actor.id === personId
  const own = isOwn && active && sessionId !== undefined ? await findSessionById(tx, sessionId) : undefined
  await deleteSessions(tx, personId)
  if (own === undefined) return undefined
  return (await continueAs(tx, personId, own, { headers, ip, now })).headers
}

/** Goes on with what the session has shown of its person. */
const continueAs = (
  tx: Queryable,
  personId: string,
  goesOn: OwnSessionRow,
  from: { headers: IncomingHttpHeaders; ip: string; now: Date },
): Promise<BegunSession> => {
  const { method, second_factor: secondFactor, confirmed_at: confirmedAt } = goesOn
  return continueSession(tx, personId, { ...from, method, secondFactor, confirmedAt, goesOn })
}
