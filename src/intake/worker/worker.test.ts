import { beforeAll, describe, expect, test } from 'vitest'
import { startOwnTestApp, startTestApp, type TestApp } from '../../../test/harness.js'
import { applyNext, dataRequestOf, redactionOf, Sender, SHOP_REDACTION } from '../../../test/inbox.js'
import { killedAt } from '../../../test/test-database.js'
import { type Database, DatabaseUnavailableError, type Queryable } from '../../database/database.js'
import type { PersonDetails } from '../../interface/generated/types.js'
import type { Decoding } from '../decoders/decoding.js'
import { startIntakeWorker } from './worker.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const silent = () => ({ ...app.context.log, error: () => {} }) as never
const bodyOf = ({ body }: { body: string }): string => Buffer.from(body, 'base64').toString()

const order = (id: string, total = 10, userId = 'cu_ada') => ({
  ...{ type: 'track', event: 'Order Completed', userId, messageId: `m_${id}` },
  properties: { order_id: id, total, currency: 'EUR' },
})

async function makeSender(currency: string | null = 'EUR'): Promise<Sender> {
  const sender = await Sender.create(app, 'EVENTS', { currency })
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  return sender
}

const personOf = async (sender: Sender): Promise<PersonDetails> =>
  (await sender.operator(200, 'GET', '/people/cu_ada')).body
const readLifetimeValue = async (sender: Sender): Promise<number> =>
  (await personOf(sender)).conversations[0]!.lifetimeValue

test('several workers apply each delivery once', async () => {
  const sender = await makeSender()
  for (let index = 0; index < 30; index++) await sender.send({ batch: [order(`o${index}`)] })
  const work = async () => {
    for (let idle = 0; idle < 5; ) {
      const { applied } = await applyNext(app.context, sender.tenant.organizationId, 3)
      idle = applied === 0 ? idle + 1 : 0
    }
  }
  await Promise.all([work(), work(), work()])
  await sender.apply()
  expect(await readLifetimeValue(sender)).toBe(300)
  expect(await sender.problems()).toEqual([])
})

test('a failed transaction changes nothing: its delivery is a problem, and counts when it is retried', async () => {
  const sender = await makeSender()
  await sender.send({ batch: [order('o1'), order('o2', 5)] })
  await applyNext(
    { ...app.context, log: silent(), database: killedAt(app.context.database, 0) },
    sender.tenant.organizationId,
    1,
  )
  expect(await readLifetimeValue(sender)).toBe(0)
  const [problem] = await sender.problems()
  await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
  await sender.apply()
  expect(await readLifetimeValue(sender)).toBe(15)
})

test('deliveries are counted only after their transaction is committed', async () => {
  const sender = await makeSender()
  await sender.send({ batch: [order('o1'), 'no event'] })
  const counted: [string, number | undefined][] = []
  const metrics = {
    ...app.context.metrics,
    countDeliveries: (...count: [string, number?]) => counted.push(count as never),
  }
  const { database } = app.context
  const refusing = {
    ...database,
    transaction: <T>(work: (tx: Queryable) => Promise<T>) =>
      database.transaction(async (tx) => {
        await work(tx)
        throw new DatabaseUnavailableError(new Error('before the commit'))
      }),
  } as Database
  const { organizationId } = sender.tenant
  await expect(applyNext({ ...app.context, metrics, database: refusing }, organizationId)).rejects.toThrow()
  expect(counted).toEqual([])
  await applyNext({ ...app.context, metrics }, organizationId)
  expect(counted).toEqual([
    ['applied', 1],
    ['problem', 1],
  ])
})

