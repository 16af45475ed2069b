// Sends who a person is, an order, a part of it that is refunded, and an app open: node segment-node.mjs USER_ID
import { Analytics } from '@segment/analytics-node'

const { GREENROOM_URL = 'http://127.0.0.1:8080', WRITE_KEY } = process.env
const [userId] = process.argv.slice(2)
if (!WRITE_KEY || !userId) throw new Error('Say who, and set WRITE_KEY: node segment-node.mjs USER_ID')

// The SDK drops the path of a host: below a prefix the whole path belongs into `path`.
const { origin, pathname } = new URL(GREENROOM_URL)
const path = `${pathname.replace(/\/$/, '')}/ingest/v1/batch`
const analytics = new Analytics({ writeKey: WRITE_KEY, host: origin, path })
// The SDK does not throw for what the server refuses, such as a wrong key: this is where it tells of it.
analytics.on('error', ({ code, reason }) => {
  process.stderr.write(`${code}: ${reason}\n`)
  process.exitCode = 1
})

analytics.identify({
  userId,
  anonymousId: `browser-of-${userId}`,
  traits: { firstName: 'Ada', lastName: 'Lovelace', birthday: '1990-02-28' },
  context: { externalIds: [{ id: '207119551', type: 'shopify', collection: 'users', encoding: 'none' }] },
})
const order_id = `order-of-${userId}`
// Someone who had not signed in yet: the identify above says who it was.
const order = { order_id, total: 42.5, revenue: 40, currency: 'EUR' }
analytics.track({ anonymousId: `browser-of-${userId}`, event: 'Order Completed', properties: order })
analytics.track({ userId, event: 'Order Refunded', properties: { order_id, refund_id: 'part-1', total: 12.5 } })
analytics.track({ userId, event: 'Application Opened' })

// A program that ends without it loses what still waits in its memory.
await analytics.closeAndFlush()
