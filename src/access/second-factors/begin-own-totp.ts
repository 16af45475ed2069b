import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { TotpSetup } from '../../interface/second-factors.js'
import { newTotpSecret, totpUri } from '../../lib/totp.js'
import { recordServerAudit } from '../audit.store.js'
import { lockPerson } from '../people/people.store.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { beginTotp, totpSecretContext } from './second-factors.store.js'

/** Begin to add an authenticator app. */
export const beginOwnTotp = serverOperation({
  operationId: 'beginOwnTotp',
  summary: 'Begin to add an authenticator app: gives its secret, which counts after finishOwnTotp.',
  description:
    'Show `uri` as a QR code. What was begun before and not finished ends. Not idempotent. Costs one small transaction.',
  method: 'POST',
  path: '/me/second-factors/totp/begin',
  surfaces: ['console'],
  permission: 'self',
  needsConfirmation: true,
  answers: [200, 409],
  success: Joi.object<TotpSetup, true>({
    secret: Joi.string().required().description('Base32; in this answer and in no other.'),
    uri: Joi.string().required().description('otpauth://…, for a QR code.'),
  }),
  async handle({ principal }, { clock, database, sealer }) {
    const { personId } = requireSessionOf(principal)
    const secret = newTotpSecret()
    const at = new Date(clock.now())
    const secretSealed = sealer.seal(secret, totpSecretContext(personId))
    const person = await database.transaction(async (tx) => {
      const locked = await lockPerson(tx, personId)
      if (locked === undefined) throw new ApiError('session_ended')
      if (!(await beginTotp(tx, { personId, secretSealed, at }))) {
        throw new ApiError('already_exists', { message: 'You have an authenticator app: remove it first.' })
      }
      await recordServerAudit(tx, principal.actor, {
        at,
        operation: 'beginOwnTotp',
        target: { type: 'user', id: personId },
      })
      return locked
    })
    return ok({ secret, uri: totpUri(secret, { issuer: 'Greenroom', label: person.mail }) } satisfies TotpSetup)
  },
})
