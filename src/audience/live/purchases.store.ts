import type { Queryable } from '../../database/database.js'
import { listRows } from '../../database/queries.js'
import type { Payment } from '../facts.js'

/** A version of an order. */
export interface PurchaseRow {
  order_id: string
  /** Null if the order names no person. */
  id_kind: string | null
  id: string | null
  amount: string
  currency: string
  at_ms: number
  version_ms: number
  is_test: boolean
  is_cancelled: boolean
  payment: Payment
  is_refunded: boolean
}

/** When an order was last removed, and when it was last restored. */
export interface RemovalRow {
  order_id: string
  removed_ms: number | null
  restored_ms: number | null
}

export interface RefundRow {
  order_id: string
  refund_id: string
  /** If null, everything that is left of the order. */
  amount: string | null
  at_ms: number
}

/** The id of a buyer. */
export interface Buyer {
  kind: string
  id: string
}

/** Returns a condition that is true for a cancelled or removed order, and never null. */
export const isCancelled = (row: string): string =>
  `(${row}.is_cancelled or coalesce(${row}.removed_ms >= ${row}.version_ms
                                    and ${row}.removed_ms > coalesce(${row}.restored_ms, -1), false))`

/** Returns a condition that is true for an order that is not paid yet. */
export const isUnpaid = (row: string): string => `${row}.payment = 'none'`

// In the same order as comparePurchases of rows.ts.
const ranked = (row: string): string =>
  `row(${row}.version_ms, ${row}.payment = 'stated', ${row}.is_cancelled, ${row}.is_refunded, ${row}.payment <> 'none', ${row}.amount, ${row}.currency, ${row}.at_ms, ${row}.is_test,
       ${row}.id_kind is not null, coalesce(${row}.id_kind, '') collate "C", coalesce(${row}.id, ''))`
const IS_NEWER = `(stored.amount is null or ${ranked('excluded')} > ${ranked('stored')})`
const NEWEST_VERSION = [
  'amount',
  'currency',
  'at_ms',
  'version_ms',
  'is_test',
  'is_cancelled',
  'payment',
  'is_refunded',
]
  .map((column) => `${column} = case when ${IS_NEWER} then excluded.${column} else stored.${column} end`)
  .join(', ')
/** An older version determines the buyer if no other names one. */
const TAKES_BUYER = `(excluded.id_kind is not null and (stored.id_kind is null or ${IS_NEWER}))`

/** The orders that a statement changed. */
interface ChangedPurchases {
  /** Previously unknown orders that name their buyer. */
  added: readonly PurchaseRow[]
  /** The buyers of other changed orders, before and after. */
  buyers: readonly Buyer[]
}

/**
 * Stores the newest version of each order. Of two versions with the same time the greater wins, so that their order does
 * not matter. An order that names no person keeps the buyer that another version named. The audience must be locked: new
 * rows are determined first, because an insert that may conflict takes half as long again.
 */
export async function upsertPurchases(
  tx: Queryable,
  organizationId: string,
  sourceId: string,
  rows: readonly PurchaseRow[],
): Promise<ChangedPurchases> {
  if (rows.length === 0) return { added: [], buyers: [] }
  const known = await listRows<Bought>(
    tx,
    `select p.order_id, p.id_kind, p.id from unnest($3::text[]) as given (order_id)
      cross join lateral (
            select * from purchases
             where organization_id = $1 and source_id = $2 and order_id = given.order_id limit 1) p`,
    [organizationId, sourceId, rows.map(({ order_id }) => order_id)],
  )
  const before = new Map(known.map((row) => [row.order_id, row]))
  const fresh = rows.filter(({ order_id }) => !before.has(order_id))
  if (fresh.length > 0) await tx.query(INSERT, [organizationId, sourceId, JSON.stringify(fresh)])
  const others = rows.filter(({ order_id }) => before.has(order_id))
  const written =
    others.length === 0 ? [] : await listRows<Bought>(tx, UPDATE, [organizationId, sourceId, JSON.stringify(others)])
  return {
    added: fresh.filter(({ id_kind }) => id_kind !== null),
    buyers: written.flatMap((row) => [...buyerOf(before.get(row.order_id)!), ...buyerOf(row)]),
  }
}

const INSERT = `
  insert into purchases as stored (organization_id, source_id, order_id, id_kind, id, amount, currency, at_ms, version_ms,
                                   is_test, is_cancelled, payment, is_refunded)
  select $1, $2, order_id, id_kind, id, amount, currency, at_ms, version_ms, is_test, is_cancelled, payment, is_refunded
    from json_to_recordset($3::json) as t (order_id text, id_kind text, id text, amount numeric, currency text, at_ms bigint,
      version_ms bigint, is_test boolean, is_cancelled boolean, payment text, is_refunded boolean)`
