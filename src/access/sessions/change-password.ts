import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { PasswordChange } from '../../interface/people.js'
import { recordAudit, SERVER } from '../audit.store.js'
import { checkNewPassword, newPasswordSchema, passwordSchema } from '../people/password-rules.js'
import { findPerson, replacePassword } from '../people/people.store.js'
import { passwordCaller } from './device.js'
import { meBody, toMe } from './me.js'
import { requireSessionOf } from './own-session.js'
import { beginSession } from './session.js'
import { deleteSessions, findSessionById } from './sessions.store.js'

/** Change one's own password, which ends every other session; this one goes on under a new token. */
export const changePassword = serverOperation({
  operationId: 'changePassword',
  summary: 'Change your own password; your other sessions end.',
  description:
    'Takes the present password, unless the session began with a link, which a first password takes. This session goes on under a new token, in a new cookie. Costs two passwords: see signIn.',
  method: 'PUT',
  path: '/me/password',
  surfaces: ['console'],
  permission: 'self',
  answers: [200, 400, 401, 403],
  body: Joi.object<PasswordChange, true>({
    currentPassword: passwordSchema,
    newPassword: newPasswordSchema.required(),
  }),
  success: meBody,
  async handle(call, context) {
    const { currentPassword, newPassword } = call.body
    const { principal, headers } = call
    const { clock, config, database, passwords } = context
    if (!config.passwords) throw new ApiError('passwords_off')
    const { personId, sessionId } = requireSessionOf(principal)
    const person = await findPerson(database, personId)
    const session = await findSessionById(database, sessionId)
    if (person === undefined || session === undefined) throw new ApiError('session_ended')
    const before = person.password_hash
    const caller = passwordCaller(person.mail, call, context)
    if (session.method !== 'link') {
      // A session that was stolen must not become a password.
      if (before === null) throw new ApiError('password_missing')
      if (!(await passwords.matches(currentPassword ?? '', async () => before, caller))) {
        throw new ApiError('sign_in_failed', { message: 'The current password is wrong.' })
      }
    }
    checkNewPassword(newPassword, person)
    const after = await passwords.hash(newPassword, caller)
    const now = new Date(clock.now())
    const begun = await database.transaction(async (tx) => {
      if (!(await replacePassword(tx, personId, { before, after }))) throw new ApiError('session_ended')
      await recordAudit(tx, {
        principal: { organizationId: SERVER, actor: principal.actor },
        at: now,
        operation: 'changePassword',
        target: { type: 'user', id: personId },
      })
      await deleteSessions(tx, personId)
      return await beginSession(tx, personId, { method: session.method, headers, now })
    })
    return ok(await toMe(database, begun.person, begun.session), begun.headers)
  },
})