test('a delivery that always fails is a separate problem, and can be retried', async () => {
  const sender = await makeSender()
  const { decoding } = app.context.intake
  const failing: Decoding = {
    ...decoding,
    decode: async (deliveries, weight) =>
      (await decoding.decode(deliveries, weight)).map((decoded, index) =>
        bodyOf(deliveries[index]!).includes('poison') ? { failure: 'poison' } : decoded,
      ),
  }
  const poisoned = { ...app.context, log: silent(), intake: { decoding: failing } }
  for (const id of ['o1', 'poison', 'o2', 'o3']) await sender.send({ batch: [order(id)] })
  await applyNext(poisoned, sender.tenant.organizationId)
  expect(await readLifetimeValue(sender)).toBe(30)
  const [problem, ...others] = await sender.problems()
  expect([problem!.reason, others]).toEqual([expect.stringContaining('because of a server error'), []])
  await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
  await sender.apply()
  expect(await readLifetimeValue(sender)).toBe(40)
  expect(await sender.problems()).toEqual([])
})

test('the items of a delivery are one problem with one body, however many they are and however often it is retried', async () => {
  const sender = await makeSender()
  await sender.track(order('o1'), ...Array.from({ length: 2_000 }, () => 0), { pad: 'x'.repeat(1_000_000) })
  for (let round = 0; round < 3; round++) {
    const [problem, ...others] = await sender.problems()
    expect(others).toEqual([])
    expect(problem).toMatchObject({
      item: 'batch[1]',
      reason: expect.stringMatching(/ 2000 more: batch\[2\]: .+ batch\[21\]: [^:]+ …$/),
    })
    expect(await readLifetimeValue(sender)).toBe(10)
    await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
    await sender.apply()
  }
})

test('an event without a time gets the time of its arrival, however often and late it is retried', async () => {
  const sender = await makeSender()
  const arrivedAt = new Date(app.clock.now()).toISOString()
  await sender.send({ batch: [order('o1'), 'no event'] })
  app.clock.advance(3_600_000)
  await sender.apply()
  for (let round = 0; round < 2; round++) {
    const [problem] = await sender.problems()
    expect([(await personOf(sender)).purchases[0]!.at, problem!.at]).toEqual([arrivedAt, arrivedAt])
    app.clock.advance(3_600_000)
    await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
    await sender.apply()
  }
  expect((await personOf(sender)).purchases[0]!.at).toBe(arrivedAt)
})

test('another currency computes all values again, and the first one counts what waited', async () => {
  const sender = await makeSender(null)
  await sender.track(order('o1'), { ...order('o2'), properties: { order_id: 'o2', total: 3, currency: 'USD' } })
  expect((await personOf(sender)).purchases.map(({ state }) => state)).toEqual(['no_currency', 'no_currency'])
  expect(await readLifetimeValue(sender)).toBe(0)
  for (const [currency, value] of [
    ['EUR', 10],
    ['USD', 3],
    [null, 0],
  ] as const) {
    await sender.operator(200, 'PATCH', '', { currency })
    await sender.apply()
    expect(await readLifetimeValue(sender)).toBe(value)
  }
})

test('an import sets the value as of its time, and later purchases are added', async () => {
  const sender = await makeSender()
  const { tenant } = sender
  const channelId = (await personOf(sender)).conversations[0]!.channelId
  const path = `/organizations/${tenant.organizationId}/channels/${channelId}/conversations`
  const importLine = async (line: object) => {
    const payload = `${JSON.stringify({ conversationId: 'ada', cuid: 'cu_ada', ...line })}\n`
    const headers = { 'content-type': 'application/x-ndjson', authorization: 'Bearer operator-token-of-the-tests' }
    const answer = await app.app.inject({ method: 'POST', url: `/api${path}`, payload, headers })
    expect(answer.json()).toMatchObject({ imported: 1 })
  }
  const at = (minutes: number) => new Date(app.clock.now() + minutes * 60_000).toISOString()
  await sender.track({ ...order('before', 50), timestamp: at(-60) })
  expect(await readLifetimeValue(sender)).toBe(50)
  // The file includes that purchase.
  await importLine({ lifetimeValue: 250 })
  expect(await readLifetimeValue(sender)).toBe(250)
  await sender.track({ ...order('late', 7), timestamp: at(-30) })
  expect(await readLifetimeValue(sender)).toBe(250)
  app.clock.advance(60_000)
  await sender.track({ ...order('after', 7), timestamp: at(0) })
  expect(await readLifetimeValue(sender)).toBe(257)
  // A line without a value keeps it; a line with a time says as of when.
  await importLine({ firstName: 'Ada' })
  expect(await readLifetimeValue(sender)).toBe(257)
  await importLine({ lifetimeValue: 200, lifetimeValueAt: app.clock.now() - 45 * 60_000 })
  expect(await readLifetimeValue(sender)).toBe(214)
  expect((await personOf(sender)).purchases.map(({ orderId, state }) => [orderId, state])).toEqual([
    ['after', 'counted'],
    ['late', 'counted'],
    ['before', 'before_opening'],
  ])
})

