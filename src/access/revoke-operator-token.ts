import { ApiError } from '../errors.js'
import { ok, serverOperation } from '../http/operation.js'
import { recordServerAudit } from './audit.store.js'
import { operatorTokenBody, toOperatorTokenBody } from './operator-token.js'
import { revokeOperatorTokenRow } from './operator-tokens.store.js'

/** Revoke an operator token: no node accepts it from now on. Idempotent: revoked again it keeps its first time. */
export const revokeOperatorToken = serverOperation({
  operationId: 'revokeOperatorToken',
  summary: 'Revoke an operator token: it is refused from now on.',
  description:
    'For a token that leaked or is no longer needed, the caller’s own included: every node refuses it from its next request on, for good. The token of the environment is changed there. Idempotent. Costs one small transaction.',
  route: 'DELETE /server/operator-tokens/{name}',
  permission: 'operator',
  answers: [200, 404],
  success: operatorTokenBody,
  async handle({ params: { name }, principal: { actor } }, { config, database, clock }) {
    const now = new Date(clock.now())
    const row = await database.transaction(async (tx) => {
      const revoked = await revokeOperatorTokenRow(tx, name, now)
      if (revoked === undefined) throw new ApiError('operator_token_not_found')
      if (revoked.revoked_at?.getTime() === now.getTime()) {
        await recordServerAudit(tx, actor, {
          at: now,
          operation: 'revokeOperatorToken',
          target: { type: 'operatorToken', id: name },
        })
      }
      return revoked
    })
    return ok(toOperatorTokenBody(row, config.access.operatorTokenMaxAgeMs))
  },
})
