import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import type { PersonDetails, Source, SourceTrust } from '../../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

/** A trusted server, and a page whose key a stranger has read, in one organization that knows cu_ada. */
async function begin(trust: SourceTrust) {
  const server = await Sender.create(app, 'EVENTS')
  const page = await Sender.create(app, 'EVENTS', { tenant: server.tenant, keyIn: 'browser', trust })
  const channelId = await server.tenant.channel()
  await server.tenant.conversations(channelId, [{ id: 'ada' }])
  await server.track(named('cu_ada', 'Ada'))
  return { server, page, channelId }
}
const personOf = async (sender: Sender, cuid: string) =>
  (await sender.operator(200, 'GET', `/people/${encodeURIComponent(cuid)}`)).body as PersonDetails
const sourceOf = async (sender: Sender) =>
  (await sender.operator(200, 'GET', `/sources/${sender.source.id}`)).body as Source
let events = 0
const event = (type: string, userId: string | undefined, more: object = {}) => {
  const timestamp = new Date(app.clock.now() - 1_000).toISOString()
  return { type, messageId: `e${events++}`, timestamp, ...(userId !== undefined && { userId }), ...more }
}
const purchase = (userId: string, more: object = {}) =>
  event('track', userId, {
    event: 'Order Completed',
    properties: { order_id: `o${events}`, total: 1_000, currency: 'EUR', ...more },
  })
const opened = (userId: string, more: object = {}) => event('track', userId, { event: 'Application Opened', ...more })
const named = (userId: string | undefined, firstName: string, more: object = {}) =>
  event('identify', userId, { traits: { firstName }, ...more })

/** Everything that a stranger may try against a person. */
const attackOn = (cuid: string): object[] => [
  purchase(cuid),
  named(cuid, 'Mallory'),
  named(cuid, 'Mallory', { timestamp: new Date(app.clock.now() + 80_000_000).toISOString() }),
  event('identify', cuid, { anonymousId: 'anon-of-mallory', traits: { lastName: 'M' } }),
  event('identify', 'mallory', { context: { externalIds: [{ type: 'shopify', id: '207119551' }] } }),
  event('identify', cuid, { context: { externalIds: [{ type: 'conversation', id: 'ada' }] } }),
  event('identify', 'mallory', { context: { externalId: [{ type: 'conversation', id: 'ada' }] } }),
  event('alias', 'mallory', { previousId: cuid }),
  event('alias', cuid, { previousId: 'anon-of-mallory' }),
  event('track', cuid, { event: 'Order Refunded', properties: { order_id: 'real' } }),
  event('track', cuid, { event: 'Order Cancelled', properties: { order_id: 'real' } }),
]

describe.each(['new_people', 'times_only'] as const)('a source with the trust %s', (trust) => {
  test('changes neither the value, the name nor the ids of a known person, and reports how much it left out', async () => {
    const { server, page } = await begin(trust)
    await server.track(purchase('cu_ada', { order_id: 'real', total: 20 }))
    await page.track(...attackOn('cu_ada'))
    // The purchase counts only for its buyer, so no id was attached to anyone.
    await server.track({ ...purchase('', { total: 7 }), userId: undefined, anonymousId: 'anon-of-mallory' })
    const { links, conversations, purchasesTotal } = await personOf(server, 'cu_ada')
    expect(conversations).toMatchObject([{ firstName: 'Ada', lastName: null, lifetimeValue: 20 }])
    expect([links, purchasesTotal]).toEqual([[], 1])
    await server.operator(404, 'GET', '/people/mallory')
    const { leftOut, problems } = await sourceOf(page)
    expect(problems).toBe(0)
    expect(leftOut).toBeGreaterThanOrEqual(10)
  })

  test('updates app opens of known people, and none ahead of the clock', async () => {
    const { server, page } = await begin(trust)
    await page.track(opened('cu_ada'), opened('cu_ada', { timestamp: new Date(app.clock.now() + 80_000_000) }))
    const [conversation] = (await personOf(server, 'cu_ada')).conversations
    expect(conversation!.lastAppOpenTimestamp).toBe(app.clock.now())
  })

  test('creates no problem for unreadable items, so that a stranger cannot hide real ones', async () => {
    const { server, page } = await begin(trust)
    await page.track('no event', { type: 'dance' }, opened('cu_ada'))
    expect(await sourceOf(page)).toMatchObject({ problems: 0, leftOut: 2 })
    await server.track('no event')
    expect(await sourceOf(server)).toMatchObject({ problems: 1, leftOut: 0, trust: 'full' })
  })

  test('keeps no body that names a forgotten person, even if it is not trusted with its content', async () => {
    const { server, page } = await begin(trust)
    await server.operator(200, 'DELETE', '/people/cu_ada')
    await page.track(purchase('cu_ada'))
    const { rows } = await app.context.database.query(
      `select from kept_deliveries where organization_id = $1 and position('cu_ada'::bytea in body) > 0`,
      [server.tenant.organizationId],
    )
    expect(rows).toEqual([])
  })
})

