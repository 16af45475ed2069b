import type { Context } from '../http/context.js'
import { limit } from '../lib/limits.js'
import { RETRIES } from './retries.js'
import { type Mail, MailRefusedError, type Smtp } from './smtp.js'

/** Sends the mails of one table that are due, one after the other. */
export interface Mailer {
  /** Names its work in the log. */
  name: string
  /** Sends until nothing more is due. Throws when the database fails: the lease runs out, and the mail is sent again. */
  sendAll(): Promise<void>
  /** Sends no other mail. */
  stop(): Promise<void>
}

interface QueuedMail {
  since: Date
  attempts: number
}

/** A table of mails: who gets a mail, what it says, and what is stored when it ends. */
export interface MailQueue<Row extends QueuedMail, To> {
  name: string
  claim(): Promise<Row | undefined>
  /** The ids of the mail for the log, which holds no address. */
  idsOf(mail: Row): Record<string, string>
  /** Undefined when no one is to get the mail any more. */
  findRecipient(mail: Row): Promise<To | undefined>
  compose(mail: Row, to: To): Mail
  end(mail: Row, outcome: 'sent' | 'given up' | 'dropped'): Promise<void>
  putOff(mail: Row, nextAttemptAt: Date): Promise<unknown>
}

const STOP_MS = 5_000

export function createMailer<Row extends QueuedMail, To>(
  { log, clock }: Pick<Context, 'log' | 'clock'>,
  smtp: Smtp,
  jitter: (ms: number) => number,
  queue: MailQueue<Row, To>,
): Mailer {
  let isStopped = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (!isStopped) {
      const mail = await queue.claim()
      if (mail === undefined) return
      await work(mail)
    }
  }

  async function work(mail: Row): Promise<void> {
    const to = await queue.findRecipient(mail)
    const isStale = clock.now() - mail.since.getTime() > limit('mailAgeMs')
    if (isStale) log.warn(queue.idsOf(mail), 'a mail is too old to be sent')
    if (to === undefined || isStale) return await queue.end(mail, 'dropped')
    try {
      await smtp.send(queue.compose(mail, to))
    } catch (error) {
      return await endAttempt(mail, error)
    }
    await queue.end(mail, 'sent')
  }

  async function endAttempt(mail: Row, error: unknown): Promise<void> {
    if (isStopped) return void (await queue.putOff(mail, new Date(clock.now())))
    const ids = queue.idsOf(mail)
    const waitMs = RETRIES.after(mail.attempts)
    if (error instanceof MailRefusedError || waitMs === undefined) {
      log.warn({ ...ids, reason: reasonOf(error) }, 'a mail is given up')
      return await queue.end(mail, 'given up')
    }
    log.warn({ ...ids, attempts: mail.attempts + 1, reason: reasonOf(error) }, 'a mail was not sent')
    await queue.putOff(mail, new Date(clock.now() + jitter(waitMs)))
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
      // A mail that is being sent cannot be broken off: after this time its lease runs out, and it is sent again.
      const given = new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([running?.catch(() => {}), given])
    },
  }
}

/** The codes of an error. Its text may repeat the address. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = (error instanceof MailRefusedError ? error.cause : error) as {
    code?: string
    responseCode?: number
  }
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown'
}
