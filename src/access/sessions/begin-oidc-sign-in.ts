import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { OidcRedirect, OidcStart } from '../../interface/people.js'
import { hashToken } from '../../lib/tokens.js'
import { tokenSchema } from '../people/password-rules.js'
import { keepVisit } from './visit.js'

/** Begin to sign in by the identity provider: nothing is stored but in the browser. */
export const beginOidcSignIn = serverOperation({
  operationId: 'beginOidcSignIn',
  summary: 'Begin to sign in by the identity provider: tells where to send the browser.',
  description:
    'Sets a cookie that is sealed and holds for ten minutes; finishOidcSignIn takes it, on any node. With the token of an invitation the sign-in takes that up. Costs a call of the provider every five minutes.',
  method: 'POST',
  path: '/sign-in/oidc',
  surfaces: ['console'],
  permission: 'sign-in',
  answers: [200, 400],
  body: Joi.object<OidcStart, true>({ invitation: tokenSchema }),
  bodyIsOptional: true,
  success: Joi.object<OidcRedirect, true>({ url: Joi.string().required() }),
  async handle({ body: { invitation } }, { clock, identityProvider, sealer }) {
    if (identityProvider === undefined) throw new ApiError('oidc_off')
    const { url, visit } = await identityProvider.begin()
    const invited = invitation === undefined ? {} : { invitationHash: hashToken(invitation) }
    return ok({ url } satisfies OidcRedirect, keepVisit(sealer, { ...visit, ...invited }, clock.now()))
  },
})
