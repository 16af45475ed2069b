import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { type ListeningApp, startListening } from '../../../test/listening.js'
import type { Source } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'

const MIB = 1024 * 1024
const event = { type: 'track', event: 'Application Opened', userId: 'u', messageId: 'm' }
const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` })

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const batch = '/ingest/v1/batch'
async function postTo(
  { app }: TestApp,
  url: string,
  payload: string | Buffer,
  headers: Record<string, string> = {},
  remoteAddress = '127.0.0.1',
) {
  const answer = await app.inject({ method: 'POST', url, payload, headers, remoteAddress })
  return {
    status: answer.statusCode,
    code: answer.headers['x-error-code'],
    wait: Number(answer.headers['retry-after']),
  }
}
const post = (payload: string | Buffer, sender: Sender) => postTo(app, batch, payload, basic(sender.source.writeKey!))

async function stateOf(sender: Sender): Promise<Source> {
  await app.context.intake.activity.flush()
  return (await sender.operator(200, 'GET', `/sources/${sender.source.id}`)).body
}

/** A batch with one event of this many unpacked bytes. */
const packed = (bytes: number, id: number): Buffer => {
  const around = JSON.stringify({ batch: [{ ...event, messageId: `m${id}` }], pad: '' })
  return gzipSync(around.replace('"pad":""', `"pad":"${' '.repeat(bytes - around.length)}"`))
}

describe('a sender that is not yet known', () => {
  let own: ListeningApp
  beforeAll(async () => {
    own = await startListening()
    return () => own.close()
  })

  /**
   * Sends the head of a chunked request and this many bytes without an end; returns the status, or undefined for silence.
   */
  function beginBody(url: string, bytes: number, headers: Record<string, string> = {}): Promise<number | undefined> {
    const fields = Object.entries({ host: 'a', 'transfer-encoding': 'chunked', ...headers })
    const head = `POST ${url} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(own.url).port), '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => {})
      socket.once('data', (data) => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1])))
      socket.write(head)
      if (bytes > 0) socket.write(`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`)
    })
  }

  test('has at most 64 KiB of its body read', async () => {
    const events = await Sender.create(own, 'EVENTS')
    const beyond = limit('keylessDeliveryBytes') + 1
    expect(await beginBody(batch, beyond)).toBe(401)
    expect(await beginBody('/hooks/src_none', beyond)).toBe(401)
    expect(await beginBody(`/hooks/${events.source.id}`, beyond)).toBe(401)
  })

  test('with a wrong key in the head is refused before the body', async () => {
    expect(await beginBody(batch, 0, basic('wrong'))).toBe(401)
    expect(await beginBody(`${batch}?writeKey=wrong`, 0)).toBe(401)
  })

  test('can fill only a part of the memory with half bodies from one address, and known callers are served', async () => {
    const shop = await Sender.create(own, 'SHOPIFY')
    const halves = Array.from({ length: 5 }, () => beginBody(`/hooks/${shop.source.id}`, 4 * MIB - 1))
    // Four of them fit, and the oldest ends to admit the fifth.
    expect(await Promise.race(halves)).toBe(503)
    const tenant = shop.tenant
    await tenant.call(200, 'GET', '/workspaces')
    await shop.send({ id: 1 }, { topic: 'orders/create', id: 'd' })
  })
})

describe('the address of failures', () => {
  const start = () => startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
  const ELSEWHERE = '192.0.2.1'

  test('waits after too many wrong keys, before anything is read, and known right keys continue', async () => {
    const own = await start()
    const sender = await Sender.create(own, 'EVENTS')
    const key = basic(sender.source.writeKey!)
    const opened = (id: string) => JSON.stringify({ batch: [{ ...event, messageId: id }] })
    expect(await postTo(own, batch, opened('1'), key, ELSEWHERE)).toMatchObject({ status: 200 })
    for (const headers of [basic('wrong'), basic('other'), {}]) {
      expect(await postTo(own, batch, opened('2'), headers)).toMatchObject({ status: 401 })
    }
    for (const headers of [basic('wrong'), basic('third'), {}]) {
      const refused = await postTo(own, batch, opened('2'), headers)
      expect(refused).toMatchObject({ status: 429, code: 'too_many_failures', wait: 1 })
    }
    expect(await postTo(own, batch, opened('2'), key)).toMatchObject({ status: 200 })
    expect(await postTo(own, batch, opened('3'), basic('wrong'), ELSEWHERE)).toMatchObject({ status: 401 })
    own.clock.advance(61_000)
    const named = JSON.stringify({ ...event, writeKey: sender.source.writeKey })
    expect(await postTo(own, '/ingest/t', named)).toMatchObject({ status: 200 })
  })

  test('waits after too many unsigned deliveries, and sources with earlier signed deliveries continue', async () => {
    const own = await start()
    const [known, fresh] = [await Sender.create(own, 'SHOPIFY'), await Sender.create(own, 'SHOPIFY')]
    await known.send({ id: 1 }, { id: 'd1' })
    for (const id of ['src_none', fresh.source.id, known.source.id]) {
      expect(await postTo(own, `/hooks/${id}`, '{}')).toMatchObject({ status: 401 })
    }
    for (const url of ['/hooks/src_none', `/hooks/${known.source.id}`, '/hooks/src_none/data-deletion']) {
      expect(await postTo(own, url, '{}')).toMatchObject({ status: 429, code: 'too_many_failures' })
    }
    await fresh.send({ id: 1 }, { id: 'd1', status: 429 })
    await known.send({ id: 2 }, { id: 'd2' })
    own.clock.advance(61_000)
    await fresh.send({ id: 1 }, { id: 'd1' })
  })

  test('waits after too many wrong verify tokens and codes, and right ones are answered', async () => {
    const own = await start()
    const { source } = await Sender.create(own, 'META')
    const get = async (url: string): Promise<number> => (await own.app.inject({ method: 'GET', url })).statusCode
    const ask = (token: string) => get(`/hooks/${source.id}?hub.mode=subscribe&hub.verify_token=${token}`)
    expect([await ask('a'), await ask('b'), await get(`/hooks/${source.id}/data-deletion/none`)]).toEqual([
      403, 403, 404,
    ])
    expect([await ask('c'), await get(`/hooks/${source.id}/data-deletion/none`)]).toEqual([429, 429])
    expect(await ask(source.verifyToken!)).toBe(200)
  })
})

