import { ApiError } from '../errors.js'
import { ok, operation } from '../http/operation.js'
import { recordAudit } from './audit.store.js'
import { keyBody, toKeyBody } from './key.js'
import { revokeKeyRow } from './keys.store.js'

/** Revoke a key: no node accepts it from now on. Idempotent: revoked again it keeps its first time. */
export const revokeKey = operation({
  operationId: 'revokeKey',
  summary: 'Revoke a key: it is refused from now on.',
  description:
    'For a key that leaked or is no longer needed: every node refuses it from its next request on, for good. Idempotent. Costs one small transaction.',
  route: 'DELETE /keys/{keyId}',
  permission: 'settings:write',
  answers: [200, 404],
  success: keyBody,
  async handle({ params: { keyId }, principal }, { config, database, clock }) {
    const now = new Date(clock.now())
    const row = await database.transaction(async (tx) => {
      const revoked = await revokeKeyRow(tx, principal.organizationId, keyId, now)
      if (revoked === undefined) throw new ApiError('key_not_found')
      if (revoked.revoked_at?.getTime() === now.getTime()) {
        await recordAudit(tx, { principal, at: now, operation: 'revokeKey', target: { type: 'key', id: keyId } })
      }
      return revoked
    })
    return ok(toKeyBody(row, config.access.keyMaxAgeMs))
  },
})
