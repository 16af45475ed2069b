import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  badGatewayFault,
  graphErrorFault,
  missingPermissionFault,
  tokenExpiredFault,
} from '../../packages/sandbox/src/make-faults.js'
import type { SandboxTokenDetails } from '../../packages/sandbox/src/model.js'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { ALL_SCOPES, type Scope } from '../../packages/sandbox/src/scopes.js'
import { operatorCall, type Reply, type TakenApp, Tenant, TestClock, takeApp } from '../../test/harness.js'
import { impatiently } from '../../test/patience.js'
import { channelTokenContext, findChannelToken } from './channels.store.js'

const PAGE = { type: 'FB_PAGE', platformId: '102938475610293', name: 'Shop' }
const OTHER_PAGE = { type: 'FB_PAGE', platformId: '102938475610294', name: 'Another shop' }
const INSTAGRAM = { type: 'INSTAGRAM_ACCOUNT', platformId: '17841400008460056', name: 'shop' }
type TestChannel = typeof PAGE

const INSTAGRAM_LOGIN = { type: 'INSTAGRAM_ACCOUNT', platformId: '17841400008460099', name: 'maker' }

const TOKEN = 'EAAtopSecretPageToken'
const OTHER_TOKEN = 'EAAtopSecretOtherPageToken'
const USER_TOKEN = 'EAAtopSecretUserToken'
const INSTAGRAM_TOKEN = 'IGAAtopSecretInstagramToken'
const TOKENS = [TOKEN, OTHER_TOKEN, USER_TOKEN, INSTAGRAM_TOKEN]
const APP_SECRET = 'app-secret-of-the-tests'

let app: TakenApp
let tenant: Tenant
let sandbox: Sandbox

async function start(
  details: SandboxTokenDetails = {},
  { appSecret }: { appSecret?: string } = { appSecret: APP_SECRET },
): Promise<void> {
  const page = (platform: 'facebook' | 'instagram', { platformId: id, name }: TestChannel, accessToken: string) => ({
    id,
    platform,
    name,
    accessToken,
  })
  sandbox = await startSandbox({
    model: {
      appSecret,
      tokens: { [USER_TOKEN]: [] },
      tokenDetails: { [TOKEN]: details },
      adAccounts: [],
      pages: [
        page('facebook', PAGE, TOKEN),
        { ...page('instagram', INSTAGRAM, TOKEN), pageId: PAGE.platformId },
        page('facebook', OTHER_PAGE, OTHER_TOKEN),
        page('instagram', INSTAGRAM_LOGIN, INSTAGRAM_TOKEN),
      ],
    },
    clock: new TestClock(),
  })
  app = await takeApp({ graph: { baseUrl: sandbox.url, instagramUrl: sandbox.instagramUrl, appSecret } })
  onTestFinished(() => sandbox.close())
  onTestFinished(() => app.app.close())
  tenant = await Tenant.create(app)
}

/** The stored token, opened; undefined if there is no token or no such channel. */
async function storedToken({ type, platformId }: TestChannel): Promise<string | undefined> {
  const id = `${type}_${platformId}`
  const sealed = (await findChannelToken(app.context.database, tenant.organizationId, id))?.access_token_sealed
  return sealed ? app.context.sealer.open(sealed, channelTokenContext(tenant.organizationId, id)) : undefined
}

/** The operation under test. */
let operation = 'createChannel'

async function connect(status: number, channel: TestChannel, body: object): Promise<Reply> {
  const path = `/organizations/${tenant.organizationId}/channels`
  let reply: Reply
  if (operation === 'createChannel') {
    reply = await operatorCall(app, status === 200 ? 201 : status, 'POST', path, { body: { ...channel, ...body } })
  } else {
    await operatorCall(app, 201, 'POST', path, { body: channel })
    reply = await operatorCall(app, status, 'PATCH', `${path}/${channel.type}_${channel.platformId}`, { body })
  }
  for (const token of TOKENS) expect(JSON.stringify(reply)).not.toContain(token)
  return reply
}

