import Joi from 'joi'
import { ApiError } from '../../errors.js'
import type { ProviderVisit } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import { unrepeated } from '../../http/params.js'
import type { OidcRedirect } from '../../interface/generated/types.js'
import { hashToken } from '../../lib/tokens.js'
import { takeVisit } from '../people/identities.store.js'
import { tokenSchema } from '../people/password-rules.js'
import { SealedCookie } from './cookie.js'
import { signedInHeaders } from './device.js'
import { enterByProvider } from './enter-by-provider.js'
import { signedInBody, toSignedIn } from './me.js'

/** A sign-in in progress at the provider (docs/decisions/sign-in.md). */
interface Visit extends ProviderVisit {
  /** The SHA-256 of the token of the invitation to accept. */
  invitationHash?: string
}

const VISIT = new SealedCookie<Visit>('__Host-greenroom-visit', 'visit at the identity provider', 10 * 60_000)
const QUERY_CHARS_MAX = 8_000
/** Enough for the query in any UTF-8 characters and the rest of the body. */
const BODY_BYTES_MAX = 32 * 1024

export const beginOidcSignIn = serverOperation({
  operationId: 'beginOidcSignIn',
  summary: 'Begin to sign in with the identity provider. The response has the URL to send the browser to.',
  description:
    'Sets a sealed cookie that is valid for ten minutes; finishOidcSignIn accepts it on any node. With the token of an invitation, the sign-in also accepts the invitation. Costs one call to the provider every five minutes.',
  route: 'POST /sign-in/oidc',
  permission: 'sign-in',
  answers: [200, 400],
  body: namedObject('OidcStart', { invitation: tokenSchema }),
  bodyIsOptional: true,
  success: namedObject('OidcRedirect', { url: Joi.string().required() }),
  async handle({ body: { invitation } }, { clock, identityProvider, sealer }) {
    if (identityProvider === undefined) throw new ApiError('oidc_off')
    const { url, visit } = await identityProvider.begin()
    const invited = invitation === undefined ? {} : { invitationHash: hashToken(invitation) }
    const cookie = VISIT.write(sealer, { ...visit, ...invited }, clock.now())
    return ok({ url } satisfies OidcRedirect, { 'set-cookie': cookie })
  },
})

export const finishOidcSignIn = serverOperation({
  operationId: 'finishOidcSignIn',
  summary: 'Finish a sign-in with the identity provider, with the query of its redirect.',
  description:
    'Needs the cookie of beginOidcSignIn and the query of the redirect URL, which works once. Sets the session cookie and answers as GET /me does. Costs two to four calls to the provider and a small transaction.',
  route: 'POST /sign-in/oidc/finish',
  permission: 'sign-in',
  answers: [200, 400, 401, 403, 409],
  bodyBytesMax: BODY_BYTES_MAX,
  body: namedObject('OidcReturn', {
    query: unrepeated(Joi.string().max(QUERY_CHARS_MAX).allow('')).required(),
  }),
  success: signedInBody,
  async handle({ body: { query }, headers, caller: { ip } }, context) {
    const { clock, database, identityProvider, sealer } = context
    if (identityProvider === undefined) throw new ApiError('oidc_off')
    const visit = VISIT.read(sealer, headers, clock.now())
    if (visit === undefined || new URLSearchParams(query).get('state') !== visit.state) {
      throw new ApiError('oidc_state_wrong')
    }
    // Before the provider is called: if a code is sent twice, the provider may revoke the tokens of the first
    // exchange.
    const taken = {
      stateHash: hashToken(visit.state),
      now: new Date(clock.now()),
      expiresAt: new Date(visit.expiresAt),
    }
    if (!(await takeVisit(database, taken))) throw new ApiError('oidc_state_wrong')
    const identity = await identityProvider.finish(query, visit)
    const begun = await enterByProvider(context, identity, { invitationHash: visit.invitationHash, headers, ip })
    return ok(await toSignedIn(database, begun), signedInHeaders(begun, headers, context))
  },
})
