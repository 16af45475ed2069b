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

export const listPeople = serverOperation({
  operationId: 'listPeople',
  summary: 'List everyone who has an account, oldest first.',
  description:
    'For finding the id of a person, and when and from where they last signed in. Returns all of them in one answer. Idempotent. Costs one read.',
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

export const getMemberGrants = operation({
  operationId: 'getMemberGrants',
  summary: 'List what removing a member would end, and the live keys that the member issued.',
  description:
    'For checking before you remove a person. Invitations and links to posts end with the membership; keys keep working unless the removal names them. Shows nothing about other organizations. Idempotent. Costs a few small reads.',
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

export const getPersonGrants = serverOperation({
  operationId: 'getPersonGrants',
  summary: 'List what deactivating a person would end, and the live keys that the person issued.',
  description:
    'For checking before you deactivate an account. Its invitations, links and operator tokens end in all organizations; keys keep working unless the deactivation names them. Idempotent. Costs a few small reads.',
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

/** The most keys that one call can name; a person at a console selects fewer. */
const KEYS_MAX = 1_000

const updatedPersonBody = named(
  'UpdatedPerson',
  (personBody as Joi.ObjectSchema).keys({ ended: endedGrantsBody.required() }),
)

export const updatePerson = serverOperation({
  operationId: 'updatePerson',
  summary:
    'Grant or withdraw ownership of the server, activate or deactivate an account, or vouch for its email address.',
  description:
    "Deactivate an account when a person leaves: they can no longer sign in, their link to the identity provider is deleted, and histories keep their name. The change applies at once, on every node. It ends the person's sessions, and the open invitations, links and operator tokens that they made and may no longer make. API keys that they issued keep working unless `revokeKeys` names them: getPersonGrants lists them. The last active owner cannot be demoted or deactivated. Idempotent. Costs one small transaction.",
  route: 'PATCH /server/people/{personId}',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 400, 404, 409],
  body: named(
    'PersonPatch',
    Joi.object({
      owner: Joi.boolean(),
      active: Joi.boolean(),
      mailProven: Joi.boolean().valid(true).description('Vouch for the email address. This cannot be undone.'),
      revokeKeys: Joi.alternatives(
        Joi.array().items(Joi.string()).max(KEYS_MAX),
        Joi.string().valid('all'),
      ).description('Live keys that the person issued and that this call also revokes: their ids, or `all`.'),
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
      // After a reactivation, the next sign-in with the provider links the account again.
      if (!row.active) await deleteIdentities(tx, personId)
      const ended = await endLostGrants(tx, personId, ending)
      return { row, ended, cookie: await renewSessions(tx, row, { principal, headers, ip, now }) }
    })
    return ok({ ...toPersonBody(row), ended } satisfies UpdatedPerson, cookie)
  },
})

export const deletePerson = serverOperation({
  operationId: 'deletePerson',
  summary: 'Delete the account of a person permanently.',
  description:
    "Deletes the person's own data at once, on every node: name, email address, password, second factors, links to the identity provider, sessions, memberships, inboxes, preferences and calendar addresses. Ends the open invitations, links and operator tokens that the person made, as a deactivation does. API keys that they issued keep working unless `revokeKeys` names them: getPersonGrants lists them. The audit trail, histories and discussions stay and show the id without a name. The last active owner cannot be deleted, and an owner cannot delete the last administrator of an organization. The email address can be invited again and then gets a new account. A repeated call answers 404. Costs one small transaction.",
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

/** Ends what the person made, including with accounts that were merged into this one. */
async function endGrants(tx: Queryable, personId: string, ending: Ending): Promise<EndedGrants> {
  const ended = await endLostGrants(tx, personId, ending)
  const others = (await listIdsOfPerson(tx, personId)).filter((id) => id !== personId)
  for (const other of others) {
    // Named keys come from the list of this account, so only `all` covers the merged ones.
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

export const inviteOwner = serverOperation({
  ...shared,
  operationId: 'inviteOwner',
  summary: 'Make the link by which a person becomes an owner of the server.',
  description:
    'For the first owner, if the link from the first start has expired, and for further owners. The link works once, within an hour, and replaces an earlier one. Costs one small transaction.',
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

export const createSignInLink = serverOperation({
  ...shared,
  operationId: 'createSignInLink',
  summary: 'Make a sign-in link for a person. It works once, within 15 minutes.',
  description:
    'For a forgotten password: within ten minutes of signing in with the link, the person can set a new password once without the current one. An earlier link for the person ends. Costs one small transaction.',
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

export const resetSecondFactors = serverOperation({
  operationId: 'resetSecondFactors',
  summary: 'Remove all second factors of a person, and end their sessions and personal tokens.',
  description:
    'For a person who has lost them and the recovery codes. Afterwards the first factor is enough to sign in, so verify who is asking. Idempotent. Costs one small transaction.',
  route: 'DELETE /server/people/{personId}/second-factors',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 404],
  success: namedObject('SecondFactorReset', {
    removed: Joi.number().integer().required().description('The number of passkeys and authenticator apps.'),
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
