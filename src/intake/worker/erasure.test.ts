import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { applyNext, redactionOf, Sender, SHOP_REDACTION } from '../../../test/inbox.js'
import { killedAt } from '../../../test/test-database.js'
import { eraseBodies } from '../../audience/live/erase-bodies.js'
import { startIntakeWorker } from './worker.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

/** An id that JSON, PHP and a path each write differently. */
const CUID = 'cu/🦊?é"\\1'
const personPath = (cuid: string): string => `/people/${encodeURIComponent(cuid)}`
let events = 0
const order = (userId: string) => {
  const id = `o${events++}`
  return {
    ...{ type: 'track', event: 'Order Completed', userId, messageId: id },
    properties: { order_id: id, total: 10, currency: 'EUR' },
  }
}

/** The texts of everything stored of deliveries: applied ones, problems, comments, and the pending work of erasures. */
async function keptOf({ tenant }: Sender): Promise<string[]> {
  const { rows } = await app.context.database.query<{ text: string }>(
    `select encode(body, 'base64') as text from kept_deliveries where organization_id = $1
     union all select encode(body, 'base64') from problems where organization_id = $1
     union all select encode(convert_to(json_build_object('comment', t)::text, 'UTF8'), 'base64')
       from incoming_comments t where organization_id = $1
     union all select encode(convert_to(json_build_object('erasure', t)::text, 'UTF8'), 'base64')
       from body_erasures t where organization_id = $1`,
    [tenant.organizationId],
  )
  return rows.map(({ text }) => Buffer.from(text, 'base64').toString())
}

const bodiesOf = async (sender: Sender): Promise<number> => (await keptOf(sender)).length
const eraseByHand = async (sender: Sender, cuid: string) =>
  (await sender.operator(200, 'DELETE', personPath(cuid))).body

async function makeSender(type: 'EVENTS' | 'SHOPIFY' | 'META' = 'EVENTS'): Promise<Sender> {
  const sender = await Sender.create(app, type)
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  return sender
}

const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

test('an erasure by hand deletes stored bodies and problems in every spelling of the id, and no others', async () => {
  const sender = await makeSender()
  const json = () => JSON.stringify({ batch: [order(CUID)] })
  const written = [json(), ascii(json()), ascii(json()).replaceAll('/', '\\/'), json().replaceAll('\\"', '\\u0022')]
  for (const body of written) await sender.send(body)
  await sender.send(gzipSync(json()))
  await sender.send({ batch: [order(CUID), 'no event'] })
  await sender.send({ batch: [order('cu_bob'), 'no event'] })
  await sender.apply()
  expect((await sender.operator(200, 'GET', personPath(CUID))).body.purchasesTotal).toBe(6)
  expect(await bodiesOf(sender)).toBe(7 + 2)
  expect(await eraseByHand(sender, CUID)).toMatchObject({ done: true })
  const kept = await keptOf(sender)
  expect(kept.length).toBe(2)
  for (const text of kept) expect(text).toContain('cu_bob')
})

/** The JSON values that a decoder reads as 1200. */
const ODD = [
  '1200',
  '12e2',
  '1.2e3',
  '1.2E+3',
  '1200.0',
  '12000e-1',
  '0.12e4',
  '"1200"',
  '"\\u0031200"',
  '" 12\\u00300 "',
  '"\u00a01200"',
]

test('an erasure finds an id in every form of JSON, and a whole person by all of their ids', async () => {
  const sender = await makeSender()
  for (const value of ODD) {
    const event = JSON.stringify(order('ID')).replace('"ID"', value)
    // The first is stored as applied, and the other is also a problem.
    await sender.send(`{"batch":[${event}]}`)
    await sender.send(`{"batch":[${event.replace('"o', '"p')}, "no event"]}`)
  }
  await sender.send({ batch: [order('12000'), order('12'), order('cu_bob'), 'no event'] })
  await sender.apply()
  expect((await sender.operator(200, 'GET', personPath('1200'))).body.purchasesTotal).toBeGreaterThanOrEqual(ODD.length)
  expect(await eraseByHand(sender, '1200')).toMatchObject({ done: true })
  const kept = await keptOf(sender)
  expect(kept.length).toBe(2)
  for (const text of kept) expect(text).toContain('cu_bob')
})

