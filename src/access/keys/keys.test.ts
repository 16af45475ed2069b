import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Key,
  operatorCall,
  type Reply,
  signedHeaders,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import type { NewKey } from '../../interface/generated/types.js'
import { createAddressList, isSubnet } from '../../lib/addresses.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00.250Z')
  tenant = await Tenant.create(app)
})

const keysPath = (): string => `/organizations/${tenant.organizationId}/keys`
const issue = async (settings: NewKey): Promise<Key> =>
  (await operatorCall(app, 201, 'POST', keysPath(), { body: settings })).body
const listed = async (id: string) =>
  (await operatorCall(app, 200, 'GET', keysPath())).body.find((key: { id: string }) => key.id === id)
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

/** Makes a signed call from an address, or through a proxy with an x-forwarded-for header. */
async function callFrom(
  status: number,
  on: TestApp,
  { key, from, forwardedFor }: { key: Key; from: string; forwardedFor?: string },
): Promise<Reply> {
  const response = await on.app.inject({
    method: 'GET',
    url: '/v1/workspaces',
    remoteAddress: from,
    headers: {
      ...signedHeaders(key, new Date(on.clock.now()).toUTCString()),
      'x-api-version': '1',
      ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
    },
  })
  expect(response.statusCode, `${from} for ${forwardedFor}: ${response.body}`).toBe(status)
  return { status, body: response.json(), headers: response.headers }
}

