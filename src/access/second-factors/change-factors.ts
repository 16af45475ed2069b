import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { recordAccountAudit } from '../audit.store.js'
import { notifyPerson, type PersonNotice } from '../people/notify-person.js'
import { lockPerson } from '../people/people.store.js'
import type { OwnCall, OwnSession } from '../sessions/own-session.js'
import { renewSession } from '../sessions/session.js'
import { deleteSessions, findSessionById } from '../sessions/sessions.store.js'
import { forgetSecondFactor } from '../tokens/personal-tokens.store.js'
import { issueRecoveryCodes } from './proofs.js'
import { findFactors, hasFactor, replaceRecoveryCodes } from './second-factors.store.js'

interface Changing<T> {
  operation: string
  notice: PersonNotice
  /** The change; gives what the audit entry says of it. */
  change(tx: Queryable, now: Date): Promise<{ result: T; changes: Record<string, unknown> }>
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
  { principal, headers, caller }: OwnCall,
  { personId, sessionId }: OwnSession,
  { operation, notice, change }: Changing<T>,
): Promise<Changed<T>> {
  const now = new Date(clock.now())
  return await database.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    const session = await findSessionById(tx, sessionId)
    if (!person?.active || session === undefined) throw new ApiError('session_ended')
    const before = hasFactor(await findFactors(tx, personId))
    const { result, changes } = await change(tx, now)
    const after = hasFactor(await findFactors(tx, personId))
    const recoveryCodes = after && !before ? await issueRecoveryCodes(tx, personId) : undefined
    if (!after) {
      await replaceRecoveryCodes(tx, personId, [])
      await forgetSecondFactor(tx, personId)
    }
    await recordAccountAudit(tx, principal.actor, personId, { at: now, operation, changes })
    await notifyPerson(tx, { kind: notice, personId, at: now, caller, headers })
    await deleteSessions(tx, personId)
    // The factor that was just added has been shown; without any left none has been passed.
    const secondFactor = after && (!before || session.second_factor)
    const begun = await renewSession(tx, personId, session, { headers, ip: caller.ip, now, secondFactor })
    return { result, recoveryCodes, headers: begun.headers }
  })
}
