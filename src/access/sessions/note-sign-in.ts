import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../../database/database.js'
import { localeOf } from '../../http/language.js'
import { networkOf } from '../../lib/addresses.js'
import { limit } from '../../lib/limits.js'
import { describeBrowser } from '../../lib/user-agent.js'
import { notifyPerson } from '../people/notify-person.js'
import { setBrowserLocale } from '../people/people.store.js'
import { notePlace } from './sign-in-places.store.js'

/** The request with which a session begins or goes on. */
export interface SessionRequest {
  headers: IncomingHttpHeaders
  ip: string
  now: Date
}

/**
 * Keeps the locale of the browser for mails, and tells the person, who is locked, of a sign-in from a browser or a network
 * that was not seen before (docs/access.md). The first of an account is what later ones are compared with, and is not told.
 */
export async function noteSignIn(tx: Queryable, personId: string, { headers, ip, now }: SessionRequest): Promise<void> {
  await setBrowserLocale(tx, personId, localeOf(headers))
  const place = { browser: describeBrowser(headers['user-agent']), network: networkOf(ip) }
  if ((await notePlace(tx, personId, place, { at: now, max: limit('signInPlaces') })) !== 'new') return
  await notifyPerson(tx, { kind: 'sign-in', personId, at: now, caller: { ip }, headers })
}