test('an erased person does not return through a delivery, a late order or a link', async () => {
  const sender = await makeSender()
  await sender.track(order('o1'), { type: 'identify', userId: 'cu_ada', anonymousId: 'anon-a', messageId: 'i' })
  await sender.operator(200, 'DELETE', '/people/cu_ada')
  await sender.operator(404, 'GET', '/people/cu_ada')
  await sender.track(order('o2'), { ...order('o3'), userId: undefined, anonymousId: 'anon-a' })
  await sender.track({ type: 'identify', userId: 'cu_ada', anonymousId: 'anon-b', messageId: 'i2' })
  await sender.operator(404, 'GET', '/people/cu_ada')
  const { rows } = await app.context.database.query('select from purchases where organization_id = $1', [
    sender.tenant.organizationId,
  ])
  expect(rows).toEqual([])
  await sender.operator(200, 'POST', '/people/cu_ada/readmit')
  await sender.track(order('o4'))
  expect((await personOf(sender)).purchasesTotal).toBe(1)
})

test('a Meta user who asks for it is forgotten, even if only an import has the conversation', async () => {
  const sender = await Sender.create(app, 'META')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: '9000000000000021' }])
  await sender.operator(200, 'GET', '/people/cu_9000000000000021')
  await sender.askForDeletion({ user_id: '9000000000000021' })
  await sender.apply()
  await sender.operator(404, 'GET', '/people/cu_9000000000000021')
  expect(await sender.tenant.countConversations()).toBe(0)
})

test('a forgotten Meta user does not return through messages on several channels at once', async () => {
  const sender = await Sender.create(app, 'META')
  await sender.askForDeletion({ user_id: '9000000000000031' })
  await sender.apply()
  const entry = [await sender.tenant.channel(), await sender.tenant.channel()].map((channelId) => {
    const id = channelId.replace('FB_PAGE_', '')
    const [timestamp, person] = [app.clock.now(), { id: '9000000000000031' }]
    return { id, messaging: [{ sender: person, recipient: { id }, timestamp, message: { mid: id } }] }
  })
  await sender.send({ object: 'page', entry })
  await sender.apply()
  expect(await sender.tenant.countConversations()).toBe(0)
})

test("a body that is forgotten in the turn that brings it is not stored, neither the person's nor the request's", async () => {
  const sender = await Sender.create(app, 'SHOPIFY')
  const customer = { id: 207119551, email: 'ada@example.com' }
  const texts = async (): Promise<string[]> =>
    (
      await app.context.database.query<{ text: string }>(
        `select convert_from(body, 'UTF8') as text from kept_deliveries where organization_id = $1
          union all select convert_from(body, 'UTF8') from problems where organization_id = $1`,
        [sender.tenant.organizationId],
      )
    ).rows.map(({ text }) => text)
  await sender.send({ id: 1, total_price: '10.00', currency: 'EUR', customer }, { topic: 'orders/create' })
  await sender.send({ id: 2, total_price: 'ten', currency: 'EUR', customer }, { topic: 'orders/create' })
  await sender.send({ id: 7, email: null }, { topic: 'customers/update' })
  await sender.send(redactionOf(customer), { topic: 'customers/redact' })
  await sender.apply()
  expect(await texts()).toEqual(['{"id":7,"email":null}'])
  await sender.send({ id: 3, total_price: 'ten', currency: 'EUR' }, { topic: 'orders/create' })
  await sender.send(SHOP_REDACTION, { topic: 'shop/redact' })
  await sender.apply()
  expect(await texts()).toEqual([])
})

