import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { SignInMethod } from '../../interface/people.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { recordAudit, SERVER } from '../audit.store.js'
import { lockPerson, type PersonWithPassword } from '../people/people.store.js'
import { readSessionToken, setCookie } from './cookie.js'
import { noteSignIn } from './note-sign-in.js'
import { deleteSessionByToken, insertSession } from './sessions.store.js'

/** A session ends when it was not seen for so long… */
export const SESSION_IDLE_MS = 12 * 3_600_000
/** …and after so long in any case. */
export const SESSION_MAX_MS = 7 * 86_400_000
const SESSIONS_MAX = limit('sessionsPerPerson')
const USER_AGENT_CHARS_MAX = 200
/** A proxy may name the client by anything. */
export const ADDRESS_CHARS_MAX = 64

export interface BegunSession {
  person: PersonWithPassword
  session: { id: string; method: SignInMethod; expiresAt: Date; passwordUntil: Date | null }
  /** Gives the browser its token. */
  headers: Record<string, string>
}

/**
 * Begins a session of the person under a new token, in a transaction, and ends the one that the browser had. Throws
 * sign_in_failed for a person who is not active. The person is locked: a change of the password or of the account, which ends
 * sessions, comes before or after.
 */
export async function beginSession(
  tx: Queryable,
  personId: string,
  {
    method,
    headers,
    ip,
    now,
    passwordUntil = null,
  }: { method: SignInMethod; headers: IncomingHttpHeaders; ip: string; now: Date; passwordUntil?: Date | null },
): Promise<BegunSession> {
  const person = await lockPerson(tx, personId)
  if (person === undefined || !person.active) throw new ApiError('sign_in_failed')
  const earlier = readSessionToken(headers)
  if (earlier !== undefined) await deleteSessionByToken(tx, hashToken(earlier))
  const token = newToken()
  const session = { id: newId('ses'), method, expiresAt: new Date(now.getTime() + SESSION_MAX_MS), passwordUntil }
  await insertSession(tx, {
    tokenHash: hashToken(token),
    sessionId: session.id,
    personId,
    method,
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
    address: ip.slice(0, ADDRESS_CHARS_MAX),
    at: now,
    expiresAt: session.expiresAt,
    passwordUntil,
    idleSince: new Date(now.getTime() - SESSION_IDLE_MS),
    max: SESSIONS_MAX,
  })
  return { person, session, headers: setCookie(token, SESSION_MAX_MS / 1000) }
}

/** Begins the session of a sign-in, leaves its entry in the trail of the server, and tells the person of an unknown place. */
export async function signInAs(
  tx: Queryable,
  personId: string,
  options: Parameters<typeof beginSession>[2] & { operation: string; changes?: Record<string, unknown> },
): Promise<BegunSession> {
  const begun = await beginSession(tx, personId, options)
  await noteSignIn(tx, personId, options)
  await recordAudit(tx, {
    principal: { organizationId: SERVER, actor: { type: 'user', id: personId } },
    at: options.now,
    operation: options.operation,
    target: { type: 'session', id: begun.session.id },
    ...(options.changes === undefined ? {} : { changes: options.changes }),
  })
  return begun
}
