import type { Decode, DecoderOptions, ExternalId, Fact, FoundProblem } from '../facts.js'
import { readPart, refundOfState, stateOfStatus } from './order-states.js'
import { has, hasOne, requireShape, type Shapes, shapeNameOf } from './shapes.js'
import {
  asList,
  asObject,
  firstGiven,
  isNothing,
  type Json,
  knownFields,
  negate,
  parseInstant,
  readAmount,
  readCurrency,
  readFirstInstant,
  readId,
  readName,
  readOutsideId,
  readPicture,
  readSigned,
  readWhole,
  reasonOf,
  subtract,
  Unreadable,
} from './values.js'

interface Scope extends DecoderOptions {
  receivedAt: number
  /** Collects the unreadable parts of a payload; the rest is used. */
  problems: FoundProblem[]
}

const fitsOrder = (body: Json): boolean =>
  has(body, 'total', 'currency', 'status') && !hasOne(body, 'billing_period', 'parent_order_id', 'code')

/** The body is only an id, whatever was deleted: it does not show whether that was an order. */
const hasOnlyId = (body: Json): boolean => Object.keys(body).every((name) => name === 'id')

/** The shapes of WooCommerce's bodies, with their topics. */
export const WOOCOMMERCE_SHAPES = {
  order: { title: 'an order', topics: ['order.created', 'order.updated'], fits: fitsOrder },
  restoredOrder: { title: 'an order', topics: ['order.restored'], fits: fitsOrder },
  deletedOrder: { title: 'the id of a deleted order', topics: ['order.deleted'], fits: hasOnlyId },
  customer: {
    title: 'a customer',
    topics: ['customer.created', 'customer.updated'],
    fits: (body) =>
      hasOne(body, 'email', 'username', 'first_name', 'last_name') &&
      !hasOne(body, 'total', 'currency', 'status', 'line_items', 'price'),
  },
  deletedCustomer: { title: 'the id of a deleted customer', topics: ['customer.deleted'], fits: hasOnlyId },
} as const satisfies Shapes<string>

/** Decodes a webhook from WooCommerce. Its topic is in a header. */
export const decodeWooCommerce: Decode = ({ topic, body, receivedAt }, options) => {
  const named = (reason: string): string => `${topic ?? 'The delivery'}: ${reason}`
  let claim: { claim?: string } = {}
  try {
    const payload = asObject(readWhole(body))
    // Topics that are not read count as one, so that sending many of them does not store more.
    if (payload.id !== undefined && hasOnlyId(payload)) {
      claim = {
        claim: topic !== null && shapeNameOf(WOOCOMMERCE_SHAPES, topic) !== undefined ? topic : 'another topic',
      }
    }
    const problems: FoundProblem[] = []
    const facts = readTopic(topic, payload, { ...options, receivedAt, problems })
    return {
      facts: facts.map((fact) => ({ item: '', fact })),
      problems: problems.map(({ item, reason }) => ({ item, reason: named(reason) })),
      ...claim,
    }
  } catch (error) {
    return { facts: [], problems: [{ item: '', reason: named(reasonOf(error)) }], ...claim }
  }
}

function readTopic(topic: string | null, payload: Json, scope: Scope): Fact[] {
  const shape = requireShape(WOOCOMMERCE_SHAPES, topic, payload)
  // Plugins send versions of an order under topics of their own.
  const isOrder = shape === undefined && topic?.startsWith('order.') === true && fitsOrder(payload)
  switch (isOrder ? 'order' : shape) {
    case 'order':
      return readOrder(payload, scope)
    case 'restoredOrder':
      return [...readOrder(payload, scope), readRemoval('orderRestored', payload, scope)]
    case 'deletedOrder':
      return [readRemoval('orderRemoved', payload, scope)]
    case 'customer':
      return readCustomer(payload, scope)
    case 'deletedCustomer':
    case undefined:
      return []
  }
}

/** Returns that an order was moved to the trash, in which case the shop sends only its id, or was restored from it. */
function readRemoval(type: 'orderRemoved' | 'orderRestored', { id }: Json, { receivedAt }: Scope): Fact {
  const orderId = readId(id, 'id')
  if (orderId === undefined) throw new Unreadable('The order has no id.')
  return { type, orderId, at: receivedAt }
}

