import type { Context } from '../http/context.js'
import type { Authenticator, Surface } from '../http/surfaces.js'
import { createApiAuthenticator } from './api-authenticator.js'
import { checkVersion, createAuthenticate } from './authenticate.js'
import {
  HALF_SESSION_PERMISSIONS,
  KEY_PERMISSIONS,
  OUTSIDER_PERMISSIONS,
  OWNER_PERMISSIONS,
  VISITOR_PERMISSIONS,
} from './permissions.js'
import { createReviewAuthenticator } from './review-links/review-authenticator.js'
import { createSnapshotReader } from './snapshot.js'

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
      'Everything beside the interface: by the session of a person, by a bearer token of an operator or of a person, or signed with a key that holds the permission `api`. What a caller may do is a matter of permissions.',
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
    description: 'What the page of a review link calls, with the token of the link: its posts, to approve or return.',
    security: [['reviewLink']],
  },
}

export const SURFACES: readonly Surface[] = [v1, v0, api, review]

/** The surfaces that the configuration serves, each with its authenticator. */
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
