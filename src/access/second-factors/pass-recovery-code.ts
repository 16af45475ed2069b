import { serverOperation } from '../../http/operation.js'
import { meBody } from '../sessions/me.js'
import { codeBody } from './bodies.js'
import { passSecondFactor } from './pass.js'
import { byRecoveryCode } from './proofs.js'

/** Finish a sign-in with a recovery code, which is used up. */
export const passRecoveryCode = serverOperation({
  operationId: 'passRecoveryCode',
  summary: 'Finish the sign-in with a recovery code, which is used up.',
  description:
    'For a lost authenticator. Sets the session cookie under a new token and answers as GET /me does. The fifth wrong one ends this sign-in. Costs one small transaction.',
  method: 'POST',
  path: '/second-factor/recovery-code',
  surfaces: ['console'],
  permission: 'second-factor',
  answers: [200, 401],
  body: codeBody,
  success: meBody,
  handle: ({ body: { code }, principal, headers, caller }, context) =>
    passSecondFactor(context, {
      ...{ principal, headers, caller, operation: 'passRecoveryCode', method: 'recovery-code' },
      prove: () => byRecoveryCode(code),
    }),
})
