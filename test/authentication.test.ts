import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { revokeKeyRow } from '../src/access/keys/keys.store.js'
import { updateOrganizationRow } from '../src/access/organizations.store.js'
import { signDate } from '../src/lib/sign-date.js'
import {
  issueTestKey,
  type Reply,
  send,
  signedHeaders,
  startOwnTestApp,
  startTestApp,
  Tenant,
  type TestApp,
} from './harness.js'
import { talkRaw } from './raw-http.js'

const PATH = '/workspaces'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00.250Z')
  tenant = await Tenant.create(app)
})

const at = (offsetSeconds: number): string =>
  new Date(Date.parse('2026-11-20T09:00:00Z') + offsetSeconds * 1000).toUTCString()

function withHeaders(status: number, headers: Record<string, string | undefined>): Promise<Reply> {
  return tenant.get(status, PATH, { headers })
}

const signedAt = (date: string): Record<string, string> => signedHeaders(tenant.key, date)

describe('interface 5: the current form', () => {
  test('a signed call is answered', async () => {
    await tenant.get(200, PATH)
  })

  test.each([
    'x-api-key',
    'x-date',
    'x-signature',
  ])('without %s, or with an empty one, the response names the header', async (name) => {
    for (const value of [undefined, '']) {
      const reply = await withHeaders(403, { [name]: value })
      expect(reply.headers['x-error-code']).toBe('header_missing')
      expect(reply.body.message).toContain(name)
    }
  })

  test('a repeated header is refused, whichever value is right', async () => {
    const own = await startOwnTestApp()
    const caller = await Tenant.create(own)
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = own.app.server.address() as { port: number }
    const date = new Date(own.clock.now()).toUTCString()
    const sent = { 'x-api-version': '1', ...signedHeaders(caller.key, date) }
    const request = (repeated: string): string => {
      const lines = Object.entries(sent).map(([name, value]) =>
        `${name}: ${value}\r\n`.repeat(name === repeated ? 2 : 1),
      )
      return `GET /v1${PATH} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${lines.join('')}\r\n`
    }
    expect(await talkRaw(port, request('none'))).toMatch(/^HTTP\/1.1 200 /)
    expect(await talkRaw(port, request('x-api-version'))).toMatch(/^HTTP\/1.1 400 /)
    for (const name of ['x-api-key', 'x-date', 'x-signature']) {
      expect(await talkRaw(port, request(name))).toMatch(/^HTTP\/1.1 403 /)
    }
    await own.app.close()
  })

  test('a refusal reads the database once, whether or not the key exists or is cached', async () => {
    let reads = 0
    const { database } = app.context
    const own = await startTestApp({}, undefined, {
      ...database,
      query(text, values) {
        if (text.includes('api_keys')) reads += 1
        return database.query(text, values)
      },
    })
    const caller = tenant.on(own)
    const readsOf = async (status: number, headers: Record<string, string>): Promise<number> => {
      reads = 0
      await caller.get(status, PATH, { headers })
      return reads
    }
    const wrong = { 'x-signature': 'f'.repeat(64) }
    expect(await readsOf(403, wrong)).toBe(1)
    expect(await readsOf(403, { ...wrong, 'x-api-key': 'key_unknown' })).toBe(1)
    await caller.get(200, PATH)
    expect(await readsOf(200, {})).toBe(0)
    expect(await readsOf(403, wrong)).toBe(1)
  })

  test('interface 8: an x-date is valid from 5 seconds ahead to 30 seconds back, inclusive', async () => {
    await withHeaders(200, signedAt(at(-30)))
    await withHeaders(200, signedAt(at(5)))
    const expired = await withHeaders(403, signedAt(at(-31)))
    expect(expired.headers['x-error-code']).toBe('signature_expired')
    expect(expired.body.message).toMatch(/^Signature expired.*Fri, 20 Nov 2026 09:00:00 GMT/)
    const early = await withHeaders(403, signedAt(at(6)))
    expect(early.headers['x-error-code']).toBe('date_in_future')
  })

  test.each([
    ['ISO 8601', '2026-11-20T09:00:00Z'],
    ['a wrong weekday', 'Thu, 20 Nov 2026 09:00:00 GMT'],
    ['a day that does not exist', 'Fri, 31 Feb 2026 09:00:00 GMT'],
    ['another zone', 'Fri, 20 Nov 2026 10:00:00 +0100'],
    ['UTC for GMT', 'Fri, 20 Nov 2026 09:00:00 UTC'],
    ['RFC 850', 'Friday, 20-Nov-26 09:00:00 GMT'],
    ['asctime', 'Fri Nov 20 09:00:00 2026'],
    ['a one-digit day', 'Fri, 6 Nov 2026 09:00:00 GMT'],
    ['another language', 'Vr, 20 nov 2026 09:00:00 GMT'],
    ['epoch seconds', '1795165200'],
    ['text', 'now'],
    ['a very long text', 'x'.repeat(8000)],
  ])('an x-date in the form of %s is malformed even if its signature matches', async (_form, date) => {
    const reply = await withHeaders(403, signedAt(date))
    expect(reply.headers['x-error-code']).toBe('date_malformed')
    expect(reply.body.message).toContain('Fri, 20 Nov 2026 09:00:00 GMT')
  })

  test('a truncated, upper-case or non-hex signature, or one of another key or date, gets the same refusal', async () => {
    const right = signDate(tenant.key.secret, at(0))
    const other = await issueTestKey(app, tenant.organizationId)
    const wrong = [
      right.slice(0, -1),
      `${right}0`,
      right.toUpperCase(),
      signDate(other.secret, at(0)),
      signDate(tenant.key.secret, at(1)),
      Buffer.from(right, 'hex').toString('base64'),
      'z'.repeat(64),
      'é'.repeat(32),
      'a'.repeat(8000),
    ]
    for (const signature of wrong) {
      const reply = await withHeaders(403, { 'x-date': at(0), 'x-signature': signature })
      expect(reply.headers['x-error-code']).toBe('signature_invalid')
    }
  })

  test('unknown, revoked and mistyped keys get exactly the same response, so nobody learns which keys exist', async () => {
    const revoked = await issueTestKey(app, tenant.organizationId)
    await withHeaders(200, signedHeaders(revoked, at(0)))
    await revokeKeyRow(app.context.database, tenant.organizationId, revoked.id, new Date())
    const replies = [
      await withHeaders(403, signedHeaders(revoked, at(0))),
      await withHeaders(403, signedHeaders({ id: 'key_nobody', secret: 'whatever' }, at(0))),
      await withHeaders(403, { 'x-signature': signDate('another secret', at(0)) }),
      await withHeaders(403, signedHeaders({ ...tenant.key, id: `${tenant.key.id}\\' or 1=1` }, at(0))),
      await withHeaders(403, signedHeaders({ ...tenant.key, id: 'k'.repeat(8000) }, at(0))),
    ]
    for (const reply of replies) expect(reply.body).toEqual(replies[0]!.body)
  })

  test('two active keys of one organization both work, so a key can be rotated without a gap', async () => {
    const second = await issueTestKey(app, tenant.organizationId)
    await withHeaders(200, signedHeaders(second, at(0)))
    await tenant.get(200, PATH)
  })
})

