import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok } from '../../http/operation.js'
import type { AddedPasskey, PasskeyCreation } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { newToken } from '../../lib/tokens.js'
import { findPerson } from '../people/people.store.js'
import { ownOperation } from '../sessions/own-session.js'
import { setChallenge, takeChallenge } from '../sessions/sessions.store.js'
import { creationBody, newPasskeyBody, recoveryCodesSchema } from './bodies.js'
import { changeFactors } from './change-factors.js'
import { ownSecondFactorsBody, passkeyBody, readOwnSecondFactors, toPasskeyBody } from './own-second-factors.js'
import { CHALLENGE_MS, makeCreationOptions, readAttestation } from './passkeys.js'
import { deletePasskey, insertPasskey, listPasskeyRows } from './passkeys.store.js'
import { requireRelyingParty } from './relying-party.js'

const PASSKEYS_MAX = limit('passkeysPerPerson')

/** Begin to add a passkey. */
export const beginOwnPasskey = ownOperation({
  operationId: 'beginOwnPasskey',
  summary: 'Begin to add a passkey: tells what the browser is to make.',
  description: 'For navigator.credentials.create; finishOwnPasskey takes its answer. Costs one small write.',
  route: 'POST /me/second-factors/passkeys/begin',
  needsConfirmation: true,
  answers: [200, 409],
  success: creationBody,
  async handle({ headers }, { clock, config, database }, { personId, sessionId }) {
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

/** Add the passkey that the browser has made. */
export const finishOwnPasskey = ownOperation({
  operationId: 'finishOwnPasskey',
  summary: 'Add the passkey that the browser has made.',
  description:
    'Takes the challenge of beginOwnPasskey, once. The first factor of a person brings ten recovery codes. Your other sessions end; this one goes on under a new token, in a new cookie. Costs one small transaction.',
  route: 'POST /me/second-factors/passkeys/finish',
  needsConfirmation: true,
  answers: [200, 401, 409],
  body: newPasskeyBody,
  success: namedObject('AddedPasskey', {
    passkey: passkeyBody.required(),
    recoveryCodes: recoveryCodesSchema,
  }),
  async handle(call, context, own) {
    const { name, response } = call.body
    const { personId, sessionId } = own
    const { clock, config, database } = context
    const party = requireRelyingParty(config.http, call.headers)
    const challenge = await database.transaction((tx) => takeChallenge(tx, sessionId, new Date(clock.now())))
    if (challenge === undefined) throw new ApiError('passkey_refused')
    const credential = await readAttestation(response, { challenge, party })
    const { result, recoveryCodes, headers } = await changeFactors(context, call, own, {
      operation: 'finishOwnPasskey',
      notice: 'factor-added',
      async change(tx, now) {
        if ((await listPasskeyRows(tx, personId)).length >= PASSKEYS_MAX) throw new ApiError('passkeys_full')
        const row = { ...credential, passkey_id: newId('pk'), person_id: personId, name, created_at: now }
        const passkey = await insertPasskey(tx, row)
        if (passkey === undefined) {
          throw new ApiError('already_exists', { message: 'This passkey was added already: use another device.' })
        }
        return { result: passkey, changes: { added: 'passkey', passkeyId: passkey.passkey_id } }
      },
    })
    const passkey = toPasskeyBody(result)
    return ok({ passkey, ...(recoveryCodes && { recoveryCodes }) } satisfies AddedPasskey, headers)
  },
})

/** Remove one of one's own passkeys. */
export const removeOwnPasskey = ownOperation({
  operationId: 'removeOwnPasskey',
  summary: 'Remove one of your passkeys.',
  description:
    'Your other sessions end; this one goes on under a new token, in a new cookie. The recovery codes go with the last factor. Costs one small transaction.',
  route: 'DELETE /me/second-factors/passkeys/{passkeyId}',
  needsConfirmation: true,
  answers: [200, 404],
  success: ownSecondFactorsBody,
  async handle(call, context, own) {
    const { passkeyId } = call.params
    const { headers } = await changeFactors(context, call, own, {
      operation: 'removeOwnPasskey',
      notice: 'factor-removed',
      async change(tx) {
        const name = await deletePasskey(tx, own.personId, passkeyId)
        if (name === undefined) throw new ApiError('passkey_not_found')
        return { result: name, changes: { removed: 'passkey', passkeyId } }
      },
    })
    return ok(await readOwnSecondFactors(context.database, own.personId), headers)
  },
})
