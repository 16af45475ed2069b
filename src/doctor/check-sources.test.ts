import { expect, test } from 'vitest'
import { startTestApp, TestClock } from '../../test/harness.js'
import { Sender } from '../../test/inbox.js'
import { openOwnDatabase } from '../../test/test-database.js'
import { checkSources } from './check-sources.js'
import { gather } from './finding.js'

test('the doctor reports deliveries that no worker applies, problems, and a missing currency', async () => {
  const app = await startTestApp({}, undefined, await openOwnDatabase())
  const { config, database } = app.context
  const clock = new TestClock()
  const look = async () =>
    (await gather(checkSources({ config, database, clock }))).map(({ state, finding }) => `${state}: ${finding}`)
  expect(await look()).toEqual([])
  const sender = await Sender.create(app, 'EVENTS', { currency: null })
  expect(await look()).toEqual([expect.stringMatching(/^warning: 1 sources .* without a currency/)])
  await sender.operator(200, 'PATCH', '', { currency: 'EUR' })
  expect(await look()).toEqual(['ok: No delivery of 1 source is waiting.'])
  await sender.send({ batch: ['no event'] })
  clock.advance(61_000)
  expect(await look()).toEqual([
    expect.stringMatching(/^problem: 1 deliveries of sources are waiting, the oldest since 2026-/),
  ])
  await sender.apply()
  expect(await look()).toEqual([expect.stringMatching(/^warning: 1 items/)])
})

test('the doctor reports a source that refuses deliveries', async () => {
  const app = await startTestApp({}, undefined, await openOwnDatabase())
  const { config, database } = app.context
  const clock = new TestClock()
  const look = async () =>
    (await gather(checkSources({ config, database, clock }))).map(({ state, finding }) => `${state}: ${finding}`)
  const shop = await Sender.create(app, 'SHOPIFY')
  const url = `/hooks/${shop.source.id}`
  expect((await app.app.inject({ method: 'POST', url, payload: '{}' })).statusCode).toBe(401)
  await app.context.intake.activity.flush()
  expect(await look()).toEqual([
    expect.stringContaining(`The source ${shop.source.id} of ${shop.tenant.organizationId} refused`),
  ])
  clock.advance(86_401_000)
  expect(await look()).toEqual(['ok: No delivery of 1 source is waiting.'])
  clock.advance(-86_401_000)
  app.clock.advance(1)
  await shop.send({ id: 1 }, { topic: 'orders/create' })
  await app.context.intake.activity.flush()
  expect(await look()).toEqual(['ok: No delivery of 1 source is waiting.'])
  const events = await Sender.create(app, 'EVENTS')
  await events.operator(201, 'POST', `/sources/${events.source.id}/rotate-secret`)
  app.clock.advance(3_600_000)
  await events.send({ batch: [] }, { status: 401 })
  await app.context.intake.activity.flush()
  clock.advance(3_600_000)
  expect(await look()).toContainEqual(expect.stringMatching(/^warning: .* refused a delivery with a write key/))
})
