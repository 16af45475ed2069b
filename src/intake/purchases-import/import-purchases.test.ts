import { beforeAll, expect, test } from 'vitest'
import { operatorCall, startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import type { PersonDetails, PurchaseImportReport } from '../../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

async function importFile(
  sender: Sender,
  body: string | Buffer,
  contentType = 'text/csv',
): Promise<PurchaseImportReport> {
  const path = `/organizations/${sender.tenant.organizationId}/sources/${sender.source.id}/purchases`
  return (await operatorCall(app, 200, 'POST', path, { body, headers: { 'content-type': contentType } })).body
}

const personOf = async (sender: Sender, cuid: string): Promise<PersonDetails> =>
  (await sender.operator(200, 'GET', `/people/${cuid}`)).body

/** This is a shop's export: an order of two items has two lines, and the second continues it. */
const EXPORT = `Name,Email,Financial Status,Currency,Total,Lineitem name,Note Attributes,Cancelled at,Refunded Amount,Created at,Id
#1001,ada@example.com,paid,EUR,40.00,Tea,greenroom_user_id: cu_ada,,0.00,2026-11-01 10:00:00 +0100,820982911946154508
#1001,ada@example.com,,,,Cups,,,,2026-11-01 10:00:00 +0100,
#1002,ada@example.com,partially_refunded,EUR,30.00,Tea,greenroom_user_id: cu_ada,,12.50,2026-11-02 10:00:00 +0100,820982911946154509
#1003,ada@example.com,paid,EUR,twelve,Tea,greenroom_user_id: cu_ada,,0.00,2026-11-03 10:00:00 +0100,820982911946154510
`

test('an export counts once, even if it is sent again and the shop delivers the same order', async () => {
  const sender = await Sender.create(app, 'SHOPIFY')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  const report = await importFile(sender, EXPORT)
  expect(report).toMatchObject({ received: 3, imported: 2, rejectedCount: 1 })
  expect(report.rejected[0]).toMatchObject({ line: 5, reason: expect.stringContaining('"twelve"') })
  await importFile(sender, EXPORT)
  await sender.send(
    {
      admin_graphql_api_id: 'gid://shopify/Order/820982911946154508',
      ...{ total_price: '40.00', currency: 'EUR', created_at: '2026-11-01T09:00:00Z' },
      updated_at: '2026-11-19T09:00:00Z',
    },
    { topic: 'orders/updated' },
  )
  await sender.apply()
  const { conversations, purchasesTotal } = await personOf(sender, 'cu_ada')
  expect(conversations).toMatchObject([{ lifetimeValue: 57.5 }])
  expect(purchasesTotal).toBe(2)
})

test('lines of NDJSON identify their buyer by any id', async () => {
  const sender = await Sender.create(app, 'EVENTS')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'bob' }])
  const lines = [
    { orderId: 'a', amount: '10', currency: 'eur', at: '2026-10-01T00:00:00Z', userId: 'cu_bob' },
    { orderId: 'b', amount: 5.25, currency: 'EUR', at: 1_790_000_000_000, userId: 'cu_bob', refunded: '1' },
    { orderId: 'c', amount: '10', currency: 'EUR', at: '2026-10-01T00:00:00Z', color: 'red' },
  ]
  const body = `${lines.map((line) => JSON.stringify(line)).join('\n')}\nno json\n`
  expect(await importFile(sender, body, 'application/x-ndjson')).toMatchObject({ imported: 2, rejectedCount: 2 })
  expect(await personOf(sender, 'cu_bob')).toMatchObject({ conversations: [{ lifetimeValue: 14.25 }] })
})

test('a file without the columns is refused, and changes nothing', async () => {
  const sender = await Sender.create(app, 'SHOPIFY')
  const path = `/organizations/${sender.tenant.organizationId}/sources/${sender.source.id}/purchases`
  const headers = { 'content-type': 'text/csv' }
  const messageOf = async (body: string): Promise<string> =>
    (await operatorCall(app, 400, 'POST', path, { body, headers })).body.message
  expect(await messageOf('a,b\n1,2\n')).toContain('orderId and amount and currency and at are missing')
  expect(await messageOf('Id,Total,Currency\n1,2,EUR\n')).toContain('at is missing')
  expect(await messageOf('"Id,Total\n')).toContain('a quote is opened but never closed')
  expect(await messageOf('\n,,\n')).toContain('the file is empty')
  await operatorCall(app, 404, 'POST', path.replace(sender.source.id, 'src_none'), { body: EXPORT, headers })
})

