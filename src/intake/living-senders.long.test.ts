import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { centsOf } from '../../packages/sandbox/src/senders/shop.js'
import { PAGE_ACCESS_TOKEN, PAGE_ID } from '../../test/graph-harness.js'
import { startTestApp, type Tenant, type TestApp, TestClock } from '../../test/harness.js'
import { Sender } from '../../test/inbox.js'
import { reconcileChannels } from './platform/subscriptions.js'

const SECRET = 'secret of the other side'
const BUYERS = ['ana', 'bea', 'caio', 'davi', 'eva']

let app: TestApp
let sandbox: Sandbox
let senders: Record<'shopify' | 'woocommerce' | 'meta', Sender>
let tenant: Tenant
beforeAll(async () => {
  const pages = [{ id: PAGE_ID, platform: 'facebook' as const, name: 'Shop', accessToken: PAGE_ACCESS_TOKEN }]
  sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages }, clock: new TestClock(), panel: {} })
  app = await startTestApp({ graph: { baseUrl: sandbox.url } })
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const root = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  const meta = await Sender.create(app, 'META', { secret: SECRET })
  tenant = meta.tenant
  senders = {
    meta,
    shopify: await Sender.create(app, 'SHOPIFY', { tenant, secret: SECRET }),
    woocommerce: await Sender.create(app, 'WOOCOMMERCE', { tenant, secret: SECRET }),
  }
  const to = (name: keyof typeof senders) => ({ url: `${root}/hooks/${senders[name].source.id}`, secret: SECRET })
  await sandbox.senders.connect({
    ...{ currency: 'EUR', buyers: async () => BUYERS.map((id) => ({ userId: `cu_${id}` })) },
    ...{ shopify: to('shopify'), woocommerce: to('woocommerce') },
    meta: { ...to('meta'), verifyToken: meta.source.verifyToken! },
  })
  return () => sandbox.close()
})

const press = async (action: string, sender: string): Promise<void> => {
  const answer = await fetch(`${sandbox.url}/send/${action}/${sender}`, { method: 'POST', redirect: 'manual' })
  expect(answer.status).toBe(303)
}
const numbersOf = async <Row>(sql: string): Promise<Row[]> =>
  (await app.context.database.query<Row & Record<string, unknown>>(sql, [tenant.organizationId])).rows

test('the address is verified, and the ping of a new webhook is not a delivery', () => {
  expect(sandbox.senders.sent).toMatchObject([
    { sender: 'meta', answers: { 200: 1 } },
    { sender: 'woocommerce', answers: { 200: 1 } },
  ])
})

test("the audience matches the shops' orders, although deliveries are doubled, late, shuffled or simultaneous", async () => {
  const channelId = await tenant.channel([await tenant.workspace()])
  // An opening value would include earlier purchases.
  await tenant.conversations(
    channelId,
    BUYERS.map((id) => ({ id })),
  )
  for (const shop of ['shopify', 'woocommerce'] as const) {
    for (const action of [
      'order',
      'change',
      'refundPart',
      'twice',
      'cancel',
      'order',
      'refundAll',
      'shuffled',
      'late',
    ]) {
      await press(action, shop)
      if (action === 'twice') await press('shuffled', shop)
    }
    await press('thousand', shop)
  }
  await press('test', 'shopify')
  await senders.meta.apply()
  for (const sender of Object.values(senders)) expect(await sender.problems()).toEqual([])
  const taken = new Map(BUYERS.map((id) => [id, 0]))
  for (const shop of ['shopify', 'woocommerce'] as const) {
    expect(sandbox.senders.ordersOf(shop).length).toBeGreaterThan(1_000)
    for (const order of sandbox.senders.ordersOf(shop)) {
      const id = order.buyer!.userId.replace('cu_', '')
      taken.set(id, taken.get(id)! + centsOf(order))
    }
  }
  const rows = await numbersOf<{ id: string; cents: string }>(
    `select conversation_id as id, (lifetime_amount * 100)::bigint::text as cents
       from conversations where organization_id = $1 order by 1`,
  )
  expect(Object.fromEntries(rows.map(({ id, cents }) => [id, Number(cents)]))).toEqual(Object.fromEntries(taken))
}, 120_000)

test('a subscription that the platform forgot is restored by the next look, and messages arrive again', async () => {
  const body = { type: 'FB_PAGE', platformId: PAGE_ID, name: 'Page', accessToken: PAGE_ACCESS_TOKEN, check: false }
  await senders.meta.operator(201, 'POST', '/channels', body)
  const arrived = async (): Promise<number> => {
    await senders.meta.apply()
    return (
      await numbersOf(`select from conversations where organization_id = $1 and channel_id = 'FB_PAGE_${PAGE_ID}'`)
    ).length
  }
  await press('thousand', PAGE_ID)
  expect(await arrived()).toBe(0)
  await reconcileChannels(app.context)
  await press('message', PAGE_ID)
  expect(await arrived()).toBe(1)
  await press('echo', PAGE_ID)
  await press('forget', PAGE_ID)
  await press('thousand', PAGE_ID)
  const before = await arrived()
  app.clock.advance(5 * 60_000)
  await reconcileChannels(app.context)
  for (const action of ['thousand', 'twice', 'shuffled', 'late']) await press(action, PAGE_ID)
  expect(await arrived()).toBe(41)
  expect(before).toBeLessThan(3)
  expect(await senders.meta.problems()).toEqual([])
}, 60_000)
