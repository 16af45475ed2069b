import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { LinkToken } from '../../interface/people.js'
import { hashToken } from '../../lib/tokens.js'
import { takeSignInLink } from '../people/invitations.store.js'
import { tokenSchema } from '../people/password-rules.js'
import { signedInHeaders } from './device.js'
import { meBody, toMe } from './me.js'
import { signInAs } from './session.js'

/** Begin a session with a sign-in link, which works once. */
export const signInByLink = serverOperation({
  operationId: 'signInByLink',
  summary: 'Sign in with the token of a sign-in link, once.',
  description: 'Sets the session cookie and answers as GET /me does. Costs one small transaction.',
  method: 'POST',
  path: '/sign-in/link',
  surfaces: ['console'],
  permission: 'sign-in',
  answers: [200, 400, 401],
  body: Joi.object<LinkToken, true>({ token: tokenSchema.required() }),
  success: meBody,
  async handle({ body: { token }, headers }, context) {
    const { clock, database } = context
    const now = new Date(clock.now())
    const begun = await database.transaction(async (tx) => {
      const personId = await takeSignInLink(tx, hashToken(token), now)
      if (personId === undefined) throw new ApiError('link_unusable')
      return await signInAs(tx, personId, { operation: 'signInByLink', method: 'link', headers, now })
    })
    return ok(await toMe(database, begun.person, begun.session), signedInHeaders(begun, headers, context))
  },
})
