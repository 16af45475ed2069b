import { REFUND_OF_FILE } from '../../audience/live/refunds.store.js'
import type { ValueFrom } from '../../interface/intake.js'
import {
  isObject,
  type Json,
  readAmount,
  readCurrency,
  readId,
  readInstant,
  readOutsideId,
  shown,
  Unreadable,
} from '../decoders/values.js'
import { isPaid } from '../decoders/woocommerce.js'
import type { Fact, OutsideId } from '../facts.js'

/** The fields of a line, and how the exports of shops call them, the best name first. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  orderId: ['Id', 'Order ID', 'Order Number', 'Order #'],
  amount: ['Total', 'Order Total', 'Order Total Amount'],
  currency: ['Currency', 'Order Currency'],
  at: ['Created at', 'Order Date', 'Date'],
  refunded: ['Refunded Amount', 'Order Refund Amount'],
  cancelledAt: ['Cancelled at'],
  status: ['Order Status'],
  notes: ['Note Attributes'],
  customer: ['Customer ID', 'Customer User ID'],
  ...{ userId: [], anonymousId: [], shopify: [], woocommerce: [] },
}
/** The amount without shipping and tax, in the export of Shopify. */
const REVENUE = 'Subtotal'
const NAMED_USER = /^greenroom_user_id\s*:\s*(\S+)\s*$/

/** Our names of the columns of a CSV; undefined for one that is not needed. */
export function fieldsOfColumns(columns: readonly string[], valueFrom: ValueFrom): (string | undefined)[] {
  const fields: (string | undefined)[] = columns.map(() => undefined)
  for (const [field, names] of Object.entries(FIELDS)) {
    const revenue = field === 'amount' && valueFrom === 'revenue' ? [REVENUE] : []
    const place = [field, ...revenue, ...names].map((name) => columns.indexOf(name)).find((index) => index >= 0)
    if (place !== undefined) fields[place] = field
  }
  return fields
}

/** A line that only goes on with the order of the line before it, as the exports of Shopify have for each item. */
export const isContinuation = (line: Json, before: Json | undefined): boolean =>
  line.amount === '' && (line.orderId === '' || line.orderId === before?.orderId)

/**
 * An untrusted line as facts, or the reason why it is none. `kind` is that of the customers of the shop. Lines of a file and
 * deliveries of the shop name orders alike, so that no order counts twice; a delivery is newer than a file.
 */
export function parsePurchase(
  line: unknown,
  { kind, now }: { kind: OutsideId['kind'] | undefined; now: number },
): Fact[] | string {
  try {
    if (!isObject(line)) throw new Unreadable('The line is not a JSON object: write one object per line.')
    const unknown = Object.keys(line).find((name) => !Object.hasOwn(FIELDS, name))
    if (unknown !== undefined) throw new Unreadable(`${shown(unknown)} is not a field of a purchase.`)
    return toFacts(line, kind, now)
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
}

function toFacts(line: Json, kind: OutsideId['kind'] | undefined, now: number): Fact[] {
  const orderId = readId(line.orderId, 'orderId')
  if (orderId === undefined) throw new Unreadable('The line names no order: give orderId.')
  const at = readInstant(line.at, 'at', now)
  const cancelledAt = isNothing(line.cancelledAt) ? undefined : readInstant(line.cancelledAt, 'cancelledAt', now)
  const refunded = isNothing(line.refunded) ? '0' : readAmount(line.refunded, 'refunded')
  return [
    {
      type: 'purchase',
      orderId,
      who: buyerOf(line, kind),
      amount: readAmount(line.amount, 'amount'),
      currency: readCurrency(line.currency, 'currency'),
      at,
      versionAt: Math.max(at, cancelledAt ?? 0),
      isTest: false,
      isCancelled: cancelledAt !== undefined || !(isNothing(line.status) || isPaid(String(line.status))),
    },
    ...(refunded === '0' ? [] : [{ type: 'refund' as const, orderId, refundId: REFUND_OF_FILE, amount: refunded, at }]),
  ]
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ''

function buyerOf(line: Json, kind: OutsideId['kind'] | undefined): OutsideId | undefined {
  const notes = typeof line.notes === 'string' ? line.notes.split(/[\r\n]/) : []
  const named = notes.map((note) => NAMED_USER.exec(note)?.[1]).find((id) => id !== undefined)
  return (
    readOutsideId('userId', line.userId ?? named, 'userId') ??
    readOutsideId('shopify', line.shopify, 'shopify') ??
    readOutsideId('woocommerce', line.woocommerce, 'woocommerce') ??
    readOutsideId('anonymousId', line.anonymousId, 'anonymousId') ??
    (kind === undefined ? undefined : readOutsideId(kind, line.customer, 'customer'))
  )
}
