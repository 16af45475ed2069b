import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { recordAudit } from '../audit.store.js'
import { renewSessions } from '../sessions/renew-sessions.js'
import { deleteMembership, findMember } from './memberships.store.js'
import { personParams } from './person.js'

/** Take a person out of the organization. The account stays. */
export const removeMember = operation({
  operationId: 'removeMember',
  summary: 'Take a person out of the organization.',
  description:
    "It holds at once, on every node. The account stays, and what the person did keeps its name. The person's sessions end. Costs one small transaction.",
  method: 'DELETE',
  path: '/members/{personId}',
  surfaces: ['operator', 'console'],
  permission: 'people:write',
  answers: [200, 401, 404],
  params: personParams,
  success: Joi.object({ id: Joi.string().required() }),
  async handle({ params: { personId }, principal, headers, caller: { ip } }, { clock, database }) {
    const now = new Date(clock.now())
    const cookie = await database.transaction(async (tx) => {
      const row = await findMember(tx, principal.organizationId, personId)
      if (row === undefined || !(await deleteMembership(tx, principal.organizationId, personId))) {
        throw new ApiError('member_not_found')
      }
      await recordAudit(tx, {
        principal,
        at: now,
        operation: 'removeMember',
        target: { type: 'user', id: personId },
      })
      return await renewSessions(tx, row, { principal, headers, ip, now })
    })
    return ok({ id: personId }, cookie)
  },
})