describe('interface 7.1, 9.1 and 9.2: the version header', () => {
  test('missing or empty: a 400 that says so', async () => {
    for (const value of [undefined, '']) {
      const reply = await withHeaders(400, { 'x-api-version': value })
      expect(reply.body).toEqual({ message: expect.stringContaining('missing') })
      expect(reply.headers['x-error-code']).toBe('api_version_missing')
    }
  })

  test.each([
    '0',
    '2',
    '1.0',
    '01',
    'v1',
    '1, 1',
    'one',
    '-1',
    '١',
  ])('%s: a 400 that says it is not supported', async (version) => {
    const reply = await withHeaders(400, { 'x-api-version': version })
    expect(reply.body).toEqual({ message: expect.stringContaining('unsupported') })
    expect(reply.headers['x-error-code']).toBe('api_version_unsupported')
  })
})

describe('the order of checks', () => {
  test('is route, version, signature, organization, shape', async () => {
    const nothing = { 'x-api-version': undefined, 'x-signature': undefined }
    expect((await tenant.call(404, 'GET', '/nowhere', { headers: nothing })).headers['x-error-code']).toBe(
      'route_not_found',
    )
    await tenant.call(400, 'GET', '/vip-users?nonsense=1', { headers: nothing })
    await tenant.call(403, 'GET', '/vip-users?nonsense=1', { headers: { 'x-signature': undefined } })
    await updateOrganizationRow(app.context.database, tenant.organizationId, { active: false })
    await tenant.call(403, 'GET', '/vip-users?nonsense=1', { headers: { 'x-signature': undefined } })
    const inactive = await tenant.call(402, 'GET', '/vip-users?nonsense=1')
    expect(inactive.headers['x-error-code']).toBe('organization_inactive')
    await updateOrganizationRow(app.context.database, tenant.organizationId, { active: true })
    await tenant.call(422, 'GET', '/vip-users?nonsense=1')
  })

  test('leaves the body unread until the signature is verified', async () => {
    const headers = { 'x-signature': undefined }
    await tenant.call(403, 'PATCH', '/scheduled-posts/post_1', { headers, body: '{ not json' })
    await tenant.call(403, 'PATCH', '/scheduled-posts/post_1', { headers, body: Buffer.alloc(2 * 1024 * 1024, 32) })
  })
})

