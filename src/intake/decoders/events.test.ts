import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startProcessorTime } from '../../../test/processor-time.js'
import type { Decoded, Fact } from '../facts.js'
import { pickDelivery, toStored } from './event-fields.js'
import { decodeEvents } from './events.js'
import { parseJson } from './values.js'

/** The deliveries of the programs in docs/recipes, as the SDKs sent them to a recording server. */
const sent = (name: string): { topic: string; body: unknown }[] =>
  JSON.parse(readFileSync(new URL(`payloads/events/${name}.json`, import.meta.url), 'utf8'))

const NOW = Date.parse('2026-11-24T10:53:12Z')
function decode(given: unknown, topic: string, receivedAt = NOW): Decoded {
  const body =
    typeof given === 'string' || Buffer.isBuffer(given)
      ? Buffer.from(given as string)
      : Buffer.from(JSON.stringify(given))
  return decodeEvents({ topic, headers: {}, body, receivedAt }, { valueFrom: 'total' })
}

function factsOf(name: string): Fact[] {
  const decoded = sent(name).map(({ topic, body }) => decode(body, topic))
  expect(decoded.flatMap(({ problems }) => problems)).toEqual([])
  return decoded.flatMap(({ facts }) => facts.map(({ fact }) => fact))
}
const of = <T extends Fact['type']>(facts: readonly Fact[], type: T) =>
  facts.filter((fact): fact is Extract<Fact, { type: T }> => fact.type === type)

describe('deliveries of the SDKs', () => {
  const ADA = { firstName: 'Ada', lastName: 'Lovelace', birthday: '1990-02-28' }

  test.each([
    ['segment-node', NOW - 3, 'browser-of-cu_ada', 'order-of-cu_ada'],
    ['rudderstack-node', NOW - 14, 'browser-of-cu_ada', 'order-of-cu_ada'],
    ['segment-browser', NOW - 21, 'c3250afd-64c3-4695-904e-e4b78875f067', 'o1'],
  ])('%s', (name, orderedAt, anonymousId, orderId) => {
    const facts = factsOf(name)
    expect(of(facts, 'profile')).toMatchObject([{ who: { kind: 'userId', id: 'cu_ada' }, fields: ADA }])
    const [link] = of(facts, 'link')
    expect(link!.ids).toEqual([
      { kind: 'userId', id: 'cu_ada' },
      { kind: 'anonymousId', id: anonymousId },
      { kind: 'shopify', id: '207119551' },
    ])
    expect(of(facts, 'purchase')).toEqual([
      {
        ...{ type: 'purchase', orderId, who: { kind: 'anonymousId', id: anonymousId } },
        ...{ amount: '42.5', currency: 'EUR', isTest: false, isCancelled: false },
        // The service's clock applies; the sender's shows only how long the event waited there.
        ...{ at: orderedAt, versionAt: orderedAt },
      },
    ])
    expect(of(facts, 'refund')).toMatchObject([{ orderId, refundId: 'part-1', amount: '12.5' }])
    expect(of(facts, 'appOpen')).toMatchObject([{ who: { kind: 'userId', id: 'cu_ada' } }])
  })
})

const order = {
  ...{ type: 'track', event: 'Order Completed', userId: 'u', messageId: 'm1' },
  properties: { order_id: '1', total: 12.5, currency: 'EUR' },
}

