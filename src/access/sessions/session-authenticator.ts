import { type Database, DatabaseUnavailableError } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { holdsAny, type Needed, type ServerPrincipal } from '../../http/principal.js'
import type { Authenticator, Caller, RequestHead } from '../../http/surfaces.js'
import { isLoopback } from '../../lib/addresses.js'
import { hashToken } from '../../lib/tokens.js'
import { Credentials } from '../credentials.js'
import { HALF_SESSION_PERMISSIONS, OWNER_PERMISSIONS, PERSON_PERMISSIONS, VISITOR_PERMISSIONS } from '../permissions.js'
import type { ReadSnapshot } from '../snapshot.js'
import { readSessionToken } from './cookie.js'
import { findDevice } from './device.js'
import { ADDRESS_CHARS_MAX } from './session.js'
import { findHalfSession, findSession, findSessionById, SESSION_IDLE_MS, touchSession } from './sessions.store.js'

/** How often the last use of a session is recorded. */
const SEEN_EVERY_MS = 60_000
/** How long a confirmation is valid. */
const CONFIRMED_MS = 10 * 60_000

/** A session. It stays cached until the access data changes. */
interface KnownSession {
  tokenHash: string
  principal: ServerPrincipal & { actor: { type: 'user'; id: string } }
  lastSeenAt: number
  expiresAt: number
  /** Set while the last use is being recorded. */
  touching: Promise<boolean> | undefined
}

const VISITOR: ServerPrincipal = { actor: { type: 'visitor' }, permissions: VISITOR_PERMISSIONS }

/** Authenticates people by the session cookie, only for calls from pages of this server. */
export const createSessionAuthenticator = (context: Context, readSnapshot: ReadSnapshot): Authenticator =>
  new SessionAuthenticator(context, readSnapshot)

class SessionAuthenticator implements Authenticator {
  readonly reads = 'headers'
  readonly #sessions: Credentials<KnownSession>

  constructor(
    private readonly context: Context,
    private readonly readSnapshot: ReadSnapshot,
  ) {
    const load = (tokenHash: string): Promise<KnownSession | undefined> => loadSession(context.database, tokenHash)
    this.#sessions = new Credentials('session', readSnapshot, load, ({ principal }) => principal.actor.id)
  }

  async authenticate(head: RequestHead, permission: Needed): Promise<Caller> {
    // Programs use no cookie here, so other sites cannot make a browser call in someone's name.
    if (permission === 'device') return { principal: this.#visit(head), snapshot: await this.readSnapshot() }
    const token = readSessionToken(head.headers)
    if (token === undefined && permission !== 'sign-in') throw new ApiError('session_missing')
    checkSameSite(head)
    if (token === undefined || permission === 'sign-in') {
      return { principal: this.#visit(head), snapshot: await this.readSnapshot() }
    }
    const tokenHash = hashToken(token)
    const { snapshot, value: session } = await this.#sessions.find(tokenHash)
    if (session === undefined) return { principal: await this.#enterHalf(tokenHash, permission, head.ip), snapshot }
    const now = this.context.clock.now()
    if (now >= session.expiresAt) throw new ApiError('session_ended')
    const age = now - session.lastSeenAt
    // A clock that was set back a little does not end a session.
    if (age >= SEEN_EVERY_MS || age <= -SESSION_IDLE_MS) {
      session.touching ??= touch(this.context.database, session, { now, address: head.ip })
      if (!(await session.touching)) throw new ApiError('session_ended')
    }
    return { principal: session.principal, snapshot }
  }

  async requireConfirmation({ sessionId = '' }: ServerPrincipal): Promise<void> {
    // The cached session may be older than a confirmation that was just made.
    const session = await findSessionById(this.context.database, sessionId)
    if (session === undefined) throw new ApiError('session_ended')
    const age = this.context.clock.now() - session.confirmed_at.getTime()
    if (Math.abs(age) >= CONFIRMED_MS) throw new ApiError('confirmation_needed')
  }

  /**
   * Returns the principal of a caller without a session. Throws too_many_failures, because passwords are short enough
   * to guess.
   */
  #visit({ method, headers, ip }: RequestHead): ServerPrincipal {
    if (method === 'GET') return VISITOR
    const { clock, failedAttempts, sealer } = this.context
    const device = findDevice(sealer, headers, clock.now())
    // A known device waits only for its own failures.
    if (device === undefined) failedAttempts.check(ip)
    else failedAttempts.checkDevice(device.id)
    return device === undefined ? VISITOR : { ...VISITOR, device }
  }

  /** Returns the principal of a half session. Throws session_ended and second_factor_needed. */
  async #enterHalf(tokenHash: string, permission: Needed, ip: string): Promise<ServerPrincipal> {
    const { clock, database, failedAttempts } = this.context
    const half = await findHalfSession(database, tokenHash)
    if (half === undefined || clock.now() >= half.expires_at.getTime()) throw new ApiError('session_ended')
    if (!holdsAny(HALF_SESSION_PERMISSIONS, permission)) throw new ApiError('second_factor_needed')
    failedAttempts.check(ip)
    return {
      actor: { type: 'user', id: half.person_id },
      permissions: HALF_SESSION_PERMISSIONS,
      sessionId: half.session_id,
    }
  }
}

async function loadSession(database: Database, tokenHash: string): Promise<KnownSession | undefined> {
  const row = await findSession(database, tokenHash)
  if (row === undefined) return undefined
  return {
    tokenHash,
    principal: {
      actor: { type: 'user', id: row.person_id },
      permissions: row.owner ? OWNER_PERMISSIONS : PERSON_PERMISSIONS,
      isOwner: row.owner,
      sessionId: row.session_id,
      secondFactor: row.second_factor,
    },
    lastSeenAt: row.last_seen_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    touching: undefined,
  }
}

/**
 * Records the last use of a session. Returns false if it has ended, which the database may know before this process.
 */
async function touch(
  database: Database,
  session: KnownSession,
  { now, address }: { now: number; address: string },
): Promise<boolean> {
  try {
    const isLive = await touchSession(database, session.tokenHash, {
      now: new Date(now),
      address: address.slice(0, ADDRESS_CHARS_MAX),
    })
    if (isLive) session.lastSeenAt = now
    return isLive
  } catch (error) {
    // A read-only database must not sign anyone out.
    if (error instanceof DatabaseUnavailableError && now - session.lastSeenAt < SESSION_IDLE_MS) return true
    throw error
  } finally {
    session.touching = undefined
  }
}

/**
 * Throws cross_site for a change that does not come from a page of this server, and https_needed for one from a page
 * on which the browser would not keep the session cookie. Browsers send Sec-Fetch-Site wherever they keep the cookie,
 * over https and on localhost; without it the Origin decides.
 */
function checkSameSite({ method, headers }: Pick<RequestHead, 'method' | 'headers'>): void {
  if (method === 'GET' || method === 'HEAD') return
  const site = headers['sec-fetch-site']
  if (site === 'same-origin') return
  const origin = parseOrigin(headers.origin)
  if (site !== undefined || origin === undefined || origin.host !== headers.host?.toLowerCase()) {
    throw new ApiError('cross_site')
  }
  if (origin.protocol !== 'https:' && !isLoopback(origin.hostname)) throw new ApiError('https_needed')
}

const parseOrigin = (text: string | undefined): URL | undefined =>
  text !== undefined && /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : undefined
