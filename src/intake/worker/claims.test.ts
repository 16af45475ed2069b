import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { dataRequestOf, redactionOf, Sender, SHOP_REDACTION } from '../../../test/inbox.js'
import type { PersonDetails } from '../../interface/generated/types.js'

// The signature of a delivery covers its body, but neither its topic nor other headers.

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const payload = (name: string) =>
  JSON.parse(readFileSync(new URL(`../decoders/payloads/${name}.json`, import.meta.url), 'utf8'))
const CUSTOMER = 207119551
const SHOPIFY_ORDER = {
  ...{ id: 5_001, admin_graphql_api_id: 'gid://shopify/Order/5001', total_price: '30.00', currency: 'EUR' },
  ...{ created_at: '2026-11-20T08:00:00Z', updated_at: '2026-11-20T08:00:00Z' },
  customer: { id: CUSTOMER, first_name: 'Ada', email: 'ada@example.com' },
  note_attributes: [{ name: 'greenroom_user_id', value: 'cu_ada' }],
}
const WOO_ORDER = { ...payload('woocommerce/order-updated'), total: '30.00', refunds: [] }
WOO_ORDER.meta_data = [{ key: 'greenroom_user_id', value: 'cu_ada' }]

const personOf = async (sender: Sender, cuid = 'cu_ada') =>
  (await sender.operator(200, 'GET', `/people/${cuid}`)).body as PersonDetails

async function makeShop(type: 'SHOPIFY' | 'WOOCOMMERCE'): Promise<Sender> {
  const shop = await Sender.create(app, type)
  await shop.tenant.conversations(await shop.tenant.channel(), [{ id: 'ada' }])
  return shop
}

/** Sends the same bytes again, as anyone who saw them can: with another topic, and as another delivery. */
let deliveries = 0
async function say(shop: Sender, body: unknown, ...topics: string[]): Promise<void> {
  for (const topic of topics) await shop.send(body, { topic, id: `d${deliveries++}` })
  await shop.apply()
}

