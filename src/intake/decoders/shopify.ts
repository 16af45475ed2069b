import {
  type Decode,
  type DecoderOptions,
  type Fact,
  idOfGlobalId,
  isPlaceholder,
  type OutsideId,
  typeOfGlobalId,
} from '../facts.js'
import { has, hasOne, hasOnly, requireShape, type Shapes } from './shapes.js'
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

/** True unless the body says itself that it is of another type. All but requests about privacy name their type. */
const isOf = (type: string, body: Json): boolean => (typeOfGlobalId(body.admin_graphql_api_id) ?? type) === type

/** Fields that only requests about privacy have. */
const OF_PRIVACY = ['shop_id', 'shop_domain', 'orders_to_redact', 'orders_requested', 'data_request']

/** The bodies of Shopify by their topics. */
export const SHOPIFY_SHAPES = {
  order: {
    title: 'an order',
    topics: ['create', 'paid', 'updated', 'edited', 'fulfilled', 'cancelled'].map((name) => `orders/${name}`),
    // Checkouts and drafts have totals too.
    fits: (body) =>
      isOf('Order', body) &&
      hasOne(body, 'total_price', 'total_price_set') &&
      !hasOne(body, 'order_id', 'abandoned_checkout_url', 'invoice_url', ...OF_PRIVACY),
  },
  refund: {
    title: 'a refund',
    topics: ['refunds/create'],
    fits: (body) =>
      isOf('Refund', body) &&
      has(body, 'order_id') &&
      Array.isArray(body.transactions) &&
      !hasOne(body, 'total_price', ...OF_PRIVACY),
  },
  customer: {
    title: 'a customer',
    topics: ['customers/create', 'customers/update', 'customers/enable'],
    fits: (body) =>
      isOf('Customer', body) &&
      hasOne(body, 'email', 'first_name', 'last_name', 'phone') &&
      !hasOne(body, 'total_price', 'order_id', 'line_items', 'transactions', 'myshopify_domain', ...OF_PRIVACY),
  },
  // The shop deleted its record; the person did not ask to be forgotten (customers/redact says that).
  deletedCustomer: { title: 'a deleted customer', topics: ['customers/delete'], fits: () => true },
  redaction: {
    title: 'a request to forget a customer',
    topics: ['customers/redact'],
    fits: (body) =>
      has(body, 'shop_id', 'shop_domain', 'customer') &&
      Array.isArray(body.orders_to_redact) &&
      hasOnly(body, 'shop_id', 'shop_domain', 'customer', 'orders_to_redact'),
  },
  dataRequest: {
    title: 'a request for the data of a customer',
    topics: ['customers/data_request'],
    fits: (body) =>
      has(body, 'shop_id', 'shop_domain', 'customer') &&
      Array.isArray(body.orders_requested) &&
      hasOnly(body, 'shop_id', 'shop_domain', 'customer', 'orders_requested', 'data_request'),
  },
  shopRedaction: {
    title: 'a request to forget a shop',
    topics: ['shop/redact'],
    fits: (body) => has(body, 'shop_id', 'shop_domain') && hasOnly(body, 'shop_id', 'shop_domain'),
  },
} as const satisfies Shapes<string>

/** Reads a webhook of Shopify. Its topic is in a header. */
export const decodeShopify: Decode = ({ topic, body, receivedAt }, options) => {
  try {
    const payload = asObject(readWhole(body))
    const facts = readTopic(topic, payload, { ...options, receivedAt })
    const takesAway = facts.some(({ type }) => type === 'forget' || type === 'forgetSource')
    const shopId = shopIdOf(payload)
    return {
      facts: facts.map((fact) => ({ item: '', fact })),
      problems: [],
      ...(shopId !== undefined && { shopId }),
      ...(takesAway && { claim: topic! }),
    }
  } catch (error) {
    return { facts: [], problems: [{ item: '', reason: `${topic ?? 'The delivery'}: ${reasonOf(error)}` }] }
  }
}

function readTopic(topic: string | null, payload: Json, scope: Scope): Fact[] {
  switch (requireShape(SHOPIFY_SHAPES, topic, payload)) {
    case 'order':
      return readOrder(payload, scope)
    case 'refund':
      return readRefund(payload, requireOrderId(payload.order_id), scope)
    case 'customer':
      return readCustomer(payload, timeOf(payload.updated_at ?? payload.created_at, scope))
    case 'deletedCustomer':
      return []
    case 'redaction':
      return [{ type: 'forget', ids: requireCustomer(payload), reason: 'customers/redact' }]
    case 'dataRequest':
      return [{ type: 'dataRequest', ids: requireCustomer(payload) }]
    case 'shopRedaction':
      return [{ type: 'forgetSource' }]
  }
}

/** The number of the shop: of an order it is in the address of its page. */
const STATUS_URL = /^https?:\/\/[^/]{1,253}\/(\d{1,20})\/orders\//
function shopIdOf({ shop_id, order_status_url: url }: Json): string | undefined {
  if (typeof url === 'string') return STATUS_URL.exec(url)?.[1]
  return readId(shop_id, 'shop_id')
}

/** `gid://shopify/Order/…` has all digits of an id, where a number may have lost the last ones. */
function idOf(object: Json, name: string): string | undefined {
  return idOfGlobalId(object.admin_graphql_api_id) ?? readId(object.id, name)
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
