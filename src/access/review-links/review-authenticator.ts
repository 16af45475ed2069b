import { ApiError } from '../../errors.js'
import { bearerOf } from '../../http/bearer.js'
import type { Context } from '../../http/context.js'
import type { Authenticator } from '../../http/surfaces.js'
import { createLru } from '../../lib/lru.js'
import { hashToken } from '../../lib/tokens.js'
import { OUTSIDER_PERMISSIONS } from '../permissions.js'
import type { ReadSnapshot } from '../snapshot.js'
import { findReviewLink } from './review-links.store.js'

const ACCEPTED_TOKENS_MAX = 1_000

/**
 * Authenticates the holder of a review link by the token in the Authorization header, which, unlike a cookie, other
 * sites cannot send.
 */
export function createReviewAuthenticator(
  { database, clock, failedAttempts }: Context,
  readSnapshot: ReadSnapshot,
): Authenticator {
  /** Digests of accepted tokens, which keep working from an address where others fail. */
  const accepted = createLru<string, true>(ACCEPTED_TOKENS_MAX)

  return {
    reads: 'headers',
    async authenticate({ headers, ip }) {
      const token = bearerOf(headers)
      if (token === undefined) throw new ApiError('link_token_wrong')
      const hash = hashToken(token)
      if (!accepted.has(hash)) failedAttempts.check(ip)
      const row = await findReviewLink(database, hash, new Date(clock.now()))
      if (row === undefined) {
        accepted.delete(hash)
        failedAttempts.note(ip)
        throw new ApiError('link_token_wrong')
      }
      accepted.set(hash, true)
      if (!row.organization_active) throw new ApiError('organization_inactive')
      const { organization_id: organizationId, link_id: id, name } = row
      const link = {
        ...{ id, name },
        isSent: row.mail !== null,
        madeBy: row.made_by,
        makerName: row.maker_name,
        organizationName: row.organization_name,
        timeZone: row.time_zone,
        expiresAt: row.expires_at,
      }
      const principal = {
        actor: { type: 'outsider', id } as const,
        permissions: OUTSIDER_PERMISSIONS,
        organizationId,
        link,
      }
      return { principal, snapshot: await readSnapshot() }
    },
  }
}
