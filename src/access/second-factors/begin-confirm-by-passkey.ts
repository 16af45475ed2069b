import { ok, serverOperation } from '../../http/operation.js'
import type { PasskeyRequest } from '../../interface/second-factors.js'
import { newToken } from '../../lib/tokens.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { setChallenge } from '../sessions/sessions.store.js'
import { requestBody } from './bodies.js'
import { CHALLENGE_MS, makeRequestOptions } from './passkeys.js'
import { listPasskeyRows } from './passkeys.store.js'
import { requireRelyingParty } from './relying-party.js'

/** Begin to confirm the session with a passkey. */
export const beginConfirmByPasskey = serverOperation({
  operationId: 'beginConfirmByPasskey',
  summary: 'Begin to confirm the session with a passkey: tells what the browser is to sign.',
  description: 'For navigator.credentials.get; finishConfirmByPasskey takes its answer. Costs one small write.',
  method: 'POST',
  path: '/me/confirmation/passkey/begin',
  surfaces: ['console'],
  permission: 'self',
  answers: [200],
  success: requestBody,
  async handle({ principal, headers }, { clock, config, database }) {
    const { personId, sessionId } = requireSessionOf(principal)
    const party = requireRelyingParty(config.http, headers)
    const challenge = newToken()
    await setChallenge(database, sessionId, { challenge, until: new Date(clock.now() + CHALLENGE_MS) })
    const passkeys = await listPasskeyRows(database, personId)
    return ok({ options: await makeRequestOptions(party, challenge, passkeys) } satisfies PasskeyRequest)
  },
})
