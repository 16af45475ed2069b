import { ok } from '../../http/operation.js'
import type { PasskeyRequest } from '../../interface/second-factors.js'
import { newToken } from '../../lib/tokens.js'
import { setHalfSessionChallenge } from '../sessions/half-sessions.store.js'
import { meBody } from '../sessions/me.js'
import { ownOperation } from '../sessions/own-session.js'
import { proofBody, requestBody } from './bodies.js'
import { passSecondFactor } from './pass.js'
import { makeRequestOptions } from './passkeys.js'
import { listPasskeyRows } from './passkeys.store.js'
import { byPasskey } from './proofs.js'
import { requireRelyingParty } from './relying-party.js'

/** Begin to finish a sign-in with a passkey. */
export const beginPassPasskey = ownOperation({
  operationId: 'beginPassPasskey',
  summary: 'Begin to finish the sign-in with a passkey: tells what the browser is to sign.',
  description: 'For navigator.credentials.get; finishPassPasskey takes its answer. Costs one small write.',
  method: 'POST',
  path: '/second-factor/passkey/begin',
  permission: 'second-factor',
  answers: [200],
  success: requestBody,
  async handle({ headers }, { config, database }, { personId, sessionId }) {
    const party = requireRelyingParty(config.http, headers)
    const challenge = newToken()
    await setHalfSessionChallenge(database, sessionId, challenge)
    const passkeys = await listPasskeyRows(database, personId)
    return ok({ options: await makeRequestOptions(party, challenge, passkeys) } satisfies PasskeyRequest)
  },
})

/** Finish a sign-in with a passkey. */
export const finishPassPasskey = ownOperation({
  operationId: 'finishPassPasskey',
  summary: 'Finish the sign-in with what the passkey has signed.',
  description:
    'Takes the challenge of beginPassPasskey, once. Sets the session cookie under a new token and answers as GET /me does. Costs one small transaction.',
  method: 'POST',
  path: '/second-factor/passkey/finish',
  permission: 'second-factor',
  answers: [200, 401],
  body: proofBody,
  success: meBody,
  handle(call, context, own) {
    const { response } = call.body
    const party = requireRelyingParty(context.config.http, call.headers)
    return passSecondFactor(context, call, own, {
      operation: 'finishPassPasskey',
      method: 'passkey',
      prove:
        ({ session_id: sessionId, challenge }) =>
        async (tx, personId, now) => {
          await setHalfSessionChallenge(tx, sessionId, null)
          return await byPasskey(response, { challenge, party })(tx, personId, now)
        },
    })
  },
})
