import Joi from 'joi'
import { ok, serverOperation } from '../http/operation.js'
import { organizationBody, toOrganizationBody } from './organization.js'
import { listOrganizationRows } from './organizations.store.js'

/** List every organization, oldest first. Idempotent. */
export const listOrganizations = serverOperation({
  operationId: 'listOrganizations',
  summary: 'List every organization, oldest first.',
  description: 'For finding the id of an organization. Costs one read of all of them: they come in one answer.',
  method: 'GET',
  path: '/organizations',
  surfaces: ['operator', 'console'],
  permission: 'operator',
  answers: [200],
  success: Joi.array().items(organizationBody),
  async handle({ meter }, { database }) {
    const rows = await listOrganizationRows(database)
    meter.rows = rows.length
    return ok(rows.map(toOrganizationBody))
  },
})
