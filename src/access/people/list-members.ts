import Joi from 'joi'
import { ok, operation } from '../../http/operation.js'
import { memberBody, toMemberBody } from './member.js'
import { listMemberRows } from './memberships.store.js'

/** The people of the organization, by name. Idempotent. */
export const listMembers = operation({
  operationId: 'listMembers',
  summary: 'List the people of the organization, by name.',
  description: 'For the names behind the ids in a history, and for who may do what. Costs one read.',
  method: 'GET',
  path: '/members',
  surfaces: ['operator', 'console'],
  permission: 'people:read',
  answers: [200],
  success: Joi.array().items(memberBody),
  async handle({ principal: { organizationId }, meter }, { database }) {
    const rows = await listMemberRows(database, organizationId)
    meter.rows = rows.length
    return ok(rows.map(toMemberBody))
  },
})