describe('one event', () => {
  const one = (event: object, receivedAt = NOW): Fact => {
    const { facts, problems } = decode(event, 'track', receivedAt)
    expect(problems).toEqual([])
    return facts[0]!.fact
  }

  test.each(['Order Completed', ' completed order ', 'ORDER COMPLETED'])('%j is a purchase', (event) => {
    expect(one({ ...order, event })).toMatchObject({ type: 'purchase', amount: '12.5' })
  })

  test('has the type of its address, unless it names one', () => {
    const { type: _type, ...untyped } = order
    expect(one(untyped)).toMatchObject({ type: 'purchase' })
    expect(decode({ ...order, type: 'page' }, 'track').facts).toEqual([])
  })

  test("has the service's time, however wrong its sender's clock is", () => {
    const at = (times: object) => (one({ ...order, ...times }) as { at: number }).at
    expect(at({})).toBe(NOW)
    expect(at({ timestamp: '2026-11-24T09:53:12Z' })).toBe(NOW - 3_600_000)
    expect(at({ timestamp: '2031-01-01T00:00:00Z', sentAt: '2031-01-01T00:01:00Z' })).toBe(NOW - 60_000)
    expect(at({ originalTimestamp: '2026-11-01T00:00:00Z', timestamp: 1, sentAt: '2026-11-01T00:00:05Z' })).toBe(
      NOW - 5_000,
    )
    // An event cannot have happened after it was sent.
    expect(at({ timestamp: '2026-11-24T11:00:00Z', sentAt: '2026-11-24T10:00:00Z' })).toBe(NOW)
  })

  test('identifies its order by the ids it has, and its amount by total, revenue or value', () => {
    expect(one({ ...order, properties: { orderId: 7, revenue: '3.10', currency: 'eur' } })).toMatchObject({
      ...{ orderId: '7', amount: '3.1', currency: 'EUR' },
    })
    expect(one({ ...order, properties: { value: 3, currency: 'EUR' } })).toMatchObject({ orderId: 'm1', amount: '3' })
  })

  test('keeps all digits of an id beyond 2^53', () => {
    const text = JSON.stringify(order).replace('"u"', '9007199254740993').replace('"1"', '820982911946154508')
    expect(decode(text, 'track').facts).toMatchObject([
      { fact: { who: { id: '9007199254740993' }, orderId: '820982911946154508' } },
    ])
  })

  test('can have an amount that was summed as a double', () => {
    expect(one({ ...order, properties: { ...order.properties, total: 0.1 + 0.2 } })).toMatchObject({ amount: '0.3' })
  })

  test('of a cancelled order refunds all of it, once', () => {
    const cancelled = { ...order, event: 'Order Cancelled', properties: { order_id: '1' } }
    expect(one(cancelled)).toEqual({ type: 'refund', orderId: '1', refundId: 'cancelled', at: NOW })
    expect(one({ ...order, event: 'Order Refunded', properties: { order_id: '1' } })).toMatchObject({
      ...{ type: 'refund', refundId: 'm1', amount: undefined },
    })
  })

  test.each([
    ['deep', `{"type":"track","properties":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, /deeper/],
    ['cut off', '{"type":"track"', /not JSON/],
    ['not UTF-8', Buffer.from('{"type":"track","event":"\xff"}', 'latin1'), /not JSON/],
    ['empty', '', /not JSON/],
  ])('that is %s is a problem', (_, body, reason) => {
    expect(decode(body, 'track')).toEqual({
      facts: [],
      problems: [{ item: '', reason: expect.stringMatching(reason) }],
    })
  })

  test('that is wide is read quickly', () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_item, index) => [`p${index}`, index]))
    const passed = startProcessorTime()
    expect(decode({ batch: [{ ...order, properties: wide }, order] }, 'batch')).toMatchObject({
      facts: [{ item: 'batch[1]' }],
      problems: [{ item: 'batch[0]', reason: expect.stringContaining('32 KiB') }],
    })
    expect(passed()).toBeLessThan(5_000)
  })
})

test('a page or a track with traits in its context links nobody', () => {
  const context = { traits: { firstName: 'Ada' }, externalIds: [{ id: '1', type: 'shopify' }] }
  const base = { userId: 'u', anonymousId: 'a', context }
  const { facts, problems } = decode(
    { batch: ['page', 'group', 'track'].map((type) => ({ ...base, type, event: 'Clicked' })) },
    'batch',
  )
  expect([facts, problems]).toEqual([[], []])
})

/** The stored form: only what is read of it. */
const stored = (body: Buffer): Buffer => toStored(pickDelivery(parseJson(body), body.length))

describe('the stored part of a delivery', () => {
  test.each(['segment-node', 'rudderstack-node', 'segment-browser'])('of %s is read like the original', (name) => {
    for (const { topic, body } of sent(name)) {
      const whole = Buffer.from(JSON.stringify(body))
      const part = stored(whole)
      expect(decode(part, topic)).toEqual(decode(whole, topic))
      expect(stored(part).equals(part)).toBe(true)
      expect(part.length).toBeLessThan(whole.length)
    }
  })

  test('is read like the original, whatever arrives', () => {
    const field = fc.constantFrom(
      ...[
        'type',
        'event',
        'userId',
        'anonymousId',
        'previousId',
        'messageId',
        'timestamp',
        'originalTimestamp',
        'sentAt',
      ],
      ...[
        'properties',
        'traits',
        'context',
        'externalIds',
        'externalId',
        'id',
        'order_id',
        'orderId',
        'total',
        'revenue',
      ],
      ...[
        'value',
        'currency',
        'refund_id',
        'refundId',
        'name',
        'firstName',
        'last_name',
        'avatar',
        'birthday',
        'leftOut',
      ],
      ...['batch', 'pad', '__proto__', 'toString'],
    )
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(
          ...[
            'track',
            'identify',
            'alias',
            'Order Completed',
            'order refunded',
            'shopify',
            'conversation',
            'EUR',
            '12.50',
          ],
          ...[
            '2026-11-20T09:00:00Z',
            'https://a.b/c.png',
            '1990-02-28',
            'large',
            ' '.repeat(5_000),
            'x'.repeat(40_000),
          ],
          ...[
            Number.POSITIVE_INFINITY,
            -0,
            1e20,
            2 ** 53,
            0.1 + 0.2,
            1_764_000_000,
            null,
            true,
            [[[]]],
            'u',
            'Ada Lovelace',
          ],
        ),
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(field, tie('any'), { maxKeys: 5 }),
      ),
    })).any
    const order = fc.dictionary(field, value).map((more) => ({ type: 'track', event: 'Order Completed', ...more }))
    const delivery = fc.oneof(
      order,
      value,
      fc.record({ batch: fc.array(fc.oneof(order, value), { maxLength: 4 }), context: value }),
    )
    fc.assert(
      fc.property(delivery, fc.constantFrom('batch', 'track', 'identify'), (given, topic) => {
        // This is text, with numbers that JSON.stringify does not write.
        const text = JSON.stringify(given, (_name, part) => (part === Number.POSITIVE_INFINITY ? 'INFINITE' : part))
        const body = Buffer.from((text ?? 'null').replaceAll('"INFINITE"', '1e400'))
        expect(decode(stored(body), topic)).toEqual(decode(body, topic))
        expect(stored(stored(body)).equals(stored(body))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('has none of the unused fields, and only the ids of an event that is too large or too deep', () => {
    const pad = 'x'.repeat(40_000)
    const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`)
    const whole = {
      ...{ writeKey: 'secret', pad, sentAt: 1, context: { pad, traits: { name: 'Ada', pad } } },
      batch: [
        { ...order, integrations: {}, properties: { ...order.properties, products: [pad.slice(0, 9_000)] } },
        { userId: 'u', messageId: 'm2', pad },
        { userId: 'u', messageId: 'm3', properties: { products: deep } },
        pad,
        { type: 'track', userId: { pad: 'p' }, properties: { total: ['p'] } },
      ],
    }
    const body = Buffer.from(JSON.stringify(whole))
    expect(JSON.parse(stored(body).toString())).toEqual({
      batch: [
        order,
        { userId: 'u', messageId: 'm2', leftOut: 'large' },
        { userId: 'u', messageId: 'm3', properties: {}, leftOut: 'deep' },
        pad.slice(0, 4_096),
        { type: 'track', userId: {}, properties: { total: [] } },
      ],
      ...{ sentAt: 1, context: { traits: { name: 'Ada' } } },
    })
    expect(decode(stored(body), 'batch')).toEqual(decode(body, 'batch'))
  })
})

test('a large context of a batch is not read once per event', () => {
  const context = { externalIds: Array.from({ length: 10 }, () => ({ type: 'shopify', id: 'x'.repeat(200) })) }
  const decoded = decode({ batch: Array.from({ length: 10_000 }, () => ({})), context }, 'batch')
  expect(decoded.problems).toEqual([
    { item: '', reason: expect.stringContaining('too large for this number of events') },
  ])
})

test('an event has only a few external ids', () => {
  const identify = (many: number) => ({
    ...{ type: 'identify', userId: 'u' },
    context: { externalIds: Array.from({ length: many }, (_, id) => ({ type: 'shopify', id: `${id + 1}` })) },
  })
  expect(decode(identify(10), 'identify').problems).toEqual([])
  expect(decode(identify(11), 'identify').problems).toMatchObject([
    { reason: expect.stringContaining('10 external ids') },
  ])
})
