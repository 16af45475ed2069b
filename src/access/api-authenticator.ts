import { ApiError } from '../errors.js'
import { bearerOf } from '../http/bearer.js'
import type { Context } from '../http/context.js'
import type { Principal } from '../http/principal.js'
import type { Authenticator, Caller, RequestHead } from '../http/surfaces.js'
import { whenReady } from '../lib/ready.js'
import { createAuthenticateOperator } from './authenticate.js'
import { enterAsPerson } from './enter-organization.js'
import { findOrganization } from './organizations.store.js'
import { createSessionAuthenticator } from './sessions/session-authenticator.js'
import type { ReadSnapshot } from './snapshot.js'
import { PERSONAL_TOKEN_PREFIX } from './tokens/personal-token.js'
import { createTokenAuthenticator } from './tokens/token-authenticator.js'

/**
 * Makes the authentication of `/api`: by a bearer token, by the signature of a key, and otherwise by a session. A sign-in
 * takes no credential, so it looks at none.
 */
export function createApiAuthenticator(
  context: Context,
  readSnapshot: ReadSnapshot,
  byKey: Authenticator,
): Authenticator {
  const bySession = createSessionAuthenticator(context, readSnapshot)
  const byOperator = createOperatorAuthenticator(context, readSnapshot)
  const byToken = createTokenAuthenticator(context, readSnapshot)

  const authenticatorOf = ({ headers }: Pick<RequestHead, 'headers'>): Authenticator => {
    const token = bearerOf(headers)
    if (token !== undefined) return token.startsWith(PERSONAL_TOKEN_PREFIX) ? byToken : byOperator
    return headers['x-api-key'] === undefined ? bySession : byKey
  }

  return {
    reads: 'headers',
    authenticate(head, permission) {
      if (permission === 'sign-in' || permission === 'device') return bySession.authenticate(head, permission)
      const authenticator = authenticatorOf(head)
      return whenReady(authenticator.authenticate(head, permission), (caller) => {
        const { actor, permissions } = caller.principal
        if (actor.type === 'key' && !permissions.has('api')) {
          context.keyUses.refuse(actor.id, 'permission', context.clock.now())
          throw new ApiError('permission_missing', {
            message: 'A key calls /api only with the permission api: ask for a key that was issued with it.',
          })
        }
        return caller
      })
    },
    enterOrganization(caller, organizationId, database) {
      const { principal } = caller
      if (principal.actor.type === 'user') return enterAsPerson(caller, organizationId, database)
      if (principal.actor.type === 'operator') return byOperator.enterOrganization!(caller, organizationId, database)
      if (principal.organizationId !== organizationId) throw new ApiError('organization_not_found')
      return principal as Principal
    },
    requireConfirmation: (principal) => bySession.requireConfirmation!(principal),
  }
}

/** Authenticates operators, who enter every organization. A server without an OPERATOR_TOKEN knows no operator. */
function createOperatorAuthenticator(context: Context, readSnapshot: ReadSnapshot): Authenticator {
  const { operatorToken } = context.config.access
  const refuse = (): never => {
    throw new ApiError('operator_token_wrong')
  }
  return {
    reads: 'headers',
    authenticate:
      operatorToken === undefined ? refuse : createAuthenticateOperator(operatorToken, { ...context, readSnapshot }),
    async enterOrganization({ principal, snapshot }: Caller, organizationId, database) {
      const cache = await snapshot.cacheOf(organizationId)
      const row = await cache.getOrLoad(['organization', organizationId], () =>
        findOrganization(database, organizationId),
      )
      if (row === undefined) throw new ApiError('organization_not_found')
      return { ...principal, organizationId }
    },
  }
}
