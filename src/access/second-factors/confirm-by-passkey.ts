import { ok } from '../../http/operation.js'
import type { PasskeyRequest } from '../../interface/second-factors.js'
import { newToken } from '../../lib/tokens.js'
import { ownOperation } from '../sessions/own-session.js'
import { setChallenge, takeChallenge } from '../sessions/sessions.store.js'
import { confirmationBody, proofBody, requestBody } from './bodies.js'
import { confirm } from './confirm.js'
import { CHALLENGE_MS, makeRequestOptions } from './passkeys.js'
import { listPasskeyRows } from './passkeys.store.js'
import { byPasskey } from './proofs.js'
import { requireRelyingParty } from './relying-party.js'

/** Begin to confirm the session with a passkey. */
export const beginConfirmByPasskey = ownOperation({
  operationId: 'beginConfirmByPasskey',
  summary: 'Begin to confirm the session with a passkey: tells what the browser is to sign.',
  description: 'For navigator.credentials.get; finishConfirmByPasskey takes its answer. Costs one small write.',
  method: 'POST',
  path: '/me/confirmation/passkey/begin',
  answers: [200],
  success: requestBody,
  async handle({ headers }, { clock, config, database }, { personId, sessionId }) {
    const party = requireRelyingParty(config.http, headers)
    const challenge = newToken()
    await setChallenge(database, sessionId, { challenge, until: new Date(clock.now() + CHALLENGE_MS) })
    const passkeys = await listPasskeyRows(database, personId)
    return ok({ options: await makeRequestOptions(party, challenge, passkeys) } satisfies PasskeyRequest)
  },
})

/** Confirm the session with a passkey. */
export const finishConfirmByPasskey = ownOperation({
  operationId: 'finishConfirmByPasskey',
  summary: 'Confirm the session with what a passkey has signed.',
  description: 'Takes the challenge of beginConfirmByPasskey, once. Costs one small transaction.',
  method: 'POST',
  path: '/me/confirmation/passkey/finish',
  answers: [200, 401],
  body: proofBody,
  success: confirmationBody,
  handle({ body: { response }, headers }, context, own) {
    const party = requireRelyingParty(context.config.http, headers)
    return confirm(context, own, {
      operation: 'finishConfirmByPasskey',
      method: 'passkey',
      async prove(tx, personId, now) {
        const challenge = (await takeChallenge(tx, own.sessionId, now)) ?? null
        return await byPasskey(response, { challenge, party })(tx, personId, now)
      },
    })
  },
})