const ADA = 'greenroom_user_id: cu_ada'
const HEADER = 'Name,Financial Status,Currency,Total,Note Attributes,Cancelled at,Refunded Amount,Created at,Id'
const csvOf = (...lines: string[]): string => [HEADER, ...lines, ''].join('\n')
const ofFile = (id: number, total: string, refunded = '0.00', cancelledAt = ''): string =>
  `#${id},paid,EUR,${total},${ADA},${cancelledAt},${refunded},2026-11-02 10:00:00 +0000,${id}`
const ofShop = (id: number, total: string, more: object = {}) => ({
  ...{
    id,
    total_price: total,
    currency: 'EUR',
    created_at: '2026-11-02T10:00:00Z',
    updated_at: '2026-11-02T10:00:00Z',
  },
  ...{ note_attributes: [{ name: 'greenroom_user_id', value: 'cu_ada' }], ...more },
})
const refundOf = (id: number, amount: string) => ({
  ...{ id, created_at: '2026-11-05T10:00:00Z' },
  transactions: [{ kind: 'refund', status: 'success', amount }],
})

async function makeShop(): Promise<Sender> {
  const sender = await Sender.create(app, 'SHOPIFY')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  return sender
}

async function valueAndPurchases(sender: Sender) {
  const { conversations, purchases } = await personOf(sender, 'cu_ada')
  return [
    conversations[0]!.lifetimeValue,
    ...purchases.map(({ orderId, amount, refunded, state }) => `${orderId} ${amount} ${refunded} ${state}`).toSorted(),
  ]
}

test('an order counts once, with its refunds and its current state, whether the file or the shop comes first', async () => {
  const file = csvOf(
    ofFile(1, '30.00', '12.50'),
    ofFile(2, '20.00', '5.00'),
    ofFile(3, '10.00'),
    ofFile(4, '7.00', '0.00', '2026-11-03 10:00:00 +0000'),
    ofFile(5, '9.00', '9.00'),
  )
  const shop: [string, object][] = [
    // The same refund is in the file too; the file may not know the second one yet.
    ['orders/updated', ofShop(1, '30.00', { refunds: [refundOf(101, '12.50')], updated_at: '2026-11-05T10:00:00Z' })],
    ['refunds/create', { ...refundOf(102, '8.00'), order_id: 2 }],
    // The shop has edited it since.
    ['orders/updated', ofShop(3, '11.00', { updated_at: '2026-11-04T10:00:00Z' })],
    // This is an early version of an order that was cancelled later.
    ['orders/create', ofShop(4, '7.00', { updated_at: '2026-11-02T10:00:05Z' })],
  ]
  const expected = [
    17.5 + 12 + 11,
    '1 30 12.5 counted',
    '2 20 8 counted',
    '3 11 0 counted',
    '4 7 0 cancelled',
    '5 9 9 refunded',
  ]
  const first = await makeShop()
  const second = await makeShop()
  const deliverOrder = async (sender: Sender) => {
    for (const [topic, payload] of shop) await sender.send(payload, { topic })
    await sender.apply()
  }
  await importFile(first, file)
  await deliverOrder(first)
  expect(await valueAndPurchases(first)).toEqual(expected)
  await deliverOrder(second)
  await importFile(second, file)
  expect(await valueAndPurchases(second)).toEqual(expected)
  await importFile(first, file)
  await deliverOrder(first)
  expect(await valueAndPurchases(first)).toEqual(expected)
})

