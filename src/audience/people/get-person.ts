import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { personDetailsBody } from './person.js'
import { findPersonDetails } from './person-details.store.js'

const MAX = { conversations: 1_000, purchases: 100 }

/** Read all that is known of a person: conversations, what the value is made of, purchases, ids, profile. */
export const getPerson = operation({
  operationId: 'getPerson',
  summary: 'Read a person: conversations, what the lifetime value is made of, purchases, ids and profile.',
  description:
    'For the question why a value is what it is, and for telling a person what is known of them. Costs a few look-ups.',
  route: 'GET /people/{cuid}',
  permission: 'audience:read',
  answers: [200, 404],
  success: personDetailsBody,
  async handle({ params: { cuid }, principal: { organizationId } }, { database }) {
    const details = await findPersonDetails(database, organizationId, cuid, MAX)
    if (details === undefined) throw new ApiError('person_not_found')
    return ok(details)
  },
})
