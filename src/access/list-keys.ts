import Joi from 'joi'
import { ok, operatorOperation } from '../http/operation.js'
import { organizationParams } from '../http/params.js'
import { keyBody, toKeyBody } from './key.js'
import { listKeyRows } from './keys.store.js'
import { requireOrganization } from './organizations.store.js'

/** List an organization's keys, oldest first, revoked ones included, without their secrets. Idempotent. */
export const listKeys = operatorOperation({
  operationId: 'listKeys',
  summary: "List an organization's keys, oldest first, revoked ones included.",
  method: 'GET',
  path: '/organizations/{organizationId}/keys',
  answers: [200, 401, 404, 422],
  params: organizationParams,
  success: Joi.array().items(keyBody),
  async handle({ params, meter }, { database }) {
    await requireOrganization(database, params.organizationId)
    const rows = await listKeyRows(database, params.organizationId)
    meter.rows = rows.length
    return ok(rows.map(toKeyBody))
  },
})
