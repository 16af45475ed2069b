import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../../database/database.js'
import type { ServerPrincipal } from '../../http/principal.js'
import { continueSession } from './session.js'
import { deleteSessions, findSessionById } from './sessions.store.js'

/**
 * After a change of a person's rights: every session of the person ends. That of the caller, if it is the person's own, goes
 * on under a new token: the headers that say so to the browser.
 */
export async function renewSessions(
  tx: Queryable,
  { person_id: personId, active }: { person_id: string; active: boolean },
  { principal, headers, now }: { principal: ServerPrincipal; headers: IncomingHttpHeaders; now: Date },
): Promise<Record<string, string> | undefined> {
  const { actor, sessionId } = principal
  const isOwn = actor.type === 'user' && actor.id === personId
  const own = isOwn && active && sessionId !== undefined ? await findSessionById(tx, sessionId) : undefined
  await deleteSessions(tx, personId)
  if (own === undefined) return undefined
  return (
    await continueSession(tx, personId, {
      method: own.method,
      headers,
      now,
      secondFactor: own.second_factor,
      confirmedAt: own.confirmed_at,
    })
  ).headers
}
