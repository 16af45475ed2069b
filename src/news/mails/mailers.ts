import type { Context } from '../../http/context.js'
import { invitationPath, reviewPath } from '../../interface/entry-paths.js'
import { limit } from '../../lib/limits.js'
import { eventSecretContext } from '../events.store.js'
import { markMailed } from '../inbox/inbox.store.js'
import { ENDING_MS, type EndingKey, listEndingKeys } from '../reminders.store.js'
import { createMailer, type Held, type Mailer, type MailQueue, type QueuedMail } from './mail-queue.js'
import { inboxMailText, mailText, personMailText } from './mail-text.js'
import {
  type ClaimedInboxMail,
  type ClaimedMail,
  type ClaimedPersonMail,
  endGathered,
  endMail,
  endPersonMail,
  findInboxReader,
  findMailablePerson,
  findRecipient,
  INBOX_MAILS,
  type InboxReader,
  listMailedEntries,
  MAILS,
  type MailablePerson,
  type MailedEntry,
  PERSON_MAILS,
  type Recipient,
} from './mails.store.js'
import { toReader } from './reader.js'
import type { Mail, Smtp } from './smtp.js'

/** The most keys that one email lists as expiring. */
const ENDING_KEYS_MAX = 50

type Needs = Pick<Context, 'config' | 'log' | 'clock' | 'database' | 'sealer' | 'issueSignInLink'>

/** Creates the mailers for organizations, for notices to people, and for inbox entries. */
export function createMailers(context: Needs, smtp: Smtp, jitter: (ms: number) => number): Mailer[] {
  const create = <Row extends QueuedMail, To>(queue: MailQueue<Row, To>): Mailer =>
    createMailer(context, smtp, jitter, queue)
  return [create(organizationMails(context)), create(personMails(context)), create(inboxMails(context))]
}

interface OrganizationMailTo {
  recipient: Recipient
  endingKeys: EndingKey[]
}

function organizationMails({ config, clock, database, sealer }: Needs): MailQueue<ClaimedMail, OrganizationMailTo> {
  const after = (ms: number): Date => new Date(clock.now() + ms)
  return {
    name: 'sending emails',
    table: MAILS,
    turnOf: ({ organization_id: organizationId }) => organizationId,
    idsOf: ({ organization_id: organization, kind }) => ({ organization, mail: kind }),
    async findRecipient(mail) {
      const isOfKeys = mail.kind === 'key_expiring'
      // Keys that were revoked since the reminder are not included.
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
        // Stays the same until the email is sent.
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
  }
}

interface InboxMailTo {
  reader: InboxReader
  entries: MailedEntry[]
}

function inboxMails({ config, clock, database }: Needs): MailQueue<ClaimedInboxMail, InboxMailTo> {
  return {
    name: 'sending emails about news',
    table: INBOX_MAILS,
    turnOf: ({ organization_id: organizationId }) => organizationId,
    idsOf: ({ organization_id: organization, person_id: person }) => ({ organization, person, mail: 'inbox' }),
    async findRecipient(mail) {
      const entries = await listMailedEntries(database, mail)
      const reader = entries.length === 0 ? undefined : await findInboxReader(database, mail)
      return reader && { reader, entries }
    },
    compose: ({ organization_id: organizationId, person_id: personId, since }, { reader, entries }) => ({
      // Stays the same until the email is sent.
      id: `inbox.${organizationId}.${personId}.${since.getTime()}`,
      to: { name: reader.name, address: reader.mail },
      ...inboxMailText({ reader, entries, organizationId, publicUrl: config.http.publicUrl ?? '' }),
    }),
    async end(mail, outcome, to) {
      const ids = to?.entries.map(({ entry_id: id }) => id)
      await markMailed(database, mail.organization_id, mail.person_id, ids)
      const now = clock.now()
      const quietUntil = new Date(outcome === 'sent' ? now + limit('inboxMailGatherMs') : now)
      await endGathered(database, INBOX_MAILS, { mail, now: new Date(now), quietUntil })
    },
  }
}

const HOUR_MS = 3_600_000

function personMails({
  clock,
  config,
  database,
  issueSignInLink,
}: Needs): MailQueue<ClaimedPersonMail, MailablePerson> {
  return {
    name: 'sending notices',
    table: PERSON_MAILS,
    idsOf: ({ person_id: person, kind }) => ({ person, mail: kind }),
    async findRecipient({ person_id: personId, kind }) {
      const person = await findMailablePerson(database, personId)
      if (person === undefined || kind !== 'password-link') return person
      // The link is made for this attempt: its token is only in this email, and the link of an earlier attempt ends.
      const { path } = await database.transaction((tx) => issueSignInLink(tx, personId, new Date(clock.now())))
      return { ...person, path }
    },
    compose: (mail, person) => toMail(mail, person, config.http.publicUrl ?? ''),
    end(mail, outcome) {
      const inHour = countInHour(mail)
      const counted = outcome === 'dropped' ? { ...inHour, sent: mail.sent, quietUntil: null } : inHour
      return endPersonMail(database, mail, { ...counted, now: mail.claimedAt })
    },
  }
}

function toMail(mail: Held<ClaimedPersonMail>, person: MailablePerson, publicUrl: string): Mail {
  const { name, mail: address, path } = person
  const { person_id: personId, kind, count, items, since, sent } = mail
  return {
    // Stays the same until the email is sent.
    id: `${personId}.${kind}.${since.getTime()}.${sent}`,
    to: { name, address },
    ...personMailText({
      kind,
      reader: toReader(person),
      count,
      items: items.map((item) => JSON.parse(item)),
      name,
      quietUntil: countInHour(mail).quietUntil,
      publicUrl,
      path,
    }),
  }
}

/**
 * Counts the email in its hour. Returns the hour, its number of emails, and, after the last one, until when the kind
 * stays quiet. The time is that of the claim, so that the email says the same as what is stored.
 */
function countInHour({ hour_at: hourAt, sent, claimedAt: now }: Held<ClaimedPersonMail>) {
  const isSame = hourAt !== null && Math.abs(now.getTime() - hourAt.getTime()) < HOUR_MS
  const hour = isSame ? hourAt : now
  const count = isSame ? sent + 1 : 1
  const isLast = count >= limit('noticesPerHour')
  return { hourAt: hour, sent: count, quietUntil: isLast ? new Date(hour.getTime() + HOUR_MS) : null }
}
