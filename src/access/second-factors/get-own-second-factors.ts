import { ok } from '../../http/operation.js'
import { ownOperation } from '../sessions/own-session.js'
import { ownSecondFactorsBody, readOwnSecondFactors } from './own-second-factors.js'

/** One's own second factors. Idempotent. */
export const getOwnSecondFactors = ownOperation({
  operationId: 'getOwnSecondFactors',
  summary: 'List your own second factors: passkeys, an authenticator app, recovery codes.',
  description: 'Holds no secret. Costs three small reads.',
  route: 'GET /me/second-factors',
  answers: [200],
  success: ownSecondFactorsBody,
  handle: async (_call, { database }, { personId }) => ok(await readOwnSecondFactors(database, personId)),
})
