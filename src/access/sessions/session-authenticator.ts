import { DatabaseUnavailableError } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { holdsAny, type Needed, type ServerPrincipal } from '../../http/principal.js'
import type { Authenticator } from '../../http/surfaces.js'
import { whenReady } from '../../lib/ready.js'
import { hashToken } from '../../lib/tokens.js'
import { Credentials } from '../credentials.js'
import { findOrganization } from '../organizations.store.js'
import { findMembership } from '../people/memberships.store.js'
import {
  HALF_SESSION_PERMISSIONS,
  memberPermissions,
  OWNER_PERMISSIONS,
  PERSON_PERMISSIONS,
  VISITOR_PERMISSIONS,
} from '../permissions.js'
import type { ReadSnapshot } from '../snapshot.js'
import { readSessionToken } from './cookie.js'
import { findDevice } from './device.js'
import { findHalfSession } from './half-sessions.store.js'
import { checkSameSite } from './same-site.js'
import { ADDRESS_CHARS_MAX, SESSION_IDLE_MS } from './session.js'
import { findSession, findSessionById, touchSession } from './sessions.store.js'

/** How often it is noted that a session was seen. */
const SEEN_EVERY_MS = 60_000
/** For so long a person who has proven themselves may do what takes a confirmation. */
const CONFIRMED_MS = 10 * 60_000

/** A session, as long as the cached access data stays current. */
interface KnownSession {
  tokenHash: string
  principal: ServerPrincipal & { actor: { type: 'user'; id: string } }
  lastSeenAt: number
  expiresAt: number
  /** While it is being noted that it was seen. */
  touching: Promise<boolean> | undefined
}

const VISITOR: ServerPrincipal = { actor: { type: 'visitor' }, permissions: VISITOR_PERMISSIONS }

/** Lets people in by the session cookie, and only from pages of this server. */
export function createSessionAuthenticator(
  { database, clock, failedAttempts, sealer }: Context,
  readSnapshot: ReadSnapshot,
): Authenticator {
  async function load(tokenHash: string): Promise<KnownSession | undefined> {
    const row = await findSession(database, tokenHash)
    if (row === undefined) return undefined
    return {
      tokenHash,
      principal: {
        actor: { type: 'user', id: row.person_id },
        permissions: row.owner ? OWNER_PERMISSIONS : PERSON_PERMISSIONS,
        sessionId: row.session_id,
        secondFactor: row.second_factor,
      },
      lastSeenAt: row.last_seen_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      touching: undefined,
    }
  }

  /** Whether the session goes on; what the database knows of it may be newer than what is known here. */
  async function touch(session: KnownSession, now: number, ip: string): Promise<boolean> {
    try {
      const isLive = await touchSession(database, session.tokenHash, {
        now: new Date(now),
        idleSince: new Date(now - SESSION_IDLE_MS),
        notAfter: new Date(now + SESSION_IDLE_MS),
        address: ip.slice(0, ADDRESS_CHARS_MAX),
      })
      if (isLive) session.lastSeenAt = now
      return isLive
    } catch (error) {
      // A database that only reads is no reason to be signed out.
      if (error instanceof DatabaseUnavailableError && now - session.lastSeenAt < SESSION_IDLE_MS) return true
      throw error
    } finally {
      session.touching = undefined
    }
  }

  /** The half session with this token, for what it may do. Throws session_ended, second_factor_needed. */
  async function enterHalf(tokenHash: string, permission: Needed, ip: string): Promise<ServerPrincipal> {
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

  const sessions = new Credentials('session', readSnapshot, load, ({ principal }) => principal.actor.id)

  return {
    reads: 'headers',
    authenticate(head, permission) {
      checkSameSite(head)
      if (permission === 'sign-in') {
        if (head.method === 'GET') return whenReady(readSnapshot(), (snapshot) => ({ principal: VISITOR, snapshot }))
        const device = findDevice(sealer, head.headers, clock.now())
        // Whatever it brings: a password is short enough to be guessed. A known device waits for its own failures alone.
        if (device === undefined) failedAttempts.check(head.ip)
        else failedAttempts.checkDevice(device.id)
        const principal = device === undefined ? VISITOR : { ...VISITOR, device }
        return whenReady(readSnapshot(), (snapshot) => ({ principal, snapshot }))
      }
      const token = readSessionToken(head.headers)
      if (token === undefined) throw new ApiError('session_missing')
      const tokenHash = hashToken(token)
      return whenReady(sessions.find(tokenHash), async ({ snapshot, value: session }) => {
        if (session === undefined) return { principal: await enterHalf(tokenHash, permission, head.ip), snapshot }
        const now = clock.now()
        if (now >= session.expiresAt) throw new ApiError('session_ended')
        const age = now - session.lastSeenAt
        // A clock that was put back, but not far, ends no session.
        if (age >= SEEN_EVERY_MS || age <= -SESSION_IDLE_MS) {
          session.touching ??= touch(session, now, head.ip)
          if (!(await session.touching)) throw new ApiError('session_ended')
        }
        return { principal: session.principal, snapshot }
      })
    },
    async enterOrganization({ principal, snapshot }, organizationId, requestDatabase) {
      const { id } = (principal as KnownSession['principal']).actor
      const cache = await snapshot.cacheOf(organizationId)
      if (principal.permissions === OWNER_PERMISSIONS) {
        const organization = await cache.getOrLoad(['organization', organizationId], () =>
          findOrganization(requestDatabase, organizationId),
        )
        if (organization === undefined) throw new ApiError('organization_not_found')
        checkSecondFactor(principal, organization)
        return { ...principal, organizationId }
      }
      const membership = await cache.getOrLoad(['membership', organizationId, id], () =>
        findMembership(requestDatabase, organizationId, id),
      )
      if (membership === undefined) throw new ApiError('organization_not_found')
      if (!membership.organization_active) throw new ApiError('organization_inactive')
      checkSecondFactor(principal, membership)
      const permissions = memberPermissions(membership.role, membership.may_approve)
      return { ...principal, permissions, organizationId }
    },
    async requireConfirmation({ sessionId = '' }) {
      // Not of what is kept in memory: it may be older than what the person has just confirmed.
      const session = await findSessionById(database, sessionId)
      if (session === undefined) throw new ApiError('session_ended')
      const age = clock.now() - session.confirmed_at.getTime()
      if (Math.abs(age) >= CONFIRMED_MS) throw new ApiError('confirmation_needed')
    },
  }
}

/** Throws second_factor_required where the organization asks for more than the session has passed. */
function checkSecondFactor(
  { secondFactor }: ServerPrincipal,
  { require_second_factor: isRequired }: { require_second_factor: boolean },
): void {
  if (isRequired && !secondFactor) throw new ApiError('second_factor_required')
}
