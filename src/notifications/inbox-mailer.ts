import type { Context } from '../http/context.js'
import { markMailed } from '../inbox/inbox.store.js'
import { limit } from '../lib/limits.js'
import { inboxMailText } from './inbox-mail-text.js'
import {
  type ClaimedInboxMail,
  endInboxMail,
  findInboxReader,
  INBOX_MAILS,
  type InboxReader,
  listMailedEntries,
  type MailedEntry,
} from './inbox-mails.store.js'
import { createMailer, type Mailer } from './mail-queue.js'
import type { Smtp } from './smtp.js'

/** Sends the mails about news in the inboxes of people. */
export function createInboxMailer(
  context: Pick<Context, 'config' | 'log' | 'clock' | 'database'>,
  smtp: Smtp,
  jitter: (ms: number) => number,
): Mailer {
  const { config, clock, database } = context

  return createMailer<ClaimedInboxMail, { reader: InboxReader; entries: MailedEntry[] }>(context, smtp, jitter, {
    name: 'sending mails about news',
    table: INBOX_MAILS,
    turnOf: ({ organization_id: organizationId }) => organizationId,
    idsOf: ({ organization_id: organization, person_id: person }) => ({ organization, person, mail: 'inbox' }),
    async findRecipient(mail) {
      const entries = await listMailedEntries(database, mail)
      const reader = entries.length === 0 ? undefined : await findInboxReader(database, mail)
      return reader && { reader, entries }
    },
    compose: ({ organization_id: organizationId, person_id: personId, since }, { reader, entries }) => ({
      // The same until the mail is sent, and that of another mail afterwards.
      id: `inbox.${organizationId}.${personId}.${since.getTime()}`,
      to: { name: reader.name, address: reader.mail },
      ...inboxMailText({ reader, entries, organizationId, publicUrl: config.http.publicUrl ?? '' }),
    }),
    async end(mail, outcome, to) {
      const ids = to?.entries.map(({ entry_id: id }) => id)
      await markMailed(database, mail.organization_id, mail.person_id, ids)
      const now = clock.now()
      const quietUntil = new Date(outcome === 'sent' ? now + limit('inboxMailGatherMs') : now)
      await endInboxMail(database, mail, { now: new Date(now), quietUntil })
    },
  })
}
