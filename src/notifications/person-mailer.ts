import type { Context } from '../http/context.js'
import { limit } from '../lib/limits.js'
import { createMailer, type Mailer } from './mail-queue.js'
import { type PersonMailKind, personMailText } from './person-mail-text.js'
import {
  type ClaimedPersonMail,
  claimPersonMail,
  endPersonMail,
  findMailablePerson,
  type MailablePerson,
  putOffPersonMail,
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

  return createMailer<CountedMail, MailablePerson>(context, smtp, jitter, {
    name: 'sending notices',
    async claim() {
      const now = new Date(clock.now())
      const mail = await claimPersonMail(database, now)
      return mail && { ...mail, now, inHour: countInHour(mail, now) }
    },
    idsOf: ({ person_id: person, kind }) => ({ person, mail: kind }),
    findRecipient: (mail) => findMailablePerson(database, mail.person_id),
    compose: (mail, person) => toMail(mail, person, config.http.publicUrl ?? ''),
    end(mail, outcome) {
      const { now, inHour } = mail
      const counted = outcome === 'dropped' ? { ...inHour, sent: mail.sent, quietUntil: null } : inHour
      return endPersonMail(database, mail, { ...counted, now })
    },
    putOff: (mail, nextAttemptAt) => putOffPersonMail(database, mail, nextAttemptAt),
  })
}

/** A mail with the instant of its claim and its place in the hour, so that it tells what is stored afterwards. */
interface CountedMail extends ClaimedPersonMail {
  now: Date
  inHour: ReturnType<typeof countInHour>
}

function toMail(
  { person_id: personId, kind, count, items, since, sent, inHour: { quietUntil } }: CountedMail,
  { name, mail: address }: MailablePerson,
  publicUrl: string,
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
      quietUntil,
      publicUrl,
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
