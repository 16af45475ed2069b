import { ENDING_MS } from '../access/greatest-age.js'
import { invitationPath } from '../access/people/invitation.js'
import { type EndingKey, listEndingKeys } from '../access/reminders.store.js'
import { reviewPath } from '../access/review-links/review-paths.js'
import { eventSecretContext } from '../events/events.store.js'
import type { Context } from '../http/context.js'
import { limit } from '../lib/limits.js'
import { createMailer, type Mailer } from './mail-queue.js'
import { mailText } from './mail-text.js'
import { type ClaimedMail, endMail, findRecipient, MAILS, type Recipient } from './mails.store.js'
import { toReader } from './reader.js'
import type { Smtp } from './smtp.js'

/** One mail lists so many keys that end soon. */
const ENDING_KEYS_MAX = 50

/** Sends the mails of organizations. */
export function createOrganizationMailer(
  context: Pick<Context, 'config' | 'log' | 'clock' | 'database' | 'sealer'>,
  smtp: Smtp,
  jitter: (ms: number) => number,
): Mailer {
  const { config, clock, database, sealer } = context
  const after = (ms: number): Date => new Date(clock.now() + ms)

  return createMailer<ClaimedMail, { recipient: Recipient; endingKeys: EndingKey[] }>(context, smtp, jitter, {
    name: 'sending mails',
    table: MAILS,
    turnOf: ({ organization_id: organizationId }) => organizationId,
    idsOf: ({ organization_id: organization, kind }) => ({ organization, mail: kind }),
    async findRecipient(mail) {
      const isOfKeys = mail.kind === 'key_expiring'
      // A key that was revoked since the reminder is not among them.
      const endingKeys = isOfKeys
        ? await listEndingKeys(database, mail.organization_id, {
            now: after(0),
            soon: after(ENDING_MS),
            maxAgeMs: config.access.keyMaxAgeMs ?? null,
            limit: ENDING_KEYS_MAX,
          })
        : []
      if (isOfKeys && endingKeys.length === 0) return undefined
      const recipient = await findRecipient(database, mail, after(0))
      return recipient && { recipient, endingKeys }
    },
    compose(mail, { recipient, endingKeys }) {
      const { organization_id: organizationId, mail_id: mailId, secret_sealed: sealed } = mail
      const pathOf = mail.kind === 'review_link' ? reviewPath : invitationPath
      const path = sealed === null ? undefined : pathOf(sealer.open(sealed, eventSecretContext(organizationId, mailId)))
      return {
        // The same until the mail is sent, and that of another mail afterwards.
        id: `${mailId}.${mail.quiet_until?.getTime() ?? 0}`,
        to: { name: recipient.name, address: recipient.address },
        ...mailText({
          ...mail,
          ...{ organizationId, path, endingKeys },
          reader: toReader(recipient),
          name: recipient.name,
          organizationName: recipient.organization_name,
          publicUrl: config.http.publicUrl ?? '',
        }),
      }
    },
    end: (mail, outcome) => endMail(database, mail, after(outcome === 'sent' ? limit('mailGatherMs') : 0)),
  })
}
