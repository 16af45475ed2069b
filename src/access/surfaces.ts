import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import type { Authenticator, Surface } from '../http/surfaces.js'
import { checkVersion, createAuthenticate, createAuthenticateOperator } from './authenticate.js'
import { findOrganization } from './organizations.store.js'
import {
  HALF_SESSION_PERMISSIONS,
  KEY_PERMISSIONS,
  OPERATOR_PERMISSIONS,
  OUTSIDER_PERMISSIONS,
  OWNER_PERMISSIONS,
  VISITOR_PERMISSIONS,
} from './permissions.js'
import { createReviewAuthenticator } from './review-links/review-authenticator.js'
import { createSessionAuthenticator } from './sessions/session-authenticator.js'
import { createSnapshotReader } from './snapshot.js'

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
    security: ['apiKey', 'date', 'signature', 'version'],
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
    security: ['apiKey', 'earlierDate', 'signature'],
  },
}

/** `/operator`: the paths name the organization. */
export const operator: Surface = {
  name: 'operator',
  prefix: '/operator',
  organization: 'path',
  permissions: OPERATOR_PERMISSIONS,
  answers: [401, 404, 422],
  serverAnswers: [401, 422],
  docs: {
    tag: 'operator',
    description: "The operator's side, served when OPERATOR_TOKEN is set.",
    security: ['operator'],
  },
}

/** `/console/api`: people who have signed in. The paths name the organization. */
export const consoleApi: Surface = {
  name: 'console',
  prefix: '/console/api',
  organization: 'path',
  permissions: new Set([...OWNER_PERMISSIONS, ...VISITOR_PERMISSIONS, ...HALF_SESSION_PERMISSIONS]),
  answers: [401, 402, 403, 404, 422],
  serverAnswers: [401, 403, 422],
  docs: {
    tag: 'console',
    description: 'What the web console calls: by session, from pages of this server alone.',
    security: ['session'],
  },
}

/** `/review/api`: the holder of a review link. */
export const review: Surface = {
  name: 'review',
  prefix: '/review/api',
  organization: 'caller',
  permissions: OUTSIDER_PERMISSIONS,
  answers: [401, 402, 422],
  docs: {
    tag: 'review',
    description: 'What the page of a review link calls, with the token of the link: its posts, to approve or return.',
    security: ['reviewLink'],
  },
}

export const SURFACES: readonly Surface[] = [v1, v0, operator, consoleApi, review]

/** The surfaces that the configuration serves, each with its authenticator. */
export function openSurfaces(context: Context): [Surface, Authenticator][] {
  const { config, database } = context
  const readSnapshot = createSnapshotReader(database)
  const authenticateCurrent = createAuthenticate('imf-fixdate', { ...context, readSnapshot })
  const surfaces: [Surface, Authenticator][] = [
    [
      v1,
      {
        reads: 'headers',
        authenticate(head) {
          checkVersion(head.headers)
          return authenticateCurrent(head)
        },
      },
    ],
  ]
  if (config.http.earlierVariant) {
    const authenticate = createAuthenticate('iso-8601', { ...context, readSnapshot })
    surfaces.push([v0, { reads: 'headers', authenticate }])
  }
  surfaces.push([consoleApi, createSessionAuthenticator(context, readSnapshot)])
  surfaces.push([review, createReviewAuthenticator(context, readSnapshot)])
  const { operatorToken } = config.access
  if (operatorToken !== undefined) {
    surfaces.push([
      operator,
      {
        reads: 'headers',
        authenticate: createAuthenticateOperator(operatorToken, { ...context, readSnapshot }),
        async enterOrganization({ principal, snapshot }, organizationId, requestDatabase) {
          const cache = await snapshot.cacheOf(organizationId)
          const row = await cache.getOrLoad(['organization', organizationId], () =>
            findOrganization(requestDatabase, organizationId),
          )
          if (row === undefined) throw new ApiError('organization_not_found')
          return { ...principal, organizationId }
        },
      },
    ])
  }
  return surfaces
}
