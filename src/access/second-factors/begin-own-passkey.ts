import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { PasskeyCreation } from '../../interface/second-factors.js'
import { limit } from '../../lib/limits.js'
import { newToken } from '../../lib/tokens.js'
import { findPerson } from '../people/people.store.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { setChallenge } from '../sessions/sessions.store.js'
import { creationBody } from './bodies.js'
import { CHALLENGE_MS, makeCreationOptions } from './passkeys.js'
import { listPasskeyRows } from './passkeys.store.js'
import { requireRelyingParty } from './relying-party.js'

const PASSKEYS_MAX = limit('passkeysPerPerson')

/** Begin to add a passkey. */
export const beginOwnPasskey = serverOperation({
  operationId: 'beginOwnPasskey',
  summary: 'Begin to add a passkey: tells what the browser is to make.',
  description: 'For navigator.credentials.create; finishOwnPasskey takes its answer. Costs one small write.',
  method: 'POST',
  path: '/me/second-factors/passkeys/begin',
  surfaces: ['console'],
  permission: 'self',
  needsConfirmation: true,
  answers: [200, 409],
  success: creationBody,
  async handle({ principal, headers }, { clock, config, database }) {
    const { personId, sessionId } = requireSessionOf(principal)
    const party = requireRelyingParty(config.http, headers)
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('session_ended')
    const passkeys = await listPasskeyRows(database, personId)
    if (passkeys.length >= PASSKEYS_MAX) throw new ApiError('passkeys_full')
    const challenge = newToken()
    await setChallenge(database, sessionId, { challenge, until: new Date(clock.now() + CHALLENGE_MS) })
    return ok({ options: await makeCreationOptions(party, challenge, person, passkeys) } satisfies PasskeyCreation)
  },
})