test('a redaction finds the customer by a number with an exponent, and deletes packed bodies, which cannot be searched', async () => {
  const sender = await makeSender('SHOPIFY')
  const shop = (customer: string, total = '"9.00"') =>
    `{"id":${events++},"total_price":${total},"currency":"EUR","customer":{"id":${customer}}}`
  for (const customer of ['1.5e3', '1500', '15E+2', '1500.00', '"\\u0031500"']) {
    await sender.send(shop(customer), { topic: 'orders/create' })
    await sender.send(shop(customer, '"nine"'), { topic: 'orders/create' })
  }
  await sender.send(shop('15'), { topic: 'orders/create' })
  // It is cut off, so that it cannot be unpacked.
  await sender.send(gzipSync(shop('1500')).subarray(0, -9), { topic: 'orders/create' })
  await sender.apply()
  await sender.send(redactionOf({ id: 1500 }), { topic: 'customers/redact' })
  await sender.apply()
  const kept = await keptOf(sender)
  expect(kept.length).toBe(1)
  expect(kept[0]).toContain('"customer":{"id":15}')
})

test('deliveries that wait during an erasure restore nobody, and are not stored', async () => {
  const sender = await makeSender()
  await sender.track(order('cu_ada'))
  await sender.send({ batch: [order('cu_ada'), order('cu_bob')] })
  // This becomes a problem in which no fact names the person.
  await sender.send({
    batch: [{ ...order('cu_ada'), properties: { order_id: 'x', total: 'twelve', currency: 'EUR' } }],
  })
  await sender.send({ batch: [order('cu_bob')] })
  expect(await eraseByHand(sender, 'cu_ada')).toMatchObject({ done: true, conversations: 1 })
  await sender.apply()
  await sender.operator(404, 'GET', personPath('cu_ada'))
  const kept = await keptOf(sender)
  expect(kept.length).toBe(1)
  expect(kept[0]).toContain('cu_bob')
  expect((await sender.operator(200, 'GET', personPath('cu_bob'))).body.purchasesTotal).toBe(2)
})

test('a late delivery of a forgotten person is not stored, and the problem of another item has no body', async () => {
  const sender = await makeSender()
  await sender.track(order('cu_ada'))
  await eraseByHand(sender, 'cu_ada')
  await sender.track(order('cu_ada'))
  expect(await keptOf(sender)).toEqual([])
  await sender.track(order('cu_ada'), 'no event', order('cu_bob'))
  expect(await sender.problems()).toMatchObject([
    { item: 'batch[1]', body: '', reason: expect.stringContaining('its body is not kept') },
  ])
  expect(await keptOf(sender)).toEqual([''])
  expect((await sender.operator(200, 'GET', personPath('cu_bob'))).body.purchasesTotal).toBe(1)
})

test('a redaction searches many bodies in steps, and a crash between two loses none', async () => {
  const sender = await makeSender('SHOPIFY')
  const { database } = app.context
  const customer = { id: 207119551, email: 'ada@example.com' }
  const ofShop = (id: number, of: object) => ({ id, total_price: '9.00', currency: 'EUR', customer: of, test: false })
  for (let id = 1; id <= 3; id++) {
    await sender.send(ofShop(id, customer), { topic: 'orders/create', id: `d${id}` })
    await sender.send(ofShop(id + 10, { id: 17 }), { topic: 'orders/create', id: `e${id}` })
  }
  await sender.apply()
  // This is more than two steps, on either engine.
  const { organizationId } = sender.tenant
  await database.query(
    `insert into kept_deliveries (organization_id, delivery_id, source_id, headers, body, received_at, applied_at)
     select $1, 1000000 + n, $2, '{}', convert_to('{"customer":{"id":' || case when n % 100 = 0 then 207119551 else n end || '}}', 'UTF8'),
            now(), now() from generate_series(2, 1400) n`,
    [organizationId, sender.source.id],
  )
  await sender.send(redactionOf(customer), { topic: 'customers/redact' })
  expect(await bodiesOf(sender)).toBe(1_399 + 6)
  expect(await applyNext(app.context, organizationId)).toMatchObject({ applied: 1 })
  const named = async () => (await keptOf(sender)).filter((text) => text.includes('207119551')).length
  expect(await named()).toBe(14 + 3 + 1)
  await expect(eraseBodies(killedAt(database, 1), { organizationId, transactions: 100 })).rejects.toThrow()
  expect(await named()).toBeGreaterThan(1)
  let calls = 1
  while (!(await eraseBodies(database, { organizationId, transactions: 1 }))) calls += 1
  expect(calls).toBeGreaterThanOrEqual(3)
  const kept = await keptOf(sender)
  expect(kept.filter((text) => /207119551|ada@example/.test(text))).toEqual([])
  expect(kept.length).toBe(1_399 - 14 + 3)
})

