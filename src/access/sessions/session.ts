import type { IncomingHttpHeaders } from 'node:http'
import { recordSessionAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { localeOf } from '../../http/language.js'
import type { ServerPrincipal } from '../../http/principal.js'
import type { SecondFactorMethod, SignInMethod } from '../../interface/generated/types.js'
import { networkOf } from '../../lib/addresses.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { describeBrowser } from '../../lib/user-agent.js'
import { notifyPerson } from '../../news/notify-person.js'
import { lockPerson, type PersonWithPassword, setBrowserLocale } from '../people/people.store.js'
import { type FactorsRow, findFactors, hasFactor } from '../second-factors/second-factors.store.js'
import { endTokens } from '../tokens/personal-tokens.store.js'
import { lockIdToken, readSessionToken, setCookie, unlockIdToken } from './cookie.js'
import {
  deleteHalfSessionByToken,
  deleteSessionByToken,
  deleteSessions,
  findSessionById,
  insertHalfSession,
  insertSession,
  notePlace,
  type OwnSessionRow,
} from './sessions.store.js'

/** How long a session lives, even if it is in use. */
const SESSION_MAX_MS = 7 * 86_400_000
/** How long a person who has passed the first factor has for the second. */
const HALF_SESSION_MS = 10 * 60_000
const HALF_SESSIONS_MAX = limit('halfSessionsPerPerson')
const SESSIONS_MAX = limit('sessionsPerPerson')
const USER_AGENT_CHARS_MAX = 200
/** A limit, because a proxy may send anything as the client's address. */
export const ADDRESS_CHARS_MAX = 64

export interface BegunSession {
  person: PersonWithPassword
  session: {
    id: string
    method: SignInMethod
    expiresAt: Date
    secondFactor: boolean
    confirmedAt: Date
    passwordUntil: Date | null
  }
  /** Sets the cookie with the session's token. */
  headers: Record<string, string>
}

/** A session that can only pass the second factor. */
export interface BegunHalfSession {
  person: PersonWithPassword
  needs: { sessionId: string; methods: SecondFactorMethod[] }
  headers: Record<string, string>
}

interface Renewal extends SessionRequest {
  secondFactor?: boolean
  confirmedAt?: Date
}

interface Beginning extends SessionRequest {
  method: SignInMethod
  /** Until then the session may set a password without the current one. */
  passwordUntil?: Date | null
  /** True if the sign-in counts as including a second factor, so that none is asked for. */
  secondFactor?: boolean
  /** The ID token of a sign-in with the provider. */
  idToken?: string | undefined
}

/**
 * Begins a session with a new token and ends the browser's earlier one. Begins a half session if the person still has
 * to pass a second factor. Throws sign_in_failed for an inactive person. Locks the person, so that a change of the
 * password, the factors or the account, which ends sessions, comes before or after.
 */
export async function beginSession(
  tx: Queryable,
  personId: string,
  { secondFactor = false, ...beginning }: Beginning,
): Promise<BegunSession | BegunHalfSession> {
  const person = await lockPerson(tx, personId)
  if (!person?.active) throw new ApiError('sign_in_failed')
  const factors = await findFactors(tx, personId)
  return hasFactor(factors) && !secondFactor
    ? await beginHalfSession(tx, person, beginning, factors)
    : await continueSession(tx, personId, { ...beginning, secondFactor, confirmedAt: beginning.now })
}

/** Begins a whole session of a person who has passed everything required. Throws as beginSession does. */
export async function continueSession(
  tx: Queryable,
  personId: string,
  {
    method,
    headers,
    ip,
    now,
    secondFactor,
    confirmedAt,
    passwordUntil = null,
    idToken,
    goesOn,
  }: Beginning & {
    secondFactor: boolean
    /** When the person last confirmed who they are. */
    confirmedAt: Date
    /**
     * The session that continues with a new token, or the half session that becomes whole. The request carries its
     * current token.
     */
    goesOn?: { id_token_encrypted: string | null }
  },
): Promise<BegunSession> {
  const person = await lockPerson(tx, personId)
  if (!person?.active) throw new ApiError('sign_in_failed')
  await endEarlierSession(tx, headers)
  const token = newToken()
  const session = {
    id: newId('ses'),
    method,
    expiresAt: new Date(now.getTime() + SESSION_MAX_MS),
    secondFactor,
    confirmedAt,
    passwordUntil,
  }
  const address = ip.slice(0, ADDRESS_CHARS_MAX)
  const row = {
    token_hash: hashToken(token),
    session_id: session.id,
    person_id: personId,
    method,
    user_agent: headers['user-agent']?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
    address,
    last_address: address,
    created_at: now,
    last_seen_at: now,
    expires_at: session.expiresAt,
    password_until: passwordUntil,
    second_factor: secondFactor,
    confirmed_at: confirmedAt,
    id_token_encrypted: lockIdToken(
      idToken ?? unlockIdToken(goesOn?.id_token_encrypted, personId, headers),
      personId,
      token,
    ),
  }
  await insertSession(tx, row, SESSIONS_MAX)
  return { person, session, headers: setCookie(token, SESSION_MAX_MS / 1000) }
}

/** Continues a session with a new token, by default with the factors that it has passed. */
export function renewSession(
  tx: Queryable,
  personId: string,
  goesOn: OwnSessionRow,
  { secondFactor = goesOn.second_factor, confirmedAt = goesOn.confirmed_at, ...from }: Renewal,
): Promise<BegunSession> {
  return continueSession(tx, personId, { ...from, method: goesOn.method, secondFactor, confirmedAt, goesOn })
}

async function beginHalfSession(
  tx: Queryable,
  person: PersonWithPassword,
  { method, headers, now, idToken }: Beginning,
  factors: FactorsRow,
): Promise<BegunHalfSession> {
  await endEarlierSession(tx, headers)
  const token = newToken()
  const sessionId = newId('ses')
  const row = {
    token_hash: hashToken(token),
    session_id: sessionId,
    person_id: person.person_id,
    method,
    created_at: now,
    expires_at: new Date(now.getTime() + HALF_SESSION_MS),
    id_token_encrypted: lockIdToken(idToken, person.person_id, token),
  }
  await insertHalfSession(tx, row, HALF_SESSIONS_MAX)
  const needs = { sessionId, methods: methodsOf(factors) }
  return { person, needs, headers: setCookie(token, HALF_SESSION_MS / 1000) }
}

/** Returns the ways in which the person can pass a second factor. */
export function methodsOf({ passkeys, totp, recovery_codes: codes }: FactorsRow): SecondFactorMethod[] {
  return [
    ...(passkeys > 0 ? (['passkey'] as const) : []),
    ...(totp ? (['totp'] as const) : []),
    ...(codes > 0 ? (['recovery-code'] as const) : []),
  ]
}

async function endEarlierSession(tx: Queryable, headers: IncomingHttpHeaders): Promise<void> {
  const earlier = readSessionToken(headers)
  if (earlier === undefined) return
  await deleteSessionByToken(tx, hashToken(earlier))
  await deleteHalfSessionByToken(tx, hashToken(earlier))
}

/**
 * Begins the session of a sign-in, writes it to the server's audit trail, and notifies the person of an unknown
 * place.
 */
export async function signInAs(
  tx: Queryable,
  personId: string,
  options: Beginning & { operation: string; changes?: Record<string, unknown> },
): Promise<BegunSession | BegunHalfSession> {
  const begun = await beginSession(tx, personId, options)
  const isHalf = 'needs' in begun
  // A half session does not yet count as a sign-in.
  if (!isHalf) await noteSignIn(tx, personId, options)
  const changes = { ...options.changes, ...(isHalf ? { secondFactor: 'needed' } : {}) }
  const sessionId = isHalf ? begun.needs.sessionId : begun.session.id
  const change = { at: options.now, operation: options.operation, ...(Object.keys(changes).length > 0 && { changes }) }
  await recordSessionAudit(tx, { personId, sessionId }, change)
  return begun
}

/** The request that begins or continues a session. */
export interface SessionRequest {
  headers: IncomingHttpHeaders
  ip: string
  now: Date
}

/**
 * Stores the browser's locale for emails, and notifies the person of a sign-in from a browser or network that was not
 * seen before (docs/access.md). The first sign-in of an account is only the baseline and is not reported. The person
 * must be locked.
 */
export async function noteSignIn(tx: Queryable, personId: string, { headers, ip, now }: SessionRequest): Promise<void> {
  await setBrowserLocale(tx, personId, localeOf(headers))
  const place = { browser: describeBrowser(headers['user-agent']), network: networkOf(ip) }
  if ((await notePlace(tx, personId, place, { at: now, max: limit('signInPlaces') })) !== 'new') return
  await notifyPerson(tx, { kind: 'sign-in', personId, at: now, caller: { ip }, headers })
}

type ChangeOfRights = SessionRequest & { principal: ServerPrincipal }

/**
 * Renews the caller's session after a change of a person's rights in one organization, if the session is that
 * person's. Rights are read at each request, so the person's other sessions continue with the new rights. Returns the
 * headers for the browser.
 */
export async function renewOwnSession(
  tx: Queryable,
  personId: string,
  { principal, ...from }: ChangeOfRights,
): Promise<Record<string, string> | undefined> {
  const own = await findOwn(tx, personId, principal)
  return own && (await renewSession(tx, personId, own, from)).headers
}

/** Does the same after a change of a person's rights on the server, and ends their other sessions and their tokens. */
export async function renewSessions(
  tx: Queryable,
  { person_id: personId, active }: { person_id: string; active: boolean },
  { principal, ...from }: ChangeOfRights,
): Promise<Record<string, string> | undefined> {
  const own = active ? await findOwn(tx, personId, principal) : undefined
  await deleteSessions(tx, personId)
  await endTokens(tx, personId, principal.actor, from.now)
  return own && (await renewSession(tx, personId, own, from)).headers
}

async function findOwn(
  tx: Queryable,
  personId: string,
  { actor, sessionId }: ServerPrincipal,
): Promise<OwnSessionRow | undefined> {
  const isOwn = actor.type === 'user' && actor.id === personId && sessionId !== undefined
  return isOwn ? await findSessionById(tx, sessionId) : undefined
}
