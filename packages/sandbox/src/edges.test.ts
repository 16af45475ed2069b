import { beforeEach, describe, expect, it, onTestFinished, test } from 'vitest'
import { INSTAGRAM_ID, makePages, PAGE_ACCESS_TOKEN, PAGE_ID } from '../../../test/graph-harness.js'
import { gatherHandlers } from './answer-call.js'
import { EDGES, nameOf } from './edges.js'
import type { SandboxModel } from './model.js'
import { type Sandbox, startSandbox } from './sandbox.js'
import { isInForce } from './versions.js'

const USER_TOKEN = 'EAAofSomeone'
const OTHER_PAGE = { id: '7', platform: 'facebook', name: 'Other', accessToken: 'EAAother' } as const
const LOGIN = {
  id: '17841400000000002',
  platform: 'instagram',
  name: 'atelier',
  accessToken: 'IGAAofTheAccount',
} as const
const AD_ACCOUNT = { id: '41', name: 'Shop', currency: 'EUR', timezone: 'Europe/Madrid', campaigns: [] }
const DAY_MS = 86_400_000
const MEDIA = { image_url: 'https://media.example/shirt.jpg', caption: 'x' }

interface Asked {
  method?: 'GET' | 'POST' | 'DELETE'
  token?: string
  version?: string
  params?: Record<string, unknown>
}

let now: number
let sandbox: Sandbox
let model: SandboxModel
beforeEach(async () => {
  now = Date.parse('2026-11-20T09:00:00Z')
  model = {
    tokens: { [USER_TOKEN]: [AD_ACCOUNT.id] },
    tokenDetails: { [USER_TOKEN]: { accounts: [PAGE_ID, OTHER_PAGE.id] } },
    adAccounts: [AD_ACCOUNT],
    pages: [...makePages(), OTHER_PAGE, LOGIN],
  }
  sandbox = await startSandbox({ model, clock: { now: () => now } })
  onTestFinished(() => sandbox.close())
})

