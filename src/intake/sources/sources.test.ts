import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { insertProblem, Sender } from '../../../test/inbox.js'
import type { AuditEntry, Source, SourceWithSecrets } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { findSourceById, findSourceByKeyHash, hashWriteKey, isKeyOf, openSecrets } from './sources.store.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
})

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const operator = (status: number, method: Method, tail: string, body?: object, of = tenant): Promise<Reply> =>
  operatorCall(app, status, method, `/organizations/${of.organizationId}/sources${tail}`, {
    ...(body !== undefined && { body }),
  })
const create = async (body: object): Promise<SourceWithSecrets> => (await operator(201, 'POST', '', body)).body
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const trailOf = async (): Promise<AuditEntry[]> =>
  (await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/audit`)).body.items
const now = (): Date => new Date(app.clock.now())
/** The secrets that can currently sign a delivery to the source. */
const secretsOf = async (id: string): Promise<string[]> =>
  openSecrets(app.context.sealer, (await findSourceById(app.context.database, id))!, now())
const idOfKey = async (key: string): Promise<string | undefined> => {
  const hash = hashWriteKey(key)
  const row = await findSourceByKeyHash(app.context.database, hash)
  return row && isKeyOf(row, hash, now()) ? row.source_id : undefined
}

const SECRET = 'secret of the other side'
const SHOP = { type: 'SHOPIFY', name: 'Shop', secret: SECRET }

describe('a new source', () => {
  test.each([
    ['META', { secret: SECRET }, ['verifyToken'], '/hooks/'],
    ['SHOPIFY', { secret: SECRET }, [], '/hooks/'],
    ['WOOCOMMERCE', {}, ['secret'], '/hooks/'],
    ['WOOCOMMERCE', { secret: SECRET }, [], '/hooks/'],
    ['EVENTS', {}, ['writeKey'], '/ingest'],
  ])('of %s with %j shows %j once, and has its address', async (type, given, shown, path) => {
    const source = await create({ type, name: 'Of us', ...given })
    const { id, url, writeKey, verifyToken, secret, ...rest } = source
    expect(Object.keys({ writeKey, verifyToken, secret }).filter((name) => name in source)).toEqual(shown)
    expect(url).toBe(`http://localhost:${app.context.config.http.port}${path}${path === '/hooks/' ? id : ''}`)
    expect(rest).toEqual({
      ...{
        type,
        name: 'Of us',
        valueFrom: 'total',
        ...{ countedStatuses: [], uncountedStatuses: [] },
        trust: 'full',
        leftOut: 0,
        deliveriesPerSecond: null,
        previousSecretUntil: null,
      },
      ...{ createdAt: now().toISOString(), updatedAt: now().toISOString(), lastDeliveryAt: null, lastRefusal: null },
      ...{ waiting: 0, problems: 0, refused: 0 },
    })
    expect((await operator(200, 'GET', `/${id}`)).body).toEqual({ ...rest, id, url })
    expect((await operator(200, 'GET', '')).body).toEqual({ items: [{ ...rest, id, url }], nextCursor: null })
  })

  test('stores its secrets sealed, and the trail has none of them', async () => {
    const sources = [
      await create({ ...SHOP, type: 'META', instagramSecret: 'secret of instagram' }),
      await create({ type: 'WOOCOMMERCE', name: 'Woo' }),
      await create({ type: 'EVENTS', name: 'App' }),
    ]
    await operator(200, 'PATCH', `/${sources[0]!.id}`, { secret: 'another secret', instagramSecret: 'a third secret' })
    await operator(201, 'POST', `/${sources[1]!.id}/rotate-secret`, { secret: 'a fourth secret' })
    const secrets = sources.flatMap(({ writeKey, verifyToken, secret }) => [writeKey, verifyToken, secret])
    const { rows } = await app.context.database.query<{ text: string }>(
      'select s::text as text from sources s where organization_id = $1',
      [tenant.organizationId],
    )
    const trail = await trailOf()
    const kept = JSON.stringify([rows, trail])
    const given = [SECRET, 'secret of instagram', 'another secret', 'a third secret', 'a fourth secret']
    for (const secret of [...given, ...secrets]) if (secret !== undefined) expect(kept).not.toContain(secret)
    expect(trail.map(({ operation }) => operation)).toEqual([
      ...['rotateSourceSecret', 'updateSource', 'createSource', 'createSource', 'createSource'],
    ])
    expect(trail[1]).toMatchObject({
      target: { type: 'source', id: sources[0]!.id },
      changes: { secretChanged: true, instagramSecretChanged: true },
    })
  })

  test.each([
    [{ type: 'META', name: 'A' }, 400, 'source_secret_missing'],
    [{ type: 'SHOPIFY', name: 'A' }, 400, 'source_secret_missing'],
    [{ type: 'EVENTS', name: 'A', secret: SECRET }, 400, 'source_secret_unexpected'],
    [{ ...SHOP, instagramSecret: SECRET }, 400, 'source_secret_unexpected'],
    [{ ...SHOP, type: 'shopify' }, 422, 'validation_failed'],
    [{ ...SHOP, type: 'MAGENTO' }, 422, 'validation_failed'],
    [{ type: 'EVENTS' }, 422, 'validation_failed'],
    [{ type: 'EVENTS', name: '' }, 422, 'validation_failed'],
    [{ ...SHOP, secret: 'short' }, 422, 'validation_failed'],
    [{ ...SHOP, secret: 'x'.repeat(513) }, 422, 'validation_failed'],
    [{ ...SHOP, valueFrom: 'net' }, 422, 'validation_failed'],
    [{ ...SHOP, deliveriesPerSecond: 0 }, 422, 'validation_failed'],
    [{ ...SHOP, deliveriesPerSecond: 1.5 }, 422, 'validation_failed'],
    [{ ...SHOP, writeKey: 'mine' }, 422, 'validation_failed'],
  ])('of %j is refused with %i %s, and nothing is created', async (body, status, code) => {
    const refused = await operator(status, 'POST', '', body)
    if (status !== 422) expect(codeOf(refused)).toBe(code)
    expect((await operator(200, 'GET', '')).body.items).toEqual([])
    const { rows } = await app.context.database.query('select from live_audiences where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toEqual([])
  })

  test('makes the audience live from the first one on', async () => {
    const since = app.clock.now()
    const { id } = await create(SHOP)
    app.clock.advance(1_000)
    await create(SHOP)
    await operator(200, 'DELETE', `/${id}`)
    const { rows } = await app.context.database.query(
      'select live_since_ms as since from live_audiences where organization_id = $1',
      [tenant.organizationId],
    )
    expect(rows).toEqual([{ since }])
  })

  test('beyond the hundredth is refused, even for two at once; the list has pages', async () => {
    const max = limit('sources')
    for (let index = 1; index < max; index++) await create({ type: 'EVENTS', name: `App ${index}` })
    const path = `/api/organizations/${tenant.organizationId}/sources`
    const headers = { authorization: 'Bearer operator-token-of-the-tests' }
    const last = () => app.app.inject({ method: 'POST', url: path, headers, payload: { type: 'EVENTS', name: 'Last' } })
    const answers = await Promise.all([last(), last()])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409])
    expect(codeOf(await operator(409, 'POST', '', SHOP))).toBe('sources_full')
    const ids = new Set<string>()
    for (let after = ''; ; ) {
      const { items, nextCursor } = (await operator(200, 'GET', `?limit=40${after}`)).body
      for (const { id } of items as Source[]) ids.add(id)
      if (nextCursor === null) break
      after = `&after=${nextCursor}`
    }
    expect(ids.size).toBe(max)
    await operator(422, 'GET', '?limit=0')
    await operator(422, 'GET', '?after=made-up')
    const [first] = ids
    await operator(200, 'DELETE', `/${first}`)
    await create(SHOP)
  })
})

