import Joi from 'joi'
import { ApiError } from '../../errors.js'
import type { PasswordProof } from '../../interface/second-factors.js'
import { passwordSchema } from '../people/password-rules.js'
import { findPerson, lockPerson } from '../people/people.store.js'
import { passwordCaller } from '../sessions/device.js'
import { ownOperation } from '../sessions/own-session.js'
import { confirmationBody } from './bodies.js'
import { confirm, confirmationMethods } from './confirm.js'
import { countAttempt } from './failures.js'
import { clearFailures, findFactors } from './second-factors.store.js'

/** Confirm the session with the password. */
export const confirmByPassword = ownOperation({
  operationId: 'confirmByPassword',
  summary: 'Confirm the session with your password.',
  description:
    'For a person without a second factor: a person who has one confirms with that. Wrong passwords in a row make the person wait. Costs one password: see signIn.',
  method: 'POST',
  path: '/me/confirmation/password',
  answers: [200, 400, 401, 403],
  body: Joi.object<PasswordProof, true>({ password: passwordSchema.required() }),
  success: confirmationBody,
  async handle(call, context, own) {
    const { password } = call.body
    const { personId } = own
    const { clock, config, database, passwords } = context
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('session_ended')
    const methods = confirmationMethods(await findFactors(database, personId), person, config.access)
    if (!methods.includes('password')) throw new ApiError('confirmation_unfit')
    await database.transaction(async (tx) => {
      await lockPerson(tx, personId)
      await countAttempt(tx, personId, 'password', new Date(clock.now()))
    })
    const before = person.password_hash
    if (!(await passwords.matches(password, async () => before, passwordCaller(person.mail, call, context)))) {
      // It has a count of its own: it keeps no one at this address from signing in.
      throw new ApiError('password_wrong')
    }
    return await confirm(context, own, {
      operation: 'confirmByPassword',
      method: 'password',
      async prove(tx) {
        const now = await findPerson(tx, personId)
        // It was changed since it was checked.
        if (now?.password_hash !== before) return new ApiError('password_wrong')
        await clearFailures(tx, personId, 'password')
        return undefined
      },
    })
  },
})
