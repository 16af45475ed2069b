import { assignments } from '../../database/columns.js'
import type { Database, Queryable } from '../../database/database.js'
import { findRow, listRows, readValue } from '../../database/queries.js'
import type { EventType, WebhookDelivery } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { type Claimed, type ClaimRequest, claimDue, endClaim, type WorkTable } from '../../work/claims.store.js'
import type { WebhookRow } from './webhooks.store.js'

export interface DeliveryRow {
  organization_id: string
  webhook_id: string
  event_id: string
  number: number
  type: EventType
  at: Date
  data: WebhookDelivery['data']
  status: WebhookDelivery['status']
  attempts: number
  next_attempt_at: Date | null
  last_attempt_at: Date | null
  last_status: number | null
  last_error: string | null
  last_answer: string | null
  last_duration_ms: number | null
}

const COLUMNS = `organization_id, webhook_id, event_id, number, type, at, data, status, attempts, next_attempt_at,
  last_attempt_at, last_status, last_error, last_answer, last_duration_ms`

/** An event as webhooks receive it. */
export type DeliveredEvent = Pick<DeliveryRow, 'organization_id' | 'event_id' | 'type' | 'at' | 'data'>

/**
 * Lists the webhooks that subscribe to an event, oldest first. Locks them until the transaction ends, so that
 * removing one also ends this delivery.
 */
export const lockReceivers = (
  tx: Queryable,
  { organization_id, type }: Pick<DeliveredEvent, 'organization_id' | 'type'>,
): Promise<{ webhook_id: string }[]> =>
  listRows(
    tx,
    `select webhook_id from webhooks
      where organization_id = $1 and active and (events is null or $2 = any(events))
      order by created_at, webhook_id for key share`,
    [organization_id, type],
  )

/**
 * Inserts a delivery to a webhook, which must be locked. With a `refusal` it fails at once for that reason. Undefined
 * if the delivery already exists.
 */
export const insertDelivery = (
  tx: Queryable,
  webhookId: string,
  event: DeliveredEvent,
  now: Date,
  refusal?: string,
): Promise<DeliveryRow | undefined> =>
  findRow(
    tx,
    `insert into webhook_deliveries
            (organization_id, webhook_id, event_id, type, at, data, status, next_attempt_at, last_error)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict do nothing
  returning ${COLUMNS}`,
    [
      event.organization_id,
      webhookId,
      event.event_id,
      event.type,
      event.at,
      JSON.stringify(event.data),
      ...(refusal === undefined ? ['PENDING', now, null] : ['FAILED', null, refusal]),
    ],
  )

/** Counts the waiting deliveries to a webhook, up to `max`. */
export async function countPendingDeliveries(
  tx: Queryable,
  { organizationId, webhookId }: { organizationId: string; webhookId: string },
  { max }: { max: number },
): Promise<number> {
  const count = await readValue(
    tx,
    `select count(*) as count
       from (select from webhook_deliveries
              where organization_id = $1 and webhook_id = $2 and status = 'PENDING' limit $3) waiting`,
    [organizationId, webhookId, max],
  )
  return Number(count)
}

/** A delivery with its receiver, claimed by one process. */
export type ClaimedDelivery = DeliveryRow &
  Claimed &
  Pick<WebhookRow, 'url' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_until'>

const LEASE_MS = 60_000

const TABLE: WorkTable = {
  name: 'webhook_deliveries',
  key: ['organization_id', 'webhook_id', 'event_id'],
  waiting: `t.status = 'PENDING'`,
  columns: `${COLUMNS.replaceAll(/\w+/g, 't.$&')}, w.url, w.secret_sealed, w.previous_secret_sealed, w.previous_until`,
  with: 'join webhooks w on w.organization_id = t.organization_id and w.webhook_id = t.webhook_id',
  // Deliveries wait while their organization is inactive or their webhook is switched off.
  fair: {
    by: 'webhook_id',
    max: limit('deliveriesOfWebhook'),
    among: `select w.webhook_id from webhooks w
              join organizations o on o.organization_id = w.organization_id and o.active and o.deleted_at is null
             where w.active`,
  },
}

/** Claims due deliveries so that a slow receiver does not delay the others. */
export const claimDeliveries = (
  database: Database,
  request: Pick<ClaimRequest, 'now' | 'limit' | 'held' | 'after'>,
): Promise<ClaimedDelivery[]> => claimDue<ClaimedDelivery>(database, TABLE, { ...request, leaseMs: LEASE_MS })

/** The outcome of an attempt; next_attempt_at is null unless the delivery stays PENDING. */
export type DeliveryOutcome = Pick<
  DeliveryRow,
  'status' | 'next_attempt_at' | 'last_attempt_at' | 'last_status' | 'last_error' | 'last_answer' | 'last_duration_ms'
>

