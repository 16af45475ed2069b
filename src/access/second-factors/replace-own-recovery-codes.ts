import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { RecoveryCodes } from '../../interface/second-factors.js'
import { recordServerAudit } from '../audit.store.js'
import { lockPerson } from '../people/people.store.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { recoveryCodesSchema } from './bodies.js'
import { issueRecoveryCodes } from './proofs.js'
import { findFactors, hasFactor } from './second-factors.store.js'

/** Make new recovery codes in place of the earlier ones. */
export const replaceOwnRecoveryCodes = serverOperation({
  operationId: 'replaceOwnRecoveryCodes',
  summary: 'Make ten new recovery codes; the earlier ones end.',
  description: 'They are in this answer and in no other. Not idempotent. Costs one small transaction.',
  method: 'POST',
  path: '/me/second-factors/recovery-codes',
  surfaces: ['console'],
  permission: 'self',
  needsConfirmation: true,
  answers: [200, 404],
  success: Joi.object<RecoveryCodes, true>({ recoveryCodes: recoveryCodesSchema.required() }),
  async handle({ principal }, { clock, database }) {
    const { personId } = requireSessionOf(principal)
    const recoveryCodes = await database.transaction(async (tx) => {
      await lockPerson(tx, personId)
      if (!hasFactor(await findFactors(tx, personId))) throw new ApiError('second_factor_not_found')
      await recordServerAudit(tx, principal.actor, {
        at: new Date(clock.now()),
        operation: 'replaceOwnRecoveryCodes',
        target: { type: 'user', id: personId },
      })
      return await issueRecoveryCodes(tx, personId)
    })
    return ok({ recoveryCodes } satisfies RecoveryCodes)
  },
})
