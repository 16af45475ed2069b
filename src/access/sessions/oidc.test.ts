import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ConfigChanges } from '../../../test/config.js'
import {
  FROM_OWN_PAGE,
  Member,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  type TestApp,
  toCookie,
} from '../../../test/harness.js'
import {
  type ClientMethods,
  type ProviderPerson,
  startProvider,
  type TestProvider,
} from '../../../test/identity-provider.js'
import { postConsole } from '../../../test/people.js'
import { addTotp, totpCode } from '../../../test/second-factors.js'
import { readConfig } from '../../config/index.js'
import { newId } from '../../lib/ids.js'

const PUBLIC_URL = 'http://localhost:9/below'

let provider: TestProvider
let tenant: Tenant
let app: TestApp

/** An app with the provider; `settings` as one would set them. */
async function startApp(settings: Record<string, string> = {}, log = pino({ level: 'silent' })): Promise<TestApp> {
  return startTestApp(oidcConfig(settings), log)
}

function oidcConfig(settings: Record<string, string> = {}): ConfigChanges {
  const { oidc, access, http } = readConfig({
    PUBLIC_URL,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.client.clientId,
    OIDC_CLIENT_SECRET: provider.client.clientSecret,
    ...settings,
  })
  return { oidc, access: { passwords: access.passwords }, http: { publicUrl: http.publicUrl } }
}

beforeAll(async () => {
  provider = await startProvider(`${PUBLIC_URL}/sign-in/callback`, `${PUBLIC_URL}/`)
  app = await startApp()
  tenant = await Tenant.create(app)
})
afterEach(() => {
  Object.assign(provider, { away: false, alter: undefined, foreignKey: false })
})
afterAll(() => provider.close())

const call = (test: TestApp, status: number, path: string, body?: unknown, cookie = ''): Promise<Reply> =>
  postConsole(test, status, path, body, { cookie })

/** Goes to the provider; gives what comes back, and the cookie of the browser. */
async function visit(test: TestApp, invitation?: string): Promise<{ query: string; cookie: string; url: URL }> {
  const { body, headers } = await call(test, 200, '/sign-in/oidc', invitation === undefined ? {} : { invitation })
  return {
    query: await provider.visit(body.url),
    cookie: toCookie(headers['set-cookie']),
    url: new URL(body.url),
  }
}

const finish = (test: TestApp, status: number, query: string, cookie: string): Promise<Reply> =>
  call(test, status, '/sign-in/oidc/finish', { query }, cookie)

/** The whole way, as this person. */
async function signIn(test: TestApp, status: number, person: ProviderPerson, invitation?: string): Promise<Reply> {
  provider.person = person
  const { query, cookie } = await visit(test, invitation)
  return finish(test, status, query, cookie)
}

const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const someone = (email = `${newId('m')}@example.com`): ProviderPerson & { email: string } => ({
  sub: newId('sub'),
  name: 'Ada Provider',
  email,
  email_verified: true,
})

