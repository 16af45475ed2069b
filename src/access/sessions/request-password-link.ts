import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { recordEvent } from '../../events/events.store.js'
import { namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import { groupAddress } from '../../lib/addresses.js'
import { SERVER } from '../audit.store.js'
import { mailSchema } from '../people/mail-address.js'
import { toNotice } from '../people/notify-person.js'

/**
 * Asks for a link by mail with which a person who has forgotten the password sets another one. What is done here is the
 * same whether there is an account or not: one event is stored, and the process that sends mails looks for accounts.
 */
export const requestPasswordLink = serverOperation({
  operationId: 'requestPasswordLink',
  summary: 'Ask for a mail with a link that lets a person in who has forgotten the password.',
  description:
    'The answer is the same whether there is such an account. A mail goes to active accounts with a password whose address is proven; its link works once and for 30 minutes, second factors are still asked for, and in the session that begins with it a new password is set without the present one. Three an hour for an address have an effect. Costs one small transaction.',
  route: 'POST /sign-in/password-link',
  permission: 'sign-in',
  answers: [200, 403, 409],
  body: namedObject('PasswordLinkRequest', { mail: mailSchema.required() }),
  success: Joi.object({}),
  async handle({ body: { mail }, headers, caller }, { clock, config, database, rateLimits }) {
    if (!config.access.passwords) throw new ApiError('passwords_off')
    if (config.mail === null) throw new ApiError('mails_off')
    const now = clock.now()
    const { passwordLinks, passwordLinksOfMail } = rateLimits
    passwordLinks.take(passwordLinks.bucketOf(groupAddress(caller.ip)), now)
    // An address beyond its limit gets the same answer: the mails of before are on their way.
    if (passwordLinksOfMail.bucketOf(mail.toLowerCase()).take(now) === 0) {
      const data = { ...toNotice({ kind: 'password-link', caller, headers }), mail }
      await recordEvent(database, { organizationId: SERVER, type: 'person.notice', at: new Date(now), data })
    }
    return ok({})
  },
})
