import { findOrganization } from '../../access/organizations.store.js'
import { foldMail, mailSchema } from '../../access/people/mail-address.js'
import { isMemberMail } from '../../access/people/memberships.store.js'
import { ApiError } from '../../errors.js'
import { recordEvent } from '../../events/events.store.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import { newToken } from '../../lib/tokens.js'
import { makeReviewLink, newLinkFields } from './make-link.js'
import { reviewLinkFields, toReviewLinkBody } from './review-link.js'

/** Send a link by mail to a reviewer of the organization. Its maker never sees it. */
export const sendReviewLink = operation({
  operationId: 'sendReviewLink',
  summary: 'Send a review link by mail to a person outside whom the organization trusts.',
  description:
    'For members who write and may not approve: the link goes to an address that an administrator has added to the reviewers of the organization, and to no one else, so that nobody approves their own posts by it. It works as a link of createReviewLink does, as long as the address is a reviewer’s and you may write. Takes a server with SMTP_URL. Costs one transaction, which locks every post.',
  route: 'POST /review-links/send',
  permission: ['posts:write', 'posts:approve'],
  inChannels: 'checked',
  answers: [201, 400, 403, 404, 409],
  body: namedObject('SentReviewLink', {
    ...newLinkFields,
    mail: mailSchema.required().description('One of the reviewers of the organization.'),
  }),
  success: namedObject('ReviewLink', reviewLinkFields),
  async handle({ body: { mail, ...body }, principal }, { clock, config, database, rateLimits, sealer }) {
    const { organizationId } = principal
    if (config.mail === null) throw new ApiError('mail_off')
    const folded = foldMail(mail)
    const at = new Date(clock.now())
    // A reviewer's mailbox is not the writers' to fill.
    rateLimits.invitedAddresses.take(rateLimits.invitedAddresses.bucketOf(`${organizationId} ${folded}`), clock.now())
    const token = newToken()
    const row = await database.transaction(async (tx) => {
      const link = await makeReviewLink(tx, body, {
        ...{ principal, at, token },
        permission: ['posts:write', 'posts:approve'],
        operation: 'sendReviewLink',
        mail: folded,
      })
      const organization = await findOrganization(tx, organizationId)
      if (!organization?.reviewers.includes(folded) || (await isMemberMail(tx, organizationId, mail))) {
        throw new ApiError('reviewer_unknown')
      }
      const data = { reviewLinkId: link.link_id }
      await recordEvent(tx, {
        ...{ organizationId, at, data },
        type: 'review_link.sent',
        secret: { sealer, plaintext: token },
      })
      return link
    })
    return created(toReviewLinkBody(row))
  },
})
