import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dataRequestOf, redactionOf, SHOP_REDACTION } from '../../../test/inbox.js'
import { startProcessorTime } from '../../../test/processor-time.js'
import type { Decoded, Fact } from '../facts.js'
import { DECODERS } from './index.js'
import { parseInstant, parseJson, readAmount, readWhole, subtract } from './values.js'

const NOW = Date.parse('2026-11-20T09:00:00Z')
const payload = (name: string): Buffer => readFileSync(new URL(`payloads/${name}.json`, import.meta.url))

interface Given {
  type: keyof typeof DECODERS
  topic?: string
  headers?: Record<string, string>
  valueFrom?: 'total' | 'revenue'
  receivedAt?: number
}

const decode = (
  body: Buffer | string,
  { type, topic, headers = {}, valueFrom = 'total', receivedAt = NOW }: Given,
): Decoded => DECODERS[type]({ topic: topic ?? null, headers, body: Buffer.from(body), receivedAt }, { valueFrom })
const levels = (count: number): unknown => JSON.parse('['.repeat(count) + ']'.repeat(count))
const factsOf = ({ facts, problems }: Decoded): Fact[] => {
  expect(problems).toEqual([])
  return facts.map(({ fact }) => fact)
}
const of = <T extends Fact['type']>(facts: readonly Fact[], type: T) =>
  facts.filter((fact): fact is Extract<Fact, { type: T }> => fact.type === type)

describe('an order of Shopify', () => {
  const given = { type: 'SHOPIFY', topic: 'orders/updated' } as const

  test("is its total in the shop's currency, less the refunds that succeeded, by ids with all digits", () => {
    const facts = factsOf(decode(payload('shopify/orders-updated'), given))
    expect(of(facts, 'purchase')).toEqual([
      {
        ...{ type: 'purchase', orderId: '820982911946154508', who: { kind: 'shopify', id: '207119551' } },
        ...{ amount: '598.94', currency: 'USD', isTest: false, isCancelled: false },
        at: Date.parse('2026-11-19T23:02:10Z'),
        versionAt: Date.parse('2026-11-20T08:10:00Z'),
      },
    ])
    expect(of(facts, 'refund')).toMatchObject([{ refundId: '509562969', amount: '209' }])
    expect(of(facts, 'link')).toMatchObject([
      {
        ids: [
          { kind: 'userId', id: 'cu_1001' },
          { kind: 'shopify', id: '207119551' },
        ],
      },
    ])
    expect(of(facts, 'profile')).toMatchObject([{ fields: { firstName: 'Zoë', lastName: 'Núñez ☕' } }])
  })

  test('counts without shipping and tax if the source says so, and not at all as a test', () => {
    const revenue = factsOf(decode(payload('shopify/orders-updated'), { ...given, valueFrom: 'revenue' }))
    expect(of(revenue, 'purchase')).toMatchObject([{ amount: '582', isTest: false }])
    const test = { ...JSON.parse(payload('shopify/orders-updated').toString()), test: true }
    expect(of(factsOf(decode(JSON.stringify(test), given)), 'purchase')).toMatchObject([{ isTest: true }])
  })

  test('a refund names its order by a number that a double cannot hold', () => {
    const facts = factsOf(
      decode(payload('shopify/refunds-create'), { ...given, topic: 'refunds/create', receivedAt: NOW + 86_400_000 }),
    )
    expect(facts).toMatchObject([
      { type: 'refund', orderId: '820982911946154508', refundId: '890088186047892319', amount: '100.5' },
    ])
  })

  test.each([
    [
      'customers/redact',
      redactionOf({ id: 207119551 }),
      { type: 'forget', ids: [{ kind: 'shopify', id: '207119551' }] },
    ],
    ['customers/data_request', dataRequestOf({ id: 207119551 }), { type: 'dataRequest' }],
    ['shop/redact', SHOP_REDACTION, { type: 'forgetSource' }],
  ])('%s is read as the request that it is', (topic, body, fact) => {
    expect(factsOf(decode(JSON.stringify(body), { ...given, topic }))).toMatchObject([fact])
  })
})

