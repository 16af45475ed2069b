import { serverOperation } from '../../http/operation.js'
import { meBody } from '../sessions/me.js'
import { codeBody } from './bodies.js'
import { passSecondFactor } from './pass.js'
import { byTotp } from './proofs.js'

/** Finish a sign-in with a code of the authenticator app. */
export const passTotp = serverOperation({
  operationId: 'passTotp',
  summary: 'Finish the sign-in with a code of the authenticator app.',
  description:
    'Sets the session cookie under a new token and answers as GET /me does. A code counts once. The fifth wrong one ends this sign-in, and wrong ones in a row make the person wait, whatever the address. Costs one small transaction.',
  method: 'POST',
  path: '/second-factor/totp',
  surfaces: ['console'],
  permission: 'second-factor',
  answers: [200, 401],
  body: codeBody,
  success: meBody,
  handle: ({ body: { code }, principal, headers, caller }, context) =>
    passSecondFactor(context, {
      ...{ principal, headers, caller, operation: 'passTotp', method: 'totp' },
      prove: () => byTotp(context, code),
    }),
})