test('new people get a profile from a page, until another source describes them', async () => {
  const { server, page, channelId } = await begin('new_people')
  await page.track(named('cu_new', 'Neu'), opened('cu_new'), purchase('cu_new'))
  expect(await personOf(server, 'cu_new')).toMatchObject({
    purchasesTotal: 0,
    fields: expect.arrayContaining([expect.objectContaining({ field: 'firstName', value: 'Neu' })]),
  })
  // A trusted source is newer, however old its event is.
  await server.track(named('cu_new', 'New', { timestamp: '2010-01-01T00:00:00Z' }))
  await page.track(named('cu_new', 'Mallory'))
  await server.tenant.conversations(channelId, [{ id: 'new' }])
  const { fields } = await personOf(server, 'cu_new')
  expect(fields.find(({ field }) => field === 'firstName')).toMatchObject({ value: 'New' })
})

test.each([
  ['a purchase', async ({ server }) => await server.track(purchase('cu_x', { total: 1 }))],
  ['an import', async ({ server, channelId }) => await server.tenant.conversations(channelId, [{ id: 'x' }])],
  [
    'a link',
    async ({ server }) => {
      await server.operator(201, 'POST', '/people/cu_x/links', { kind: 'shopify', id: '17' }).catch(() => undefined)
      await server.track(event('identify', 'cu_x', { anonymousId: 'anon-x' }))
    },
  ],
  ['a name', async ({ server }) => await server.track(named('cu_x', 'Xia'))],
] as [
  string,
  (given: Awaited<ReturnType<typeof begin>>) => Promise<unknown>,
][])('a person described by %s is not new', async (_, speak) => {
  const given = await begin('new_people')
  await speak(given)
  await given.page.track(named('cu_x', 'Mallory'))
  expect(JSON.stringify(await personOf(given.server, 'cu_x'))).not.toContain('Mallory')
})

test('with only times, nothing is stored for an unknown id', async () => {
  const { server, page } = await begin('times_only')
  await page.track(opened('nobody'), named('nobody', 'No'))
  await server.operator(404, 'GET', '/people/nobody')
  expect(await sourceOf(page)).toMatchObject({ leftOut: 2 })
})

describe('the trust of a source', () => {
  const create = (sender: Sender, status: number, body: object) =>
    sender.operator(status, 'POST', '/sources', { name: 'Another', ...body })

  test('is full for a key on a server, and the least for one in a browser, unless it is set', async () => {
    const { server } = await begin('times_only')
    const events = { type: 'EVENTS' }
    expect((await create(server, 201, events)).body).toMatchObject({ trust: 'full', leftOut: 0 })
    expect((await create(server, 201, { ...events, keyIn: 'server' })).body).toMatchObject({ trust: 'full' })
    expect((await create(server, 201, { ...events, keyIn: 'browser' })).body).toMatchObject({ trust: 'times_only' })
    const given = { ...events, keyIn: 'browser', trust: 'new_people' }
    expect((await create(server, 201, given)).body).toMatchObject({ trust: 'new_people' })
    await create(server, 422, { ...events, trust: 'some' })
    await create(server, 422, { ...events, keyIn: 'pocket' })
  })

  test('is only for events, because signed deliveries are trusted', async () => {
    const shop = await Sender.create(app, 'SHOPIFY')
    expect(shop.source).toMatchObject({ trust: 'full' })
    for (const more of [{ trust: 'full' }, { keyIn: 'server' }]) {
      const refused = await create(shop, 400, { type: 'WOOCOMMERCE', ...more })
      expect(refused.headers['x-error-code']).toBe('source_trust_unexpected')
    }
    await shop.operator(400, 'PATCH', `/sources/${shop.source.id}`, { trust: 'times_only' })
  })

  test('can be changed by people who manage sources, with an entry in the audit trail, and applies from then on', async () => {
    const { server } = await begin('times_only')
    const path = `/sources/${server.source.id}`
    await server.send({ batch: [purchase('cu_ada')] })
    expect((await server.operator(200, 'PATCH', path, { trust: 'times_only' })).body).toMatchObject({
      trust: 'times_only',
    })
    await server.apply()
    expect((await personOf(server, 'cu_ada')).purchasesTotal).toBe(0)
    await server.operator(200, 'PATCH', path, { trust: 'full' })
    await server.track(purchase('cu_ada'))
    expect((await personOf(server, 'cu_ada')).purchasesTotal).toBe(1)
    const { items } = (await server.operator(200, 'GET', '/audit?limit=10')).body
    expect(JSON.stringify(items)).toContain('"trust":"times_only"')
  })
})
