import { createHmac } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { TestClock } from '../../../../test/harness.js'
import { type Received, type Receiver, startReceiver } from '../../../../test/webhook-receiver.js'
import { type Sandbox, startSandbox } from '../sandbox.js'

const PAGE_ID = '102938475610293'
const INSTAGRAM_ID = '17841400008460056'
const SECRETS = { shopify: 'secret of Shopify', woocommerce: 'secret of WooCommerce', meta: 'secret of the app' }
const DAY_MS = 86_400_000

interface Stage {
  clock: TestClock
  sandbox: Sandbox
  receiver: Receiver
  press(action: string, sender: string, headers?: Record<string, string>): Promise<number>
  panel(): Promise<string>
}

/** A sandbox whose senders deliver to a receiver. Deliveries from connecting are removed. */
async function start(): Promise<Stage> {
  const clock = new TestClock()
  const pages = [
    { id: PAGE_ID, platform: 'facebook' as const, name: 'Aurora', accessToken: 'EAApage' },
    { id: INSTAGRAM_ID, platform: 'instagram' as const, name: 'aurora', accessToken: 'EAApage', pageId: PAGE_ID },
  ]
  const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages }, clock, panel: {} })
  const receiver = await startReceiver()
  onTestFinished(async () => {
    await sandbox.close()
    await receiver.close()
  })
  const to = (name: keyof typeof SECRETS) => ({ url: `${receiver.url}/${name}`, secret: SECRETS[name] })
  const buyers = [{ userId: 'cu_ana', firstName: 'Ana', lastName: 'Ação' }]
  await sandbox.senders.connect({
    ...{ currency: 'BRL', buyers: async () => buyers },
    ...{ shopify: to('shopify'), woocommerce: to('woocommerce'), meta: to('meta') },
  })
  expect(receiver.received.splice(0)).toMatchObject([{ body: 'webhook_id=7' }])
  return {
    ...{ clock, sandbox, receiver },
    press: async (action, sender, headers = {}) =>
      (await fetch(`${sandbox.url}/send/${action}/${sender}`, { method: 'POST', headers, redirect: 'manual' })).status,
    panel: async () => (await fetch(`${sandbox.url}/`)).text(),
  }
}

const subscribe = (sandbox: Sandbox, id: string, fields: string): Promise<Response> =>
  fetch(`${sandbox.url}/v27.0/${id}/subscribed_apps`, {
    method: 'POST',
    headers: { authorization: 'Bearer EAApage' },
    body: new URLSearchParams({ subscribed_fields: fields }),
  })

const mac = (secret: string, body: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', secret).update(body).digest(encoding)
const topicsOf = (received: readonly Received[], header: string) => received.map(({ headers }) => headers[header])

test('Shopify signs orders, changes, refunds, cancellations and tests, with ids that a double cannot hold', async () => {
  const { press, receiver } = await start()
  for (const action of ['order', 'change', 'refundPart', 'refundAll', 'order', 'cancel', 'test']) {
    expect(await press(action, 'shopify')).toBe(303)
  }
  const { received } = receiver
  expect(topicsOf(received, 'x-shopify-topic')).toEqual([
    ...['orders/create', 'orders/updated', 'refunds/create', 'orders/updated', 'refunds/create', 'orders/updated'],
    ...['orders/create', 'orders/cancelled', 'orders/updated', 'orders/create'],
  ])
  for (const { headers, body } of received) {
    expect(headers['x-shopify-hmac-sha256']).toBe(mac(SECRETS.shopify, body, 'base64'))
  }
  expect(new Set(topicsOf(received, 'x-shopify-webhook-id')).size).toBe(received.length)
  const [first, , refund, refunded] = received.map(({ body }) => body)
  const [, id] = /^\{"id":(\d{19}),/.exec(first!)!
  expect(String(Number(id))).not.toBe(id)
  expect(refund).toContain(`"order_id":${id},`)
  expect(JSON.parse(refunded!)).toMatchObject({
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    financial_status: 'partially_refunded',
    note_attributes: [{ name: 'greenroom_user_id', value: 'cu_ana' }],
    customer: { first_name: 'Ana' },
    updated_at: expect.stringMatching(/T\d\d:\d\d:\d\d-03:00$/),
  })
  expect(JSON.parse(received.at(-1)!.body)).toMatchObject({ test: true })
})

test('WooCommerce signs its own form of JSON, and reports refunds as updated orders', async () => {
  const { press, receiver, panel } = await start()
  for (const action of ['order', 'refundPart', 'refundAll', 'order', 'cancel']) {
    expect(await press(action, 'woocommerce')).toBe(303)
  }
  expect(await press('test', 'woocommerce')).toBe(404)
  const { received } = receiver
  expect(topicsOf(received, 'x-wc-webhook-topic')).toEqual([
    ...['order.created', 'order.updated', 'order.updated', 'order.created', 'order.updated'],
  ])
  for (const { headers, body } of received) {
    expect(headers['x-wc-webhook-signature']).toBe(mac(SECRETS.woocommerce, body, 'base64'))
    expect(body).toContain('A\\u00e7\\u00e3o')
  }
  expect(received.map(({ body }) => JSON.parse(body).status)).toEqual([
    ...['processing', 'processing', 'refunded', 'processing', 'cancelled'],
  ])
  expect(JSON.parse(received[2]!.body).refunds).toMatchObject([
    { total: expect.stringMatching(/^-/) },
    { total: expect.stringMatching(/^-/) },
  ])
  // A refused delivery is lost, as with the real WooCommerce.
  receiver.answerWith((response) => void response.writeHead(503).end())
  await press('order', 'woocommerce')
  expect(await panel()).not.toContain('Repeat refused deliveries')
})

test('a shop delivers twice, ten in random order, a late one, and a thousand at once', async () => {
  const { clock, press, receiver, sandbox } = await start()
  await press('twice', 'shopify')
  const [one, same] = receiver.received.splice(0)
  expect(one!.body).toBe(same!.body)
  expect(one!.headers['x-shopify-webhook-id']).toBe(same!.headers['x-shopify-webhook-id'])
  for (const [shop, header] of [
    ['shopify', 'x-shopify-triggered-at'],
    ['woocommerce', 'x-wc-webhook-topic'],
  ] as const) {
    await press('shuffled', shop)
    const shuffled = receiver.received.splice(0)
    expect(topicsOf(shuffled, header)).toHaveLength(10)
    const times = shuffled.map(({ body }) => JSON.parse(body).updated_at ?? JSON.parse(body).date_modified_gmt ?? '')
    expect(times).not.toEqual(times.toSorted())
  }
  await press('late', 'shopify')
  const late = JSON.parse(receiver.received.splice(0)[0]!.body)
  expect(Date.parse(late.processed_at)).toBe(clock.now() - DAY_MS)
  await press('thousand', 'woocommerce')
  expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).id)).size).toBe(1_000)
  expect(sandbox.senders.sent[0]).toMatchObject({ title: 'A thousand orders', answers: { 204: 1_000 } })
}, 60_000)

