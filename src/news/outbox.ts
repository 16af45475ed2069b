import type { Queryable } from '../database/database.js'
import type { Context } from '../http/context.js'
import { type EventRow, hasEvents, type StoredEventType, takeEvents } from './events.store.js'
import { countForMembers, countForPeople, type GatheredKind, insertLinkMail } from './mails/mails.store.js'
import {
  countPendingDeliveries,
  type DeliveredEvent,
  insertDelivery,
  lockReceivers,
} from './webhooks/deliveries.store.js'
import { NOT_DELIVERED } from './webhooks/send-deliveries.js'

/** The events that members get emails about. */
const MAIL_OF: Partial<Record<StoredEventType, GatheredKind>> = {
  'post.waiting_for_approval': 'approval',
  'post.failed': 'post_failed',
  'token.refused': 'token_refused',
  'key.expiring': 'key_expiring',
}

const EVENTS_AT_ONCE = 100

/**
 * Turns the events in the outbox into webhook deliveries and emails, until the outbox is empty or `signal` is aborted.
 * Without a mail server, no emails are stored. A webhook can have at most `pendingRows` pending deliveries.
 */
export async function emptyOutbox(
  { database, clock, log }: Pick<Context, 'database' | 'clock' | 'log'>,
  { sendsMails, pendingRows }: { sendsMails: boolean; pendingRows: number },
  signal: AbortSignal,
): Promise<void> {
  if (!(await hasEvents(database))) return
  for (let isMore = true; isMore && !signal.aborted; ) {
    isMore = await database.transaction(async (tx) => {
      const now = new Date(clock.now())
      const events = await takeEvents(tx, EVENTS_AT_ONCE)
      /** How many more deliveries may be queued, by webhook. */
      const room = new Map<string, number>()
      for (const event of events) await dispatch(tx, event, now, room)
      return events.length === EVENTS_AT_ONCE
    })
  }

  async function dispatch(tx: Queryable, event: EventRow, now: Date, room: Map<string, number>): Promise<void> {
    const { type } = event
    if (type === 'person.notice') return await dispatchNotice(tx, event, now)
    if (type === 'invitation.created' || type === 'review_link.sent') {
      if (sendsMails) await insertLinkMail(tx, type === 'review_link.sent' ? 'review_link' : 'invitation', event, now)
      return
    }
    await dispatchToWebhooks(tx, { ...event, type }, now, room)
    const kind = MAIL_OF[type]
    if (sendsMails && kind !== undefined) await countForMembers(tx, event, kind, now)
  }

  /**
   * Beyond the limit, a delivery is only recorded, and can be sent manually, so that an unavailable receiver does not
   * fill the disk.
   */
  async function dispatchToWebhooks(
    tx: Queryable,
    event: DeliveredEvent,
    now: Date,
    room: Map<string, number>,
  ): Promise<void> {
    const { organization_id: organizationId, event_id: id } = event
    for (const { webhook_id: webhookId } of await lockReceivers(tx, event)) {
      const ids = { organizationId, webhookId }
      const counted = { max: pendingRows }
      const left = room.get(webhookId) ?? pendingRows - (await countPendingDeliveries(tx, ids, counted))
      const refusal = `It was not tried: ${pendingRows} other deliveries were waiting for the receiver. Send it again by hand.`
      const delivery = await insertDelivery(tx, webhookId, event, now, left > 0 ? undefined : refusal)
      room.set(webhookId, delivery?.status === 'PENDING' ? left - 1 : left)
      if (delivery?.status === 'FAILED') {
        log.warn({ organization: organizationId, webhook: webhookId, event: id, reason: refusal }, NOT_DELIVERED)
      }
    }
  }

  async function dispatchNotice(tx: Queryable, { data, at }: EventRow, now: Date): Promise<void> {
    if (!sendsMails) return
    const { personId, mail, kind, ...where } = data as Record<string, string>
    const to = mail === undefined ? personId! : { mail }
    await countForPeople(tx, to, kind!, { item: { ...where, at: at.toISOString() }, at, now })
  }
}
