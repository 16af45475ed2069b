import { describe, expect, test } from 'vitest'
import type { Decoded, DecoderOptions, Fact } from '../facts.js'
import { decodeEvents } from './events.js'
import { decodeShopify } from './shopify.js'
import { decodeWooCommerce } from './woocommerce.js'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const decodeWith =
  (decode: typeof decodeShopify) =>
  (topic: string | null, payload: object, options: Partial<DecoderOptions> = {}): Decoded =>
    decode(
      { topic, headers: {}, body: Buffer.from(JSON.stringify(payload)), receivedAt: NOW },
      { valueFrom: 'total', ...options },
    )
const shopify = decodeWith(decodeShopify)
const woo = decodeWith(decodeWooCommerce)
const events = decodeWith(decodeEvents)
const of = <T extends Fact['type']>({ facts }: Decoded, type: T) =>
  facts.flatMap(({ fact }) => (fact.type === type ? [fact as Fact & { type: T }] : []))
const amountsOf = (decoded: Decoded) =>
  [...of(decoded, 'purchase'), ...of(decoded, 'refund')].map(({ amount }) => amount)

const WOO = {
  ...{ id: 727, status: 'processing', total: '50.00', currency: 'EUR', customer_id: 26 },
  ...{ date_created_gmt: '2026-11-18T09:15:04', date_modified_gmt: '2026-11-18T09:16:00' },
}
const SHOPIFY = {
  ...{ id: 1001, total_price: '100.00', subtotal_price: '90.00', currency: 'EUR', financial_status: 'paid' },
  ...{ created_at: '2026-11-19T08:00:00Z', updated_at: '2026-11-19T08:00:00Z' },
}

describe('a field that an order does not need', () => {
  test.each<object>([
    { total_tax: '-0.01' },
    { shipping_total: '' },
    { total_tax: null, shipping_total: 'free' },
    { date_paid_gmt: '' },
    { date_paid_gmt: '0000-00-00T00:00:00' },
    { date_paid_gmt: '-0001-11-30T00:00:00' },
    { date_paid_gmt: 'soon' },
    { date_modified_gmt: '' },
    { date_created_gmt: '' },
    { customer_id: '' },
    { customer_id: null },
    { billing: '' },
    { billing: { first_name: 7, last_name: [] } },
    { meta_data: '' },
    { meta_data: [null, { key: 'greenroom_user_id', value: '' }] },
    { refunds: '' },
    { refunds: null },
    { discount_total: 'x', line_items: '', fee_lines: [{ total: '' }] },
  ])('rejects no WooCommerce order: %j', (more) => {
    const decoded = woo('order.updated', { ...WOO, ...more })
    expect(decoded.problems).toEqual([])
    expect(amountsOf(decoded)).toEqual(['50'])
  })

  test.each<object>([
    { subtotal_price: '' },
    { subtotal_price: '-1' },
    { total_price_set: '' },
    { total_price_set: { shop_money: { amount: '' } } },
    { processed_at: '' },
    { processed_at: 'soon' },
    { updated_at: '' },
    { cancelled_at: '' },
    { customer: '' },
    { customer: { id: '' } },
    { note_attributes: '' },
    { refunds: '' },
    { total_tax: '', total_outstanding: '' },
    { total_outstanding: 'x', financial_status: 'paid' },
  ])('rejects no Shopify order: %j', (more) => {
    const decoded = shopify('orders/updated', { ...SHOPIFY, ...more })
    expect(decoded.problems).toEqual([])
    expect(amountsOf(decoded)).toEqual(['100'])
  })

  test.each<object>([
    { total: '', revenue: '50' },
    { total: '50', revenue: 'x' },
    { total: 50, tax: '', shipping: 'x', discount: '-1' },
    { total: ' ', value: 50 },
  ])('rejects no event: %j', (properties) => {
    const body = { type: 'track', event: 'Order Completed', userId: 'u', messageId: 'm', timestamp: '' }
    const decoded = events('track', { ...body, properties: { order_id: '1', currency: 'EUR', ...properties } })
    expect(decoded.problems).toEqual([])
    expect(amountsOf(decoded)).toEqual(['50'])
  })

  test('is a separate problem if it identifies someone, and the order counts', () => {
    const long = 'x'.repeat(300)
    const ofWoo = woo('order.updated', { ...WOO, customer_id: long })
    const ofShopify = shopify('orders/updated', { ...SHOPIFY, customer: { id: long } })
    const event = { type: 'identify', userId: 'u', anonymousId: long, messageId: 'm', traits: { firstName: 'Ada' } }
    const ofEvent = events('identify', event)
    expect([amountsOf(ofWoo), amountsOf(ofShopify), of(ofEvent, 'profile').length]).toEqual([['50'], ['100'], 1])
    for (const [{ problems }, item] of [
      [ofWoo, 'customer_id'],
      [ofShopify, 'customer.id'],
      [ofEvent, ''],
    ] as const) {
      expect(problems).toMatchObject([{ item, reason: expect.stringContaining('at most 256 characters') }])
    }
  })

  test('is needed if the revenue counts, even below zero; an empty one is nothing', () => {
    const revenue = (more: object) => amountsOf(woo('order.updated', { ...WOO, ...more }, { valueFrom: 'revenue' }))
    expect(revenue({ total_tax: '-0.01', shipping_total: '' })).toEqual(['50.01'])
    expect(revenue({ total_tax: '8.00', shipping_total: '4.00' })).toEqual(['38'])
    expect(woo('order.updated', { ...WOO, total_tax: 'x' }, { valueFrom: 'revenue' }).problems).toHaveLength(1)
    expect(woo('order.updated', { ...WOO, total: '' }).problems).toHaveLength(1)
  })

  test('may be a refund: it is a problem, and the order and its other refunds count', () => {
    const refunds = [{ id: 1, total: '-5.00' }, { id: 2, total: '' }, { total: '-1' }]
    const decoded = woo('order.updated', { ...WOO, refunds })
    expect(amountsOf(decoded)).toEqual(['50', '5'])
    expect(decoded.problems.map(({ item }) => item)).toEqual(['refunds[1]', 'refunds[2]'])
  })
})

