import { setMaxListeners } from 'node:events'
import { DatabaseUnavailableError, type Queryable } from '../database/database.js'
import { type EventRow, hasEvents, type StoredEventType, takeEvents } from '../events/events.store.js'
import type { Context } from '../http/context.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { addJitter, type Wait, waitJittered } from '../lib/wait.js'
import type { Resolve } from './addresses.js'
import {
  type ClaimedDelivery,
  claimDeliveries,
  countPendingDeliveries,
  deleteOldDeliveries,
  failOldDeliveries,
  hasDueDeliveries,
  insertDelivery,
  releaseDelivery,
  saveAttempt,
} from './deliveries.store.js'
import { createMailer } from './mailer.js'
import { countForMembers, type GatheredKind, insertInvitationMail } from './mails.store.js'
import { createPersonMailer } from './person-mailer.js'
import { countForPeople } from './person-mails.store.js'
import { createReminders } from './reminders.js'
import { RETRY_WAITS_MS } from './retries.js'
import { type Attempt, sendWebhook } from './send-webhook.js'
import { signedHeaders } from './signature.js'
import { createSmtp, type Smtp } from './smtp.js'
import { toWebhookEvent } from './webhook.js'
import { webhookSecretContext } from './webhooks.store.js'

/** Sends what is in the outbox. Any number of them may share one database. */
export interface Notifier {
  /** Passes events on, and sends what is due until nothing more is. */
  tick(): Promise<void>
  /** Claims nothing more; breaks off what is being sent, which another one sends again with the same id. */
  stop(): Promise<void>
}

export interface NotifierOptions {
  /** Between two rounds. */
  wait?: Wait
  /** Makes the wait before another attempt longer; only tests give their own. */
  jitter?(ms: number): number
  resolve?: Resolve
  timeoutMs?: number
  /** The number of deliveries of an organization that may wait. */
  pendingRows?: number
  smtp?: Smtp
}

export type NotifierContext = Pick<Context, 'config' | 'log' | 'clock' | 'database' | 'sealer' | 'tracing'>

/** What members get a mail about. */
const MAILS: Partial<Record<StoredEventType, GatheredKind>> = {
  'post.waiting_for_approval': 'approval',
  'post.failed': 'post_failed',
  'token.refused': 'token_refused',
  'key.expiring': 'key_expiring',
}

/** The number of further deliveries that may wait, by the id of their organization. */
type Places = Map<string, number>

const NOT_DELIVERED = 'a webhook was not delivered'
const WAITED_TOO_LONG = `It was not delivered within ${limit('webhookWaitMs') / 86_400_000} days. Send it again by hand.`

const ROUND_MS = 1_000
const EVENTS_AT_ONCE = 100
const LEASE_MS = 60_000
const CLEAN_MS = 3_600_000
/** A notifier that begins a round every second. It logs failures of the database and goes on. */
export function startNotifier(context: NotifierContext, options: NotifierOptions = {}): Notifier {
  const { log } = context
  const { wait = waitJittered } = options
  const notifier = createNotifier(context, options)
  const pause = new AbortController()
  async function run(): Promise<void> {
    while (!pause.signal.aborted) {
      await notifier.beginRound().catch((error) => {
        // The database itself tells when it is away.
        if (!(error instanceof DatabaseUnavailableError)) log.error({ err: error }, 'notifications cannot be sent')
      })
      await wait(ROUND_MS, pause.signal).catch(() => {})
    }
  }
  const running = run()
  return {
    tick: notifier.tick,
    async stop() {
      pause.abort()
      await notifier.stop()
      await running
      // What the last round had begun meanwhile.
      await notifier.stop()
    },
  }
}