async function refused(channel: TestChannel, accessToken: string, reason: RegExp): Promise<void> {
  const reply = await connect(400, channel, { accessToken })
  expect(reply.headers['x-error-code']).toBe('access_token_refused')
  expect(reply.body).toEqual({ message: expect.stringMatching(reason) })
  expect(await storedToken(channel)).toBeUndefined()
}

describe.each(['createChannel', 'updateChannel'])('%s with a token asks the platform', (given) => {
  beforeAll(() => {
    operation = given
    return () => {
      operation = 'createChannel'
    }
  })

  test.each([
    ['a page', PAGE],
    ['an Instagram account', INSTAGRAM],
  ])("%s's own token is stored, and the response says when it expires", async (_name, channel) => {
    await start({ expiresAt: Date.parse('2027-01-20T10:00:00Z') })
    const { body } = await connect(200, channel, { accessToken: TOKEN })
    expect(body).toMatchObject({ status: 'connected', tokenExpiresAt: '2027-01-20T10:00:00.000Z' })
    expect(await storedToken(channel)).toBe(TOKEN)
    const [listed] = (await tenant.get(200, '/channels')).body
    expect(listed).not.toHaveProperty('tokenExpiresAt')
  })

  test.each([
    tokenExpiredFault(),
    missingPermissionFault('pages_read_engagement'),
  ])('a token refused by the platform at any call is treated the same: %#', async (fault) => {
    await start({}, {})
    sandbox.faults.add({ match: /\/feed$/, fault })
    await refused(PAGE, TOKEN, /does not accept the access token/)
  })

  test.each([
    ['HTML 502', badGatewayFault(), 502, 'platform_failed'],
    ['no response', { kind: 'hang' } as const, 504, 'platform_timeout'],
    ['a limit', graphErrorFault({ code: 80001 }), 503, 'platform_rate_limited'],
  ])('%s stores nothing, and says how to store it unchecked', async (_name, fault, status, code) => {
    await start()
    const isHanging = 'kind' in fault && fault.kind === 'hang'
    sandbox.faults.add({ fault, times: 9, match: isHanging ? impatiently(app.patience) : undefined })
    const reply = await connect(status, PAGE, { accessToken: TOKEN })
    expect(reply.headers['x-error-code']).toBe(code)
    expect(reply.body.message).toMatch(/not stored: try again, or send check: false/)
    expect(await storedToken(PAGE)).toBeUndefined()
  })

  test('check: false stores any token, and asks nothing', async () => {
    await start()
    await connect(200, PAGE, { accessToken: 'EAAmadeUp', check: false })
    expect(await storedToken(PAGE)).toBe('EAAmadeUp')
    expect(sandbox.requests).toEqual([])
  })
})

