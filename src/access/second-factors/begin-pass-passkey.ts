import { ok, serverOperation } from '../../http/operation.js'
import type { PasskeyRequest } from '../../interface/second-factors.js'
import { newToken } from '../../lib/tokens.js'
import { setHalfSessionChallenge } from '../sessions/half-sessions.store.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { requestBody } from './bodies.js'
import { makeRequestOptions } from './passkeys.js'
import { listPasskeyRows } from './passkeys.store.js'
import { requireRelyingParty } from './relying-party.js'

/** Begin to finish a sign-in with a passkey. */
export const beginPassPasskey = serverOperation({
  operationId: 'beginPassPasskey',
  summary: 'Begin to finish the sign-in with a passkey: tells what the browser is to sign.',
  description: 'For navigator.credentials.get; finishPassPasskey takes its answer. Costs one small write.',
  method: 'POST',
  path: '/second-factor/passkey/begin',
  surfaces: ['console'],
  permission: 'second-factor',
  answers: [200],
  success: requestBody,
  async handle({ principal, headers }, { config, database }) {
    const { personId, sessionId } = requireSessionOf(principal)
    const party = requireRelyingParty(config.http, headers)
    const challenge = newToken()
    await setHalfSessionChallenge(database, sessionId, challenge)
    const passkeys = await listPasskeyRows(database, personId)
    return ok({ options: await makeRequestOptions(party, challenge, passkeys) } satisfies PasskeyRequest)
  },
})
