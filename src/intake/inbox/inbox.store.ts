import type { Queryable } from '../../database/database.js'
import { listRows, listValues, readRow, readValue } from '../../database/queries.js'
import type { SourceTrust, SourceType, ValueFrom } from '../../interface/generated/types.js'

/** A delivery to store. */
export interface NewDelivery {
  organizationId: string
  sourceId: string
  /** Identifies repeats of the delivery; null if the sender provides nothing that does. */
  key: string | null
  topic: string | null
  headers: Readonly<Record<string, string>>
  body: Buffer
  receivedAt: Date
}

/**
 * Stores deliveries of any organizations in one statement. Repeats, and those of a removed source, are left out. Each `limit
 * 1` keeps the planner at one lookup by key per delivery.
 */
export async function insertDeliveries(database: Queryable, deliveries: readonly NewDelivery[]): Promise<void> {
  await database.query(
    `insert into inbox (organization_id, source_id, delivery_key, topic, headers, body, received_at)
     select t.organization_id, t.source_id, t.key, t.topic, t.headers::json, decode(t.body, 'base64'), t.received_at
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
            with ordinality as t (organization_id, source_id, key, topic, headers, body, received_at, place)
      cross join lateral (
            select from sources s where s.organization_id = t.organization_id and s.source_id = t.source_id limit 1) s
      where t.key is null or (
            select true from kept_deliveries k
             where k.organization_id = t.organization_id and k.source_id = t.source_id and k.delivery_key = t.key
             limit 1) is null
      order by t.place
         on conflict (organization_id, source_id, delivery_key) where delivery_key is not null do nothing`,
    [
      deliveries.map(({ organizationId }) => organizationId),
      deliveries.map(({ sourceId }) => sourceId),
      deliveries.map(({ key }) => key),
      deliveries.map(({ topic }) => topic),
      deliveries.map(({ headers }) => JSON.stringify(headers)),
      deliveries.map(({ body }) => body.toString('base64')),
      deliveries.map(({ receivedAt }) => receivedAt),
    ],
  )
}

/** Returns the size of the next waiting deliveries of a source, after one of them; `last` is null if there are none. */
export const sumWaiting = (
  database: Queryable,
  { organizationId, sourceId }: { organizationId: string; sourceId: string },
  { after, rows, bytesPerRow }: { after: number; rows: number; bytesPerRow: number },
): Promise<{ last: number | null; bytes: number }> =>
  readRow(
    database,
    `select max(delivery_id) as last, coalesce(sum(octet_length(body) + $5::bigint), 0)::bigint as bytes
       from (select delivery_id, body from inbox
              where organization_id = $1 and source_id = $2 and delivery_id > $3
              order by delivery_id limit $4) next`,
    [organizationId, sourceId, after, rows, bytesPerRow],
  )

/** How far an organization's inbox was read: deliveries up to that point are gone, or a full look will find them. */
export type Marks = ReadonlyMap<string, number>

/**
 * Lists organizations with work, in order. Without marks, the whole inbox is examined, including deleted rows that a
 * long-running reader of the database keeps.
 */
export const listOrganizationsWithWork = (database: Queryable, marks: Marks): Promise<string[]> =>
  listValues(
    database,
    `select l.organization_id from live_audiences l
       left join unnest($1::text[], $2::bigint[]) as m (organization_id, mark) on m.organization_id = l.organization_id
      where l.revalue_after is not null
         or exists (select from inbox i
                     where i.organization_id = l.organization_id and i.delivery_id > coalesce(m.mark, -1))
      order by l.organization_id`,
    [[...marks.keys()], [...marks.values()]],
  )

export interface WaitingDelivery {
  delivery_id: number
  source_id: string
  /** The type of the source. */
  type: SourceType
  value_from: ValueFrom
  counted_statuses: string[]
  uncounted_statuses: string[]
  trust: SourceTrust
  /** SHOPIFY: the number of the shop, once an order has stated it. */
  shop_id: string | null
  topic: string | null
  headers: Record<string, string>
  /** In base64. */
  body: string
  received_at: Date
}

/** The header of a delivery that was a problem and that a human retried. */
export const RETRIED = 'retried'

/** The waiting deliveries to read. */
export interface Wanted {
  /** Those after it. */
  mark: number
  /** Those up to it, if given. */
  until?: number | undefined
  rows: number
  /** At most one delivery exceeds this size. */
  bytes: number
  /** If given, stops before the first larger delivery. */
  bytesOfOne?: number | undefined
}

