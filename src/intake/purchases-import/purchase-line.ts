import {
  isObject,
  type Json,
  parseInstant,
  readAmount,
  readCurrency,
  readId,
  readInstant,
  readOutsideId,
  shown,
  Unreadable,
} from '../decoders/values.js'
import type { Fact, OutsideId } from '../facts.js'

/** The fields of a line, and how the exports of shops call them. A column that is not here is left out. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...{ Id: 'orderId', 'Order ID': 'orderId', 'Order Number': 'orderId', 'Order #': 'orderId' },
  ...{ Total: 'amount', 'Order Total': 'amount', 'Order Total Amount': 'amount' },
  ...{ Currency: 'currency', 'Order Currency': 'currency' },
  ...{ 'Created at': 'at', 'Order Date': 'at', Date: 'at' },
  ...{ 'Refunded Amount': 'refunded', 'Order Refund Amount': 'refunded' },
  ...{ 'Cancelled at': 'cancelledAt', 'Customer ID': 'customer', 'Customer User ID': 'customer' },
  'Note Attributes': 'notes',
}
const FIELDS = [
  ...['orderId', 'amount', 'currency', 'at', 'refunded', 'cancelledAt', 'notes', 'customer'],
  ...['userId', 'anonymousId', 'shopify', 'woocommerce'],
]
const NAMED_USER = /^greenroom_user_id\s*:\s*(\S+)\s*$/m

/** Our name of a column of a CSV; undefined for one that is not needed. */
export const fieldOfColumn = (column: string): string | undefined =>
  FIELDS.includes(column) ? column : COLUMNS[column]

/** A line that only goes on with the order of the line before it, as the exports of Shopify have for each item. */
export const isContinuation = (line: Json): boolean => line.orderId === '' && line.amount === ''

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
    const unknown = Object.keys(line).find((name) => !FIELDS.includes(name))
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
  const isRefunded = line.refunded !== undefined && line.refunded !== null && line.refunded !== ''
  const refunded = isRefunded ? readAmount(line.refunded, 'refunded') : '0'
  return [
    {
      type: 'purchase',
      orderId,
      who: buyerOf(line, kind),
      amount: readAmount(line.amount, 'amount'),
      currency: readCurrency(line.currency, 'currency'),
      at,
      versionAt: at,
      isTest: false,
      isCancelled: typeof line.cancelledAt === 'string' && parseInstant(line.cancelledAt) !== undefined,
    },
    ...(refunded === '0' ? [] : [{ type: 'refund' as const, orderId, refundId: 'export', amount: refunded, at }]),
  ]
}

function buyerOf(line: Json, kind: OutsideId['kind'] | undefined): OutsideId | undefined {
  const [, named] = NAMED_USER.exec(typeof line.notes === 'string' ? line.notes : '') ?? []
  return (
    readOutsideId('userId', line.userId ?? named, 'userId') ??
    readOutsideId('shopify', line.shopify, 'shopify') ??
    readOutsideId('woocommerce', line.woocommerce, 'woocommerce') ??
    readOutsideId('anonymousId', line.anonymousId, 'anonymousId') ??
    (kind === undefined ? undefined : readOutsideId(kind, line.customer, 'customer'))
  )
}
