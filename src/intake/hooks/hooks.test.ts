import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import type { PersonDetails, Source } from '../../interface/intake.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const inject = async (options: InjectOptions) => {
  const { statusCode: status, headers, body } = await app.app.inject(options)
  return { status, headers, body }
}
const stateOf = async (sender: Sender): Promise<Source> => {
  await app.context.intake.activity.flush()
  return (await sender.operator(200, 'GET', `/sources/${sender.source.id}`)).body
}

describe('a signed source', () => {
  test('takes what is signed, and refuses and counts the rest', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    await shop.send({ id: 1 }, { topic: 'orders/create', id: 'd1' })
    const url = `/hooks/${shop.source.id}`
    const headers = { 'x-shopify-hmac-sha256': 'AAAA', 'content-type': 'application/json' }
    expect(await inject({ method: 'POST', url, payload: '{"id":1}', headers })).toMatchObject({ status: 401 })
    expect(await inject({ method: 'POST', url, payload: '' })).toMatchObject({ status: 401 })
    expect(await stateOf(shop)).toMatchObject({
      waiting: 1,
      refused: 2,
      lastRefusal: { reason: 'signature' },
      lastDeliveryAt: expect.any(String),
    })
  })

  test('answers 200 whatever a signed body says, and a repeat is stored once', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    for (const [index, body] of ['', 'no json', '{"a":', '\0', '[]', '{"id":1}'].entries()) {
      await shop.send(body, { topic: 'orders/create', id: `d${index}` })
    }
    await shop.send('{"id":1}', { topic: 'orders/create', id: 'd5' })
    expect(await stateOf(shop)).toMatchObject({ waiting: 6 })
    await shop.apply()
    // Known by what is kept of it.
    await shop.send('{"id":1}', { topic: 'orders/create', id: 'd5' })
    expect(await stateOf(shop)).toMatchObject({ waiting: 0, problems: 6 })
  })

  test('of WooCommerce answers the unsigned ping with 200, and stores nothing', async () => {
    const shop = await Sender.create(app, 'WOOCOMMERCE')
    const ping = { method: 'POST', url: `/hooks/${shop.source.id}`, payload: 'webhook_id=7' } as const
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await inject({ ...ping, headers })).toMatchObject({ status: 200 })
    expect(await inject({ ...ping, headers, payload: 'webhook_id=7&a=b' })).toMatchObject({ status: 401 })
    expect(await stateOf(shop)).toMatchObject({ waiting: 0 })
  })

  test('takes both secrets for an hour after a rotation', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    await shop.operator(201, 'POST', `/sources/${shop.source.id}/rotate-secret`, { secret: 'another secret' })
    // A changed source is known as it was for a few seconds.
    app.clock.advance(6_000)
    await shop.send({ id: 1 }, { topic: 'orders/create', id: 'before' })
    app.clock.advance(3_600_000)
    await shop.send({ id: 2 }, { topic: 'orders/create', id: 'after', status: 401 })
  })

  test('that is not there is refused like one whose secret is wrong, and a removed one too', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    expect(await inject({ method: 'POST', url: '/hooks/src_none', payload: '{}' })).toMatchObject({ status: 401 })
    await shop.operator(200, 'DELETE', `/sources/${shop.source.id}`)
    app.clock.advance(6_000)
    await shop.send({ id: 1 }, { topic: 'orders/create', status: 401 })
  })
})

