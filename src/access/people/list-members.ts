import Joi from 'joi'
import { okList, operation } from '../../http/operation.js'
import { memberBody, toMemberBody } from './member.js'
import { listMemberRows } from './memberships.store.js'

/** The people of the organization, by name. Idempotent. */
export const listMembers = operation({
  operationId: 'listMembers',
  summary: 'List the people of the organization, by name.',
  description: 'For the names behind the ids in a history, and for who may do what. Costs one read.',
  route: 'GET /members',
  permission: 'people:read',
  answers: [200],
  success: Joi.array().items(memberBody),
  async handle({ principal: { organizationId }, meter }, { database }) {
    return okList(meter, await listMemberRows(database, organizationId), toMemberBody)
  },
})
