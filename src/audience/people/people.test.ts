import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { code } from '../../../test/people.js'
import type { AuditEntry, PersonDetails, Purchase } from '../../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

let sender: Sender
let channelId: string
let otherChannelId: string
/** An id of a platform that a path must escape. */
const CUID = 'cu/🦊?é#1'
const AT = '2026-11-20T08:00:00.000Z'
const EARLIER = '2026-11-19T08:00:00.000Z'

beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00.000Z')
  sender = await Sender.create(app, 'EVENTS')
  channelId = await sender.tenant.channel()
  otherChannelId = await sender.tenant.channel()
})

const personPath = (cuid: string, tail = ''): string => `/people/${encodeURIComponent(cuid)}${tail}`
const readPerson = async (cuid: string, status = 200): Promise<PersonDetails> =>
  (await sender.operator(status, 'GET', personPath(cuid))).body
const refused = async (status: number, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
  code(await sender.operator(status, method, path, body))
const link = (status: number, cuid: string, kind: string, id: string) =>
  sender.operator(status, 'POST', personPath(cuid, '/links'), { kind, id })
const unlink = (status: number, cuid: string, kind: string, id: string) =>
  sender.operator(status, 'DELETE', personPath(cuid, `/links/${kind}/${encodeURIComponent(id)}`))
const importLines = (channel: string, lines: object[]) =>
  operatorCall(app, 200, 'POST', `/organizations/${sender.tenant.organizationId}/channels/${channel}/conversations`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
const order = (order_id: string, total: number | string, { at = AT, currency = 'EUR', ...more }: Order = {}) => ({
  ...{ type: 'track', event: 'Order Completed', messageId: `m_${order_id}`, timestamp: at },
  properties: { order_id, total, currency },
  ...(Object.keys(more).length === 0 ? { userId: CUID } : more),
})
const refund = (order_id: string, id: string, total?: string) => ({
  ...{ type: 'track', event: 'Order Refunded', userId: CUID, messageId: id, timestamp: AT },
  properties: { order_id, ...(total !== undefined && { total }) },
})
interface Order {
  at?: string
  currency?: string
  userId?: string
  anonymousId?: string
}
const states = ({ purchases }: PersonDetails) => purchases.map(({ orderId, state }: Purchase) => `${orderId} ${state}`)

describe('getPerson', () => {
  test("returns the parts of each conversation's value", async () => {
    await importLines(channelId, [{ conversationId: 'a', cuid: CUID, lifetimeValue: 100, firstName: 'Ada' }])
    await importLines(otherChannelId, [{ conversationId: 'b', cuid: CUID }])
    app.clock.advance(600_000)
    const late = '2026-11-20T09:05:00.000Z'
    await sender.track(order('o1', '12.50', { at: late }), order('o2', 30), refund('o1', 'r1', '2.5'))
    const person = await readPerson(CUID)
    expect(person).toMatchObject({ cuid: CUID, currency: 'EUR', purchasesTotal: 2, links: [], fields: [] })
    const values = person.conversations.map((each) => [
      ...[each.channelId, each.lifetimeValue, each.opening, each.purchased, each.refunded],
    ])
    expect(Object.fromEntries(values.map(([channel, ...rest]) => [channel, rest]))).toEqual({
      // The refund at 08:00 is before the opening, and so is o2.
      [channelId]: [112.5, { amount: '100', at: '2026-11-20T09:00:00.000Z' }, '12.5', '0'],
      [otherChannelId]: [40, { amount: '0', at: null }, '42.5', '2.5'],
    })
    expect(person.purchases).toEqual([
      {
        orderId: 'o1',
        sourceId: sender.source.id,
        amount: '12.5',
        currency: 'EUR',
        refunded: '2.5',
        at: late,
        state: 'counted',
      },
      {
        orderId: 'o2',
        sourceId: sender.source.id,
        amount: '30',
        currency: 'EUR',
        refunded: '0',
        at: AT,
        state: 'counted',
      },
    ])
  })

  test('a purchase that does not count has a reason', async () => {
    const shop = await Sender.create(app, 'SHOPIFY', { tenant: sender.tenant })
    await importLines(channelId, [{ conversationId: 'a', cuid: CUID, lifetimeValue: 5 }])
    app.clock.advance(600_000)
    const at = '2026-11-20T09:05:00.000Z'
    const ofShop = (id: number, more: object) => ({
      ...{ id, total_price: '9.00', currency: 'EUR', created_at: at, updated_at: at, customer: { id: 7 } },
      ...more,
    })
    await shop.send(ofShop(1, { test: true }), { topic: 'orders/create', id: 'd1' })
    await shop.send(ofShop(2, { cancelled_at: at }), { topic: 'orders/cancelled', id: 'd2' })
    await sender.track(order('o3', 1, { at, currency: 'USD' }), order('o4', 2, { at: EARLIER }), order('o5', 3, { at }))
    await link(200, CUID, 'shopify', '7')
    const person = await readPerson(CUID)
    expect(states(person).toSorted()).toEqual([
      '1 test',
      '2 cancelled',
      'o3 other_currency',
      'o4 before_opening',
      'o5 counted',
    ])
    expect(person.conversations[0]!.lifetimeValue).toBe(8)
    await sender.operator(200, 'PATCH', '', { currency: null })
    await sender.apply()
    expect(states(await readPerson(CUID)).filter((state) => state.endsWith('no_currency')).length).toBe(3)
  })

  test('a refund never exceeds its order, and one without an amount covers all of it', async () => {
    await importLines(channelId, [{ conversationId: 'a', cuid: CUID }])
    await sender.track(
      order('o1', 10),
      refund('o1', 'r1', '8'),
      refund('o1', 'r2', '8'),
      order('o2', 4),
      refund('o2', 'r3'),
    )
    const { purchases, conversations } = await readPerson(CUID)
    expect(purchases.map(({ amount, refunded, state }) => [amount, refunded, state])).toEqual([
      ['10', '10', 'refunded'],
      ['4', '4', 'refunded'],
    ])
    expect(conversations[0]).toMatchObject({ lifetimeValue: 0, lastPurchaseTimestamp: null })
    expect(conversations[0]).toMatchObject({ purchased: '14', refunded: '14' })
  })

  test('the newest 100 purchases are listed and all are counted', async () => {
    const times = Array.from({ length: 103 }, (_, index) => Date.parse(AT) - index * 60_000)
    await sender.track(...times.map((at, index) => order(`o${index}`, 1, { at: new Date(at).toISOString() })))
    const { purchases, purchasesTotal } = await readPerson(CUID)
    expect(purchasesTotal).toBe(103)
    expect(purchases.map(({ orderId }) => orderId)).toEqual(times.slice(0, 100).map((_, index) => `o${index}`))
  })

  test('the last purchase is the newest that counts, and a newer one of the import stays', async () => {
    const shop = await Sender.create(app, 'SHOPIFY', { tenant: sender.tenant })
    await importLines(channelId, [{ conversationId: 'a', cuid: CUID }])
    await importLines(otherChannelId, [
      { conversationId: 'b', cuid: CUID, lifetimeValue: 7, lastPurchaseTimestamp: Date.parse('2026-11-20T08:50:00Z') },
    ])
    await link(200, CUID, 'shopify', '7')
    const at = (minute: number) => `2026-11-20T08:${minute}:00.000Z`
    const ofShop = (id: number, more: object) => ({
      ...{ id, total_price: '9.00', currency: 'EUR', created_at: at(40), updated_at: at(40), customer: { id: 7 } },
      ...more,
    })
    await shop.send(ofShop(1, { test: true }), { topic: 'orders/create', id: 'd1' })
    await shop.send(ofShop(2, { cancelled_at: at(41) }), { topic: 'orders/cancelled', id: 'd2' })
    await sender.track(
      order('o1', 1, { at: at(10) }),
      order('o2', 1, { at: at(20) }),
      order('o3', 5, { at: at(30) }),
      refund('o3', 'r3'),
      order('o4', 5, { at: at(45), currency: 'USD' }),
    )
    const last = async () =>
      new Map(
        (await readPerson(CUID)).conversations.map((each) => [each.channelId, each.lastPurchaseTimestamp] as const),
      )
    expect((await last()).get(channelId)).toBe(Date.parse(at(20)))
    expect((await last()).get(otherChannelId)).toBe(Date.parse('2026-11-20T08:50:00Z'))
  })

  test('the value is the opening plus purchases minus refunds, in every currency', async () => {
    await importLines(channelId, [{ conversationId: 'a', cuid: CUID, lifetimeValue: 20 }])
    app.clock.advance(3_600_000)
    const at = '2026-11-20T09:30:00.000Z'
    await sender.track(
      order('o1', '0.10', { at }),
      order('o2', '0.20', { at, currency: 'USD' }),
      order('o3', '30', { at: EARLIER }),
      { ...refund('o3', 'r1', '4.5'), timestamp: at },
    )
    const madeOf = async () => {
      const [conversation] = (await readPerson(CUID)).conversations
      const { lifetimeValue, opening, purchased, refunded } = conversation!
      return [lifetimeValue, opening?.amount, purchased, refunded]
    }
    // The order is part of the opening, and the refund comes after it.
    expect(await madeOf()).toEqual([15.6, '20', '0.1', '4.5'])
    await sender.operator(200, 'PATCH', '', { currency: 'USD' })
    await sender.apply()
    expect(await madeOf()).toEqual([20.2, '20', '0.2', '0'])
    await sender.operator(200, 'PATCH', '', { currency: null })
    await sender.apply()
    expect(await madeOf()).toEqual([20, '20', '0', '0'])
    expect(await readPerson(CUID)).toMatchObject({ currency: null, purchasesTotal: 3 })
  })

  test('more than 1,000 conversations are counted, and the first of them listed', async () => {
    await importLines(
      channelId,
      Array.from({ length: 1_003 }, (_, index) => ({ conversationId: `c${index}`, cuid: CUID })),
    )
    const { conversations, conversationsTotal } = await readPerson(CUID)
    expect([conversations.length, conversationsTotal]).toEqual([1_000, 1_003])
  })

  test('names come with the source and time of each', async () => {
    await importLines(channelId, [{ conversationId: 'a', cuid: CUID }])
    await sender.track({
      ...{ type: 'identify', userId: CUID, anonymousId: 'anon-1', messageId: 'i1', timestamp: AT },
      traits: { firstName: 'Ada', lastName: 'Lovelace' },
    })
    const { links, fields, conversations } = await readPerson(CUID)
    const at = new Date(app.clock.now()).toISOString()
    expect(links).toEqual([{ kind: 'anonymousId', id: 'anon-1', sourceId: sender.source.id, at }])
    expect(fields).toEqual([
      { field: 'firstName', value: 'Ada', at: AT, sourceId: sender.source.id },
      { field: 'lastName', value: 'Lovelace', at: AT, sourceId: sender.source.id },
    ])
    expect(conversations).toMatchObject([{ firstName: 'Ada', lastName: 'Lovelace' }])
  })

  test('a person of whom nothing is known is a 404, even if another organization knows them', async () => {
    const other = await Sender.create(app, 'EVENTS')
    await other.track(order('o1', 3))
    expect(await refused(404, 'GET', personPath(CUID))).toBe('person_not_found')
    expect(await refused(404, 'GET', personPath('cu_2'))).toBe('person_not_found')
    expect((await other.operator(200, 'GET', personPath(CUID))).body.purchasesTotal).toBe(1)
  })

  test('a single purchase, link or conversation makes a person known', async () => {
    await sender.track(order('o1', 3, { userId: 'cu_bought' }))
    await sender.track({ type: 'identify', userId: 'cu_linked', anonymousId: 'anon-1', messageId: 'i1', timestamp: AT })
    await importLines(channelId, [{ conversationId: 'a', cuid: 'cu_spoke' }])
    expect(await readPerson('cu_bought')).toMatchObject({ conversations: [], purchasesTotal: 1, links: [] })
    expect(await readPerson('cu_linked')).toMatchObject({ conversations: [], purchasesTotal: 0, links: [{}] })
    expect(await readPerson('cu_spoke')).toMatchObject({ conversations: [{}], purchasesTotal: 0, links: [] })
  })
})

describe('linkPerson and unlinkPerson', () => {
  const bought = (anonymousId: string, order_id = 'o1') => order(order_id, 12, { anonymousId })
  const value = async (cuid: string): Promise<number> => (await readPerson(cuid)).conversations[0]!.lifetimeValue

  beforeEach(async () => {
    await importLines(channelId, [
      { conversationId: 'a', cuid: CUID },
      { conversationId: 'b', cuid: 'cu_bob' },
    ])
  })

  test('purchases with an id count with the link, and no longer without it', async () => {
    await sender.track(bought('anon/1'))
    expect(await value(CUID)).toBe(0)
    expect((await link(200, CUID, 'anonymousId', 'anon/1')).body).toEqual({
      cuid: CUID,
      kind: 'anonymousId',
      id: 'anon/1',
    })
    expect(await value(CUID)).toBe(12)
    expect((await readPerson(CUID)).links).toMatchObject([{ kind: 'anonymousId', id: 'anon/1', sourceId: null }])
    expect((await unlink(200, CUID, 'anonymousId', 'anon/1')).body).toEqual({
      cuid: CUID,
      kind: 'anonymousId',
      id: 'anon/1',
    })
    expect(await value(CUID)).toBe(0)
    expect((await readPerson(CUID)).links).toEqual([])
    await link(200, 'cu_bob', 'anonymousId', 'anon/1')
    expect(await value('cu_bob')).toBe(12)
  })

  test('each change is in the audit trail once, without repeats', async () => {
    for (const _ of [1, 2]) await link(200, CUID, 'anonymousId', 'anon-1')
    await unlink(200, CUID, 'anonymousId', 'anon-1')
    expect(code(await unlink(404, CUID, 'anonymousId', 'anon-1'))).toBe('link_not_found')
    const { items } = (await sender.operator(200, 'GET', '/audit?limit=100')).body
    const made = items.filter(({ operation }: AuditEntry) => /linkPerson/i.test(operation))
    expect(made.map(({ operation }: AuditEntry) => operation).toSorted()).toEqual(['linkPerson', 'unlinkPerson'])
    expect(JSON.stringify(made)).not.toContain('anon-1')
  })

  test('an id of another person is refused, whether linked or their cuid', async () => {
    await sender.track(bought('anon-1'))
    await link(200, CUID, 'anonymousId', 'anon-1')
    expect(code(await link(409, 'cu_bob', 'anonymousId', 'anon-1'))).toBe('id_linked')
    expect(code(await link(409, 'cu_bob', 'userId', CUID))).toBe('id_linked')
    expect(await value(CUID)).toBe(12)
    expect(await value('cu_bob')).toBe(0)
    expect(code(await unlink(404, 'cu_bob', 'anonymousId', 'anon-1'))).toBe('link_not_found')
  })

  test('another cuid of a person can be linked only while it has no conversation and no id of its own', async () => {
    await sender.track(order('o1', 7, { userId: 'cu_old' }))
    await link(200, CUID, 'userId', 'cu_old')
    expect(await value(CUID)).toBe(7)
    await sender.track({ type: 'identify', userId: 'cu_app', anonymousId: 'anon-2', messageId: 'i1', timestamp: AT })
    expect(code(await link(409, CUID, 'userId', 'cu_app'))).toBe('id_linked')
    await unlink(200, CUID, 'userId', 'cu_old')
    expect(await value(CUID)).toBe(0)
    expect((await readPerson('cu_old')).purchasesTotal).toBe(1)
  })

  test('a person has their own cuid without a link', async () => {
    await link(200, CUID, 'userId', CUID)
    expect((await readPerson(CUID)).links).toEqual([])
  })

  test.each([
    '',
    ' ',
    '0',
    '-1',
    'null',
    'Undefined',
    ' anonymous ',
    'GUEST',
    'n/a',
    '[object Object]',
  ])('the placeholder %j is refused', async (id) => {
    expect(code(await link(422, CUID, 'anonymousId', id))).toBe('validation_failed')
  })

  test('a person of whom nothing is known is a 404, and so is any person without a source', async () => {
    expect(code(await link(404, 'cu_nobody', 'anonymousId', 'anon-1'))).toBe('person_not_found')
    const tenant = await Tenant.create(app)
    const channel = await tenant.channel()
    await tenant.conversations(channel, [{ id: 'ada' }])
    const path = `/organizations/${tenant.organizationId}/people/cu_ada/links`
    const reply = await operatorCall(app, 404, 'POST', path, { body: { kind: 'anonymousId', id: 'anon-1' } })
    expect(code(reply)).toBe('person_not_found')
  })

  test('an id of a forgotten person links nobody, and new facts about it are dropped', async () => {
    await sender.track(bought('anon-1'))
    await link(200, CUID, 'anonymousId', 'anon-1')
    await sender.operator(200, 'DELETE', personPath(CUID))
    expect(code(await link(409, 'cu_bob', 'anonymousId', 'anon-1'))).toBe('id_forgotten')
    await sender.track(bought('anon-1', 'o2'))
    expect(await refused(404, 'GET', personPath(CUID))).toBe('person_not_found')
    expect(await value('cu_bob')).toBe(0)
  })
})