describe('an order of WooCommerce', () => {
  const given = { type: 'WOOCOMMERCE', topic: 'order.updated' } as const

  test('has its times in UTC, and its refunds as negative texts', () => {
    const facts = factsOf(decode(payload('woocommerce/order-updated'), given))
    expect(of(facts, 'purchase')).toMatchObject([
      {
        ...{ orderId: '727', amount: '29.35', currency: 'EUR', who: { kind: 'woocommerce', id: '26' } },
        at: Date.parse('2026-11-18T09:16:00Z'),
        isCancelled: false,
      },
    ])
    expect(of(facts, 'refund')).toMatchObject([{ orderId: '727', refundId: '726', amount: '9.35' }])
    const revenue = factsOf(decode(payload('woocommerce/order-updated'), { ...given, valueFrom: 'revenue' }))
    expect(of(revenue, 'purchase')).toMatchObject([{ amount: '18' }])
  })

  test('of a guest belongs to nobody, and an unpaid one does not count', () => {
    const order = { ...JSON.parse(payload('woocommerce/order-updated').toString()), customer_id: 0, meta_data: [] }
    const facts = factsOf(decode(JSON.stringify({ ...order, date_paid_gmt: null, status: 'pending' }), given))
    expect(of(facts, 'purchase')).toMatchObject([{ who: undefined, isCancelled: false, payment: 'none' }])
    expect(of(facts, 'link')).toEqual([])
  })
})

