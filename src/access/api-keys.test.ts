import { beforeAll, expect, test } from 'vitest'
import {
  type CallOptions,
  type Key,
  Member,
  operatorCall,
  type Reply,
  send,
  signedHeaders,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import type { NewKey } from '../interface/generated/types.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
})

const issue = async (settings: NewKey): Promise<Key> =>
  (await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/keys`, { body: settings })).body
const by = (key: Key, status: number, method: 'GET' | 'POST' | 'PATCH', path: string, { body }: CallOptions = {}) => {
  const date = new Date(app.clock.now()).toUTCString()
  const headers = { ...signedHeaders(key, date), 'x-api-version': '1' }
  return send(app.app, status, method, `/api${path}`, { body, headers })
}
const below = (path: string, { organizationId } = tenant): string => `/organizations/${organizationId}${path}`
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

test('a key with the permission api calls /api in its own organization, with its other permissions and no more', async () => {
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

test('what is not the organization of the key looks exactly like what does not exist', async () => {
  const key = await issue({ permissions: ['channels:read', 'api'] })
  const other = await Tenant.create(app)
  const real = await by(key, 404, 'GET', below('/channels', other))
  const unknown = await by(key, 404, 'GET', '/organizations/org_none/channels')
  expect([codeOf(real), real.body]).toEqual([codeOf(unknown), unknown.body])
})

test('a key without the permission api calls nothing there, even one that was issued without a list', async () => {
  for (const settings of [{}, { permissions: ['channels:read'] }] satisfies NewKey[]) {
    const key = await issue(settings)
    const refused = await by(key, 403, 'GET', below('/channels'))
    expect([codeOf(refused), refused.body.message]).toEqual(['permission_missing', expect.stringContaining('api')])
  }
  const { permissions } = (await issue({})) as unknown as { permissions: string[] }
  expect(permissions).not.toContain('api')
})

test('a program gives a key no more than it holds itself, by issuing and by changing one', async () => {
  const key = await issue({ permissions: ['posts:read', 'settings:write', 'api'] })
  const refused = await by(key, 403, 'POST', below('/keys'), { body: { permissions: ['posts:read', 'posts:write'] } })
  expect(refused.body.message).toContain('you do not hold posts:write')
  // Without a list it would hold everything.
  await by(key, 403, 'POST', below('/keys'), { body: {} })
  const { id } = (await by(key, 201, 'POST', below('/keys'), { body: { permissions: ['posts:read'] } })).body
  await by(key, 403, 'PATCH', below(`/keys/${id}`), { body: { permissions: ['audience:read'] } })
  await by(key, 403, 'PATCH', below(`/keys/${id}`), { body: { permissions: null } })
  await by(key, 200, 'PATCH', below(`/keys/${id}`), { body: { name: 'Reader' } })
})

test('an ADMIN, who holds all of them, issues any key', async () => {
  const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
  await admin.call(201, 'POST', below('/keys'), { body: {} })
  await admin.call(201, 'POST', below('/keys'), { body: { permissions: ['posts:write', 'api'] } })
})
