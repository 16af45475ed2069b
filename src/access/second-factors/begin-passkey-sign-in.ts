import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { PasskeyRequest } from '../../interface/second-factors.js'
import { requestBody } from './bodies.js'
import { keepChallenge } from './challenge-cookie.js'
import { makeRequestOptions } from './passkeys.js'
import { requireRelyingParty } from './relying-party.js'

/** Begin to sign in with a passkey alone: nothing is stored but in the browser. */
export const beginPasskeySignIn = serverOperation({
  operationId: 'beginPasskeySignIn',
  summary: 'Begin to sign in with a passkey alone: tells what the browser is to sign.',
  description:
    'For navigator.credentials.get: the person chooses one of the passkeys that the device has for this server, so that the answer names no account. Sets a cookie that is sealed and holds for five minutes; finishPasskeySignIn takes it, on any node. Off where passwords are. Costs nothing.',
  method: 'POST',
  path: '/sign-in/passkey/begin',
  surfaces: ['console'],
  permission: 'sign-in',
  answers: [200, 403],
  success: requestBody,
  async handle({ headers }, { clock, config, sealer }) {
    // Where the provider alone lets people in, it also decides who no longer gets in.
    if (!config.access.passwords) throw new ApiError('passwords_off')
    const party = requireRelyingParty(config.http, headers)
    const { challenge, headers: kept } = keepChallenge(sealer, clock.now())
    return ok({ options: await makeRequestOptions(party, challenge, []) } satisfies PasskeyRequest, kept)
  },
})
