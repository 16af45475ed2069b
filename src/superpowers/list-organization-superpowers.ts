import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ok, operatorOperation } from '../http/operation.js'
import { organizationParams } from '../http/params.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { listSuperpowerRows } from './superpowers.store.js'

/** List an organization's saved superpowers, by name, deactivated ones included. Idempotent. */
export const listOrganizationSuperpowers = operatorOperation({
  operationId: 'listOrganizationSuperpowers',
  summary: "List an organization's saved superpowers, by name, deactivated ones included.",
  method: 'GET',
  path: '/organizations/{organizationId}/superpowers',
  answers: [200, 401, 404, 422],
  params: organizationParams,
  success: Joi.array().items(savedSuperpowerBody),
  async handle({ params, meter }, { database }) {
    await requireOrganization(database, params.organizationId)
    const rows = await listSuperpowerRows(database, params.organizationId, { activeOnly: false })
    meter.rows = rows.length
    return ok(rows.map(toSavedSuperpowerBody))
  },
})
