import { ownOperation } from '../sessions/own-session.js'
import { codeBody, confirmationBody } from './bodies.js'
import { confirm } from './confirm.js'
import { byTotp } from './proofs.js'

/** Confirm the session with a code of the authenticator app. */
export const confirmByTotp = ownOperation({
  operationId: 'confirmByTotp',
  summary: 'Confirm the session with a code of your authenticator app.',
  description: 'A code counts once; wrong ones in a row make the person wait. Costs one small transaction.',
  method: 'POST',
  path: '/me/confirmation/totp',
  answers: [200, 401],
  body: codeBody,
  success: confirmationBody,
  handle: ({ body: { code } }, context, own) =>
    confirm(context, own, { operation: 'confirmByTotp', method: 'totp', prove: byTotp(context, code) }),
})
