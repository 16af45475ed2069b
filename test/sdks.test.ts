import { createHmac, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Analytics } from '@segment/analytics-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSigned } from '../src/intake/signatures.js'
import type { PersonDetails } from '../src/interface/intake.js'
import { startTestApp, type TestApp } from './harness.js'
import { Sender } from './inbox.js'

/** The official SDKs, as they come from npm, against the service over real sockets (docs/intake.md has these settings). */

let app: TestApp
let origin: string
beforeAll(async () => {
  app = await startTestApp()
  // An SDK stamps its events with the time of the machine.
  app.clock.set(new Date().toISOString())
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  origin = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
})
afterAll(() => app.app.close())

async function makeSender(): Promise<Sender> {
  const sender = await Sender.create(app, 'EVENTS')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  return sender
}

async function expectAda(sender: Sender): Promise<void> {
  await sender.apply()
  expect(await sender.problems()).toEqual([])
  const { conversations, links } = (await sender.operator(200, 'GET', '/people/cu_ada')).body as PersonDetails
  expect(conversations).toMatchObject([
    { lifetimeValue: 30, firstName: 'Ada', lastName: 'Lovelace', birthday: '1990-02-28' },
  ])
  expect(links).toMatchObject([
    { kind: 'anonymousId', id: 'anonymous-ada' },
    { kind: 'shopify', id: '207119551' },
  ])
}

const TRAITS = { firstName: 'Ada', lastName: 'Lovelace', birthday: '1990-02-28' }
const ORDER = { order_id: 'o1', total: 42.5, revenue: 40, currency: 'EUR' }
const externalIds = [{ id: '207119551', type: 'shopify', collection: 'users', encoding: 'none' }]

describe('the official SDKs', () => {
  test('@segment/analytics-node', async () => {
    const sender = await makeSender()
    const errors: unknown[] = []
    const analytics = new Analytics({
      writeKey: sender.source.writeKey!,
      host: origin,
      path: '/ingest/v1/batch',
      flushAt: 10,
    })
    analytics.on('error', (error) => errors.push(error))
    analytics.identify({ userId: 'cu_ada', anonymousId: 'anonymous-ada', traits: TRAITS, context: { externalIds } })
    analytics.track({ anonymousId: 'anonymous-ada', event: 'Order Completed', properties: ORDER })
    analytics.track({ userId: 'cu_ada', event: 'Order Refunded', properties: { order_id: 'o1', total: 12.5 } })
    analytics.screen({ userId: 'cu_ada', name: 'Home' })
    await analytics.closeAndFlush()
    expect(errors).toEqual([])
    await expectAda(sender)
  })

  test('the wire of @rudderstack/rudder-sdk-node: gzip that is labelled as a form', async () => {
    const sender = await makeSender()
    const at = new Date(app.clock.now()).toISOString()
    const times = { originalTimestamp: at, sentAt: at }
    const batch = [
      {
        ...{ type: 'identify', userId: 'cu_ada', anonymousId: 'anonymous-ada', messageId: 'm1', traits: TRAITS },
        ...{ context: { externalIds }, ...times },
      },
      { type: 'track', userId: 'cu_ada', event: 'Order Completed', messageId: 'm2', properties: ORDER, ...times },
      {
        ...{ type: 'track', userId: 'cu_ada', event: 'Order Refunded', messageId: 'm3', ...times },
        properties: { order_id: 'o1', total: 12.5 },
      },
    ]
    const answer = await fetch(`${origin}/ingest/v1/batch`, {
      method: 'POST',
      body: gzipSync(JSON.stringify({ batch, sentAt: at })),
      headers: {
        authorization: `Basic ${Buffer.from(`${sender.source.writeKey}:`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
    expect([answer.status, await answer.json()]).toEqual([200, { success: true }])
    await expectAda(sender)
  })
})

test('signatures are those of @shopify/shopify-api', async () => {
  await import('@shopify/shopify-api/adapters/node')
  const { ApiVersion, shopifyApi } = await import('@shopify/shopify-api')
  const secret = 'secret of the shop'
  const shopify = shopifyApi({
    ...{ apiKey: 'key', apiSecretKey: secret, hostName: 'shop.example', isEmbeddedApp: false },
    apiVersion: ApiVersion.October25,
    logger: { log: async () => {} },
  })
  for (const body of ['{"id":820982911946154508,"name":"Zoë ☕"}', '', randomBytes(50).toString('latin1')]) {
    const right = createHmac('sha256', secret).update(body, 'utf8').digest('base64')
    for (const signature of [right, right.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')), 'none']) {
      const rawRequest = new Request('https://shop.example/hooks', {
        method: 'POST',
        headers: {
          ...{
            'x-shopify-hmac-sha256': signature,
            'x-shopify-topic': 'orders/create',
            'x-shopify-api-version': '2025-10',
          },
          ...{ 'x-shopify-shop-domain': 'a.myshopify.com', 'x-shopify-webhook-id': 'd1' },
        },
      })
      const headers = Object.fromEntries(rawRequest.headers)
      const { valid } = await shopify.webhooks.validate({ rawBody: body, rawRequest: { headers, method: 'POST' } })
      if (body !== '') expect(valid).toBe(isSigned(Buffer.from(body), signature, [secret], 'base64'))
    }
  }
})
