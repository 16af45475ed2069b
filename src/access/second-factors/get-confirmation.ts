import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok } from '../../http/operation.js'
import type { ConfirmationChoice } from '../../interface/second-factors.js'
import { findPerson } from '../people/people.store.js'
import { ownOperation } from '../sessions/own-session.js'
import { confirmationMethods } from './confirm.js'
import { findFactors } from './second-factors.store.js'

/** How the person can confirm their session. Idempotent. */
export const getConfirmation = ownOperation({
  operationId: 'getConfirmation',
  summary: 'Tell how you can confirm that the session is yours.',
  description:
    'After a 403 confirmation_needed: one confirmation holds for ten minutes, and so does signing in. `sign-in`: there is no other way than to sign in again. Costs two small reads.',
  method: 'GET',
  path: '/me/confirmation',
  answers: [200],
  success: Joi.object<ConfirmationChoice, true>({
    methods: Joi.array()
      .items(Joi.string().valid('passkey', 'totp', 'password', 'sign-in'))
      .required(),
  }),
  async handle(_call, { config, database }, { personId }) {
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('session_ended')
    const methods = confirmationMethods(await findFactors(database, personId), person, config.access)
    return ok({ methods } satisfies ConfirmationChoice)
  },
})
