import { beforeAll, describe, expect, test } from 'vitest'
import {
  issueTestKey,
  type Key,
  listOrganizations,
  operatorCall,
  send,
  signedHeaders,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { KEY_PERMISSION_NAMES } from '../interface/key-permissions.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const createOrganization = async (name = 'Cafe ☕'): Promise<string> =>
  (await operatorCall(app, 201, 'POST', '/organizations', { body: { name } })).body.id

/** Makes a call signed with this key. */
function callWith(status: number, key: Key) {
  const headers = { ...signedHeaders(key, new Date(app.clock.now()).toUTCString()), 'x-api-version': '1' }
  return send(app.app, status, 'GET', '/v1/workspaces', { headers })
}

describe('organizations', () => {
  test('are created active, listed and renamed', async () => {
    const { body } = await operatorCall(app, 201, 'POST', '/organizations', { body: { name: 'Cafe ☕' } })
    const createdAt = new Date(app.clock.now()).toISOString()
    expect(body).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'Cafe ☕',
      active: true,
      fourEyes: false,
      requireSecondFactor: false,
      automation: 'on',
      reviewers: [],
      timeZone: 'UTC',
      language: 'en',
      currency: null,
      createdAt,
    })
    expect(await listOrganizations(app)).toContainEqual(body)

    const written = { timeZone: 'Europe/Paris', language: 'es', currency: 'EUR' }
    const changes = { name: 'Bistro', fourEyes: true, automation: 'shadow', ...written }
    const renamed = await operatorCall(app, 200, 'PATCH', `/organizations/${body.id}`, { body: changes })
    expect(renamed.body).toEqual({ ...body, ...changes })
    expect(await listOrganizations(app)).toContainEqual(renamed.body)
  })

  test('are listed oldest first, in pages, each exactly once', async () => {
    const ids: string[] = []
    for (let index = 0; index < 5; index++) ids.push(await createOrganization(`Page ${index}`))
    const all = (await listOrganizations(app)).map(({ id }) => id)
    expect(all.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted())
    expect((await listOrganizations(app, 'limit=30')).map(({ id }) => id)).toEqual(all)
    const { body } = await operatorCall(app, 200, 'GET', '/organizations?limit=99999999999999999999')
    expect(body.items.length).toBe(Math.min(all.length, 1_000))
    expect(body.nextCursor === null).toBe(all.length <= 1_000)
    for (const query of ['limit=0', 'limit=a', 'after=', 'after=x', 'offset=1']) {
      await operatorCall(app, 422, 'GET', `/organizations?${query}`)
    }
  })

  test('an inactive one gets 402 with every key, and works again after activation', async () => {
    const tenant = await Tenant.create(app)
    const path = `/organizations/${tenant.organizationId}`
    const other = await issueTestKey(app, tenant.organizationId)
    await tenant.get(200, '/workspaces')
    const { body } = await operatorCall(app, 200, 'PATCH', path, { body: { active: false } })
    expect(body).toMatchObject({ active: false, name: 'Test' })
    const reply = await tenant.get(402, '/workspaces')
    expect(reply.headers['x-error-code']).toBe('organization_inactive')
    await callWith(402, other)
    await operatorCall(app, 200, 'PATCH', path, { body: { active: true } })
    await tenant.get(200, '/workspaces')
    await callWith(200, other)
  })

  test('are refused in the wrong shape or if unknown', async () => {
    for (const body of [{}, { name: '' }, { name: 5 }, { name: 'x'.repeat(201) }, { name: 'a', active: true }, []]) {
      await operatorCall(app, 422, 'POST', '/organizations', { body })
    }
    const path = `/organizations/${await createOrganization()}`
    for (const body of [
      {},
      { name: null },
      { active: 'yes' },
      { id: 'x' },
      { timeZone: 'Mars' },
      { reviewers: [null, 'anna@agency.example'] },
      { reviewers: ['anna@agency.example', 'Anna@Agency.example'] },
      { timeZone: '+02:00' },
      { language: 'fr' },
      { language: null },
      ...['XXZ', 'XXX', 'eur', 'EURO', '', 978].map((currency) => ({ currency })),
    ]) {
      await operatorCall(app, 422, 'PATCH', path, { body })
    }
    const reply = await operatorCall(app, 404, 'PATCH', '/organizations/none', { body: { active: true } })
    expect(reply.headers['x-error-code']).toBe('organization_not_found')
  })
})

describe('keys', () => {
  test('interface 5: an issued key signs, and its secret is only in that response', async () => {
    const organizationId = await createOrganization()
    const path = `/organizations/${organizationId}/keys`
    const { body: key } = await operatorCall(app, 201, 'POST', path)
    const createdAt = new Date(app.clock.now()).toISOString()
    const { secret, ...shown } = key
    // Secret scanners look for this form.
    expect(secret).toMatch(/^greenroom_secret_[0-9a-f]{64}$/)
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      name: '',
      permissions: [...KEY_PERMISSION_NAMES],
      allowedAddresses: [],
      createdAt,
      createdBy: { type: 'operator' },
    })
    await callWith(200, key)
    expect((await operatorCall(app, 200, 'GET', path)).body).toEqual([shown])
    const { rows } = await app.context.database.query('select * from api_keys where key_id = $1', [key.id])
    expect(JSON.stringify(rows)).not.toContain(key.secret)
  })

  test('two are live at once, and a revoked one is refused at once while the other keeps working', async () => {
    const path = `/organizations/${await createOrganization()}/keys`
    const { body: first } = await operatorCall(app, 201, 'POST', path)
    const { body: second } = await operatorCall(app, 201, 'POST', path)
    await callWith(200, first)
    await callWith(200, second)

    const revokedAt = new Date(app.clock.now()).toISOString()
    const { body } = await operatorCall(app, 200, 'DELETE', `${path}/${first.id}`)
    const { secret: _, ...shown } = first
    expect(body).toEqual({ ...shown, revokedAt })
    const refused = await callWith(403, first)
    expect(refused.headers['x-error-code']).toBe('signature_invalid')
    await callWith(200, second)

    app.clock.advance(5000)
    expect((await operatorCall(app, 200, 'DELETE', `${path}/${first.id}`)).body.revokedAt).toBe(revokedAt)
    const { body: list } = await operatorCall(app, 200, 'GET', path)
    expect(list).toHaveLength(2)
    expect(list).toContainEqual(body)
  })

  test('an unknown organization, an unknown key and a key of another organization are 404', async () => {
    const mine = `/organizations/${await createOrganization()}/keys`
    const theirs = `/organizations/${await createOrganization()}/keys`
    const { body: key } = await operatorCall(app, 201, 'POST', theirs)
    await operatorCall(app, 404, 'POST', '/organizations/none/keys')
    await operatorCall(app, 404, 'GET', '/organizations/none/keys')
    await operatorCall(app, 404, 'DELETE', `/organizations/none/keys/${key.id}`)
    await operatorCall(app, 404, 'DELETE', `${mine}/none`)
    const reply = await operatorCall(app, 404, 'DELETE', `${mine}/${key.id}`)
    expect(reply.headers['x-error-code']).toBe('key_not_found')
    await callWith(200, key)
  })
})
