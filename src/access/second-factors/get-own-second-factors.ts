import { ok, serverOperation } from '../../http/operation.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { ownSecondFactorsBody, toOwnSecondFactorsBody } from './bodies.js'
import { listPasskeyRows } from './passkeys.store.js'
import { findFactors, findTotp } from './second-factors.store.js'

/** One's own second factors. Idempotent. */
export const getOwnSecondFactors = serverOperation({
  operationId: 'getOwnSecondFactors',
  summary: 'List your own second factors: passkeys, an authenticator app, recovery codes.',
  description: 'Holds no secret. Costs three small reads.',
  method: 'GET',
  path: '/me/second-factors',
  surfaces: ['console'],
  permission: 'self',
  answers: [200],
  success: ownSecondFactorsBody,
  async handle({ principal }, { database }) {
    const { personId } = requireSessionOf(principal)
    const passkeys = await listPasskeyRows(database, personId)
    const totp = await findTotp(database, personId)
    return ok(toOwnSecondFactorsBody(passkeys, totp, await findFactors(database, personId)))
  },
})
