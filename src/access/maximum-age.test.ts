import { describe, expect, test } from 'vitest'
import {
  Member,
  operatorCall,
  type Reply,
  send,
  startOwnTestApp,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { readConfig } from '../config/index.js'

const DAY = 86_400_000
const AGE = 90 * DAY

const codeOf = (reply: Reply): unknown => reply.headers['x-error-code']
const inDays = (app: TestApp, days: number): string => new Date(app.clock.now() + days * DAY).toISOString()

describe('KEY_MAX_AGE_DAYS', () => {
  const start = (): Promise<TestApp> => startTestApp({ access: { keyMaxAgeMs: AGE } })
  const issue = (app: TestApp, tenant: Tenant, status: number, body: unknown): Promise<Reply> =>
    operatorCall(app, status, 'POST', `/organizations/${tenant.organizationId}/keys`, { body })
  const list = async (app: TestApp, tenant: Tenant): Promise<Reply['body'][]> =>
    (await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/keys`)).body

  test('is read in days, and off by default', () => {
    expect(readConfig({}).access).toMatchObject({ keyMaxAgeMs: undefined, operatorTokenMaxAgeMs: undefined })
    const set = readConfig({ KEY_MAX_AGE_DAYS: '90', OPERATOR_TOKEN_MAX_AGE_DAYS: '30' })
    expect(set.access).toMatchObject({ keyMaxAgeMs: AGE, operatorTokenMaxAgeMs: 30 * DAY })
    expect(() => readConfig({ KEY_MAX_AGE_DAYS: '0' })).toThrow('KEY_MAX_AGE_DAYS must be a whole number')
  })

  test('expires a key that was issued without an expiry, and every response shows it', async () => {
    const app = await start()
    const tenant = await Tenant.create(app)
    const ends = { expiresAt: inDays(app, 90), expiresByAge: true }
    const issued = await issue(app, tenant, 201, { name: 'no expiry' })
    expect(issued.body).toMatchObject(ends)
    const own = tenant.withKey({ id: issued.body.id, secret: issued.body.secret })
    expect((await list(app, tenant)).at(-1)).toMatchObject(ends)
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    const inConsole = await admin.call(200, 'GET', `/organizations/${tenant.organizationId}/keys`)
    expect(inConsole.body.at(-1)).toMatchObject(ends)
    app.clock.advance(AGE - 1)
    await own.get(200, '/channels')
    app.clock.advance(1)
    expect(codeOf(await own.get(403, '/channels'))).toBe('signature_invalid')
    const path = `/organizations/${tenant.organizationId}/keys/${issued.body.id}`
    expect((await operatorCall(app, 200, 'DELETE', path)).body).toMatchObject(ends)
  })

  test('refuses a later expiry with advice, and keeps an earlier one', async () => {
    const app = await start()
    const tenant = await Tenant.create(app)
    const refused = await issue(app, tenant, 400, { expiresAt: inDays(app, 91) })
    expect(codeOf(refused)).toBe('expiry_too_late')
    expect(refused.body.message).toContain('90 days')
    expect(refused.body.message).toContain('2027-02-18')
    const { body } = await issue(app, tenant, 201, { expiresAt: inDays(app, 30) })
    expect(body.expiresAt).toBe(inDays(app, 30))
    expect(body).not.toHaveProperty('expiresByAge')
    expect((await issue(app, tenant, 201, { expiresAt: inDays(app, 90) })).body).not.toHaveProperty('expiresByAge')
  })

  test('expires older keys when it is set, and restores them when it is removed', async () => {
    const before = await startOwnTestApp()
    const tenant = await Tenant.create(before)
    await tenant.get(200, '/channels')
    before.clock.advance(91 * DAY)
    await tenant.get(200, '/channels')
    const app = await start()
    app.clock.advance(91 * DAY)
    await tenant.on(app).get(403, '/channels')
    expect((await list(app, tenant))[0]).toMatchObject({ expiresAt: inDays(app, -1), expiresByAge: true })
    await tenant.get(200, '/channels')
    expect((await list(before, tenant))[0]).not.toHaveProperty('expiresAt')
  })
})

describe('OPERATOR_TOKEN_MAX_AGE_DAYS', () => {
  let names = 0
  const newName = (): string => `aged-${++names}`
  const issue = (app: TestApp, status: number, body: unknown): Promise<Reply> =>
    operatorCall(app, status, 'POST', '/server/operator-tokens', { body })
  const use = (app: TestApp, status: number, token: string): Promise<Reply> =>
    send(app.app, status, 'GET', '/api/whoami', { headers: { authorization: `Bearer ${token}` } })

  test('expires a token without an expiry, and an older one, but not the token of the environment', async () => {
    const before = await startOwnTestApp()
    const old = await issue(before, 201, { name: newName() })
    const app = await startTestApp({ access: { operatorTokenMaxAgeMs: AGE } })
    const ends = { expiresAt: inDays(app, 90), expiresByAge: true }
    const issued = await issue(app, 201, { name: newName() })
    expect(issued.body).toMatchObject(ends)
    app.clock.advance(AGE - 1)
    await use(app, 200, issued.body.token)
    await use(app, 200, old.body.token)
    app.clock.advance(1)
    expect(codeOf(await use(app, 401, issued.body.token))).toBe('operator_token_wrong')
    await use(app, 401, old.body.token)
    const { body } = await operatorCall(app, 200, 'GET', '/server/operator-tokens')
    const found = body.find(({ name }: { name: string }) => name === old.body.name)
    expect(found).toMatchObject(ends)
    before.clock.advance(AGE)
    await use(before, 200, old.body.token)
    await operatorCall(app, 200, 'DELETE', `/server/operator-tokens/${issued.body.name}`)
    await operatorCall(app, 200, 'DELETE', `/server/operator-tokens/${old.body.name}`)
  })

  test('refuses a later expiry', async () => {
    const app = await startTestApp({ access: { operatorTokenMaxAgeMs: AGE } })
    const refused = await issue(app, 400, { name: newName(), expiresAt: inDays(app, 91) })
    expect(codeOf(refused)).toBe('expiry_too_late')
  })
})

describe('keys and tokens that expire by their maximum age', () => {
  test('are counted in /status, if one is set', async () => {
    const plain = await startOwnTestApp()
    await plain.context.database.execute('delete from api_keys; delete from operator_tokens')
    const tenant = await Tenant.create(plain)
    expect((await send(plain.app, 200, 'GET', '/status')).body).not.toHaveProperty('maximumAges')
    const app = await startTestApp({ access: { keyMaxAgeMs: AGE, operatorTokenMaxAgeMs: AGE } })
    const counts = async (): Promise<unknown> => (await send(app.app, 200, 'GET', '/status')).body.maximumAges
    const none = { ending: 0, ended: 0 }
    expect(await counts()).toEqual({ keys: none, operatorTokens: none })
    await operatorCall(app, 201, 'POST', '/server/operator-tokens', { body: { name: 'counted' } })
    // Its own expiry comes first, so the maximum age does not count it.
    await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/keys`, {
      body: { expiresAt: inDays(app, 80) },
    })
    app.clock.advance(AGE - 14 * DAY)
    expect(await counts()).toEqual({ keys: { ending: 1, ended: 0 }, operatorTokens: { ending: 1, ended: 0 } })
    app.clock.advance(14 * DAY)
    expect(await counts()).toEqual({ keys: { ending: 0, ended: 1 }, operatorTokens: { ending: 0, ended: 1 } })
    await operatorCall(app, 200, 'DELETE', '/server/operator-tokens/counted')
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/keys/${tenant.key.id}`)
    expect(await counts()).toEqual({ keys: none, operatorTokens: none })
  })
})
