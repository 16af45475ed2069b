import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, send, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, publishable } from '../../test/posts.js'
import type { AuditEntry, AuditEntryPage as AuditPage } from '../interface/generated/types.js'

const HOUR_MS = 3_600_000

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00.000Z')
  tenant = await Tenant.create(app)
})

const operator = (status: number, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  operatorCall(app, status, method, `/organizations/${tenant.organizationId}${path}`, { body })
const trail = async (query = ''): Promise<AuditEntry[]> =>
  ((await operator(200, 'GET', `/audit?limit=200${query}`)).body as AuditPage).items
const rename = (name: string) => operator(200, 'PATCH', '', { name })

describe('a filter of the trail', () => {
  test('by time includes the first instant and excludes the second', async () => {
    const hours = [0, 1, 2, 3, 4, 5]
    for (const hour of hours) {
      app.clock.set(new Date(Date.parse('2028-02-29T12:00:00Z') + hour * HOUR_MS).toISOString())
      await rename(`At ${hour}`)
    }
    const namesOf = async (query: string) => (await trail(query)).flatMap(({ changes }) => changes?.name ?? [])
    expect(await namesOf('&from=2028-02-29T13:00:00Z&to=2028-02-29T16:00:00Z')).toEqual(['At 3', 'At 2', 'At 1'])
    expect(await namesOf('&from=2028-02-29T17:00:00Z')).toEqual(['At 5'])
    expect(await namesOf('&to=2028-02-29T12:00:00Z&operation=updateOrganization')).toEqual([])
    expect(await namesOf('&from=2030-01-01T00:00:00Z')).toEqual([])
    await operator(422, 'GET', '/audit?from=yesterday')
    // Pages stay within the time.
    const first = (await operator(200, 'GET', '/audit?limit=2&from=2028-02-29T14:00:00Z')).body as AuditPage
    const second = await operator(200, 'GET', `/audit?limit=2&from=2028-02-29T14:00:00Z&after=${first.nextCursor}`)
    expect([...first.items, ...second.body.items].map(({ changes }) => changes?.name)).toEqual([
      'At 5',
      'At 4',
      'At 3',
      'At 2',
    ])
  })

  test('by operation and by post has only these, even beyond what one page examines', async () => {
    const channel = await tenant.channel()
    const id = await insertPost(tenant, { ...publishable(channel), status: 'DRAFT' })
    const other = await insertPost(tenant, { ...publishable(channel), status: 'DRAFT' })
    await tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    await tenant.call(200, 'POST', `/scheduled-posts/${other}/submit-for-approval`)
    await app.context.database.query(
      `insert into audit_trail (organization_id, at, actor_type, operation, target_type, target_id)
       select $1, $2, 'operator', 'filler', 'organization', $1 from generate_series(1, 2500)`,
      [tenant.organizationId, new Date(app.clock.now())],
    )
    const ofPost = await trail(`&scheduledPostId=${id}`)
    expect(ofPost.map(({ operation, target }) => [operation, target.id])).toEqual([
      ['submitScheduledPostForApproval', id],
      ['createScheduledPost', id],
    ])
    await rename('B')
    expect((await trail('&operation=updateOrganization')).map(({ changes }) => changes)).toEqual([{ name: 'B' }])
  })
})

describe('an entry', () => {
  test('of a change has the previous values from the latest earlier entry', async () => {
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    const { body: key } = await operator(201, 'POST', '/keys', { name: 'Shop', permissions: ['posts:read'] })
    await operator(200, 'PATCH', `/keys/${key.id}`, { permissions: ['posts:read', 'posts:write'] })
    const path = `/organizations/${tenant.organizationId}/keys/${key.id}`
    await admin.call(200, 'PATCH', path, { body: { name: 'Shop 😀', requestsPerSecond: 4 } })
    await operator(200, 'PATCH', `/keys/${key.id}`, { name: 'Till', requestsPerSecond: null })
    const changes = (await trail('&operation=updateKey')).map(({ changes, before }) => [before, changes])
    expect(changes).toEqual([
      [
        { name: 'Shop 😀', requestsPerSecond: 4 },
        { name: 'Till', requestsPerSecond: null },
      ],
      [{ name: 'Shop' }, { name: 'Shop 😀', requestsPerSecond: 4 }],
      [{ permissions: ['posts:read'] }, { permissions: ['posts:read', 'posts:write'] }],
    ])
  })

  test('that was repeated contributes its last state, but only one from before the change', async () => {
    for (const name of ['A', 'B', 'C']) await rename(name)
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    app.clock.advance(1_000)
    await admin.call(200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { name: 'D' } })
    app.clock.advance(1_000)
    await rename('E')
    const [newest] = await trail('&operation=updateOrganization')
    expect(newest).toMatchObject({ before: { name: 'C' }, changes: { name: 'D' } })
  })

  test('has the name of its target and the address of the caller, which the publisher does not have', async () => {
    const { body: key } = await operator(201, 'POST', '/keys', { name: 'Shop' })
    const [entry] = await trail('&operation=issueKey')
    expect(entry).toMatchObject({ target: { type: 'key', id: key.id, name: 'Shop' }, address: '127.0.0.1' })
    await app.context.database.query(
      `insert into audit_trail (organization_id, at, actor_type, operation, target_type, target_id)
       values ($1, $2, 'publisher', 'removeRevokedKeys', 'organization', $1)`,
      [tenant.organizationId, new Date(app.clock.now())],
    )
    expect((await trail('&actor=publisher'))[0]).not.toHaveProperty('address')
    const other = tenant
    tenant = await Tenant.create(app)
    expect((await trail()).every(({ target }) => target.id !== key.id)).toBe(true)
    tenant = other
  })
})

describe('the export', () => {
  const exported = async (member: Member, query = '') => {
    const url = `/api/organizations/${tenant.organizationId}/audit/export${query}`
    const response = await app.app.inject({ method: 'GET', url, headers: { cookie: member.cookie } })
    return { status: response.statusCode, type: response.headers['content-type'], text: response.body }
  }

  test('has every filtered entry in one table, and runs no formula', async () => {
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    for (let n = 0; n < 205; n++) await operator(201, 'POST', '/workspaces', { name: `W${n}`, type: 'STANDARD' })
    await operator(201, 'POST', '/workspaces', { name: '=cmd()', type: 'VIP' })
    const { status, type, text } = await exported(admin, '?operation=createWorkspace')
    expect([status, type]).toEqual([200, 'text/csv; charset=utf-8'])
    const lines = text.trim().split('\r\n')
    expect(lines[0]).toBe('at,actor,name,operation,type,id,target,before,changes,times,address')
    expect(lines).toHaveLength(1 + 206)
    expect(lines[1]).toContain("'=cmd()")
    expect((await exported(admin, '?from=2030-01-01T00:00:00Z')).text.trim().split('\r\n')).toHaveLength(1)
  })

  test('is only for people who may read the trail', async () => {
    const editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
    expect((await exported(editor)).status).toBe(403)
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    tenant = await Tenant.create(app)
    expect((await exported(admin)).status).toBe(404)
    await send(app.app, 401, 'GET', `/api/organizations/${tenant.organizationId}/audit/export`)
  })
})
