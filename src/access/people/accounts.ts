import Joi from 'joi'
import { recordAccountAudit, recordMemberAudit, recordServerAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { created, ok, okList, operation, serverOperation } from '../../http/operation.js'
import type {
  EndedGrants,
  EntryLink,
  ListedPerson,
  RemovedMember,
  SecondFactorReset,
  UpdatedPerson,
} from '../../interface/generated/types.js'
import { notifyPerson } from '../../news/notify-person.js'
import { holdRights } from '../hold-rights.js'
import { deleteFactors } from '../second-factors/second-factors.store.js'
import { renewSessions } from '../sessions/session.js'
import { deleteSessions } from '../sessions/sessions.store.js'
import { endTokens } from '../tokens/personal-tokens.store.js'
import { entryLinkBody, issueOwnerLink, issueSignInLink } from './entry-links.js'
import {
  type Ending,
  endedGrantsBody,
  endLostGrants,
  grantsBody,
  leftBody,
  readGrants,
  readRevokeKeys,
  revokeKeysQuery,
} from './grants.js'
import { deleteIdentities } from './identities.store.js'
import { checkLastAdministrator, findMember, listOrganizationsOf } from './memberships.store.js'
import {
  deletePersonRow,
  findPerson,
  type ListedPersonRow,
  listIdsOfPerson,
  listPersonRows,
  lockForRemoval,
  lockOwners,
  lockPeople,
  lockPerson,
  updatePersonRow,
} from './people.store.js'
import { listedPersonBody, personBody, toPersonBody } from './person.js'
import { proveAddress } from './prove-address.js'

/** Everyone with an account, oldest first. Idempotent. */
export const listPeople = serverOperation({
  operationId: 'listPeople',
  summary: 'List everyone who has an account, oldest first.',
  description:
    'For finding the id of a person, and when and from where they last signed in. Costs one read of all of them: they come in one answer.',
  route: 'GET /server/people',
  permission: 'operator',
  success: Joi.array().items(listedPersonBody),
  async handle({ meter }, { database }) {
    return okList(meter, await listPersonRows(database), toListedBody)
  },
})

const toListedBody = ({ second_factor, signed_in_at, browser, network, ...row }: ListedPersonRow): ListedPerson => ({
  ...toPersonBody(row),
  secondFactor: second_factor,
  ...(signed_in_at !== null && {
    lastSignIn: { at: signed_in_at.toISOString(), browser: browser!, network: network! },
  }),
})

/** Tells what ends with a member's removal, and which live keys the member issued. Idempotent. */
export const getMemberGrants = operation({
  operationId: 'getMemberGrants',
  summary: 'Tell what a removal of a member would end, and which live keys the member issued.',
  description:
    'For the one who removes a person: invitations and links to posts end with the membership; keys go on unless the removal names them. Of other organizations it tells nothing. Costs a few small reads.',
  route: 'GET /members/{personId}/grants',
  permission: 'people:write',
  answers: [200, 404],
  success: grantsBody,
  async handle({ params: { personId }, principal: { organizationId } }, { clock, database }) {
    const member = await findMember(database, organizationId, personId)
    const person = member && (await findPerson(database, personId))
    if (person === undefined) throw new ApiError('member_not_found')
    return ok(await readGrants(database, person, organizationId, new Date(clock.now())))
  },
})

/** Tells what ends with a person's deactivation, and which live keys the person issued. Idempotent. */
export const getPersonGrants = serverOperation({
  operationId: 'getPersonGrants',
  summary: 'Tell what a deactivation of a person would end, and which live keys the person issued.',
  description:
    'For the one who deactivates an account: invitations, links and operator tokens end with it, in all organizations; keys go on unless the deactivation names them. Costs a few small reads.',
  route: 'GET /server/people/{personId}/grants',
  permission: 'operator',
  answers: [200, 404],
  success: grantsBody,
  async handle({ params: { personId } }, { clock, database }) {
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('account_not_found')
    return ok(await readGrants(database, person, null, new Date(clock.now())))
  },
})

/** One call names so many keys at most; a person at a console ticks fewer. */
const KEYS_MAX = 1_000

const updatedPersonBody = named(
  'UpdatedPerson',
  (personBody as Joi.ObjectSchema).keys({ ended: endedGrantsBody.required() }),
)

/** Make a person an owner of the server or not, let the person in or not. */
export const updatePerson = serverOperation({
  operationId: 'updatePerson',
  summary:
    'Make a person an owner of the server or not, deactivate an account or activate it, or vouch for its mail address.',
  description:
    "For one who leaves: a deactivated person does not get in, and keeps the name in every history; its link to the identity provider goes. It holds at once, on every node; the person's sessions end, and so do open invitations, links and operator tokens that the person made and may make no more. API keys that they issued go on, unless `revokeKeys` names them: getPersonGrants lists them. The last active owner stays one. Idempotent. Costs one small transaction.",
  route: 'PATCH /server/people/{personId}',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 400, 404, 409],
  body: named(
    'PersonPatch',
    Joi.object({
      owner: Joi.boolean(),
      active: Joi.boolean(),
      mailProven: Joi.boolean().valid(true).description('You vouch for the mail address; it cannot be taken back.'),
      revokeKeys: Joi.alternatives(
        Joi.array().items(Joi.string()).max(KEYS_MAX),
        Joi.string().valid('all'),
      ).description('Live keys that the person issued, to be revoked in the same step: their ids, or `all`.'),
    }).min(1),
  ),
  success: updatedPersonBody,
  async handle(
    { params: { personId }, body: { revokeKeys = [], ...body }, principal, headers, caller: { ip } },
    { clock, database },
  ) {
    const now = new Date(clock.now())
    const { actor } = principal
    const { row, ended, cookie } = await database.transaction(async (tx) => {
      const mails = body.mailProven ? [(await findPerson(tx, personId))?.mail ?? ''] : []
      await lockPeople(tx, { ids: [personId], mails, owners: true })
      const owners = await lockOwners(tx)
      const before = await lockPerson(tx, personId)
      if (body.mailProven && before !== undefined) {
        await proveAddress(tx, before, { at: now, actor, operation: 'updatePerson', keeps: 'everything' })
      }
      const row = await updatePersonRow(tx, personId, body)
      const ending = { actor, at: now, organizationId: null, leaves: !row.active, revokeKeys }
      if (before?.owner === row.owner && before.active === row.active) {
        return { row, ended: await endLostGrants(tx, personId, ending), cookie: undefined }
      }
      const isOwner = row.owner && row.active
      if (!isOwner && owners.length === 1 && owners[0] === personId) throw new ApiError('last_owner')
      await recordAccountAudit(tx, actor, personId, { at: now, operation: 'updatePerson', changes: { ...body } })
      // When the account is active again, the next sign-in there links it again.
      if (!row.active) await deleteIdentities(tx, personId)
      const ended = await endLostGrants(tx, personId, ending)
      return { row, ended, cookie: await renewSessions(tx, row, { principal, headers, ip, now }) }
    })
    return ok({ ...toPersonBody(row), ended } satisfies UpdatedPerson, cookie)
  },
})

