import { beforeAll, beforeEach, expect, test } from 'vitest'
import { NEW_CHANNEL, operatorCall, randomDigits, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { channelTokenContext, findChannelToken, setTokenProblem } from './channels.store.js'

let app: TestApp
let tenant: Tenant
let path: string
let channelId: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  path = `/organizations/${tenant.organizationId}/channels`
  channelId = await tenant.channel()
})

const TOKEN = 'EAAB-a-token-of-the-page'

const setToken = async (accessToken: string | null) =>
  (await operatorCall(app, 200, 'PATCH', `${path}/${channelId}`, { body: { accessToken, check: false } })).body

const find = (id = channelId) => findChannelToken(app.context.database, tenant.organizationId, id)

/** The stored token, opened; null if there is none. */
async function storedToken(id = channelId): Promise<string | null> {
  const { access_token_sealed: sealed } = (await find(id))!
  expect(sealed ?? '').not.toContain(TOKEN)
  return sealed === null ? null : app.context.sealer.open(sealed, channelTokenContext(tenant.organizationId, id))
}

/** The channel as the organization and the operator list it, which must be equal. */
async function listed(id = channelId) {
  const { body } = await tenant.get(200, '/channels')
  const { body: whole } = await operatorCall(app, 200, 'GET', path)
  // Only people who run the organization see the login of a token.
  const seen = whole.map(({ login, ...channel }: { login?: string }) => {
    expect(login).toBe('status' in channel && channel.status === 'not-connected' ? undefined : 'facebook')
    return channel
  })
  expect(seen).toEqual(body.map((channel: object) => ({ ...channel, ...NEW_CHANNEL })))
  return body.find((channel: { id: string }) => channel.id === id)
}

test('a channel is created with its token, which is stored sealed and is in no response', async () => {
  const body = { type: 'INSTAGRAM_ACCOUNT', platformId: randomDigits(15), name: 'Café ☕' }
  const made = await operatorCall(app, 201, 'POST', path, { body: { ...body, accessToken: TOKEN, check: false } })
  const id = `INSTAGRAM_ACCOUNT_${body.platformId}`
  const channel = { id, type: body.type, name: body.name, status: 'connected' }
  expect(made.body).toEqual({ ...channel, login: 'facebook' })
  expect(await listed(id)).toEqual(channel)
  expect(await storedToken(id)).toBe(TOKEN)
})

test('a channel is connected, its token replaced, and disconnected', async () => {
  const channel = { id: channelId, type: 'FB_PAGE', name: 'A channel' }
  expect(await listed()).toEqual({ ...channel, status: 'not-connected' })
  for (const accessToken of [TOKEN, 'another']) {
    expect(await setToken(accessToken)).toEqual({ ...channel, status: 'connected', login: 'facebook' })
    expect(await storedToken()).toBe(accessToken)
  }
  expect(await setToken(null)).toEqual({ ...channel, status: 'not-connected' })
  expect(await listed()).toEqual({ ...channel, status: 'not-connected' })
  expect(await storedToken()).toBeNull()
})

test("a token that the platform refused shows the platform's reason until another is set", async () => {
  const { database } = app.context
  const problem = 'Error validating access token: the session has expired.'
  await setToken(TOKEN)
  const refused = (await find())!.access_token_sealed!
  await setTokenProblem(database, tenant.organizationId, channelId, {
    problem,
    refusedTokenSealed: refused,
    at: new Date(app.clock.now()),
  })
  expect(await listed()).toMatchObject({ status: 'needs-reconnect', problem })
  expect(await setToken('renewed')).toEqual({ ...(await listed()), login: 'facebook' })
  expect(await listed()).toMatchObject({ status: 'connected' })
  expect(await listed()).not.toHaveProperty('problem')

  // The refusal of the previous token arrives late, and does not affect this one.
  await setTokenProblem(database, tenant.organizationId, channelId, {
    problem,
    refusedTokenSealed: refused,
    at: new Date(app.clock.now()),
  })
  expect(await listed()).toMatchObject({ status: 'connected' })
})

test('a token that is refused for its shape is not repeated', async () => {
  const body = { type: 'FB_PAGE', platformId: randomDigits(15), name: 'A' }
  for (const accessToken of [TOKEN.repeat(200), { [TOKEN]: TOKEN }, [TOKEN], `${TOKEN}\u0000`, '', 5]) {
    for (const [method, at, whole] of [
      ['POST', path, { ...body, accessToken }],
      ['PATCH', `${path}/${channelId}`, { accessToken }],
    ] as const) {
      const reply = await operatorCall(app, 422, method, at, { body: whole })
      expect(reply.body.error[0].path[0]).toBe('accessToken')
      expect(JSON.stringify(reply.body)).not.toContain(TOKEN)
    }
  }
  await operatorCall(app, 422, 'PATCH', `${path}/${channelId}`, { body: {} })
  await operatorCall(app, 422, 'POST', path, { body: { ...body, accessToken: null } })
  expect(await storedToken()).toBeNull()
})

test('unknown objects and those of another organization are a 404', async () => {
  const other = await Tenant.create(app)
  const errorCode = async (at: string) =>
    (await operatorCall(app, 404, 'PATCH', at, { body: { accessToken: TOKEN } })).headers['x-error-code']
  expect(await errorCode(`/organizations/none/channels/${channelId}`)).toBe('organization_not_found')
  expect(await errorCode(`${path}/FB_PAGE_1`)).toBe('channel_not_found')
  expect(await errorCode(`${path}/${await other.channel()}`)).toBe('channel_not_found')
})
