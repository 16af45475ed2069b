import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { graphErrorFault, tokenExpiredFault } from '../../packages/sandbox/src/make-faults.js'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { operatorCall, type TakenApp, Tenant, takeApp } from '../../test/harness.js'
import { channelTokenContext, findChannelToken, setTokenProblem } from './channels.store.js'
import { refreshTokens } from './refresh-tokens.js'

const ACCOUNT = '17841400008460099'
const CHANNEL = `INSTAGRAM_ACCOUNT_${ACCOUNT}`
const TOKEN = 'IGAAtopSecretInstagramToken'
const DAY_MS = 86_400_000

let app: TakenApp
let tenant: Tenant
let sandbox: Sandbox

beforeEach(async () => {
  app = await takeApp({}, { logs: true })
  onTestFinished(() => app.app.close())
  sandbox = await startSandbox({
    model: {
      tokens: {},
      adAccounts: [],
      pages: [{ id: ACCOUNT, platform: 'instagram', name: 'maker', accessToken: TOKEN }],
    },
    clock: app.clock,
  })
  onTestFinished(() => sandbox.close())
  app.usePlatform(sandbox.url, sandbox.instagramUrl)
  tenant = await Tenant.create(app)
  // These belong to other tests in the same database.
  await app.context.database.query('update channels set token_refresh_at = null')
})

const path = (): string => `/organizations/${tenant.organizationId}/channels`
const giveToken = (accessToken: string): Promise<unknown> =>
  operatorCall(app, 200, 'PATCH', `${path()}/${CHANNEL}`, { body: { accessToken, check: false } })

/** Connects the account with a token of this age, which expires 60 days after it was issued. */
async function connect({ ageDays }: { ageDays: number }): Promise<void> {
  const issuedAt = app.clock.now() - ageDays * DAY_MS
  sandbox.model.tokenDetails = { [TOKEN]: { issuedAt, expiresAt: issuedAt + 60 * DAY_MS } }
  const body = { type: 'INSTAGRAM_ACCOUNT', platformId: ACCOUNT, name: 'maker', accessToken: TOKEN }
  await operatorCall(app, 201, 'POST', path(), { body })
}

async function storedToken(): Promise<string> {
  const found = await findChannelToken(app.context.database, tenant.organizationId, CHANNEL)
  return app.context.sealer.open(found!.access_token_sealed!, channelTokenContext(tenant.organizationId, CHANNEL))
}
const statusOf = async (): Promise<unknown> => (await tenant.get(200, '/channels')).body[0]
const refreshes = (): number => sandbox.requests.filter((one) => one.path === '/refresh_access_token').length

/** Lets days pass as the worker sees them. */
async function pass(days: number): Promise<void> {
  for (let hours = 0; hours < days * 24; hours += 6) {
    app.clock.advance(DAY_MS / 4)
    await refreshTokens(app.context)
  }
}

test('a token is refreshed long before it expires, repeatedly, and is in no log and no URL', async () => {
  await connect({ ageDays: 2 })
  await pass(200)
  expect(await storedToken()).not.toBe(TOKEN)
  expect(await statusOf()).toMatchObject({ status: 'connected' })
  // It is refreshed at first, and then half-way to each expiry.
  expect(refreshes()).toBeGreaterThanOrEqual(7)
  expect(refreshes()).toBeLessThanOrEqual(8)
  const seen = JSON.stringify([sandbox.requests, app.logLines()])
  expect(seen).not.toContain(TOKEN)
  expect(seen).not.toContain(await storedToken())
  expect(sandbox.requests.every(({ tokenIn }) => tokenIn === 'header')).toBe(true)
})

test('a token that is about to expire is refreshed at once', async () => {
  await connect({ ageDays: 59.9 })
  await refreshTokens(app.context)
  expect(await storedToken()).not.toBe(TOKEN)
})

test('a token that is too young is refreshed a day later, and is not reported', async () => {
  await connect({ ageDays: 0 })
  await refreshTokens(app.context)
  expect(await storedToken()).toBe(TOKEN)
  expect(await statusOf()).toMatchObject({ status: 'connected' })
  await pass(1.5)
  expect(await storedToken()).not.toBe(TOKEN)
  expect(refreshes()).toBe(2)
})

test('a refused token marks its channel before the next post', async () => {
  await connect({ ageDays: 2 })
  await refreshTokens(app.context)
  sandbox.faults.add({ match: /refresh_access_token$/, fault: tokenExpiredFault(), times: 9 })
  await pass(31)
  expect(await statusOf()).toMatchObject({ status: 'needs-reconnect', problem: expect.stringMatching(/expired/) })
  expect(refreshes()).toBe(2)
})

test.each([
  ['cut connections', { kind: 'reset' } as const],
  ['an error of the platform', graphErrorFault({ status: 500, code: 2 })],
  ['a limit', graphErrorFault({ code: 4 })],
  ['a refusal of another kind', graphErrorFault({ code: 100, message: '(#100) Invalid parameter' })],
  [
    'nonsense',
    { kind: 'answer', answer: { status: 200, body: { access_token: 'two words', expires_in: 'soon' } } } as const,
  ],
])('%s for a week has no consequence', async (_name, fault) => {
  await connect({ ageDays: 2 })
  await pass(2)
  const before = await storedToken()
  sandbox.faults.add({ match: /refresh_access_token$/, fault, times: 1_000 })
  await pass(37)
  expect(await storedToken()).toBe(before)
  expect(await statusOf()).toMatchObject({ status: 'connected' })
  sandbox.faults.clear()
  await pass(2)
  expect(await storedToken()).not.toBe(before)
})

test('a token set during a refresh stays', async () => {
  await connect({ ageDays: 2 })
  const { graph } = app.context
  const get: typeof graph.get = async (...call) => {
    const answer = await graph.get(...call)
    await giveToken('IGAAanother')
    return answer
  }
  await refreshTokens({ ...app.context, graph: { ...graph, get } })
  expect(await storedToken()).toBe('IGAAanother')
})

test('two processes refresh a token once', async () => {
  await connect({ ageDays: 2 })
  await Promise.all([refreshTokens(app.context), refreshTokens(app.context)])
  expect(refreshes()).toBe(1)
})

test('a token that the platform refused is not refreshed again', async () => {
  await connect({ ageDays: 2 })
  const { access_token_sealed: refusedTokenSealed } = (await findChannelToken(
    ...[app.context.database, tenant.organizationId, CHANNEL],
  ))!
  await setTokenProblem(app.context.database, tenant.organizationId, CHANNEL, {
    ...{ problem: 'It has expired.', refusedTokenSealed: refusedTokenSealed!, at: new Date(app.clock.now()) },
  })
  await pass(2)
  expect(refreshes()).toBe(0)
})

test('tokens of the Facebook login are not refreshed, and a check that finds nothing only reads', async () => {
  const body = { type: 'FB_PAGE', platformId: '1', name: 'page', accessToken: 'EAAtoken', check: false }
  await operatorCall(app, 201, 'POST', path(), { body })
  const statements: string[] = []
  const { database } = app.context
  const query: typeof database.query = (text, values) => {
    statements.push(text)
    return database.query(text, values)
  }
  await refreshTokens({ ...app.context, database: { ...database, query } })
  expect(statements).toEqual([expect.stringMatching(/^select /)])
  expect(sandbox.requests).toEqual([])
})
