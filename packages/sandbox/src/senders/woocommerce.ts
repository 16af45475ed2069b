import { newId } from '../lib/ids.js'
import { type Address, type Delivery, sign, toPhpJson } from './delivery.js'
import { centsOf, customerIdOf, type ShopFormat, type ShopOrder, toMoney } from './shop.js'

const SHOP_URL = 'https://aurora.example.com/'
const WEBHOOK_ID = 7
const SHIPPING_CENTS = 500

/** The webhooks of a WooCommerce shop, which has two topics: refunds and cancellations are updates of their order. */
export function wooCommerceFormat({ secret }: Address, currency: string): ShopFormat {
  return {
    hasTests: false,
    totalFollows: true,
    toDeliveries(order, event) {
      const action = event === 'placed' ? 'created' : 'updated'
      const body = toPhpJson(toOrder(order, currency))
      return [
        {
          title: `order.${action}${event === 'placed' || event === 'changed' ? '' : ` (${event})`}`,
          body,
          headers: {
            ...fixedHeaders,
            'content-type': 'application/json',
            'x-wc-webhook-topic': `order.${action}`,
            'x-wc-webhook-event': action,
            'x-wc-webhook-signature': sign('sha256', secret, body, 'base64'),
            'x-wc-webhook-delivery-id': newId('delivery'),
          },
        },
      ]
    },
  }
}

const fixedHeaders = {
  'user-agent': 'WooCommerce/10.3.0 Hookshot (WordPress/6.9)',
  'x-wc-webhook-source': SHOP_URL,
  'x-wc-webhook-resource': 'order',
  'x-wc-webhook-id': String(WEBHOOK_ID),
}

/** It is sent once, when the webhook is created. It is unsigned and not JSON. */
export const wooCommercePing = (): Delivery => ({
  title: 'The ping of a new webhook',
  body: `webhook_id=${WEBHOOK_ID}`,
  headers: { 'user-agent': fixedHeaders['user-agent'], 'content-type': 'application/x-www-form-urlencoded' },
})

/** Times in UTC have no Z. */
const toTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19)

function toOrder(order: ShopOrder, currency: string): object {
  const { id, buyer, cents, placedAt, changedAt, cancelledAt, refunds } = order
  const isRefunded = refunds.length > 0 && centsOf({ ...order, cancelledAt: undefined }) === 0
  const { firstName = '', lastName = '' } = buyer ?? {}
  return {
    id,
    number: String(id),
    status: cancelledAt !== undefined ? 'cancelled' : isRefunded ? 'refunded' : 'processing',
    currency,
    date_created_gmt: toTime(placedAt),
    date_modified_gmt: toTime(changedAt),
    date_paid_gmt: toTime(placedAt),
    total: toMoney(cents),
    shipping_total: toMoney(SHIPPING_CENTS),
    total_tax: '0.00',
    // A guest is customer 0.
    customer_id: buyer === undefined ? 0 : customerIdOf(buyer),
    billing: { first_name: firstName, last_name: lastName },
    meta_data: buyer === undefined ? [] : [{ id: 1, key: 'greenroom_user_id', value: buyer.userId }],
    refunds: refunds.map((refund) => ({ id: refund.id, reason: '', total: `-${toMoney(refund.cents)}` })),
  }
}
