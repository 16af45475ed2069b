import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Attack, Target } from './run.js'
import { makeTenant, sleep } from './tools.js'

/**
 * Sends the largest deliveries that sources may send, from their own organizations: many events, all of one person,
 * refunds of them, many values, deep nesting, orders with many refunds, many messages. They must be refused or applied in
 * time, and must not delay another organization's deliveries.
 */
export default {
  name: 'large deliveries',
  env: { INTAKE_PER_SECOND: '1000' },
  async run(target) {
    const [events, meta, shop, small] = await Promise.all([
      makeSource(target, { type: 'EVENTS' }),
      makeSource(target, { type: 'META', secret: SECRET }),
      makeSource(target, { type: 'SHOPIFY', secret: SECRET }),
      makeSource(target, { type: 'EVENTS' }),
    ])
    const sends = [
      ...BATCHES.map((body) => () => events.track(body)),
      ...META.map((body) => () => meta.sign(body, 'x-hub-signature-256', 'hex')),
      ...SHOP.map((body) => () => shop.sign(body, 'x-shopify-hmac-sha256', 'base64')),
    ]
    for (const send of sends) {
      const status = await send()
      if (status >= 500 && status !== 503) throw new Error(`a large delivery was answered ${status}`)
    }
    await small.track({ batch: [order(0)] })
    const startedAt = performance.now()
    while ((await small.waiting()) > 0) {
      if (performance.now() - startedAt > SMALL_MS_MAX) throw new Error('a small delivery waits behind the large ones')
      await sleep(200)
    }
    // The remaining deliveries are applied while the monitor runs.
    await sleep(20_000)
  },
} satisfies Attack

const SMALL_MS_MAX = 30_000
const SECRET = 'secret of the other side'
const EVENTS = 20_000

const order = (n: number) => ({
  ...{ type: 'track', event: 'Order Completed', userId: 'one', messageId: `m${n}` },
  properties: { order_id: `${n}`, total: 1 },
})
const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const BATCHES: unknown[] = [
  { batch: many(EVENTS, order) },
  { batch: many(EVENTS, (n) => ({ type: 'alias', userId: 'one', previousId: `a${n}` })) },
  {
    batch: many(EVENTS, (n) => ({
      type: 'identify',
      userId: `u${n}`,
      anonymousId: `b${n}`,
      traits: { name: `N ${n}` },
    })),
  },
  { batch: many(45_000, () => 0) },
  { batch: [order(1), 0], pad: 'x'.repeat(15_000_000) },
  `{"batch":[${'{"a":'.repeat(400_000)}1${'}'.repeat(400_000)}]}`,
]
const META: unknown[] = [
  {
    object: 'page',
    entry: [{ id: '1', time: 1, messaging: many(20_000, (n) => ({ sender: { id: `s${n}` }, message: {} })) }],
  },
  { object: 'page', entry: many(400_000, () => 0) },
  '['.repeat(4_000_000),
]
const at = '2026-01-01T00:00:00Z'
const SHOP: unknown[] = [
  {
    ...{ id: 1, total_price: '10.00', currency: 'EUR', created_at: at, updated_at: at },
    refunds: many(20_000, (id) => ({
      ...{ id, created_at: at },
      transactions: [{ kind: 'refund', status: 'success', amount: '0.01' }],
    })),
  },
  { id: 2, line_items: many(490_000, () => 0) },
]

async function makeSource(target: Target, source: { type: string; secret?: string }) {
  const { organizationId } = await makeTenant(target)
  const at = `/organizations/${organizationId}`
  await target.operator('PATCH', at, { currency: 'EUR' })
  const { id, writeKey } = await target.operator('POST', `${at}/sources`, { name: 'A source', ...source })
  const bytesOf = (body: unknown): Buffer => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const post = async (path: string, body: Buffer, headers: Record<string, string>): Promise<number> => {
    const request = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
    return (await fetch(`${target.url}${path}`, request)).status
  }
  return {
    track: (body: unknown) =>
      post('/ingest/v1/batch', gzipSync(bytesOf(body)), {
        authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`,
      }),
    sign(body: unknown, header: string, encoding: 'hex' | 'base64') {
      const bytes = bytesOf(body)
      const mac = createHmac('sha256', SECRET).update(bytes).digest(encoding)
      const signature = encoding === 'hex' ? `sha256=${mac}` : mac
      return post(`/hooks/${id}`, bytes, { [header]: signature, 'x-shopify-topic': 'orders/updated' })
    },
    async waiting(): Promise<number> {
      return Number((await target.operator('GET', `${at}/sources/${id}`)).waiting)
    },
  }
}
