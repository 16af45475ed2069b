import { issueMailedLink } from '../access/people/owner-link.js'
import type { Context } from '../http/context.js'
import { limit } from '../lib/limits.js'
import { createMailer, type Held, type Mailer } from './mail-queue.js'
import { personMailText } from './person-mail-text.js'
import {
  type ClaimedPersonMail,
  endPersonMail,
  findMailablePerson,
  type MailablePerson,
  PERSON_MAILS,
} from './person-mails.store.js'
import { toReader } from './reader.js'
import type { Mail, Smtp } from './smtp.js'

const HOUR_MS = 3_600_000

/** Sends the notices to people. */
export function createPersonMailer(
  context: Pick<Context, 'config' | 'log' | 'clock' | 'database'>,
  smtp: Smtp,
  jitter: (ms: number) => number,
): Mailer {
  const { clock, config, database } = context

  return createMailer<ClaimedPersonMail, MailablePerson>(context, smtp, jitter, {
    name: 'sending notices',
    table: PERSON_MAILS,
    idsOf: ({ person_id: person, kind }) => ({ person, mail: kind }),
    async findRecipient({ person_id: personId, kind }) {
      const person = await findMailablePerson(database, personId)
      if (person === undefined || kind !== 'password-link') return person
      // Made for this attempt: its token is in this mail alone, and the link of an attempt before ends.
      const { path } = await database.transaction((tx) => issueMailedLink(tx, personId, new Date(clock.now())))
      return { ...person, path }
    },
    compose: (mail, person) => toMail(mail, person, config.http.publicUrl ?? ''),
    end(mail, outcome) {
      const inHour = countInHour(mail)
      const counted = outcome === 'dropped' ? { ...inHour, sent: mail.sent, quietUntil: null } : inHour
      return endPersonMail(database, mail, { ...counted, now: mail.claimedAt })
    },
  })
}

function toMail(mail: Held<ClaimedPersonMail>, person: MailablePerson, publicUrl: string): Mail {
  const { name, mail: address, path } = person
  const { person_id: personId, kind, count, items, since, sent } = mail
  return {
    // The same until the mail is sent, and that of another mail afterwards.
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
 * The hour in which this mail counts, how many it has then, and until when the kind is quiet after the last one. The time is
 * that of the claim, so that the mail says what is stored when it is sent.
 */
function countInHour({ hour_at: hourAt, sent, claimedAt: now }: Held<ClaimedPersonMail>) {
  const isSame = hourAt !== null && Math.abs(now.getTime() - hourAt.getTime()) < HOUR_MS
  const hour = isSame ? hourAt : now
  const count = isSame ? sent + 1 : 1
  const isLast = count >= limit('noticesPerHour')
  return { hourAt: hour, sent: count, quietUntil: isLast ? new Date(hour.getTime() + HOUR_MS) : null }
}