describe('a source', () => {
  test('is changed field by field', async () => {
    const { id } = await create({ ...SHOP, deliveriesPerSecond: 5 })
    app.clock.advance(1_000)
    const patch = async (body: object): Promise<Source> => (await operator(200, 'PATCH', `/${id}`, body)).body
    expect(await patch({ name: 'The shop' })).toMatchObject({
      ...{ name: 'The shop', valueFrom: 'total', deliveriesPerSecond: 5, updatedAt: now().toISOString() },
    })
    expect(await patch({ valueFrom: 'revenue', deliveriesPerSecond: null })).toMatchObject({
      ...{ name: 'The shop', valueFrom: 'revenue', deliveriesPerSecond: null, previousSecretUntil: null },
    })
    expect(await secretsOf(id)).toEqual([SECRET])
    await patch({ secret: 'another secret' })
    expect(await secretsOf(id)).toEqual(['another secret'])
    for (const body of [{}, { type: 'META' }, { name: '' }, { secret: null }, { deliveriesPerSecond: -1 }]) {
      await operator(422, 'PATCH', `/${id}`, body)
    }
    expect(codeOf(await operator(400, 'PATCH', `/${id}`, { instagramSecret: SECRET }))).toBe('source_secret_unexpected')
    const events = await create({ type: 'EVENTS', name: 'App' })
    expect(codeOf(await operator(400, 'PATCH', `/${events.id}`, { secret: SECRET }))).toBe('source_secret_unexpected')
  })

  test('accepts the secret before the last rotation for an hour, and none before that', async () => {
    const { id } = await create({ ...SHOP, type: 'META', instagramSecret: 'secret of instagram' })
    expect(codeOf(await operator(400, 'POST', `/${id}/rotate-secret`))).toBe('source_secret_missing')
    const rotate = async (secret: string): Promise<SourceWithSecrets> =>
      (await operator(201, 'POST', `/${id}/rotate-secret`, { secret })).body
    const until = new Date(app.clock.now() + limit('sourcePreviousSecretMs')).toISOString()
    const rotated = await rotate('second secret')
    expect(rotated.previousSecretUntil).toBe(until)
    // The other side chose it, and the verify token is unchanged.
    expect([rotated.secret, rotated.verifyToken, rotated.writeKey]).toEqual([undefined, undefined, undefined])
    expect(await secretsOf(id)).toEqual(['second secret', SECRET, 'secret of instagram'])
    await rotate('third secret')
    expect(await secretsOf(id)).toEqual(['third secret', 'second secret', 'secret of instagram'])
    // A secret that is set replaces all others.
    expect((await operator(200, 'PATCH', `/${id}`, { secret: 'second secret' })).body.previousSecretUntil).toBeNull()
    expect(await secretsOf(id)).toEqual(['second secret', 'secret of instagram'])
    await rotate('third secret')
    app.clock.advance(limit('sourcePreviousSecretMs'))
    expect(await secretsOf(id)).toEqual(['third secret', 'secret of instagram'])
    expect((await operator(200, 'GET', `/${id}`)).body.previousSecretUntil).toBeNull()
  })

  test('of Meta gets another verify token, with or without a new secret', async () => {
    const { id, verifyToken: first } = await create({ ...SHOP, type: 'META' })
    const isAccepted = async (token: string | undefined): Promise<boolean> => {
      app.clock.advance(6_000)
      const query = `hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1`
      return (await app.app.inject({ method: 'GET', url: `/hooks/${id}?${query}` })).statusCode === 200
    }
    expect(await isAccepted(first)).toBe(true)
    const renew = async (body: object): Promise<SourceWithSecrets> =>
      (await operator(201, 'POST', `/${id}/rotate-secret`, { renewVerifyToken: true, ...body })).body
    const alone = await renew({})
    expect(alone).toMatchObject({ verifyToken: expect.stringMatching(/^\S{20,}$/), previousSecretUntil: null })
    expect([await isAccepted(first), await isAccepted(alone.verifyToken)]).toEqual([false, true])
    expect(await secretsOf(id)).toEqual([SECRET])
    const both = await renew({ secret: 'second secret' })
    expect([await isAccepted(alone.verifyToken), await isAccepted(both.verifyToken)]).toEqual([false, true])
    expect(await secretsOf(id)).toEqual(['second secret', SECRET])
    const refused = await operator(400, 'POST', `/${id}/rotate-secret`, { renewVerifyToken: false })
    expect(codeOf(refused)).toBe('source_secret_missing')
    const shop = await create(SHOP)
    for (const body of [{ renewVerifyToken: true }, { renewVerifyToken: true, secret: 'second secret' }]) {
      expect(codeOf(await operator(400, 'POST', `/${shop.id}/rotate-secret`, body))).toBe('source_secret_unexpected')
    }
    expect(await secretsOf(shop.id)).toEqual([SECRET])
    expect((await trailOf()).map(({ changes }) => changes)).toContainEqual({ verifyTokenRenewed: true })
  })

  test('of Meta loses the secret of Instagram login with null', async () => {
    const { id } = await create({ ...SHOP, type: 'META', instagramSecret: 'secret of instagram' })
    await operator(200, 'PATCH', `/${id}`, { name: 'Page' })
    expect(await secretsOf(id)).toEqual([SECRET, 'secret of instagram'])
    await operator(200, 'PATCH', `/${id}`, { instagramSecret: null })
    expect(await secretsOf(id)).toEqual([SECRET])
    const shop = await create(SHOP)
    const refused = await operator(400, 'PATCH', `/${shop.id}`, { instagramSecret: null })
    expect(codeOf(refused)).toBe('source_secret_unexpected')
  })

  test('with a secret or key made here shows the new one once, and accepts the old key for an hour', async () => {
    const woo = await create({ type: 'WOOCOMMERCE', name: 'Woo' })
    const rotated = (await operator(201, 'POST', `/${woo.id}/rotate-secret`)).body
    expect(await secretsOf(woo.id)).toEqual([rotated.secret, woo.secret])

    const { id, writeKey: first } = await create({ type: 'EVENTS', name: 'App' })
    expect(codeOf(await operator(400, 'POST', `/${id}/rotate-secret`, { secret: SECRET }))).toBe(
      'source_secret_unexpected',
    )
    const { writeKey: second } = (await operator(201, 'POST', `/${id}/rotate-secret`)).body
    expect(second).toMatch(/^greenroom_write_/)
    expect([await idOfKey(first!), await idOfKey(second)]).toEqual([id, id])
    app.clock.advance(limit('sourcePreviousSecretMs'))
    expect([await idOfKey(first!), await idOfKey(second)]).toEqual([undefined, id])
  })

  test('that is removed deletes waiting deliveries and its problems, and keeps its purchases', async () => {
    const sender = await Sender.create(app, 'EVENTS', { tenant, currency: null })
    await tenant.conversations(await tenant.channel(), [{ id: 'ada' }])
    const properties = { order_id: '1', total: 10, currency: 'EUR' }
    await sender.track({ type: 'track', event: 'Order Completed', userId: 'cu_ada', messageId: 'm', properties }, 0)
    await sender.send({ batch: [] })
    expect((await operator(200, 'GET', `/${sender.source.id}`)).body).toMatchObject({ waiting: 1, problems: 1 })
    const { id } = sender.source
    expect((await operator(200, 'DELETE', `/${id}`)).body).toEqual({ id })
    for (const [table, left] of Object.entries({ inbox: 0, problems: 0, kept_deliveries: 0, purchases: 1 })) {
      const sql = `select from ${table} where organization_id = $1 and source_id = $2`
      const { rows } = await app.context.database.query(sql, [tenant.organizationId, id])
      expect([table, rows.length]).toEqual([table, left])
    }
    for (const [method, tail, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Again' }],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', undefined],
      ['GET', '/problems', undefined],
    ] as const) {
      expect(codeOf(await operator(404, method, `/${id}${tail}`, body))).toBe('source_not_found')
    }
    expect((await trailOf())[0]).toMatchObject({
      ...{ operation: 'deleteSource', target: { type: 'source', id }, changes: { type: 'EVENTS' } },
    })
    expect((await sender.operator(200, 'GET', '/people/cu_ada')).body.purchases).toMatchObject([{ sourceId: id }])
  })

  test('is unknown to another organization, including its problems', async () => {
    const { id } = await create(SHOP)
    const problem = `prb_of_${id}`
    await insertProblem(tenant, id, [problem])
    const other = await Tenant.create(app)
    const own = (await operator(201, 'POST', '', SHOP, other)).body.id
    expect((await operator(200, 'GET', '', undefined, other)).body.items).toMatchObject([{ id: own }])
    for (const [method, tail, body] of [
      ['GET', `/${id}`, undefined],
      ['PATCH', `/${id}`, { name: 'Mine' }],
      ['DELETE', `/${id}`, undefined],
      ['POST', `/${id}/rotate-secret`, { secret: SECRET }],
      ['GET', `/${id}/problems`, undefined],
      ['POST', `/${id}/problems/${problem}/retry`, undefined],
      ['DELETE', `/${id}/problems/${problem}`, undefined],
      ['POST', `/${own}/problems/${problem}/retry`, undefined],
      ['DELETE', `/${own}/problems/${problem}`, undefined],
    ] as const) {
      await operator(404, method, tail, body, other)
    }
    // Another source of the same organization has none of them either.
    const second = await create(SHOP)
    await operator(404, 'POST', `/${second.id}/problems/${problem}/retry`)
    expect((await operator(200, 'GET', `/${id}`)).body).toMatchObject({ name: 'Shop', problems: 1, waiting: 0 })
  })

  test('is managed by administrators in the console, and hidden from editors and keys', async () => {
    const { organizationId } = tenant
    const path = `/organizations/${organizationId}/sources`
    const [admin, editor] = await Promise.all(
      (['ADMIN', 'EDITOR'] as const).map((role) => Member.create(app, { organizationId, role })),
    )
    const { id } = (await admin!.call(201, 'POST', path, { body: SHOP })).body
    expect((await admin!.call(200, 'GET', path)).body.items).toMatchObject([{ id }])
    for (const [method, tail] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', `/${id}`],
      ['GET', `/${id}/problems`],
    ] as const) {
      await editor!.call(403, method, `${path}${tail}`, method === 'POST' ? { body: SHOP } : {})
    }
    await tenant.get(404, '/sources')
  })
})

