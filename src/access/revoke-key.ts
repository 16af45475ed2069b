import Joi from 'joi'
import { ApiError } from '../errors.js'
import { ok, operatorOperation } from '../http/operation.js'
import type { OrganizationParams } from '../http/params.js'
import { keyBody, toKeyBody } from './key.js'
import { revokeKeyRow } from './keys.store.js'
import { requireOrganization } from './organizations.store.js'

/** Revoke a key: no node accepts it from now on. Idempotent: revoked again it keeps its first time. */
export const revokeKey = operatorOperation({
  operationId: 'revokeKey',
  summary: 'Revoke a key: it is refused from now on.',
  method: 'DELETE',
  path: '/organizations/{organizationId}/keys/{keyId}',
  answers: [200, 401, 404, 422],
  params: Joi.object<OrganizationParams & { keyId: string }, true>({
    organizationId: Joi.string().required(),
    keyId: Joi.string().required(),
  }),
  success: keyBody,
  async handle({ params: { organizationId, keyId } }, { database, clock }) {
    await requireOrganization(database, organizationId)
    const row = await revokeKeyRow(database, organizationId, keyId, new Date(clock.now()))
    if (row === undefined) throw new ApiError('key_not_found')
    return ok(toKeyBody(row))
  },
})
