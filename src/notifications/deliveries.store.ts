import type { Database, Queryable } from '../database/database.js'
import type { EventData, EventType, WebhookDelivery } from '../interface/notifications.js'

export interface DeliveryRow {
  organization_id: string
  event_id: string
  number: number
  type: EventType
  at: Date
  data: EventData
  status: WebhookDelivery['status']
  attempts: number
  next_attempt_at: Date | null
  last_attempt_at: Date | null
  last_status: number | null
  last_error: string | null
}

const COLUMNS = `organization_id, event_id, number, type, at, data, status, attempts, next_attempt_at, last_attempt_at,
  last_status, last_error`

interface Event {
  organization_id: string
  event_id: string
  type: EventType
  at: Date
  data: EventData
}

/**
 * Puts an event on its way to the webhook of its organization, which is held until the transaction ends: its removal ends this
 * delivery too. With a `refusal` the delivery has failed at once, for that reason. Undefined where there is no webhook.
 */
export async function insertDelivery(
  tx: Queryable,
  event: Event,
  now: Date,
  refusal?: string,
): Promise<DeliveryRow | undefined> {
  const { rows } = await tx.query<DeliveryRow>(
    `insert into webhook_deliveries (organization_id, event_id, type, at, data, status, next_attempt_at, last_error)
     select $1, $2, $3, $4, $5, $6, $7, $8 from webhooks where organization_id = $1 for key share
         on conflict do nothing
  returning ${COLUMNS}`,
    [
      event.organization_id,
      event.event_id,
      event.type,
      event.at,
      JSON.stringify(event.data),
      ...(refusal === undefined ? ['PENDING', now, null] : ['FAILED', null, refusal]),
    ],
  )
  return rows[0]
}