describe('a signed body with a topic for which it was not signed', () => {
  const other = {
    refund: { ...payload('shopify/refunds-create'), order_id: 5_001, customer: { id: CUSTOMER } },
    customer: { id: CUSTOMER, email: 'ada@example.com', first_name: 'Ada' },
    checkout: {
      ...SHOPIFY_ORDER,
      ...{ id: 7_001, admin_graphql_api_id: undefined, abandoned_checkout_url: 'https://a.example/7' },
    },
    draft: { ...SHOPIFY_ORDER, id: 7_002, admin_graphql_api_id: 'gid://shopify/DraftOrder/7002' },
    transaction: { id: 1, order_id: 5_001, kind: 'refund', status: 'success', amount: '30.00', customer: {} },
    'shop itself': { id: 9, name: 'Mercado', email: 'm@example.com', myshopify_domain: 'm.myshopify.com' },
    'request for data': dataRequestOf({ id: CUSTOMER }),
    'request with an order in it': { ...redactionOf({ id: CUSTOMER }), ...SHOPIFY_ORDER },
    'request of a shop': SHOP_REDACTION,
    'half of a request': { customer: { id: CUSTOMER } },
    'empty body': {},
    list: [redactionOf({ id: CUSTOMER })],
  }

  test("an order erases neither its customer nor the shop's purchases, whatever its topic", async () => {
    const shop = await makeShop('SHOPIFY')
    await say(shop, SHOPIFY_ORDER, 'orders/create')
    await say(shop, SHOPIFY_ORDER, 'customers/redact', 'shop/redact', 'customers/data_request', 'refunds/create')
    await say(shop, SHOPIFY_ORDER, 'customers/update', 'customers/delete', 'orders/delete')
    // The body determines a cancellation, and this one contains none.
    await say(shop, SHOPIFY_ORDER, 'orders/cancelled', 'orders/updated')
    expect(await personOf(shop)).toMatchObject({ conversations: [{ lifetimeValue: 30 }], links: [{ id: '207119551' }] })
    const problems = await shop.problems()
    for (const topic of ['customers/redact', 'shop/redact', 'customers/data_request', 'refunds/create']) {
      const reason = expect.stringMatching(/^[\w/]+: The body is not .+ nothing was applied\.$/)
      expect(problems).toContainEqual(expect.objectContaining({ topic, reason, answer: null }))
    }
  })

  test.each(Object.entries(other))('a %s is not a redaction, and not an order', async (name, body) => {
    const shop = await makeShop('SHOPIFY')
    await say(shop, SHOPIFY_ORDER, 'orders/create')
    await say(shop, body, 'customers/redact', ...(name === 'request of a shop' ? [] : ['shop/redact']))
    await say(shop, body, 'orders/create', 'orders/paid')
    if (name !== 'customer') await say(shop, body, 'customers/update')
    expect(await personOf(shop)).toMatchObject({ purchasesTotal: 1, conversations: [{ lifetimeValue: 30 }] })
    expect((await shop.problems()).length).toBeGreaterThan(0)
  })

  test('a WooCommerce order is not deleted by its own body, nor linked as a customer', async () => {
    const shop = await makeShop('WOOCOMMERCE')
    await say(shop, WOO_ORDER, 'order.created')
    await say(shop, WOO_ORDER, 'order.deleted', 'customer.updated', 'customer.created')
    const { links, conversations } = await personOf(shop)
    expect(conversations).toMatchObject([{ lifetimeValue: 30 }])
    expect(links).toMatchObject([{ kind: 'woocommerce', id: '26' }])
    expect((await shop.problems()).map(({ topic }) => topic).sort()).toEqual(['customer.updated', 'order.deleted'])
  })

  test.each([
    'customer.deleted',
    'product.deleted',
  ])('the id of what %s names deletes no order with the same number, until a human decides it', async (topic) => {
    const shop = await makeShop('WOOCOMMERCE')
    await say(shop, WOO_ORDER, 'order.created')
    await say(shop, { id: WOO_ORDER.id }, topic)
    await say(shop, { id: WOO_ORDER.id }, 'order.deleted')
    expect(await personOf(shop)).toMatchObject({ conversations: [{ lifetimeValue: 30 }] })
    const [problem] = (await shop.problems()).filter((each) => each.topic === 'order.deleted')
    expect(problem!.reason).toMatch(/^The same body arrived earlier as .+ retry it/)
    await shop.operator(200, 'POST', `/sources/${shop.source.id}/problems/${problem!.id}/retry`)
    await shop.apply()
    expect(await personOf(shop)).toMatchObject({ conversations: [{ lifetimeValue: 0 }] })
  })

  test('a deleted order is not restored by an earlier body', async () => {
    const shop = await makeShop('WOOCOMMERCE')
    await say(shop, WOO_ORDER, 'order.updated')
    app.clock.advance(1_000)
    await say(shop, { id: WOO_ORDER.id }, 'order.deleted')
    app.clock.advance(1_000)
    await say(shop, WOO_ORDER, 'order.restored')
    expect(await personOf(shop)).toMatchObject({ conversations: [{ lifetimeValue: 0 }] })
    expect(await shop.problems()).toMatchObject([{ topic: 'order.restored' }])
    await say(shop, { ...WOO_ORDER, date_modified_gmt: '2026-11-20T08:59:59' }, 'order.updated', 'order.restored')
    expect(await personOf(shop)).toMatchObject({ conversations: [{ lifetimeValue: 30 }] })
  })

  test('what Meta signs for a browser deletes nobody, and a webhook is not a request', async () => {
    const meta = await Sender.create(app, 'META')
    await meta.tenant.conversations(await meta.tenant.channel(), [{ id: '9000000000000077' }])
    const of = { algorithm: 'HMAC-SHA256', issued_at: 1_795_000_000, user_id: '9000000000000077' }
    await meta.askForDeletion({ ...of, code: 'AQB-code-of-a-sign-in' })
    await meta.askForDeletion({ ...of, oauth_token: 'token', page: { id: '1' } })
    await meta.apply()
    expect(await meta.tenant.countConversations()).toBe(1)
    expect((await meta.problems()).length).toBe(2)
    // The letters of this webhook decode to a request if characters outside base64 are skipped.
    const webhook = `{"${Buffer.from(JSON.stringify(of)).toString('base64url')}":1}`
    const signature = createHmac('sha256', 'secret of the other side').update(webhook).digest('base64url')
    const { statusCode } = await app.app.inject({
      ...{ method: 'POST', url: `/hooks/${meta.source.id}/data-deletion` },
      ...{ headers: { 'content-type': 'application/json' }, payload: { signed_request: `${signature}.${webhook}` } },
    })
    expect(statusCode).toBe(401)
    await meta.askForDeletion(of)
    await meta.apply()
    expect(await meta.tenant.countConversations()).toBe(0)
  })
})

