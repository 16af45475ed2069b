import { recordAccountAudit, recordSessionAudit } from '../../audit/audit.store.js'
import { ApiError } from '../../errors.js'
import type { Context, PasswordCaller } from '../../http/context.js'
import { localeOf } from '../../http/language.js'
import { namedObject } from '../../http/named.js'
import { type Answer, ok } from '../../http/operation.js'
import { limit } from '../../lib/limits.js'
import { notifyPerson } from '../../news/notify-person.js'
import { languageSchema, timeZoneSchema } from '../organization.js'
import { deleteEntryLinks } from '../people/invitations.store.js'
import { checkNewPassword, newPasswordSchema, passwordSchema } from '../people/password-rules.js'
import { lockPeople, replacePassword, setBrowserLocale, setPreferences } from '../people/people.store.js'
import { endTokens } from '../tokens/personal-tokens.store.js'
import { passwordCaller } from './device.js'
import { meBody, toMe, toOwnSession } from './me.js'
import { type OwnSession, ownOperation, requireOwn } from './own-session.js'
import { renewSession } from './session.js'
import { clearPasswordTries, deleteSession, deleteSessions, takePasswordTry } from './sessions.store.js'

/** Tells who is signed in, and what they may do where. Idempotent. */
export const getMe = ownOperation({
  operationId: 'getMe',
  summary: 'Tell who is signed in, and what they may do in which organization.',
  description: 'The first call of a page: 401 says that no one is signed in. Costs two small reads.',
  route: 'GET /me',
  success: meBody,
  handle: (_call, context, own) => answerMe(context, own),
})

async function answerMe({ clock, database }: Context, own: OwnSession): Promise<Answer> {
  const { person, session } = await requireOwn(database, own)
  return ok(await toMe(database, person, toOwnSession(own.sessionId, session, clock.now())))
}

/** Choose the language and the time zone of one's own console and mails. Idempotent. */
export const setOwnPreferences = ownOperation({
  operationId: 'setOwnPreferences',
  summary:
    'Choose the language and the time zone in which the console shows you everything and mails are written to you.',
  description:
    'Null for the language of the browser and the time zone of the organization. They hold in every organization, and for no one else. Costs one small transaction.',
  route: 'PUT /me/preferences',
  body: namedObject('OwnPreferences', {
    language: languageSchema.allow(null).required(),
    timeZone: timeZoneSchema.allow(null).required(),
  }),
  success: meBody,
  async handle({ body, headers, principal }, context, own) {
    const { language, timeZone } = body
    const { personId } = own
    const at = new Date(context.clock.now())
    await context.database.transaction(async (tx) => {
      await setPreferences(tx, personId, body)
      // The cookie still holds the language before.
      const { cookie: _, ...rest } = headers
      await setBrowserLocale(tx, personId, localeOf(rest, language ?? undefined))
      const changes = { language, timeZone }
      await recordAccountAudit(tx, principal.actor, personId, { at, operation: 'setOwnPreferences', changes })
    })
    return await answerMe(context, own)
  },
})

const TRIES_MAX = limit('wrongPasswordsPerSession')

/** Change one's own password, which ends every other session; this one goes on under a new token. */
export const changePassword = ownOperation({
  operationId: 'changePassword',
  summary: 'Change your own password; your other sessions and your personal tokens end.',
  description:
    'Takes the present password; a session that began with a sign-in link sets one without it, once and within ten minutes. Wrong ones count for the session alone, which ends at the fifth, and keep no one from signing in. This session goes on under a new token, in a new cookie. Costs two passwords: see signIn.',
  route: 'PUT /me/password',
  answers: [200, 400, 401, 403],
  body: namedObject('PasswordChange', {
    currentPassword: passwordSchema,
    newPassword: newPasswordSchema.required(),
  }),
  success: meBody,
  async handle(call, context, own) {
    const { currentPassword, newPassword } = call.body
    const { personId, sessionId } = own
    const { principal, headers, caller } = call
    const { clock, config, database, passwords } = context
    if (!config.access.passwords) throw new ApiError('passwords_off')
    const { person, session } = await requireOwn(database, own)
    const before = person.password_hash
    const by = passwordCaller(person.mail, call, context)
    const isAsked = session.password_until === null || clock.now() >= session.password_until.getTime()
    if (isAsked) {
      // A session that was stolen must not become a password.
      if (before === null) throw new ApiError('password_missing')
      if (currentPassword === undefined) throw new ApiError('password_wrong')
      await checkPresent(context, own, { given: currentPassword, hash: before, by })
    }
    checkNewPassword(newPassword, person)
    const after = await passwords.hash(newPassword, by, before)
    const now = new Date(clock.now())
    const begun = await database.transaction(async (tx) => {
      await lockPeople(tx, { ids: [personId] })
      // Two changes at once, or a change beside the end of the session: only one of them holds.
      if (!(await deleteSession(tx, personId, sessionId))) throw new ApiError('session_ended')
      if (!(await replacePassword(tx, personId, { before, after }))) throw new ApiError('session_ended')
      await recordAccountAudit(tx, principal.actor, personId, { at: now, operation: 'changePassword' })
      await notifyPerson(tx, { kind: 'password-set', personId, at: now, caller, headers })
      await deleteSessions(tx, personId)
      // A token may be of one who knew the password.
      await endTokens(tx, personId, principal.actor, now)
      // A link that is still in a mailbox must not let in after the password was changed.
      await deleteEntryLinks(tx, personId)
      // A password that was not asked for proves nothing.
      const confirmedAt = isAsked ? now : session.confirmed_at
      return await renewSession(tx, personId, session, { headers, ip: caller.ip, now, confirmedAt })
    })
    return ok(await toMe(database, begun.person, begun.session), begun.headers)
  },
})

interface Presented {
  /** The present password, as it was given, and what it is checked against. */
  given: string
  hash: string
  by: PasswordCaller
}

/** Throws password_wrong, and session_ended for a session that has given as many wrong ones as it may. */
async function checkPresent(
  { clock, database, passwords }: Context,
  own: OwnSession,
  { given, hash, by }: Presented,
): Promise<void> {
  const { personId, sessionId } = own
  let tries = 0
  const findHash = async (): Promise<string> => {
    // Counted when it has its place: one for which there is none was not tried.
    const taken = await takePasswordTry(database, sessionId, TRIES_MAX)
    if (taken === undefined) throw new ApiError('session_ended')
    tries = taken
    return hash
  }
  if (await passwords.matches(given, findHash, by)) return await clearPasswordTries(database, sessionId)
  if (tries < TRIES_MAX) throw new ApiError('password_wrong')
  await database.transaction(async (tx) => {
    if (!(await deleteSession(tx, personId, sessionId))) return
    const changes = { wrongPasswords: TRIES_MAX }
    await recordSessionAudit(tx, own, { at: new Date(clock.now()), operation: 'changePassword', changes })
  })
  throw new ApiError('session_ended')
}
