import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import { ownSecondFactorsBody, toOwnSecondFactorsBody } from './bodies.js'
import { changeFactors } from './change-factors.js'
import { deletePasskey, listPasskeyRows } from './passkeys.store.js'
import { findFactors, findTotp } from './second-factors.store.js'

/** Remove one of one's own passkeys. */
export const removeOwnPasskey = serverOperation({
  operationId: 'removeOwnPasskey',
  summary: 'Remove one of your passkeys.',
  description:
    'Your other sessions end; this one goes on under a new token, in a new cookie. The recovery codes go with the last factor. Costs one small transaction.',
  method: 'DELETE',
  path: '/me/second-factors/passkeys/{passkeyId}',
  surfaces: ['console'],
  permission: 'self',
  needsConfirmation: true,
  answers: [200, 404],
  params: Joi.object<{ passkeyId: string }, true>({ passkeyId: Joi.string().required() }),
  success: ownSecondFactorsBody,
  async handle({ params: { passkeyId }, principal, headers, caller }, context) {
    const { result: personId, headers: renewed } = await changeFactors(context, {
      principal,
      headers,
      caller,
      operation: 'removeOwnPasskey',
      notice: 'factor-removed',
      async change(tx, id) {
        const name = await deletePasskey(tx, id, passkeyId)
        if (name === undefined) throw new ApiError('passkey_not_found')
        return { result: id, changes: { removed: 'passkey', passkeyId } }
      },
    })
    const { database } = context
    const passkeys = await listPasskeyRows(database, personId)
    const totp = await findTotp(database, personId)
    return ok(toOwnSecondFactorsBody(passkeys, totp, await findFactors(database, personId)), renewed)
  },
})
