import type { Context } from '../http/context.js'
import { limit } from '../lib/limits.js'
import {
  type ClaimedDiscussionMail,
  DISCUSSION_MAILS,
  type DiscussionRecipient,
  endDiscussionMail,
  findDiscussionRecipient,
} from './discussion-mails.store.js'
import { createMailer, type Mailer } from './mail-queue.js'
import { discussionMailText } from './mail-text.js'
import type { Smtp } from './smtp.js'

/** Sends the mails about messages in the discussions of posts, to the people whom they concern. */
export function createDiscussionMailer(
  context: Pick<Context, 'config' | 'log' | 'clock' | 'database'>,
  smtp: Smtp,
  jitter: (ms: number) => number,
): Mailer {
  const { config, clock, database } = context

  return createMailer<ClaimedDiscussionMail, DiscussionRecipient>(context, smtp, jitter, {
    name: 'sending mails about discussions',
    table: DISCUSSION_MAILS,
    turnOf: ({ organization_id: organizationId }) => organizationId,
    idsOf: ({ organization_id: organization, person_id: person }) => ({ organization, person, mail: 'discussion' }),
    findRecipient: (mail) => findDiscussionRecipient(database, mail),
    compose: ({ organization_id: organizationId, person_id: personId, ...mail }, recipient) => ({
      // The same until the mail is sent, and that of another mail afterwards.
      id: `discussion.${organizationId}.${personId}.${mail.quiet_until?.getTime() ?? 0}`,
      to: recipient,
      ...discussionMailText({
        ...{ organizationId, recipient, count: mail.count, postIds: mail.post_ids },
        publicUrl: config.http.publicUrl ?? '',
      }),
    }),
    end: (mail, outcome) =>
      endDiscussionMail(database, mail, new Date(clock.now() + (outcome === 'sent' ? limit('mailGatherMs') : 0))),
  })
}