describe('an applied request', () => {
  test('is not applied again by the same bytes after the person was readmitted, unless a human retries it', async () => {
    const shop = await makeShop('SHOPIFY')
    const redaction = redactionOf({ id: CUSTOMER, email: 'ada@example.com' })
    await say(shop, SHOPIFY_ORDER, 'orders/create')
    await say(shop, redaction, 'customers/redact')
    await shop.operator(404, 'GET', '/people/cu_ada')
    // Repeats are ignored.
    await say(shop, redaction, 'customers/redact', 'customers/redact')
    expect(await shop.problems()).toEqual([])
    await shop.operator(200, 'POST', '/people/cu_ada/readmit')
    await say(shop, { ...SHOPIFY_ORDER, id: 5_002, admin_graphql_api_id: 'gid://shopify/Order/5002' }, 'orders/create')
    await say(shop, redaction, 'customers/redact')
    expect(await personOf(shop)).toMatchObject({ purchasesTotal: 1 })
    const [problem] = await shop.problems()
    expect(problem!.reason).toMatch(/has been readmitted since.+ retry it/)
    await shop.operator(200, 'POST', `/sources/${shop.source.id}/problems/${problem!.id}/retry`)
    await shop.apply()
    await shop.operator(404, 'GET', '/people/cu_ada')
    expect(await shop.problems()).toEqual([])
  })

  test('to forget a shop removes no orders that came after it', async () => {
    const shop = await makeShop('SHOPIFY')
    await say(shop, SHOPIFY_ORDER, 'orders/create')
    await say(shop, SHOP_REDACTION, 'shop/redact')
    expect((await personOf(shop)).purchasesTotal).toBe(0)
    await say(shop, { ...SHOPIFY_ORDER, note: 'again' }, 'orders/create')
    await say(shop, SHOP_REDACTION, 'shop/redact')
    expect((await personOf(shop)).purchasesTotal).toBe(1)
    expect(await shop.problems()).toMatchObject([{ reason: expect.stringContaining('has sent orders since') }])
  })

  test('belongs to the shop whose orders the source has', async () => {
    const shop = await makeShop('SHOPIFY')
    const order_status_url = `https://mercado.example.com/${SHOP_REDACTION.shop_id}/orders/abc/authenticate?key=1`
    await say(shop, { ...SHOPIFY_ORDER, order_status_url }, 'orders/create')
    await say(shop, { shop_id: 17, shop_domain: 'other.myshopify.com' }, 'shop/redact')
    await say(shop, { ...redactionOf({ id: CUSTOMER }), shop_id: 17 }, 'customers/redact')
    expect(await personOf(shop)).toMatchObject({ purchasesTotal: 1 })
    expect((await shop.problems()).map(({ reason }) => reason)).toEqual([
      expect.stringContaining('about the shop 17'),
      expect.stringContaining('about the shop 17'),
    ])
    await say(shop, SHOP_REDACTION, 'shop/redact')
    expect((await personOf(shop)).purchasesTotal).toBe(0)
  })
})

describe('the unsigned headers', () => {
  test('do not turn an order into a test', async () => {
    const shop = await makeShop('SHOPIFY')
    const body = JSON.stringify(SHOPIFY_ORDER)
    const mac = createHmac('sha256', 'secret of the other side').update(body).digest('base64')
    const headers = { 'x-shopify-hmac-sha256': mac, 'x-shopify-topic': 'orders/create', 'x-shopify-test': 'true' }
    await app.app.inject({ method: 'POST', url: `/hooks/${shop.source.id}`, headers, payload: body })
    await shop.apply()
    expect(await personOf(shop)).toMatchObject({ conversations: [{ lifetimeValue: 30 }] })
  })

  test('do not turn another body into a repeat, or the same body into another delivery', async () => {
    const shop = await makeShop('SHOPIFY')
    await shop.send(SHOPIFY_ORDER, { topic: 'unknown', id: 'one' })
    await shop.send(SHOPIFY_ORDER, { topic: 'orders/create', id: 'one' })
    for (const topic of ['a', 'b', 'c']) await shop.send(SHOPIFY_ORDER, { topic, id: topic })
    await shop.apply()
    expect(await personOf(shop)).toMatchObject({ conversations: [{ lifetimeValue: 30 }] })
    expect((await shop.problems()).length).toBe(1)
  })
})