describe('an update of Meta', () => {
  test('of a page: messages, echoes, postbacks and comments, in milliseconds and seconds', () => {
    const facts = factsOf(decode(payload('meta/page'), { type: 'META' }))
    const channelId = 'FB_PAGE_102938475610293'
    expect(of(facts, 'message')).toEqual([
      { type: 'message', channelId, conversationId: '9000000000000011', at: 1795165198123, isEcho: false },
      { type: 'message', channelId, conversationId: '9000000000000011', at: 1795165198500, isEcho: true },
      { type: 'message', channelId, conversationId: '9000000000000012', at: 1795165198000, isEcho: false },
    ])
    expect(of(facts, 'comment')).toMatchObject([
      { commentId: '102938475610293_11', objectId: '102938475610293_10', text: 'Quero!', at: 1795165190000 },
    ])
  })

  test("of Instagram: comments in changes and on the entry itself, and messages, including unsupported ones; the dashboard's test is ignored", () => {
    const facts = factsOf(decode(payload('meta/instagram'), { type: 'META' }))
    expect(of(facts, 'comment')).toMatchObject([
      { channelId: 'INSTAGRAM_ACCOUNT_17841400008460056', commentId: '17858893269000001', fromName: 'bia.ok' },
      { commentId: '17858893269000002', parentId: '17858893269000001', objectId: '17887498072083520' },
    ])
    expect(of(facts, 'message')).toMatchObject([
      { conversationId: '9100000000000003', at: 1795165198700, isEcho: false },
    ])
    expect(facts.length).toBe(3)
  })

  test('about a comment names the original of a boosted post, and the post itself is not a parent', () => {
    const change = (field: string, value: object) => ({
      entry: [{ id: '5', time: 1795165199, changes: [{ field, value }] }],
    })
    const media = { id: '180', media_product_type: 'AD', ad_id: '6', original_media_id: '170' }
    const boosted = { object: 'instagram', ...change('comments', { id: '11', text: 'x', media }) }
    expect(of(factsOf(decode(JSON.stringify(boosted), { type: 'META' })), 'comment')).toMatchObject([
      { objectId: '170' },
    ])
    const comment = { item: 'comment', verb: 'add', comment_id: '7_1', post_id: '5_7', created_time: NOW / 1000 }
    for (const [parent, parentId] of [
      ['5_7', undefined],
      ['7_0', '7_0'],
    ]) {
      const page = { object: 'page', ...change('feed', { ...comment, parent_id: parent }) }
      const [fact] = of(factsOf(decode(JSON.stringify(page), { type: 'META' })), 'comment')
      expect(fact).toMatchObject({ objectId: '5_7', parentId })
    }
  })

  test('that is nested too deep is a separate problem, and the others count', () => {
    const update = { sender: { id: '11' }, recipient: { id: '1' }, timestamp: NOW - 1, message: { mid: 'm' } }
    const comment = { item: 'comment', verb: 'add', comment_id: '1_2', post_id: '1_1', created_time: NOW / 1000 }
    const entry = {
      id: '1',
      messaging: [{ ...update, message: levels(100) }, update],
      changes: [
        { field: 'feed', value: { ...comment, from: levels(100) } },
        { field: 'feed', value: { ...comment, from: { id: '7', name: `${'x'.repeat(300)}\0` } } },
      ],
    }
    // JSON.stringify cannot write this depth.
    const deep = `{"id":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const { facts, problems } = decode(`{"object":"page","entry":[${deep},${JSON.stringify(entry)}]}`, { type: 'META' })
    expect(facts.map(({ item }) => item)).toEqual(['entry[1].messaging[1]', 'entry[1].changes[1]'])
    expect(
      of(
        facts.map(({ fact }) => fact),
        'comment',
      ),
    ).toMatchObject([{ personId: '7', fromName: 'x'.repeat(256) }])
    expect(problems).toMatchObject([
      { item: 'entry[0]', reason: expect.stringContaining('the id of an entry') },
      { item: 'entry[1].messaging[0]', reason: expect.stringContaining('deeper') },
      { item: 'entry[1].changes[0]', reason: expect.stringContaining('deeper') },
    ])
  })

  test('a request to delete a user’s data forgets the id on every channel', () => {
    expect(factsOf(decode('{"user_id":"9000000000000011"}', { type: 'META', topic: 'data-deletion' }))).toMatchObject([
      { type: 'forget', ids: [{ kind: 'meta:*', id: '9000000000000011' }] },
    ])
  })
})

describe('a batch of events', () => {
  test("has profiles, links, purchases, full refunds and app opens, by the server's clock", () => {
    const facts = factsOf(decode(payload('events/batch'), { type: 'EVENTS', topic: 'batch' }))
    expect(of(facts, 'profile')).toMatchObject([
      { fields: { firstName: 'Ada', lastName: 'King Lovelace', birthday: '--02-29' }, at: NOW - 40_000 },
    ])
    expect(of(facts, 'link')).toMatchObject([{ ids: [{ id: 'cu_1' }, { id: 'anon-1' }, { kind: 'shopify' }] }])
    expect(of(facts, 'purchase')).toMatchObject([
      { orderId: '50314b8e', amount: '27.5', currency: 'USD', at: NOW - 30_000 },
    ])
    expect(of(facts, 'refund')).toMatchObject([{ orderId: '50314b8e', refundId: 'ajs-3', amount: undefined }])
    expect(of(facts, 'appOpen')).toMatchObject([{ who: { kind: 'anonymousId', id: 'anon-2' } }])
  })

  const order = {
    type: 'track',
    event: 'Order Completed',
    userId: 'u',
    properties: { order_id: '1', total: 1, currency: 'EUR' },
  }
  test.each<[string, unknown, RegExp]>([
    ['no object', 'text', /must be a JSON object/],
    ['no type', { userId: 'u' }, /type of an event/],
    ['a negative total', { ...order, properties: { ...order.properties, total: -1 } }, /non-negative/],
    ['NaN', { ...order, properties: { ...order.properties, total: 'NaN' } }, /non-negative/],
    ['an infinite total', { ...order, properties: { ...order.properties, total: '1e400' } }, /non-negative/],
    ['no currency', { ...order, properties: { order_id: '1', total: 1 } }, /currency/],
    ['1970', { ...order, timestamp: '1970-01-01T00:00:00Z' }, /2004/],
    ['9999', { ...order, timestamp: '9999-12-31T00:00:00Z' }, /2004|ahead/],
    ['U+0000 in an id', { ...order, userId: 'a\0b' }, /userId/],
    ['half a surrogate', { ...order, userId: 'a\ud800' }, /userId/],
    ['an id of 257 characters', { ...order, userId: 'a'.repeat(257) }, /userId/],
    ['40 KiB', { ...order, context: { page: 'x'.repeat(40_000) } }, /32 KiB/],
    ['a hundred levels', { ...order, context: levels(100) }, /deeper/],
    // JavaScript calls these by name to turn an object into a string.
    ['an object as its total', { ...order, properties: { ...order.properties, total: { toString: 1 } } }, /negative/],
    ['an object as its user', { ...order, userId: { toString: 1, toJSON: 1 } }, /userId/],
  ])('with %s has a problem, and the other 999 count', (_, broken, reason) => {
    const good = Array.from({ length: 999 }, (_item, index) => ({
      ...order,
      properties: { ...order.properties, order_id: String(index) },
    }))
    const { facts, problems } = decode(JSON.stringify({ batch: [...good.slice(0, 3), broken, ...good.slice(3)] }), {
      ...{ type: 'EVENTS', topic: 'batch' },
    })
    expect(facts.length).toBe(999)
    expect(problems).toEqual([{ item: 'batch[3]', reason: expect.stringMatching(reason) }])
  })

  test.each(['', '0', 'null', 'undefined', ' Anonymous ', '[object Object]'])('the id %j links nothing', (id) => {
    const facts = factsOf(
      decode(JSON.stringify({ type: 'identify', userId: 'u', anonymousId: id, traits: {} }), { type: 'EVENTS' }),
    )
    expect(of(facts, 'link')).toEqual([])
  })
})

test('any bytes and any JSON are read without an error', () => {
  const topics = [
    'orders/updated',
    'refunds/create',
    'customers/update',
    'order.updated',
    'batch',
    'track',
    'data-deletion',
  ]
  const type = fc.constantFrom<Given['type']>('META', 'SHOPIFY', 'WOOCOMMERCE', 'EVENTS')
  const key = fc.constantFrom(
    ...['batch', 'entry', 'messaging', 'message', 'object', 'id', 'type', 'event', 'properties', 'userId', 'customer'],
    ...['refunds', 'transactions', 'changes', 'value', 'field', 'total', 'currency', 'timestamp', 'context', 'traits'],
  )
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(
        'page',
        'identify',
        'track',
        'Order Completed',
        'feed',
        'comment',
        'add',
        'EUR',
        '',
        null,
        0,
        -1,
      ),
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(key, tie('any'), { maxKeys: 5 }),
    ),
  })).any
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    value.map((any) => Buffer.from(JSON.stringify(any))),
  )
  fc.assert(
    fc.property(type, fc.constantFrom(...topics), body, (of, topic, bytes) => {
      const { facts, problems } = decode(bytes, { type: of, topic })
      expect(facts.length + problems.length).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 2_000 },
  )
})

describe('values', () => {
  test('whole numbers beyond 2^53 keep all their digits, and texts stay unchanged', () => {
    expect(
      parseJson(
        Buffer.from(
          '{"id":820982911946154508,"a":[12345678901234567890],"t":"1234567890123456789 \\" 98765432109876543"}',
        ),
      ),
    ).toEqual({
      id: '820982911946154508',
      a: ['12345678901234567890'],
      t: '1234567890123456789 " 98765432109876543',
    })
    expect(() => readWhole(Buffer.from('['.repeat(100) + ']'.repeat(100)))).toThrow(/deeper/)
  })

  test('fractions and powers stay numbers, however many digits they have', () => {
    const numbers = '[0.30000000000000004,-0.12345678901234567890,1e0000000000000000017,12345678901234567.0]'
    expect(parseJson(Buffer.from(numbers))).toEqual(JSON.parse(numbers))
    expect(parseJson(Buffer.from('{"12345678901234567890":-12345678901234567890,"max":9007199254740991}'))).toEqual({
      '12345678901234567890': '-12345678901234567890',
      max: 9007199254740991,
    })
  })

  test.each([
    ['a number of a million digits and a fraction', `[${'1'.repeat(1_000_000)}.5]`],
    ['a text of a million quotes', `[12345678901234567890,"${'\\"'.repeat(1_000_000)}"]`],
    ['the same without its end', `[12345678901234567890,"${'\\"'.repeat(1_000_000)}`],
    ['a million levels', '['.repeat(1_000_000)],
    ['five million objects', `[{}${',{}'.repeat(5_000_000)}]`],
    ['16 MiB of levels', '['.repeat(16 * 1024 * 1024)],
  ])('%s is read quickly, or refused', (_, text) => {
    const passed = startProcessorTime()
    try {
      readWhole(Buffer.from(text))
    } catch {
      // Only the time counts here.
    }
    expect(passed()).toBeLessThan(5_000)
  })

  test('any JSON is read as by JSON.parse, except for whole numbers beyond 2^53', () => {
    const isBig = (value: unknown): boolean =>
      typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
    const number = fc.oneof(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.maxSafeInteger())
    fc.assert(
      fc.property(fc.json(), fc.array(number), fc.bigInt({ min: 2n ** 53n }), (json, numbers, big) => {
        const parts = `[${json},${JSON.stringify(numbers)}]`
        expect(parseJson(Buffer.from(`{"parts":${parts},"big":${big}}`))).toEqual({
          parts: JSON.parse(parts, (_key, value) => (isBig(value) ? String(value) : value)),
          big: `${big}`,
        })
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['2026-11-18T09:16:00.5', '2026-11-18T09:16:00.500Z'],
    ['2026-11-18', '2026-11-18T00:00:00Z'],
    ['2026-11-18 09:16:00', '2026-11-18T09:16:00Z'],
    ['2026-11-18 09:16:00 -0500', '2026-11-18T14:16:00Z'],
    ['2026-11-18T09:16:00+0530', '2026-11-18T03:46:00Z'],
    ['Wed, 18 Nov 2026 09:16:00 GMT', '2026-11-18T09:16:00Z'],
    ['November 18, 2026 9:16 am', '2026-11-18T09:16:00Z'],
    [1795166400, '2026-11-20T09:20:00Z'],
    ['1795166400000', '2026-11-20T09:20:00Z'],
    ['2026-02-30', undefined],
    ['order 12', undefined],
    ['11/12/2026', undefined],
  ])('the instant %j is the same in every zone of the server', (text, instant) => {
    const before = process.env.TZ
    try {
      for (const zone of ['America/Sao_Paulo', 'Asia/Kolkata']) {
        process.env.TZ = zone
        expect(parseInstant(text)).toBe(instant === undefined ? undefined : Date.parse(instant))
      }
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })

  test('amounts are exact decimals, and the residue of double sums is rounded', () => {
    expect(
      ['0.10', 12, '007.50', 1e-7, '598.94', 0.1 + 0.2, 59.940000000000005].map((value) => readAmount(value, 'a')),
    ).toEqual(['0.1', '12', '7.5', '0.0000001', '598.94', '0.3', '59.94'])
    expect(subtract('598.94', '0.1', '0.2')).toBe('598.64')
    expect(subtract('1', '2')).toBe('0')
  })
})

describe("the work does not grow with the square of a delivery's size", () => {
  const cpuOf = (body: string, given: Given): number => {
    const passed = startProcessorTime()
    decode(body, given)
    return passed()
  }
  const EVENTS = { type: 'EVENTS', topic: 'batch' } as const
  const META = { type: 'META' } as const
  const SHOPIFY = { type: 'SHOPIFY', topic: 'orders/updated' } as const
  const order = (more: object): string =>
    JSON.stringify({ id: 7, total_price: '1.00', currency: 'EUR', created_at: '2026-11-20T08:00:00Z', ...more })
  const identify = { type: 'identify', userId: 'u1' }
  const meta = (entry: object): string => JSON.stringify({ object: 'page', entry: [{ id: '1', ...entry }] })
  const repeated = (count: number, value: unknown): unknown[] => Array.from({ length: count }, () => value)

  // Each took seconds or minutes at this size, and now takes less than a tenth of the limit.
  test.each<[string, string, Given]>([
    ['an id of a path that never ends', order({ admin_graphql_api_id: `${'/1?'.repeat(40_000)}\n` }), SHOPIFY],
    ['an id of digits', order({ admin_graphql_api_id: `/${'1'.repeat(200_000)}x` }), SHOPIFY],
    [
      'a message of signs',
      meta({
        messaging: repeated(20, { sender: { id: '2' }, timestamp: NOW, message: { text: `${'! '.repeat(60_000)}a` } }),
      }),
      META,
    ],
    [
      'a message of marks',
      meta({
        messaging: [
          { sender: { id: '2' }, timestamp: NOW, message: { text: 'a\u0301\u0323'.padEnd(300_000, '\u0301\u0323') } },
        ],
      }),
      META,
    ],
    [
      'one long time of all messages',
      meta({ time: 'x'.repeat(1_000_000), messaging: repeated(20_000, { sender: { id: '2' }, message: {} }) }),
      META,
    ],
    [
      'one large time of all messages',
      meta({ time: repeated(100_000, 'x'), messaging: repeated(20_000, { sender: { id: '2' }, message: {} }) }),
      META,
    ],
    [
      'one context of all events',
      JSON.stringify({
        context: Object.fromEntries(repeated(100_000, 0).map((_, n) => [`k${n}`, n])),
        batch: repeated(20_000, identify),
      }),
      EVENTS,
    ],
    [
      'one name of all events',
      JSON.stringify({ context: { traits: { name: ' '.repeat(2_000_000) } }, batch: repeated(20_000, identify) }),
      EVENTS,
    ],
    [
      'one sending time of all events',
      JSON.stringify({ sentAt: ' '.repeat(2_000_000), batch: repeated(20_000, identify) }),
      EVENTS,
    ],
    [
      'one list of ids of all events',
      JSON.stringify({
        context: { externalIds: repeated(50_000, { type: 'shopify', id: '1' }) },
        batch: repeated(2_000, identify),
      }),
      EVENTS,
    ],
  ])('%s', (_what, body, given) => {
    expect(cpuOf(body, given)).toBeLessThan(5_000)
  })

  test('and nothing is lost: the order keeps its id, and the message its person and its request', () => {
    const [purchase] = of(
      factsOf(decode(order({ admin_graphql_api_id: `${'/1?'.repeat(40_000)}\n` }), SHOPIFY)),
      'purchase',
    )
    expect(purchase!.orderId).toBe('7')
    const messaging = [{ sender: { id: '2' }, timestamp: NOW, message: { text: `${'!'.repeat(8_000)}STOP` } }]
    expect(factsOf(decode(meta({ messaging }), META))).toMatchObject([{ conversationId: '2', isOptOut: true }])
    const event = { ...identify, context: { traits: { firstName: 'Ana' } } }
    const batch = JSON.stringify({ context: { externalIds: [{ type: 'shopify', id: '9' }] }, batch: [event] })
    expect(factsOf(decode(batch, EVENTS))).toMatchObject([
      { fields: { firstName: 'Ana' } },
      { ids: [{ id: 'u1' }, { id: '9' }] },
    ])
  })
})