/** Counts the deliveries of an organization that wait, up to a number. */
export async function countPendingDeliveries(
  tx: Queryable,
  organizationId: string,
  { max }: { max: number },
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*) as count
       from (select from webhook_deliveries where organization_id = $1 and status = 'PENDING' limit $2) waiting`,
    [organizationId, max],
  )
  return Number(rows[0]!.count)
}

/** Tells if any may be due. It only reads, because it is asked every second. */
export async function hasDueDeliveries(database: Queryable, now: Date): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>(
    `select exists (select organization_id from webhook_deliveries
                     where status = 'PENDING' and next_attempt_at <= $1) as found`,
    [now],
  )
  return rows[0]!.found
}

/** One delivery with where it goes, held by one process. */
export interface ClaimedDelivery extends DeliveryRow {
  leased_by: string
  webhook_id: string
  url: string
  secret_sealed: string
  previous_secret_sealed: string | null
  previous_until: Date | null
}

export interface DeliveryClaim {
  now: Date
  leaseMs: number
  /** Unique per claim: what is written after it names it. */
  holder: string
  limit: number
  /** Organizations whose receivers the caller keeps busy already. */
  except: readonly string[]
}

/**
 * Takes what is due: of each organization the first, so that one whose receiver is slow holds up no other. Those of an inactive
 * organization wait. One whose holder died is due again when its lease ends.
 */
export async function claimDeliveries(
  database: Database,
  { now, leaseMs, holder, limit, except }: DeliveryClaim,
): Promise<ClaimedDelivery[]> {
  const { rows } = await database.query<ClaimedDelivery>(
    `with due as (
       select w.organization_id, d.event_id
         from webhooks w
         join organizations o on o.organization_id = w.organization_id and o.active and o.deleted_at is null
        cross join lateral (
              select event_id, next_attempt_at from webhook_deliveries p
               where p.organization_id = w.organization_id and p.status = 'PENDING' and p.next_attempt_at <= $1
                 and (p.leased_until is null or p.leased_until <= $1)
               order by next_attempt_at limit 1 for update skip locked) d
        where w.organization_id <> all($5::text[])
        order by d.next_attempt_at limit $4)
     update webhook_deliveries v set leased_by = $3, leased_until = $2
       from due join webhooks w on w.organization_id = due.organization_id
      where v.organization_id = due.organization_id and v.event_id = due.event_id
  returning v.organization_id, v.event_id, v.number, v.type, v.at, v.data, v.status, v.attempts, v.next_attempt_at,
            v.last_attempt_at, v.last_status, v.last_error, v.leased_by,
            w.webhook_id, w.url, w.secret_sealed, w.previous_secret_sealed, w.previous_until`,
    [now, new Date(now.getTime() + leaseMs), holder, limit, except],
  )
  return rows
}

export interface DeliveryOutcome {
  at: Date
  status: WebhookDelivery['status']
  /** Of one that stays PENDING. */
  nextAttemptAt: Date | null
  lastStatus: number | null
  lastError: string | null
}

/** Stores what came of an attempt. False when another claim has the delivery, or when it is none any more. */
export async function saveAttempt(
  database: Queryable,
  { organization_id, event_id, leased_by }: ClaimedDelivery,
  { at, status, nextAttemptAt, lastStatus, lastError }: DeliveryOutcome,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `update webhook_deliveries
        set status = $4, attempts = attempts + 1, next_attempt_at = $5, last_attempt_at = $6, last_status = $7,
            last_error = $8, leased_by = null, leased_until = null
      where organization_id = $1 and event_id = $2 and leased_by = $3`,
    [organization_id, event_id, leased_by, status, nextAttemptAt, at, lastStatus, lastError],
  )
  return rowCount === 1
}

/** Lets any process send it at once: this one stops. */
export async function releaseDelivery(database: Queryable, held: ClaimedDelivery): Promise<void> {
  await database.query(
    `update webhook_deliveries set leased_by = null, leased_until = null
      where organization_id = $1 and event_id = $2 and leased_by = $3`,
    [held.organization_id, held.event_id, held.leased_by],
  )
}

/** Ends what is on its way: the webhook is removed. An answer that comes now is no longer stored. */
export async function endPendingDeliveries(tx: Queryable, organizationId: string, reason: string): Promise<void> {
  await tx.query(
    `update webhook_deliveries
        set status = 'FAILED', next_attempt_at = null, leased_by = null, leased_until = null, last_error = $2
      where organization_id = $1 and status = 'PENDING'`,
    [organizationId, reason],
  )
}

/** Sends it again from the first attempt on; undefined when there is none. */
export async function restartDelivery(
  tx: Queryable,
  organizationId: string,
  eventId: string,
  now: Date,
): Promise<DeliveryRow | undefined> {
  const { rows } = await tx.query<DeliveryRow>(
    `update webhook_deliveries
        set status = 'PENDING', attempts = 0, next_attempt_at = $3, leased_by = null, leased_until = null
      where organization_id = $1 and event_id = $2
  returning ${COLUMNS}`,
    [organizationId, eventId, now],
  )
  return rows[0]
}

/** Latest first, from before a number on when one is given; one more than a page where there are more. */
export async function listDeliveryRows(
  database: Queryable,
  organizationId: string,
  { before, rows: count }: { before: number | undefined; rows: number },
): Promise<DeliveryRow[]> {
  const { rows } = await database.query<DeliveryRow>(
    `select ${COLUMNS} from webhook_deliveries
      where organization_id = $1 and ($2::bigint is null or number < $2)
      order by number desc limit $3`,
    [organizationId, before ?? null, count + 1],
  )
  return rows
}

/** The rest is removed the next time. */
const OLD_AT_ONCE = 10_000

/**
 * Removes deliveries that have ended: those of before, of any organization, and of each all but its latest. One that waits stays.
 * Gives how many.
 */
export async function deleteOldDeliveries(
  database: Database,
  { before, keep }: { before: Date; keep: number },
): Promise<number> {
  const { rowCount: old } = await database.query(
    `delete from webhook_deliveries
      where (organization_id, event_id) in (
              select organization_id, event_id from webhook_deliveries
               where at < $1 and status <> 'PENDING' order by at limit $2)`,
    [before, OLD_AT_ONCE],
  )
  const { rowCount: many } = await database.query(
    // Materialized: a planner without statistics would look for the last one to keep once for each row.
    `with beyond as materialized (
       select w.organization_id, last.number
         from webhooks w
        cross join lateral (select number from webhook_deliveries l
                             where l.organization_id = w.organization_id and l.status <> 'PENDING'
                             order by number desc limit 1 offset $1) last)
     delete from webhook_deliveries d using beyond
      where d.organization_id = beyond.organization_id and d.number <= beyond.number and d.status <> 'PENDING'`,
    [keep],
  )
  return old + many
}

/** Ends deliveries whose attempt has been due since `before`, except for those that are being sent. Gives how many. */
export async function failOldDeliveries(
  database: Database,
  { before, now, reason }: { before: Date; now: Date; reason: string },
): Promise<number> {
  const { rowCount } = await database.query(
    `update webhook_deliveries
        set status = 'FAILED', next_attempt_at = null, leased_by = null, leased_until = null, last_error = $3
      where (organization_id, event_id) in (
              select organization_id, event_id from webhook_deliveries
               where status = 'PENDING' and next_attempt_at < $1 and (leased_until is null or leased_until <= $2)
               order by next_attempt_at limit $4 for update skip locked)`,
    [before, now, reason, OLD_AT_ONCE],
  )
  return rowCount
}
