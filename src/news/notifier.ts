import type { Context } from '../http/context.js'
import { limit } from '../lib/limits.js'
import type { Resolve } from '../lib/public-addresses.js'
import { addJitter, type StartTimer, startTimer, type Wait } from '../lib/wait.js'
import { startLoop } from '../work/loop.js'
import type { Mailer } from './mails/mail-queue.js'
import { createMailers } from './mails/mailers.js'
import { createSmtp, type Smtp } from './mails/smtp.js'
import { emptyOutbox } from './outbox.js'
import { createReminders } from './reminders.js'
import { seldom } from './seldom.js'
import { deleteOldDeliveries, failOldDeliveries } from './webhooks/deliveries.store.js'
import { createDeliverySender, NOT_DELIVERED } from './webhooks/send-deliveries.js'

/** Sends webhooks and emails about the events in the outbox. Any number of notifiers can share a database. */
export interface Notifier {
  /** Empties the outbox, and sends until nothing is due. */
  tick(): Promise<void>
  /** Claims nothing more and aborts what is being sent; another notifier sends it again with the same id. */
  stop(): Promise<void>
}

export interface NotifierOptions {
  /** Waits between two rounds. */
  wait?: Wait
  /** Varies the wait before another attempt; only tests replace it. */
  jitter?(ms: number): number
  resolve?: Resolve
  /** Ends an attempt that takes too long; only tests replace it. */
  startTimer?: StartTimer
  /** The maximum number of deliveries that may wait for one webhook. */
  pendingRows?: number
  smtp?: Smtp
}

export type NotifierContext = Pick<
  Context,
  'config' | 'log' | 'clock' | 'database' | 'sealer' | 'tracing' | 'issueSignInLink'
>

const WAITED_TOO_LONG = `It was not delivered within ${limit('webhookWaitMs') / 86_400_000} days. Send it again by hand.`
const ROUND_MS = 1_000
/** Each round wakes the email loops. They also poll, in case a round takes a long time. */
const MAILS_MS = 10_000
const CLEAN_MS = 3_600_000

/** Starts a round every second. Emails have their own loops, so that a slow mail server does not delay webhooks. */
export function startNotifier(context: NotifierContext, options: NotifierOptions = {}): Notifier {
  const { log } = context
  const notifier = createNotifier(context, options)
  const timing = { log, ...(options.wait && { wait: options.wait }) }
  const mailLoops = notifier.mailers.map(({ name, sendAll }) =>
    startLoop(sendAll, { ...timing, name, everyMs: MAILS_MS }),
  )
  const round = (): Promise<void> =>
    notifier.beginRound().finally(() => {
      for (const loop of mailLoops) loop.nudge()
    })
  const rounds = startLoop(round, { ...timing, name: 'sending notifications', everyMs: ROUND_MS })
  return {
    tick: notifier.tick,
    async stop() {
      // Not awaited, because a loop may wait a long time for a slow server. The mailers themselves limit their wait below.
      for (const loop of mailLoops) void loop.stop()
      const stopped = rounds.stop()
      await notifier.stop()
      await stopped
      // The last round may have started something in the meantime.
      await notifier.stop()
    },
  }
}

/** Creates a notifier without its loops. */
export function createNotifier(
  context: NotifierContext,
  {
    jitter = addJitter,
    resolve,
    startTimer: start = startTimer,
    pendingRows = limit('webhookPendingRows'),
    smtp = context.config.mail === null ? undefined : createSmtp(context.config.mail),
  }: Omit<NotifierOptions, 'wait'> = {},
): Notifier & {
  /** Starts sending the due deliveries, and returns before they are sent. */
  beginRound(): Promise<void>
  mailers: readonly Mailer[]
} {
  const sender = createDeliverySender(context, { jitter, resolve, startTimer: start })
  const mailers = smtp ? createMailers(context, smtp, jitter) : []
  const remind = createReminders(context, smtp !== undefined)
  const clean = createCleaning(context)
  const stopping = new AbortController()

  async function beginRound(): Promise<void> {
    await clean()
    await remind()
    await emptyOutbox(context, { sendsMails: smtp !== undefined, pendingRows }, stopping.signal)
    await sender.beginAll()
  }

  return {
    beginRound,
    mailers,
    async tick() {
      await beginRound()
      await sender.sendAll()
      await Promise.all(mailers.map((mailer) => mailer.sendAll()))
    },
    async stop() {
      stopping.abort()
      await Promise.all([sender, ...mailers].map((part) => part.stop()))
    },
  }
}

/** Once an hour, fails deliveries that have waited too long and deletes old ones. */
const createCleaning = ({ clock, database, log }: NotifierContext): (() => Promise<void>) =>
  seldom(clock, CLEAN_MS, async (now) => {
    const failed = await failOldDeliveries(database, {
      before: new Date(now - limit('webhookWaitMs')),
      now: new Date(now),
      reason: WAITED_TOO_LONG,
    })
    if (failed > 0) log.warn({ deliveries: failed, reason: WAITED_TOO_LONG }, NOT_DELIVERED)
    const before = new Date(now - limit('webhookLogMs'))
    await deleteOldDeliveries(database, { before, keep: limit('webhookLogRows') })
  })
