import { ApiError } from '../../errors.js'
import { localeOf } from '../../http/language.js'
import { namedObject } from '../../http/named.js'
import { ok } from '../../http/operation.js'
import { recordAccountAudit } from '../audit.store.js'
import { languageSchema, timeZoneSchema } from '../organization.js'
import { findPerson, setBrowserLocale, setPreferences } from '../people/people.store.js'
import { meBody, toMe, toOwnSession } from './me.js'
import { ownOperation } from './own-session.js'
import { findSessionById } from './sessions.store.js'

/** Choose the language and the time zone of one's own console and mails. Idempotent. */
export const setOwnPreferences = ownOperation({
  operationId: 'setOwnPreferences',
  summary:
    'Choose the language and the time zone in which the console shows you everything and mails are written to you.',
  description:
    'Null for the language of the browser and the time zone of the organization. They hold in every organization, and for no one else. Costs one small transaction.',
  route: 'PUT /me/preferences',
  answers: [200],
  body: namedObject('OwnPreferences', {
    language: languageSchema.allow(null).required(),
    timeZone: timeZoneSchema.allow(null).required(),
  }),
  success: meBody,
  async handle({ body, headers, principal }, { clock, database }, { personId, sessionId }) {
    const { language, timeZone } = body
    const at = new Date(clock.now())
    await database.transaction(async (tx) => {
      await setPreferences(tx, personId, body)
      // The cookie still holds the language before.
      const { cookie: _, ...rest } = headers
      await setBrowserLocale(tx, personId, localeOf(rest, language ?? undefined))
      const changes = { language, timeZone }
      await recordAccountAudit(tx, principal.actor, personId, { at, operation: 'setOwnPreferences', changes })
    })
    const person = await findPerson(database, personId)
    const session = await findSessionById(database, sessionId)
    if (person === undefined || session === undefined) throw new ApiError('session_ended')
    return ok(await toMe(database, person, toOwnSession(sessionId, session, clock.now())))
  },
})
