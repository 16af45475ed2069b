import Joi, { type ValidationErrorItem } from 'joi'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context, PasswordCaller } from '../../http/context.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { Acceptance } from '../../interface/people.js'
import { newId } from '../../lib/ids.js'
import { hashToken } from '../../lib/tokens.js'
import { passwordCaller, signedInHeaders } from '../sessions/device.js'
import { meBody, toMe } from '../sessions/me.js'
import { beginSession } from '../sessions/session.js'
import { deleteSessions } from '../sessions/sessions.store.js'
import { findInvitation, isOwnerLink } from './invitations.store.js'
import { checkNewPassword, newPasswordSchema, tokenSchema } from './password-rules.js'
import { findPersonByMail, insertPerson, lockPerson } from './people.store.js'
import { mailSchema, personNameSchema } from './person.js'
import { becomeMember, becomeOwner } from './take-invitation.js'

/** Accept an invitation, once: with a new account, or with that of the mail address. */
export const acceptInvitation = serverOperation({
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation, with a new account or with the one that the mail address has.',
  description:
    'For a new account: name and password; where passwords are switched off it takes the identity provider (beginOidcSignIn), but for the link of an owner, which then makes an account without a password. Where the mail address has an account (hasAccount of readInvitation): its password; its other sessions end. Sets the session cookie and answers as GET /me does. Costs one password: see signIn.',
  method: 'POST',
  path: '/invitation/accept',
  surfaces: ['console'],
  permission: 'sign-in',
  answers: [200, 400, 401, 403, 409],
  body: Joi.object<Acceptance, true>({
    token: tokenSchema.required(),
    name: personNameSchema.description('Of a new account.'),
    mail: mailSchema.description('Of an owner; otherwise the invitation says it.'),
    password: newPasswordSchema.description('Left out by an owner where passwords are switched off.'),
  }),
  success: meBody,
  async handle(call, context) {
    const { body, headers } = call
    const { clock, config, database } = context
    const now = new Date(clock.now())
    const tokenHash = hashToken(body.token)
    const invited = await findInvitation(database, tokenHash, now)
    if (invited === undefined && !(await isOwnerLink(database, tokenHash, now))) throw new ApiError('link_unusable')
    const mail = invited?.mail ?? required(body.mail, 'mail')
    const account = config.passwords
      ? await prepareAccount(
          context,
          { ...body, mail, password: required(body.password, 'password') },
          passwordCaller(mail, call, context),
        )
      : prepareOwner({ ...body, mail, isOwner: invited === undefined })
    const begun = await database.transaction(async (tx) => {
      const personId = await account(tx, now)
      if (invited === undefined) await becomeOwner(tx, tokenHash, personId, now)
      else await becomeMember(tx, tokenHash, personId, now)
      await deleteSessions(tx, personId)
      return await beginSession(tx, personId, { method: config.passwords ? 'password' : 'link', headers, now })
    })
    return ok(await toMe(database, begun.person, begun.session), signedInHeaders(begun, headers, context))
  },
})

/** Checks or hashes the password, outside of any transaction; what is returned gives the id of the account. */
async function prepareAccount(
  { database, passwords }: Context,
  { mail, name, password }: Acceptance & { mail: string; password: string },
  caller: PasswordCaller,
): Promise<(tx: Queryable, at: Date) => Promise<string>> {
  const found = await findPersonByMail(database, mail)
  if (found !== undefined) {
    const findHash = async () => (found.active ? found.password_hash : undefined)
    const matches = await passwords.matches(password, findHash, caller)
    if (!matches) throw new ApiError('sign_in_failed')
    return async (tx) => {
      const locked = await lockPerson(tx, found.person_id)
      if (locked?.password_hash !== found.password_hash) throw new ApiError('sign_in_failed')
      return found.person_id
    }
  }
  const person = { mail, name: required(name, 'name') }
  checkNewPassword(password, person)
  const passwordHash = await passwords.hash(password, caller)
  return async (tx, at) => {
    const row = await insertPerson(tx, { ...person, personId: newId('usr'), owner: false, passwordHash, at })
    return row.person_id
  }
}

/** An account without a password: the way in of an owner while the provider is away, or not set up rightly yet. */
function prepareOwner({ mail, name, isOwner }: Acceptance & { mail: string; isOwner: boolean }) {
  if (!isOwner) throw new ApiError('passwords_off')
  const person = { mail, name: required(name, 'name'), personId: newId('usr'), owner: false, passwordHash: null }
  return async (tx: Queryable, at: Date): Promise<string> => (await insertPerson(tx, { ...person, at })).person_id
}

/** Throws the 422 of a field that is missing. */
function required(value: string | undefined, key: string): string {
  if (value !== undefined) return value
  const detail: ValidationErrorItem = {
    message: `"${key}" is required`,
    path: [key],
    type: 'any.required',
    context: { label: key, key },
  }
  throw new ApiError('validation_failed', { details: [detail] })
}
