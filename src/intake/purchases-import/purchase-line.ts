import { REFUND_OF_FILE } from '../../audience/live/refunds.store.js'
import { isRounded, ROUNDED_BY_SPREADSHEET } from '../../interface/csv.js'
import type { ValueFrom } from '../../interface/generated/types.js'
import { type OrderState, refundOfState, stateOfFinancialStatus, stateOfStatus } from '../decoders/order-states.js'
import {
  isNothing,
  isObject,
  type Json,
  negate,
  readAmount,
  readCurrency,
  readId,
  readInstant,
  readOutsideId,
  readSigned,
  shown,
  Unreadable,
} from '../decoders/values.js'
import type { ExternalId, Fact, OrderStatuses } from '../facts.js'

/** The fields of a line, with their names in shops' exports, the preferred name first. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  orderId: ['Id', 'Order ID', 'Order Number', 'Order #'],
  amount: ['Total', 'Order Total', 'Order Total Amount'],
  currency: ['Currency', 'Order Currency'],
  at: ['Created at', 'Order Date', 'Date'],
  refunded: ['Refunded Amount', 'Order Refund Amount'],
  cancelledAt: ['Cancelled at'],
  status: ['Order Status'],
  paidAt: ['Paid at', 'Paid Date', 'Date Paid', 'Order Paid Date'],
  financialStatus: ['Financial Status'],
  notes: ['Note Attributes'],
  customer: ['Customer ID', 'Customer User ID'],
  ...{ userId: [], anonymousId: [], shopify: [], woocommerce: [] },
}
/** The column of the amount without shipping and tax in Shopify's exports. */
const REVENUE = 'Subtotal'
const NAMED_USER = /^greenroom_user_id\s*:\s*(\S+)\s*$/

/** Returns our name for each column of a CSV, or undefined if the column is not needed. */
export function fieldsOfColumns(columns: readonly string[], valueFrom: ValueFrom): (string | undefined)[] {
  const fields: (string | undefined)[] = columns.map(() => undefined)
  for (const [field, names] of Object.entries(FIELDS)) {
    const revenue = field === 'amount' && valueFrom === 'revenue' ? [REVENUE] : []
    const place = [field, ...revenue, ...names].map((name) => columns.indexOf(name)).find((index) => index >= 0)
    if (place !== undefined) fields[place] = field
  }
  return fields
}

/** Returns whether a line only continues the order of the previous line, as Shopify's exports do for each item. */
export const isContinuation = (line: Json, before: Json): boolean =>
  line.amount === '' && (line.orderId === '' || line.orderId === before.orderId)

/** The settings of the source to which a file belongs, and the current time. */
interface SourceSettings {
  /** The kind of the shop's customer ids. */
  kind: ExternalId['kind'] | undefined
  statuses: OrderStatuses
  now: number
}

/**
 * Parses an untrusted line into facts, or returns the reason why it is invalid. Files and deliveries of the shop identify
 * orders in the same way, so that no order counts twice; a delivery counts as newer than a file.
 */
export function parsePurchase(line: unknown, source: SourceSettings): Fact[] | string {
  try {
    if (!isObject(line)) throw new Unreadable('The line is not a JSON object: write one object per line.')
    const unknown = Object.keys(line).find((name) => !Object.hasOwn(FIELDS, name))
    if (unknown !== undefined) throw new Unreadable(`${shown(unknown)} is not a field of a purchase.`)
    return toFacts(line, source)
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
}

/** If a file says nothing about the state, the order counts as paid. */
function stateOf({ status, financialStatus, paidAt }: Json, { statuses, now }: SourceSettings): OrderState {
  if (isNothing(status)) return stateOfFinancialStatus(financialStatus)
  const isDated = !isNothing(paidAt) && readInstant(paidAt, 'paidAt', now) > 0
  return stateOfStatus(status, { isDated, statuses })
}

const IDS = ['orderId', 'userId', 'shopify', 'woocommerce', 'anonymousId', 'customer']

/** Throws Unreadable for an id that a spreadsheet has rounded, so that it may identify another order or person. */
function refuseRounded(line: Json): void {
  const ids = [...IDS.map((name) => [name, line[name]] as const), ['notes', namedUserOf(line)] as const]
  for (const [name, id] of ids) {
    if (typeof id !== 'string' || !isRounded(id)) continue
    throw new Unreadable(`${name} cannot be ${shown(id)}: ${ROUNDED_BY_SPREADSHEET}.`)
  }
}

function toFacts(line: Json, source: SourceSettings): Fact[] {
  const { kind, now } = source
  refuseRounded(line)
  const orderId = readId(line.orderId, 'orderId')
  if (orderId === undefined) throw new Unreadable('The line has no order id: add orderId.')
  const at = readInstant(line.at, 'at', now)
  const cancelledAt = isNothing(line.cancelledAt) ? undefined : readInstant(line.cancelledAt, 'cancelledAt', now)
  const given = isNothing(line.refunded) ? '0' : readSigned(line.refunded, 'refunded')
  const refunded = given.startsWith('-') ? negate(given) : given
  const state = stateOf(line, source)
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
      ...state,
      isCancelled: cancelledAt !== undefined || state.isCancelled,
    },
    ...(refunded === '0' ? [] : [{ type: 'refund' as const, orderId, refundId: REFUND_OF_FILE, amount: refunded, at }]),
    ...refundOfState(state, orderId, at),
  ]
}

function namedUserOf(line: Json): string | undefined {
  const notes = typeof line.notes === 'string' ? line.notes.split(/[\r\n]/) : []
  return notes.map((note) => NAMED_USER.exec(note)?.[1]).find((id) => id !== undefined)
}

function buyerOf(line: Json, kind: ExternalId['kind'] | undefined): ExternalId | undefined {
  return (
    readOutsideId('userId', line.userId ?? namedUserOf(line), 'userId') ??
    readOutsideId('shopify', line.shopify, 'shopify') ??
    readOutsideId('woocommerce', line.woocommerce, 'woocommerce') ??
    readOutsideId('anonymousId', line.anonymousId, 'anonymousId') ??
    (kind === undefined ? undefined : readOutsideId(kind, line.customer, 'customer'))
  )
}