test('a CSV with a byte order mark, CRLF and quoted line breaks; bad records are reported with their lines', async () => {
  const sender = await makeShop()
  const lines = [
    '\uFEFFName,Currency,Total,Subtotal,Note,Note Attributes,Created at,Id',
    `#1,EUR,40.00,30.00,"Ring twice,\r\nthen ""knock""","color: red\r\n${ADA}",2026-11-01 10:00:00 +0100,1`,
    '#1,,,,,,2026-11-01 10:00:00 +0100,1',
    '#1,,,,,,2026-11-01 10:00:00 +0100,',
    `#2,EUR,lots,1.00,"a`,
    `b",${ADA},2026-11-01 10:00:00 +0100,2`,
    `#3,EUR,5.00,4.00,,${ADA},yesterday,3`,
    `#4,EUR,5.00,4.00,,${ADA}`,
    `#5,euros,5.00,4.00,,${ADA},2026-11-01 10:00:00 +0100,5`,
    `#6,EUR,2.00,1.00,,${ADA},2026-11-01 10:00:00 +0100,6`,
    `#7,EUR,5.00,4.00,,${ADA},2026-11-01 10:00:00 +0100,`,
  ]
  expect(await importFile(sender, `${lines.join('\r\n')}\r\n`)).toEqual({
    ...{ received: 7, imported: 2, erased: 0, rejectedCount: 5 },
    rejected: [
      { line: 7, lastLine: 8, reason: expect.stringContaining('"lots"') },
      { line: 9, reason: expect.stringContaining('"yesterday"') },
      { line: 10, reason: expect.stringContaining('has no order id') },
      { line: 11, reason: expect.stringContaining('"euros"') },
      { line: 13, reason: expect.stringContaining('has no order id') },
    ],
  })
  expect(await valueAndPurchases(sender)).toEqual([42, '1 40 0 counted', '6 2 0 counted'])
})

test("if revenue counts, the export's subtotal is used", async () => {
  const sender = await makeShop()
  await sender.operator(200, 'PATCH', `/sources/${sender.source.id}`, { valueFrom: 'revenue' })
  const header = 'Id,Currency,Total,Subtotal,Note Attributes,Created at'
  await importFile(sender, `${header}\n1,EUR,40.00,30.00,${ADA},2026-11-01T10:00:00Z\n`)
  expect(await valueAndPurchases(sender)).toEqual([30, '1 30 0 counted'])
})

test('a WooCommerce export: unpaid orders do not count, and an order has the same id as in webhooks', async () => {
  const sender = await Sender.create(app, 'WOOCOMMERCE')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  await sender.operator(200, 'POST', '/people/cu_ada/links', { kind: 'woocommerce', id: '17' })
  const file = `Order Number;Order ID;Order Status;Order Date;Order Currency;Order Total Amount;Customer User ID
A-1;501;Completed;2026-11-01 10:00:00;EUR;10.00;17
A-2;502;wc-cancelled;2026-11-01 10:00:00;EUR;20.00;17
A-3;503;Pending payment;2026-11-01 10:00:00;EUR;40.00;17
`
  expect(await importFile(sender, file)).toMatchObject({ received: 3, imported: 3 })
  const paid = { id: 501, status: 'completed', total: '10.00', currency: 'EUR', customer_id: 17 }
  await sender.send({ ...paid, date_modified_gmt: '2026-11-02T10:00:00' }, { topic: 'order.updated' })
  await sender.apply()
  expect(await valueAndPurchases(sender)).toEqual([10, '501 10 0 counted', '502 20 0 cancelled', '503 40 0 unpaid'])
})

test("the states of a file: a refund without an amount is full, and the shop's statuses count by their payment or the source", async () => {
  const sender = await Sender.create(app, 'WOOCOMMERCE', {
    countedStatuses: ['quote'],
    uncountedStatuses: ['returned'],
  })
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  const rows = [
    ['1', 'Refunded', '', ''],
    ['2', 'wc-refunded', '0', '2026-11-01 10:05:00'],
    ['3', 'Shipped', '-4.00', '2026-11-01 10:05:00'],
    ['4', 'Shipped', '', ''],
    ['5', 'Quote', '', ''],
    ['6', 'Returned', '', '2026-11-01 10:05:00'],
    ['7', 'On hold', '', ''],
  ]
  const header = 'Order ID,Order Status,Order Refund Amount,Paid Date,Order Date,Order Currency,Order Total,userId'
  const file = rows.map((cells) => `${cells.join(',')},2026-11-01 10:00:00,EUR,10.00,cu_ada`)
  expect(await importFile(sender, [header, ...file, ''].join('\n'))).toMatchObject({ received: 7, imported: 7 })
  expect(await valueAndPurchases(sender)).toEqual([
    ...[16, '1 10 10 refunded', '2 10 10 refunded', '3 10 4 counted', '4 10 0 unpaid', '5 10 0 counted'],
    ...['6 10 0 cancelled', '7 10 0 unpaid'],
  ])
})

