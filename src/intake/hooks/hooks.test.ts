import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { startOwnTestApp, startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { startProcessorTime } from '../../../test/processor-time.js'
import type { PersonDetails, Source } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { startIntakeWorker } from '../worker/worker.js'

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
  test('accepts signed deliveries, and refuses and counts the rest', async () => {
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

  test('answers 200 to every signed body, and stores a repeat once', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    for (const [index, body] of ['', 'no json', '{"a":', '\0', '[]', '{"id":1}'].entries()) {
      await shop.send(body, { topic: 'orders/create', id: `d${index}` })
    }
    await shop.send('{"id":1}', { topic: 'orders/create', id: 'd5' })
    expect(await stateOf(shop)).toMatchObject({ waiting: 6 })
    await shop.apply()
    // Its stored part shows the repeat.
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

  test('accepts both secrets for exactly an hour after a rotation', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    await shop.send({ id: 1 }, { topic: 'orders/create', id: 'known' })
    const rotated = await shop.operator(201, 'POST', `/sources/${shop.source.id}/rotate-secret`, {
      secret: 'another secret',
    })
    // The source is known as it was a moment ago.
    app.clock.advance(250)
    const byNew = async (id: string): Promise<number> => {
      const mac = createHmac('sha256', 'another secret').update(id).digest('base64')
      const headers = { 'x-shopify-hmac-sha256': mac, 'x-shopify-webhook-id': id }
      return (await inject({ method: 'POST', url: `/hooks/${shop.source.id}`, payload: id, headers })).status
    }
    expect(await byNew('first')).toBe(200)
    app.clock.set(new Date(Date.parse(rotated.body.previousSecretUntil) - 1).toISOString())
    await shop.send({ id: 2 }, { topic: 'orders/create', id: 'before' })
    app.clock.advance(1)
    await shop.send({ id: 3 }, { topic: 'orders/create', id: 'after', status: 401 })
    expect(await byNew('last')).toBe(200)
    expect(await stateOf(shop)).toMatchObject({ waiting: 4, refused: 1 })
  })

  test('that does not exist is refused like one with a wrong secret, and so is a removed one', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    expect(await inject({ method: 'POST', url: '/hooks/src_none', payload: '{}' })).toMatchObject({ status: 401 })
    await shop.operator(200, 'DELETE', `/sources/${shop.source.id}`)
    app.clock.advance(6_000)
    await shop.send({ id: 1 }, { topic: 'orders/create', status: 401 })
  })
})