describe('an Instagram account', () => {
  const pageIdOf = async ({ type, platformId }: TestChannel): Promise<string | null | undefined> =>
    (await findChannelToken(app.context.database, tenant.organizationId, `${type}_${platformId}`))?.page_id
  const missing = (scopes: readonly Scope[]): Scope[] => ALL_SCOPES.filter((scope) => !scopes.includes(scope))

  test('with the token of its page uses the Facebook login, and the page is stored', async () => {
    await start()
    const { body } = await connect(200, INSTAGRAM, { accessToken: TOKEN })
    expect(body).toMatchObject({ login: 'facebook', missingPermissions: [] })
    expect(await pageIdOf(INSTAGRAM)).toBe(PAGE.platformId)
  })

  test("with a person's token is found among their pages, whose own token is stored instead", async () => {
    await start()
    const others = Array.from({ length: 150 }, (_, index) => String(200_000_000_000_000 + index))
    sandbox.model.pages!.unshift(
      ...others.map((id) => ({ id, platform: 'facebook' as const, name: id, accessToken: `EAAother${id}` })),
    )
    sandbox.model.tokenDetails = { [USER_TOKEN]: { accounts: [...others, PAGE.platformId] } }
    const { body } = await connect(200, INSTAGRAM, { accessToken: USER_TOKEN })
    expect(body).toMatchObject({ login: 'facebook', missingPermissions: [] })
    expect(await pageIdOf(INSTAGRAM)).toBe(PAGE.platformId)
    expect(await storedToken(INSTAGRAM)).toBe(TOKEN)
  })

  test.each([
    ['instagram_manage_comments', ['comments']],
    ['instagram_manage_engagement', ['likes']],
    ['instagram_manage_messages', ['messages']],
    ['pages_messaging', ['messages']],
    ['pages_manage_metadata', ['webhooks']],
  ] as const)('can publish without %s, and connecting reports what does not work', async (permission, neededFor) => {
    await start({ scopes: missing([permission]) })
    const { body } = await connect(200, INSTAGRAM, { accessToken: TOKEN })
    expect(body).toMatchObject({ status: 'connected', missingPermissions: [{ permission, neededFor }] })
  })

  test('with its own token uses the Instagram login, and only the host of Instagram is called', async () => {
    await start()
    const { body } = await connect(200, INSTAGRAM_LOGIN, { accessToken: INSTAGRAM_TOKEN })
    expect(body).toMatchObject({ status: 'connected', login: 'instagram', missingPermissions: [] })
    expect(await pageIdOf(INSTAGRAM_LOGIN)).toBeNull()
    expect(await storedToken(INSTAGRAM_LOGIN)).toBe(INSTAGRAM_TOKEN)
    expect(new Set(sandbox.requests.map(({ host }) => host))).toEqual(new Set(['graph.instagram.com']))
    for (const { tokenIn, hasProof } of sandbox.requests)
      expect({ tokenIn, hasProof }).toEqual({ tokenIn: 'header', hasProof: false })
  })

  test('with its own token shows missing permissions, as far as they can be queried', async () => {
    await start()
    const business: Scope[] = ['instagram_business_basic', 'instagram_business_content_publish']
    sandbox.model.tokenDetails = { [INSTAGRAM_TOKEN]: { scopes: business.slice(0, 1) } }
    await refused(INSTAGRAM_LOGIN, INSTAGRAM_TOKEN, /instagram_business_content_publish/)
    sandbox.model.tokenDetails = { [INSTAGRAM_TOKEN]: { scopes: business } }
    const { body } = await connect(200, { ...INSTAGRAM_LOGIN, name: 'again' }, { accessToken: INSTAGRAM_TOKEN })
    expect(body.missingPermissions).toEqual([
      { permission: 'instagram_business_manage_messages', neededFor: ['messages'] },
    ])
  })

  test('is refused the token of another account, and a page that of an account', async () => {
    await start()
    await refused(
      INSTAGRAM,
      INSTAGRAM_TOKEN,
      /belongs to maker \(17841400008460099\), not to the account 17841400008460056/,
    )
    await refused(PAGE, INSTAGRAM_TOKEN, /from Instagram login does not work for a Facebook page/)
  })
})

test('a page can publish without what superpowers need, and connecting reports what does not work', async () => {
  await start({ scopes: ['pages_manage_posts', 'pages_read_engagement'] })
  const { body } = await connect(200, PAGE, { accessToken: TOKEN })
  expect(body).toMatchObject({ status: 'connected', login: 'facebook' })
  expect(body.missingPermissions).toEqual([
    { permission: 'pages_read_user_content', neededFor: ['comments'] },
    { permission: 'pages_manage_engagement', neededFor: ['comments', 'likes'] },
    { permission: 'pages_messaging', neededFor: ['messages'] },
    { permission: 'pages_manage_metadata', neededFor: ['webhooks'] },
  ])
})

