import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { type Answer, ok } from '../../http/operation.js'
import type { SecondFactorMethod } from '../../interface/second-factors.js'
import { limit } from '../../lib/limits.js'
import { recordSessionAudit } from '../audit.store.js'
import { lockPerson } from '../people/people.store.js'
import { signedInHeaders } from '../sessions/device.js'
import {
  deleteHalfSession,
  type HalfSessionRow,
  lockHalfSession,
  setHalfSessionFailures,
} from '../sessions/half-sessions.store.js'
import { toMe } from '../sessions/me.js'
import { noteSignIn } from '../sessions/note-sign-in.js'
import type { OwnCall, OwnSession } from '../sessions/own-session.js'
import { continueSession } from '../sessions/session.js'
import type { Prove } from './proofs.js'

const FAILURES_MAX = limit('halfSessionFailures')

interface Passing {
  operation: string
  method: SecondFactorMethod
  /** The proof; it may look at the half session. */
  prove(half: HalfSessionRow): Prove
}

/**
 * Makes a whole session of a half one, under a new token, when the proof holds: answers as GET /me does. Throws the
 * refusal, and ends the half session after too many.
 */
export async function passSecondFactor(
  context: Context,
  { headers, caller: { ip } }: OwnCall,
  { personId, sessionId }: OwnSession,
  { operation, method, prove }: Passing,
): Promise<Answer> {
  const { clock, database } = context
  const now = new Date(clock.now())
  const outcome = await database.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    const half = await lockHalfSession(tx, sessionId)
    if (!person?.active || half === undefined || now >= half.expires_at) throw new ApiError('session_ended')
    const refusal = await prove(half)(tx, personId, now)
    if (refusal !== undefined) {
      const failures = half.failures + 1
      if (failures >= FAILURES_MAX) await deleteHalfSession(tx, sessionId)
      else await setHalfSessionFailures(tx, sessionId, failures)
      return refusal
    }
    await deleteHalfSession(tx, sessionId)
    const begun = await continueSession(tx, personId, {
      method: half.method,
      headers,
      ip,
      now,
      secondFactor: true,
      confirmedAt: now,
      // A link lets its session set a password for as long as a half session lives.
      passwordUntil: half.method === 'link' ? half.expires_at : null,
      goesOn: half,
    })
    await noteSignIn(tx, personId, { headers, ip, now })
    const changes = { secondFactor: method }
    await recordSessionAudit(tx, { personId, sessionId: begun.session.id }, { at: now, operation, changes })
    return begun
  })
  if (outcome instanceof ApiError) throw outcome
  return ok(await toMe(database, outcome.person, outcome.session), signedInHeaders(outcome, headers, context))
}