/** Lists the oldest of the wanted deliveries. */
export const listWaiting = (
  database: Queryable,
  organizationId: string,
  { mark, until, rows, bytes, bytesOfOne }: Wanted,
): Promise<WaitingDelivery[]> =>
  listRows(
    database,
    `select delivery_id, source_id, type, value_from, counted_statuses, uncounted_statuses, trust, shop_id, topic, headers, encode(body, 'base64') as body, received_at
       from (select *, sum(octet_length(body)) over up_to_it - octet_length(body) as before,
                    max(octet_length(body)) over up_to_it as largest
               from (select * from inbox
                      where organization_id = $1 and delivery_id > $2
                        and ($5::bigint is null or delivery_id <= $5::bigint)
                      order by delivery_id limit $3) next
             window up_to_it as (order by delivery_id)) sized
      cross join lateral (
            select type, value_from, counted_statuses, uncounted_statuses, trust, shop_id from sources
             where organization_id = $1 and source_id = sized.source_id limit 1) source
      where before < $4 and ($6::integer is null or largest <= $6::integer)
      order by delivery_id`,
    [organizationId, mark, rows, bytes, until ?? null, bytesOfOne ?? null],
  )

/** Returns those of the deliveries that are still waiting, and keeps them until the transaction ends. */
export const holdWaiting = (tx: Queryable, organizationId: string, deliveryIds: readonly number[]): Promise<number[]> =>
  listValues(
    tx,
    `select delivery_id from inbox where organization_id = $1 and delivery_id = any($2::bigint[])
      order by delivery_id for share`,
    [organizationId, deliveryIds],
  )

/**
 * Removes deliveries from the inbox, for the transaction that applies them. With `keep` their bodies stay for a while, so
 * that repeats are recognized. Returns those that were there: another worker may have applied the others.
 */
export const takeDeliveries = (
  tx: Queryable,
  organizationId: string,
  deliveryIds: readonly number[],
  keep: { at: Date } | undefined,
): Promise<number[]> =>
  listValues(
    tx,
    keep === undefined
      ? 'delete from inbox where organization_id = $1 and delivery_id = any($2::bigint[]) returning delivery_id'
      : `with gone as (
           delete from inbox where organization_id = $1 and delivery_id = any($2::bigint[]) returning *)
         insert into kept_deliveries (organization_id, delivery_id, source_id, delivery_key, topic, headers, body, received_at,
                                      applied_at)
         select $1, delivery_id, source_id, delivery_key, topic, headers, body, received_at, $3 from gone
         returning delivery_id`,
    [organizationId, deliveryIds, ...(keep === undefined ? [] : [keep.at])],
  )

/** Deletes the bodies of deliveries that were removed from the inbox. */
export async function deleteKept(tx: Queryable, organizationId: string, deliveryIds: readonly number[]): Promise<void> {
  if (deliveryIds.length === 0) return
  await tx.query('delete from kept_deliveries where organization_id = $1 and delivery_id = any($2::bigint[])', [
    organizationId,
    deliveryIds,
  ])
}

/** A count for every source would make as many series as there are sources. */
const COUNTED_SOURCES = 20

export interface InboxFigures {
  waiting: number
  /** The sources with the most waiting deliveries. */
  waiting_of: { source: string; waiting: number }[]
  oldest_at: Date | null
  problems: number
  sources: number
}

/** Counts what is waiting, for probes: the first 100,000 deliveries, so that a deep inbox costs no more. */
export const readInboxFigures = (database: Queryable): Promise<InboxFigures> =>
  readRow(
    database,
    `with waiting as materialized (
       select source_id as source, count(*) as waiting from (select source_id from inbox limit 100000) i group by source_id)
     select (select coalesce(sum(waiting), 0)::bigint from waiting) as waiting,
            (select coalesce(json_agg(most), '[]')
               from (select * from waiting order by waiting desc, source limit ${COUNTED_SOURCES}) most) as waiting_of,
            (select min(oldest.received_at)
               from live_audiences l cross join lateral (
                    select received_at from inbox i where i.organization_id = l.organization_id
                     order by delivery_id limit 1) oldest) as oldest_at,
            (select count(*) from (select from problems limit 100000) p) as problems,
            (select count(*) from sources) as sources`,
  )

/** Counts the sources whose organization has no currency, so that purchases do not count; sources of Meta bring none. */
export const countSourcesWithoutCurrency = (database: Queryable): Promise<number> =>
  readValue(
    database,
    `select count(*) from sources s join organizations o on o.organization_id = s.organization_id
      where o.currency is null and s.type <> 'META'`,
  )

/** Lists sources that have refused a signature or key since a time, and accepted none after that; up to a limit. */
export const listRefusingSources = (
  database: Queryable,
  since: Date,
  limit: number,
): Promise<{ organization_id: string; source_id: string; at: Date; reason: 'signature' | 'key' }[]> =>
  listRows(
    database,
    `select organization_id, source_id, last_refusal_at as at, last_refusal_reason as reason from source_activity
      where last_refusal_at >= $1 and last_refusal_reason in ('signature', 'key')
        and (last_delivery_at is null or last_delivery_at < last_refusal_at)
      order by last_refusal_at desc, source_id limit $2`,
    [since, limit],
  )