/** The same without its loop. */
export function createNotifier(
  context: NotifierContext,
  {
    jitter = addJitter,
    resolve,
    timeoutMs = limit('webhookMs'),
    pendingRows = limit('webhookPendingRows'),
    smtp = context.config.mail === null ? undefined : createSmtp(context.config.mail),
  }: Omit<NotifierOptions, 'wait'> = {},
): Notifier & {
  /** Begins to send what is due, and returns before it is sent. */
  beginRound(): Promise<void>
} {
  const { config, log, clock, database, sealer, tracing } = context
  const mailer = smtp && createMailer(context, smtp, jitter)
  const personMailer = smtp && createPersonMailer(context, smtp, jitter)
  const remind = createReminders(context, smtp !== undefined)
  const stopping = new AbortController()
  // Every running attempt listens; that is no leak.
  setMaxListeners(0, stopping.signal)
  const running = new Map<ClaimedDelivery, Promise<void>>()
  let cleanedAt = Number.NEGATIVE_INFINITY

  async function passOn(): Promise<void> {
    if (!(await hasEvents(database))) return
    for (let isMore = true; isMore && !stopping.signal.aborted; ) {
      isMore = await database.transaction(async (tx) => {
        const now = new Date(clock.now())
        const events = await takeEvents(tx, EVENTS_AT_ONCE)
        const places: Places = new Map()
        for (const event of events) await pass(tx, event, now, places)
        return events.length === EVENTS_AT_ONCE
      })
    }
  }

  /** Without a mail server no mail waits for one. */
  async function pass(tx: Queryable, event: EventRow, now: Date, places: Places): Promise<void> {
    const { type } = event
    if (type === 'person.notice') return await passNotice(tx, event, now)
    if (type !== 'invitation.created') await passToWebhook(tx, { ...event, type }, now, places)
    if (mailer === undefined) return
    const kind = MAILS[type]
    if (type === 'invitation.created') await insertInvitationMail(tx, event, now)
    else if (kind !== undefined) await countForMembers(tx, event, kind, now)
  }

  /** A receiver that is away for long must not fill the disk: past the limit an event is only noted, and can be sent by hand. */
  async function passToWebhook(
    tx: Queryable,
    event: Parameters<typeof insertDelivery>[1],
    now: Date,
    places: Places,
  ): Promise<void> {
    const { organization_id: organization, event_id: id } = event
    const counted = { max: pendingRows }
    const left = places.get(organization) ?? pendingRows - (await countPendingDeliveries(tx, organization, counted))
    const refusal = `It was not tried: ${pendingRows} other deliveries were waiting for the receiver. Send it again by hand.`
    const delivery = await insertDelivery(tx, event, now, left > 0 ? undefined : refusal)
    places.set(organization, delivery?.status === 'PENDING' ? left - 1 : left)
    if (delivery?.status === 'FAILED') log.warn({ organization, event: id, reason: refusal }, NOT_DELIVERED)
  }

  async function passNotice(tx: Queryable, { data, at }: EventRow, now: Date): Promise<void> {
    if (personMailer === undefined) return
    const { personId, kind, ...where } = data as Record<string, string>
    await countForPeople(tx, personId!, kind!, { item: { ...where, at: at.toISOString() }, at, now })
  }

  async function clean(): Promise<void> {
    const now = clock.now()
    if (now - cleanedAt < CLEAN_MS && now >= cleanedAt) return
    cleanedAt = now
    const waitedSince = new Date(now - limit('webhookWaitMs'))
    const failed = await failOldDeliveries(database, {
      before: waitedSince,
      now: new Date(now),
      reason: WAITED_TOO_LONG,
    })
    if (failed > 0) log.warn({ deliveries: failed, reason: WAITED_TOO_LONG }, NOT_DELIVERED)
    const before = new Date(now - limit('webhookLogMs'))
    await deleteOldDeliveries(database, { before, keep: limit('webhookLogRows') })
  }

  /** Organizations with as many attempts under way as they may have. */
  function busyOrganizations(): string[] {
    const counts = new Map<string, number>()
    for (const { organization_id: id } of running.keys()) counts.set(id, (counts.get(id) ?? 0) + 1)
    return [...counts].filter(([, count]) => count >= limit('webhooksOfOrganization')).map(([id]) => id)
  }

  async function claimAll(): Promise<void> {
    if (!(await hasDueDeliveries(database, new Date(clock.now())))) return
    while (!stopping.signal.aborted) {
      const free = limit('webhooksAtOnce') - running.size
      if (free <= 0) return
      const claims = await claimDeliveries(database, {
        now: new Date(clock.now()),
        leaseMs: LEASE_MS,
        holder: newId('lease'),
        limit: free,
        except: busyOrganizations(),
      })
      if (claims.length === 0) return
      for (const claim of claims) {
        running.set(
          claim,
          traced(claim).finally(() => running.delete(claim)),
        )
      }
    }
  }

  async function beginRound(): Promise<void> {
    await clean()
    await remind()
    await passOn()
    // Beside the rounds: a mail server that is slow holds up no webhook.
    void mailer?.sendAll()
    void personMailer?.sendAll()
    await claimAll()
  }

  /** All attempts at one delivery are one trace. */
  async function traced(claim: ClaimedDelivery): Promise<void> {
    if (tracing === undefined) return await work(claim)
    const key = JSON.stringify([claim.organization_id, claim.event_id])
    const attributes = {
      'greenroom.organization': claim.organization_id,
      'greenroom.event': claim.event_id,
      'greenroom.event_type': claim.type,
      'http.request.resend_count': claim.attempts,
    }
    return await tracing.turn('deliverWebhook', key, attributes, (note) =>
      work(claim, (status) => note({ 'http.response.status_code': status })),
    )
  }

  /** Never rejects: the lease of what fails here runs out, and it is sent again. */
  async function work(claim: ClaimedDelivery, onStatus?: (status: number) => void): Promise<void> {
    const ids = { organization: claim.organization_id, event: claim.event_id, type: claim.type }
    try {
      const attempt = await send(claim)
      if (attempt.status !== undefined) onStatus?.(attempt.status)
      const isSaved = await save(claim, attempt)
      if (!isSaved) log.warn(ids, 'the outcome of a delivery is not stored: it was taken over, or its webhook removed')
      else if (attempt.error !== undefined) {
        log.warn({ ...ids, attempts: claim.attempts + 1, reason: attempt.error }, NOT_DELIVERED)
      }
    } catch (error) {
      if (stopping.signal.aborted) await releaseDelivery(database, claim).catch(() => {})
      else if (error instanceof DatabaseUnavailableError) log.warn(ids, 'a delivery was broken off: no database')
      else log.error({ ...ids, err: error }, 'a delivery was broken off')
    }
  }

  async function send(claim: ClaimedDelivery): Promise<Attempt> {
    const now = clock.now()
    const body = JSON.stringify(toWebhookEvent(claim))
    const context = webhookSecretContext(claim.organization_id, claim.webhook_id)
    const isRotated = claim.previous_until !== null && claim.previous_until.getTime() > now
    const sealed = [claim.secret_sealed, ...(isRotated ? [claim.previous_secret_sealed!] : [])]
    const headers = signedHeaders(
      sealed.map((secret) => sealer.open(secret, context)),
      { id: claim.event_id, timestamp: Math.floor(now / 1000), body },
    )
    const { allowsPrivate } = config.webhooks
    return sendWebhook(
      { url: claim.url, headers, body },
      { timeoutMs, allowsPrivate, resolve, signal: stopping.signal },
    )
  }

  async function save(claim: ClaimedDelivery, { status, error }: Attempt): Promise<boolean> {
    const now = clock.now()
    const wait = RETRY_WAITS_MS[claim.attempts]
    const isOver = error === undefined || wait === undefined
    return saveAttempt(database, claim, {
      at: new Date(now),
      status: error === undefined ? 'DELIVERED' : isOver ? 'FAILED' : 'PENDING',
      nextAttemptAt: isOver ? null : new Date(now + jitter(wait)),
      lastStatus: status ?? null,
      lastError: error ?? null,
    })
  }

  return {
    beginRound,
    async tick() {
      await beginRound()
      while (running.size > 0) {
        await Promise.race(running.values())
        await claimAll()
      }
      await Promise.all([mailer?.sendAll(), personMailer?.sendAll()])
    },
    async stop() {
      stopping.abort()
      await Promise.all([mailer?.stop(), personMailer?.stop(), ...running.values()])
    },
  }
}
