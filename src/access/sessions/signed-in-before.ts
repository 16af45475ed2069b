import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../../database/database.js'
import { hashToken } from '../../lib/tokens.js'
import { findPerson, type PersonWithPassword } from '../people/people.store.js'
import { readSessionToken } from './cookie.js'
import { findSession, SESSION_IDLE_MS } from './sessions.store.js'

/** The other person whose live session the browser has; undefined for none, and where it is that of `personId`. */
export async function findSignedInOther(
  database: Queryable,
  personId: string,
  headers: IncomingHttpHeaders,
  now: Date,
): Promise<PersonWithPassword | undefined> {
  const token = readSessionToken(headers)
  const session = token === undefined ? undefined : await findSession(database, hashToken(token))
  if (session === undefined || session.person_id === personId || session.expires_at <= now) return undefined
  if (now.getTime() - session.last_seen_at.getTime() >= SESSION_IDLE_MS) return undefined
  return await findPerson(database, session.person_id)
}
