import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { grantsBody, readGrants } from './grants.js'
import { findMember } from './memberships.store.js'
import { findPerson } from './people.store.js'
import { personParams } from './person.js'

/** Tells what ends with a member's removal, and which live keys the member issued. Idempotent. */
export const getMemberGrants = operation({
  operationId: 'getMemberGrants',
  summary: 'Tell what a removal of a member would end, and which live keys the member issued.',
  description:
    'For the one who removes a person: invitations and links to posts end with the membership; keys go on unless the removal names them. Of other organizations it tells nothing. Costs a few small reads.',
  method: 'GET',
  path: '/members/{personId}/grants',
  surfaces: ['operator', 'console'],
  permission: 'people:write',
  answers: [200, 404],
  params: personParams,
  success: grantsBody,
  async handle({ params: { personId }, principal: { organizationId } }, { clock, database }) {
    const member = await findMember(database, organizationId, personId)
    const person = member && (await findPerson(database, personId))
    if (person === undefined) throw new ApiError('member_not_found')
    return ok(await readGrants(database, person, organizationId, new Date(clock.now())))
  },
})
