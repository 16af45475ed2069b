import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import type { ServerPrincipal } from '../../http/principal.js'
import { recordServerAudit } from '../audit.store.js'
import { notifyPerson, type PersonNotice } from '../people/notify-person.js'
import { lockPerson } from '../people/people.store.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { continueSession } from '../sessions/session.js'
import { deleteSessions, findSessionById } from '../sessions/sessions.store.js'
import { issueRecoveryCodes } from './proofs.js'
import { findFactors, hasFactor, replaceRecoveryCodes } from './second-factors.store.js'

interface Changing<T> {
  principal: ServerPrincipal
  headers: IncomingHttpHeaders
  caller: { readonly ip: string }
  operation: string
  notice: PersonNotice
  /** The change; gives what the audit entry says of it. */
  change(tx: Queryable, personId: string, now: Date): Promise<{ result: T; changes: Record<string, unknown> }>
}

interface Changed<T> {
  result: T
  /** The recovery codes that come with the first factor: shown once. */
  recoveryCodes: string[] | undefined
  /** Gives the browser the new token of the session. */
  headers: Record<string, string>
}

/**
 * Adds or removes a factor of the person who calls: their other sessions end, and this one goes on under a new
 * token. The first factor brings recovery codes, and the last one takes them with it.
 */
export async function changeFactors<T>(
  { clock, database }: Context,
  { principal, headers, caller, operation, notice, change }: Changing<T>,
): Promise<Changed<T>> {
  const { personId, sessionId } = requireSessionOf(principal)
  const now = new Date(clock.now())
  return await database.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    const session = await findSessionById(tx, sessionId)
    if (!person?.active || session === undefined) throw new ApiError('session_ended')
    const before = hasFactor(await findFactors(tx, personId))
    const { result, changes } = await change(tx, personId, now)
    const after = hasFactor(await findFactors(tx, personId))
    const recoveryCodes = after && !before ? await issueRecoveryCodes(tx, personId) : undefined
    if (!after) await replaceRecoveryCodes(tx, personId, [])
    await recordServerAudit(tx, principal.actor, {
      at: now,
      operation,
      target: { type: 'user', id: personId },
      changes,
    })
    await notifyPerson(tx, { kind: notice, personId, at: now, caller, headers })
    await deleteSessions(tx, personId)
    const begun = await continueSession(tx, personId, {
      method: session.method,
      headers,
      ip: caller.ip,
      now,
      // The factor that was just added has been shown; without any left none has been passed.
      secondFactor: after && (!before || session.second_factor),
      confirmedAt: session.confirmed_at,
      goesOn: session,
    })
    return { result, recoveryCodes, headers: begun.headers }
  })
}