test('Meta delivers the messages of a subscribed page, and none after the subscription is forgotten', async () => {
  const { clock, panel, press, receiver, sandbox } = await start()
  expect(await press('message', PAGE_ID)).toBe(303)
  expect(receiver.received).toEqual([])
  expect(await panel()).toContain('Not subscribed: messages are lost.')

  await subscribe(sandbox, PAGE_ID, 'feed,messages,message_echoes')
  for (const sender of [PAGE_ID, INSTAGRAM_ID]) for (const action of ['message', 'echo']) await press(action, sender)
  const { received } = receiver
  for (const { headers, body } of received) {
    expect(headers['x-hub-signature-256']).toBe(`sha256=${mac(SECRETS.meta, body, 'hex')}`)
  }
  const messagesIn = ({ body }: Received) => JSON.parse(body).entry[0].messaging
  expect(received.map(({ body }) => JSON.parse(body).object)).toEqual(['page', 'page', 'instagram', 'instagram'])
  expect(messagesIn(received[0]!)).toMatchObject([{ recipient: { id: PAGE_ID }, timestamp: clock.now() }])
  expect(messagesIn(received[3]!)).toMatchObject([{ sender: { id: INSTAGRAM_ID }, message: { is_echo: true } }])

  received.splice(0)
  for (const action of ['twice', 'shuffled', 'late', 'thousand']) await press(action, PAGE_ID)
  expect(received.map((each) => messagesIn(each).length)).toEqual([...Array(13).fill(1), 1_000])
  expect(received[0]!.body).toBe(received[1]!.body)
  expect(await panel()).toContain(': 10 × A message to Aurora → 10 × 204')
  expect(messagesIn(received[12]!)[0].timestamp).toBe(clock.now() - DAY_MS)

  await press('forget', PAGE_ID)
  expect(sandbox.subscriptions.fieldsOf(PAGE_ID)).toEqual([])
  received.splice(0)
  await press('message', PAGE_ID)
  expect(received).toEqual([])
  expect(await panel()).toContain('not sent: not subscribed to messages')
})

test('refused deliveries are repeated byte for byte, and a cut connection counts as a response', async () => {
  const { panel, press, receiver } = await start()
  receiver.answerWith((response) => void response.writeHead(503).end())
  await press('order', 'shopify')
  receiver.answerWith((response) => void response.destroy())
  await press('order', 'shopify')
  expect(await panel()).toContain('Repeat refused deliveries (2)')
  receiver.answerWith((response) => void response.writeHead(200).end())
  const before = receiver.received.splice(0)
  await press('repeat', 'shopify')
  expect(receiver.received.map(({ body }) => body)).toEqual(before.map(({ body }) => body))
  expect(await panel()).not.toContain('Repeat refused deliveries')
})

test("an address that fails for an hour loses the page's subscription", async () => {
  const { clock, press, receiver, sandbox } = await start()
  await subscribe(sandbox, PAGE_ID, 'messages')
  receiver.answerWith((response) => void response.writeHead(503).end())
  await press('message', PAGE_ID)
  clock.advance(3_599_999)
  await press('message', PAGE_ID)
  receiver.answerWith((response) => void response.writeHead(200).end())
  await press('message', PAGE_ID)
  receiver.answerWith((response) => void response.writeHead(503).end())
  await press('message', PAGE_ID)
  clock.advance(3_599_999)
  await press('message', PAGE_ID)
  expect(sandbox.subscriptions.fieldsOf(PAGE_ID)).toEqual(['messages'])
  clock.advance(1)
  await press('message', PAGE_ID)
  expect(sandbox.subscriptions.fieldsOf(PAGE_ID)).toEqual([])
})

test('other web sites cannot press buttons, and unknown buttons and senders are refused', async () => {
  const { press, receiver } = await start()
  expect(await press('order', 'shopify', { 'sec-fetch-site': 'cross-site' })).toBe(403)
  for (const [action, sender] of [
    ['order', '1'],
    ['toString', 'shopify'],
    ['order', 'constructor'],
    ['message', 'shopify'],
    ['refundAll', PAGE_ID],
  ] as const) {
    expect([action, sender, await press(action, sender)]).toEqual([action, sender, 404])
  }
  expect(receiver.received).toEqual([])
})
