import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { PasswordSignIn } from '../../interface/people.js'
import { passwordSchema } from '../people/password-rules.js'
import { findPersonByMail, type PersonWithPassword } from '../people/people.store.js'
import { mailSchema } from '../people/person.js'
import { passwordCaller, signedInHeaders } from './device.js'
import { meBody, toMe } from './me.js'
import { signInAs } from './session.js'

/** Begin a session with a mail address and a password. The same time and answer whether there is such an account. */
export const signIn = serverOperation({
  operationId: 'signIn',
  summary: 'Sign in with a mail address and a password.',
  description:
    'Sets the session cookie, under a new token each time, and answers as GET /me does. Costs a fifth of a second of one core: few are computed at a time, and 503 tells when to try again.',
  method: 'POST',
  path: '/sign-in',
  surfaces: ['console'],
  permission: 'sign-in',
  answers: [200, 401, 403],
  body: Joi.object<PasswordSignIn, true>({ mail: mailSchema.required(), password: passwordSchema.required() }),
  success: meBody,
  async handle(call, context) {
    const { mail, password } = call.body
    const { headers } = call
    const { clock, config, database, passwords } = context
    if (!config.passwords) throw new ApiError('passwords_off')
    const found: { person?: PersonWithPassword | undefined } = {}
    const findHash = async () => {
      found.person = await findPersonByMail(database, mail)
      return found.person?.active ? found.person.password_hash : undefined
    }
    const matches = await passwords.matches(password, findHash, passwordCaller(mail, call, context))
    const { person } = found
    if (person === undefined || !matches) throw new ApiError('sign_in_failed')
    const begun = await database.transaction(async (tx) => {
      const now = new Date(clock.now())
      const session = await signInAs(tx, person.person_id, { operation: 'signIn', method: 'password', headers, now })
      // It was changed since it was checked.
      if (session.person.password_hash !== person.password_hash) throw new ApiError('sign_in_failed')
      return session
    })
    return ok(await toMe(database, begun.person, begun.session), signedInHeaders(begun, headers, context))
  },
})
