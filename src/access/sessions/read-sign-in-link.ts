import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { SignInLinkView } from '../../interface/generated/types.js'
import { hashToken } from '../../lib/tokens.js'
import { findSignInLink } from '../people/invitations.store.js'
import { tokenSchema } from '../people/password-rules.js'
import { findPerson } from '../people/people.store.js'
import { findSignedInOther } from './signed-in-before.js'

/**
 * Tells the holder of a sign-in link whom it lets in. It changes nothing, so that a program that opens the links of a mail
 * does not use the link up: signing in takes a click on the page.
 */
export const readSignInLink = serverOperation({
  operationId: 'readSignInLink',
  summary: 'Tell whom a sign-in link lets in, for the one who holds its token.',
  description:
    'For the page that the link opens, before its button is clicked: the link stays as it is, and no session begins. The token is in the body, so that no URL has it. Costs three small reads.',
  route: 'POST /sign-in/link/read',
  permission: 'sign-in',
  answers: [200, 400],
  body: namedObject('LinkToken', { token: tokenSchema.required() }),
  success: namedObject('SignInLinkView', {
    mail: Joi.string().required().description('Of the person whom the link lets in.'),
    replaces: named(
      'ReplacedSession',
      Joi.object({
        name: Joi.string().required(),
        mail: Joi.string().required(),
      }),
    ).description('The other person who is signed in in this browser: signInByLink then takes `replace: true`.'),
  }),
  async handle({ body: { token }, headers }, { clock, database }) {
    const now = new Date(clock.now())
    const personId = await findSignInLink(database, hashToken(token), now)
    const person = personId === undefined ? undefined : await findPerson(database, personId)
    if (!person?.active) throw new ApiError('link_unusable')
    const other = await findSignedInOther(database, person.person_id, headers, now)
    return ok({
      mail: person.mail,
      ...(other && { replaces: { name: other.name, mail: other.mail } }),
    } satisfies SignInLinkView)
  },
})
