import {
  type Decode,
  type DecoderOptions,
  type ExternalId,
  type Fact,
  type FoundProblem,
  idOfGlobalId,
  isPlaceholder,
  typeOfGlobalId,
} from '../facts.js'
import { readPart, refundOfState, stateOfFinancialStatus } from './order-states.js'
import { has, hasOne, hasOnly, requireShape, type Shapes } from './shapes.js'
import { refundedAmount } from './shopify-refunds.js'
import {
  asList,
  asObject,
  firstGiven,
  isNothing,
  isObject,
  type Json,
  knownFields,
  readAmount,
  readCurrency,
  readFirstInstant,
  readId,
  readName,
  readOutsideId,
  readWhole,
  reasonOf,
  shown,
  subtract,
  Unreadable,
} from './values.js'

interface Scope extends DecoderOptions {
  receivedAt: number
  /** Collects the unreadable parts of a payload; the rest is used. */
  problems: FoundProblem[]
}

/** Returns true unless the body itself says that it has another type. All bodies except privacy requests name their type. */
const isOf = (type: string, body: Json): boolean => (typeOfGlobalId(body.admin_graphql_api_id) ?? type) === type

/** Fields that only privacy requests have. */
const OF_PRIVACY = ['shop_id', 'shop_domain', 'orders_to_redact', 'orders_requested', 'data_request']

/** Whatever is deleted, the body may be just its id: nothing says whether it belongs to an order. */
const isIdAlone = (body: Json): boolean => has(body, 'id') && hasOnly(body, 'id')

/** Checkouts and drafts have totals too. */
const fitsOrder = (body: Json): boolean =>
  isOf('Order', body) &&
  hasOne(body, 'total_price', 'total_price_set') &&
  !hasOne(body, 'order_id', 'abandoned_checkout_url', 'invoice_url', ...OF_PRIVACY)

/** The bodies of Shopify by topic. */
export const SHOPIFY_SHAPES = {
  order: {
    title: 'an order',
    topics: ['create', 'paid', 'updated', 'partially_fulfilled', 'fulfilled', 'cancelled'].map(
      (name) => `orders/${name}`,
    ),
    fits: fitsOrder,
  },
  // It lists the items that were added and removed, but no amount: a version of the order arrives too.
  orderEdit: {
    title: 'a change of an order',
    topics: ['orders/edited'],
    fits: (body) => isObject(body.order_edit) && hasOnly(body, 'order_edit'),
  },
  deletedOrder: { title: 'the id of a deleted order', topics: ['orders/delete'], fits: isIdAlone },
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
  // The shop deleted its record; the person did not ask to be erased (customers/redact says that).
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
  const named = (reason: string): string => `${topic ?? 'The delivery'}: ${reason}`
  try {
    const payload = asObject(readWhole(body))
    const problems: FoundProblem[] = []
    const facts = readTopic(topic, payload, { ...options, receivedAt, problems })
    const takesAway = facts.some(({ type }) => type === 'forget' || type === 'forgetSource' || type === 'orderRemoved')
    // Topics that say nothing about orders count as one, so that a sender of many leaves no more behind.
    const claim = takesAway ? topic! : isIdAlone(payload) ? 'another topic' : undefined
    const shopId = shopIdOf(payload)
    return {
      facts: facts.map((fact) => ({ item: '', fact })),
      problems: problems.map(({ item, reason }) => ({ item, reason: named(reason) })),
      ...(shopId !== undefined && { shopId }),
      ...(claim !== undefined && { claim }),
    }
  } catch (error) {
    return { facts: [], problems: [{ item: '', reason: named(reasonOf(error)) }] }
  }
}

function readTopic(topic: string | null, payload: Json, scope: Scope): Fact[] {
  const shape = requireShape(SHOPIFY_SHAPES, topic, payload)
  // Any news about an order arrives with a version of it, or with nothing that is needed here.
  const isOrder = shape === undefined && topic?.startsWith('orders/') === true && fitsOrder(payload)
  switch (isOrder ? 'order' : shape) {
    case 'order':
      return readOrder(payload, scope)
    case 'refund':
      return readRefund(payload, { orderId: requireOrderId(payload.order_id), currency: undefined }, scope)
    case 'customer':
      return readCustomer(payload, timeOf([payload.updated_at, payload.created_at], scope), scope)
    case 'deletedOrder':
      return [{ type: 'orderRemoved', orderId: requireOrderId(payload.id), at: scope.receivedAt }]
    case 'orderEdit':
    case 'deletedCustomer':
    case undefined:
      return []
    case 'redaction':
      return [{ type: 'forget', ids: requireCustomer(payload), reason: 'customers/redact' }]
    case 'dataRequest':
      return [{ type: 'dataRequest', ids: requireCustomer(payload) }]
    case 'shopRedaction':
      return [{ type: 'forgetSource' }]
  }
}

/** The number of the shop, which is in the address of an order's page. */
const STATUS_URL = /^https?:\/\/[^/]{1,253}\/(\d{1,20})\/orders\//
function shopIdOf({ shop_id, order_status_url: url }: Json): string | undefined {
  if (typeof url === 'string') return STATUS_URL.exec(url)?.[1]
  return readId(shop_id, 'shop_id')
}

