import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import { hashToken } from '../../lib/tokens.js'
import { SIGN_IN_LINK_PASSWORD_MS } from '../people/invitation.js'
import { findSignInLink, takeSignInLink } from '../people/invitations.store.js'
import { tokenSchema } from '../people/password-rules.js'
import { lockPeople } from '../people/people.store.js'
import { signedInHeaders } from './device.js'
import { signedInBody, toSignedIn } from './me.js'
import { signInAs } from './session.js'
import { findSignedInOther } from './signed-in-before.js'

/** Begin a session with a sign-in link, which works once. */
export const signInByLink = serverOperation({
  operationId: 'signInByLink',
  summary: 'Sign in with the token of a sign-in link, once.',
  description:
    'Sets the session cookie and answers as GET /me does; for ten minutes the session may set a password once without the present one. In a browser where another person is signed in it takes `replace: true`: a page elsewhere can lead there with a link to an account that is not yours. Costs one small transaction.',
  route: 'POST /sign-in/link',
  permission: 'sign-in',
  answers: [200, 400, 401, 409],
  body: namedObject('LinkSignIn', {
    token: tokenSchema.required(),
    replace: Joi.boolean().description('Ends the session of another person that the browser has.'),
  }),
  success: signedInBody,
  async handle({ body: { token, replace = false }, headers, caller: { ip } }, context) {
    const { clock, database } = context
    const now = new Date(clock.now())
    const begun = await database.transaction(async (tx) => {
      const personId = await findSignInLink(tx, hashToken(token), now)
      if (personId === undefined) throw new ApiError('link_unusable')
      await lockPeople(tx, { ids: [personId] })
      if (!(await takeSignInLink(tx, hashToken(token)))) throw new ApiError('link_unusable')
      const other = replace ? undefined : await findSignedInOther(tx, personId, headers, now)
      if (other !== undefined) {
        // Thrown in the transaction, so that the link stays.
        throw new ApiError('signed_in_already', {
          message: `${other.name} is signed in in this browser: sign out first, or send replace: true to go on as the person of the link.`,
        })
      }
      const passwordUntil = new Date(now.getTime() + SIGN_IN_LINK_PASSWORD_MS)
      const how = { operation: 'signInByLink', method: 'link', headers, ip, now, passwordUntil } as const
      return await signInAs(tx, personId, how)
    })
    return ok(await toSignedIn(database, begun), signedInHeaders(begun, headers, context))
  },
})
