import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import { ownSecondFactorsBody, toOwnSecondFactorsBody } from './bodies.js'
import { changeFactors } from './change-factors.js'
import { listPasskeyRows } from './passkeys.store.js'
import { deleteTotp, findFactors } from './second-factors.store.js'

/** Remove one's own authenticator app. */
export const removeOwnTotp = serverOperation({
  operationId: 'removeOwnTotp',
  summary: 'Remove your authenticator app.',
  description:
    'Your other sessions end; this one goes on under a new token, in a new cookie. The recovery codes go with the last factor. Costs one small transaction.',
  method: 'DELETE',
  path: '/me/second-factors/totp',
  surfaces: ['console'],
  permission: 'self',
  needsConfirmation: true,
  answers: [200, 404],
  success: ownSecondFactorsBody,
  async handle({ principal, headers, caller }, context) {
    const { result: personId, headers: renewed } = await changeFactors(context, {
      principal,
      headers,
      caller,
      operation: 'removeOwnTotp',
      notice: 'factor-removed',
      async change(tx, id) {
        if (!(await deleteTotp(tx, id))) throw new ApiError('totp_not_found')
        return { result: id, changes: { removed: 'totp' } }
      },
    })
    const { database } = context
    const passkeys = await listPasskeyRows(database, personId)
    return ok(toOwnSecondFactorsBody(passkeys, undefined, await findFactors(database, personId)), renewed)
  },
})
