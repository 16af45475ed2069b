import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { EndedGrants, RemovedMember } from '../../interface/generated/types.js'
import { recordAccountAudit, recordMemberAudit } from '../audit.store.js'
import { type Ending, endLostGrants, leftBody, readRevokeKeys, revokeKeysQuery } from './grants.js'
import { checkLastAdministrator } from './last-administrator.js'
import { listOrganizationsOf } from './memberships.store.js'
import {
  deletePersonRow,
  listIdsOfPerson,
  lockForRemoval,
  lockOwners,
  lockPeople,
  updatePersonRow,
} from './people.store.js'

/** Delete a person's account. The trail and the histories keep its id (decision 70). */
export const deletePerson = serverOperation({
  operationId: 'deletePerson',
  summary: 'Delete the account of a person, for good.',
  description:
    "What is the person's alone goes at once, on every node: name, mail address, password, second factors, links to the identity provider, sessions, memberships, inboxes, preferences and calendar addresses. Open invitations, links and operator tokens that the person made end, as by a deactivation; API keys that they issued go on, unless `revokeKeys` names them: getPersonGrants lists them. The audit trail, histories and discussions stay, and name the id without a name. The last active owner stays, and for an owner who calls so does the last administrator of an organization. The mail address can be invited again, and gets another account. A repeat answers 404. Costs one small transaction.",
  route: 'DELETE /server/people/{personId}',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 404, 409],
  query: revokeKeysQuery,
  success: leftBody,
  async handle({ params: { personId }, query, principal }, { clock, database }) {
    const { actor, address } = principal
    const at = new Date(clock.now())
    const revokeKeys = readRevokeKeys(query)
    const ended = await database.transaction(async (tx) => {
      await lockPeople(tx, { ids: [personId], owners: true })
      const owners = await lockOwners(tx)
      if ((await lockForRemoval(tx, personId)) === undefined) throw new ApiError('account_not_found')
      if (owners.length === 1 && owners[0] === personId) throw new ApiError('last_owner')
      for (const organizationId of await listOrganizationsOf(tx, personId)) {
        await checkLastAdministrator(tx, { organizationId, actor }, personId)
        await recordMemberAudit(tx, { organizationId, actor, address }, personId, { at, operation: 'removeMember' })
      }
      await updatePersonRow(tx, personId, { owner: false, active: false })
      const ended = await endGrants(tx, personId, { actor, at, organizationId: null, leaves: true, revokeKeys })
      await deletePersonRow(tx, personId)
      await recordAccountAudit(tx, actor, personId, { at, operation: 'deletePerson' })
      return ended
    })
    return ok({ id: personId, ended } satisfies RemovedMember)
  },
})

/** Ends what the person made, also by the accounts whose place this one took. */
async function endGrants(tx: Queryable, personId: string, ending: Ending): Promise<EndedGrants> {
  const ended = await endLostGrants(tx, personId, ending)
  const others = (await listIdsOfPerson(tx, personId)).filter((id) => id !== personId)
  for (const other of others) {
    // Keys are named from the list of the account itself.
    const more = await endLostGrants(tx, other, { ...ending, revokeKeys: ending.revokeKeys === 'all' ? 'all' : [] })
    ended.invitations += more.invitations
    ended.reviewLinks += more.reviewLinks
    ended.signInLinks += more.signInLinks
    ended.operatorTokens.push(...more.operatorTokens)
    ended.keys.push(...more.keys)
  }
  return ended
}
