import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { AddedTotp } from '../../interface/second-factors.js'
import { findTotpStep } from '../../lib/totp.js'
import { codeBody, recoveryCodesSchema } from './bodies.js'
import { changeFactors } from './change-factors.js'
import { plainCode } from './proofs.js'
import { clearFailures, confirmTotp, findTotp, takeTotpStep, totpSecretContext } from './second-factors.store.js'

/** Add the authenticator app that shows this code. */
export const finishOwnTotp = serverOperation({
  operationId: 'finishOwnTotp',
  summary: 'Add the authenticator app that was begun, with a code that it shows.',
  description:
    'The first factor of a person brings ten recovery codes. Your other sessions end; this one goes on under a new token, in a new cookie. Costs one small transaction.',
  method: 'POST',
  path: '/me/second-factors/totp/finish',
  surfaces: ['console'],
  permission: 'self',
  needsConfirmation: true,
  answers: [200, 401, 404],
  body: codeBody,
  success: Joi.object<AddedTotp, true>({ recoveryCodes: recoveryCodesSchema }),
  async handle({ body: { code }, principal, headers, caller }, context) {
    const { recoveryCodes, headers: renewed } = await changeFactors(context, {
      principal,
      headers,
      caller,
      operation: 'finishOwnTotp',
      notice: 'factor-added',
      async change(tx, personId, now) {
        const row = await findTotp(tx, personId)
        if (row === undefined || row.confirmed_at !== null) throw new ApiError('totp_not_found')
        const secret = context.sealer.open(row.secret_sealed, totpSecretContext(personId))
        const step = findTotpStep(secret, plainCode(code), now.getTime())
        // The person has been shown the secret: there is nothing to guess.
        if (step === undefined) throw new ApiError('code_wrong')
        await takeTotpStep(tx, personId, step)
        await confirmTotp(tx, personId, now)
        await clearFailures(tx, personId, 'totp')
        return { result: undefined, changes: { added: 'totp' } }
      },
    })
    return ok((recoveryCodes === undefined ? {} : { recoveryCodes }) satisfies AddedTotp, renewed)
  },
})
