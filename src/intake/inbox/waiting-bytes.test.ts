import { beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { createWaitingBytes } from './waiting-bytes.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

/** 4,000 unique bytes for a delivery: the same bytes would be a repeat, which is not stored. */
const bodyOf = (id: number): string => `${id}`.padEnd(4_000, 'x')

test('an inbox is full by its stored bytes, and has room again after a look once others were applied', async () => {
  const sender = await Sender.create(app, 'SHOPIFY')
  const row = { organization_id: sender.tenant.organizationId, source_id: sender.source.id }
  const waiting = createWaitingBytes(app.context.database, app.clock, row, 20_000)
  const store = async (id: number): Promise<void> => {
    await sender.send(bodyOf(id))
    waiting.add(4_000)
  }
  // The first look finds nothing.
  expect(waiting.findWait(4_000)).toBeUndefined()
  await vi.waitFor(() => expect(waiting.findWait(19_000)).toBeUndefined())
  for (let id = 0; id < 4; id++) {
    expect(waiting.findWait(4_000)).toBeUndefined()
    await store(id)
  }
  expect(waiting.findWait(4_000)).toBe(10)
  app.clock.advance(9_000)
  await sender.apply()
  expect(waiting.findWait(4_000)).toBe(1)
  app.clock.advance(1_000)
  // This causes another look.
  waiting.findWait(4_000)
  await vi.waitFor(() => expect(waiting.findWait(4_000)).toBeUndefined())
})

test('what waited before this process is counted, only of this source', async () => {
  const [sender, other] = [await Sender.create(app, 'SHOPIFY'), await Sender.create(app, 'SHOPIFY')]
  for (let id = 0; id < 5; id++) await sender.send(bodyOf(id))
  const bytesOf = ({ tenant, source }: Sender) =>
    createWaitingBytes(
      app.context.database,
      app.clock,
      { organization_id: tenant.organizationId, source_id: source.id },
      20_000,
    )
  const [full, empty] = [bytesOf(sender), bytesOf(other)]
  for (const waiting of [full, empty]) waiting.findWait(1)
  await vi.waitFor(() => expect(full.findWait(1)).toBe(10))
  expect(empty.findWait(1)).toBeUndefined()
})
