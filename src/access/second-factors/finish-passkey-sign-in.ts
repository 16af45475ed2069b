import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import { hashToken } from '../../lib/tokens.js'
import { takeVisit } from '../people/identities.store.js'
import { lockPerson } from '../people/people.store.js'
import { signedInHeaders } from '../sessions/device.js'
import { signedInBody, toSignedIn } from '../sessions/me.js'
import { signInAs } from '../sessions/session.js'
import { proofBody } from './bodies.js'
import { readChallenge } from './challenge-cookie.js'
import { findAsserted, takeAssertion } from './passkeys.js'
import { requireRelyingParty } from './relying-party.js'

/** Sign in with a passkey alone, which counts as both factors. */
export const finishPasskeySignIn = serverOperation({
  operationId: 'finishPasskeySignIn',
  summary: 'Sign in with what a passkey has signed: it counts as both factors.',
  description:
    'Takes the cookie of beginPasskeySignIn, which works once. The authenticator has to verify its person. Sets the session cookie and answers as GET /me does. Costs one small transaction.',
  method: 'POST',
  path: '/sign-in/passkey/finish',
  surfaces: ['console'],
  permission: 'sign-in',
  answers: [200, 401, 403],
  body: proofBody,
  success: signedInBody,
  async handle({ body: { response }, headers, caller: { ip } }, context) {
    const { clock, config, database, sealer } = context
    if (!config.access.passwords) throw new ApiError('passwords_off')
    const party = requireRelyingParty(config.http, headers)
    const now = new Date(clock.now())
    const kept = readChallenge(sealer, headers, clock.now())
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
      const options = {
        operation: 'finishPasskeySignIn',
        method: 'passkey',
        headers,
        ip,
        now,
        secondFactor: true,
      } as const
      return await signInAs(tx, passkey.person_id, options)
    })
    return ok(await toSignedIn(database, begun), signedInHeaders(begun, headers, context))
  },
})
