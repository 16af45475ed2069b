import Joi from 'joi'
import { named, namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { SignInOptions } from '../../interface/generated/types.js'

/** How people sign in on this server. Idempotent. */
export const getSignInOptions = serverOperation({
  operationId: 'getSignInOptions',
  summary: 'Tell how people sign in on this server.',
  description: 'For the page that asks for it. Costs nothing.',
  route: 'GET /sign-in',
  permission: 'sign-in',
  answers: [200],
  success: namedObject('SignInOptions', {
    password: Joi.boolean().required(),
    passwordLink: Joi.boolean().required().description('Whether a mail lets one in who has forgotten the password.'),
    passkey: Joi.boolean().required().description('Whether a passkey alone signs in, without a mail address.'),
    oidc: named(
      'OidcOption',
      Joi.object({
        name: Joi.string().required().description('Of the identity provider, for “Sign in with …”.'),
      }),
    ),
  }),
  handle: (_call, { config: { access, mail, oidc } }) =>
    ok({
      password: access.passwords,
      passwordLink: access.passwords && mail !== null,
      passkey: access.passwords,
      ...(oidc === null ? {} : { oidc: { name: oidc.name } }),
    } satisfies SignInOptions),
})
