import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import type { PersonDetails } from '../../interface/generated/types.js'

// A shop sends the deliveries of an order in any order, several within one second.

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const PAID = '2026-11-18T09:16:00'
const SECOND = '2026-11-18T09:16:00'
const LATER = '2026-11-18T09:17:00'
const LATEST = '2026-11-19T10:00:00'

type Version = { status: string; at?: string; paid?: boolean; refunds?: number[] } | 'deleted'

const toBody = (number: number, version: Version): { topic: string; body: object } => {
  if (version === 'deleted') return { topic: 'order.deleted', body: { id: number } }
  const { status, at = SECOND, paid = false, refunds = [] } = version
  const body = {
    ...{ id: number, status, total: '50.00', currency: 'EUR', customer_id: number },
    ...{ date_created_gmt: '2026-11-18T09:15:04', date_modified_gmt: at, date_paid_gmt: paid ? PAID : null },
    meta_data: [{ key: 'greenroom_user_id', value: `cu_${number}` }],
    refunds: refunds.map((total, index) => ({ id: number * 10 + index, total: `-${total}.00` })),
  }
  return { topic: 'order.updated', body }
}

interface Story {
  says: string
  versions: Version[]
  value: number
  state: string
}

const pending = { status: 'pending' }
const processing = { status: 'processing', paid: true }
const STORIES: Story[] = [
  { says: 'paid in the second in which it was made', versions: [pending, processing], value: 50, state: 'counted' },
  {
    ...{ says: 'paid in that second, without a date of the payment', value: 50, state: 'counted' },
    versions: [pending, { status: 'on-hold' }, { status: 'processing' }],
  },
  { says: 'not paid yet', versions: [pending, { status: 'on-hold', at: LATER }], value: 0, state: 'unpaid' },
  {
    ...{ says: 'shipped, with a part refunded', value: 30, state: 'counted' },
    versions: [
      pending,
      processing,
      { status: 'shipped', paid: true, at: LATER },
      { status: 'shipped', paid: true, at: LATEST, refunds: [20] },
    ],
  },
  {
    ...{ says: 'refunded in two parts', value: 0, state: 'refunded' },
    versions: [
      pending,
      processing,
      { status: 'delivered', paid: true, at: LATER, refunds: [20] },
      { status: 'refunded', paid: true, at: LATEST, refunds: [20, 30] },
    ],
  },
  {
    ...{ says: 'refunded in the second of its payment, which names no refund', value: 0, state: 'refunded' },
    versions: [pending, processing, { status: 'refunded', paid: true }],
  },
  {
    ...{ says: 'refunded by mistake, and paid all the same', value: 50, state: 'counted' },
    versions: [
      processing,
      { status: 'refunded', paid: true, at: LATER },
      { status: 'completed', paid: true, at: LATEST },
    ],
  },
  {
    ...{ says: 'cancelled in the second of its payment', value: 0, state: 'cancelled' },
    versions: [pending, processing, { status: 'cancelled', paid: true }],
  },
  {
    ...{ says: 'cancelled in the second of a payment without a date', value: 0, state: 'cancelled' },
    versions: [pending, { status: 'processing' }, { status: 'cancelled' }],
  },
  {
    ...{ says: 'paid in the second in which a payment failed', value: 50, state: 'counted' },
    versions: [pending, { status: 'failed' }, processing],
  },
  {
    ...{ says: 'in the trash', value: 0, state: 'cancelled' },
    versions: [processing, { status: 'completed', paid: true, at: LATER }, { status: 'trash', paid: true, at: LATER }],
  },
  {
    ...{ says: 'deleted', value: 0, state: 'cancelled' },
    versions: [pending, processing, { status: 'ready-to-ship', paid: true, at: LATER, refunds: [5] }, 'deleted'],
  },
]

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  )
}

describe.each([
  ['one after another', true],
  ['at once', false],
])('an order of WooCommerce whose deliveries are applied %s, in any order', (_, isOneByOne) => {
  test('ends in the state that its shop reports', async () => {
    const orders = STORIES.flatMap((story) =>
      permutations(story.versions).map((versions) => ({ story, versions })),
    ).map((each, index) => ({ ...each, number: 1_000 + index }))
    const shop = await Sender.create(app, 'WOOCOMMERCE')
    await shop.tenant.conversations(
      await shop.tenant.channel(),
      orders.map(({ number }) => ({ id: String(number) })),
    )
    for (let turn = 0; turn < 4; turn++) {
      for (const { number, versions } of orders) {
        const version = versions[turn]
        if (version === undefined) continue
        const { topic, body } = toBody(number, version)
        await shop.send(body, { topic })
      }
      if (isOneByOne) await shop.apply()
    }
    await shop.apply()
    expect(await shop.problems()).toEqual([])
    const wrong: unknown[] = []
    for (const { number, story, versions } of orders) {
      const { conversations, purchases } = (await shop.operator(200, 'GET', `/people/cu_${number}`))
        .body as PersonDetails
      const found = { value: conversations[0]!.lifetimeValue, state: purchases[0]!.state }
      const { says, value, state } = story
      if (found.value !== value || found.state !== state) wrong.push({ says, found, versions })
    }
    expect(wrong).toEqual([])
  }, 120_000)
})

