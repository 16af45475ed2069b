import Joi from 'joi'
import { okList, operation } from '../../http/operation.js'
import { invitationBody, toInvitationBody } from './invitation.js'
import { listInvitationRows } from './invitations.store.js'

/** The invitations that can still be used, newest first. Idempotent. */
export const listInvitations = operation({
  operationId: 'listInvitations',
  summary: 'List the invitations that can still be used, newest first.',
  description: 'For seeing who has not come yet. The links are not among it. Costs one read.',
  route: 'GET /invitations',
  permission: 'people:write',
  answers: [200],
  success: Joi.array().items(invitationBody),
  async handle({ principal: { organizationId }, meter }, { clock, database }) {
    return okList(meter, await listInvitationRows(database, organizationId, new Date(clock.now())), toInvitationBody)
  },
})
