import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import { unrepeated } from '../../http/params.js'
import type { OidcReturn } from '../../interface/people.js'
import { hashToken } from '../../lib/tokens.js'
import { takeVisit } from '../people/identities.store.js'
import { signedInHeaders } from './device.js'
import { enterByProvider } from './enter-by-provider.js'
import { signedInBody, toSignedIn } from './me.js'
import { requireVisit } from './visit.js'

const QUERY_CHARS_MAX = 8_000
/** Whatever its characters are in UTF-8, and the rest of the body. */
const BODY_BYTES_MAX = 32 * 1024

/** Finish a sign-in by the identity provider, once, in the browser that began it. */
export const finishOidcSignIn = serverOperation({
  operationId: 'finishOidcSignIn',
  summary: 'Finish a sign-in by the identity provider with what it has sent the browser back with.',
  description:
    'Takes the cookie of beginOidcSignIn and the query of the redirect address, which works once. Sets the session cookie and answers as GET /me does. Costs two to four calls of the provider and a small transaction.',
  method: 'POST',
  path: '/sign-in/oidc/finish',
  surfaces: ['console'],
  permission: 'sign-in',
  answers: [200, 400, 401, 403, 409],
  bodyBytesMax: BODY_BYTES_MAX,
  body: Joi.object<OidcReturn, true>({ query: unrepeated(Joi.string().max(QUERY_CHARS_MAX).allow('')).required() }),
  success: signedInBody,
  async handle({ body: { query }, headers, caller: { ip } }, context) {
    const { clock, database, identityProvider, sealer } = context
    if (identityProvider === undefined) throw new ApiError('oidc_off')
    const visit = requireVisit(sealer, headers, query, clock.now())
    // Before the provider is asked: a code that is shown twice may cost the first one its tokens.
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
