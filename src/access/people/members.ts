import { isDeepStrictEqual } from 'node:util'
import Joi from 'joi'
import { recordMemberAudit } from '../../audit/audit.store.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { ok, okList, operation } from '../../http/operation.js'
import { textOfActor } from '../../http/principal.js'
import type { Member, MemberPatch, RemovedMember } from '../../interface/generated/types.js'
import { renewOwnSession } from '../sessions/session.js'
import { changeChannelRoles, channelRolesSchema, newChannelRolesSchema } from './channel-roles.js'
import { endLostGrants, leftBody, readRevokeKeys, revokeKeysQuery } from './grants.js'
import { lockLinkedPosts } from './grants.store.js'
import {
  checkLastAdministrator,
  deleteMembership,
  findMember,
  listMemberRows,
  lockMember,
  type MemberRow,
  updateMembership,
} from './memberships.store.js'
import { lockPeople } from './people.store.js'
import { mayApproveSchema, roleName, roleSchema } from './person.js'

const memberBody = namedObject('Member', {
  id: Joi.string().required(),
  name: Joi.string().required(),
  mail: Joi.string().required(),
  active: Joi.boolean().required(),
  mailProven: Joi.boolean().required().description("Whether the address has been proven to be the person's."),
  role: roleName.required(),
  mayApprove: Joi.boolean().required(),
  channels: channelRolesSchema
    .required()
    .description('The channels where the person has a different role. Empty for an ADMIN.'),
  secondFactor: Joi.boolean().required().description('Whether the person has a passkey or an authenticator app.'),
  createdAt: Joi.string().isoDate().required().description('When the person became a member.'),
})

const toMemberBody = (row: MemberRow): Member => ({
  id: row.person_id,
  name: row.name,
  mail: row.mail,
  active: row.active,
  mailProven: row.mail_proven_at !== null,
  role: row.role,
  mayApprove: row.may_approve,
  channels: row.channels ?? [],
  secondFactor: row.second_factor,
  createdAt: row.created_at.toISOString(),
})

export const listMembers = operation({
  operationId: 'listMembers',
  summary: 'List the people of the organization, by name.',
  description:
    'Use this to show names for the ids in histories, and to review permissions. Idempotent. Costs one read.',
  route: 'GET /members',
  permission: 'people:read',
  success: Joi.array().items(memberBody),
  async handle({ principal: { organizationId }, meter }, { database }) {
    return okList(meter, await listMemberRows(database, organizationId), toMemberBody)
  },
})

export const updateMember = operation({
  operationId: 'updateMember',
  summary: 'Change the role of a member, the right to approve posts, or the roles in individual channels.',
  description:
    "The change applies at once, on every node, to the person's sessions. If you change your own rights, your session gets a new token in a new cookie. Open invitations and review links that the person may no longer make end. If you grant yourself the right to approve, it does not apply to your own posts for an hour. `channels` sets different rights in individual channels for what belongs to them: writing and approving posts, slots, and VIP marks. An ADMIN has no roles by channel; a member who becomes one loses them. Idempotent. Costs one small transaction.",
  route: 'PATCH /members/{personId}',
  permission: 'people:write',
  answers: [200, 400, 401, 404, 409],
  body: named(
    'MemberPatch',
    Joi.object({
      role: roleSchema,
      mayApprove: mayApproveSchema,
      channels: newChannelRolesSchema.description(
        "Roles in individual channels. Replaces all of the member's roles by channel; an empty array removes them.",
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

/**
 * Returns the changes for the audit trail; undefined if nothing has changed. Includes the roles by channel that a new
 * administrator loses.
 */
function changesOf(patch: MemberPatch, before: Member, after: Member): MemberPatch | undefined {
  const isSame = <Field extends 'role' | 'mayApprove' | 'channels'>(field: Field): boolean =>
    isDeepStrictEqual(before[field], after[field])
  if (isSame('role') && isSame('mayApprove') && isSame('channels')) return undefined
  return { ...patch, ...((patch.channels !== undefined || !isSame('channels')) && { channels: after.channels }) }
}

export const removeMember = operation({
  operationId: 'removeMember',
  summary: 'Remove a person from the organization.',
  description:
    "The removal applies at once, on every node. The account and its sessions stay, and histories keep the person's name. Open invitations and review links that the person made end, and so does an open invitation for them. API keys that they issued keep working unless `revokeKeys` names them: getMemberGrants lists them. Costs one small transaction.",
  route: 'DELETE /members/{personId}',
  permission: 'people:write',
  answers: [200, 401, 404, 409],
  query: revokeKeysQuery,
  success: leftBody,
  async handle({ params: { personId }, query, principal, headers, caller: { ip } }, { clock, database }) {
    const now = new Date(clock.now())
    const { ended, cookie } = await database.transaction(async (tx) => {
      const { organizationId } = principal
      await lockPeople(tx, { ids: [personId] })
      await checkLastAdministrator(tx, principal, personId)
      if ((await lockMember(tx, organizationId, personId)) === undefined) throw new ApiError('member_not_found')
      await lockLinkedPosts(tx, { personId, organizationId }, now)
      await deleteMembership(tx, organizationId, personId)
      await recordMemberAudit(tx, principal, personId, { at: now, operation: 'removeMember' })
      const ended = await endLostGrants(tx, personId, {
        actor: principal.actor,
        at: now,
        organizationId,
        leaves: true,
        revokeKeys: readRevokeKeys(query),
      })
      return { ended, cookie: await renewOwnSession(tx, personId, { principal, headers, ip, now }) }
    })
    return ok({ id: personId, ended } satisfies RemovedMember, cookie)
  },
})
