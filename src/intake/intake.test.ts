import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type Tenant, type TestApp } from '../../test/harness.js'
import { Sender } from '../../test/inbox.js'
import type { PersonDetails } from '../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

/** The VIP list of a channel. */
async function listOf(tenant: Tenant, channelId: string, workspaceId: string) {
  const path = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=all`
  return (await tenant.get(200, path)).body.items
}

async function channelOf(tenant: Tenant, ids: string[] = []): Promise<[channelId: string, workspaceId: string]> {
  const workspaceId = await tenant.workspace()
  const channelId = await tenant.channel([workspaceId])
  await tenant.conversations(
    channelId,
    ids.map((id) => ({ id })),
  )
  return [channelId, workspaceId]
}

const order = (order_id: string, total: number, more: object = {}) => ({
  type: 'track',
  event: 'Order Completed',
  userId: 'cu_ada',
  messageId: `m_${order_id}`,
  timestamp: '2026-11-20T08:00:00Z',
  properties: { order_id, total, currency: 'EUR' },
  ...more,
})

test('a purchase event is in the VIP list, once', async () => {
  const sender = await Sender.create(app, 'EVENTS')
  const [channelId, workspaceId] = await channelOf(sender.tenant, ['ada', 'bob'])
  await sender.track(order('o1', 12.5), order('o1', 12.5), order('o2', 30))
  await sender.track(order('o2', 30, { messageId: 'again' }))
  expect(await sender.problems()).toEqual([])
  expect((await listOf(sender.tenant, channelId, workspaceId))[0]).toMatchObject({
    conversationId: 'ada',
    lastPurchaseTimestamp: Date.parse('2026-11-20T08:00:00Z'),
  })
  const details = await sender.tenant.test.context.database.query(
    `select conversation_id, lifetime_amount::text as amount from conversations where organization_id = $1 order by 1`,
    [sender.tenant.organizationId],
  )
  expect(details.rows).toEqual([
    { conversation_id: 'ada', amount: '42.5' },
    { conversation_id: 'bob', amount: '0' },
  ])
})

test('a message starts a conversation, and a name fills it', async () => {
  const sender = await Sender.create(app, 'META')
  const [channelId, workspaceId] = await channelOf(sender.tenant)
  const pageId = channelId.replace('FB_PAGE_', '')
  const at = app.clock.now() - 1000
  await sender.send({
    object: 'page',
    entry: [
      {
        id: pageId,
        time: at,
        messaging: [
          { sender: { id: '77' }, recipient: { id: pageId }, timestamp: at, message: { mid: 'm1', text: 'Hi' } },
        ],
      },
    ],
  })
  await sender.apply()
  expect(await sender.problems()).toEqual([])
  const [row] = await listOf(sender.tenant, channelId, workspaceId)
  expect(row).toMatchObject({
    conversationId: '77',
    lastUserMessageTimestamp: at,
    cuid: expect.stringMatching(/^person_/),
  })
})

test("a message with unsupported content counts as the person's; a deleted or edited one does not", async () => {
  const sender = await Sender.create(app, 'META')
  const [channelId, workspaceId] = await channelOf(sender.tenant)
  const pageId = channelId.replace('FB_PAGE_', '')
  const at = app.clock.now() - 60_000
  const send = async (seconds: number, update: object): Promise<void> => {
    const timestamp = at + seconds * 1_000
    const messaging = [{ sender: { id: '77' }, recipient: { id: pageId }, timestamp, ...update }]
    await sender.send({ object: 'page', entry: [{ id: pageId, time: timestamp, messaging }] })
    await sender.apply()
  }
  const lastMessage = async () =>
    (await listOf(sender.tenant, channelId, workspaceId)).map(
      ({ lastUserMessageTimestamp }: { lastUserMessageTimestamp: number }) => lastUserMessageTimestamp - at,
    )
  await send(1, { message: { mid: 'm0', is_deleted: true } })
  expect(await lastMessage()).toEqual([])
  await send(2, { message: { mid: 'm1', is_unsupported: true } })
  expect(await lastMessage()).toEqual([2_000])
  await send(3, { message: { mid: 'm1', is_deleted: true } })
  await send(4, { message_edit: { mid: 'm1', text: 'Hello', num_edit: 1 } })
  expect(await lastMessage()).toEqual([2_000])
  expect(await sender.problems()).toEqual([])
})

// RudderStack's own name for the list is in the singular.
test.each(['externalIds', 'externalId'])("a shop's order counts when its customer is linked by %s", async (name) => {
  const shop = await Sender.create(app, 'SHOPIFY')
  const events = await Sender.create(app, 'EVENTS', { tenant: shop.tenant })
  await channelOf(shop.tenant, ['ada'])
  const payload = {
    id: 450789469,
    admin_graphql_api_id: 'gid://shopify/Order/450789469',
    total_price: '598.94',
    currency: 'EUR',
    created_at: '2026-11-20T07:00:00Z',
    updated_at: '2026-11-20T07:30:00Z',
    customer: { id: 207119551, first_name: 'Ada' },
    refunds: [
      {
        id: 509562969,
        created_at: '2026-11-20T07:20:00Z',
        transactions: [{ kind: 'refund', status: 'success', amount: '209.00' }],
      },
    ],
  }
  await shop.send(payload, { topic: 'orders/updated', id: 'd1' })
  await shop.send(payload, { topic: 'orders/updated', id: 'd1' })
  await shop.apply()
  const value = async () =>
    (
      await app.context.database.query<{ amount: string; first_name: string | null }>(
        'select lifetime_amount::text as amount, first_name from conversations where organization_id = $1',
        [shop.tenant.organizationId],
      )
    ).rows[0]
  expect(await value()).toEqual({ amount: '0', first_name: null })
  await events.track({
    type: 'identify',
    userId: 'cu_ada',
    messageId: 'i1',
    context: { [name]: [{ id: '207119551', type: 'shopify', collection: 'users', encoding: 'none' }] },
  })
  expect(await shop.problems()).toEqual([])
  expect(await value()).toEqual({ amount: '389.94', first_name: 'Ada' })
})

describe('an order of WooCommerce', () => {
  let shop: Sender
  beforeEach(async () => {
    shop = await Sender.create(app, 'WOOCOMMERCE')
    await channelOf(shop.tenant, ['ada'])
  })
  const readPerson = async (): Promise<[value: number, states: string[]]> => {
    const { conversations, purchases } = (await shop.operator(200, 'GET', '/people/cu_ada')).body as PersonDetails
    return [conversations[0]!.lifetimeValue, purchases.map(({ state }) => state)]
  }
  /** Sends the order as it is after this many minutes, a second later than the previous delivery. */
  const send = async (topic: string, minute: number, total = '29.35'): Promise<void> => {
    app.clock.advance(1_000)
    const at = (of: number) => `2026-11-20T07:${String(of).padStart(2, '0')}:00`
    const meta_data = [{ key: 'greenroom_user_id', value: 'cu_ada' }]
    const order = { id: 727, status: 'processing', total, currency: 'EUR', customer_id: 26, meta_data }
    const whole = { ...order, date_created_gmt: at(0), date_modified_gmt: at(minute) }
    // The shop sends only the id of an order that it removes.
    await shop.send(topic === 'order.deleted' ? { id: 727 } : whole, { topic })
  }

  test('that is removed no longer counts, and counts again when it is restored', async () => {
    await send('order.created', 0)
    await shop.apply()
    expect(await readPerson()).toEqual([29.35, ['counted']])
    await send('order.deleted', 1)
    await shop.apply()
    expect(await readPerson()).toEqual([0, ['cancelled']])
    // It was changed before it was removed, and the delivery is late.
    await send('order.updated', 1, '31')
    await shop.apply()
    expect(await readPerson()).toEqual([0, ['cancelled']])
    await send('order.restored', 2, '31')
    await shop.apply()
    expect(await readPerson()).toEqual([31, ['counted']])
    await send('order.deleted', 3)
    await shop.apply()
    expect(await readPerson()).toEqual([0, ['cancelled']])
  })

  test('counts again with a version after the removal, if the shop has no webhook for restored orders', async () => {
    await send('order.created', 0)
    await send('order.deleted', 1)
    await shop.apply()
    const date_modified_gmt = new Date(app.clock.now() + 60_000).toISOString().slice(0, 19)
    const order = { id: 727, status: 'completed', total: '12', currency: 'EUR', customer_id: 26, date_modified_gmt }
    await shop.send(order, { topic: 'order.updated' })
    await shop.apply()
    expect(await readPerson()).toEqual([12, ['counted']])
  })

  test('can be removed before it is known, and is ignored without an id', async () => {
    await send('order.deleted', 1)
    await shop.apply()
    expect(await readPerson()).toEqual([0, []])
    await send('order.created', 0)
    await shop.apply()
    expect(await readPerson()).toEqual([0, ['cancelled']])
    expect(await shop.problems()).toEqual([])
    await shop.send({}, { topic: 'order.deleted' })
    await shop.apply()
    expect(await shop.problems()).toMatchObject([{ reason: 'order.deleted: The order has no id.' }])
  })
})

test('unreadable items are problems, and the other items count', async () => {
  const sender = await Sender.create(app, 'EVENTS')
  await channelOf(sender.tenant, ['ada'])
  await sender.track(order('o1', -5), order('o2', 7), 'no event', { type: 'dance' })
  const problems = await sender.problems()
  expect(problems).toMatchObject([
    { item: 'batch[0]', reason: expect.stringMatching(/2 more: batch\[2\]: .+ batch\[3\]: /) },
  ])
  const { rows } = await app.context.database.query(
    'select lifetime_amount::text as amount from conversations where organization_id = $1',
    [sender.tenant.organizationId],
  )
  expect(rows).toEqual([{ amount: '7' }])
})