test('a refunded WooCommerce order without named refunds is fully refunded', () => {
  const [refund] = of(woo('order.updated', { ...WOO, status: 'refunded', refunds: [] }), 'refund')
  expect(refund).toMatchObject({ orderId: '727' })
  expect(refund).not.toHaveProperty('amount')
})

describe('a topic', () => {
  const EDIT = {
    order_edit: { id: 1, order_id: 820982911946154508n.toString(), line_items: { additions: [], removals: [] } },
  }

  test.each([
    ['orders/edited', EDIT],
    ['orders/risk_assessment_changed', { order_id: 1, provider_id: 2 }],
    ['order_transactions/create', { id: 1, order_id: 5, kind: 'refund', status: 'success', amount: '30.00' }],
    ['fulfillments/create', { id: 1, order_id: 5, status: 'success' }],
    ['fulfillment_orders/placed_on_hold', { fulfillment_order: {} }],
    ['checkouts/create', { id: 1, total_price: '9.00', abandoned_checkout_url: 'https://a.example' }],
    ['carts/update', { id: 'c', line_items: [] }],
    ['draft_orders/update', { id: 1, total_price: '9.00', invoice_url: 'https://a.example' }],
    ['products/delete', { id: 1 }],
    ['inventory_levels/update', { inventory_item_id: 1 }],
    ['customers/merge', { admin_graphql_api_customer_kept_id: 'gid://shopify/Customer/1' }],
    ['customer.tags_added', { customerId: 'gid://shopify/Customer/1', tags: ['vip'] }],
    ['disputes/create', { id: 1, order_id: 5, amount: '11.50' }],
    ['tender_transactions/create', { id: 1, order_id: 5, amount: '11.50' }],
    ['app/uninstalled', { id: 1, name: 'Mercado' }],
    ['shop/update', { id: 1, name: 'Mercado' }],
    ['bulk_operations/finish', { admin_graphql_api_id: 'gid://shopify/BulkOperation/1' }],
  ])('of Shopify without an order is not a problem: %s', (topic, body) => {
    expect(shopify(topic, body)).toMatchObject({ facts: [], problems: [] })
  })

  test.each([
    ['product.updated', { id: 1, name: 'Tea' }],
    ['coupon.created', { id: 1, code: 'X' }],
    ['action.woocommerce_add_to_cart', { action: 'woocommerce_add_to_cart', arg: '7' }],
    ['subscription.renewed', { id: 1, total: '9.00', currency: 'EUR', status: 'active', billing_period: 'month' }],
  ])('of WooCommerce without an order is not a problem: %s', (topic, body) => {
    expect(woo(topic, body)).toMatchObject({ facts: [], problems: [] })
  })

  test('with a version of an order is read, whatever its name', () => {
    for (const topic of ['orders/partially_fulfilled', 'orders/link_requested']) {
      expect(amountsOf(shopify(topic, SHOPIFY))).toEqual(['100'])
    }
    expect(amountsOf(woo('order.shipped', WOO))).toEqual(['50'])
  })

  test('of Shopify that deletes an order removes it, but not for the id of something else', () => {
    expect(shopify('orders/delete', { id: 1001 })).toMatchObject({
      facts: [{ fact: { type: 'orderRemoved', orderId: '1001', at: NOW } }],
      ...{ problems: [], claim: 'orders/delete' },
    })
    expect(shopify('products/delete', { id: 1001 })).toMatchObject({ facts: [], claim: 'another topic' })
    expect(shopify('orders/delete', SHOPIFY)).toMatchObject({ facts: [], problems: [{}] })
  })

  test('that is missing or unknown to shops is a problem, and so is the body of another topic', () => {
    for (const topic of [null, '', 'orders', 'a b/c', '/', 'x'.repeat(300)]) {
      expect(shopify(topic, SHOPIFY)).toMatchObject({
        facts: [],
        problems: [{ reason: expect.stringContaining('topic') }],
      })
      expect(woo(topic, WOO).problems).toHaveLength(1)
    }
    expect(shopify('orders/edited', SHOPIFY).problems).toHaveLength(1)
    expect(shopify('orders/updated', EDIT).problems).toHaveLength(1)
  })
})

