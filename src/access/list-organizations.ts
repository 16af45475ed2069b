import Joi from 'joi'
import { ok, operatorOperation } from '../http/operation.js'
import { organizationBody, toOrganizationBody } from './organization.js'
import { listOrganizationRows } from './organizations.store.js'

/** List every organization, oldest first. Idempotent. */
export const listOrganizations = operatorOperation({
  operationId: 'listOrganizations',
  summary: 'List every organization, oldest first.',
  method: 'GET',
  path: '/organizations',
  answers: [200, 401, 422],
  success: Joi.array().items(organizationBody),
  async handle({ meter }, { database }) {
    const rows = await listOrganizationRows(database)
    meter.rows = rows.length
    return ok(rows.map(toOrganizationBody))
  },
})
