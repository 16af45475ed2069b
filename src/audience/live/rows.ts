import type { Fact } from '../facts.js'
import type { FieldRow, PurchaseRow, RefundRow, RemovalRow } from './purchases.store.js'

// Facts as rows, one per key: a statement may not write the same row twice. SQL and batches decide in the same way what
// wins.

type Of<T extends Fact['type']> = Extract<Fact, { type: T }>

/** Keeps the greater of two rows with the same key. */
function greatestOfEach<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  merge: (before: Row, row: Row) => Row,
): Row[] {
  const kept = new Map<string, Row>()
  for (const row of rows) {
    const key = keyOf(row)
    const before = kept.get(key)
    kept.set(key, before === undefined ? row : merge(before, row))
  }
  // In one order, so that two writers lock the same rows in the same order.
  return [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** Compares decimals such as `12.50` exactly. */
function compareDecimals(a: string, b: string): number {
  const scaled = (text: string, digits: number): bigint => {
    const [whole = '0', part = ''] = text.replace('-', '').split('.')
    const value = BigInt(whole + part.padEnd(digits, '0'))
    return text.startsWith('-') ? -value : value
  }
  const digits = Math.max(a.split('.')[1]?.length ?? 0, b.split('.')[1]?.length ?? 0)
  const [left, right] = [scaled(a, digits), scaled(b, digits)]
  return left < right ? -1 : left > right ? 1 : 0
}

const compare = (a: string | number | boolean, b: string | number | boolean): number => (a < b ? -1 : a > b ? 1 : 0)
const text = (value: string | null): string => value ?? ''

const comparePurchases = (a: PurchaseRow, b: PurchaseRow): number =>
  compare(a.version_ms, b.version_ms) ||
  // Shops send whole seconds, within which an order may be created, paid and cancelled.
  compare(a.payment === 'stated', b.payment === 'stated') ||
  compare(a.is_cancelled, b.is_cancelled) ||
  compare(a.is_refunded, b.is_refunded) ||
  compare(a.payment !== 'none', b.payment !== 'none') ||
  compareDecimals(a.amount, b.amount) ||
  compare(a.currency, b.currency) ||
  compare(a.at_ms, b.at_ms) ||
  compare(a.is_test, b.is_test) ||
  compare(a.id_kind !== null, b.id_kind !== null) ||
  compare(text(a.id_kind), text(b.id_kind)) ||
  compare(text(a.id), text(b.id))

export const toPurchaseRows = (facts: readonly Of<'purchase'>[]): PurchaseRow[] =>
  greatestOfEach(
    facts.map(
      ({ orderId, who, amount, currency, at, versionAt, ...fact }): PurchaseRow => ({
        order_id: orderId,
        id_kind: who?.kind ?? null,
        id: who?.id ?? null,
        amount,
        currency,
        at_ms: at,
        version_ms: versionAt,
        is_test: fact.isTest,
        is_cancelled: fact.isCancelled,
        payment: fact.payment ?? 'implied',
        is_refunded: fact.isRefunded ?? false,
      }),
    ),
    ({ order_id }) => order_id,
    (before, row) => {
      const [less, more] = comparePurchases(before, row) < 0 ? [before, row] : [row, before]
      // An order that names no person keeps the buyer of another version.
      return more.id_kind === null ? { ...more, id_kind: less.id_kind, id: less.id } : more
    },
  )

export const toRemovalRows = (facts: readonly (Of<'orderRemoved'> | Of<'orderRestored'>)[]): RemovalRow[] =>
  greatestOfEach(
    facts.map(({ type, orderId, at }): RemovalRow => {
      const isRemoved = type === 'orderRemoved'
      return { order_id: orderId, removed_ms: isRemoved ? at : null, restored_ms: isRemoved ? null : at }
    }),
    ({ order_id }) => order_id,
    (before, row) => ({
      order_id: row.order_id,
      removed_ms: later(before.removed_ms, row.removed_ms),
      restored_ms: later(before.restored_ms, row.restored_ms),
    }),
  )

const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

export const toRefundRows = (facts: readonly Of<'refund'>[]): RefundRow[] =>
  greatestOfEach(
    facts.map(({ orderId, refundId, amount, at }) => ({
      order_id: orderId,
      refund_id: refundId,
      amount: amount ?? null,
      at_ms: at,
    })),
    ({ order_id, refund_id }) => `${order_id}\0${refund_id}`,
    (before, row) => ({
      ...row,
      amount:
        before.amount === null || row.amount === null
          ? null
          : compareDecimals(before.amount, row.amount) < 0
            ? row.amount
            : before.amount,
      at_ms: Math.min(before.at_ms, row.at_ms),
    }),
  )

export const toFieldRows = (facts: readonly (Of<'profile'> | Of<'appOpen'>)[]): FieldRow[] =>
  greatestOfEach(
    facts.flatMap((fact) => {
      const { kind: id_kind, id } = fact.who
      const fields = fact.type === 'appOpen' ? { lastAppOpen: null } : fact.fields
      return Object.entries(fields).map(([field, value]) => ({
        id_kind,
        id,
        field,
        value: value ?? null,
        at_ms: fact.at,
      }))
    }),
    ({ id_kind, id, field }) => `${id_kind}\0${id}\0${field}`,
    (before, row) =>
      (compare(before.at_ms, row.at_ms) || compare(text(before.value), text(row.value))) < 0 ? row : before,
  )
