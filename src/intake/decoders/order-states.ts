import { REFUND_OF_STATUS } from '../../audience/live/refunds.store.js'
import type { Fact, FoundProblem, OrderStatuses, Payment } from '../facts.js'
import { reasonOf, Unreadable } from './values.js'

/** The meaning of the state of an order for its value. One that counts as it is has nothing beside `isCancelled`. */
export interface OrderState {
  payment?: Payment
  isCancelled: boolean
  isRefunded?: boolean
}

const STATUS_CHARS_MAX = 100
/** In every shop of WooCommerce these end an order. */
const ENDED = new Set(['cancelled', 'canceled', 'failed', 'trash', 'trashed'])
const REFUNDED = 'refunded'
const PAID = new Set(['processing', 'completed'])

/** The slug of a state of WooCommerce: exports write it as `wc-on-hold` or `On hold`. */
export const slugOf = (status: unknown): string =>
  typeof status === 'string' && status.length <= STATUS_CHARS_MAX
    ? status.trim().toLowerCase().replaceAll(' ', '-').replace(/^wc-/, '')
    : ''

/** True for a state in which no order of WooCommerce counts, whatever a source says. */
export const endsOrder = (slug: string): boolean => ENDED.has(slug) || slug === REFUNDED

/**
 * A shop of WooCommerce may have states of its own, such as `shipped`: an order that has a date of payment counts in all but
 * those that end it. Without that date it counts in the states that stand for a payment.
 */
export function stateOfStatus(
  status: unknown,
  { isDated, statuses }: { isDated: boolean; statuses: OrderStatuses | undefined },
): OrderState {
  const slug = slugOf(status)
  const isRefunded = slug === REFUNDED
  const isPaid = PAID.has(slug) || statuses?.counted.includes(slug) === true
  return {
    // Only what was paid is refunded.
    payment: isDated || isRefunded ? 'stated' : isPaid ? 'implied' : 'none',
    isCancelled: ENDED.has(slug) || statuses?.uncounted.includes(slug) === true,
    isRefunded,
  }
}

const NOT_PAID = new Set(['pending', 'authorized', 'expired', 'voided'])

/** The state of an order of Shopify by its `financial_status`; one that says nothing counts. */
export function stateOfFinancialStatus(status: unknown): OrderState {
  const slug = slugOf(status).replaceAll('-', '_')
  return {
    ...(NOT_PAID.has(slug) && { payment: 'none' }),
    isCancelled: slug === 'voided',
    ...(slug === REFUNDED && { isRefunded: true }),
  }
}

/** The refund that the state of an order stands for. */
export const refundOfState = ({ isRefunded }: OrderState, orderId: string, at: number): Fact[] =>
  isRefunded ? [{ type: 'refund', orderId, refundId: REFUND_OF_STATUS, at }] : []

/**
 * Reads a part of a payload without which the rest counts. What cannot be read is a problem of its own; then the value is
 * `fallback`.
 */
export function readPart<T>(problems: FoundProblem[], item: string, read: () => T, fallback: T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    problems.push({ item, reason: reasonOf(error) })
    return fallback
  }
}
