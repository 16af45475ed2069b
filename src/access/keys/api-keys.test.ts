import { beforeAll, expect, test } from 'vitest'
import {
  type CallOptions,
  type Key,
  keyCall,
  Member,
  operatorCall,
  type Reply,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import { insertPost } from '../../../test/posts.js'
import type { NewKey } from '../../interface/generated/types.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
})

const issue = async (settings: NewKey): Promise<Key> =>
  (await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/keys`, { body: settings })).body
const by = (key: Key, status: number, method: 'GET' | 'POST' | 'PATCH', path: string, { body }: CallOptions = {}) =>
  keyCall(app, key, status, method, path, body)
const below = (path: string, { organizationId } = tenant): string => `/organizations/${organizationId}${path}`
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

test('a key with the permission api calls /api in its own organization, with only its other permissions', async () => {
  const key = await issue({ permissions: ['channels:read', 'settings:read', 'api'] })
  expect((await by(key, 200, 'GET', '/whoami')).body).toMatchObject({ type: 'key', id: key.id })
  expect((await by(key, 200, 'GET', below('/channels'))).body).toEqual([])
  expect((await by(key, 200, 'GET', below('/keys'))).body.length).toBeGreaterThan(0)
  expect(codeOf(await by(key, 403, 'GET', below('/audit')))).toBe('permission_missing')
  expect(codeOf(await by(key, 403, 'GET', below('/inbox')))).toBe('permission_missing')
  expect(codeOf(await by(key, 403, 'GET', '/organizations'))).toBe('permission_missing')
  expect(codeOf(await by(key, 403, 'GET', '/me'))).toBe('permission_missing')
  expect(codeOf(await by(key, 403, 'POST', below('/scheduled-posts/none/approve')))).toBe('approval_is_human')
})

test('another organization looks to a key exactly like one that does not exist', async () => {
  const key = await issue({ permissions: ['channels:read', 'api'] })
  const other = await Tenant.create(app)
  const real = await by(key, 404, 'GET', below('/channels', other))
  const unknown = await by(key, 404, 'GET', '/organizations/org_none/channels')
  expect([codeOf(real), real.body]).toEqual([codeOf(unknown), unknown.body])
})

test('a key without the permission api is refused by /api, even if it was issued without a list of permissions', async () => {
  for (const settings of [{}, { permissions: ['channels:read'] }] satisfies NewKey[]) {
    const key = await issue(settings)
    const refused = await by(key, 403, 'GET', below('/channels'))
    expect([codeOf(refused), refused.body.message]).toEqual(['permission_missing', expect.stringContaining('api')])
    await app.context.keyUses.flush()
    const { body } = await operatorCall(app, 200, 'GET', below('/keys'))
    expect(body.find(({ id }: Key) => id === key.id).refused).toMatchObject({ count: 1, lastReason: 'permission' })
  }
  const { permissions } = (await issue({})) as unknown as { permissions: string[] }
  expect(permissions).not.toContain('api')
})

test('a program cannot give a key permissions that it does not hold itself, whether it issues or changes the key', async () => {
  const key = await issue({ permissions: ['posts:read', 'settings:write', 'api'] })
  const refused = await by(key, 403, 'POST', below('/keys'), { body: { permissions: ['posts:read', 'posts:write'] } })
  expect(refused.body.message).toContain('you do not hold posts:write')
  // Without a list the key would have every permission.
  await by(key, 403, 'POST', below('/keys'), { body: {} })
  const { id } = (await by(key, 201, 'POST', below('/keys'), { body: { permissions: ['posts:read'] } })).body
  await by(key, 403, 'PATCH', below(`/keys/${id}`), { body: { permissions: ['audience:read'] } })
  await by(key, 403, 'PATCH', below(`/keys/${id}`), { body: { permissions: null } })
  await by(key, 200, 'PATCH', below(`/keys/${id}`), { body: { name: 'Reader' } })
})

test('a program cannot give any key, including its own, wider bounds than its own key has', async () => {
  const soon = new Date(app.clock.now() + 3_600_000).toISOString()
  const later = new Date(app.clock.now() + 3_600_001).toISOString()
  const permissions: NewKey['permissions'] = ['settings:write', 'api']
  const bounds = { allowedAddresses: ['127.0.0.0/8', '2001:db8::/32'], expiresAt: soon, requestsPerSecond: 50 }
  const key = await issue({ permissions, ...bounds })
  const wider: [object, says: string][] = [
    [{ allowedAddresses: [] }, 'within 127.0.0.0/8, 2001:db8::/32'],
    [{ allowedAddresses: ['127.0.0.1', '10.0.0.1'] }, 'within'],
    [{ allowedAddresses: ['126.0.0.0/7'] }, 'within'],
    [{ allowedAddresses: ['::ffff:127.0.0.0/90'] }, 'within'],
    [{ allowedAddresses: ['2001:db8::/31'] }, 'within'],
    [{ expiresAt: later }, soon],
    [{ requestsPerSecond: 0 }, 'from 1 to 50'],
    [{ requestsPerSecond: 51 }, 'from 1 to 50'],
  ]
  const narrow = { allowedAddresses: ['127.0.0.1', '2001:db8:1::/48'], expiresAt: soon, requestsPerSecond: 50 }
  const made = (await by(key, 201, 'POST', below('/keys'), { body: { permissions, ...narrow } })).body
  for (const [body, says] of wider) {
    const issued = await by(key, 403, 'POST', below('/keys'), { body: { permissions, ...narrow, ...body } })
    expect([codeOf(issued), issued.body.message]).toEqual(['permission_missing', expect.stringContaining(says)])
    for (const { id } of [key, made]) await by(key, 403, 'PATCH', below(`/keys/${id}`), { body })
  }
  for (const name of ['allowedAddresses', 'expiresAt', 'requestsPerSecond'] as const) {
    const { [name]: _, ...rest } = narrow
    await by(key, 403, 'POST', below('/keys'), { body: { permissions, ...rest } })
  }
  for (const body of [{ expiresAt: null }, { requestsPerSecond: null }]) {
    await by(key, 403, 'PATCH', below(`/keys/${key.id}`), { body })
  }
  await by(key, 200, 'PATCH', below(`/keys/${key.id}`), { body: { ...narrow, name: 'Here only' } })
  const free = await issue({ permissions })
  await by(free, 201, 'POST', below('/keys'), { body: { permissions } })
})

test('an ADMIN, who holds every permission that a key can have, can issue any key', async () => {
  const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
  await admin.call(201, 'POST', below('/keys'), { body: {} })
  await admin.call(201, 'POST', below('/keys'), { body: { permissions: ['posts:write', 'api'] } })
})

test('a key that is revoked or restricted during its request to issue another key issues none', async () => {
  const { database } = app.context
  for (const change of ['revoked_at = now()', "permissions = '{posts:read,api}'"]) {
    const key = await issue({ permissions: ['posts:read', 'settings:write', 'api'] })
    // The key changes after the request was admitted, and before its transaction.
    const own = await startTestApp({}, undefined, {
      ...database,
      transaction: (run, options) =>
        database.transaction(async (tx) => {
          await tx.query(`update api_keys set ${change} where organization_id = $1 and key_id = $2`, [
            tenant.organizationId,
            key.id,
          ])
          return await run(tx)
        }, options),
    })
    const body = { name: 'quick', permissions: ['posts:read'] }
    const refused = await keyCall(own, key, 403, 'POST', below('/keys'), body)
    expect(codeOf(refused)).toBe(change.startsWith('revoked') ? 'signature_invalid' : 'permission_missing')
  }
  const { body } = await operatorCall(app, 200, 'GET', below('/keys'))
  expect(body.filter(({ name }: { name: string }) => name === 'quick')).toEqual([])
})

test('a read-only key cannot write in a discussion', async () => {
  const path = below(`/scheduled-posts/${await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL' })}/discussion`)
  const [reader, writer] = [
    await issue({ permissions: ['posts:read', 'api'] }),
    await issue({ permissions: ['posts:read', 'posts:write', 'api'] }),
  ]
  const { id } = (await by(writer, 201, 'POST', path, { body: { text: 'Done' } })).body
  for (const [method, rest, body] of [
    ['POST', '', { text: 'Hello' }],
    ['PATCH', `/${id}`, { text: 'Undone' }],
    ['POST', `/${id}/resolve`, undefined],
    ['POST', `/${id}/reopen`, undefined],
  ] as const) {
    const refused = await by(reader, 403, method, `${path}${rest}`, { body })
    expect([codeOf(refused), refused.body.message]).toEqual([
      'permission_missing',
      expect.stringContaining('posts:write'),
    ])
  }
  expect((await by(reader, 200, 'GET', path)).body.items).toMatchObject([{ id, text: 'Done' }])
})