/** Returns an id. `gid://shopify/Order/…` has all of its digits, while a number may have lost the last ones. */
function idOf(object: Json, name: string): string | undefined {
  return idOfGlobalId(object.admin_graphql_api_id) ?? readId(object.id, name)
}

function requireOrderId(value: unknown): string {
  const id = readId(value, 'order_id')
  if (id === undefined) throw new Unreadable('The order has no id.')
  return id
}

const timeOf = (values: readonly unknown[], { receivedAt }: Scope): number =>
  readFirstInstant(values, 'the time', receivedAt)

/** Returns an amount in the shop's currency: `shop_money` if both are given. */
function shopMoney(set: unknown, plain: unknown, name: string): { amount: string; currency: unknown } {
  const money = asObject(asObject(set).shop_money)
  return { amount: readAmount(firstGiven(money.amount, plain), name), currency: money.currency_code }
}

/** Returns the amount that counts: for a partly paid order, at most the paid part. */
function amountOf(order: Json, { valueFrom }: Scope): { amount: string; currency: unknown } {
  const total = () => shopMoney(order.total_price_set, order.total_price, 'total_price')
  const whole =
    valueFrom === 'total' ? total() : shopMoney(order.subtotal_price_set, order.subtotal_price, 'subtotal_price')
  if (!isPaidInPart(order)) return whole
  const paid = subtract(total().amount, readAmount(order.total_outstanding, 'total_outstanding'))
  // Subtracts what is missing, whichever of the two is less.
  return { ...whole, amount: subtract(whole.amount, subtract(whole.amount, paid)) }
}

const isPaidInPart = ({ financial_status: status, total_outstanding: outstanding }: Json): boolean =>
  status === 'partially_paid' && !isNothing(outstanding)

function readOrder(order: Json, scope: Scope): Fact[] {
  const { problems } = scope
  const orderId = requireOrderId(idOf(order, 'id'))
  const { amount, currency } = amountOf(order, scope)
  const at = timeOf([order.processed_at, order.created_at], scope)
  const versionAt = timeOf([order.updated_at, order.created_at], scope)
  const named = readPart(problems, 'note_attributes', () => namedUser(order), undefined)
  const customer = asObject(order.customer)
  const shopify = readPart(
    problems,
    'customer.id',
    () => readOutsideId('shopify', idOf(customer, 'customer.id'), 'customer.id'),
    undefined,
  )
  const ids: ExternalId[] = [named, shopify].filter((outside) => outside !== undefined)
  const code = readCurrency(firstGiven(currency, order.currency), 'currency')
  const state = stateOfFinancialStatus(order.financial_status)
  const isCancelled = !isNothing(order.cancelled_at)
  return [
    ...(shopify === undefined ? [] : readCustomer(customer, versionAt, scope)),
    ...(ids.length > 1 ? [{ type: 'link' as const, ids, at: versionAt }] : []),
    {
      type: 'purchase',
      orderId,
      // The customer's id if there is one: all of their orders have it, and a link connects it to its person.
      who: shopify ?? named,
      amount,
      currency: code,
      at,
      versionAt,
      isTest: order.test === true,
      ...state,
      isCancelled: isCancelled || state.isCancelled,
    },
    ...asList(order.refunds).flatMap((refund, index) =>
      readPart(
        problems,
        `refunds[${index}]`,
        () => readRefund(asObject(refund), { orderId, currency: code }, scope),
        [],
      ),
    ),
    ...refundOfState(state, orderId, versionAt),
  ]
}

/** Returns a user whom the shop's theme or an app names. */
function namedUser(order: Json): ExternalId | undefined {
  const named = [...asList(order.note_attributes), ...asList(order.metafields)]
    .map(asObject)
    .find(({ name, key }) => (name ?? key) === 'greenroom_user_id')
  return readOutsideId('userId', named?.value, 'greenroom_user_id')
}

/** The currency is the shop's, as the order states it. */
function readRefund(
  refund: Json,
  { orderId, currency }: { orderId: string; currency: string | undefined },
  scope: Scope,
): Fact[] {
  const refundId = idOf(refund, 'refund.id')
  if (refundId === undefined) throw new Unreadable('The refund has no id.')
  const amount = refundedAmount(refund, currency)
  if (amount === undefined) return []
  return [{ type: 'refund', orderId, refundId, amount, at: timeOf([refund.processed_at, refund.created_at], scope) }]
}

function readCustomer(customer: Json, at: number, { problems }: Scope): Fact[] {
  const who = readOutsideId('shopify', idOf(customer, 'customer.id'), 'customer.id')
  if (who === undefined) return []
  const fields = knownFields({ firstName: readName(customer.first_name), lastName: readName(customer.last_name) })
  const named = readPart(problems, 'metafields', () => namedUser(customer), undefined)
  return [
    ...(Object.keys(fields).length === 0 ? [] : [{ type: 'profile' as const, who, fields, at }]),
    ...(named === undefined ? [] : [{ type: 'link' as const, ids: [named, who], at }]),
  ]
}

function requireCustomer({ customer }: Json): ExternalId[] {
  const id = idOf(asObject(customer), 'customer.id')
  if (id === undefined || isPlaceholder(id)) throw new Unreadable(`It names no customer: ${shown(customer)}.`)
  return [{ kind: 'shopify', id }]
}
