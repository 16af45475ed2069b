import { newId } from '../lib/ids.js'
import { type Address, type Delivery, sign } from './delivery.js'
import { type Buyer, centsOf, customerIdOf, type ShopFormat, type ShopOrder, toMoney } from './shop.js'

const SHOP_DOMAIN = 'mercado-aurora.myshopify.com'
const API_VERSION = '2026-10'
const SHIPPING_CENTS = 500
/** The shop is three hours behind UTC. */
const OFFSET = { ms: 3 * 60 * 60_000, text: '-03:00' }
/** The platform's ids are too large for a double to hold exactly. */
const ID_STEP = 1_000n

/** The webhooks of a Shopify shop. */
export function shopifyFormat({ secret }: Address, currency: string, now: () => number): ShopFormat {
  function toDelivery(topic: string, eventId: string, payload: object, { isTest }: ShopOrder): Delivery {
    const body = toRubyJson(payload)
    return {
      title: `${topic}${isTest ? ' (a test)' : ''}`,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Shopify-Captain-Hook',
        'x-shopify-topic': topic,
        'x-shopify-hmac-sha256': sign('sha256', secret, body, 'base64'),
        'x-shopify-shop-domain': SHOP_DOMAIN,
        'x-shopify-api-version': API_VERSION,
        'x-shopify-webhook-id': newId('webhook'),
        'x-shopify-event-id': eventId,
        'x-shopify-triggered-at': new Date(now()).toISOString(),
      },
    }
  }

  return {
    hasTests: true,
    totalFollows: false,
    toDeliveries(order, event) {
      const eventId = newId('event')
      const deliver = (topic: string, payload: object): Delivery => toDelivery(topic, eventId, payload, order)
      const whole = toOrder(order, currency)
      switch (event) {
        case 'placed':
          return [deliver('orders/create', whole)]
        case 'changed':
          return [deliver('orders/updated', whole)]
        case 'cancelled':
          return [deliver('orders/cancelled', whole), deliver('orders/updated', whole)]
        case 'refunded':
          return [
            deliver('refunds/create', toRefund(order, order.refunds.at(-1)!, currency)),
            deliver('orders/updated', whole),
          ]
      }
    },
  }
}

const toTime = (ms: number): string => `${new Date(ms - OFFSET.ms).toISOString().slice(0, 19)}${OFFSET.text}`
const moneySet = (cents: number, currency_code: string): object => {
  const money = { amount: toMoney(cents), currency_code }
  return { shop_money: money, presentment_money: money }
}

function toOrder(order: ShopOrder, currency: string): object {
  const { buyer, cents, placedAt, changedAt, cancelledAt, isTest, refunds } = order
  const id = toBigId(order.id)
  const left = centsOf({ ...order, isTest: false, cancelledAt: undefined })
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    name: `#${order.id % 100_000}`,
    test: isTest,
    currency,
    financial_status: refunds.length === 0 ? 'paid' : left === 0 ? 'refunded' : 'partially_refunded',
    created_at: toTime(placedAt),
    processed_at: toTime(placedAt),
    updated_at: toTime(changedAt),
    cancelled_at: cancelledAt === undefined ? null : toTime(cancelledAt),
    total_price: toMoney(cents),
    current_total_price: toMoney(left),
    subtotal_price: toMoney(cents - SHIPPING_CENTS),
    total_price_set: moneySet(cents, currency),
    subtotal_price_set: moneySet(cents - SHIPPING_CENTS, currency),
    note_attributes: buyer === undefined ? [] : [{ name: 'greenroom_user_id', value: buyer.userId }],
    customer: buyer === undefined ? null : toCustomer(buyer),
    refunds: refunds.map((refund) => toRefund(order, refund, currency)),
  }
}

function toCustomer(buyer: Buyer): object {
  const id = customerIdOf(buyer)
  const { firstName = null, lastName = null } = buyer
  return { id, admin_graphql_api_id: `gid://shopify/Customer/${id}`, first_name: firstName, last_name: lastName }
}

function toRefund(order: ShopOrder, { id, cents, at }: ShopOrder['refunds'][number], currency: string): object {
  const amount = { amount: toMoney(cents), currency, amount_set: moneySet(cents, currency) }
  return {
    id: toBigId(id),
    admin_graphql_api_id: `gid://shopify/Refund/${toBigId(id)}`,
    order_id: toBigId(order.id),
    created_at: toTime(at),
    processed_at: toTime(at),
    transactions: [
      { id: toBigId(id + 1), order_id: toBigId(order.id), kind: 'refund', status: 'success', ...amount },
      { id: toBigId(id + 2), order_id: toBigId(order.id), kind: 'refund', status: 'failure', ...amount },
    ],
  }
}

const toBigId = (id: number): bigint => BigInt(id) * ID_STEP + 7n

/** JSON with whole numbers of any size. */
function toRubyJson(payload: object): string {
  const mark = newId('number')
  const json = JSON.stringify(payload, (_, value) => (typeof value === 'bigint' ? `${mark}:${value}` : value))
  return json.replaceAll(new RegExp(`"${mark}:(\\d+)"`, 'g'), '$1')
}