/** Stores the outcome of an attempt. Returns false if another claim has the delivery or it was deleted. */
export function saveAttempt(database: Queryable, row: ClaimedDelivery, outcome: DeliveryOutcome): Promise<boolean> {
  const set = `attempts = attempts + 1, ${assignments(Object.keys(outcome), 1)}`
  return endClaim(database, TABLE, row, set, Object.values(outcome))
}

/** Releases a delivery so that any process can send it at once. */
export const releaseDelivery = (database: Queryable, delivery: ClaimedDelivery): Promise<boolean> =>
  endClaim(database, TABLE, delivery, '')

/** Fails the waiting deliveries of a removed webhook. Answers that arrive later are not stored. */
export async function endPendingDeliveries(
  tx: Queryable,
  { organization_id: organizationId, webhook_id: webhookId }: WebhookRow,
  reason: string,
): Promise<void> {
  await tx.query(
    `update webhook_deliveries
        set status = 'FAILED', next_attempt_at = null, leased_by = null, leased_until = null, last_error = $3
      where organization_id = $1 and webhook_id = $2 and status = 'PENDING'`,
    [organizationId, webhookId, reason],
  )
}

/** Restarts a delivery from its first attempt; undefined if it does not exist. */
export const restartDelivery = (
  tx: Queryable,
  { organization_id: organizationId, webhook_id: webhookId }: WebhookRow,
  eventId: string,
  now: Date,
): Promise<DeliveryRow | undefined> =>
  findRow(
    tx,
    `update webhook_deliveries
        set status = 'PENDING', attempts = 0, next_attempt_at = $4, leased_by = null, leased_until = null
      where organization_id = $1 and webhook_id = $2 and event_id = $3
  returning ${COLUMNS}`,
    [organizationId, webhookId, eventId, now],
  )

export const findDelivery = (
  database: Queryable,
  organizationId: string,
  webhookId: string,
  eventId: string,
): Promise<DeliveryRow | undefined> =>
  findRow(
    database,
    `select ${COLUMNS} from webhook_deliveries where organization_id = $1 and webhook_id = $2 and event_id = $3`,
    [organizationId, webhookId, eventId],
  )

/**
 * Lists deliveries, latest first, optionally of one webhook and before a number. Returns one more than a page if
 * there are more.
 */
export const listDeliveryRows = (
  database: Queryable,
  organizationId: string,
  { webhookId, before, rows }: { webhookId: string | undefined; before: number | undefined; rows: number },
): Promise<DeliveryRow[]> =>
  listRows(
    database,
    `select ${COLUMNS} from webhook_deliveries
      where organization_id = $1 and ($2::bigint is null or number < $2)${webhookId === undefined ? '' : ' and webhook_id = $4'}
      order by number desc limit $3`,
    [organizationId, before ?? null, rows + 1, ...(webhookId === undefined ? [] : [webhookId])],
  )

/** The most rows of one run; the next run takes the rest. */
const OLD_AT_ONCE = 10_000

/** Deletes finished deliveries before `before` and all but the latest `keep` of each organization. Returns how many. */
export async function deleteOldDeliveries(
  database: Database,
  { before, keep }: { before: Date; keep: number },
): Promise<number> {
  const { rowCount: old } = await database.query(
    `delete from webhook_deliveries
      where (organization_id, webhook_id, event_id) in (
              select organization_id, webhook_id, event_id from webhook_deliveries
               where at < $1 and status <> 'PENDING' order by at limit $2)`,
    [before, OLD_AT_ONCE],
  )
  const { rowCount: many } = await database.query(
    // Materialized, because a planner without statistics would search for the last row to keep once per row.
    `with beyond as materialized (
       select w.organization_id, last.number
         from (select distinct organization_id from webhooks) w
        cross join lateral (select number from webhook_deliveries l
                             where l.organization_id = w.organization_id and l.status <> 'PENDING'
                             order by number desc limit 1 offset $1) last)
     delete from webhook_deliveries d using beyond
      where d.organization_id = beyond.organization_id and d.number <= beyond.number and d.status <> 'PENDING'`,
    [keep],
  )
  return old + many
}

/** Fails deliveries that have been due since `before`, except those being sent. Returns how many. */
export async function failOldDeliveries(
  database: Database,
  { before, now, reason }: { before: Date; now: Date; reason: string },
): Promise<number> {
  const { rowCount } = await database.query(
    `update webhook_deliveries
        set status = 'FAILED', next_attempt_at = null, leased_by = null, leased_until = null, last_error = $3
      where (organization_id, webhook_id, event_id) in (
              select organization_id, webhook_id, event_id from webhook_deliveries
               where status = 'PENDING' and next_attempt_at < $1 and (leased_until is null or leased_until <= $2)
               order by next_attempt_at limit $4 for update skip locked)`,
    [before, now, reason, OLD_AT_ONCE],
  )
  return rowCount
}
