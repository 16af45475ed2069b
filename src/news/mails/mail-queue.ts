import type { Context } from '../../http/context.js'
import { limit } from '../../lib/limits.js'
import { type Claimed, claimDue, putOff, type WorkTable } from '../../work/claims.store.js'
import { RETRIES } from '../retries.js'
import { type Mail, MailPlainError, MailRefusedError, PLAIN_REMEDY, type Smtp } from './smtp.js'

/** Sends the due emails of one table, one at a time. */
export interface Mailer {
  /** The name of the work in the log. */
  name: string
  /** Sends until nothing is due. Throws if the database fails; the lease then expires, and the email is sent again. */
  sendAll(): Promise<void>
  /** Stops after the current email. */
  stop(): Promise<void>
}

export interface QueuedMail extends Claimed {
  since: Date
  attempts: number
}

/** An email with the instant of its claim. */
export type Held<Row> = Row & { claimedAt: Date }

/** A table of emails: how to find the recipient, write the text, and store the outcome. */
export interface MailQueue<Row extends QueuedMail, To> {
  name: string
  table: WorkTable
  /** Returns the email's value of the table's `fair.by`, so that the next email is someone else's. */
  turnOf?(mail: Row): string
  /** The ids of the email for the log, which never contains an address. */
  idsOf(mail: Row): Record<string, string>
  /** Undefined if no one should get the email anymore. */
  findRecipient(mail: Row): Promise<To | undefined>
  compose(mail: Held<Row>, to: To): Mail
  end(mail: Held<Row>, outcome: 'sent' | 'given up' | 'dropped', to: To | undefined): Promise<void>
}

const LEASE_MS = 120_000
const STOP_MS = 5_000

export function createMailer<Row extends QueuedMail, To>(
  { log, clock, database }: Pick<Context, 'log' | 'clock' | 'database'>,
  smtp: Smtp,
  jitter: (ms: number) => number,
  queue: MailQueue<Row, To>,
): Mailer {
  let isStopped = false
  let running: Promise<void> | undefined
  let after = ''
  const inMs = (ms: number): Date => new Date(clock.now() + ms)

  async function run(): Promise<void> {
    while (!isStopped) {
      const claimedAt = inMs(0)
      const [mail] = await claimDue<Row>(database, queue.table, { now: claimedAt, leaseMs: LEASE_MS, limit: 1, after })
      if (mail === undefined) return
      after = queue.turnOf?.(mail) ?? ''
      await work({ ...mail, claimedAt })
    }
  }

  async function work(mail: Held<Row>): Promise<void> {
    const to = await queue.findRecipient(mail)
    const isStale = clock.now() - mail.since.getTime() > limit('mailAgeMs')
    if (isStale) log.warn(queue.idsOf(mail), 'an email is too old and was dropped')
    if (to === undefined || isStale) return await queue.end(mail, 'dropped', to)
    try {
      await smtp.send(queue.compose(mail, to))
    } catch (error) {
      return await endAttempt(mail, to, error)
    }
    await queue.end(mail, 'sent', to)
  }

  async function endAttempt(mail: Held<Row>, to: To, error: unknown): Promise<void> {
    if (isStopped) return void (await putOff(database, queue.table, mail, inMs(0)))
    const ids = queue.idsOf(mail)
    const waitMs = RETRIES.after(mail.attempts)
    if (error instanceof MailRefusedError || waitMs === undefined) {
      log.warn({ ...ids, reason: reasonOf(error) }, 'gave up on an email')
      return await queue.end(mail, 'given up', to)
    }
    const remedy = error instanceof MailPlainError ? { remedy: PLAIN_REMEDY } : {}
    log.warn({ ...ids, attempts: mail.attempts + 1, reason: reasonOf(error), ...remedy }, 'an email was not sent')
    await putOff(database, queue.table, mail, inMs(jitter(waitMs)))
  }

  return {
    name: queue.name,
    sendAll() {
      running ??= run().finally(() => {
        running = undefined
      })
      return running
    },
    async stop() {
      isStopped = true
      smtp.close()
      // An email that is being sent cannot be aborted, so the wait is limited. Its lease expires later, and it is sent
      // again.
      const timeout = new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([running?.catch(() => {}), timeout])
    },
  }
}

/** Returns only the codes of an error, because its message may contain the address. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = (error instanceof MailRefusedError ? error.cause : error) as {
    code?: string
    responseCode?: number
  }
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown'
}
