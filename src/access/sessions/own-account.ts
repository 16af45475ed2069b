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

export const getMe = ownOperation({
  operationId: 'getMe',
  summary: 'Get the signed-in person and what they may do in each organization.',
  description: 'For the first call of a page: 401 means that no one is signed in. Idempotent. Costs two small reads.',
  route: 'GET /me',
  success: meBody,
  handle: (_call, context, own) => answerMe(context, own),
})

async function answerMe({ clock, database }: Context, own: OwnSession): Promise<Answer> {
  const { person, session } = await requireOwn(database, own)
  return ok(await toMe(database, person, toOwnSession(own.sessionId, session, clock.now())))
}

export const setOwnPreferences = ownOperation({
  operationId: 'setOwnPreferences',
  summary: 'Choose your language and time zone for the console and for emails.',
  description:
    'Null means the language of the browser or the time zone of the organization. The choice applies in every organization and only to you. Idempotent. Costs one small transaction.',
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
      // The cookie still has the previous language.
      const { cookie: _, ...rest } = headers
      await setBrowserLocale(tx, personId, localeOf(rest, language ?? undefined))
      const changes = { language, timeZone }
      await recordAccountAudit(tx, principal.actor, personId, { at, operation: 'setOwnPreferences', changes })
    })
    return await answerMe(context, own)
  },
})

const TRIES_MAX = limit('wrongPasswordsPerSession')

export const changePassword = ownOperation({
  operationId: 'changePassword',
  summary: 'Change your own password; your other sessions and your personal tokens end.',
  description:
    'Needs the current password. A session that began with a sign-in link can set a password once without it, within ten minutes. Wrong passwords count only for this session, which ends at the fifth, and do not keep anyone from signing in. This session continues with a new token in a new cookie. Costs two password computations: see signIn.',
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
      // A stolen session must not be enough to set a password.
      if (before === null) throw new ApiError('password_missing')
      if (currentPassword === undefined) throw new ApiError('password_wrong')
      await checkPresent(context, own, { given: currentPassword, hash: before, by })
    }
    checkNewPassword(newPassword, person)
    const after = await passwords.hash(newPassword, by, before)
    const now = new Date(clock.now())
    const begun = await database.transaction(async (tx) => {
      await lockPeople(tx, { ids: [personId] })
      // Only one of two simultaneous changes succeeds; the same applies to a change and the end of the session.
      if (!(await deleteSession(tx, personId, sessionId))) throw new ApiError('session_ended')
      if (!(await replacePassword(tx, personId, { before, after }))) throw new ApiError('session_ended')
      await recordAccountAudit(tx, principal.actor, personId, { at: now, operation: 'changePassword' })
      await notifyPerson(tx, { kind: 'password-set', personId, at: now, caller, headers })
      await deleteSessions(tx, personId)
      // Someone who knew the old password may have made a token.
      await endTokens(tx, personId, principal.actor, now)
      // A link that is still in a mailbox must not work after the password was changed.
      await deleteEntryLinks(tx, personId)
      // Without the current password, the change proves nothing.
      const confirmedAt = isAsked ? now : session.confirmed_at
      return await renewSession(tx, personId, session, { headers, ip: caller.ip, now, confirmedAt })
    })
    return ok(await toMe(database, begun.person, begun.session), begun.headers)
  },
})

interface Presented {
  /** The current password as given, the hash to check it against, and the caller. */
  given: string
  hash: string
  by: PasswordCaller
}

/** Throws password_wrong, and session_ended once the session has had too many wrong passwords. */
async function checkPresent(
  { clock, database, passwords }: Context,
  own: OwnSession,
  { given, hash, by }: Presented,
): Promise<void> {
  const { personId, sessionId } = own
  let tries = 0
  const findHash = async (): Promise<string> => {
    // Counted when the computation starts: an attempt that found no place in the queue does not count.
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
