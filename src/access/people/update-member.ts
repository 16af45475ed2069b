import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { textOfActor } from '../../http/principal.js'
import type { MemberPatch } from '../../interface/people.js'
import { recordMemberAudit } from '../audit.store.js'
import { renewOwnSession } from '../sessions/renew-sessions.js'
import { endLostGrants } from './grants.js'
import { checkLastAdministrator } from './last-administrator.js'
import { memberBody, toMemberBody } from './member.js'
import { findMember, updateMembership } from './memberships.store.js'
import { mayApproveSchema, personParams, roleSchema } from './person.js'

/** Change what a member may do. Sessions go on, with the new rights; the caller's own under a new token. */
export const updateMember = operation({
  operationId: 'updateMember',
  summary: 'Change the role of a member, or whether the person approves posts.',
  description:
    'It holds at once, on every node, in the sessions that the person has. Your own rights change under a new token, in a new cookie. Open invitations that the person may no longer make end, and so do their links to posts. Approval that you give yourself does not count for your own posts for an hour. Idempotent. Costs one small transaction.',
  method: 'PATCH',
  path: '/members/{personId}',
  surfaces: ['operator', 'console'],
  permission: 'people:write',
  answers: [200, 400, 401, 404, 409],
  params: personParams,
  body: Joi.object<MemberPatch, true>({ role: roleSchema, mayApprove: mayApproveSchema }).min(1),
  success: memberBody,
  async handle({ params: { personId }, body, principal, headers, caller: { ip } }, { clock, database }) {
    const { organizationId } = principal
    const now = new Date(clock.now())
    const grant = { by: textOfActor(principal.actor), at: now }
    const { row, cookie } = await database.transaction(async (tx) => {
      if (body.role !== undefined && body.role !== 'ADMIN') await checkLastAdministrator(tx, principal, personId)
      const before = await findMember(tx, organizationId, personId)
      if (!(await updateMembership(tx, organizationId, personId, body, grant))) throw new ApiError('member_not_found')
      const row = (await findMember(tx, organizationId, personId))!
      if (before?.role === row.role && before.may_approve === row.may_approve) return { row, cookie: undefined }
      await recordMemberAudit(tx, principal, personId, { at: now, operation: 'updateMember', changes: { ...body } })
      await endLostGrants(tx, personId, { actor: principal.actor, at: now, organizationId, leaves: false })
      return { row, cookie: await renewOwnSession(tx, personId, { principal, headers, ip, now }) }
    })
    return ok(toMemberBody(row), cookie)
  },
})
