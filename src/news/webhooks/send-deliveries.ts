import { setMaxListeners } from 'node:events'
import { DatabaseUnavailableError } from '../../database/database.js'
import type { Context } from '../../http/context.js'
import { limit } from '../../lib/limits.js'
import type { Resolve } from '../../lib/public-addresses.js'
import type { Sealer } from '../../lib/seal.js'
import type { StartTimer } from '../../lib/wait.js'
import { RETRIES } from '../retries.js'
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryOutcome,
  releaseDelivery,
  saveAttempt,
} from './deliveries.store.js'
import { type Attempt, sendWebhook, type WebhookRequest } from './send-webhook.js'
import { signedHeaders } from './signature.js'
import { toPayload } from './webhook.js'
import { webhookSecretContext } from './webhooks.store.js'

export const NOT_DELIVERED = 'a webhook was not delivered'

type SenderContext = Pick<Context, 'config' | 'log' | 'clock' | 'database' | 'sealer' | 'tracing'>

/** Sends deliveries to webhooks, several at once. */
export function createDeliverySender(
  { config, log, clock, database, sealer, tracing }: SenderContext,
  { jitter, resolve, startTimer }: { jitter(ms: number): number; resolve: Resolve | undefined; startTimer: StartTimer },
) {
  const stopping = new AbortController()
  const { signal } = stopping
  // Every running attempt listens to it, so a large number of listeners is not a leak.
  setMaxListeners(0, signal)
  const running = new Map<ClaimedDelivery, Promise<void>>()
  let lastWebhookId = ''

  /** Starts sending what is due without waiting for it. Returns true if nothing was being sent at the last look. */
  async function beginAll(): Promise<boolean> {
    while (!signal.aborted) {
      const isIdle = running.size === 0
      const held = new Map<string, number>()
      for (const { webhook_id: id } of running.keys()) held.set(id, (held.get(id) ?? 0) + 1)
      const claims = await claimDeliveries(database, {
        now: new Date(clock.now()),
        limit: limit('webhooksAtOnce') - running.size,
        held,
        after: lastWebhookId,
      })
      if (claims.length === 0) return isIdle
      lastWebhookId = claims.at(-1)!.webhook_id
      for (const claim of claims) {
        const ending = inTrace(tracing, claim, work).finally(() => running.delete(claim))
        running.set(claim, ending)
      }
    }
    return running.size === 0
  }

  /** Never rejects: after a failure the lease expires, and the delivery is sent again. */
  async function work(claim: ClaimedDelivery, onStatus?: (status: number) => void): Promise<void> {
    const { organization_id: organization, webhook_id: webhook, event_id: event, type } = claim
    const ids = { organization, webhook, event, type }
    try {
      const request = toRequest(claim, sealer, clock.now())
      const { allowsPrivate } = config.webhooks
      const startedAt = clock.now()
      const attempt = await sendWebhook(request, { allowsPrivate, resolve, startTimer, signal })
      const now = clock.now()
      if (attempt.status !== undefined) onStatus?.(attempt.status)
      const isSaved = await saveAttempt(database, claim, toOutcome(claim, attempt, { startedAt, now }, jitter))
      if (!isSaved) log.warn(ids, 'an outcome was not stored: the delivery was taken over, or its webhook was removed')
      else if (attempt.error !== undefined) {
        log.warn({ ...ids, attempts: claim.attempts + 1, reason: attempt.error }, NOT_DELIVERED)
      }
    } catch (error) {
      if (signal.aborted) await releaseDelivery(database, claim).catch(() => {})
      else if (error instanceof DatabaseUnavailableError) log.warn(ids, 'a delivery was aborted: no database')
      else log.error({ ...ids, err: error }, 'a delivery was aborted')
    }
  }

  return {
    beginAll,
    /** Sends until nothing is due. */
    async sendAll() {
      // A delivery that ends during the look makes room that only the next look sees.
      while (!(await beginAll())) if (running.size > 0) await Promise.race(running.values())
    },
    /** Aborts what is being sent; another process sends it again with the same id. */
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}

/** Puts all attempts at one delivery into one trace. */
async function inTrace(
  tracing: SenderContext['tracing'],
  claim: ClaimedDelivery,
  work: (claim: ClaimedDelivery, onStatus?: (status: number) => void) => Promise<void>,
): Promise<void> {
  if (tracing === undefined) return await work(claim)
  const key = JSON.stringify([claim.organization_id, claim.webhook_id, claim.event_id])
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

/** Signs also with the previous secret while it is valid. */
function toRequest(claim: ClaimedDelivery, sealer: Sealer, now: number): WebhookRequest {
  const body = toPayload(claim)
  const context = webhookSecretContext(claim.organization_id, claim.webhook_id)
  const isRotated = claim.previous_until !== null && claim.previous_until.getTime() > now
  const sealed = [claim.secret_sealed, ...(isRotated ? [claim.previous_secret_sealed!] : [])]
  const headers = signedHeaders(
    sealed.map((secret) => sealer.open(secret, context)),
    { id: claim.event_id, timestamp: Math.floor(now / 1000), body },
  )
  return { url: claim.url, headers, body }
}

function toOutcome(
  { attempts }: ClaimedDelivery,
  { status, error, answer }: Attempt,
  { startedAt, now }: { startedAt: number; now: number },
  jitter: (ms: number) => number,
): DeliveryOutcome {
  const waitMs = error === undefined ? undefined : RETRIES.after(attempts)
  return {
    status: error === undefined ? 'DELIVERED' : waitMs === undefined ? 'FAILED' : 'PENDING',
    next_attempt_at: waitMs === undefined ? null : new Date(now + jitter(waitMs)),
    last_attempt_at: new Date(now),
    last_status: status ?? null,
    last_error: error ?? null,
    last_answer: answer ?? null,
    // The clock may have been set back.
    last_duration_ms: Math.max(0, now - startedAt),
  }
}