test('a stored delivery wakes the worker', async () => {
  const own = await startOwnTestApp()
  const sender = await Sender.create(own, 'EVENTS')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  // It never polls.
  const worker = startIntakeWorker(own.context, { wait: () => new Promise(() => {}) })
  try {
    await sender.send({ batch: [order('o1')] })
    await expect.poll(() => readLifetimeValue(sender), { timeout: 5_000 }).toBe(10)
  } finally {
    await worker.stop()
  }
})

describe('a request for data', () => {
  const shopify = { topic: 'customers/data_request' }
  const request = dataRequestOf({ id: 17, email: 'ada@example.com' })

  async function makeShop(): Promise<Sender> {
    const sender = await Sender.create(app, 'SHOPIFY', { currency: 'EUR' })
    await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
    return sender
  }

  const addPurchases = (sender: Sender, purchases: number) =>
    app.context.database.query(
      `insert into purchases (organization_id, source_id, order_id, id_kind, id, amount, currency, at_ms)
       select $1, $2, 'o' || n, 'shopify', '17', 1, 'EUR', n from generate_series(1, ${purchases}::int) n`,
      [sender.tenant.organizationId, sender.source.id],
    )

  test('contains all purchases of the person, however many', async () => {
    const sender = await makeShop()
    await sender.operator(200, 'POST', '/people/cu_ada/links', { kind: 'shopify', id: '17' })
    await addPurchases(sender, 10_203)
    await sender.send(request, shopify)
    await sender.apply()
    const [problem] = await sender.problems()
    expect(problem!.reason).toMatch(/the attached file, then dismiss this problem\.$/)
    expect(problem!.answer).toMatchObject({ cuid: 'cu_ada', purchasesTotal: 10_203, conversationsTotal: 1 })
    expect(problem!.answer!.purchases.length).toBe(10_203)
  })

  test('states how much of the data is in the file if it is not complete', async () => {
    const sender = await makeShop()
    await sender.operator(200, 'POST', '/people/cu_ada/links', { kind: 'shopify', id: '17' })
    await addPurchases(sender, 20_002)
    await sender.send(request, shopify)
    await sender.apply()
    const [problem] = await sender.problems()
    expect(problem!.reason).toContain('It contains 20000 of 20002 purchases and 1 of 1 conversations')
    expect(problem!.answer!.purchases.length).toBe(20_000)
  }, 60_000)

  test('of a customer without a linked person contains their orders and names', async () => {
    const sender = await makeShop()
    const customer = { id: 17, first_name: 'Ada', updated_at: '2026-11-01T00:00:00Z' }
    await sender.send(
      { id: 1, total_price: '9.00', currency: 'EUR', created_at: '2026-11-01T00:00:00Z', customer },
      { topic: 'orders/create' },
    )
    await sender.send(request, shopify)
    await sender.apply()
    expect(await sender.problems()).toMatchObject([
      {
        reason: expect.stringContaining('give them the attached file'),
        answer: {
          cuid: null,
          purchases: [{ orderId: '1', amount: '9' }],
          fields: [{ field: 'firstName', value: 'Ada' }],
        },
      },
    ])
  })

  test('of an unknown or forgotten person says that nothing is known, and still identifies them', async () => {
    const sender = await makeShop()
    await sender.send(request, shopify)
    await sender.apply()
    await sender.send(redactionOf({ id: 17 }), { topic: 'customers/redact' })
    await sender.apply()
    expect(await sender.problems()).toEqual([])
    await sender.send(request, shopify)
    await sender.apply()
    expect(await sender.problems()).toMatchObject([
      {
        reason: expect.stringContaining('nothing is known'),
        body: expect.stringContaining('ada@example.com'),
        answer: null,
      },
    ])
  })
})
