import { setTimeout } from 'node:timers/promises'
import { DatabaseUnavailableError } from '../database/database.js'
import type { Context } from '../http/context.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { type Mailer, reasonOf } from './mailer.js'
import { type PersonMailKind, personMailText } from './person-mail-text.js'
import {
  type ClaimedPersonMail,
  claimPersonMail,
  endPersonMail,
  findMailablePerson,
  hasDuePersonMails,
  retryPersonMail,
} from './person-mails.store.js'
import { RETRY_WAITS_MS } from './retries.js'
import { type Mail, MailRefusedError, type Smtp } from './smtp.js'

const LEASE_MS = 120_000
const STOP_MS = 5_000
const HOUR_MS = 3_600_000

/** Sends the notices to people that are due, one after the other, beside the mails of organizations. */
export function createPersonMailer(
  { config, log, clock, database }: Pick<Context, 'config' | 'log' | 'clock' | 'database'>,
  smtp: Smtp,
  jitter: (ms: number) => number,
): Mailer {
  let isStopped = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    if (!(await hasDuePersonMails(database, new Date(clock.now())))) return
    while (!isStopped) {
      const now = new Date(clock.now())
      const mail = await claimPersonMail(database, { now, leaseMs: LEASE_MS, holder: newId('lease') })
      if (mail === undefined) return
      await work(mail)
    }
  }

  /** Throws for the database alone: the lease runs out, and the mail is sent again. */
  async function work(mail: ClaimedPersonMail): Promise<void> {
    const ids = { person: mail.person_id, mail: mail.kind }
    const person = await findMailablePerson(database, mail.person_id)
    const isStale = clock.now() - mail.since.getTime() > limit('mailAgeMs')
    if (isStale) log.warn(ids, 'a mail is too old to be sent')
    const now = new Date(clock.now())
    const sending = inHour(mail, now)
    if (person === undefined || isStale) {
      return await endPersonMail(database, mail, { ...sending, sent: mail.sent, quietUntil: null, now })
    }
    try {
      await smtp.send(toMail(mail, person, { quietUntil: sending.quietUntil, publicUrl: config.http.publicUrl ?? '' }))
    } catch (error) {
      const wait = RETRY_WAITS_MS[mail.attempts]
      if (isStopped) return await retryPersonMail(database, mail, now)
      if (!(error instanceof MailRefusedError) && wait !== undefined) {
        log.warn({ ...ids, attempts: mail.attempts + 1, reason: reasonOf(error) }, 'a mail was not sent')
        return await retryPersonMail(database, mail, new Date(clock.now() + jitter(wait)))
      }
      log.warn({ ...ids, reason: reasonOf(error) }, 'a mail is given up')
    }
    await endPersonMail(database, mail, { ...sending, now })
  }

  return {
    sendAll() {
      running ??= run()
        .catch((error) => {
          if (!(error instanceof DatabaseUnavailableError)) log.error({ err: error }, 'notices cannot be sent')
        })
        .finally(() => {
          running = undefined
        })
      return running
    },
    async stop() {
      isStopped = true
      // The connection is the mailer's, which closes it; after this the lease runs out, and the mail is sent again.
      await Promise.race([running, setTimeout(STOP_MS, undefined, { ref: false })])
    },
  }
}

function toMail(
  { person_id: personId, kind, count, items, since, sent }: ClaimedPersonMail,
  { name, mail: address }: { name: string; mail: string },
  where: { quietUntil: Date | null; publicUrl: string },
): Mail {
  return {
    // The same until it is sent, and another one's after that.
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
function inHour({ hour_at: hourAt, sent }: ClaimedPersonMail, now: Date) {
  const isSame = hourAt !== null && Math.abs(now.getTime() - hourAt.getTime()) < HOUR_MS
  const hour = isSame ? hourAt : now
  const count = isSame ? sent + 1 : 1
  const isLast = count >= limit('noticesPerHour')
  return { hourAt: hour, sent: count, quietUntil: isLast ? new Date(hour.getTime() + HOUR_MS) : null }
}
