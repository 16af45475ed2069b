import { ApiError } from '../errors.js'
import { bearerOf } from '../http/bearer.js'
import type { Context } from '../http/context.js'
import type { Principal } from '../http/principal.js'
import type { Authenticator, Caller, RequestHead, Surface } from '../http/surfaces.js'
import { whenReady } from '../lib/ready.js'
import { checkVersion, createAuthenticate, createAuthenticateOperator } from './authenticate.js'
import { enterAsPerson } from './enter-organization.js'
import { findOrganization } from './organizations.store.js'
import {
  HALF_SESSION_PERMISSIONS,
  KEY_PERMISSIONS,
  OUTSIDER_PERMISSIONS,
  OWNER_PERMISSIONS,
  VISITOR_PERMISSIONS,
} from './permissions.js'
import { createReviewAuthenticator } from './review-links/review-authenticator.js'
import { createSessionAuthenticator } from './sessions/session-authenticator.js'
import { createSnapshotReader, type ReadSnapshot } from './snapshot.js'
import { PERSONAL_TOKEN_PREFIX } from './tokens/personal-token.js'
import { createTokenAuthenticator } from './tokens/token-authenticator.js'

/** The headers of a signed call. */
const BY_KEY = ['apiKey', 'date', 'signature', 'version']

/** `/v1`: the current form of the interface, signed with a key. */
export const v1: Surface = {
  name: 'v1',
  prefix: '/v1',
  organization: 'caller',
  permissions: KEY_PERMISSIONS,
  answers: [400, 402, 403, 422],
  docs: {
    tag: 'current',
    description: 'The interface in its current form, signed with an API key.',
    security: [BY_KEY],
  },
}

/** `/v0`: the earlier variant (interface 9.4). */
export const v0: Surface = {
  name: 'v0',
  prefix: '/v0',
  organization: 'caller',
  permissions: KEY_PERMISSIONS,
  answers: [402, 403, 422],
  docs: {
    tag: 'earlier',
    description: 'The earlier variant, served when EARLIER_VARIANT is on.',
    security: [['apiKey', 'earlierDate', 'signature']],
  },
}

/** `/api`: everything else, for people, operators and programs. The paths name the organization. */
export const api: Surface = {
  name: 'api',
  prefix: '/api',
  organization: 'path',
  permissions: new Set([...OWNER_PERMISSIONS, ...VISITOR_PERMISSIONS, ...HALF_SESSION_PERMISSIONS]),
  answers: [400, 401, 402, 403, 404, 422],
  serverAnswers: [400, 401, 403, 422],
  docs: {
    tag: 'api',
    description:
      'Everything beyond the interface. Callers use the session of a person, a bearer token of an operator or of a person, or a signature with a key that holds the permission `api`. Permissions decide what a caller may do.',
    security: [['bearer'], ['session'], BY_KEY],
  },
}

/** `/api/review`: the holder of a review link. */
export const review: Surface = {
  name: 'review',
  prefix: '/api/review',
  organization: 'caller',
  permissions: OUTSIDER_PERMISSIONS,
  answers: [401, 402, 422],
  docs: {
    tag: 'review',
    description:
      'The calls of the review page, with the token of the link: read its posts, approve them or return them.',
    security: [['reviewLink']],
  },
}

export const SURFACES: readonly Surface[] = [v1, v0, api, review]

/** Returns the surfaces that the configuration enables, each with its authenticator. */
export function openSurfaces(context: Context): [Surface, Authenticator][] {
  const readSnapshot = createSnapshotReader(context.database)
  const authenticateCurrent = createAuthenticate('imf-fixdate', { ...context, readSnapshot })
  const byKey: Authenticator = {
    reads: 'headers',
    authenticate(head) {
      checkVersion(head.headers)
      return authenticateCurrent(head)
    },
  }
  const surfaces: [Surface, Authenticator][] = [[v1, byKey]]
  if (context.config.http.earlierVariant) {
    const authenticate = createAuthenticate('iso-8601', { ...context, readSnapshot })
    surfaces.push([v0, { reads: 'headers', authenticate }])
  }
  surfaces.push([api, createApiAuthenticator(context, readSnapshot, byKey)])
  surfaces.push([review, createReviewAuthenticator(context, readSnapshot)])
  return surfaces
}

/**
 * Authenticates `/api` by a bearer token, by the signature of a key, or else by a session. A sign-in takes no
 * credential, so none is checked.
 */
function createApiAuthenticator(context: Context, readSnapshot: ReadSnapshot, byKey: Authenticator): Authenticator {
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
            message: 'A key can call /api only with the permission api: ask for a key that has it.',
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

/**
 * Authenticates operators, who can enter every organization. A server without an OPERATOR_TOKEN accepts no operator.
 */
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