describe("a Shopify refund in the customer's currency", () => {
  const money = (shop: string, presentment?: string) => ({
    shop_money: { amount: shop, currency_code: 'EUR' },
    ...(presentment !== undefined && { presentment_money: { amount: presentment, currency_code: 'USD' } }),
  })
  const paid = (amount: string, more: object = {}) => ({
    ...{ id: 5, kind: 'refund', status: 'success', amount, currency: 'USD', ...more },
  })
  const refund = (parts: object, ...transactions: object[]) => ({
    ...{ id: 9, order_id: 1001, created_at: '2026-11-20T08:00:00Z', transactions, ...parts },
  })
  const item = (subtotal: object, tax?: object) => ({
    ...{ subtotal_set: subtotal, ...(tax !== undefined && { total_tax_set: tax }) },
  })
  const both = (given: object): readonly Decoded[] => [
    shopify('refunds/create', given),
    shopify('orders/updated', { ...SHOPIFY, total_price_set: money('100.00', '110.00'), refunds: [given] }),
  ]
  const adjustment = (kind: string, shop: string, presentment: string) => ({
    order_adjustments: [{ kind, amount_set: money(shop, presentment), tax_amount_set: money('0.00', '0.00') }],
  })

  test.each<[string, object, string]>([
    ['its items', refund({ refund_line_items: [item(money('50.00'))] }, paid('55.00')), '50'],
    ['its items, in both', refund({ refund_line_items: [item(money('50.00', '55.00'))] }, paid('55.00')), '50'],
    [
      'taxes beside',
      refund({ refund_line_items: [item(money('40.00', '44.00'), money('10.00', '11.00'))] }, paid('55.00')),
      '50',
    ],
    [
      'taxes within',
      refund({ refund_line_items: [item(money('50.00', '55.00'), money('8.00', '8.80'))] }, paid('55.00')),
      '50',
    ],
    [
      'shipping as an adjustment',
      refund(
        { refund_line_items: [item(money('40.00', '44.00'))], ...adjustment('shipping_refund', '-10.00', '-11.00') },
        paid('55.00'),
      ),
      '50',
    ],
    [
      'shipping in its own list',
      refund({ refund_shipping_lines: [{ subtotal_amount_set: money('10.00', '11.00') }] }, paid('11.00')),
      '10',
    ],
    [
      'less than its items',
      refund(
        { refund_line_items: [item(money('50.00', '55.00'))], ...adjustment('refund_discrepancy', '10.00', '11.00') },
        paid('44.00'),
      ),
      '40',
    ],
    ['duties', refund({ total_duties_set: money('5.00', '5.50') }, paid('5.50')), '5'],
    [
      'two transactions',
      refund({ refund_line_items: [item(money('50.00', '55.00'))] }, paid('30.00'), paid('25.00')),
      '50',
    ],
    ['the transaction itself', refund({}, paid('55.00', { amount_set: money('50.00', '55.00') })), '50'],
    [
      "a transaction in the shop's currency",
      refund({ refund_line_items: [item(money('50.00'))] }, paid('50.00', { currency: 'EUR' })),
      '50',
    ],
  ])("counts in the shop's currency, by %s", (_, given, amount) => {
    for (const decoded of both(given)) {
      expect(decoded.problems).toEqual([])
      expect(of(decoded, 'refund')).toMatchObject([{ amount }])
    }
  })

  test.each<[string, object]>([
    ['says nothing about it', refund({}, paid('55.00'))],
    ['has other items', refund({ refund_line_items: [item(money('10.00', '11.00'))] }, paid('55.00'))],
    [
      'is in two currencies',
      refund({ refund_line_items: [item(money('50.00'))] }, paid('30.00'), paid('25', { currency: 'GBP' })),
    ],
    ['comes to nothing', refund({ refund_line_items: [item(money('0.00'))] }, paid('55.00'))],
  ])('is a problem if it %s, and the order counts', (_, given) => {
    const [single, within] = both(given)
    expect(single).toMatchObject({ facts: [], problems: [{ reason: expect.stringContaining('currency of the shop') }] })
    expect(amountsOf(within!)).toEqual(['100'])
    expect(within!.problems).toMatchObject([{ item: 'refunds[0]' }])
  })
})
