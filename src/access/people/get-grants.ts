import { ApiError } from '../../errors.js'
import { ok, operation, serverOperation } from '../../http/operation.js'
import { grantsBody, readGrants } from './grants.js'
import { findMember } from './memberships.store.js'
import { findPerson } from './people.store.js'

const shared = {
  answers: [200, 404],
  success: grantsBody,
} as const

/** Tells what ends with a member's removal, and which live keys the member issued. Idempotent. */
export const getMemberGrants = operation({
  ...shared,
  operationId: 'getMemberGrants',
  summary: 'Tell what a removal of a member would end, and which live keys the member issued.',
  description:
    'For the one who removes a person: invitations and links to posts end with the membership; keys go on unless the removal names them. Of other organizations it tells nothing. Costs a few small reads.',
  route: 'GET /members/{personId}/grants',
  permission: 'people:write',
  async handle({ params: { personId }, principal: { organizationId } }, { clock, database }) {
    const member = await findMember(database, organizationId, personId)
    const person = member && (await findPerson(database, personId))
    if (person === undefined) throw new ApiError('member_not_found')
    return ok(await readGrants(database, person, organizationId, new Date(clock.now())))
  },
})

/** Tells what ends with a person's deactivation, and which live keys the person issued. Idempotent. */
export const getPersonGrants = serverOperation({
  ...shared,
  operationId: 'getPersonGrants',
  summary: 'Tell what a deactivation of a person would end, and which live keys the person issued.',
  description:
    'For the one who deactivates an account: invitations, links and operator tokens end with it, in all organizations; keys go on unless the deactivation names them. Costs a few small reads.',
  route: 'GET /server/people/{personId}/grants',
  permission: 'operator',
  async handle({ params: { personId } }, { clock, database }) {
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('account_not_found')
    return ok(await readGrants(database, person, null, new Date(clock.now())))
  },
})
