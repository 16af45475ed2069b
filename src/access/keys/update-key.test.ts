import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Key,
  Member,
  operatorCall,
  type Reply,
  signedHeaders,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import type { Key as KeyBody, KeyPatch, NewKey } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00.000Z')
  tenant = await Tenant.create(app)
})

const keysPath = (): string => `/organizations/${tenant.organizationId}/keys`
const issue = async (settings: NewKey = {}): Promise<Key & KeyBody> =>
  (await operatorCall(app, 201, 'POST', keysPath(), { body: settings })).body
const update = (status: number, id: string, body: KeyPatch): Promise<Reply> =>
  operatorCall(app, status, 'PATCH', `${keysPath()}/${id}`, { body })
const listed = async (id: string): Promise<KeyBody> =>
  (await operatorCall(app, 200, 'GET', keysPath())).body.find((key: KeyBody) => key.id === id)
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

async function call(
  status: number,
  key: Key,
  { path = '/v1/workspaces', secret = key.secret, from = '192.0.2.7' } = {},
) {
  const date = new Date(app.clock.now()).toUTCString()
  const response = await app.app.inject({
    method: 'GET',
    url: path,
    remoteAddress: from,
    headers: { ...signedHeaders({ id: key.id, secret }, date), 'x-api-version': '1' },
  })
  expect(response.statusCode, response.body).toBe(status)
}

