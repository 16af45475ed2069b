import { isDeepStrictEqual } from 'node:util'
import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { named } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { textOfActor } from '../../http/principal.js'
import type { Member, MemberPatch } from '../../interface/generated/types.js'
import { recordMemberAudit } from '../audit.store.js'
import { renewOwnSession } from '../sessions/renew-sessions.js'
import { changeChannelRoles, newChannelRolesSchema } from './channel-roles.js'
import { endLostGrants } from './grants.js'
import { checkLastAdministrator } from './last-administrator.js'
import { memberBody, toMemberBody } from './member.js'
import { findMember, lockMember, updateMembership } from './memberships.store.js'
import { lockPeople } from './people.store.js'
import { mayApproveSchema, roleSchema } from './person.js'

/** Change what a member may do. Sessions go on, with the new rights; the caller's own under a new token. */
export const updateMember = operation({
  operationId: 'updateMember',
  summary: 'Change the role of a member, whether the person approves posts, or their roles in some channels.',
  description:
    'It holds at once, on every node, in the sessions that the person has. Your own rights change under a new token, in a new cookie. Open invitations that the person may no longer make end, and so do their links to posts. Approval that you give yourself does not count for your own posts for an hour. `channels` confines to some channels what belongs to channels: writing and approving posts, slots, and VIP marks. An ADMIN has no roles by channel: who becomes one loses them. Idempotent. Costs one small transaction.',
  route: 'PATCH /members/{personId}',
  permission: 'people:write',
  answers: [200, 400, 401, 404, 409],
  body: named(
    'MemberPatch',
    Joi.object({
      role: roleSchema,
      mayApprove: mayApproveSchema,
      channels: newChannelRolesSchema.description(
        'The channels in which another role holds, in place of all that the member has; an empty array ends them.',
      ),
    }).min(1),
  ),
  success: memberBody,
  async handle({ params: { personId }, body, principal, headers, caller: { ip } }, { clock, database }) {
    const { organizationId } = principal
    const now = new Date(clock.now())
    const grant = { by: textOfActor(principal.actor), at: now }
    const { row, cookie } = await database.transaction(async (tx) => {
      await lockPeople(tx, { ids: [personId] })
      if (body.role !== undefined && body.role !== 'ADMIN') await checkLastAdministrator(tx, principal, personId)
      const before = await lockMember(tx, organizationId, personId)
      if (before === undefined) throw new ApiError('member_not_found')
      const { role = before.role, mayApprove = before.may_approve, channels } = body
      await changeChannelRoles(tx, organizationId, before, { role, mayApprove, channels }, grant)
      await updateMembership(tx, organizationId, personId, body, grant)
      const row = (await findMember(tx, organizationId, personId))!
      const changes = changesOf(body, toMemberBody(before), toMemberBody(row))
      if (changes === undefined) return { row, cookie: undefined }
      await recordMemberAudit(tx, principal, personId, { at: now, operation: 'updateMember', changes: { ...changes } })
      await endLostGrants(tx, personId, { actor: principal.actor, at: now, organizationId, leaves: false })
      return { row, cookie: await renewOwnSession(tx, personId, { principal, headers, ip, now }) }
    })
    return ok(toMemberBody(row), cookie)
  },
})

/** Gives the changes for the trail; undefined where nothing has changed. An administrator loses the roles by channel. */
function changesOf(patch: MemberPatch, before: Member, after: Member): MemberPatch | undefined {
  const isSame = <Field extends 'role' | 'mayApprove' | 'channels'>(field: Field): boolean =>
    isDeepStrictEqual(before[field], after[field])
  if (isSame('role') && isSame('mayApprove') && isSame('channels')) return undefined
  return { ...patch, ...((patch.channels !== undefined || !isSame('channels')) && { channels: after.channels }) }
}
