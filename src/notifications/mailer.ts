import { setTimeout } from 'node:timers/promises'
import { ENDING_MS } from '../access/greatest-age.js'
import { invitationPath } from '../access/people/invitation.js'
import { type EndingKey, listEndingKeys } from '../access/reminders.store.js'
import { DatabaseUnavailableError } from '../database/database.js'
import { eventSecretContext } from '../events/events.store.js'
import type { Context } from '../http/context.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { mailText } from './mail-text.js'
import { type ClaimedMail, claimMail, endMail, findRecipient, hasDueMails, retryMail } from './mails.store.js'
import { RETRY_WAITS_MS } from './retries.js'
import { MailRefusedError, type Smtp } from './smtp.js'

/** Sends the mails that are due, one after the other. */
export interface Mailer {
  /** Until nothing more is due. */
  sendAll(): Promise<void>
  /** Sends no other one. */
  stop(): Promise<void>
}

type MailerContext = Pick<Context, 'config' | 'log' | 'clock' | 'database' | 'sealer'>

const LEASE_MS = 120_000
const STOP_MS = 5_000
/** One mail lists so many keys that end soon. */
const ENDING_KEYS_MAX = 50

export function createMailer(
  { config, log, clock, database, sealer }: MailerContext,
  smtp: Smtp,
  jitter: (ms: number) => number,
): Mailer {
  let isStopped = false
  let running: Promise<void> | undefined
  /** The organization of the last mail. */
  let last = ''
  const now = (): Date => new Date(clock.now())
  const after = (ms: number): Date => new Date(clock.now() + ms)

  async function run(): Promise<void> {
    if (!(await hasDueMails(database, now()))) return
    while (!isStopped) {
      const mail = await claimMail(database, { now: now(), leaseMs: LEASE_MS, holder: newId('lease'), last })
      if (mail === undefined) return
      last = mail.organization_id
      await work(mail)
    }
  }

  /** Throws for the database alone: the lease runs out, and the mail is sent again. */
  async function work(mail: ClaimedMail): Promise<void> {
    const ids = { organization: mail.organization_id, mail: mail.kind }
    const endingKeys = mail.kind === 'key_expiring' ? await findEndingKeys(mail.organization_id) : []
    const isOver = mail.kind === 'key_expiring' && endingKeys.length === 0
    const recipient = isOver ? undefined : await findRecipient(database, mail, now())
    const isStale = clock.now() - mail.since.getTime() > limit('mailAgeMs')
    if (recipient === undefined || isStale) {
      if (isStale) log.warn(ids, 'a mail is too old to be sent')
      return await endMail(database, mail, now())
    }
    try {
      const path =
        mail.secret_sealed === null
          ? undefined
          : invitationPath(sealer.open(mail.secret_sealed, eventSecretContext(mail.organization_id, mail.mail_id)))
      const publicUrl = config.http.publicUrl ?? ''
      const { name, address } = recipient
      await smtp.send({
        // The same until it is sent, and another one's after that.
        id: `${mail.mail_id}.${mail.quiet_until?.getTime() ?? 0}`,
        to: { name, address },
        ...mailText({ ...mail, organizationId: mail.organization_id, recipient, publicUrl, path, endingKeys }),
      })
    } catch (error) {
      if (isStopped) return await retryMail(database, mail, now())
      const wait = RETRY_WAITS_MS[mail.attempts]
      if (error instanceof MailRefusedError || wait === undefined) {
        log.warn({ ...ids, reason: reasonOf(error) }, 'a mail is given up')
        return await endMail(database, mail, now())
      }
      log.warn({ ...ids, attempts: mail.attempts + 1, reason: reasonOf(error) }, 'a mail was not sent')
      return await retryMail(database, mail, after(jitter(wait)))
    }
    await endMail(database, mail, after(limit('mailGatherMs')))
  }

  /** As they are now: a key that was revoked since the reminder is none of them. */
  function findEndingKeys(organizationId: string): Promise<EndingKey[]> {
    return listEndingKeys(database, organizationId, {
      now: now(),
      soon: after(ENDING_MS),
      maxAgeMs: config.access.keyMaxAgeMs ?? null,
      limit: ENDING_KEYS_MAX,
    })
  }

  return {
    sendAll() {
      running ??= run()
        .catch((error) => {
          if (!(error instanceof DatabaseUnavailableError)) log.error({ err: error }, 'mails cannot be sent')
        })
        .finally(() => {
          running = undefined
        })
      return running
    },
    async stop() {
      isStopped = true
      smtp.close()
      // One that is being sent cannot be broken off: after this its lease runs out, and it is sent again.
      const given = setTimeout(STOP_MS, undefined, { ref: false })
      await Promise.race([running, given])
    },
  }
}

/** What a mail server says may repeat the address. */
export function reasonOf(error: unknown): string {
  const { code, responseCode } = (error instanceof MailRefusedError ? error.cause : error) as {
    code?: string
    responseCode?: number
  }
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown'
}