test('the financial status of a Shopify export says what is paid', async () => {
  const sender = await makeShop()
  const statuses = ['paid', 'pending', 'authorized', 'voided', 'refunded', 'partially_refunded', '']
  const lines = statuses.map((status, index) => ofFile(index + 1, '10.00').replace('paid', status))
  await importFile(sender, csvOf(...lines))
  expect(await valueAndPurchases(sender)).toEqual([
    ...[30, '1 10 0 counted', '2 10 0 unpaid', '3 10 0 unpaid', '4 10 0 cancelled', '5 10 10 refunded'],
    ...['6 10 0 counted', '7 10 0 counted'],
  ])
})

test('a line of NDJSON that is too long, or not UTF-8, affects only that line', async () => {
  const sender = await Sender.create(app, 'EVENTS')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  const line = (orderId: string, more: object = {}) =>
    `${JSON.stringify({ orderId, amount: '10', currency: 'EUR', at: '2026-10-01T00:00:00Z', userId: 'cu_ada', ...more })}\n`
  const body = Buffer.concat([
    Buffer.from(line('a') + line('b', { notes: 'x'.repeat(1_100_000) })),
    Buffer.from([0x7b, 0xff, 0x7d, 0x0a]),
    Buffer.from(`[]\n\n${line('c', { amount: -1 })}${line('d', { orderId: 2 ** 53 })}${line('e')}`),
  ])
  expect(await importFile(sender, body, 'application/x-ndjson')).toMatchObject({
    ...{ received: 7, imported: 2, rejectedCount: 5 },
    rejected: [
      { line: 2, reason: expect.stringContaining('1 MiB') },
      { line: 3, reason: expect.stringContaining('UTF-8') },
      { line: 4, reason: expect.stringContaining('not a JSON object') },
      { line: 6, reason: expect.stringContaining('amount') },
      { line: 7, reason: expect.stringContaining('orderId') },
    ],
  })
  expect(await valueAndPurchases(sender)).toEqual([20, 'a 10 0 counted', 'e 10 0 counted'])
})

test('bad lines among thousands of good ones affect no good one', async () => {
  const sender = await makeShop()
  const lines = Array.from({ length: 1_203 }, (_, index) =>
    index % 400 === 7 ? 'broken,"line' : ofFile(index + 1, '1.00'),
  )
  expect(await importFile(sender, csvOf(...lines))).toMatchObject({
    ...{ received: 1_203, imported: 1_200, rejectedCount: 3 },
    rejected: [{ line: 9 }, { line: 409 }, { line: 809 }],
  })
  expect((await valueAndPurchases(sender))[0]).toBe(1_200)
})

test('a source of another organization is not found, and does not change', async () => {
  const [own, other] = [await makeShop(), await makeShop()]
  const path = `/organizations/${own.tenant.organizationId}/sources/${other.source.id}/purchases`
  const headers = { 'content-type': 'text/csv' }
  const answer = await operatorCall(app, 404, 'POST', path, { body: csvOf(ofFile(1, '5.00')), headers })
  expect(answer.headers['x-error-code']).toBe('source_not_found')
  for (const sender of [own, other]) expect(await valueAndPurchases(sender)).toEqual([0])
})

test('purchases of an erased person stay away, and the report says so', async () => {
  const sender = await makeShop()
  await sender.operator(200, 'DELETE', '/people/cu_ada')
  const bob = '#9,paid,EUR,5.00,greenroom_user_id: cu_bob,,0.00,2026-11-02 10:00:00 +0000,9'
  expect(await importFile(sender, csvOf(ofFile(1, '5.00', '1.00'), bob))).toMatchObject({
    ...{ received: 2, imported: 1, erased: 1, rejectedCount: 0 },
  })
  await sender.operator(404, 'GET', '/people/cu_ada')
  const { rows } = await app.context.database.query('select order_id from purchases where organization_id = $1', [
    sender.tenant.organizationId,
  ])
  expect(rows).toEqual([{ order_id: '9' }])
})
