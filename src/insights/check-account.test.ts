import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { badGatewayFault, graphErrorFault, missingPermissionFault } from '../../packages/sandbox/src/make-faults.js'
import type { SandboxTokenDetails } from '../../packages/sandbox/src/model.js'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { makeAccount } from '../../test/graph-harness.js'
import { operatorCall, type Reply, type TakenApp, Tenant, TestClock, takeApp } from '../../test/harness.js'
import { impatiently } from '../../test/patience.js'
import { findAdAccount } from './ad-accounts.store.js'

const ACCOUNT = { id: '4100000000000001', name: 'Shop', currency: 'EUR', timezone: 'Europe/Madrid' }
const OTHER_ID = '4200000000000002'
const TOKEN = 'EAAtopSecretAccessToken'
const APP_SECRET = 'app-secret-of-the-tests'

let app: TakenApp
let tenant: Tenant
let sandbox: Sandbox

async function start(
  details: SandboxTokenDetails = {},
  { appSecret }: { appSecret?: string } = { appSecret: APP_SECRET },
): Promise<void> {
  sandbox = await startSandbox({
    model: {
      appSecret,
      tokens: { [TOKEN]: [ACCOUNT.id] },
      tokenDetails: { [TOKEN]: details },
      adAccounts: [makeAccount(ACCOUNT), makeAccount({ id: OTHER_ID })],
    },
    clock: new TestClock(),
  })
  app = await takeApp({ graph: { baseUrl: sandbox.url, appSecret } })
  onTestFinished(() => sandbox.close())
  onTestFinished(() => app.app.close())
  tenant = await Tenant.create(app)
}

const isConnected = async (id = ACCOUNT.id): Promise<boolean> =>
  typeof (await findAdAccount(app.context.database, tenant.organizationId, id))?.access_token_sealed === 'string'

/** The operation under test. */
let operation = 'createAdAccount'

async function connect(status: number, body: object, id = ACCOUNT.id): Promise<Reply> {
  const path = `/organizations/${tenant.organizationId}/ad-accounts`
  let reply: Reply
  if (operation === 'createAdAccount') {
    const whole = { ...ACCOUNT, ...body, id: `act_${id}` }
    reply = await operatorCall(app, status === 200 ? 201 : status, 'POST', path, { body: whole })
  } else {
    await operatorCall(app, 201, 'POST', path, { body: { ...ACCOUNT, id } })
    reply = await operatorCall(app, status, 'PATCH', `${path}/act_${id}`, { body })
  }
  expect(JSON.stringify(reply)).not.toContain(TOKEN)
  return reply
}

async function refused(reason: RegExp, id?: string): Promise<void> {
  const reply = await connect(400, { accessToken: TOKEN }, id)
  expect(reply.headers['x-error-code']).toBe('access_token_refused')
  expect(reply.body).toEqual({ message: expect.stringMatching(reason) })
  expect(await isConnected(id)).toBe(false)
}

describe.each(['createAdAccount', 'updateAdAccount'])('%s with a token asks the platform', (given) => {
  beforeAll(() => {
    operation = given
    return () => {
      operation = 'createAdAccount'
    }
  })

  test("the account's own token is stored, and the response says when it expires", async () => {
    await start({ expiresAt: Date.parse('2027-01-20T10:00:00Z') })
    const { body } = await connect(200, { accessToken: TOKEN })
    expect(body).toEqual({ ...ACCOUNT, connected: true, tokenExpiresAt: '2027-01-20T10:00:00.000Z' })
    expect(await isConnected()).toBe(true)
    expect((await tenant.get(200, '/ad-accounts')).body).toEqual([ACCOUNT])
  })

  test('an expired token is refused', async () => {
    await start({ expiresAt: Date.parse('2026-11-20T08:00:00Z') })
    await refused(/does not accept the access token: .*expired/)
  })

  test.each([
    ['HTML 502', badGatewayFault(), 502, 'platform_failed'],
    ['no response', { kind: 'hang' } as const, 504, 'platform_timeout'],
    ['a limit', graphErrorFault({ code: 80004 }), 503, 'platform_rate_limited'],
  ])('%s stores nothing, and says how to store it unchecked', async (_name, fault, status, code) => {
    await start()
    const isHanging = 'kind' in fault && fault.kind === 'hang'
    sandbox.faults.add({ fault, times: 9, match: isHanging ? impatiently(app.patience) : undefined })
    const reply = await connect(status, { accessToken: TOKEN })
    expect(reply.headers['x-error-code']).toBe(code)
    expect(reply.body.message).toMatch(/not stored: try again, or send check: false/)
    expect(await isConnected()).toBe(false)
  })

  test('check: false stores any token, and asks nothing', async () => {
    await start()
    await connect(200, { accessToken: 'EAAmadeUp', check: false })
    expect(await isConnected()).toBe(true)
    expect(sandbox.requests).toEqual([])
  })
})

describe('a token', () => {
  test('a token of another account is refused', async () => {
    await start()
    await refused(/'act_4200000000000002' does not exist, cannot be loaded due to missing permissions/, OTHER_ID)
  })

  test.each([APP_SECRET, undefined])('the missing permission is named, with the app secret %s', async (appSecret) => {
    await start({ scopes: ['pages_show_list'] }, { appSecret })
    await refused(/does not accept the access token: .*ads_read/)
    // A public field of the account may still be readable.
    sandbox.faults.add({
      match: /^\/act_/,
      fault: { kind: 'answer', answer: { status: 200, body: { account_id: '1' } } },
    })
    await refused(/The access token lacks ads_read/, '4300000000000003')
  })

  test('ads_management is as good as ads_read', async () => {
    await start({ scopes: ['ads_management'] })
    await connect(200, { accessToken: TOKEN })
  })

  test('a permission that is missing at the first call is treated the same', async () => {
    await start()
    sandbox.faults.add({ fault: missingPermissionFault('ads_read') })
    await refused(/does not accept the access token: .*ads_read/)
  })
})

test('nothing is asked without a token, or for an unknown account', async () => {
  await start()
  const path = `/organizations/${tenant.organizationId}/ad-accounts`
  await operatorCall(app, 201, 'POST', path, { body: ACCOUNT })
  await operatorCall(app, 200, 'PATCH', `${path}/${ACCOUNT.id}`, { body: { accessToken: null } })
  await operatorCall(app, 404, 'PATCH', `${path}/5`, { body: { accessToken: TOKEN } })
  expect(sandbox.requests).toEqual([])
})
