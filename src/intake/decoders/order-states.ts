import { REFUND_OF_STATUS } from '../../audience/live/refunds.store.js'
import type { Fact, FoundProblem, OrderStatuses, Payment } from '../facts.js'
import { reasonOf, Unreadable } from './values.js'

/** The meaning of an order's state for its value. An order that counts as it is has only `isCancelled`. */
export interface OrderState {
  payment?: Payment
  isCancelled: boolean
  isRefunded?: boolean
}

const STATUS_CHARS_MAX = 100
/** In every WooCommerce shop these end an order. */
const ENDED = new Set(['cancelled', 'canceled', 'failed', 'trash', 'trashed'])
const REFUNDED = 'refunded'
const PAID = new Set(['processing', 'completed'])

/** Returns the slug of a WooCommerce state, which exports write as `wc-on-hold` or `On hold`. */
export const slugOf = (status: unknown): string =>
  typeof status === 'string' && status.length <= STATUS_CHARS_MAX
    ? status.trim().toLowerCase().replaceAll(' ', '-').replace(/^wc-/, '')
    : ''

/** Returns whether no WooCommerce order counts in this state, whatever a source says. */
export const endsOrder = (slug: string): boolean => ENDED.has(slug) || slug === REFUNDED

/**
 * Returns the meaning of a WooCommerce state. Shops may have their own states, such as `shipped`: an order with a payment
 * date counts in all states but those that end it. Without that date it counts in the states that imply a payment.
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

/** Returns the meaning of a Shopify order's `financial_status`; an order without one counts. */
export function stateOfFinancialStatus(status: unknown): OrderState {
  const slug = slugOf(status).replaceAll('-', '_')
  return {
    ...(NOT_PAID.has(slug) && { payment: 'none' }),
    isCancelled: slug === 'voided',
    ...(slug === REFUNDED && { isRefunded: true }),
  }
}

/** Returns the refund that an order's state implies. */
export const refundOfState = ({ isRefunded }: OrderState, orderId: string, at: number): Fact[] =>
  isRefunded ? [{ type: 'refund', orderId, refundId: REFUND_OF_STATUS, at }] : []

/** Reads an optional part of a payload. If it is unreadable, that is a separate problem, and the value is `fallback`. */
export function readPart<T>(problems: FoundProblem[], item: string, read: () => T, fallback: T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    problems.push({ item, reason: reasonOf(error) })
    return fallback
  }
}
