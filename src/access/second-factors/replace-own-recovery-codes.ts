import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok } from '../../http/operation.js'
import type { RecoveryCodes } from '../../interface/generated/types.js'
import { recordAccountAudit } from '../audit.store.js'
import { lockPerson } from '../people/people.store.js'
import { ownOperation } from '../sessions/own-session.js'
import { recoveryCodesSchema } from './bodies.js'
import { issueRecoveryCodes } from './proofs.js'
import { findFactors, hasFactor } from './second-factors.store.js'

/** Make new recovery codes in place of the earlier ones. */
export const replaceOwnRecoveryCodes = ownOperation({
  operationId: 'replaceOwnRecoveryCodes',
  summary: 'Make ten new recovery codes; the earlier ones end.',
  description: 'They are in this answer and in no other. Not idempotent. Costs one small transaction.',
  route: 'POST /me/second-factors/recovery-codes',
  needsConfirmation: true,
  answers: [200, 404],
  success: namedObject('RecoveryCodes', { recoveryCodes: recoveryCodesSchema.required() }),
  async handle({ principal }, { clock, database }, { personId }) {
    const recoveryCodes = await database.transaction(async (tx) => {
      await lockPerson(tx, personId)
      if (!hasFactor(await findFactors(tx, personId))) throw new ApiError('second_factor_not_found')
      const at = new Date(clock.now())
      await recordAccountAudit(tx, principal.actor, personId, { at, operation: 'replaceOwnRecoveryCodes' })
      return await issueRecoveryCodes(tx, personId)
    })
    return ok({ recoveryCodes } satisfies RecoveryCodes)
  },
})
