import { type Decode, type DecoderOptions, type Fact, isPlaceholder, type OutsideId } from '../facts.js'
import {
  add,
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
  readWhole,
  reasonOf,
  shown,
  Unreadable,
} from './values.js'

interface Scope extends DecoderOptions {
  receivedAt: number
}

/** Reads a webhook of Shopify. Its topic is in a header. */
export const decodeShopify: Decode = ({ topic, headers, body, receivedAt }, options) => {
  try {
    const payload = asObject(readWhole(body))
    const facts = readTopic(topic, payload, { ...options, receivedAt })
    // A delivery that the admin sends as a test names orders that do not exist.
    const kept = headers['x-shopify-test'] === 'true' ? facts.map(asTest) : facts
    return { facts: kept.map((fact) => ({ item: '', fact })), problems: [] }
  } catch (error) {
    return { facts: [], problems: [{ item: '', reason: `${topic ?? 'The delivery'}: ${reasonOf(error)}` }] }
  }
}

const asTest = (fact: Fact): Fact => (fact.type === 'purchase' ? { ...fact, isTest: true } : fact)

function readTopic(topic: string | null, payload: Json, scope: Scope): Fact[] {
  switch (topic) {
    case 'orders/create':
    case 'orders/paid':
    case 'orders/updated':
    case 'orders/edited':
    case 'orders/fulfilled':
    case 'orders/cancelled':
      return readOrder(payload, scope)
    case 'refunds/create':
      return [readRefund(payload, requireOrderId(payload.order_id), scope)].flat()
    case 'customers/create':
    case 'customers/update':
    case 'customers/enable':
      return readCustomer(payload, timeOf(payload.updated_at ?? payload.created_at, scope))
    // The shop deleted its record; the person did not ask to be forgotten (customers/redact says that).
    case 'customers/delete':
      return []
    case 'customers/redact':
      return [{ type: 'forget', ids: requireCustomer(payload), reason: 'customers/redact' }]
    case 'customers/data_request':
      return [{ type: 'dataRequest', ids: requireCustomer(payload) }]
    case 'shop/redact':
      return [{ type: 'forgetSource' }]
    default:
      throw new Unreadable(`Nothing here reads this topic: leave it out of the shop's webhooks.`)
  }
}

const GLOBAL_ID_CHARS_MAX = 256
/** The digits at the end of a path, which a query may follow. */
const GLOBAL_ID = /^[^?]*\/(\d+)(?:\?|$)/

/** The digits of an id: `gid://shopify/Order/…` has all of them, where a number may have lost the last ones. */
function idOf(object: Json, name: string): string | undefined {
  const global = object.admin_graphql_api_id
  const isReadable = typeof global === 'string' && global.length <= GLOBAL_ID_CHARS_MAX
  const [, digits] = isReadable ? (GLOBAL_ID.exec(global) ?? []) : []
  return digits ?? readId(object.id, name)
}

function requireOrderId(value: unknown): string {
  const id = readId(value, 'order_id')
  if (id === undefined) throw new Unreadable('The order has no id.')
  return id
}

const timeOf = (value: unknown, { receivedAt }: Scope): number =>
  value === undefined || value === null ? receivedAt : readInstant(value, 'the time', receivedAt)

/** Amounts are in the currency of the shop: `shop_money` where both are given. */
function shopMoney(set: unknown, plain: unknown, name: string): { amount: string; currency: unknown } {
  const money = asObject(asObject(set).shop_money)
  return { amount: readAmount(money.amount ?? plain, name), currency: money.currency_code }
}

function readOrder(order: Json, scope: Scope): Fact[] {
  const orderId = requireOrderId(idOf(order, 'id'))
  const isTotal = scope.valueFrom === 'total'
  const { amount, currency } = isTotal
    ? shopMoney(order.total_price_set, order.total_price, 'total_price')
    : shopMoney(order.subtotal_price_set, order.subtotal_price, 'subtotal_price')
  const at = timeOf(order.processed_at ?? order.created_at, scope)
  const versionAt = timeOf(order.updated_at ?? order.created_at, scope)
  const named = namedUser(order)
  const customer = asObject(order.customer)
  const shopify = readOutsideId('shopify', idOf(customer, 'customer.id'), 'customer.id')
  const ids: OutsideId[] = [named, shopify].filter((outside) => outside !== undefined)
  return [
    ...(shopify === undefined ? [] : readCustomer(customer, versionAt)),
    ...(ids.length > 1 ? [{ type: 'link' as const, ids, at: versionAt }] : []),
    {
      type: 'purchase',
      orderId,
      // The customer's id where there is one: every order of theirs has it, and a link gives it its person.
      who: shopify ?? named,
      amount,
      currency: readCurrency(currency ?? order.currency, 'currency'),
      at,
      versionAt,
      isTest: order.test === true,
      isCancelled: order.cancelled_at !== undefined && order.cancelled_at !== null,
    },
    ...asList(order.refunds).flatMap((refund) => readRefund(asObject(refund), orderId, scope)),
  ]
}

/** A user whom the shop's theme or an app names. */
function namedUser(order: Json): OutsideId | undefined {
  const named = [...asList(order.note_attributes), ...asList(order.metafields)]
    .map(asObject)
    .find(({ name, key }) => (name ?? key) === 'greenroom_user_id')
  return readOutsideId('userId', named?.value, 'greenroom_user_id')
}

/** Money that went back: the successful transactions of a refund, which may be of less than what was returned. */
function readRefund(refund: Json, orderId: string, scope: Scope): Fact[] {
  const refundId = idOf(refund, 'refund.id')
  if (refundId === undefined) throw new Unreadable('The refund has no id.')
  const amounts = asList(refund.transactions)
    .map(asObject)
    .filter(({ kind, status }) => kind === 'refund' && status === 'success')
    .map((transaction) => shopMoney(transaction.amount_set, transaction.amount, 'the amount of a refund').amount)
  if (amounts.length === 0) return []
  const at = timeOf(refund.processed_at ?? refund.created_at, scope)
  return [{ type: 'refund', orderId, refundId, amount: add(amounts), at }]
}

function readCustomer(customer: Json, at: number): Fact[] {
  const who = readOutsideId('shopify', idOf(customer, 'customer.id'), 'customer.id')
  if (who === undefined) return []
  const fields = knownFields({ firstName: readName(customer.first_name), lastName: readName(customer.last_name) })
  const named = namedUser(customer)
  return [
    ...(Object.keys(fields).length === 0 ? [] : [{ type: 'profile' as const, who, fields, at }]),
    ...(named === undefined ? [] : [{ type: 'link' as const, ids: [named, who], at }]),
  ]
}

function requireCustomer({ customer }: Json): OutsideId[] {
  const id = idOf(asObject(customer), 'customer.id')
  if (id === undefined || isPlaceholder(id)) throw new Unreadable(`It names no customer: ${shown(customer)}.`)
  return [{ kind: 'shopify', id }]
}
