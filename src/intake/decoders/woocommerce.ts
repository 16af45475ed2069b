import type { Decode, DecoderOptions, Fact, OutsideId } from '../facts.js'
import { has, hasOne, requireShape, type Shapes, shapeNameOf } from './shapes.js'
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

const fitsOrder = (body: Json): boolean =>
  has(body, 'total', 'currency', 'status') && !hasOne(body, 'billing_period', 'parent_order_id', 'code')

/** Whatever is deleted, the body is its id: nothing in it says whether that is of an order. */
const isIdAlone = (body: Json): boolean => Object.keys(body).every((name) => name === 'id')

/** The bodies of WooCommerce by their topics. */
export const WOOCOMMERCE_SHAPES = {
  order: { title: 'an order', topics: ['order.created', 'order.updated'], fits: fitsOrder },
  restoredOrder: { title: 'an order', topics: ['order.restored'], fits: fitsOrder },
  deletedOrder: { title: 'the id of a deleted order', topics: ['order.deleted'], fits: isIdAlone },
  customer: {
    title: 'a customer',
    topics: ['customer.created', 'customer.updated'],
    fits: (body) =>
      hasOne(body, 'email', 'username', 'first_name', 'last_name') &&
      !hasOne(body, 'total', 'currency', 'status', 'line_items', 'price'),
  },
  deletedCustomer: { title: 'the id of a deleted customer', topics: ['customer.deleted'], fits: isIdAlone },
} as const satisfies Shapes<string>

/** Reads a webhook of WooCommerce. Its topic is in a header. */
export const decodeWooCommerce: Decode = ({ topic, body, receivedAt }, options) => {
  let claim: { claim?: string } = {}
  try {
    const payload = asObject(readWhole(body))
    // Topics that are not read are one, so that a sender of many leaves no more behind.
    if (payload.id !== undefined && isIdAlone(payload)) {
      claim = {
        claim: topic !== null && shapeNameOf(WOOCOMMERCE_SHAPES, topic) !== undefined ? topic : 'another topic',
      }
    }
    const facts = readTopic(topic, payload, { ...options, receivedAt })
    return { facts: facts.map((fact) => ({ item: '', fact })), problems: [], ...claim }
  } catch (error) {
    return { facts: [], problems: [{ item: '', reason: `${topic ?? 'The delivery'}: ${reasonOf(error)}` }], ...claim }
  }
}

function readTopic(topic: string | null, payload: Json, scope: Scope): Fact[] {
  switch (requireShape(WOOCOMMERCE_SHAPES, topic, payload)) {
    case 'order':
      return readOrder(payload, scope)
    case 'restoredOrder':
      return [...readOrder(payload, scope), readRemoval('orderRestored', payload, scope)]
    case 'deletedOrder':
      return [readRemoval('orderRemoved', payload, scope)]
    case 'customer':
      return readCustomer(payload, timeOf(payload, ['date_modified_gmt', 'date_created_gmt'], scope))
    case 'deletedCustomer':
      return []
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