const UPDATE = `${INSERT}
      on conflict (organization_id, source_id, order_id) do update
     set ${NEWEST_VERSION},
         id_kind = case when ${TAKES_BUYER} then excluded.id_kind else stored.id_kind end,
         id = case when ${TAKES_BUYER} then excluded.id else stored.id end
   where ${IS_NEWER} or ${TAKES_BUYER}
  returning order_id, id_kind, id`

type Bought = Pick<PurchaseRow, 'order_id' | 'id_kind' | 'id'>

const buyerOf = ({ id_kind: kind, id }: Bought): Buyer[] => (kind === null || id === null ? [] : [{ kind, id }])

/** Stores when orders were removed and restored, including orders that have not arrived yet. Returns their buyers. */
export async function upsertRemovals(
  tx: Queryable,
  organizationId: string,
  sourceId: string,
  rows: readonly RemovalRow[],
): Promise<Buyer[]> {
  if (rows.length === 0) return []
  const written = await listRows<{ kind: string | null; id: string }>(
    tx,
    `insert into purchases as stored (organization_id, source_id, order_id, removed_ms, restored_ms)
     select $1, $2, order_id, removed_ms, restored_ms
       from json_to_recordset($3::json) as t (order_id text, removed_ms bigint, restored_ms bigint)
         on conflict (organization_id, source_id, order_id) do update
        set removed_ms = greatest(stored.removed_ms, excluded.removed_ms),
            restored_ms = greatest(stored.restored_ms, excluded.restored_ms)
     returning id_kind as kind, id`,
    [organizationId, sourceId, JSON.stringify(rows)],
  )
  return written.filter((row): row is Buyer => row.kind !== null)
}

/**
 * Stores refunds, including those of orders that have not arrived yet. A repeat with another amount or time keeps the
 * greater amount and the earlier time. Returns the buyers of the orders.
 */
export async function upsertRefunds(
  tx: Queryable,
  organizationId: string,
  sourceId: string,
  rows: readonly RefundRow[],
): Promise<Buyer[]> {
  if (rows.length === 0) return []
  const orders = [...new Set(rows.map(({ order_id }) => order_id))]
  await tx.query(
    `insert into purchases (organization_id, source_id, order_id)
     select $1, $2, unnest($3::text[]) on conflict do nothing`,
    [organizationId, sourceId, orders],
  )
  await tx.query(
    `insert into refunds as stored (organization_id, source_id, order_id, refund_id, amount, at_ms)
     select $1, $2, order_id, refund_id, amount, at_ms
       from json_to_recordset($3::json) as t (order_id text, refund_id text, amount numeric, at_ms bigint)
         on conflict (organization_id, source_id, order_id, refund_id) do update
        set amount = case when stored.amount is null or excluded.amount is null then null
                          else greatest(stored.amount, excluded.amount) end,
            at_ms = least(stored.at_ms, excluded.at_ms)
      where row(stored.amount, stored.at_ms) is distinct from row(excluded.amount, excluded.at_ms)`,
    [organizationId, sourceId, JSON.stringify(rows)],
  )
  return await listRows(
    tx,
    `select distinct id_kind as kind, id from purchases
      where organization_id = $1 and source_id = $2 and order_id = any($3::text[]) and id_kind is not null`,
    [organizationId, sourceId, orders],
  )
}

export interface FieldRow {
  id_kind: string
  id: string
  field: string
  value: string | null
  at_ms: number
}

/** Stores profile fields: the newest of each id wins, and at equal times the greater value. */
export async function upsertFields(
  tx: Queryable,
  organizationId: string,
  sourceId: string,
  rows: readonly FieldRow[],
): Promise<Buyer[]> {
  if (rows.length === 0) return []
  return await listRows(
    tx,
    `insert into person_fields as stored (organization_id, id_kind, id, field, value, at_ms, source_id)
       select $1, t.id_kind, t.id, t.field, t.value, t.at_ms, $2
         from json_to_recordset($3::json) as t (id_kind text, id text, field text, value text, at_ms bigint)
           on conflict (organization_id, id_kind, id, field) do update
          set value = excluded.value, at_ms = excluded.at_ms, source_id = excluded.source_id
        where row(excluded.at_ms, coalesce(excluded.value, '') collate "C") > row(stored.at_ms, coalesce(stored.value, '') collate "C")
       returning id_kind as kind, id`,
    [organizationId, sourceId, JSON.stringify(rows)],
  )
}
