import type { Database } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { bearerOf } from '../../http/bearer.js'
import type { Context } from '../../http/context.js'
import type { ServerPrincipal } from '../../http/principal.js'
import type { Authenticator, Caller, RequestHead } from '../../http/surfaces.js'
import { limit } from '../../lib/limits.js'
import { createLru } from '../../lib/lru.js'
import { hashToken } from '../../lib/tokens.js'
import { Credentials } from '../credentials.js'
import { endOf } from '../maximum-age.js'
import { TOKEN_PERMISSIONS } from '../permissions.js'
import type { ReadSnapshot } from '../snapshot.js'
import { PERSONAL_TOKEN_PREFIX } from './personal-token.js'
import { findToken } from './personal-tokens.store.js'

/** A token. It stays cached until the access data changes. */
interface KnownToken {
  id: string
  principal: ServerPrincipal & { actor: { type: 'user'; id: string } }
  expiresAt: number
}

/**
 * Authenticates programs by a person's token. Outside any organization a program can only find out who it is. In an
 * organization it may do what both the scopes and the person's rights allow, which are read at each request. A
 * browser never sends a token on its own, so other sites cannot make it call.
 */
export function createTokenAuthenticator(
  { config, clock, database, failedAttempts, rateLimits, tokenUses }: Context,
  readSnapshot: ReadSnapshot,
): Authenticator {
  const load = (tokenHash: string): Promise<KnownToken | undefined> =>
    loadToken(database, tokenHash, config.access.personalTokenMaxAgeMs)
  const tokens = new Credentials('personalToken', readSnapshot, load, ({ principal }) => principal.actor.id)
  /** Digests of accepted tokens, which keep working from an address where others fail. */
  const accepted = createLru<string, true>(limit('accessEntries'))

  async function authenticate({ headers, ip }: RequestHead): Promise<Caller> {
    const token = bearerOf(headers)
    if (token?.startsWith(PERSONAL_TOKEN_PREFIX) !== true) throw new ApiError('token_wrong')
    const hash = hashToken(token)
    if (!accepted.has(hash)) failedAttempts.check(ip)
    const { snapshot, value } = await tokens.find(hash)
    const now = clock.now()
    if (value === undefined || now >= value.expiresAt) {
      accepted.delete(hash)
      failedAttempts.note(ip)
      throw new ApiError('token_wrong')
    }
    accepted.set(hash, true)
    tokenUses.note(value.id, now)
    const { key } = rateLimits
    return { principal: value.principal, snapshot, answerHeaders: key.take(key.bucketOf(value.id), now) }
  }

  return { reads: 'headers', authenticate }
}

async function loadToken(database: Database, tokenHash: string, maxAgeMs: number): Promise<KnownToken | undefined> {
  const row = await findToken(database, tokenHash)
  if (row === undefined) return undefined
  const token = { id: row.token_id, scopes: new Set(row.scopes), boundTo: row.bound_to ?? undefined }
  return {
    id: row.token_id,
    principal: {
      actor: { type: 'user', id: row.person_id, token },
      permissions: TOKEN_PERMISSIONS,
      isOwner: row.owner,
      secondFactor: row.second_factor,
    },
    expiresAt: endOf(row, maxAgeMs).at!.getTime(),
  }
}
