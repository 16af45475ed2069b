// Sends a person's profile, an order, a partial refund, and an app open: node rudderstack-node.mjs USER_ID
import RudderAnalytics from '@rudderstack/rudder-sdk-node'

const { GREENROOM_URL = 'http://127.0.0.1:8080', WRITE_KEY } = process.env
const [userId] = process.argv.slice(2)
if (!WRITE_KEY || !userId) throw new Error('Name a user, and set WRITE_KEY: node rudderstack-node.mjs USER_ID')

const rudder = new RudderAnalytics(WRITE_KEY, {
  dataPlaneUrl: `${GREENROOM_URL.replace(/\/$/, '')}/ingest`,
  // Otherwise a refused batch, such as one with a wrong key, is an unhandled rejection that ends the program.
  errorHandler: ({ message }) => {
    process.stderr.write(`${message}\n`)
    process.exitCode = 1
  },
})

rudder.identify({
  userId,
  anonymousId: `browser-of-${userId}`,
  traits: { firstName: 'Ada', lastName: 'Lovelace', birthday: '1990-02-28' },
  context: { externalIds: [{ id: '207119551', type: 'shopify', collection: 'users', encoding: 'none' }] },
})
const order_id = `order-of-${userId}`
// A visitor who had not signed in yet: the identify above says who it was.
const order = { order_id, total: 42.5, revenue: 40, currency: 'EUR' }
rudder.track({ anonymousId: `browser-of-${userId}`, event: 'Order Completed', properties: order })
rudder.track({ userId, event: 'Order Refunded', properties: { order_id, refund_id: 'part-1', total: 12.5 } })
rudder.track({ userId, event: 'Application Opened' })

// The first event is sent at once. A flush waits for it, and sends at most `flushAt` others (20 by default).
await rudder.flush()