describe('a source of Meta', () => {
  test('proves its address with the verify token', async () => {
    const { source } = await Sender.create(app, 'META')
    const ask = (token: string, mode = 'subscribe') =>
      inject({
        method: 'GET',
        url: `/hooks/${source.id}?hub.mode=${mode}&hub.verify_token=${token}&hub.challenge=1158201444`,
      })
    const right = await ask(source.verifyToken!)
    expect(right).toMatchObject({ status: 200, body: '1158201444' })
    expect(right.headers['content-type']).toContain('text/plain')
    expect(await ask('wrong')).toMatchObject({ status: 403 })
    expect(await ask(source.verifyToken!, 'unsubscribe')).toMatchObject({ status: 403 })
  })

  test('takes the secret of the app of Instagram login too', async () => {
    const sender = await Sender.create(app, 'META', { instagramSecret: 'secret of instagram' })
    const payload = JSON.stringify({ object: 'instagram', entry: [] })
    const mac = createHmac('sha256', 'secret of instagram').update(payload).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${mac}`, 'content-type': 'application/json' }
    expect(await inject({ method: 'POST', url: `/hooks/${sender.source.id}`, payload, headers })).toMatchObject({
      status: 200,
    })
  })

  test('forgets a user who asks Meta for it, and a late message brings no one back', async () => {
    const sender = await Sender.create(app, 'META')
    const channelId = await sender.tenant.channel()
    const pageId = channelId.replace('FB_PAGE_', '')
    const message = (mid: string) => ({
      object: 'page',
      entry: [
        {
          id: pageId,
          messaging: [
            { sender: { id: '77001' }, recipient: { id: pageId }, timestamp: app.clock.now() - 1000, message: { mid } },
          ],
        },
      ],
    })
    await sender.send(message('m1'))
    await sender.apply()
    expect(await sender.tenant.countConversations()).toBe(1)
    const payload = Buffer.from(JSON.stringify({ user_id: '77001', algorithm: 'HMAC-SHA256' })).toString('base64url')
    const signature = createHmac('sha256', 'secret of the other side').update(payload).digest('base64url')
    const url = `/hooks/${sender.source.id}/data-deletion`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = (signed: string) => `signed_request=${signed}`
    expect(await inject({ method: 'POST', url, headers, payload: body(`AAAA.${payload}`) })).toMatchObject({
      status: 401,
    })
    const answer = await inject({ method: 'POST', url, headers, payload: body(`${signature}.${payload}`) })
    const { url: statusUrl, confirmation_code: code } = JSON.parse(answer.body)
    expect([answer.status, statusUrl]).toEqual([200, expect.stringContaining(code)])
    const json = { 'content-type': 'application/json' }
    const again = JSON.stringify({ signed_request: `${signature}.${payload}` })
    expect((await inject({ method: 'POST', url, headers: json, payload: again })).body).toBe(answer.body)
    for (const bad of ['null', '{"signed_request":7}', '']) {
      expect(await inject({ method: 'POST', url, headers: json, payload: bad })).toMatchObject({ status: 401 })
    }
    await sender.apply()
    expect(await sender.tenant.countConversations()).toBe(0)
    await sender.send(message('m2'))
    await sender.apply()
    expect(await sender.tenant.countConversations()).toBe(0)
    expect(await sender.problems()).toEqual([])
    const { rows } = await app.context.database.query(
      `select from kept_deliveries where organization_id = $1 and position('77001'::bytea in body) > 0 and topic is null`,
      [sender.tenant.organizationId],
    )
    expect(rows).toEqual([])
  })
})

describe('the addresses of the SDKs', () => {
  const event = { type: 'track', event: 'Application Opened', userId: 'u', messageId: 'm' }
  const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` })

  test('take any content type, gzip, and the key by Basic, body or query', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const key = sender.source.writeKey!
    const post = (url: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
      inject({ method: 'POST', url, payload, headers: { 'content-type': 'text/plain', ...headers } })
    const batch = (id: string) => JSON.stringify({ batch: [{ ...event, messageId: id }] })
    expect(await post('/ingest/v1/batch', batch('1'), basic(key))).toMatchObject({
      status: 200,
      body: '{"success":true}',
    })
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...basic(key) }
    expect(await post('/ingest/v1/batch', gzipSync(batch('2')), form)).toMatchObject({ status: 200 })
    expect(await post(`/ingest/beacon/v1/batch?writeKey=${key}`, batch('3'))).toMatchObject({ status: 200 })
    expect(await post('/ingest/t', JSON.stringify({ ...event, writeKey: key }))).toMatchObject({ status: 200 })
    expect(await post('/ingest/v1/track', JSON.stringify(event), basic(key))).toMatchObject({ status: 200 })
    expect(await post('/ingest/v1/dance', JSON.stringify(event), basic(key))).toMatchObject({ status: 404 })
    expect(await stateOf(sender)).toMatchObject({ waiting: 5 })
  })

  test('refuse a wrong key with 401, what cannot be read with 400, and never with a code that an SDK obeys', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const key = sender.source.writeKey!
    const post = (payload: string | Buffer, given = key, url = '/ingest/v1/batch') =>
      inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...basic(given) } })
    expect(await post('{"batch":[]}', 'wrong')).toMatchObject({ status: 401 })
    expect(await post('{"batch"')).toMatchObject({ status: 400 })
    expect(await post('"text"')).toMatchObject({ status: 400 })
    expect(await post(Buffer.concat([gzipSync('{}').subarray(0, 12), Buffer.alloc(9)]))).toMatchObject({ status: 400 })
    // 64 MiB in 64 KiB.
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20))
    expect((await post(bomb)).status).toBe(400)
    expect(await post(JSON.stringify({ ...event, context: 'x'.repeat(40_000) }), key, '/ingest/t')).toMatchObject({
      status: 400,
    })
    expect(await post(`{"batch":["${'x'.repeat(4 * 1024 * 1024)}"]}`)).toMatchObject({ status: 400 })
    expect(await stateOf(sender)).toMatchObject({ waiting: 0, lastRefusal: { reason: expect.any(String) } })
  })

  test('let pages of any origin send, with the headers that the SDKs have', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const preflight = await inject({
      method: 'OPTIONS',
      url: '/ingest/t',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,rsa-retry-attempt,cookie',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, content-type, rsa-retry-attempt',
    })
    const headers = { origin: 'https://shop.example', 'content-type': 'text/plain' }
    for (const [given, status] of [
      [sender.source.writeKey!, 200],
      ['wrong', 401],
    ] as const) {
      const answer = await inject({
        ...{ method: 'POST', url: '/ingest/t', payload: JSON.stringify(event) },
        headers: { ...headers, ...basic(given) },
      })
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, '*'])
    }
  })

  test('refuse a batch of more events than an SDK sends', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const headers = { 'content-type': 'application/json', ...basic(sender.source.writeKey!) }
    const payload = gzipSync(`{"batch":[0${',0'.repeat(50_000)}]}`)
    const refused = await inject({ method: 'POST', url: '/ingest/v1/batch', payload, headers })
    expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('send it in parts')])
    expect(await stateOf(sender)).toMatchObject({ waiting: 0, lastRefusal: { reason: 'too_large' } })
  })

  test('answer 429 with Retry-After beyond the rate of the source', async () => {
    const sender = await Sender.create(app, 'EVENTS', { deliveriesPerSecond: 1 })
    const post = (id: string) =>
      inject({
        ...{
          method: 'POST',
          url: '/ingest/v1/batch',
          payload: JSON.stringify({ batch: [{ ...event, messageId: id }] }),
        },
        headers: { 'content-type': 'application/json', ...basic(sender.source.writeKey!) },
      })
    expect([(await post('1')).status, (await post('2')).status]).toEqual([200, 200])
    const refused = await post('3')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    app.clock.advance(1_000)
    expect((await post('3')).status).toBe(200)
  })

  test('of one organization touch nobody of another', async () => {
    const [one, other] = [await Sender.create(app, 'EVENTS'), await Sender.create(app, 'EVENTS')]
    await other.tenant.conversations(await other.tenant.channel(), [{ id: 'ada' }])
    await one.track({
      ...{ type: 'track', event: 'Order Completed', userId: 'cu_ada', messageId: 'm' },
      properties: { order_id: '1', total: 10, currency: 'EUR' },
    })
    const { conversations, purchasesTotal } = (await other.operator(200, 'GET', '/people/cu_ada')).body as PersonDetails
    expect([conversations[0]!.lifetimeValue, purchasesTotal]).toEqual([0, 0])
  })
})
