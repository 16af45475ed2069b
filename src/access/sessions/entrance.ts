import { DatabaseUnavailableError } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import type { ServerPrincipal } from '../../http/principal.js'
import type { Entrance } from '../../http/surfaces.js'
import { whenReady } from '../../lib/ready.js'
import { hashToken } from '../../lib/tokens.js'
import { Credentials } from '../credentials.js'
import { findOrganization } from '../organizations.store.js'
import { findMembership } from '../people/memberships.store.js'
import { memberPermissions, OWNER_PERMISSIONS, PERSON_PERMISSIONS, VISITOR_PERMISSIONS } from '../permissions.js'
import type { ReadSnapshot } from '../snapshot.js'
import { readSessionToken } from './cookie.js'
import { findDevice } from './device.js'
import { checkSameSite } from './same-site.js'
import { SESSION_IDLE_MS } from './session.js'
import { findSession, touchSession } from './sessions.store.js'

/** How often it is noted that a session was seen. */
const SEEN_EVERY_MS = 60_000

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
export function createSessionEntrance(
  { database, clock, failedAttempts, sealer }: Context,
  readSnapshot: ReadSnapshot,
): Entrance {
  async function load(tokenHash: string): Promise<KnownSession | undefined> {
    const row = await findSession(database, tokenHash)
    if (row === undefined) return undefined
    return {
      tokenHash,
      principal: {
        actor: { type: 'user', id: row.person_id },
        permissions: row.owner ? OWNER_PERMISSIONS : PERSON_PERMISSIONS,
        sessionId: row.session_id,
      },
      lastSeenAt: row.last_seen_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      touching: undefined,
    }
  }

  /** Whether the session goes on; what the database knows of it may be newer than what is known here. */
  async function touch(session: KnownSession, now: number): Promise<boolean> {
    try {
      const isLive = await touchSession(database, session.tokenHash, {
        now: new Date(now),
        idleSince: new Date(now - SESSION_IDLE_MS),
        notAfter: new Date(now + SESSION_IDLE_MS),
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

  const sessions = new Credentials('session', readSnapshot, load, ({ principal }) => principal.actor.id)

  return {
    reads: 'headers',
    authenticate(arrival, permission) {
      checkSameSite(arrival)
      if (permission === 'sign-in') {
        if (arrival.method === 'GET') return whenReady(readSnapshot(), (snapshot) => ({ principal: VISITOR, snapshot }))
        const device = findDevice(sealer, arrival.headers, clock.now())
        // Whatever it brings: a password is short enough to be guessed. A known device waits for its own failures alone.
        if (device === undefined) failedAttempts.check(arrival.ip)
        else failedAttempts.checkDevice(device.id)
        const principal = device === undefined ? VISITOR : { ...VISITOR, device }
        return whenReady(readSnapshot(), (snapshot) => ({ principal, snapshot }))
      }
      const token = readSessionToken(arrival.headers)
      if (token === undefined) throw new ApiError('session_missing')
      const tokenHash = hashToken(token)
      return whenReady(sessions.find(tokenHash), async ({ snapshot, value: session }) => {
        const now = clock.now()
        if (session === undefined || now >= session.expiresAt) throw new ApiError('session_ended')
        const age = now - session.lastSeenAt
        // A clock that was put back, but not far, ends no session.
        if (age >= SEEN_EVERY_MS || age <= -SESSION_IDLE_MS) {
          session.touching ??= touch(session, now)
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
        return { ...principal, organizationId }
      }
      const membership = await cache.getOrLoad(['membership', organizationId, id], () =>
        findMembership(requestDatabase, organizationId, id),
      )
      if (membership === undefined) throw new ApiError('organization_not_found')
      if (!membership.organization_active) throw new ApiError('organization_inactive')
      const permissions = memberPermissions(membership.role, membership.may_approve)
      return { ...principal, permissions, organizationId }
    },
  }
}