const invite = async (mail: string, role = 'EDITOR'): Promise<string> =>
  (
    await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/invitations`, {
      body: { mail, role, mayApprove: true },
    })
  ).body.token

/** Settings by which new people join the tenant. */
const joining = (settings: Record<string, string> = {}): Record<string, string> => ({
  OIDC_ORGANIZATION: tenant.organizationId,
  OIDC_DEFAULT_ROLE: 'EDITOR+approve',
  OIDC_ALLOWED_DOMAINS: 'example.com',
  ...settings,
})

const membershipOf = ({ body }: Reply): unknown =>
  body.organizations.find(({ id }: { id: string }) => id === tenant.organizationId)?.role

describe('signing in by the identity provider', () => {
  test('asks for a code with PKCE, state and nonce, and comes back below the path prefix', async () => {
    provider.person = someone()
    const { url } = await visit(app)
    const asked = Object.fromEntries(url.searchParams)
    expect(asked).toMatchObject({
      response_type: 'code',
      redirect_uri: `${PUBLIC_URL}/sign-in/callback`,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[\w-]{43}$/)
  })

  test('lets in the person whose verified mail address has an account, and from then on by the subject', async () => {
    const member = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
    const person = someone(member.mail.toUpperCase())
    const first = await signIn(app, 200, person)
    expect(first.body).toMatchObject({ person: { id: member.id, mail: member.mail }, session: { method: 'oidc' } })
    const cookie = toCookie(first.headers['set-cookie'])
    const me = await send(app.app, 200, 'GET', '/console/api/me', { headers: { cookie } })
    expect(me.body.session.method).toBe('oidc')
    // The address at the provider is another one, and not verified: the subject stays.
    const again = await signIn(app, 200, { sub: person.sub, email: 'other@elsewhere.example', email_verified: false })
    expect(again.body.person.id).toBe(member.id)
    const { body } = await send(app.app, 200, 'GET', '/console/api/sessions', {
      headers: { cookie: toCookie(again.headers['set-cookie']) },
    })
    expect(body.map(({ method }: { method: string }) => method)).toContain('oidc')
  })

  test('does not link an address that the provider does not call verified', async () => {
    const member = await Member.create(app)
    for (const email_verified of [false, undefined, 'false']) {
      const person = { ...someone(member.mail), ...(email_verified === undefined ? {} : { email_verified }) }
      if (email_verified === undefined) delete person.email_verified
      expect(codeOf(await signIn(app, 403, person))).toBe('oidc_not_allowed')
    }
    expect((await signIn(app, 200, { ...someone(member.mail), email_verified: 'true' })).body.person.id).toBe(member.id)
  })

  test('does not let a second subject in by the address of a linked person', async () => {
    const member = await Member.create(app)
    await signIn(app, 200, someone(member.mail))
    expect(codeOf(await signIn(app, 403, someone(member.mail)))).toBe('oidc_not_allowed')
    // An operator loosens the link by deactivating the account and activating it again.
    await operatorCall(app, 200, 'PATCH', `/people/${member.id}`, { body: { active: false } })
    expect(codeOf(await signIn(app, 403, someone(member.mail)))).toBe('oidc_not_allowed')
    await operatorCall(app, 200, 'PATCH', `/people/${member.id}`, { body: { active: true } })
    expect((await signIn(app, 200, someone(member.mail))).body.person.id).toBe(member.id)
  })

  test('tells a person whose account is linked of it, once', async () => {
    const member = await Member.create(app)
    const person = someone(member.mail)
    await signIn(app, 200, person)
    await signIn(app, 200, person)
    const { rows } = await app.context.database.query(
      "select data->>'kind' as kind from events where organization_id = 'server' and data->>'personId' = $1",
      [member.id],
    )
    expect(rows).toEqual([{ kind: 'provider-linked' }])
  })

  test('makes no account where nothing says so', async () => {
    expect(codeOf(await signIn(app, 403, someone()))).toBe('oidc_not_allowed')
    expect(codeOf(await signIn(app, 403, { sub: newId('sub') }))).toBe('oidc_not_allowed')
  })

  test('leaves its entry in the trail of the server', async () => {
    const member = await Member.create(app)
    await signIn(app, 200, someone(member.mail))
    const { body } = await operatorCall(app, 200, 'GET', '/audit?limit=5')
    expect(body.items[0]).toMatchObject({
      actor: { type: 'user', id: member.id },
      operation: 'finishOidcSignIn',
      changes: { linked: true },
    })
  })
})

describe('new people', () => {
  test('of an allowed domain join with the default role; others do not', async () => {
    const open = await startApp(joining())
    const person = someone()
    const first = await signIn(open, 200, person)
    expect(first.body.person).toMatchObject({ name: 'Ada Provider', mail: person.email, owner: false })
    expect(membershipOf(first)).toBe('EDITOR')
    expect(first.body.organizations[0].permissions).toContain('posts:approve')
    expect((await signIn(open, 200, person)).body.person.id).toBe(first.body.person.id)
    for (const wrong of [
      someone('ada@elsewhere.example'),
      someone('ada@sub.example.com'),
      someone('ada@example.com@elsewhere.example'),
      { ...someone(), email_verified: false },
      { sub: newId('sub') },
    ]) {
      expect(codeOf(await signIn(open, 403, wrong))).toBe('oidc_not_allowed')
    }
    const anyone = await startApp(joining({ OIDC_ALLOWED_DOMAINS: '*' }))
    await signIn(anyone, 200, someone(`${newId('m')}@elsewhere.example`))
  })

  test('who were removed from the organization do not come back by the default role', async () => {
    const open = await startApp(joining())
    const person = someone()
    const { body } = await signIn(open, 200, person)
    await operatorCall(open, 200, 'DELETE', `/organizations/${tenant.organizationId}/members/${body.person.id}`)
    expect(membershipOf(await signIn(open, 200, person))).toBeUndefined()
  })

  test('are none where the organization is not there', async () => {
    const wrong = await startApp(joining({ OIDC_ORGANIZATION: 'org_unknown' }))
    expect(codeOf(await signIn(wrong, 403, someone()))).toBe('oidc_not_allowed')
  })

  test('two callbacks of one new person at the same instant make one account', async () => {
    const open = await startApp(joining())
    provider.person = someone()
    const visits = [await visit(open), await visit(open)]
    const answers = await Promise.all(visits.map(({ query, cookie }) => finish(open, 200, query, cookie)))
    expect(new Set(answers.map(({ body }) => body.person.id)).size).toBe(1)
  })
})

describe('the claim for roles', () => {
  const claiming = (settings: Record<string, string> = {}) =>
    startApp(
      joining({
        OIDC_DEFAULT_ROLE: '',
        OIDC_SCOPES: 'openid email profile groups',
        OIDC_ROLE_CLAIM: 'groups',
        OIDC_ROLES: 'staff=VIEWER,writers=EDITOR,leads=VIEWER+approve,cn=admins=ADMIN',
        ...settings,
      }),
    )

  test('decides the membership at each sign-in, and a change ends the other sessions', async () => {
    const claims = await claiming()
    const person = someone()
    expect(codeOf(await signIn(claims, 403, { ...person, groups: ['others'] }))).toBe('oidc_not_allowed')
    const first = await signIn(claims, 200, { ...person, groups: ['staff', 'writers', 'leads', 'others'] })
    expect(membershipOf(first)).toBe('EDITOR')
    expect(first.body.organizations[0].permissions).toContain('posts:approve')
    const second = await signIn(claims, 200, { ...person, groups: ['staff', 'writers', 'leads'] })
    const meBy = (status: number, { headers }: Reply) =>
      send(claims.app, status, 'GET', '/console/api/me', { headers: { cookie: toCookie(headers['set-cookie']) } })
    await meBy(200, first)
    const third = await signIn(claims, 200, { ...person, groups: ['cn=admins'] })
    expect(membershipOf(third)).toBe('ADMIN')
    expect(third.body.organizations[0].permissions).not.toContain('posts:approve')
    await meBy(401, first)
    await meBy(401, second)
    await meBy(200, third)
    // No group any more: no membership any more.
    expect(membershipOf(await signIn(claims, 200, person))).toBeUndefined()
    await meBy(401, third)
    const { body } = await operatorCall(claims, 200, 'GET', `/organizations/${tenant.organizationId}/audit?limit=2`)
    expect(body.items.map(({ changes }: { changes: unknown }) => changes)).toEqual([
      { member: false },
      { role: 'ADMIN', mayApprove: false },
    ])
  })

  test('ends the open invitations of one who is an ADMIN no more', async () => {
    const claims = await claiming()
    const person = someone()
    const { headers } = await signIn(claims, 200, { ...person, groups: ['cn=admins'] })
    const path = `/organizations/${tenant.organizationId}/invitations`
    const body = { mail: `${newId('m')}@example.com`, role: 'ADMIN' }
    const { token } = (await call(claims, 201, path, body, toCookie(headers['set-cookie']))).body
    await signIn(claims, 200, { ...person, groups: ['cn=admins'] })
    await call(claims, 200, '/invitation/read', { token })
    await signIn(claims, 200, { ...person, groups: ['writers'] })
    expect(codeOf(await call(claims, 400, '/invitation/read', { token }))).toBe('link_unusable')
  })

  test('leaves the default to who has none of its values', async () => {
    const claims = await claiming({ OIDC_DEFAULT_ROLE: 'VIEWER' })
    expect(membershipOf(await signIn(claims, 200, { ...someone(), groups: ['others'] }))).toBe('VIEWER')
    expect(membershipOf(await signIn(claims, 200, { ...someone(), groups: ['writers'] }))).toBe('EDITOR')
  })

  test('may lie at a path', async () => {
    const claims = await claiming({ OIDC_ROLE_CLAIM: 'realm_access.roles', OIDC_ROLES: 'writers=EDITOR' })
    provider.alter = (found) => ({ ...found, realm_access: { roles: ['writers'] } })
    expect(membershipOf(await signIn(claims, 200, someone()))).toBe('EDITOR')
  })
})

describe('an invitation', () => {
  test('is taken up by signing in, once', async () => {
    const person = someone()
    const token = await invite(person.email.toUpperCase())
    const { body } = await signIn(app, 200, { ...person, email_verified: false }, token)
    expect(body.organizations).toMatchObject([{ id: tenant.organizationId, role: 'EDITOR' }])
    expect(body.person.mail).toBe(person.email.toUpperCase())
    expect(codeOf(await signIn(app, 400, person, token))).toBe('link_unusable')
    const known = await signIn(app, 200, person)
    expect(known.body.person.id).toBe(body.person.id)
  })

  test('is for its mail address alone', async () => {
    const person = someone()
    const token = await invite(`${newId('m')}@example.com`)
    expect(codeOf(await signIn(app, 403, person, token))).toBe('invitation_mail_differs')
    expect(codeOf(await signIn(app, 403, { sub: newId('sub') }, token))).toBe('invitation_mail_differs')
    const member = await Member.create(app)
    const linked = someone(member.mail)
    expect(codeOf(await signIn(app, 403, linked, token))).toBe('invitation_mail_differs')
    await signIn(app, 200, linked)
    expect(codeOf(await signIn(app, 403, linked, token))).toBe('invitation_mail_differs')
  })

  test('opens no account that the address has already, unless it is verified', async () => {
    const member = await Member.create(app)
    const token = await invite(member.mail, 'VIEWER')
    const person = someone(member.mail)
    expect(codeOf(await signIn(app, 403, { ...person, email_verified: false }, token))).toBe('oidc_not_allowed')
    const { body } = await signIn(app, 200, person, token)
    expect(body).toMatchObject({ person: { id: member.id }, organizations: [{ role: 'VIEWER' }] })
    expect(codeOf(await call(app, 401, '/sign-in', { mail: member.mail, password: 'not the password' }))).toBe(
      'sign_in_failed',
    )
  })

  test('of an owner makes one', async () => {
    const { body } = await operatorCall(app, 201, 'POST', '/owner-invitation')
    expect((await signIn(app, 200, someone(), body.token)).body.person.owner).toBe(true)
  })
})

describe('what is wrong on the way', () => {
  let person: ProviderPerson
  beforeAll(async () => {
    person = someone((await Member.create(app)).mail)
  })
  const refused = async (status: number, change: () => void): Promise<unknown> => {
    provider.person = person
    const { query, cookie } = await visit(app)
    change()
    const reply = await finish(app, status, query, cookie)
    expect(reply.headers['set-cookie']).toBeUndefined()
    return codeOf(reply)
  }

  test.each([
    ['another nonce', (claims: object) => ({ ...claims, nonce: 'another' })],
    ['no nonce', ({ nonce: _, ...claims }: Record<string, unknown>) => claims],
    ['an ID token for another audience', (claims: object) => ({ ...claims, aud: 'another' })],
    ['an ID token of another issuer', (claims: object) => ({ ...claims, iss: 'https://login.example' })],
    ['an ID token that has expired', (claims: object) => ({ ...claims, exp: 1_700_000_000 })],
    ['an ID token without a subject', ({ sub: _, ...claims }: Record<string, unknown>) => claims],
    ['another subject than in the user info', (claims: object) => ({ ...claims, sub: 'another' })],
  ])('%s is refused', async (_name, alter) => {
    expect(await refused(401, () => Object.assign(provider, { alter }))).toBe('oidc_refused')
  })

  test('a key that is not the provider’s is refused, and new keys are taken at once', async () => {
    expect(await refused(401, () => Object.assign(provider, { foreignKey: true }))).toBe('oidc_refused')
    provider.foreignKey = false
    await signIn(app, 200, person)
    provider.rotateKeys()
    await signIn(app, 200, person)
    provider.person = person
    const { query, cookie } = await visit(app)
    provider.rotateKeys()
    await finish(app, 200, query, cookie)
  })

  test('a state that was not begun in this browser is refused before the provider is asked', async () => {
    provider.person = person
    const [one, other] = [await visit(app), await visit(app)]
    provider.calls.length = 0
    for (const [query, cookie] of [
      [one.query, other.cookie],
      [one.query, ''],
      [one.query, '__Host-greenroom-visit=v1.AAAA.BBBB'],
      [one.query.replace(/state=[^&]+/, 'state=another'), one.cookie],
      [one.query.replace(/&?state=[^&]+/, ''), one.cookie],
      ['', one.cookie],
    ] as const) {
      expect(codeOf(await finish(app, 400, query, cookie))).toBe('oidc_state_wrong')
    }
    expect(provider.calls).toEqual([])
    await finish(app, 200, one.query, one.cookie)
  })

  test('a callback counts once, and so does a code', async () => {
    provider.person = person
    const first = await visit(app)
    await finish(app, 200, first.query, first.cookie)
    expect(codeOf(await finish(app, 400, first.query, first.cookie))).toBe('oidc_state_wrong')
    const second = await visit(app)
    const replayed = second.query.replace(/code=[^&]+/, /code=[^&]+/.exec(first.query)![0])
    expect(codeOf(await finish(app, 401, replayed, second.cookie))).toBe('oidc_refused')
  })

  test('of two equal callbacks at the same instant one begins a session', async () => {
    provider.person = person
    const { query, cookie } = await visit(app)
    const send_ = () =>
      app.app.inject({
        method: 'POST',
        url: '/console/api/sign-in/oidc/finish',
        headers: { ...FROM_OWN_PAGE, cookie },
        payload: { query },
      })
    const answers = await Promise.all([send_(), send_(), send_()])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400, 400])
  })

  test('it may take ten minutes, on any node', async () => {
    provider.person = person
    const other = await startApp()
    const { query, cookie } = await visit(app)
    other.clock.advance(10 * 60_000)
    expect(codeOf(await finish(other, 400, query, cookie))).toBe('oidc_state_wrong')
    other.clock.advance(-1)
    await finish(other, 200, query, cookie)
  })

  test('the redirect address is the same in both calls, however PUBLIC_URL is written', async () => {
    provider.person = person
    const loud = await startApp({ PUBLIC_URL: 'http://LOCALHOST:9/below/' })
    const { query, cookie } = await visit(loud)
    await finish(loud, 200, query, cookie)
  })

  test('what the provider refuses is a refusal', async () => {
    provider.person = person
    const { query, cookie } = await visit(app)
    const denied = query.replace(/code=[^&]+/, 'error=access_denied&error_description=no')
    expect(codeOf(await finish(app, 401, denied, cookie))).toBe('oidc_refused')
    const wrong = await startApp({ OIDC_CLIENT_SECRET: 'another secret of the tests' })
    const begun = await visit(wrong)
    expect(codeOf(await finish(wrong, 401, begun.query, begun.cookie))).toBe('oidc_refused')
    const elsewhere = await startApp({ OIDC_ISSUER: `${provider.issuer}/elsewhere` })
    expect(codeOf(await call(elsewhere, 503, '/sign-in/oidc'))).toBe('oidc_unavailable')
  })

  test('a provider that is away stops nothing else: at the start, at the sign-in, at the callback', async () => {
    provider.away = true
    const lonely = await startApp()
    await send(lonely.app, 200, 'GET', '/console/api/sign-in')
    const reply = await call(lonely, 503, '/sign-in/oidc')
    expect(codeOf(reply)).toBe('oidc_unavailable')
    expect(reply.headers['retry-after']).toBe('5')
    const member = await Member.create(lonely)
    await call(lonely, 200, '/sign-in', { mail: member.mail, password: Member.PASSWORD })
    provider.away = false
    provider.person = person
    const { query, cookie } = await visit(lonely)
    provider.away = true
    expect(codeOf(await finish(lonely, 503, query, cookie))).toBe('oidc_unavailable')
    provider.away = false
    await signIn(lonely, 200, person)
  })

  test.each([
    ['/.well-known/openid-configuration', 'begin'],
    ['/token', 'finish'],
    ['/jwks', 'finish'],
    ['/me', 'finish'],
  ] as const)('an answer without an end at %s is not read on', async (path, step) => {
    provider.person = someone()
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    // Asks for what the ID token does not hold.
    const own = await startApp(joining({ OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: 'staff=EDITOR' }), log)
    const begun = step === 'begin' ? undefined : await visit(own)
    Object.assign(provider, { endless: path, endlessBytes: 0 })
    const { query = '', cookie = '' } = begun ?? {}
    const reply = await (step === 'begin' ? call(own, 503, '/sign-in/oidc') : finish(own, 503, query, cookie))
    provider.endless = undefined
    expect(codeOf(reply)).toBe('oidc_unavailable')
    expect(lines.join('')).toContain('ANSWER_TOO_LARGE')
    // The sockets on the way hold a part of it.
    expect(provider.endlessBytes).toBeLessThan(16 * 2 ** 20)
    await own.app.close()
  })

  test('a server without a provider says so', async () => {
    const plain = await startTestApp()
    expect(codeOf(await call(plain, 400, '/sign-in/oidc'))).toBe('oidc_off')
    expect(codeOf(await call(plain, 400, '/sign-in/oidc/finish', { query: '?code=a' }))).toBe('oidc_off')
    const { body } = await send(plain.app, 200, 'GET', '/console/api/sign-in')
    expect(body).toEqual({ password: true, passkey: true })
  })

  test('a flood of wrong callbacks waits', async () => {
    const limited = await startTestApp({ ...oidcConfig(), limits: { failedAttemptsPerMinute: 3 } })
    for (let tries = 0; tries < 3; tries += 1) await finish(limited, 400, '?state=a&code=b', '')
    expect(codeOf(await finish(limited, 429, '?state=a&code=b', ''))).toBe('too_many_failures')
  })
})

describe('the secret of the client', () => {
  const signInAt = async (
    status: number,
    methods: ClientMethods,
    settings: Record<string, string> = {},
  ): Promise<{ calls: number; again: () => Promise<number> }> => {
    const own = await startProvider(`${PUBLIC_URL}/sign-in/callback`, `${PUBLIC_URL}/`, methods)
    onTestFinished(() => own.close())
    const at = await startApp({
      OIDC_ISSUER: own.issuer,
      OIDC_CLIENT_SECRET: own.client.clientSecret,
      ...settings,
    })
    const member = await Member.create(at)
    own.person = someone(member.mail)
    const once = async (): Promise<number> => {
      own.calls.length = 0
      const { body, headers } = await call(at, 200, '/sign-in/oidc', {})
      const query = await own.visit(body.url)
      await finish(at, status, query, toCookie(headers['set-cookie']))
      return own.calls.filter((path) => path === '/token').length
    }
    return { calls: await once(), again: once }
  }
  const BOTH = ['client_secret_basic', 'client_secret_post'] as const

  test.each<[string, ClientMethods]>([
    ['in the body, where the provider takes it there', { offered: [...BOTH], registered: 'client_secret_post' }],
    ['in the body, where that alone is offered', { offered: ['client_secret_post'], registered: 'client_secret_post' }],
    ['in the header, where that alone is offered', { offered: ['client_secret_basic'] }],
    [
      'in the header, where that alone is offered and its percent-encoding is not undone',
      { offered: ['client_secret_basic'], clientSecret: 'a-secret_with.marks', comparesEncoded: true },
    ],
    [
      'in the body, where the header is offered too and its percent-encoding is not undone',
      {
        offered: [...BOTH],
        registered: 'client_secret_post',
        clientSecret: 'a-secret/with+marks',
        comparesEncoded: true,
      },
    ],
  ])('is shown %s', async (_name, methods) => {
    expect((await signInAt(200, methods)).calls).toBe(1)
  })

  test('is shown in the header after the provider has refused it in the body, and there at once from then on', async () => {
    const clientSecret = 'a+secret&=with/odd%25signs:~!*()'
    const { calls, again } = await signInAt(200, {
      offered: [...BOTH],
      registered: 'client_secret_basic',
      clientSecret,
    })
    expect(calls).toBe(2)
    expect(await again()).toBe(1)
  })

  test('is shown where OIDC_CLIENT_AUTH says, and nowhere else', async () => {
    const methods: ClientMethods = { offered: [...BOTH], registered: 'client_secret_basic' }
    expect((await signInAt(200, methods, { OIDC_CLIENT_AUTH: 'basic' })).calls).toBe(1)
    expect((await signInAt(401, methods, { OIDC_CLIENT_AUTH: 'post' })).calls).toBe(1)
  })

  test('that is wrong is refused', async () => {
    expect((await signInAt(401, { offered: [...BOTH] }, { OIDC_CLIENT_SECRET: 'another secret' })).calls).toBe(2)
  })
})

describe('signing out', () => {
  const signOut = ({ headers }: Pick<Reply, 'headers'>, at = app) =>
    call(at, 200, '/sign-out', undefined, toCookie(headers['set-cookie']))
  const hintOf = ({ body }: Reply): string | null => new URL(body.endSessionUrl).searchParams.get('id_token_hint')
  const claimsOf = (token: string | null): Record<string, unknown> =>
    JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString())

  test('tells where the session at the provider ends, with its ID token, if the provider answers', async () => {
    const member = await Member.create(app)
    const person = someone(member.mail)
    const first = await signIn(app, 200, person)
    const answer = await signOut(first)
    const url = new URL(answer.body.endSessionUrl)
    expect(url.origin).toBe(provider.issuer)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.client.clientId,
      id_token_hint: hintOf(answer),
      post_logout_redirect_uri: `${PUBLIC_URL}/`,
    })
    expect(claimsOf(hintOf(answer))).toMatchObject({ iss: provider.issuer, sub: person.sub })
    expect((await fetch(url)).status).toBe(200)
    const byPassword = await call(app, 200, '/sign-in', { mail: member.mail, password: Member.PASSWORD })
    expect((await signOut(byPassword)).body).toEqual({})
    const other = await startApp()
    const second = await call(other, 200, '/sign-in', { mail: member.mail, password: Member.PASSWORD })
    expect((await signOut(second)).body).toEqual({})
  })

  test('the ID token goes along with the session when that goes on under a new token', async () => {
    const member = await Member.create(app)
    const person = someone(member.mail)
    const { secret } = await addTotp(member)
    const half = await signIn(app, 200, person)
    expect(half.body).toHaveProperty('secondFactor')
    const cookieOf = ({ headers }: Pick<Reply, 'headers'>): string => toCookie(headers['set-cookie'])
    const whole = await call(app, 200, '/second-factor/totp', { code: totpCode(app, secret) }, cookieOf(half))
    // A change of the factors gives the session another token.
    const renewed = await send(app.app, 200, 'DELETE', '/console/api/me/second-factors/totp', {
      headers: { ...FROM_OWN_PAGE, cookie: cookieOf(whole) },
    })
    expect(cookieOf(renewed)).not.toBe(cookieOf(whole))
    expect(claimsOf(hintOf(await signOut(renewed)))).toMatchObject({ sub: person.sub })
  })

  test('one that is too long for an address is not kept', async () => {
    const person = someone((await Member.create(app)).mail)
    const isKept = async (groups: number): Promise<boolean> => {
      provider.alter = (claims) => ({
        ...claims,
        groups: Array.from({ length: groups }, (_, at) => `a-long-group-${at}`),
      })
      const { headers } = await signIn(app, 200, person)
      return hintOf(await signOut({ headers })) !== null
    }
    expect(await isKept(150)).toBe(true)
    expect(await isKept(400)).toBe(false)
  })

  test('it is kept for as long as the session, encrypted by what the browser alone has', async () => {
    const member = await Member.create(app)
    const { headers } = await signIn(app, 200, someone(member.mail))
    const { database, sealer } = app.context
    const kept = async () =>
      (
        await database.query<{ session_id: string; id_token_encrypted: string }>(
          "select session_id, id_token_encrypted from sessions where person_id = $1 and method = 'oidc'",
          [member.id],
        )
      ).rows
    const [row] = await kept()
    expect(row!.id_token_encrypted).toMatch(/^v1\.[\w-]+\.[\w-]+$/)
    expect(() => sealer.open(row!.id_token_encrypted, `id token ${member.id}`)).toThrow('is not here')
    await signOut({ headers })
    expect(await kept()).toEqual([])
  })

  test('does not wait for a provider that is away to end the session', async () => {
    const member = await Member.create(app)
    const { headers } = await signIn(app, 200, someone(member.mail))
    const cookie = toCookie(headers['set-cookie'])
    const lonely = await startApp()
    provider.away = true
    expect((await call(lonely, 200, '/sign-out', undefined, cookie)).body).toEqual({})
    await send(lonely.app, 401, 'GET', '/console/api/me', { headers: { cookie } })
  })
})

describe('passwords that are switched off', () => {
  test('let no one in, and are not set; links of the operator are a way in', async () => {
    const off = await startApp({ PASSWORDS: 'off', OIDC_NAME: 'Example Login' })
    expect((await send(off.app, 200, 'GET', '/console/api/sign-in')).body).toEqual({
      password: false,
      passkey: false,
      oidc: { name: 'Example Login' },
    })
    const member = (await Member.create(off)).on(off)
    const mail = `${newId('m')}@example.com`
    const password = 'quite long words here'
    expect(codeOf(await call(off, 403, '/sign-in', { mail: member.mail, password: Member.PASSWORD }))).toBe(
      'passwords_off',
    )
    const token = await invite(mail)
    expect(codeOf(await call(off, 403, '/invitation/accept', { token, name: 'A', password }))).toBe('passwords_off')
    provider.away = true
    const link = await operatorCall(off, 201, 'POST', `/people/${member.id}/sign-in-link`)
    const linked = await call(off, 200, '/sign-in/link', { token: link.body.token })
    const change = { body: { newPassword: password }, headers: { cookie: toCookie(linked.headers['set-cookie']) } }
    expect(codeOf(await member.call(403, 'PUT', '/me/password', change))).toBe('passwords_off')
    const owner = await operatorCall(off, 201, 'POST', '/owner-invitation')
    const owned = await call(off, 200, '/invitation/accept', { token: owner.body.token, name: 'Owner', mail })
    expect(owned.body).toMatchObject({ person: { mail, owner: true }, session: { method: 'link' } })
    const again = await operatorCall(off, 201, 'POST', '/owner-invitation')
    expect(
      codeOf(await call(off, 409, '/invitation/accept', { token: again.body.token, name: 'A', mail: member.mail })),
    ).toBe('account_exists')
  })

  test('a person without one sets the first by a sign-in link alone', async () => {
    const open = await startApp(joining())
    const { body, headers } = await signIn(open, 200, someone())
    const newPassword = 'quite long words here'
    const member = await Member.create(open)
    const by = (cookie: string) => ({ body: { newPassword }, headers: { cookie } })
    expect(codeOf(await member.call(400, 'PUT', '/me/password', by(toCookie(headers['set-cookie']))))).toBe(
      'password_missing',
    )
    expect(codeOf(await call(open, 401, '/sign-in', { mail: body.person.mail, password: newPassword }))).toBe(
      'sign_in_failed',
    )
    const link = await operatorCall(open, 201, 'POST', `/people/${body.person.id}/sign-in-link`)
    const linked = await call(open, 200, '/sign-in/link', { token: link.body.token })
    await member.call(200, 'PUT', '/me/password', by(toCookie(linked.headers['set-cookie'])))
    await call(open, 200, '/sign-in', { mail: body.person.mail, password: newPassword })
  })
})

test('no code, token or secret of a sign-in is in the log, an error, the audit trail or the tables', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const loud = await startApp(joining(), log)
  provider.person = someone()
  const { query, cookie } = await visit(loud)
  const parameters = [...new URLSearchParams(query)].filter(([name]) => name !== 'iss').map(([, value]) => value)
  const secrets = [...parameters, cookie.split('=')[1]!, provider.client.clientSecret]
  const replies: Reply[] = [await finish(loud, 400, query, '')]
  replies.push(await finish(loud, 200, query, cookie))
  secrets.push(toCookie(replies[1]!.headers['set-cookie']).split('=')[1]!)
  replies[1]!.headers['set-cookie'] = undefined
  replies.push(await finish(loud, 400, query, cookie))
  replies.push(await call(loud, 422, '/sign-in/oidc/finish', { query: [query] }, cookie))
  for (const change of [
    { foreignKey: true },
    { alter: (claims: object) => ({ ...claims, nonce: 'wrong' }) },
    { away: true },
  ]) {
    const next = await visit(loud)
    Object.assign(provider, change)
    const reply = await finish(loud, 'away' in change ? 503 : 401, next.query, next.cookie)
    replies.push(reply)
    secrets.push(new URLSearchParams(next.query).get('code')!, next.cookie.split('=')[1]!)
    Object.assign(provider, { away: false, alter: undefined, foreignKey: false })
  }
  // As the browser asks for the page.
  await loud.app.inject(`/sign-in/callback${query}`)
  const rows = await Promise.all(
    ['audit_trail', 'people', 'sessions', 'identities', 'finished_visits'].map(
      async (table) => (await loud.context.database.query(`select t::text as row from ${table} t`)).rows,
    ),
  )
  expect(rows.every(({ length }) => length > 0)).toBe(true)
  expect(lines.filter((line) => line.includes('did not confirm')).length).toBe(2)
  expect(lines.filter((line) => line.includes('does not answer as it should')).length).toBe(1)
  const written = JSON.stringify([lines, replies, rows])
  expect(secrets.length).toBe(11)
  expect(secrets.filter((secret) => written.includes(secret))).toEqual([])
})

describe('a person with a second factor who signs in by the provider', () => {
  test('is asked for it, unless OIDC_SECOND_FACTOR trusts the provider, whose sign-ins then count as with one', async () => {
    const member = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
    await addTotp(member)
    const person = someone(member.mail)
    const asked = await signIn(app, 200, person)
    expect(asked.body).toEqual({ secondFactor: { methods: ['totp', 'recovery-code'] } })
    const trusting = await startApp({ OIDC_SECOND_FACTOR: 'trusted' })
    trusting.clock.set(new Date(app.clock.now()).toISOString())
    const trusted = await signIn(trusting, 200, person)
    expect(trusted.body).toMatchObject({ person: { id: member.id }, session: { method: 'oidc', secondFactor: true } })
    const without = await Member.create(app)
    const plain = someone(without.mail)
    expect((await signIn(app, 200, plain)).body.session.secondFactor).toBe(false)
    expect((await signIn(trusting, 200, plain)).body.session.secondFactor).toBe(true)
    await trusting.app.close()
  })
})
