import type { AccessConfig } from '../../config/access.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { type Answer, ok } from '../../http/operation.js'
import type { Confirmation, ConfirmationMethod } from '../../interface/second-factors.js'
import { recordSessionAudit } from '../audit.store.js'
import { lockPerson, type PersonWithPassword } from '../people/people.store.js'
import type { OwnSession } from '../sessions/own-session.js'
import { confirmSession } from '../sessions/sessions.store.js'
import type { Prove } from './proofs.js'
import { type FactorsRow, hasFactor } from './second-factors.store.js'

interface Confirming {
  operation: string
  method: Exclude<ConfirmationMethod, 'sign-in'>
  prove: Prove
}

/** Notes that the person of the session has proven who they are, when the proof holds. Throws the refusal. */
export async function confirm(
  { clock, database }: Context,
  { personId, sessionId }: OwnSession,
  { operation, method, prove }: Confirming,
): Promise<Answer> {
  const now = new Date(clock.now())
  const refusal = await database.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (!person?.active) throw new ApiError('session_ended')
    const found = await prove(tx, personId, now)
    if (found !== undefined) return found
    if (!(await confirmSession(tx, sessionId, { at: now, secondFactor: method !== 'password' }))) {
      throw new ApiError('session_ended')
    }
    const changes = { confirmedBy: method }
    await recordSessionAudit(tx, { personId, sessionId }, { at: now, operation, changes })
    return undefined
  })
  if (refusal !== undefined) throw refusal
  return ok({ confirmedAt: now.toISOString() } satisfies Confirmation)
}

/** A password is not enough of a person who has more. */
export function confirmationMethods(
  factors: FactorsRow,
  { password_hash: passwordHash }: Pick<PersonWithPassword, 'password_hash'>,
  { passwords }: Pick<AccessConfig, 'passwords'>,
): ConfirmationMethod[] {
  if (hasFactor(factors)) {
    return [...(factors.passkeys > 0 ? (['passkey'] as const) : []), ...(factors.totp ? (['totp'] as const) : [])]
  }
  return passwords && passwordHash !== null ? ['password'] : ['sign-in']
}
