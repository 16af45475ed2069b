import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import type { RemovedMember } from '../../interface/generated/types.js'
import { recordMemberAudit } from '../audit.store.js'
import { renewOwnSession } from '../sessions/renew-sessions.js'
import { endLostGrants, leftBody, readRevokeKeys, revokeKeysQuery } from './grants.js'
import { lockLinkedPosts } from './grants.store.js'
import { checkLastAdministrator } from './last-administrator.js'
import { deleteMembership, lockMember } from './memberships.store.js'
import { lockPeople } from './people.store.js'

/** Take a person out of the organization. The account stays. */
export const removeMember = operation({
  operationId: 'removeMember',
  summary: 'Take a person out of the organization.',
  description:
    'It holds at once, on every node. The account stays, with its sessions, and what the person did keeps its name. Open invitations and links to posts that the person made end, and so does an invitation that is open for them. API keys that they issued go on, unless `revokeKeys` names them: getMemberGrants lists them. Costs one small transaction.',
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