describe('the addresses of shops and Meta', () => {
  test('accept signed bodies with any content type, and a trailing slash', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    // These bytes are not UTF-8: the signature covers them, whatever the content type says.
    const payload = Buffer.from('{"note":"Zo\xeb"}', 'latin1')
    const mac = createHmac('sha256', 'secret of the other side').update(payload).digest('base64')
    const url = `/hooks/${shop.source.id}`
    for (const [index, type] of ['application/json; charset=utf-16', ';;;', '', 'text', 'a/b, c/d'].entries()) {
      const headers = { 'x-shopify-hmac-sha256': mac, 'x-shopify-webhook-id': `d${index}`, 'content-type': type }
      expect(await inject({ method: 'POST', url: `${url}/`, payload, headers })).toMatchObject({ status: 200 })
    }
    expect(await stateOf(shop)).toMatchObject({ waiting: 5, refused: 0 })
  })

  test('accept 4 MiB, and count one byte more as too large', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    const max = limit('deliveryBytes')
    await shop.send(Buffer.alloc(max, 'x'), { topic: 'orders/create' })
    expect(await stateOf(shop)).toMatchObject({ waiting: 1, lastRefusal: null })
    await shop.send(Buffer.alloc(max + 1, 'x'), { topic: 'orders/create', status: 413 })
    expect(await stateOf(shop)).toMatchObject({ waiting: 1, refused: 1, lastRefusal: { reason: 'too_large' } })
  })

  test.each(['META', 'SHOPIFY', 'WOOCOMMERCE'] as const)('of %s return a 429 beyond its rate', async (type) => {
    const sender = await Sender.create(app, type, { deliveriesPerSecond: 1 })
    for (const [at, status] of [200, 200, 429].entries()) await sender.send({ at }, { status })
    expect(await stateOf(sender)).toMatchObject({ waiting: 2, lastRefusal: { reason: 'limit' } })
    app.clock.advance(1_000)
    await sender.send({ at: 3 })
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

  test('also accepts the secret of the app for Instagram login', async () => {
    const sender = await Sender.create(app, 'META', { instagramSecret: 'secret of instagram' })
    const payload = JSON.stringify({ object: 'instagram', entry: [] })
    const mac = createHmac('sha256', 'secret of instagram').update(payload).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${mac}`, 'content-type': 'application/json' }
    expect(await inject({ method: 'POST', url: `/hooks/${sender.source.id}`, payload, headers })).toMatchObject({
      status: 200,
    })
  })

  test('passes a comment on once, however often one or more deliveries contain it', async () => {
    const sender = await Sender.create(app, 'META')
    const channelId = await sender.tenant.channel()
    const id = channelId.replace('FB_PAGE_', '')
    const comment = { item: 'comment', verb: 'add', comment_id: `${id}_2`, post_id: `${id}_1`, message: 'Hi' }
    const change = { field: 'feed', value: comment }
    for (let times = 0; times < 2; times++)
      await sender.send({ object: 'page', entry: [{ id, changes: [change, change] }] })
    await sender.apply()
    const { rows } = await app.context.database.query(
      'select comment_id, waiting from incoming_comments where organization_id = $1',
      [sender.tenant.organizationId],
    )
    expect(rows).toEqual([{ comment_id: `${id}_2`, waiting: true }])
    expect(await sender.problems()).toEqual([])
  })

  test('affects no page of another organization, whatever page its deliveries name', async () => {
    const [sender, other] = [await Sender.create(app, 'META'), await Sender.create(app, 'META')]
    const channelId = await other.tenant.channel()
    const id = channelId.replace('FB_PAGE_', '')
    const update = { sender: { id: '77' }, recipient: { id }, timestamp: app.clock.now(), message: { mid: 'm' } }
    const comment = { item: 'comment', verb: 'add', comment_id: `${id}_2`, post_id: `${id}_1`, message: 'Hi' }
    const entry = { id, messaging: [update], changes: [{ field: 'feed', value: comment }] }
    await sender.send({ object: 'page', entry: [entry] })
    await sender.apply()
    expect(await other.tenant.countConversations()).toBe(0)
    const { rows } = await app.context.database.query('select from incoming_comments where channel_id = $1', [
      channelId,
    ])
    expect(rows).toEqual([])
    expect(await sender.problems()).toMatchObject([{ reason: expect.stringContaining(`no channel ${channelId}`) }])
    expect(await other.problems()).toEqual([])
  })

  test('forgets a user who asks Meta for it, and a late message restores nobody', async () => {
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
    const askedAt = new Date(app.clock.now()).toISOString()
    const { pathname } = new URL(statusUrl)
    const ask = async (path = pathname) => {
      const { status, headers, body } = await inject({ method: 'GET', url: path })
      return { status, errorCode: headers['x-error-code'], ...JSON.parse(body) }
    }
    const waits = { status: 200, confirmation_code: code, state: 'WAITING', requested_at: askedAt, done_at: null }
    expect(await ask()).toMatchObject({ ...waits, message: expect.stringContaining('not deleted yet') })
    app.clock.advance(1_000)
    const json = { 'content-type': 'application/json' }
    const again = JSON.stringify({ signed_request: `${signature}.${payload}` })
    expect((await inject({ method: 'POST', url, headers: json, payload: again })).body).toBe(answer.body)
    for (const bad of ['null', '{"signed_request":7}', '']) {
      expect(await inject({ method: 'POST', url, headers: json, payload: bad })).toMatchObject({ status: 401 })
    }
    await sender.apply()
    expect(await sender.tenant.countConversations()).toBe(0)
    const done = { state: 'DONE', requested_at: askedAt, done_at: new Date(app.clock.now()).toISOString() }
    expect(await ask()).toMatchObject({ ...waits, ...done, message: expect.stringContaining(done.done_at) })
    app.clock.advance(1_000)
    expect((await inject({ method: 'POST', url, headers: json, payload: again })).body).toBe(answer.body)
    await sender.apply()
    expect(await ask()).toMatchObject(done)
    // Another code, another source or another form of a code reveals nothing.
    const other = await Sender.create(app, 'META')
    const others = [pathname.replace(code, 'A'.repeat(24)), pathname.replace(code, 'none')]
    for (const path of [
      ...others,
      pathname.replace(sender.source.id, other.source.id),
      '/hooks/none/data-deletion/x',
    ]) {
      expect(await ask(path)).toMatchObject({ status: 404, errorCode: 'data_deletion_not_found' })
    }
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

describe('a request to delete data', () => {
  const request = async (sender: Sender, payload: object) => {
    const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url')
    const mac = createHmac('sha256', 'secret of the other side').update(encoded).digest('base64url')
    const url = `/hooks/${sender.source.id}/data-deletion`
    const signed_request = `${mac}.${encoded}`
    const answer = await inject({ method: 'POST', url, payload: JSON.stringify({ signed_request }) })
    const { confirmation_code: code } = JSON.parse(answer.body)
    return async () => {
      const { status, body } = await inject({ method: 'GET', url: `${url}/${code}` })
      return [status, JSON.parse(body).state]
    }
  }

  test('that cannot be applied waits, and its row identifies nobody', async () => {
    const sender = await Sender.create(app, 'META')
    const stateOfRequest = await request(sender, { name: 'nobody', user_id: 'x'.repeat(300) })
    await sender.apply()
    expect(await stateOfRequest()).toEqual([200, 'WAITING'])
    const [problem] = await sender.problems()
    await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
    await sender.apply()
    expect([await stateOfRequest(), (await sender.problems()).length]).toEqual([[200, 'WAITING'], 1])
    await request(sender, { user_id: '9000000000000077' })
    const { rows } = await app.context.database.query<{ text: string }>(
      'select d::text as text from data_deletions d where organization_id = $1',
      [sender.tenant.organizationId],
    )
    expect([rows.length, JSON.stringify(rows).includes('9000000000000077')]).toEqual([2, false])
  })

  test('is known for a year, and is deleted with its source', async () => {
    const own = await startOwnTestApp()
    const sender = await Sender.create(own, 'META')
    const other = await Sender.create(own, 'META', { tenant: sender.tenant })
    const count = async (): Promise<number> =>
      (
        await own.context.database.query('select from data_deletions where organization_id = $1', [
          sender.tenant.organizationId,
        ])
      ).rows.length
    for (const { source } of [sender, other]) {
      const encoded = Buffer.from('{"user_id":"1"}').toString('base64url')
      const mac = createHmac('sha256', 'secret of the other side').update(encoded).digest('base64url')
      const payload = `signed_request=${mac}.${encoded}`
      await own.app.inject({ method: 'POST', url: `/hooks/${source.id}/data-deletion`, payload })
    }
    expect(await count()).toBe(2)
    await sender.operator(200, 'DELETE', `/sources/${other.source.id}`)
    expect(await count()).toBe(1)
    const worker = startIntakeWorker(own.context, { wait: () => new Promise(() => {}) })
    own.clock.advance(365 * 86_400_000)
    await worker.tick()
    expect(await count()).toBe(1)
    own.clock.advance(3_600_000)
    await worker.tick()
    expect(await count()).toBe(0)
    await worker.stop()
  })

  test('to a missing source, or one not of Meta, is answered like one with a wrong signature', async () => {
    const [meta, shop] = [await Sender.create(app, 'META'), await Sender.create(app, 'SHOPIFY')]
    const answers: unknown[][] = []
    for (const id of [meta.source.id, 'src_none', shop.source.id]) {
      const payload = 'signed_request=AAAA.AAAA'
      const { status, body } = await inject({ method: 'POST', url: `/hooks/${id}/data-deletion`, payload })
      answers.push([status, body])
    }
    expect(answers).toEqual(Array.from({ length: 3 }, () => [401, answers[0]![1]]))
  })
})

describe('the addresses of the SDKs', () => {
  const event = { type: 'track', event: 'Application Opened', userId: 'u', messageId: 'm' }
  const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` })

  test('accept any content type, gzip, and the key by Basic, body or query', async () => {
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

  test("refuse a wrong key with 401, unreadable bodies with 400, and never use a code that changes an SDK's behaviour", async () => {
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

  test('accept a trailing slash, and gzip whatever the Content-Encoding says', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const post = (url: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
      inject({ method: 'POST', url, payload, headers: { ...basic(sender.source.writeKey!), ...headers } })
    for (const [index, path] of ['/ingest/t/', '/ingest/v1/track/', '/ingest/v1/t/'].entries()) {
      expect(await post(path, JSON.stringify({ ...event, messageId: index }))).toMatchObject({ status: 200 })
    }
    const zipped = gzipSync(JSON.stringify(event))
    const encoded = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
    expect(await post('/ingest/t', zipped, encoded)).toMatchObject({ status: 200 })
    expect(await post('/ingest/t', JSON.stringify({ ...event, a: 1 }), encoded)).toMatchObject({ status: 200 })
    expect(await stateOf(sender)).toMatchObject({ waiting: 5 })
  })

  test('accept 4 MiB, and answer one byte more with 400, which is counted', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const post = (bytes: number) => {
      const pad = 'x'.repeat(bytes - '{"batch":[],"pad":""}'.length)
      const headers = { origin: 'https://shop.example', ...basic(sender.source.writeKey!) }
      return inject({ method: 'POST', url: '/ingest/v1/batch', payload: `{"batch":[],"pad":"${pad}"}`, headers })
    }
    expect(await post(limit('deliveryBytes'))).toMatchObject({ status: 200 })
    const refused = await post(limit('deliveryBytes') + 1)
    expect(refused).toMatchObject({ status: 400, headers: { 'access-control-allow-origin': '*' } })
    expect(await stateOf(sender)).toMatchObject({ waiting: 1, refused: 1, lastRefusal: { reason: 'too_large' } })
  })

  test('count a key that was replaced an hour ago at its source, and refuse it before unpacking', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    await sender.send({ batch: [] })
    const rotated = await sender.operator(201, 'POST', `/sources/${sender.source.id}/rotate-secret`)
    const until = Date.parse(rotated.body.previousSecretUntil)
    app.clock.set(new Date(until - 1).toISOString())
    await sender.send({ batch: [], sentAt: 1 })
    app.clock.advance(1)
    await sender.send({ batch: [], sentAt: 2 }, { status: 401 })
    // With the right key this body would be a 400.
    await sender.send('no json', { status: 401 })
    expect(await stateOf(sender)).toMatchObject({
      ...{ waiting: 2, refused: 2, lastRefusal: { reason: 'key', at: new Date(until).toISOString() } },
    })
  })

  test('accept the same bytes again if nothing in them distinguishes them from an earlier event', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
    const opened = { type: 'track', event: 'Application Opened', userId: 'cu_ada' }
    const openedAt = async (): Promise<number> => {
      await sender.send({ batch: [opened] })
      await sender.apply()
      const person: PersonDetails = (await sender.operator(200, 'GET', '/people/cu_ada')).body
      return person.conversations[0]!.lastAppOpenTimestamp!
    }
    const first = await openedAt()
    app.clock.advance(86_400_000)
    expect((await openedAt()) - first).toBe(86_400_000)
    // With an id or its own time, it is a repeat.
    for (const named of [{ messageId: 'm' }, { timestamp: '2026-11-20T08:00:00Z' }]) {
      for (let time = 0; time < 2; time++) await sender.send({ batch: [{ ...opened, ...named }] })
    }
    expect(await stateOf(sender)).toMatchObject({ waiting: 2 })
  })

  test('allow pages of any origin to send, with the headers of the SDKs', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const asked =
      'authorization,content-type,x-retry-count,anonymousid,sentat,rsa-retry-attempt,rsa-since-last-attempt,cookie'
    const preflight = await inject({
      method: 'OPTIONS',
      url: '/ingest/t',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': asked,
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': asked.replace(',cookie', '').replaceAll(',', ', '),
      'access-control-allow-methods': 'POST',
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
      // Only then can a page read the seconds of a 429.
      expect(answer.headers['access-control-expose-headers']).toBe('retry-after')
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

  test("do not parse a body of millions of values, or one without a source's key", async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const post = async (text: string, headers: Record<string, string> = {}) => {
      const passed = startProcessorTime()
      const { status } = await inject({ method: 'POST', url: '/ingest/v1/batch', payload: gzipSync(text), headers })
      return { status, ms: passed() }
    }
    const bomb = `{"batch":[{}${',{}'.repeat(5_000_000)}]}`
    const key = basic(sender.source.writeKey!)
    const answers = [await post(bomb, key), await post(bomb), await post(bomb, basic('wrong'))]
    expect(answers.map(({ status }) => status)).toEqual([400, 401, 401])
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(3_000)
    expect(await stateOf(sender)).toMatchObject({ waiting: 0, refused: 1, lastRefusal: { reason: 'too_large' } })
    // The key of the body itself counts, whatever else in it has that name.
    const named = { batch: [{ ...event, properties: { writeKey: 'other' } }], writeKey: sender.source.writeKey }
    expect(await post(JSON.stringify(named))).toMatchObject({ status: 200 })
    const foreign = { batch: [{ ...event, properties: { writeKey: sender.source.writeKey } }] }
    expect(await post(JSON.stringify(foreign))).toMatchObject({ status: 401 })
  })

  test("return a 429 with Retry-After beyond the source's rate", async () => {
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

  test('unpack nothing from a sender whose key is wrong or who exceeds the rate', async () => {
    const sender = await Sender.create(app, 'EVENTS', { deliveriesPerSecond: 1 })
    const key = sender.source.writeKey!
    const post = async (payload: Buffer, headers: Record<string, string>, query = ''): Promise<number> =>
      (await inject({ method: 'POST', url: `/ingest/v1/batch${query}`, payload, headers })).status
    const unreadable = Buffer.concat([gzipSync('{}').subarray(0, 12), Buffer.alloc(9)])
    expect([await post(unreadable, basic(key)), await post(unreadable, {}, `?writeKey=${key}`)]).toEqual([400, 400])
    // Unpacked, it would again be a 400.
    expect([await post(unreadable, basic(key)), await post(unreadable, {}, `?writeKey=${key}`)]).toEqual([429, 429])
    expect([await post(unreadable, basic('wrong')), await post(unreadable, {}, '?writeKey=wrong')]).toEqual([401, 401])
    expect(await stateOf(sender)).toMatchObject({ waiting: 0, refused: 4, lastRefusal: { reason: 'limit' } })
  })

  test('look for a key in a body only in its first 64 KiB, packed and unpacked, and say where else to put it', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const body = (bytes: number): string =>
      JSON.stringify({ writeKey: sender.source.writeKey, batch: [event], pad: 'x'.repeat(bytes) })
    const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
      inject({ method: 'POST', url: '/ingest/v1/batch', payload, headers })
    const [small, large] = [body(60_000), body(66_000)]
    expect([(await post(small)).status, (await post(gzipSync(small))).status]).toEqual([200, 200])
    expect((await post(gzipSync(large))).status).toBe(401)
    expect(await post(large)).toMatchObject({ status: 401, body: expect.stringContaining('by Basic or in the query') })
    expect((await post(large, basic(sender.source.writeKey!))).status).toBe(200)
  })

  test('of one organization affect nobody in another', async () => {
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
