// Sends a person's profile, an order, a partial refund, and an app open: node segment-node.mjs USER_ID
import { Analytics } from '@segment/analytics-node'

const { GREENROOM_URL = 'http://127.0.0.1:8080', WRITE_KEY } = process.env
const [userId] = process.argv.slice(2)
if (!WRITE_KEY || !userId) throw new Error('Name a user, and set WRITE_KEY: node segment-node.mjs USER_ID')

// The SDK drops the path of `host`, so a prefix belongs in `path`.
const { origin, pathname } = new URL(GREENROOM_URL)
const path = `${pathname.replace(/\/$/, '')}/ingest/v1/batch`
const analytics = new Analytics({ writeKey: WRITE_KEY, host: origin, path })
// The SDK does not throw if the server refuses something, such as a wrong key. It reports that here.
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
// A visitor who had not signed in yet: the identify above says who it was.
const order = { order_id, total: 42.5, revenue: 40, currency: 'EUR' }
analytics.track({ anonymousId: `browser-of-${userId}`, event: 'Order Completed', properties: order })
analytics.track({ userId, event: 'Order Refunded', properties: { order_id, refund_id: 'part-1', total: 12.5 } })
analytics.track({ userId, event: 'Application Opened' })

// Without this, the program would lose events that are still in memory.
await analytics.closeAndFlush()
