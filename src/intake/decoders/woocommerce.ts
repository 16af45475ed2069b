import type { Decode, DecoderOptions, Fact, OutsideId } from '../facts.js'
import {
  asList,
  asObject,
  type Json,
  knownFields,
  readAmount,
  readCurrency,
  readId,
  readInstant,
  readName,
  readOutsideId,
  readPicture,
  readWhole,
  reasonOf,
  subtract,
  Unreadable,
} from './values.js'

interface Scope extends DecoderOptions {
  receivedAt: number
}

/** Orders in these states are paid, or were before they were refunded: the refunds are told beside them. */
const PAID = new Set(['processing', 'completed', 'refunded'])

/** True for the state of an order that counts; exports write it as `wc-completed` or `Completed`. */
export const isPaid = (status: string): boolean => PAID.has(status.trim().toLowerCase().replace(/^wc-/, ''))

/** Reads a webhook of WooCommerce. Its topic is in a header. */
export const decodeWooCommerce: Decode = ({ topic, body, receivedAt }, options) => {
  try {
    const facts = readTopic(topic, asObject(readWhole(body)), { ...options, receivedAt })
    return { facts: facts.map((fact) => ({ item: '', fact })), problems: [] }
  } catch (error) {
    return { facts: [], problems: [{ item: '', reason: `${topic ?? 'The delivery'}: ${reasonOf(error)}` }] }
  }
}

function readTopic(topic: string | null, payload: Json, scope: Scope): Fact[] {
  switch (topic) {
    case 'order.created':
    case 'order.updated':
      return readOrder(payload, scope)
    case 'order.restored':
      return [...readOrder(payload, scope), readRemoval('orderRestored', payload, scope)]
    case 'order.deleted':
      return [readRemoval('orderRemoved', payload, scope)]
    case 'customer.created':
    case 'customer.updated':
      return readCustomer(payload, timeOf(payload, ['date_modified_gmt', 'date_created_gmt'], scope))
    case 'customer.deleted':
      return []
    default:
      throw new Unreadable(`Nothing here reads this topic: leave it out of the shop's webhooks.`)
  }
}

/** An order was moved to the trash, of which the shop tells the id alone, or out of it. */
function readRemoval(type: 'orderRemoved' | 'orderRestored', { id }: Json, { receivedAt }: Scope): Fact {
  const orderId = readId(id, 'id')
  if (orderId === undefined) throw new Unreadable('The order has no id.')
  return { type, orderId, at: receivedAt }
}

/** The times in UTC have no Z. */
function timeOf(payload: Json, names: readonly string[], { receivedAt }: Scope): number {
  for (const name of names) {
    const given = payload[name]
    if (given === undefined || given === null) continue
    const text = typeof given === 'string' && !/(Z|[+-]\d\d:?\d\d)$/.test(given) ? `${given}Z` : given
    return readInstant(text, name, receivedAt)
  }
  return receivedAt
}

function readOrder(order: Json, scope: Scope): Fact[] {
  const orderId = readId(order.id, 'id')
  if (orderId === undefined) throw new Unreadable('The order has no id.')
  const versionAt = timeOf(order, ['date_modified_gmt', 'date_created_gmt'], scope)
  const total = readAmount(order.total, 'total')
  const without = [order.shipping_total, order.total_tax].map((part) => readAmount(part ?? '0', 'shipping_total'))
  const named = namedUser(order)
  // A guest has the customer 0.
  const customer = readOutsideId('woocommerce', order.customer_id, 'customer_id')
  const ids: OutsideId[] = [named, customer].filter((outside) => outside !== undefined)
  const billing = asObject(order.billing)
  const fields = knownFields({ firstName: readName(billing.first_name), lastName: readName(billing.last_name) })
  return [
    ...(customer === undefined || Object.keys(fields).length === 0
      ? []
      : [{ type: 'profile' as const, who: customer, fields, at: versionAt }]),
    ...(ids.length > 1 ? [{ type: 'link' as const, ids, at: versionAt }] : []),
    {
      type: 'purchase',
      orderId,
      who: customer ?? named,
      amount: scope.valueFrom === 'total' ? total : subtract(total, ...without),
      currency: readCurrency(order.currency, 'currency'),
      at: timeOf(order, ['date_paid_gmt', 'date_created_gmt'], scope),
      versionAt,
      isTest: false,
      isCancelled: !isPaid(String(order.status)),
    },
    ...asList(order.refunds).flatMap((refund) => readRefund(asObject(refund), orderId, versionAt)),
  ]
}

/** A refund has a negative total, and no time of its own. */
function readRefund(refund: Json, orderId: string, at: number): Fact[] {
  const refundId = readId(refund.id, 'refunds.id')
  if (refundId === undefined) throw new Unreadable('A refund has no id.')
  const total = typeof refund.total === 'string' || typeof refund.total === 'number' ? String(refund.total) : ''
  return [{ type: 'refund', orderId, refundId, amount: readAmount(total.replace(/^-/, ''), 'refunds.total'), at }]
}

function namedUser(object: Json): OutsideId | undefined {
  const named = asList(object.meta_data)
    .map(asObject)
    .find(({ key }) => key === 'greenroom_user_id')
  return readOutsideId('userId', named?.value, 'greenroom_user_id')
}

function readCustomer(customer: Json, at: number): Fact[] {
  const who = readOutsideId('woocommerce', customer.id, 'id')
  if (who === undefined) return []
  const fields = knownFields({
    firstName: readName(customer.first_name),
    lastName: readName(customer.last_name),
    userName: readName(customer.username),
    profilePic: readPicture(customer.avatar_url),
  })
  const named = namedUser(customer)
  return [
    ...(Object.keys(fields).length === 0 ? [] : [{ type: 'profile' as const, who, fields, at }]),
    ...(named === undefined ? [] : [{ type: 'link' as const, ids: [named, who], at }]),
  ]
}
