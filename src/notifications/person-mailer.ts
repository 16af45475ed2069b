import type { Context } from '../http/context.js'
import { limit } from '../lib/limits.js'
import { createMailer, type Mailer } from './mail-queue.js'
import { type PersonMailKind, personMailText } from './person-mail-text.js'
import {
  type ClaimedPersonMail,
  endPersonMail,
  findMailablePerson,
  type MailablePerson,
  PERSON_MAILS,
} from './person-mails.store.js'
import type { Mail, Smtp } from './smtp.js'

const HOUR_MS = 3_600_000

/** Sends the notices to people. */
export function createPersonMailer(
  context: Pick<Context, 'config' | 'log' | 'clock' | 'database'>,
  smtp: Smtp,
  jitter: (ms: number) => number,
): Mailer {
  const { config, clock, database } = context
  const now = (): Date => new Date(clock.now())

  return createMailer<ClaimedPersonMail, MailablePerson>(context, smtp, jitter, {
    table: PERSON_MAILS,
    idsOf: ({ person_id: person, kind }) => ({ person, mail: kind }),
    findRecipient: (mail) => findMailablePerson(database, mail.person_id),
    compose(mail, person) {
      const { quietUntil } = countInHour(mail, now())
      return toMail(mail, person, { quietUntil, publicUrl: config.http.publicUrl ?? '' })
    },
    end(mail, outcome) {
      const inHour = countInHour(mail, now())
      const counted = outcome === 'dropped' ? { ...inHour, sent: mail.sent, quietUntil: null } : inHour
      return endPersonMail(database, mail, { ...counted, now: now() })
    },
  })
}

function toMail(
  { person_id: personId, kind, count, items, since, sent }: ClaimedPersonMail,
  { name, mail: address }: MailablePerson,
  where: { quietUntil: Date | null; publicUrl: string },
): Mail {
  return {
    // The same until the mail is sent, and that of another mail afterwards.
    id: `${personId}.${kind}.${since.getTime()}.${sent}`,
    to: { name, address },
    ...personMailText({
      kind: kind as PersonMailKind,
      count,
      items: items.map((item) => JSON.parse(item)),
      name,
      ...where,
    }),
  }
}

/** The hour in which this mail counts, how many it has then, and until when the kind is quiet after the last one. */
function countInHour({ hour_at: hourAt, sent }: ClaimedPersonMail, now: Date) {
  const isSame = hourAt !== null && Math.abs(now.getTime() - hourAt.getTime()) < HOUR_MS
  const hour = isSame ? hourAt : now
  const count = isSame ? sent + 1 : 1
  const isLast = count >= limit('noticesPerHour')
  return { hourAt: hour, sent: count, quietUntil: isLast ? new Date(hour.getTime() + HOUR_MS) : null }
}