describe('a source of WooCommerce', () => {
  const order = (id: number, status: string, more: object = {}) => ({
    ...toBody(id, { status }).body,
    meta_data: [{ key: 'greenroom_user_id', value: 'cu_ada' }],
    ...{ customer_id: 0, ...more },
  })
  const statesOf = async (shop: Sender) =>
    ((await shop.operator(200, 'GET', '/people/cu_ada')).body as PersonDetails).purchases
      .map(({ orderId, state }) => `${orderId} ${state}`)
      .toSorted()

  test('says which other statuses count without a date of payment, and which do not count with one', async () => {
    const shop = await Sender.create(app, 'WOOCOMMERCE', { countedStatuses: ['wc-Invoice Sent'] })
    expect(shop.source).toMatchObject({ countedStatuses: ['invoice-sent'], uncountedStatuses: [] })
    await shop.tenant.conversations(await shop.tenant.channel(), [{ id: 'ada' }])
    const path = `/sources/${shop.source.id}`
    await shop.operator(200, 'PATCH', path, { uncountedStatuses: ['chargeback'] })
    expect((await shop.operator(200, 'GET', path)).body).toMatchObject({
      ...{ countedStatuses: ['invoice-sent'], uncountedStatuses: ['chargeback'] },
    })
    await shop.send(order(1, 'invoice-sent'), { topic: 'order.updated' })
    await shop.send(order(2, 'chargeback', { date_paid_gmt: PAID }), { topic: 'order.updated' })
    await shop.send(order(3, 'quote'), { topic: 'order.updated' })
    await shop.apply()
    expect(await statesOf(shop)).toEqual(['1 counted', '2 cancelled', '3 unpaid'])
    const { body } = await shop.operator(200, 'GET', '/audit?limit=1')
    expect(body.items[0]).toMatchObject({ operation: 'updateSource', changes: { uncountedStatuses: ['chargeback'] } })
  })

  test('rejects a status that ends an order, and other sources have no statuses', async () => {
    const shop = await Sender.create(app, 'WOOCOMMERCE')
    const path = `/sources/${shop.source.id}`
    for (const status of ['cancelled', 'wc-refunded', 'Failed', 'trash', '', 'a/b', 'x'.repeat(61)]) {
      await shop.operator(422, 'PATCH', path, { countedStatuses: [status] })
    }
    await shop.operator(422, 'PATCH', path, { uncountedStatuses: Array.from({ length: 51 }, (_, n) => `s${n}`) })
    const other = await Sender.create(app, 'EVENTS')
    const refused = await other.operator(400, 'PATCH', `/sources/${other.source.id}`, { countedStatuses: [] })
    expect(refused.headers['x-error-code']).toBe('source_statuses_unexpected')
  })
})

test('Shopify orders count once they are paid, whichever version of a second comes first', async () => {
  const shop = await Sender.create(app, 'SHOPIFY')
  const stories: [string, string[], object, string, number][] = [
    ['paid', ['pending', 'paid'], {}, 'counted', 100],
    ['authorized', ['pending', 'authorized'], {}, 'unpaid', 0],
    ['expired', ['authorized', 'expired'], {}, 'unpaid', 0],
    ['voided', ['authorized', 'voided'], {}, 'cancelled', 0],
    ['refunded', ['paid', 'refunded'], {}, 'refunded', 0],
    ['cancelled', ['paid', 'paid'], { cancelled_at: '2026-11-20T08:00:00Z' }, 'cancelled', 0],
    ['in part', ['pending', 'partially_paid'], { total_outstanding: '60.00' }, 'counted', 40],
    ['of no said state', ['', ''], {}, 'counted', 100],
  ]
  const orders = stories.flatMap(([name, [first, second], more, state, value], index) =>
    [false, true].map((isReversed) => {
      const id = 100 + index * 2 + Number(isReversed)
      const version = (financial_status: string, extra: object) => ({
        ...{ id, total_price: '100.00', currency: 'EUR', financial_status, ...extra },
        ...{ created_at: '2026-11-20T08:00:00Z', updated_at: '2026-11-20T08:00:00Z', refunds: [] },
        note_attributes: [{ name: 'greenroom_user_id', value: `cu_${id}` }],
      })
      const versions = [version(first!, {}), version(second!, more)]
      return { id, name, state, value, versions: isReversed ? versions.toReversed() : versions }
    }),
  )
  await shop.tenant.conversations(
    await shop.tenant.channel(),
    orders.map(({ id }) => ({ id: String(id) })),
  )
  for (const turn of [0, 1]) {
    for (const { versions } of orders) await shop.send(versions[turn], { topic: 'orders/updated' })
    await shop.apply()
  }
  expect(await shop.problems()).toEqual([])
  for (const { id, name, state, value } of orders) {
    const { conversations, purchases } = (await shop.operator(200, 'GET', `/people/cu_${id}`)).body as PersonDetails
    expect([name, purchases[0]!.state, conversations[0]!.lifetimeValue]).toEqual([name, state, value])
  }
})