/** WooCommerce omits the Z from times in UTC. */
const inUtc = (given: unknown): unknown =>
  typeof given === 'string' && given.length < 100 && !/(?:Z|[+-]\d\d:?\d\d)$/.test(given) ? `${given}Z` : given

const timeOf = (payload: Json, names: readonly string[], { receivedAt }: Scope): number =>
  readFirstInstant(
    names.map((name) => (isNothing(payload[name]) ? undefined : inUtc(payload[name]))),
    names[0]!,
    receivedAt,
  )

/** Returns the total of the order, without shipping and tax unless `valueFrom` is `total`. */
function amountOf(order: Json, { valueFrom }: Scope): string {
  const total = readAmount(order.total, 'total')
  if (valueFrom === 'total') return total
  const without = (['shipping_total', 'total_tax'] as const).map((name) =>
    isNothing(order[name]) ? '0' : readSigned(order[name], name),
  )
  return subtract(total, ...without)
}

function readOrder(order: Json, scope: Scope): Fact[] {
  const { problems, statuses } = scope
  const orderId = readId(order.id, 'id')
  if (orderId === undefined) throw new Unreadable('The order has no id.')
  const versionAt = timeOf(order, ['date_modified_gmt', 'date_created_gmt'], scope)
  const named = readPart(problems, 'meta_data', () => namedUser(order), undefined)
  // Guests have the customer id 0.
  const customer = readPart(
    problems,
    'customer_id',
    () => readOutsideId('woocommerce', order.customer_id, 'customer_id'),
    undefined,
  )
  const ids: ExternalId[] = [named, customer].filter((outside) => outside !== undefined)
  const billing = asObject(order.billing)
  const fields = knownFields({ firstName: readName(billing.first_name), lastName: readName(billing.last_name) })
  // Shops write year 0 if they have no date.
  const paidAt = parseInstant(inUtc(firstGiven(order.date_paid_gmt, order.date_paid)))
  const state = stateOfStatus(order.status, { isDated: paidAt !== undefined && paidAt > 0, statuses })
  return [
    ...(customer === undefined || Object.keys(fields).length === 0
      ? []
      : [{ type: 'profile' as const, who: customer, fields, at: versionAt }]),
    ...(ids.length > 1 ? [{ type: 'link' as const, ids, at: versionAt }] : []),
    {
      type: 'purchase',
      orderId,
      who: customer ?? named,
      amount: amountOf(order, scope),
      currency: readCurrency(order.currency, 'currency'),
      at: timeOf(order, ['date_paid_gmt', 'date_created_gmt'], scope),
      versionAt,
      isTest: false,
      ...state,
    },
    ...asList(order.refunds).flatMap((refund, index) =>
      readPart(problems, `refunds[${index}]`, () => readRefund(asObject(refund), orderId, versionAt), []),
    ),
    ...refundOfState(state, orderId, versionAt),
  ]
}

/** A refund has a negative total, and no time of its own. */
function readRefund(refund: Json, orderId: string, at: number): Fact[] {
  const refundId = readId(refund.id, 'refunds.id')
  if (refundId === undefined) throw new Unreadable('A refund has no id.')
  const total = readSigned(refund.total, 'refunds.total')
  return [{ type: 'refund', orderId, refundId, amount: total.startsWith('-') ? negate(total) : total, at }]
}

function namedUser(object: Json): ExternalId | undefined {
  const named = asList(object.meta_data)
    .map(asObject)
    .find(({ key }) => key === 'greenroom_user_id')
  return readOutsideId('userId', named?.value, 'greenroom_user_id')
}

function readCustomer(customer: Json, scope: Scope): Fact[] {
  const at = timeOf(customer, ['date_modified_gmt', 'date_created_gmt'], scope)
  const who = readOutsideId('woocommerce', customer.id, 'id')
  if (who === undefined) return []
  const fields = knownFields({
    firstName: readName(customer.first_name),
    lastName: readName(customer.last_name),
    userName: readName(customer.username),
    profilePic: readPicture(customer.avatar_url),
  })
  const named = readPart(scope.problems, 'meta_data', () => namedUser(customer), undefined)
  return [
    ...(Object.keys(fields).length === 0 ? [] : [{ type: 'profile' as const, who, fields, at }]),
    ...(named === undefined ? [] : [{ type: 'link' as const, ids: [named, who], at }]),
  ]
}
