import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { FROM_OWN_PAGE, Member, type Reply, send, startTestApp, type TestApp, toCookie } from '../../../test/harness.js'
import {
  type ClientMethods,
  type ProviderPerson,
  startProvider,
  type TestProvider,
} from '../../../test/identity-provider.js'
import { CALLBACK_URL, call, codeOf, finish, OidcStage, PUBLIC_URL, someone } from '../../../test/oidc.js'

let stage: OidcStage
let provider: TestProvider
let app: TestApp
beforeAll(async () => {
  stage = await OidcStage.open()
  ;({ provider, app } = stage)
})
afterEach(() => stage.reset())
afterAll(() => stage.close())

describe('a sign-in with the provider that goes wrong', () => {
  let person: ProviderPerson
  beforeAll(async () => {
    person = someone((await Member.create(app)).mail)
  })
  const refused = async (status: number, change: () => void): Promise<unknown> => {
    provider.person = person
    const { query, cookie } = await stage.visit(app)
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
    ['a different subject in the user info', (claims: object) => ({ ...claims, sub: 'another' })],
  ])('%s is refused', async (_name, alter) => {
    expect(await refused(401, () => Object.assign(provider, { alter }))).toBe('oidc_refused')
  })

  test('a key that is not the provider’s is refused, and new keys are accepted at once', async () => {
    expect(await refused(401, () => Object.assign(provider, { foreignKey: true }))).toBe('oidc_refused')
    provider.foreignKey = false
    await stage.signIn(app, 200, person)
    provider.rotateKeys()
    await stage.signIn(app, 200, person)
    provider.person = person
    const { query, cookie } = await stage.visit(app)
    provider.rotateKeys()
    await finish(app, 200, query, cookie)
  })

  test('a state from another browser is refused before the provider is called', async () => {
    provider.person = person
    const [one, other] = [await stage.visit(app), await stage.visit(app)]
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

  test('a callback works once, and so does a code', async () => {
    provider.person = person
    const first = await stage.visit(app)
    await finish(app, 200, first.query, first.cookie)
    expect(codeOf(await finish(app, 400, first.query, first.cookie))).toBe('oidc_state_wrong')
    const second = await stage.visit(app)
    const replayed = second.query.replace(/code=[^&]+/, /code=[^&]+/.exec(first.query)![0])
    expect(codeOf(await finish(app, 401, replayed, second.cookie))).toBe('oidc_refused')
  })

  test('of two identical callbacks at the same time, one begins a session', async () => {
    provider.person = person
    const { query, cookie } = await stage.visit(app)
    const send_ = () =>
      app.app.inject({
        method: 'POST',
        url: '/api/sign-in/oidc/finish',
        headers: { ...FROM_OWN_PAGE, cookie },
        payload: { query },
      })
    const answers = await Promise.all([send_(), send_(), send_()])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400, 400])
  })

  test('it may take ten minutes, on any node', async () => {
    provider.person = person
    const other = await stage.sharedApp()
    const { query, cookie } = await stage.visit(app)
    other.clock.advance(10 * 60_000)
    expect(codeOf(await finish(other, 400, query, cookie))).toBe('oidc_state_wrong')
    other.clock.advance(-1)
    await finish(other, 200, query, cookie)
  })

  test('the redirect address is the same in both calls, however PUBLIC_URL is written', async () => {
    provider.person = person
    const loud = await stage.startApp({ PUBLIC_URL: 'http://LOCALHOST:9/below/' })
    const { query, cookie } = await stage.visit(loud)
    await finish(loud, 200, query, cookie)
  })

  test('a refusal by the provider is reported as such', async () => {
    provider.person = person
    const { query, cookie } = await stage.visit(app)
    const denied = query.replace(/code=[^&]+/, 'error=access_denied&error_description=no')
    expect(codeOf(await finish(app, 401, denied, cookie))).toBe('oidc_refused')
    const wrong = await stage.startApp({ OIDC_CLIENT_SECRET: 'another secret of the tests' })
    const begun = await stage.visit(wrong)
    expect(codeOf(await finish(wrong, 401, begun.query, begun.cookie))).toBe('oidc_refused')
    const elsewhere = await stage.startApp({ OIDC_ISSUER: `${provider.issuer}/elsewhere` })
    expect(codeOf(await call(elsewhere, 503, '/sign-in/oidc'))).toBe('oidc_unavailable')
  })

  test('an unavailable provider affects nothing else at the start, the sign-in or the callback', async () => {
    provider.away = true
    const lonely = await stage.startApp()
    await send(lonely.app, 200, 'GET', '/api/sign-in')
    const reply = await call(lonely, 503, '/sign-in/oidc')
    expect(codeOf(reply)).toBe('oidc_unavailable')
    expect(reply.headers['retry-after']).toBe('5')
    const member = await Member.create(lonely)
    await call(lonely, 200, '/sign-in', { mail: member.mail, password: Member.PASSWORD })
    provider.away = false
    provider.person = person
    const { query, cookie } = await stage.visit(lonely)
    provider.away = true
    expect(codeOf(await finish(lonely, 503, query, cookie))).toBe('oidc_unavailable')
    provider.away = false
    await stage.signIn(lonely, 200, person)
  })

  test.each([
    ['/.well-known/openid-configuration', 'begin'],
    ['/token', 'finish'],
    ['/jwks', 'finish'],
    ['/me', 'finish'],
  ] as const)('an endless answer at %s is not read to the end', async (path, step) => {
    provider.person = someone()
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    // Requests what the ID token does not contain.
    const own = await stage.startApp(stage.joining({ OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: 'staff=EDITOR' }), log)
    const begun = step === 'begin' ? undefined : await stage.visit(own)
    Object.assign(provider, { endless: path, endlessBytes: 0 })
    const { query = '', cookie = '' } = begun ?? {}
    const reply = await (step === 'begin' ? call(own, 503, '/sign-in/oidc') : finish(own, 503, query, cookie))
    provider.endless = undefined
    expect(codeOf(reply)).toBe('oidc_unavailable')
    expect(lines.join('')).toContain('ANSWER_TOO_LARGE')
    // Socket buffers hold a part of it.
    expect(provider.endlessBytes).toBeLessThan(16 * 2 ** 20)
    await own.app.close()
  })

  test('a server without a provider says so', async () => {
    const plain = await startTestApp()
    expect(codeOf(await call(plain, 400, '/sign-in/oidc'))).toBe('oidc_off')
    expect(codeOf(await call(plain, 400, '/sign-in/oidc/finish', { query: '?code=a' }))).toBe('oidc_off')
    const { body } = await send(plain.app, 200, 'GET', '/api/sign-in')
    expect(body).toEqual({ password: true, passwordLink: false, passkey: true })
  })

  test('a flood of wrong callbacks must wait', async () => {
    const limited = await startTestApp({ ...stage.oidcConfig(), limits: { failedAttemptsPerMinute: 3 } })
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
    const own = await startProvider(CALLBACK_URL, `${PUBLIC_URL}/`, methods)
    onTestFinished(() => own.close())
    const at = await stage.startApp({
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
    ['in the body, if the provider accepts it there', { offered: [...BOTH], registered: 'client_secret_post' }],
    ['in the body, if only that is offered', { offered: ['client_secret_post'], registered: 'client_secret_post' }],
    ['in the header, if only that is offered', { offered: ['client_secret_basic'] }],
    [
      'in the header, if only that is offered and its percent-encoding is not undone',
      { offered: ['client_secret_basic'], clientSecret: 'a-secret_with.marks', comparesEncoded: true },
    ],
    [
      'in the body, if the header is also offered and its percent-encoding is not undone',
      {
        offered: [...BOTH],
        registered: 'client_secret_post',
        clientSecret: 'a-secret/with+marks',
        comparesEncoded: true,
      },
    ],
  ])('is sent %s', async (_name, methods) => {
    expect((await signInAt(200, methods)).calls).toBe(1)
  })

  test('is sent in the header after the provider refused it in the body, and from then on there first', async () => {
    const clientSecret = 'a+secret&=with/odd%25signs:~!*()'
    const { calls, again } = await signInAt(200, {
      offered: [...BOTH],
      registered: 'client_secret_basic',
      clientSecret,
    })
    expect(calls).toBe(2)
    expect(await again()).toBe(1)
  })

  test('is sent only where OIDC_CLIENT_AUTH says', async () => {
    const methods: ClientMethods = { offered: [...BOTH], registered: 'client_secret_basic' }
    expect((await signInAt(200, methods, { OIDC_CLIENT_AUTH: 'basic' })).calls).toBe(1)
    expect((await signInAt(401, methods, { OIDC_CLIENT_AUTH: 'post' })).calls).toBe(1)
  })

  test('is refused if it is wrong', async () => {
    expect((await signInAt(401, { offered: [...BOTH] }, { OIDC_CLIENT_SECRET: 'another secret' })).calls).toBe(2)
  })
})

test('no code, token or secret of a sign-in is in the log, an error, the audit trail or the tables', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const loud = await stage.startApp(stage.joining(), log)
  provider.person = someone()
  const { query, cookie } = await stage.visit(loud)
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
    const next = await stage.visit(loud)
    Object.assign(provider, change)
    const reply = await finish(loud, 'away' in change ? 503 : 401, next.query, next.cookie)
    replies.push(reply)
    secrets.push(new URLSearchParams(next.query).get('code')!, next.cookie.split('=')[1]!)
    Object.assign(provider, { away: false, alter: undefined, foreignKey: false })
  }
  // A request as the browser makes it for the page.
  await loud.app.inject(`/sign-in/callback${query}`)
  const rows = await Promise.all(
    ['audit_trail', 'people', 'sessions', 'identities', 'finished_visits'].map(
      async (table) => (await loud.context.database.query(`select t::text as row from ${table} t`)).rows,
    ),
  )
  expect(rows.every(({ length }) => length > 0)).toBe(true)
  expect(lines.filter((line) => line.includes('did not confirm')).length).toBe(2)
  expect(lines.filter((line) => line.includes('does not answer, or not as expected')).length).toBe(1)
  const written = JSON.stringify([lines, replies, rows])
  expect(secrets.length).toBe(11)
  expect(secrets.filter((secret) => written.includes(secret))).toEqual([])
})