/** Delete a person's account. The trail and the histories keep its id (docs/decisions/accounts.md). */
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

const shared = {
  permission: 'operator',
  needsConfirmation: true,
  success: entryLinkBody,
} as const

/** Make the link by which a person becomes an owner of the server. An earlier one ends. */
export const inviteOwner = serverOperation({
  ...shared,
  operationId: 'inviteOwner',
  summary: 'Make the link by which a person becomes an owner of the server.',
  description:
    'For the first owner, when the link of the first start is over, and for a further one. It works once and for an hour; an earlier one ends. Costs one small transaction.',
  route: 'POST /server/owner-invitation',
  answers: [201],
  async handle({ principal: { actor } }, { clock, database }) {
    const at = new Date(clock.now())
    const link = await database.transaction(async (tx) => {
      await holdRights(tx, { actor }, 'operator')
      await recordServerAudit(tx, actor, { at, operation: 'inviteOwner', target: { type: 'invitation', id: 'owner' } })
      return await issueOwnerLink(tx, at, actor)
    })
    return created(link satisfies EntryLink)
  },
})

/** Make a link that lets a person in once, such as one who has forgotten the password. */
export const createSignInLink = serverOperation({
  ...shared,
  operationId: 'createSignInLink',
  summary: 'Make a link that lets a person in, once and for 15 minutes.',
  description:
    'For a forgotten password: in the session that begins with it a new one is set without the present one, once and within ten minutes. An earlier link of the person ends. Costs one small transaction.',
  route: 'POST /server/people/{personId}/sign-in-link',
  answers: [201, 404],
  async handle({ params: { personId }, principal: { actor } }, { clock, database }) {
    const at = new Date(clock.now())
    const link = await database.transaction(async (tx) => {
      await lockPeople(tx, { ids: [personId, ...(actor.type === 'user' ? [actor.id] : [])] })
      await holdRights(tx, { actor }, 'operator')
      if ((await lockPerson(tx, personId)) === undefined) throw new ApiError('account_not_found')
      await recordAccountAudit(tx, actor, personId, { at, operation: 'createSignInLink' })
      return await issueSignInLink(tx, personId, at, actor)
    })
    return created(link)
  },
})

/** Remove all second factors of a person. */
export const resetSecondFactors = serverOperation({
  operationId: 'resetSecondFactors',
  summary: 'Remove all second factors of a person, and end their sessions and personal tokens.',
  description:
    'For a person who has lost them and the recovery codes: the first factor alone lets the person in again. Make sure who asks for it. Idempotent. Costs one small transaction.',
  route: 'DELETE /server/people/{personId}/second-factors',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 404],
  success: namedObject('SecondFactorReset', {
    removed: Joi.number().integer().required().description('Passkeys and authenticator apps.'),
  }),
  async handle({ params: { personId }, principal: { actor } }, { clock, database }) {
    const removed = await database.transaction(async (tx) => {
      if ((await lockPerson(tx, personId)) === undefined) throw new ApiError('account_not_found')
      const at = new Date(clock.now())
      const count = await deleteFactors(tx, personId)
      await deleteSessions(tx, personId)
      await endTokens(tx, personId, actor, at)
      await notifyPerson(tx, { kind: 'factors-reset', personId, at })
      const changes = { removed: count }
      await recordAccountAudit(tx, actor, personId, { at, operation: 'resetSecondFactors', changes })
      return count
    })
    return ok({ removed } satisfies SecondFactorReset)
  },
})