async function call(path: string, asked: Asked = {}, base = sandbox.url) {
  const { method = 'GET', token = PAGE_ACCESS_TOKEN, version = '/v26.0', params } = asked
  const query =
    method === 'GET' && params !== undefined ? `?${new URLSearchParams(params as Record<string, string>)}` : ''
  const response = await fetch(`${base}${version}${path}${query}`, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(params ?? {}) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every form.
  const body: any = await response.json()
  const { code, error_subcode: subcode, message } = body.error ?? {}
  return { status: response.status, body, code: subcode === undefined ? code : `${code}/${subcode}`, message, response }
}
const onInstagram = (path: string, asked: Asked = {}) =>
  call(path, { token: LOGIN.accessToken, ...asked }, sandbox.instagramUrl)

test('the table has each row once, with its source', () => {
  const names = EDGES.map((row) => `${row.host} ${row.tokens.join()} ${nameOf(row)}`)
  expect(new Set(names).size).toBe(names.length)
  for (const { source, host, tokens } of EDGES) {
    expect(source).toMatch(/^https:\/\/developers\.facebook\.com\/|^github\.com\/facebook\/.+: .+\.py$/)
    expect(tokens.includes('instagram')).toBe(host === 'graph.instagram.com')
  }
})

test('a sandbox whose handlers and table differ does not start', () => {
  const handler = () => ({ status: 200, body: {} })
  const handlers = Object.fromEntries(EDGES.map((row) => [nameOf(row), handler]))
  const { 'GET Page/feed': _, ...lacking } = handlers
  expect(gatherHandlers([{ handlers }]).size).toBe(new Set(EDGES.map(nameOf)).size)
  expect(() => gatherHandlers([{ handlers: lacking }])).toThrow('GET Page/feed')
  expect(() => gatherHandlers([{ handlers: { ...handlers, 'GET Page/shoes': handler } }])).toThrow('GET Page/shoes')
})

describe('a page and its Instagram account (Facebook login)', () => {
  it('the page has the account in a field, and a person has no such field', async () => {
    const fields = { fields: 'id,name,instagram_business_account' }
    const linked = { id: PAGE_ID, name: 'Shop', instagram_business_account: { id: INSTAGRAM_ID } }
    expect((await call('/me', { params: fields })).body).toEqual(linked)
    expect((await call(`/${PAGE_ID}`, { params: fields })).body).toEqual(linked)
    const inner = { fields: 'instagram_business_account{id,username}' }
    expect((await call(`/${PAGE_ID}`, { params: inner })).body.instagram_business_account.username).toBe('shop')
    expect((await call('/7', { token: 'EAAother', params: fields })).body).toEqual({ id: '7', name: 'Other' })
    const ofPerson = await call('/me', { token: USER_TOKEN, params: fields })
    expect(ofPerson.message).toBe(
      '(#100) Tried accessing nonexisting field (instagram_business_account) on node type (User)',
    )
  })

  it("a page's token can access the linked account, whatever that account's own token is, and no other account", async () => {
    model.pages![1]!.accessToken = 'IGAAofTheShop'
    expect((await call(`/${INSTAGRAM_ID}/media`, { method: 'POST', params: MEDIA })).status).toBe(200)
    expect((await call(`/${INSTAGRAM_ID}`, { token: 'EAAother' })).code).toBe('100/33')
    expect((await call(`/${LOGIN.id}/media`, { method: 'POST', params: MEDIA })).code).toBe('100/33')
  })

  it.each<[string, 'GET' | 'POST' | 'DELETE']>([
    ['messages', 'POST'],
    ['subscribed_apps', 'GET'],
    ['subscribed_apps', 'POST'],
    ['subscribed_apps', 'DELETE'],
  ])("the account's /%s is refused to the page's token: %s", async (edge, method) => {
    const { code, message } = await call(`/${INSTAGRAM_ID}/${edge}`, { method })
    expect([code, message]).toEqual([3, '(#3) Application does not have the capability to make this API call.'])
  })

  it('a page can subscribe only to its own fields, with the permissions for them', async () => {
    const subscribe = (subscribed_fields: string) =>
      call(`/${PAGE_ID}/subscribed_apps`, { method: 'POST', params: { subscribed_fields } })
    expect((await subscribe('feed,comments')).message).toMatch(
      /^\(#100\) Param subscribed_fields\[1\] must be one of \{.*\bfeed\b.*\}$/,
    )
    expect((await subscribe('')).code).toBe(100)
    expect((await subscribe('feed,messages')).body).toEqual({ success: true })
    const list = async () => (await call(`/${PAGE_ID}/subscribed_apps`)).body.data
    expect(await list()).toMatchObject([{ subscribed_fields: ['feed', 'messages'] }])
    expect(sandbox.subscriptions.sentOf(model.pages![1]!)).toContain('comments')
    await call(`/${PAGE_ID}/subscribed_apps`, { method: 'DELETE' })
    expect(await list()).toEqual([])
    expect(sandbox.subscriptions.sentOf(model.pages![1]!)).toEqual([])
    model.tokenDetails = { [PAGE_ACCESS_TOKEN]: { scopes: ['pages_manage_metadata'] } }
    expect((await subscribe('feed')).status).toBe(200)
    expect((await subscribe('messages')).message).toContain('pages_messaging')
    model.tokenDetails = { [PAGE_ACCESS_TOKEN]: { scopes: ['pages_messaging'] } }
    expect((await subscribe('feed')).message).toContain('pages_manage_metadata')
  })
})

describe("a person's token", () => {
  it('lists the pages with their tokens, page by page', async () => {
    const params = { fields: 'id,name,access_token,instagram_business_account', limit: '1' }
    const first = await call('/me/accounts', { token: USER_TOKEN, params })
    expect(first.body.data).toEqual([
      {
        ...{ id: PAGE_ID, name: 'Shop', access_token: PAGE_ACCESS_TOKEN },
        instagram_business_account: { id: INSTAGRAM_ID },
      },
    ])
    const rest = (await (await fetch(first.body.paging.next)).json()) as { data: object[]; paging: object }
    expect(rest.data).toEqual([{ id: '7', name: 'Other', access_token: 'EAAother' }])
    expect(rest.paging).not.toHaveProperty('next')
    const of = await call(`/${PAGE_ID}`, { token: USER_TOKEN, params: { fields: 'access_token' } })
    expect(of.body).toEqual({ id: PAGE_ID, access_token: PAGE_ACCESS_TOKEN })
    expect((await call('/me/accounts')).message).toBe(
      '(#100) Tried accessing nonexisting field (accounts) on node type (Page)',
    )
  })

  it("publishes on a page's Instagram account", async () => {
    const asked = { method: 'POST', token: USER_TOKEN } as const
    const { body } = await call(`/${INSTAGRAM_ID}/media`, { ...asked, params: MEDIA })
    const published = await call(`/${INSTAGRAM_ID}/media_publish`, { ...asked, params: { creation_id: body.id } })
    expect(published.status).toBe(200)
    expect((await call(`/${LOGIN.id}/media`, { ...asked, params: MEDIA })).code).toBe('100/33')
  })

  it.each<[string, 'GET' | 'POST', number]>([
    ['feed', 'POST', 200],
    ['photos', 'POST', 200],
    ['videos', 'POST', 200],
    ['messages', 'POST', 190],
    ['feed', 'GET', 190],
    ['subscribed_apps', 'GET', 210],
    ['subscribed_apps', 'POST', 210],
  ])("cannot use the page's own /%s: %s", async (edge, method, code) => {
    const answer = await call(`/${PAGE_ID}/${edge}`, { method, token: USER_TOKEN, params: { message: 'x' } })
    expect(answer.code).toBe(code)
    expect(sandbox.published).toEqual([])
  })
})

describe('the Instagram login', () => {
  it("identifies the token's account by two ids, one of them the account's own", async () => {
    const params = { fields: 'id,user_id,username' }
    const { body } = await onInstagram('/me', { params })
    expect(body).toMatchObject({ user_id: LOGIN.id, username: 'atelier', id: expect.stringMatching(/^\d+$/) })
    expect(body.id).not.toBe(LOGIN.id)
    expect((await onInstagram(`/${LOGIN.id}`, { params })).body).toEqual(body)
    expect((await onInstagram(`/${body.id}`)).code).toBe('100/33')
    expect((await onInstagram(`/${INSTAGRAM_ID}`)).code).toBe('100/33')
  })

  it('each token is valid only on its own host', async () => {
    const wrong = [190, 'Invalid OAuth access token - Cannot parse access token']
    for (const token of [PAGE_ACCESS_TOKEN, USER_TOKEN]) {
      const { code, message } = await onInstagram('/me', { token })
      expect([code, message]).toEqual(wrong)
    }
    const { code, message } = await call('/me', { token: LOGIN.accessToken })
    expect([code, message]).toEqual(wrong)
    expect((await onInstagram('/me', { token: 'IGunknown' })).code).toBe(190)
    await onInstagram('/me')
    expect(sandbox.requests.at(-1)).toMatchObject({ host: 'graph.instagram.com', path: '/me', version: 'v26.0' })
  })

  it('publishes, lists and answers comments, and writes to people', async () => {
    const post = (path: string, params: object) => onInstagram(path, { method: 'POST', params: { ...params } })
    const { id } = (await post('/me/media', MEDIA)).body
    expect((await onInstagram(`/${id}`, { params: { fields: 'status_code' } })).body.status_code).toBe('FINISHED')
    const media = (await post(`/${LOGIN.id}/media_publish`, { creation_id: id })).body.id
    expect((await onInstagram('/me/media')).body.data).toEqual([{ id: media }])
    const limit = await onInstagram(`/${LOGIN.id}/content_publishing_limit`)
    expect(limit.body.data).toEqual([{ quota_usage: 1 }])
    const commentId = await sandbox.comment({ postId: media, from: 'Ana', text: 'I want it' })
    expect((await onInstagram(`/${media}/comments`, { params: { fields: 'text' } })).body.data).toEqual([
      { id: commentId, text: 'I want it' },
    ])
    const reply = await post(`/${commentId}/replies`, { message: 'Look' })
    expect((await onInstagram(`/${commentId}/replies`)).body.data).toMatchObject([{ id: reply.body.id }])
    const sent = await post('/me/messages', { recipient: { comment_id: commentId }, message: { text: 'Hi' } })
    expect(sent.body).toMatchObject({ recipient_id: expect.any(String), message_id: expect.any(String) })
    // It is documented only for the Facebook login.
    expect((await post(`/${LOGIN.id}/likes`, { comment_id: commentId })).code).toBe(3)
    expect((await onInstagram(`/${sent.body.recipient_id}`, { params: { fields: 'username' } })).body.username).toBe(
      'ana',
    )
  })

  it("subscribes the account itself to Instagram's fields", async () => {
    const subscribe = (subscribed_fields: string) =>
      onInstagram('/me/subscribed_apps', { method: 'POST', params: { subscribed_fields } })
    expect((await subscribe('comments,messages,messaging_postbacks')).body).toEqual({ success: true })
    expect(sandbox.subscriptions.fieldsOf(LOGIN.id)).toEqual(['comments', 'messages', 'messaging_postbacks'])
    expect((await onInstagram('/me/subscribed_apps')).body.data).toHaveLength(1)
    expect((await subscribe('feed')).message).toContain('Param subscribed_fields[0] must be one of {comments,')
    await onInstagram('/me/subscribed_apps', { method: 'DELETE' })
    expect(sandbox.subscriptions.fieldsOf(LOGIN.id)).toEqual([])
  })

  it('has no debug_token and no permissions', async () => {
    expect((await onInstagram('/debug_token', { params: { input_token: LOGIN.accessToken } })).code).toBe(3)
    expect((await onInstagram('/me/permissions')).message).toContain('nonexisting field (permissions)')
    expect((await call('/refresh_access_token')).code).toBe(3)
  })

  it('refreshes a token that is at least a day old and has not expired, from the header or the URL', async () => {
    const details = { issuedAt: now - DAY_MS + 1, expiresAt: now + 2 * DAY_MS }
    model.tokenDetails![LOGIN.accessToken] = details
    const refresh = (asked: Asked = {}) =>
      onInstagram('/refresh_access_token', { version: '', params: { grant_type: 'ig_refresh_token' }, ...asked })
    expect((await refresh()).code).toBe(100)
    now += 1
    expect((await refresh({ params: { grant_type: 'other' } })).code).toBe(100)
    const first = await refresh()
    expect(first.body).toMatchObject({ token_type: 'bearer', expires_in: 5_184_000 })
    const { access_token: token } = first.body
    expect(token).toMatch(/^IG/)
    expect(token).not.toBe(LOGIN.accessToken)
    expect((await onInstagram('/me', { token, params: { fields: 'user_id' } })).body.user_id).toBe(LOGIN.id)
    expect((await refresh({ token })).code).toBe(100)
    const inUrl = { grant_type: 'ig_refresh_token', access_token: LOGIN.accessToken }
    expect((await refresh({ token: '', params: inUrl })).status).toBe(200)
    now += 2 * DAY_MS
    expect((await refresh()).code).toBe('190/463')
    expect((await refresh({ token })).status).toBe(200)
    now += 58 * DAY_MS
    expect((await onInstagram('/me', { token })).code).toBe('190/463')
    expect(JSON.stringify(sandbox.requests)).not.toContain('IGAA')
  })

  it.each([
    ['instagram_business_content_publish', 'POST', '/me/media', MEDIA],
    ['instagram_business_manage_messages', 'POST', '/me/messages', {}],
    ['instagram_business_manage_comments', 'POST', '/me/subscribed_apps', { subscribed_fields: 'comments' }],
    ['instagram_business_basic', 'GET', '/me', undefined],
  ] as const)('needs the permission %s: %s %s', async (scope, method, path, params) => {
    const scopes = ['basic', 'content_publish', 'manage_messages', 'manage_comments'].map(
      (name) => `instagram_business_${name}`,
    )
    model.tokenDetails![LOGIN.accessToken] = { scopes: scopes.filter((name) => name !== scope) }
    const { code, message } = await onInstagram(path, { method, ...(params && { params: { ...params } }) })
    expect([code, message]).toEqual([200, `(#200) The permission ${scope} has not been granted`])
  })
})

describe('what does not exist', () => {
  it.each<[string, 'GET' | 'POST' | 'DELETE', string, number | string, RegExp]>([
    [
      'an edge of another object',
      'GET',
      `/${PAGE_ID}/media`,
      100,
      /^\(#100\) Tried accessing nonexisting field \(media\) on node type \(Page\)$/,
    ],
    ['an unknown edge', 'GET', `/${PAGE_ID}/nothing`, 2500, /^Unknown path components: \/nothing$/],
    ['a path of three parts', 'GET', `/${PAGE_ID}/feed/1`, 2500, /^Unknown path components/],
    ['a name instead of an id', 'GET', '/coca.cola', 2500, /^Unknown path components/],
    ['a POST to an edge of another object', 'POST', `/${INSTAGRAM_ID}/feed`, '100/33', /^Unsupported post request\./],
    ['a DELETE', 'DELETE', `/${PAGE_ID}/feed`, '100/33', /^Unsupported delete request\./],
    ['an object', 'GET', '/99', '100/33', /^Unsupported get request\./],
  ])('%s: %s %s', async (_name, method, path, code, message) => {
    const answer = await call(path, { method })
    expect([answer.status, answer.code]).toEqual([400, code])
    expect(answer.message).toMatch(message)
  })

  it('a token', async () => {
    expect((await call('/me', { token: '' })).message).toMatch(/^An active access token must be used/)
    expect((await call('/me', { token: '' })).code).toBe(2500)
    expect((await call(`/${PAGE_ID}`, { token: '' })).code).toBe(104)
  })

  it('likes by an Instagram account before 2026-04-22', async () => {
    const commentId = await sandbox.comment({
      postId: '18000000000000001',
      pageId: INSTAGRAM_ID,
      from: 'Ana',
      text: 'x',
    })
    const like = () =>
      call(`/${INSTAGRAM_ID}/likes`, { method: 'POST', params: { comment_id: commentId }, version: '/v25.0' })
    expect((await like()).status).toBe(200)
    now = Date.parse('2026-04-21T23:59:59Z')
    expect((await like()).code).toBe('100/33')
  })
})

describe('versions', () => {
  it.each<[{ since?: string; until?: string }, string, boolean]>([
    [{}, 'v3.0', true],
    [{ since: 'v9.0' }, 'v8.0', false],
    [{ since: 'v9.0' }, 'v9.0', true],
    [{ since: 'v9.0' }, 'v10.0', true],
    [{ until: 'v26.0' }, 'v25.0', true],
    [{ until: 'v26.0' }, 'v26.0', false],
    [{ since: '2026-11-20', until: '2026-11-21' }, 'v26.0', true],
    [{ since: '2026-11-21' }, 'v26.0', false],
    [{ until: '2026-11-20' }, 'v26.0', false],
  ])('%j is in force on %s: %s', (bounds, version, isThere) => {
    expect(isInForce(bounds, { version, now })).toBe(isThere)
  })

  const runOn = async (version: string, path = `/${PAGE_ID}`, token = PAGE_ACCESS_TOKEN) => {
    const { code, response } = await call(path, { version, token })
    return code ?? response.headers.get('facebook-api-version')
  }

  it('an unknown or unreleased version is treated as part of the path', async () => {
    for (const version of ['/v99.0', '/v26.1', '/v28.0']) expect(await runOn(version)).toBe(2500)
    expect(await runOn('/v27.0')).toBe('v27.0')
    now = Date.parse('2026-11-03T23:59:59Z')
    expect(await runOn('/v27.0')).toBe(2500)
  })

  it('an ended or missing version is replaced by the oldest usable one', async () => {
    expect(await runOn('/v26.0')).toBe('v26.0')
    for (const version of ['/v20.0', '/v3.1', '']) expect(await runOn(version)).toBe('v21.0')
    now = Date.parse('2027-01-21T00:00:00Z')
    expect(await runOn('/v21.0')).toBe('v22.0')
  })

  it('calls of campaigns need a version, and their versions end earlier', async () => {
    const onMarketing = (version: string) => runOn(version, `/act_${AD_ACCOUNT.id}/campaigns`, USER_TOKEN)
    expect(await onMarketing('/v25.0')).toBe('v25.0')
    for (const version of ['/v24.0', '/v21.0', '']) expect(await onMarketing(version)).toBe(2635)
    const { message } = await call(`/act_${AD_ACCOUNT.id}`, { version: '/v24.0', token: USER_TOKEN })
    expect(message).toBe(
      '(#2635) You are calling a deprecated version of the Ads API. Please update to the latest version: v27.0.',
    )
    now = Date.parse('2026-11-09T23:59:59Z')
    expect(await onMarketing('/v24.0')).toBe('v24.0')
    now = Date.parse('2027-02-23T00:00:00Z')
    expect(await onMarketing('/v25.0')).toBe(2635)
  })

  it.each([
    ['ids', { ids: PAGE_ID }],
    ['date_format', { date_format: 'U' }],
    ['method', { method: 'delete' }],
    ['callback', { callback: 'show' }],
    ['aliases', { fields: 'name.as(title)' }],
  ])('since 2026-11-04 a request with %s is refused', async (_name, params) => {
    expect((await call(`/${PAGE_ID}`, { params })).code).toBe(100)
    now = Date.parse('2026-11-03T23:59:59Z')
    const before = await call(`/${PAGE_ID}`, { params })
    expect(before.message ?? '').not.toContain('not available')
  })
})
