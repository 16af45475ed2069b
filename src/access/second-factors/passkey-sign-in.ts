import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { PasskeyRequest } from '../../interface/generated/types.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { takeVisit } from '../people/identities.store.js'
import { lockPerson } from '../people/people.store.js'
import { SealedCookie } from '../sessions/cookie.js'
import { signedInHeaders } from '../sessions/device.js'
import { signedInBody, toSignedIn } from '../sessions/me.js'
import { signInAs } from '../sessions/session.js'
import { proofBody, requestBody } from './bodies.js'
import { CHALLENGE_MS, findAsserted, makeRequestOptions, takeAssertion } from './passkeys.js'
import { requireRelyingParty } from './relying-party.js'

/**
 * Keeps the challenge in the browser until the person is known, so that strangers cannot make the server store
 * anything.
 */
const CHALLENGE = new SealedCookie<{ challenge: string }>(
  '__Host-greenroom-passkey',
  'challenge of a sign-in by passkey',
  CHALLENGE_MS,
)

export const beginPasskeySignIn = serverOperation({
  operationId: 'beginPasskeySignIn',
  summary: 'Begin to sign in with only a passkey. The response has the challenge for the browser to sign.',
  description:
    'For navigator.credentials.get. The person chooses one of the passkeys that the device has for this server, so the response names no account. Sets a sealed cookie that is valid for five minutes; finishPasskeySignIn accepts it on any node. Off if passwords are switched off. Costs nothing.',
  route: 'POST /sign-in/passkey/begin',
  permission: 'sign-in',
  answers: [200, 403],
  success: requestBody,
  async handle({ headers }, { clock, config, sealer }) {
    // If only the provider signs people in, it also decides who no longer may.
    if (!config.access.passwords) throw new ApiError('passwords_off')
    const party = requireRelyingParty(config.http, headers)
    const challenge = newToken()
    const options = await makeRequestOptions(party, challenge, [])
    return ok({ options } satisfies PasskeyRequest, {
      'set-cookie': CHALLENGE.write(sealer, { challenge }, clock.now()),
    })
  },
})

export const finishPasskeySignIn = serverOperation({
  operationId: 'finishPasskeySignIn',
  summary: 'Sign in with the signature of a passkey, which counts as both factors.',
  description:
    'Needs the cookie of beginPasskeySignIn, which works once. The authenticator must verify the user. Sets the session cookie and answers as GET /me does. Costs one small transaction.',
  route: 'POST /sign-in/passkey/finish',
  permission: 'sign-in',
  answers: [200, 401, 403],
  body: proofBody,
  success: signedInBody,
  async handle({ body: { response }, headers, caller: { ip } }, context) {
    const { clock, config, database, sealer } = context
    if (!config.access.passwords) throw new ApiError('passwords_off')
    const party = requireRelyingParty(config.http, headers)
    const now = new Date(clock.now())
    const kept = CHALLENGE.read(sealer, headers, clock.now())
    if (kept === undefined) throw new ApiError('passkey_refused')
    const { challenge } = kept
    const taken = { stateHash: hashToken(challenge), now, expiresAt: new Date(kept.expiresAt) }
    if (!(await takeVisit(database, taken))) throw new ApiError('passkey_refused')
    const begun = await database.transaction(async (tx) => {
      const passkey = await findAsserted(tx, response, undefined)
      const person = passkey === undefined ? undefined : await lockPerson(tx, passkey.person_id)
      const isProven =
        passkey !== undefined &&
        person?.active === true &&
        (await takeAssertion(tx, passkey, response, { challenge, party, at: now }))
      if (!isProven) throw new ApiError('passkey_refused')
      const how = { method: 'passkey', headers, ip, now, secondFactor: true } as const
      return await signInAs(tx, passkey.person_id, { ...how, operation: 'finishPasskeySignIn' })
    })
    return ok(await toSignedIn(database, begun), signedInHeaders(begun, headers, context))
  },
})