describe('problems of a source', () => {
  test('are listed latest first, in pages, with their bodies', async () => {
    const { id } = await create(SHOP)
    for (const name of ['a', 'b', 'c']) {
      await insertProblem(tenant, id, [`prb_${name}_${id}`])
      app.clock.advance(1_000)
    }
    const first = (await operator(200, 'GET', `/${id}/problems?limit=2`)).body
    expect(first.items.map((problem: { id: string }) => problem.id)).toEqual([`prb_c_${id}`, `prb_b_${id}`])
    expect(first.items[0]).toMatchObject({
      ...{ sourceId: id, item: null, topic: 'track', answer: null, reason: expect.stringContaining('twelve') },
      body: expect.stringContaining('"order_id":"1001"'),
    })
    const rest = (await operator(200, 'GET', `/${id}/problems?limit=2&after=${first.nextCursor}`)).body
    expect([rest.items.map((problem: { id: string }) => problem.id), rest.nextCursor]).toEqual([[`prb_a_${id}`], null])
    // A cursor belongs to its own list.
    const other = await create(SHOP)
    await operator(422, 'GET', `/${other.id}/problems?after=${first.nextCursor}`)
  })

  test('show the first 64 KiB of a body, which need not be text', async () => {
    const shop = await Sender.create(app, 'SHOPIFY', { tenant })
    await shop.send(Buffer.alloc(70_000, 0xff), { topic: 'orders/create', id: 'd1' })
    await shop.apply()
    const [problem] = await shop.problems()
    expect([problem!.bodyBytes, problem!.body.length]).toEqual([70_000, 65_536])
  })

  test('are retried when the reason is gone, or dismissed, each once and audited', async () => {
    const sender = await Sender.create(app, 'META', { tenant })
    const pageId = '123456789012345'
    const message = (mid: string) => {
      const update = { sender: { id: '77' }, recipient: { id: pageId }, timestamp: app.clock.now(), message: { mid } }
      return { object: 'page', entry: [{ id: pageId, messaging: [update] }] }
    }
    await sender.send(message('m1'))
    await sender.send(message('m2'))
    await sender.apply()
    const [one] = await sender.problems()
    expect(one!.reason).toContain(`no channel FB_PAGE_${pageId}`)
    const at = `/${sender.source.id}/problems`
    expect((await operator(200, 'POST', `${at}/${one!.id}/retry`)).body).toEqual({ id: one!.id })
    await sender.apply()
    const [again] = await sender.problems()
    expect(again!.id).not.toBe(one!.id)

    const body = { type: 'FB_PAGE', platformId: pageId, name: 'Our page' }
    await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/channels`, { body })
    const left = (await sender.problems()).map(({ id }) => id)
    await operator(200, 'POST', `${at}/${left[0]}/retry`)
    expect((await operator(200, 'DELETE', `${at}/${left[1]}`)).body).toEqual({ id: left[1] })
    for (const id of [one!.id, ...left]) {
      expect(codeOf(await operator(404, 'DELETE', `${at}/${id}`))).toBe('problem_not_found')
    }
    expect(codeOf(await operator(404, 'POST', `${at}/${left[0]}/retry`))).toBe('problem_not_found')
    await sender.apply()
    expect([await sender.problems(), await tenant.countConversations()]).toEqual([[], 1])
    const trail = (await trailOf()).filter(({ target }) => target?.type === 'sourceProblem')
    expect(trail.map(({ operation, target }) => [operation, target!.id])).toEqual([
      ['dismissSourceProblem', `${sender.source.id}/${left[1]}`],
      ['retrySourceProblem', `${sender.source.id}/${left[0]}`],
      ['retrySourceProblem', `${sender.source.id}/${one!.id}`],
    ])
  })
})
