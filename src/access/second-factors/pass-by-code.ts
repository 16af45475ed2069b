import { meBody } from '../sessions/me.js'
import { ownOperation } from '../sessions/own-session.js'
import { codeBody } from './bodies.js'
import { passSecondFactor } from './pass.js'
import { byRecoveryCode, byTotp, type Prove } from './proofs.js'

const shared = {
  method: 'POST',
  permission: 'second-factor',
  answers: [200, 401],
  body: codeBody,
  success: meBody,
} as const

/** Finish a sign-in with a code of the authenticator app. */
export const passTotp = ownOperation({
  ...shared,
  operationId: 'passTotp',
  summary: 'Finish the sign-in with a code of the authenticator app.',
  description:
    'Sets the session cookie under a new token and answers as GET /me does. A code counts once. The fifth wrong one ends this sign-in, and wrong ones in a row make the person wait, whatever the address. Costs one small transaction.',
  path: '/second-factor/totp',
  handle(call, context, own) {
    const prove = (): Prove => byTotp(context, call.body.code)
    return passSecondFactor(context, call, own, { operation: 'passTotp', method: 'totp', prove })
  },
})

/** Finish a sign-in with a recovery code, which is used up. */
export const passRecoveryCode = ownOperation({
  ...shared,
  operationId: 'passRecoveryCode',
  summary: 'Finish the sign-in with a recovery code, which is used up.',
  description:
    'For a lost authenticator. Sets the session cookie under a new token and answers as GET /me does. The fifth wrong one ends this sign-in. Costs one small transaction.',
  path: '/second-factor/recovery-code',
  handle(call, context, own) {
    const prove = (): Prove => byRecoveryCode(call.body.code)
    return passSecondFactor(context, call, own, { operation: 'passRecoveryCode', method: 'recovery-code', prove })
  },
})