describe('a source is charged', () => {
  test('by unpacked bytes, and the stated wait is correct', async () => {
    const sender = await Sender.create(app, 'EVENTS', { deliveriesPerSecond: 100 })
    expect(await post(packed(16 * MIB, 1), sender)).toMatchObject({ status: 200 })
    const refused = await post(packed(8 * MIB, 2), sender)
    // The rate is 8 KiB for each delivery that it may send per second.
    expect(refused).toEqual({ status: 429, code: 'too_many_deliveries', wait: Math.ceil((8 * MIB) / (8 * 1024 * 100)) })
    app.clock.advance((refused.wait - 1) * 1000)
    expect(await post(packed(8 * MIB, 2), sender)).toMatchObject({ status: 429, wait: 1 })
    app.clock.advance(1_000)
    expect(await post(packed(8 * MIB, 2), sender)).toMatchObject({ status: 200 })
    expect(await stateOf(sender)).toMatchObject({ waiting: 2, refused: 2, lastRefusal: { reason: 'limit' } })
  })

  test('also for what is refused after unpacking, and no more than that', async () => {
    const sender = await Sender.create(app, 'EVENTS', { deliveriesPerSecond: 1 })
    const bad = gzipSync(Buffer.alloc(16 * MIB - 1024, 'x'))
    expect(await post(bad, sender)).toMatchObject({ status: 400, code: 'delivery_unreadable' })
    expect(await post(packed(64 * 1024, 1), sender)).toMatchObject({ status: 429 })
    expect(await post(packed(900, 1), sender)).toMatchObject({ status: 429 })
    app.clock.advance(1_000)
    expect(await post(packed(900, 1), sender)).toMatchObject({ status: 200 })
  })

  test('by events', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const many = (at: number) => gzipSync(`{"sentAt":${at},"batch":[{}${',{}'.repeat(49_999)}]}`)
    expect(await post(many(1), sender)).toMatchObject({ status: 200 })
    // The rate is ten for each of the thousand deliveries that a source may send per second.
    expect(await post(many(2), sender)).toMatchObject({ status: 429, wait: 5 })
    app.clock.advance(5_000)
    expect(await post(many(2), sender)).toMatchObject({ status: 200 })
  })

  test('for at most the size stated at the end of a packed body, and a body that states less is not unpacked', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const lying = packed(64 * 1024, 1)
    lying.writeUInt32LE(1_000, lying.length - 4)
    expect(await post(lying, sender)).toMatchObject({ status: 400, code: 'delivery_unreadable' })
    const behind = Buffer.concat([packed(64 * 1024, 1), gzipSync(' ')])
    expect(await post(behind, sender)).toMatchObject({ status: 400, code: 'delivery_unreadable' })
    // A body that states more than may be unpacked is refused.
    const beyond = packed(1_000, 1)
    beyond.writeUInt32LE(16 * MIB + 1, beyond.length - 4)
    expect(await post(beyond, sender)).toMatchObject({ status: 400, code: 'event_too_large' })
    expect(await post(packed(15 * MIB, 1), sender)).toMatchObject({ status: 200 })
  })
})

test('large bodies wait for a thread, a few per source, and small ones do not', async () => {
  const sender = await Sender.create(app, 'EVENTS')
  const found = await app.context.intake.sources.byId(sender.source.id)
  const { budget } = found!
  budget.unpacking = limit('unpackJobsOfSource')
  expect(await post(packed(32 * 1024, 1), sender)).toMatchObject({ status: 503, code: 'busy' })
  expect(await post(packed(8 * 1024, 2), sender)).toMatchObject({ status: 200 })
  budget.unpacking = 0
  expect(await post(packed(32 * 1024, 1), sender)).toMatchObject({ status: 200 })
  expect(budget.unpacking).toBe(0)
})

test('a source with a full inbox is refused until the next look at it', async () => {
  const shop = await Sender.create(app, 'SHOPIFY')
  const { budget } = (await app.context.intake.sources.byId(shop.source.id))!
  const { waiting } = budget
  budget.waiting = { findWait: () => 7, add: () => {} }
  const payload = '{"id":1}'
  const mac = createHmac('sha256', 'secret of the other side').update(payload).digest('base64')
  const send = () => postTo(app, `/hooks/${shop.source.id}`, payload, { 'x-shopify-hmac-sha256': mac })
  expect(await send()).toEqual({ status: 429, code: 'too_many_deliveries', wait: 7 })
  budget.waiting = waiting
  expect(await send()).toMatchObject({ status: 200 })
})

test('only the used fields of a batch are stored', async () => {
  const sender = await Sender.create(app, 'EVENTS')
  expect(await post(packed(MIB, 1), sender)).toMatchObject({ status: 200 })
  const { rows } = await app.context.database.query<{ body: string }>(
    `select convert_from(body, 'UTF8') as body from inbox where organization_id = $1`,
    [sender.tenant.organizationId],
  )
  expect(rows.map(({ body }) => JSON.parse(body))).toEqual([{ batch: [{ ...event, messageId: 'm1' }] }])
})
