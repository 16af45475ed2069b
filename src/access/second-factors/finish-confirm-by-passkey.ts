import { serverOperation } from '../../http/operation.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { takeChallenge } from '../sessions/sessions.store.js'
import { confirmationBody, proofBody } from './bodies.js'
import { confirm } from './confirm.js'
import { byPasskey } from './proofs.js'
import { requireRelyingParty } from './relying-party.js'

/** Confirm the session with a passkey. */
export const finishConfirmByPasskey = serverOperation({
  operationId: 'finishConfirmByPasskey',
  summary: 'Confirm the session with what a passkey has signed.',
  description: 'Takes the challenge of beginConfirmByPasskey, once. Costs one small transaction.',
  method: 'POST',
  path: '/me/confirmation/passkey/finish',
  surfaces: ['console'],
  permission: 'self',
  answers: [200, 401],
  body: proofBody,
  success: confirmationBody,
  handle({ body: { response }, principal, headers }, context) {
    const party = requireRelyingParty(context.config.http, headers)
    const { sessionId } = requireSessionOf(principal)
    return confirm(context, {
      principal,
      operation: 'finishConfirmByPasskey',
      method: 'passkey',
      async prove(tx, personId, now) {
        const challenge = (await takeChallenge(tx, sessionId, now)) ?? null
        return await byPasskey(response, { challenge, party })(tx, personId, now)
      },
    })
  },
})