describe('a token', () => {
  test('a token that does not expire has no expiry in the response', async () => {
    await start()
    expect((await connect(200, PAGE, { accessToken: TOKEN })).body).not.toHaveProperty('tokenExpiresAt')
  })

  test('the token is in no URL of a platform call, and in nothing that the sandbox records', async () => {
    await start()
    await connect(200, PAGE, { accessToken: TOKEN })
    expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /me', 'GET /app', 'POST /'])
    for (const { tokenIn, hasProof } of sandbox.requests)
      expect({ tokenIn, hasProof }).toEqual({ tokenIn: 'header', hasProof: true })
    expect(JSON.stringify(sandbox.requests)).not.toContain(TOKEN)
  })

  test("an expired token is refused with the platform's reason", async () => {
    await start({ expiresAt: Date.parse('2026-11-20T08:00:00Z') })
    await refused(PAGE, TOKEN, /does not accept the access token: .*expired/)
    await refused(INSTAGRAM, TOKEN, /does not accept the access token: .*expired/)
  })

  test('a token unknown to the platform is refused, and not repeated', async () => {
    await start()
    const reply = await connect(400, PAGE, { accessToken: 'EAAmadeUp' })
    expect(reply.body.message).toMatch(/Malformed access token \[access token\]/)
    expect(JSON.stringify(reply.body)).not.toContain('EAAmadeUp')
    await refused({ ...PAGE, platformId: '5' }, 'two words', /contains invalid characters/)
  })

  test("a token of another page, or of a person, is refused with its owner's name", async () => {
    await start()
    await refused(PAGE, OTHER_TOKEN, /belongs to Another shop \(102938475610294\), not to the page 102938475610293/)
    await refused(
      { ...PAGE, platformId: '102938475610295' },
      USER_TOKEN,
      /belongs to A person \(\d+\), not to the page 102938475610295/,
    )
    await refused(INSTAGRAM, OTHER_TOKEN, /does not exist, cannot be loaded due to missing permissions/)
  })

  test("a page's id instead of an Instagram account's is refused", async () => {
    await start()
    await refused({ ...INSTAGRAM, platformId: PAGE.platformId }, TOKEN, /nonexisting field \(username\)/)
  })

  test.each([
    [PAGE, ['pages_read_engagement'], /lacks pages_manage_posts for 102938475610293/],
    [PAGE, ['pages_manage_posts'], /lacks pages_read_engagement for 102938475610293/],
    [PAGE, [], /lacks pages_manage_posts and pages_read_engagement for/],
    [INSTAGRAM, ['instagram_basic'], /lacks instagram_content_publish for 17841400008460056/],
  ])('missing permissions are listed: %j with %j', async (channel, scopes, reason) => {
    await start({ scopes })
    await refused(channel, TOKEN, reason)
  })

  test('a permission granted only for another page is missing', async () => {
    await start({ grantedFor: { pages_manage_posts: [OTHER_PAGE.platformId] } })
    await refused(PAGE, TOKEN, /lacks pages_manage_posts for 102938475610293: /)
  })

  test('without an app secret the platform lists no permissions, and its refusals to read show them', async () => {
    await start({ scopes: ['pages_manage_posts', 'instagram_basic'] }, {})
    await refused(PAGE, TOKEN, /does not accept the access token: .*pages_read_engagement/)
    await refused(INSTAGRAM, TOKEN, /does not accept the access token: .*instagram_content_publish/)
    sandbox.model.tokenDetails = {}
    const { body } = await connect(200, OTHER_PAGE, { accessToken: OTHER_TOKEN })
    expect(body).toMatchObject({ status: 'connected' })
  })

  test("without an app secret a developer's token lists its own permissions", async () => {
    await start({ scopes: ['pages_read_engagement'], isOfDeveloper: true }, {})
    await refused(PAGE, TOKEN, /lacks pages_manage_posts/)
  })
})

test('nothing is asked without a token, or for an unknown channel', async () => {
  await start()
  const path = `/organizations/${tenant.organizationId}/channels`
  await operatorCall(app, 201, 'POST', path, { body: PAGE })
  await operatorCall(app, 200, 'PATCH', `${path}/FB_PAGE_${PAGE.platformId}`, { body: { accessToken: null } })
  await operatorCall(app, 404, 'PATCH', `${path}/FB_PAGE_5`, { body: { accessToken: TOKEN } })
  await operatorCall(app, 404, 'POST', '/organizations/none/channels', { body: { ...PAGE, accessToken: TOKEN } })
  expect(sandbox.requests).toEqual([])
})

test('a refused token keeps the previous one', async () => {
  await start()
  const path = `/organizations/${tenant.organizationId}/channels`
  await operatorCall(app, 201, 'POST', path, { body: { ...PAGE, accessToken: TOKEN } })
  await operatorCall(app, 400, 'PATCH', `${path}/FB_PAGE_${PAGE.platformId}`, { body: { accessToken: OTHER_TOKEN } })
  expect(await storedToken(PAGE)).toBe(TOKEN)
})
