import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import { type MailServer, startMailServer } from '../../../test/mail-server.js'
import { takeEmptyApp } from '../../../test/test-app.js'
import { limit } from '../../lib/limits.js'
import { createNotifier } from '../../news/notifier.js'

const PUBLIC_URL = 'https://greenroom.example/app'
const HTTP = { http: { publicUrl: PUBLIC_URL, trustProxy: ['127.0.0.1'] } }
const NEW_PASSWORD = 'a horse that reads the news'

let server: MailServer
let app: TestApp
let person: Member
beforeEach(async () => {
  server = await startMailServer()
  app = await takeEmptyApp({ ...HTTP, mail: { url: server.url, from: 'Greenroom <greenroom@example.com>' } })
  person = await Member.create(app)
})
afterEach(() => server.close())

const post = (status: number, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  send(app.app, status, 'POST', `/api${path}`, { body, headers: { ...FROM_OWN_PAGE, ...headers } })
const ask = (mail = person.mail, headers?: Record<string, string>, status = 200): Promise<Reply> =>
  post(status, '/sign-in/password-link', { mail }, headers)
const tick = (): Promise<void> => createNotifier(app.context, { jitter: (ms) => ms }).tick()
/** Returns the links in the emails so far, exactly as written. */
const links = (): string[] =>
  server.mails.flatMap(
    ({ source }) =>
      source
        .replaceAll(/=\r?\n/g, '')
        .replaceAll('=3D', '=')
        .match(/https:\/\/greenroom\.example\/app\/\S*[#=]\S+/g) ?? [],
  )
const tokenOf = (link: string): string => link.replace(/^.*[#=/]/, '')
const enter = (status: number, token: string): Promise<Reply> => post(status, '/sign-in/link', { token })
const cookieOf = ({ headers }: Reply): string => String(headers['set-cookie']).split(';')[0]!
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

describe('a person who forgot the password', () => {
  test('gets an email with a link and sets a new password, and every other session and link ends', async () => {
    const before = person.cookie
    const operators = (await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`)).body.token
    await ask(person.mail.toUpperCase(), { 'x-forwarded-for': '198.51.100.7', host: 'evil.example' })
    await tick()
    expect(server.mails.map(({ to }) => to)).toEqual([[person.mail]])
    expect(server.mails[0]!.source).toContain('198.51.100.7')
    const [link] = links()
    // The address of the server is its setting, whatever the caller's Host header is.
    expect(link).toMatch(/^https:\/\/greenroom\.example\/app\//)
    const { rows } = await app.context.database.query<{ text: string }>(
      `select row_to_json(l)::text as text from entry_links l where person_id = $1
        union all select row_to_json(m)::text from person_mails m where person_id = $1`,
      [person.id],
    )
    for (const { text } of rows) expect(text).not.toContain(tokenOf(link!))

    const cookie = cookieOf(await enter(200, tokenOf(link!)))
    const set = await send(app.app, 200, 'PUT', '/api/me/password', {
      body: { newPassword: NEW_PASSWORD },
      headers: { ...FROM_OWN_PAGE, cookie },
    })
    expect(set.body.person.mail).toBe(person.mail)
    await send(app.app, 401, 'GET', '/api/me', { headers: { cookie: before } })
    await enter(400, operators)
    await enter(400, tokenOf(link!))
    await post(401, '/sign-in', { mail: person.mail, password: Member.PASSWORD })
    await post(200, '/sign-in', { mail: person.mail, password: NEW_PASSWORD })
    const { items } = (await operatorCall(app, 200, 'GET', '/server/audit?limit=50')).body
    const done = items.map(({ operation }: { operation: string }) => operation)
    expect(done).toEqual(expect.arrayContaining(['requestPasswordLink', 'signInByLink', 'changePassword']))
  })

  test('has 30 minutes to use only the newest link, once, however many try at once', async () => {
    await ask()
    await tick()
    app.clock.advance(1_000)
    await ask()
    await tick()
    const [first, second] = links().map(tokenOf)
    expect(first).not.toBe(second)
    await enter(400, first!)
    const tries = await Promise.allSettled([enter(200, second!), enter(200, second!)])
    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    app.clock.advance(1_000)
    await ask()
    await tick()
    app.clock.advance(30 * 60_000)
    expect(codeOf(await enter(400, tokenOf(links()[2]!)))).toBe('link_unusable')
  })

  test('still needs a second factor with the link', async () => {
    await app.context.database.query(
      `insert into totp_secrets (person_id, secret_sealed, created_at, confirmed_at)
       values ($1, 'sealed', $2, $2)`,
      [person.id, new Date(app.clock.now())],
    )
    await ask()
    await tick()
    const reply = await enter(200, tokenOf(links()[0]!))
    const headers = { ...FROM_OWN_PAGE, cookie: cookieOf(reply) }
    await send(app.app, 401, 'GET', '/api/me', { headers })
    await send(app.app, 401, 'PUT', '/api/me/password', { body: { newPassword: NEW_PASSWORD }, headers })
  })
})

describe('an outsider', () => {
  test('causes one response and one stored event, whether or not there is an account', async () => {
    const events = async (): Promise<number> => (await app.context.database.query('select from events')).rows.length
    const known = await ask()
    expect(await events()).toBe(1)
    const unknown = await ask('no.one@example.com')
    expect(await events()).toBe(2)
    const shown = ({ headers, body }: Reply) => [Object.keys(headers).toSorted(), body]
    expect(shown(unknown)).toEqual(shown(known))
    await tick()
    expect(server.mails.map(({ to }) => to)).toEqual([[person.mail]])
    await ask('not an address', {}, 422)
  })

  test('causes no email to a person with an unproven address, without the right to sign in, or without a password', async () => {
    const { database } = app.context
    const others = await Promise.all([Member.create(app), Member.create(app), Member.create(app)])
    await database.query('update people set mail_proven_at = null where person_id = $1', [others[0].id])
    await database.query('update people set active = false where person_id = $1', [others[1].id])
    await database.query('update people set password_hash = null where person_id = $1', [others[2].id])
    for (const { mail } of others) await ask(mail)
    await tick()
    expect(server.mails).toEqual([])
  })

  test('may make a limited number of requests, also per address, which the response does not reveal', async () => {
    for (let n = 0; n < limit('passwordLinksPerAddress') + 3; n++) {
      await ask(person.mail, { 'x-forwarded-for': `198.51.100.${n}` })
      await tick()
    }
    expect(server.mails).toHaveLength(limit('passwordLinksPerAddress'))
    for (let n = 0; n < limit('passwordLinksPerClient'); n++) await ask(`n${n}@example.com`)
    expect(codeOf(await ask(person.mail, {}, 429))).toBe('too_many_links')
    app.clock.advance(3_600_000)
    await ask()
  })

  test('learns how people sign in, and cannot ask from another page', async () => {
    const { body } = await send(app.app, 200, 'GET', '/api/sign-in')
    expect(body).toMatchObject({ password: true, passwordLink: true })
    const path = '/api/sign-in/password-link'
    const headers = { 'sec-fetch-site': 'cross-site' }
    await send(app.app, 403, 'POST', path, { body: { mail: person.mail }, headers })
  })
})

test.each<[string, object, number, string]>([
  ['without email', {}, 409, 'mails_off'],
  ['without passwords', { access: { passwords: false } }, 403, 'passwords_off'],
])('%s it is neither offered nor possible', async (_, config, status, code) => {
  app = await startTestApp({ ...HTTP, ...config })
  expect((await send(app.app, 200, 'GET', '/api/sign-in')).body).toMatchObject({ passwordLink: false })
  const tenant = await Tenant.create(app)
  const member = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
  expect(codeOf(await ask(member.mail, {}, status))).toBe(code)
})
