import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import { grantsBody, readGrants } from './grants.js'
import { findPerson } from './people.store.js'
import { personParams } from './person.js'

/** Tells what ends with a person's deactivation, and which live keys the person issued. Idempotent. */
export const getPersonGrants = serverOperation({
  operationId: 'getPersonGrants',
  summary: 'Tell what a deactivation of a person would end, and which live keys the person issued.',
  description:
    'For the one who deactivates an account: invitations, links and operator tokens end with it, in all organizations; keys go on unless the deactivation names them. Costs a few small reads.',
  method: 'GET',
  path: '/people/{personId}/grants',
  surfaces: ['operator', 'console'],
  permission: 'operator',
  answers: [200, 404],
  params: personParams,
  success: grantsBody,
  async handle({ params: { personId } }, { clock, database }) {
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('account_not_found')
    return ok(await readGrants(database, person, null, new Date(clock.now())))
  },
})
