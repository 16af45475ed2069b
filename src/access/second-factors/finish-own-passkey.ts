import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { AddedPasskey } from '../../interface/second-factors.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { takeChallenge } from '../sessions/sessions.store.js'
import { newPasskeyBody, passkeyBody, recoveryCodesSchema, toPasskeyBody } from './bodies.js'
import { changeFactors } from './change-factors.js'
import { readAttestation } from './passkeys.js'
import { insertPasskey, listPasskeyRows } from './passkeys.store.js'
import { requireRelyingParty } from './relying-party.js'

const PASSKEYS_MAX = limit('passkeysPerPerson')

/** Add the passkey that the browser has made. */
export const finishOwnPasskey = serverOperation({
  operationId: 'finishOwnPasskey',
  summary: 'Add the passkey that the browser has made.',
  description:
    'Takes the challenge of beginOwnPasskey, once. The first factor of a person brings ten recovery codes. Your other sessions end; this one goes on under a new token, in a new cookie. Costs one small transaction.',
  method: 'POST',
  path: '/me/second-factors/passkeys/finish',
  surfaces: ['console'],
  permission: 'self',
  needsConfirmation: true,
  answers: [200, 401, 409],
  body: newPasskeyBody,
  success: Joi.object<AddedPasskey, true>({ passkey: passkeyBody.required(), recoveryCodes: recoveryCodesSchema }),
  async handle({ body: { name, response }, principal, headers, caller }, context) {
    const { clock, config, database } = context
    const party = requireRelyingParty(config.http, headers)
    const { sessionId } = requireSessionOf(principal)
    const challenge = await database.transaction((tx) => takeChallenge(tx, sessionId, new Date(clock.now())))
    if (challenge === undefined) throw new ApiError('passkey_refused')
    const credential = await readAttestation(response, { challenge, party })
    const added = await changeFactors(context, {
      principal,
      headers,
      caller,
      operation: 'finishOwnPasskey',
      notice: 'factor-added',
      async change(tx, personId, now) {
        if ((await listPasskeyRows(tx, personId)).length >= PASSKEYS_MAX) throw new ApiError('passkeys_full')
        const passkey = { ...credential, passkey_id: newId('pk'), person_id: personId, name, created_at: now }
        const result = await insertPasskey(tx, passkey)
        if (result === undefined) {
          throw new ApiError('already_exists', { message: 'This passkey was added already: use another device.' })
        }
        return { result, changes: { added: 'passkey', passkeyId: result.passkey_id } }
      },
    })
    const passkey = toPasskeyBody(added.result)
    const { recoveryCodes } = added
    const body: AddedPasskey = { passkey, ...(recoveryCodes === undefined ? {} : { recoveryCodes }) }
    return ok(body, added.headers)
  },
})
