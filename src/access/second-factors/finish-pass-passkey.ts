import { serverOperation } from '../../http/operation.js'
import { setHalfSessionChallenge } from '../sessions/half-sessions.store.js'
import { meBody } from '../sessions/me.js'
import { proofBody } from './bodies.js'
import { passSecondFactor } from './pass.js'
import { byPasskey } from './proofs.js'
import { requireRelyingParty } from './relying-party.js'

/** Finish a sign-in with a passkey. */
export const finishPassPasskey = serverOperation({
  operationId: 'finishPassPasskey',
  summary: 'Finish the sign-in with what the passkey has signed.',
  description:
    'Takes the challenge of beginPassPasskey, once. Sets the session cookie under a new token and answers as GET /me does. Costs one small transaction.',
  method: 'POST',
  path: '/second-factor/passkey/finish',
  surfaces: ['console'],
  permission: 'second-factor',
  answers: [200, 401],
  body: proofBody,
  success: meBody,
  handle({ body: { response }, principal, headers, caller }, context) {
    const party = requireRelyingParty(context.config.http, headers)
    return passSecondFactor(context, {
      ...{ principal, headers, caller, operation: 'finishPassPasskey', method: 'passkey' },
      prove:
        ({ session_id: sessionId, challenge }) =>
        async (tx, personId, now) => {
          await setHalfSessionChallenge(tx, sessionId, null)
          return await byPasskey(response, { challenge, party })(tx, personId, now)
        },
    })
  },
})