describe('the settings of a new key', () => {
  test('are in the response and the list, with who issued it, and in the audit trail without the secret', async () => {
    const settings: NewKey = {
      name: 'Warehouse',
      permissions: ['audience:read', 'channels:read'],
      allowedAddresses: ['192.0.2.0/24', '2001:db8::1'],
      expiresAt: '2027-01-01T00:00:00Z',
      requestsPerSecond: 5,
    }
    const { secret, ...shown } = await issue(settings)
    const expected = {
      ...settings,
      permissions: ['channels:read', 'audience:read'],
      expiresAt: '2027-01-01T00:00:00.000Z',
      createdBy: { type: 'operator' },
    }
    expect(shown).toMatchObject(expected)
    expect(await listed(shown.id)).toEqual(shown)
    const { body } = await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/audit`)
    expect(body.items[0]).toMatchObject({ operation: 'issueKey', changes: settings })
    expect(JSON.stringify(body)).not.toContain(secret)
  })

  test('in the wrong shape are a 422, and an expiry in the past is a 400', async () => {
    const wrong: unknown[] = [
      { permissions: [] },
      { permissions: ['posts:approve'] },
      { permissions: ['operator'] },
      { permissions: ['everything'] },
      { permissions: ['posts:read', 'posts:read'] },
      { permissions: 'posts:read' },
      { allowedAddresses: ['10.0.0.0/33'] },
      { allowedAddresses: ['10.0.0'] },
      { allowedAddresses: ['example.com'] },
      { allowedAddresses: [''] },
      { allowedAddresses: Array(101).fill('10.0.0.1') },
      { expiresAt: 'tomorrow' },
      { expiresAt: '2027-01-01' },
      { requestsPerSecond: -1 },
      { requestsPerSecond: 0.5 },
      { name: 'x'.repeat(201) },
      { unknown: true },
      [],
    ]
    for (const body of wrong) await operatorCall(app, 422, 'POST', keysPath(), { body })
    for (const expiresAt of ['2026-11-20T09:00:00.250Z', '2020-01-01T00:00:00Z']) {
      const reply = await operatorCall(app, 400, 'POST', keysPath(), { body: { expiresAt } })
      expect(codeOf(reply)).toBe('expiry_past')
    }
  })
})

describe('permissions', () => {
  test('a call without the permission is a 403 that names it, and the other calls work', async () => {
    const reader = tenant.withKey(await issue({ permissions: ['posts:read', 'channels:read'] }))
    await reader.get(200, '/scheduled-posts')
    await reader.get(200, '/workspaces')
    const reply = await reader.call(403, 'POST', '/scheduled-posts', { body: {} })
    expect(codeOf(reply)).toBe('permission_missing')
    expect(reply.body.message).toContain('posts:write')
    expect(codeOf(await reader.get(403, '/superpowers'))).toBe('permission_missing')
    expect((await tenant.get(200, '/scheduled-posts')).body).toEqual([])
  })

  test('a key that may write but not read gets no content back, in a response of the same form', async () => {
    const writer = tenant.withKey(await issue({ permissions: ['posts:write'] }))
    const channelId = await tenant.channel([], 'FB_PAGE')
    const content = {
      media: 'https://media.example/lanterns.jpg',
      scheduledFor: '2026-12-01T09:00:00.000Z',
      channels: { [channelId]: { caption: 'A secret caption' } },
      notes: 'A secret note',
    }
    const { body: post } = await tenant.call(201, 'POST', '/scheduled-posts', { body: content })
    const bare = { id: post.id, orgId: tenant.organizationId, type: 'POST', mediumsData: {}, status: 'DRAFT' }
    const path = `/scheduled-posts/${post.id}`
    const patched = await writer.call(200, 'PATCH', path, { body: { notes: 'Another' } })
    expect(patched.body).toEqual(bare)
    expect(patched.headers.etag).toMatch(/^"2\b/)
    const submitted = await writer.call(200, 'POST', `${path}/submit-for-approval`)
    expect(submitted.body).toEqual({ ...bare, status: 'WAITING_FOR_APPROVAL' })
    const rejected = await writer.callEarlier(200, 'PATCH', path, { body: { notes: 'x' } })
    expect(rejected.body).toMatchObject({ ...bare, status: 'WAITING_FOR_APPROVAL', docVer: 4 })
    expect(JSON.stringify(rejected.body)).not.toContain('secret')
    const headers = { 'idempotency-key': 'once' }
    for (const caller of [tenant, writer]) {
      const { body } = await caller.call(201, 'POST', '/scheduled-posts', { body: content, headers })
      expect(JSON.stringify(body).includes('secret')).toBe(caller === tenant)
    }
    await writer.get(403, path)
    expect((await tenant.get(200, path)).body.notes).toBe('x')
  })

  test('approval is reserved for humans, whatever a key holds', async () => {
    const { body: post } = await tenant.call(201, 'POST', '/scheduled-posts', { body: {} })
    for (const key of [tenant.key, await issue({ permissions: ['posts:write'] })]) {
      const reply = await tenant.withKey(key).call(403, 'POST', `/scheduled-posts/${post.id}/approve`, {
        headers: { 'if-match': '"1"' },
      })
      expect(codeOf(reply)).toBe('approval_is_human')
    }
  })

  test('a permission that no key may hold has no effect, even if it is in the database', async () => {
    const key = await issue({ permissions: ['posts:read'] })
    await app.context.database.query(
      "update api_keys set permissions = '{posts:approve,operator,nonsense}' where key_id = $1",
      [key.id],
    )
    expect((await listed(key.id)).permissions).toEqual([])
    expect(codeOf(await tenant.withKey(key).get(403, '/scheduled-posts'))).toBe('permission_missing')
  })
})

describe('expiry', () => {
  test('an expired key is refused like an unknown one, from the exact instant on', async () => {
    const key = await issue({ expiresAt: '2026-11-20T10:00:00Z' })
    const caller = tenant.withKey(key)
    app.clock.set('2026-11-20T09:59:59.999Z')
    await caller.get(200, '/workspaces')
    app.clock.set('2026-11-20T10:00:00Z')
    const date = new Date(app.clock.now()).toUTCString()
    const unknown = await tenant.get(403, '/workspaces', {
      headers: signedHeaders({ id: 'key_nobody', secret: 'none' }, date),
    })
    const expired = await caller.get(403, '/workspaces')
    expect(expired.body).toEqual(unknown.body)
    expect(codeOf(expired)).toBe('signature_invalid')
    await tenant.get(200, '/workspaces')
  })

  test('a clock that leaps ahead expires a key, and a corrected clock restores it', async () => {
    const caller = tenant.withKey(await issue({ expiresAt: '2026-11-21T00:00:00Z' }))
    app.clock.advance(365 * 86_400_000)
    await caller.get(403, '/workspaces')
    app.clock.set('2026-11-20T09:00:01Z')
    await caller.get(200, '/workspaces')
    app.clock.advance(-7 * 86_400_000)
    await caller.get(200, '/workspaces')
  })
})

describe('allowed addresses', () => {
  test('without a trusted proxy the connection counts, and a forged X-Forwarded-For changes nothing', async () => {
    const key = await issue({ allowedAddresses: ['192.0.2.0/24', '2001:db8::/32'] })
    for (const from of ['192.0.2.1', '192.0.2.255', '2001:db8::7', '::ffff:192.0.2.1', '2001:db8:ffff::1%eth0']) {
      await callFrom(200, app, { key, from })
    }
    for (const from of ['192.0.3.1', '2001:db9::1', '::ffff:192.0.3.1', '::1', '127.0.0.1']) {
      const reply = await callFrom(403, app, { key, from, forwardedFor: '192.0.2.1' })
      expect(codeOf(reply)).toBe('address_not_allowed')
      expect(reply.body.message).toContain(from.replace('::ffff:', ''))
      expect(JSON.stringify(reply.body)).not.toContain('192.0.2')
    }
  })

  test('behind a trusted proxy the address from the proxy counts, not what the caller added', async () => {
    const behind = await startTestApp({ http: { trustProxy: ['10.0.0.0/8'] } })
    const key = await issue({ allowedAddresses: ['192.0.2.7'] })
    await callFrom(200, behind, { key, from: '10.0.0.5', forwardedFor: '192.0.2.7' })
    await callFrom(200, behind, { key, from: '10.0.0.5', forwardedFor: '203.0.113.9, 192.0.2.7, 10.1.2.3' })
    // Spellings that proxies use, including the address of the trusted one.
    for (const forwardedFor of [
      '192.0.2.7:4711',
      '[::ffff:192.0.2.7]:80',
      '::ffff:c000:207',
      '0:0:0:0:0:ffff:c000:0207',
    ]) {
      await callFrom(200, behind, { key, from: '10.0.0.5', forwardedFor })
      await callFrom(200, behind, { key, from: '::ffff:10.0.0.5', forwardedFor: `${forwardedFor}, 10.0.0.6:80` })
    }
    for (const forwardedFor of ['192.0.2.7, 203.0.113.9', '203.0.113.9', 'nonsense', '192.0.2.7, nonsense', '']) {
      await callFrom(403, behind, { key, from: '10.0.0.5', forwardedFor })
    }
    // A direct call, without the proxy.
    await callFrom(403, behind, { key, from: '203.0.113.9', forwardedFor: '192.0.2.7' })
  })

  test('only a holder of the secret learns that there is a list', async () => {
    const key = await issue({ allowedAddresses: ['192.0.2.7'] })
    const reply = await callFrom(403, app, { key: { ...key, secret: 'another' }, from: '203.0.113.9' })
    expect(codeOf(reply)).toBe('signature_invalid')
  })

  test.each([
    ['10.0.0.0/8', ['10.255.255.255', '::ffff:10.1.2.3'], ['11.0.0.0', '::10.0.0.1']],
    ['10.0.0.1', ['10.0.0.1'], ['10.0.0.2', '10.0.0.1.1', '', 'x']],
    ['2001:db8::/33', ['2001:db8:7fff::1'], ['2001:db8:8000::1', '1.2.3.4']],
    ['::1', ['::1', '0:0:0:0:0:0:0:1'], ['::2', '127.0.0.1']],
    ['0.0.0.0/0', ['1.2.3.4', '::ffff:1.2.3.4'], ['2001:db8::1']],
  ])('%s matches exactly its addresses', (subnet, inside, outside) => {
    expect(isSubnet(subnet)).toBe(true)
    const isIn = createAddressList([subnet])
    for (const address of inside) expect(isIn(address), address).toBe(true)
    for (const address of outside) expect(isIn(address), address).toBe(false)
    expect(isIn(undefined)).toBe(false)
    for (const address of inside) expect(isIn(address), address).toBe(true)
  })
})

describe('when a key was last used', () => {
  test('is stored to the minute by a flush, with one statement for all keys and none without a use', async () => {
    const statements: string[] = []
    const { database } = app.context
    const own = await startTestApp({}, undefined, {
      ...database,
      query: (text, values) => {
        if (text.includes('key_uses') && text.includes('insert')) statements.push(text)
        return database.query(text, values)
      },
    })
    own.clock.set('2026-11-20T09:00:00Z')
    const keys = [await issue({}), await issue({}), await issue({})]
    const [first, second, unused] = keys as [Key, Key, Key]
    const at = (instant: string, key: Key) => {
      own.clock.set(instant)
      return tenant.on(own).withKey(key).get(200, '/workspaces')
    }
    await at('2026-11-20T09:00:10Z', first)
    await at('2026-11-20T09:00:50Z', first)
    await at('2026-11-20T09:01:59Z', second)
    await at('2026-11-20T09:02:00Z', first)
    await at('2026-11-20T09:02:01Z', first)
    expect(statements).toEqual([])
    expect(await listed(first.id)).not.toHaveProperty('lastUsedAt')
    await own.context.keyUses.flush()
    await own.context.keyUses.flush()
    expect(statements).toHaveLength(1)
    expect(await listed(first.id)).toMatchObject({ lastUsedAt: '2026-11-20T09:02:00.000Z' })
    expect(await listed(second.id)).toMatchObject({ lastUsedAt: '2026-11-20T09:01:00.000Z' })
    expect(await listed(unused.id)).not.toHaveProperty('lastUsedAt')
  })

  test('never goes back, whatever the clocks of the processes, and ignores refused calls', async () => {
    const key = await issue({})
    const caller = tenant.withKey(key)
    await caller.get(200, '/workspaces')
    await app.context.keyUses.flush()
    app.clock.advance(-3_600_000)
    await caller.get(200, '/workspaces')
    await app.context.keyUses.flush()
    expect(await listed(key.id)).toMatchObject({ lastUsedAt: '2026-11-20T09:00:00.000Z' })
    app.clock.advance(7_200_000)
    await caller.get(403, '/workspaces', { headers: { 'x-signature': '0'.repeat(64) } })
    await app.context.keyUses.flush()
    expect(await listed(key.id)).toMatchObject({ lastUsedAt: '2026-11-20T09:00:00.000Z' })
  })

  test('is written by the next flush if one fails; a deleted key is skipped', async () => {
    let isAway = true
    const { database } = app.context
    const own = await startTestApp({}, undefined, {
      ...database,
      query: (text, values) =>
        isAway && text.includes('insert into key_uses')
          ? Promise.reject(new Error('away'))
          : database.query(text, values),
    })
    const key = await issue({})
    await tenant.on(own).withKey(key).get(200, '/workspaces')
    own.context.keyUses.note('key_gone', own.clock.now())
    await expect(own.context.keyUses.flush()).rejects.toThrow('away')
    isAway = false
    await own.context.keyUses.flush()
    expect(await listed(key.id)).toMatchObject({ lastUsedAt: '2026-11-20T09:00:00.000Z' })
  })

  test('does not make any process reload its keys', async () => {
    const revision = async (): Promise<unknown> =>
      (await app.context.database.query('select sum(revision) from access_revisions')).rows[0]
    await tenant.get(200, '/workspaces')
    const before = await revision()
    await app.context.keyUses.flush()
    expect(await revision()).toEqual(before)
  })
})

test('a key from before the issuer was recorded does not show one', async () => {
  expect(await listed(tenant.key.id)).not.toHaveProperty('createdBy')
})
