import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok } from '../../http/operation.js'
import type { AddedTotp, TotpSetup } from '../../interface/generated/types.js'
import { findTotpStep, newTotpSecret, totpUri } from '../../lib/totp.js'
import { recordAccountAudit } from '../audit.store.js'
import { lockPerson } from '../people/people.store.js'
import { ownOperation } from '../sessions/own-session.js'
import { codeBody, recoveryCodesSchema } from './bodies.js'
import { changeFactors } from './change-factors.js'
import { ownSecondFactorsBody, readOwnSecondFactors } from './own-second-factors.js'
import { plainCode } from './proofs.js'
import {
  beginTotp,
  clearFailures,
  confirmTotp,
  deleteTotp,
  findTotp,
  takeTotpStep,
  totpSecretContext,
} from './second-factors.store.js'

/** Begin to add an authenticator app. */
export const beginOwnTotp = ownOperation({
  operationId: 'beginOwnTotp',
  summary: 'Begin to add an authenticator app: gives its secret, which counts after finishOwnTotp.',
  description:
    'Show `uri` as a QR code. What was begun before and not finished ends. Not idempotent. Costs one small transaction.',
  route: 'POST /me/second-factors/totp/begin',
  needsConfirmation: true,
  answers: [200, 409],
  success: namedObject('TotpSetup', {
    secret: Joi.string().required().description('Base32; in this answer and in no other.'),
    uri: Joi.string().required().description('otpauth://…, for a QR code.'),
  }),
  async handle({ principal }, { clock, database, sealer }, { personId }) {
    const secret = newTotpSecret()
    const at = new Date(clock.now())
    const secretSealed = sealer.seal(secret, totpSecretContext(personId))
    const person = await database.transaction(async (tx) => {
      const locked = await lockPerson(tx, personId)
      if (locked === undefined) throw new ApiError('session_ended')
      if (!(await beginTotp(tx, { personId, secretSealed, at }))) {
        throw new ApiError('already_exists', { message: 'You have an authenticator app: remove it first.' })
      }
      await recordAccountAudit(tx, principal.actor, personId, { at, operation: 'beginOwnTotp' })
      return locked
    })
    return ok({ secret, uri: totpUri(secret, { issuer: 'Greenroom', label: person.mail }) } satisfies TotpSetup)
  },
})

/** Add the authenticator app that shows this code. */
export const finishOwnTotp = ownOperation({
  operationId: 'finishOwnTotp',
  summary: 'Add the authenticator app that was begun, with a code that it shows.',
  description:
    'The first factor of a person brings ten recovery codes. Your other sessions end; this one goes on under a new token, in a new cookie. Costs one small transaction.',
  route: 'POST /me/second-factors/totp/finish',
  needsConfirmation: true,
  answers: [200, 401, 404],
  body: codeBody,
  success: namedObject('AddedTotp', { recoveryCodes: recoveryCodesSchema }),
  async handle({ body: { code }, ...call }, context, own) {
    const { recoveryCodes, headers } = await changeFactors(context, call, own, {
      operation: 'finishOwnTotp',
      notice: 'factor-added',
      async change(tx, now) {
        const { personId } = own
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
    return ok({ ...(recoveryCodes && { recoveryCodes }) } satisfies AddedTotp, headers)
  },
})

/** Remove one's own authenticator app. */
export const removeOwnTotp = ownOperation({
  operationId: 'removeOwnTotp',
  summary: 'Remove your authenticator app.',
  description:
    'Your other sessions end; this one goes on under a new token, in a new cookie. The recovery codes go with the last factor. Costs one small transaction.',
  route: 'DELETE /me/second-factors/totp',
  needsConfirmation: true,
  answers: [200, 404],
  success: ownSecondFactorsBody,
  async handle(call, context, own) {
    const { headers } = await changeFactors(context, call, own, {
      operation: 'removeOwnTotp',
      notice: 'factor-removed',
      async change(tx) {
        if (!(await deleteTotp(tx, own.personId))) throw new ApiError('totp_not_found')
        return { result: undefined, changes: { removed: 'totp' } }
      },
    })
    return ok(await readOwnSecondFactors(context.database, own.personId), headers)
  },
})