describe('a change to a key', () => {
  test('applies from its next request on, keeps its secret, and is in the audit trail', async () => {
    const { secret, ...key } = await issue({ name: 'Warehouse', permissions: ['channels:read'] })
    await call(200, { ...key, secret })
    const changes: KeyPatch = {
      name: 'Warehouse 😀',
      permissions: ['posts:read'],
      allowedAddresses: ['192.0.2.0/24'],
      expiresAt: '2027-02-01T00:00:00.000Z',
      requestsPerSecond: 7,
    }
    expect((await update(200, key.id, changes)).body).toEqual({ ...key, ...changes })
    expect(await listed(key.id)).toEqual({ ...key, ...changes })
    await call(403, { ...key, secret })
    await call(200, { ...key, secret }, { path: '/v1/scheduled-posts' })
    await call(403, { ...key, secret }, { path: '/v1/scheduled-posts', from: '198.51.100.1' })
    const { items } = (await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/audit`)).body
    expect(items[0]).toMatchObject({ operation: 'updateKey', target: { type: 'key', id: key.id }, changes })

    const open: KeyPatch = { permissions: null, allowedAddresses: [], expiresAt: null, requestsPerSecond: null }
    const opened = (await update(200, key.id, open)).body
    expect(opened).not.toHaveProperty('expiresAt')
    expect(opened).not.toHaveProperty('requestsPerSecond')
    await call(200, { ...key, secret }, { from: '198.51.100.1' })
  })

  test('is refused if the key has ended or belongs to another organization, or if the change is empty', async () => {
    const key = await issue({ expiresAt: '2026-11-21T00:00:00Z' })
    await update(422, key.id, {})
    await update(422, key.id, { permissions: [] })
    await update(422, key.id, { permissions: ['posts:approve' as never] })
    expect(codeOf(await update(400, key.id, { expiresAt: '2026-11-19T00:00:00Z' }))).toBe('expiry_past')
    const revoked = await issue()
    await operatorCall(app, 200, 'DELETE', `${keysPath()}/${revoked.id}`)
    expect(codeOf(await update(409, revoked.id, { name: 'A' }))).toBe('key_ended')
    app.clock.set('2026-11-21T00:00:00.000Z')
    expect(codeOf(await update(409, key.id, { expiresAt: null }))).toBe('key_ended')
    tenant = await Tenant.create(app)
    expect(codeOf(await update(404, key.id, { name: 'A' }))).toBe('key_not_found')
  })

  test('is refused if the caller has lost the right since the request began', async () => {
    const key = await issue()
    const { organizationId } = tenant
    const path = `/organizations/${organizationId}/keys/${key.id}`
    const editor = await Member.create(app, { organizationId, role: 'EDITOR' })
    await editor.call(403, 'PATCH', path, { body: { name: 'A' } })
    const admin = await Member.create(app, { organizationId, role: 'ADMIN' })
    await admin.call(200, 'PATCH', path, { body: { name: 'A' } })
  })

  test('is kept together with another one made at the same time', async () => {
    const { id } = await issue()
    await Promise.all([update(200, id, { name: 'A' }), update(200, id, { requestsPerSecond: 3 })])
    expect(await listed(id)).toMatchObject({ name: 'A', requestsPerSecond: 3 })
  })
})

describe('a key that replaces another', () => {
  test('is named by the old key, which keeps working', async () => {
    const first = await issue({ name: 'Shop' })
    const second = await issue({ name: 'Shop', replaces: first.id })
    expect(await listed(first.id)).toMatchObject({ replacedBy: second.id })
    expect(await listed(second.id)).not.toHaveProperty('replacedBy')
    await call(200, first)
  })

  test('is not issued if the old key belongs to another organization or does not exist', async () => {
    const { id } = await issue()
    tenant = await Tenant.create(app)
    for (const replaces of [id, 'key_none']) {
      const reply = await operatorCall(app, 404, 'POST', keysPath(), { body: { replaces } })
      expect(codeOf(reply)).toBe('key_not_found')
    }
    expect((await operatorCall(app, 200, 'GET', keysPath())).body).toHaveLength(1)
  })
})

describe('refused requests of a key', () => {
  const refusedOf = async (id: string) => {
    await app.context.keyUses.flush()
    return (await listed(id)).refused
  }

  test('are counted, with the instant and the reason of the last one', async () => {
    const key = await issue({ permissions: ['channels:read'], allowedAddresses: ['192.0.2.7'], requestsPerSecond: 1 })
    expect(await refusedOf(key.id)).toBeUndefined()
    await call(403, key, { secret: 'another' })
    expect(await refusedOf(key.id)).toEqual({ count: 1, lastAt: '2026-11-20T09:00:00.000Z', lastReason: 'signature' })
    app.clock.advance(1_000)
    await call(403, key, { from: '198.51.100.1' })
    expect(await refusedOf(key.id)).toMatchObject({ count: 2, lastReason: 'address' })
    await call(403, key, { path: '/v1/scheduled-posts' })
    expect(await refusedOf(key.id)).toMatchObject({ count: 3, lastReason: 'permission' })
    await call(200, key)
    await call(429, key)
    await call(429, key)
    expect(await refusedOf(key.id)).toEqual({ count: 5, lastAt: '2026-11-20T09:00:01.000Z', lastReason: 'rate' })
    await operatorCall(app, 200, 'DELETE', `${keysPath()}/${key.id}`)
    await call(403, key)
    expect(await refusedOf(key.id)).toMatchObject({ count: 6, lastReason: 'ended' })
  })

  test('with unknown keys are not stored, however many there are', async () => {
    const { keyUses, database } = app.context
    for (let n = 0; n < limit('refusedKeys') + 5; n++) keyUses.refuse(`key_none_${n}`, 'ended', app.clock.now())
    const key = await issue()
    await call(403, key, { secret: 'another' })
    await keyUses.flush()
    // Beyond the bound a refusal is not counted; the next minute starts empty.
    expect((await listed(key.id)).refused).toBeUndefined()
    await call(403, key, { secret: 'another' })
    expect(await refusedOf(key.id)).toMatchObject({ count: 1 })
    const { rows } = await database.query("select from key_refusals where key_id like 'key_none%'")
    expect(rows).toEqual([])
  })

  test('are written by the next flush if one fails', async () => {
    const key = await issue()
    await call(403, key, { secret: 'another' })
    const { database, keyUses } = app.context
    const { query } = database
    database.query = () => Promise.reject(new Error('away'))
    await expect(keyUses.flush()).rejects.toThrow('away')
    database.query = query
    await call(403, key, { secret: 'another' })
    expect(await refusedOf(key.id)).toMatchObject({ count: 2 })
  })
})