describe('interface 5 and 9.4: the earlier variant at /v0', () => {
  const query = '/vip-users?workspaceId=none&mediumId=none'
  const iso = (offsetMs: number): string => new Date(app.clock.now() + offsetMs).toISOString()

  test('accepts an ISO date from 5 seconds ahead to 60 seconds back, inclusive, and needs no version', async () => {
    for (const offset of [0, -60_000, 5_000]) {
      await tenant.callEarlier(404, 'GET', query, { headers: signedAt(iso(offset)) })
    }
    for (const offset of [-60_001, 5_001]) {
      await tenant.callEarlier(403, 'GET', query, { headers: signedAt(iso(offset)) })
    }
  })

  test('accepts the same instant with an offset or without fractions', async () => {
    app.clock.set('2026-11-20T09:00:00Z')
    for (const date of ['2026-11-20T10:00:00+01:00', '2026-11-20T04:00:00-0500', '2026-11-20T09:00Z']) {
      await tenant.callEarlier(404, 'GET', query, { headers: signedAt(date) })
    }
  })

  test.each([
    ['an IMF-fixdate', 'Fri, 20 Nov 2026 09:00:00 GMT'],
    ['no zone', '2026-11-20T09:00:00'],
    ['a bare date', '2026-11-20'],
    ['a day that does not exist', '2026-02-30T09:00:00Z'],
    ['an hour that does not exist', '2026-11-20T24:00:00Z'],
    ['text', 'now'],
  ])('refuses %s', async (_form, date) => {
    const reply = await tenant.callEarlier(403, 'GET', query, { headers: signedAt(date) })
    expect(reply.headers['x-error-code']).toBe('date_malformed')
  })

  test('does not exist unless switched on', async () => {
    const without = await startTestApp({ http: { earlierVariant: false } })
    const there = await Tenant.create(without)
    await there.callEarlier(404, 'GET', query)
    await there.get(200, PATH)
  })

  test('has only the VIP list and the post update', async () => {
    const reply = await tenant.callEarlier(404, 'GET', '/workspaces')
    expect(reply.headers['x-error-code']).toBe('route_not_found')
  })
})

describe('an operator', () => {
  test('is unknown to a server without an operator token', async () => {
    const without = await startTestApp({ access: { operatorToken: undefined } })
    const reply = await send(without.app, 401, 'GET', '/api/organizations', {
      headers: { authorization: 'Bearer x' },
    })
    expect(reply.headers['x-error-code']).toBe('operator_token_wrong')
  })
})
