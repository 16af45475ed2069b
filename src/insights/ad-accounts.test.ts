import { beforeAll, beforeEach, expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { accessTokenContext, findAdAccount } from './ad-accounts.store.js'

let app: TestApp
let tenant: Tenant
let path: string

beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  path = `/organizations/${tenant.organizationId}/ad-accounts`
})

const TOKEN = 'EAAB-a-token-of-the-platform'
const ACCOUNT = { id: '1234567890', name: 'Brand ☕', currency: 'EUR', timezone: 'Europe/Berlin' }

/** Returns the decrypted stored token, or null if there is none. */
async function storedToken(id = ACCOUNT.id): Promise<string | null> {
  const row = await findAdAccount(app.context.database, tenant.organizationId, id)
  const sealed = row!.access_token_sealed
  expect(sealed ?? '').not.toContain(TOKEN)
  return sealed === null ? null : app.context.sealer.open(sealed, accessTokenContext(tenant.organizationId, id))
}

test('an ad account is created with its token, which is stored sealed and never returned', async () => {
  const body = { ...ACCOUNT, id: `act_${ACCOUNT.id}`, accessToken: TOKEN, check: false }
  const made = await operatorCall(app, 201, 'POST', path, { body })
  expect(made.body).toEqual({ ...ACCOUNT, connected: true })
  expect((await operatorCall(app, 200, 'GET', path)).body).toEqual([{ ...ACCOUNT, connected: true }])
  expect((await tenant.get(200, '/ad-accounts')).body).toEqual([ACCOUNT])
  expect(await storedToken()).toBe(TOKEN)
})

test('an ad account is connected, gets another token, and is disconnected', async () => {
  await operatorCall(app, 201, 'POST', path, { body: ACCOUNT })
  expect(await storedToken()).toBeNull()
  for (const accessToken of [TOKEN, 'another']) {
    const { body } = await operatorCall(app, 200, 'PATCH', `${path}/${ACCOUNT.id}`, {
      body: { accessToken, check: false },
    })
    expect(body).toEqual({ ...ACCOUNT, connected: true })
    expect(await storedToken()).toBe(accessToken)
  }
  const { body } = await operatorCall(app, 200, 'PATCH', `${path}/act_${ACCOUNT.id}`, { body: { accessToken: null } })
  expect(body).toEqual({ ...ACCOUNT, connected: false })
  expect(await storedToken()).toBeNull()
})

test('a duplicate id returns 409, with or without act_', async () => {
  await operatorCall(app, 201, 'POST', path, { body: ACCOUNT })
  for (const id of [ACCOUNT.id, `act_${ACCOUNT.id}`]) {
    const reply = await operatorCall(app, 409, 'POST', path, { body: { ...ACCOUNT, id } })
    expect(reply.headers['x-error-code']).toBe('already_exists')
  }
})

test.each([
  ['id', 'act_'],
  ['id', '12a'],
  ['id', 12],
  ['name', ''],
  ['currency', 'eur'],
  ['currency', 'EURO'],
  ['timezone', 'Europe/Atlantis'],
  ['timezone', '+02:00'],
  ['timezone', ''],
  ['accessToken', ''],
  ['accessToken', null],
  ['check', 'false'],
  ['more', 1],
])('rejects %s %j, naming the field', async (field, value) => {
  const reply = await operatorCall(app, 422, 'POST', path, { body: { ...ACCOUNT, [field]: value } })
  expect(reply.body.error[0].path).toEqual([field])
})

test('a rejected token is not repeated in the response', async () => {
  await operatorCall(app, 201, 'POST', path, { body: ACCOUNT })
  const accessToken = TOKEN.repeat(200)
  for (const [method, at, body] of [
    ['POST', path, { ...ACCOUNT, accessToken }],
    ['PATCH', `${path}/${ACCOUNT.id}`, { accessToken }],
  ] as const) {
    const reply = await operatorCall(app, 422, method, at, { body })
    expect(reply.body.error[0]).toMatchObject({ path: ['accessToken'], type: 'string.max' })
    expect(JSON.stringify(reply.body)).not.toContain(TOKEN)
  }
})

test('unknown objects and those of another organization return 404', async () => {
  const other = await Tenant.create(app)
  await operatorCall(app, 201, 'POST', path, { body: ACCOUNT })
  const body = { accessToken: TOKEN }
  await operatorCall(app, 404, 'POST', '/organizations/none/ad-accounts', { body: ACCOUNT })
  await operatorCall(app, 404, 'GET', '/organizations/none/ad-accounts')
  await operatorCall(app, 404, 'PATCH', `/organizations/none/ad-accounts/${ACCOUNT.id}`, { body })
  const theirs = `/organizations/${other.organizationId}/ad-accounts/${ACCOUNT.id}`
  const reply = await operatorCall(app, 404, 'PATCH', theirs, { body })
  expect(reply.headers['x-error-code']).toBe('ad_account_not_found')
  expect(await storedToken()).toBeNull()
})