test('the worker continues with what a redaction left to search, beside new deliveries', async () => {
  const sender = await makeSender('SHOPIFY')
  const shop = { total_price: '9.00', currency: 'EUR' }
  await sender.send({ ...shop, id: 1, customer: { id: 17 } }, { topic: 'orders/create', id: 'd1' })
  await sender.send(
    { ...shop, id: 2, customer: { id: 18 }, total_price: '17.50' },
    { topic: 'orders/create', id: 'd2' },
  )
  await sender.send(
    { ...shop, id: 3, customer: { id: 18 }, total_price: 'twelve' },
    { topic: 'orders/create', id: 'd3' },
  )
  await sender.apply()
  await sender.send(redactionOf({ id: 17, email: 'ada@example.com' }), { topic: 'customers/redact' })
  await sender.send({ ...shop, id: 4, customer: { id: 17 } }, { topic: 'orders/create', id: 'd4' })
  const worker = startIntakeWorker(app.context, { wait: () => new Promise(() => {}) })
  try {
    // A short id deletes no body that only contains the same digits. Workers of other tests may do a part of the work,
    // and end before it is done.
    await expect
      .poll(
        async () => {
          await worker.tick()
          return await bodiesOf(sender)
        },
        { timeout: 60_000 },
      )
      .toBe(3)
  } finally {
    await worker.stop()
  }
  expect((await keptOf(sender)).filter((text) => /ada@example|"id":17\b/.test(text))).toEqual([])
  expect((await sender.problems()).length).toBe(1)
})

test('shop/redact deletes all bodies of its source, and none of another', async () => {
  const sender = await makeSender('SHOPIFY')
  const other = await Sender.create(app, 'EVENTS', { tenant: sender.tenant })
  await other.track(order('cu_bob'), 'no event')
  await sender.send({ id: 1, total_price: '9.00', currency: 'EUR', customer: { id: 1 } }, { topic: 'orders/create' })
  await sender.send({ id: 2, total_price: 'nine' }, { topic: 'orders/create' })
  await sender.apply()
  expect(await bodiesOf(sender)).toBe(5)
  await sender.send(SHOP_REDACTION, { topic: 'shop/redact' })
  await sender.apply()
  const kept = await keptOf(sender)
  expect(kept.length).toBe(2)
  for (const text of kept) expect(text).toContain('cu_bob')
})

test('the comments of a forgotten person are deleted, and later ones are not stored', async () => {
  const sender = await makeSender('META')
  const channelId = await sender.tenant.channel()
  const pageId = channelId.replace('FB_PAGE_', '')
  const commentBy = (id: string, from: string) => ({
    ...{ item: 'comment', verb: 'add', comment_id: id, post_id: '1_5', message: `Hi from ${from}` },
    ...{ from: { id: from, name: 'Ada' }, created_time: Math.floor(app.clock.now() / 1_000) },
  })
  const comment = (id: string, from: string) =>
    sender.send({ object: 'page', entry: [{ id: pageId, changes: [{ field: 'feed', value: commentBy(id, from) }] }] })
  const message = {
    sender: { id: '77001' },
    recipient: { id: pageId },
    timestamp: app.clock.now(),
    message: { mid: 'm' },
  }
  await sender.send({ object: 'page', entry: [{ id: pageId, messaging: [message] }] })
  await comment('c1', '77001')
  await comment('c2', '88002')
  await sender.apply()
  const { items } = (await sender.operator(200, 'GET', '/people?search=77001')).body
  await eraseByHand(sender, items[0].cuid)
  await comment('c3', '77001')
  await sender.apply()
  const kept = await keptOf(sender)
  expect(kept.filter((text) => text.includes('77001'))).toEqual([])
  expect(kept.filter((text) => text.includes('"comment"')).length).toBeGreaterThan(0)
})
