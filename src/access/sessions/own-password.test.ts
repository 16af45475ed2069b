import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  type TestApp,
  toCookie,
} from '../../../test/harness.js'
import { code, postConsole, signIn as signInAs } from '../../../test/people.js'

const MINUTE = 60_000

let app: TestApp
let person: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  person = await Member.create(app)
})

const newPassword = 'entirely other words'
const put = (status: number, body: object, by = person): Promise<Reply> =>
  by.call(status, 'PUT', '/me/password', { body })
const signIn = (status: number, password: string, on = app): Promise<Reply> =>
  signInAs(on, status, { mail: person.mail, password })
const makeLink = async (): Promise<string> =>
  (await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`)).body.token
const byLink = (status: number, token: string, options: { cookie?: string; replace?: boolean } = {}): Promise<Reply> =>
  postConsole(
    app,
    status,
    '/sign-in/link',
    { token, ...(options.replace === undefined ? {} : { replace: options.replace }) },
    options.cookie === undefined ? {} : { cookie: options.cookie },
  )

describe('a wrong current password', () => {
  test('does not keep anyone from signing in, and a failed sign-in does not keep anyone from changing theirs', async () => {
    const limited = await startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
    const own = await Member.create(limited)
    const wrong = { currentPassword: 'wrong words entirely', newPassword }
    for (let tries = 0; tries < 4; tries += 1) expect(code(await put(403, wrong, own))).toBe('password_wrong')
    const body = { mail: own.mail, password: Member.PASSWORD }
    await signInAs(limited, 200, body)
    for (let tries = 0; tries < 3; tries += 1) {
      await signInAs(limited, 401, { ...body, password: 'not the right one' })
    }
    await signInAs(limited, 429, body)
    await put(200, { currentPassword: Member.PASSWORD, newPassword }, own)
    await limited.app.close()
  })

  test('ends the session the fifth time', async () => {
    const stolen = person.cookie
    const wrong = { currentPassword: 'wrong words entirely', newPassword }
    for (let tries = 0; tries < 4; tries += 1) await put(403, wrong)
    expect(code(await put(401, wrong))).toBe('session_ended')
    const headers = { cookie: stolen }
    const right = { currentPassword: Member.PASSWORD, newPassword }
    expect(code(await person.call(401, 'PUT', '/me/password', { body: right, headers }))).toBe('session_ended')
    await signIn(200, Member.PASSWORD)
    const trail = (await operatorCall(app, 200, 'GET', '/server/audit?limit=20')).body.items
    expect(
      trail.find(({ actor, changes }: { actor: { id?: string }; changes?: object }) => {
        return actor.id === person.id && changes !== undefined
      }),
    ).toMatchObject({ operation: 'changePassword', target: { type: 'session' }, changes: { wrongPasswords: 5 } })
  })

  test('is tried at most five times, even if many are sent at once', async () => {
    const attempt = (index: number) =>
      app.app.inject({
        method: 'PUT',
        url: '/api/me/password',
        headers: { ...FROM_OWN_PAGE, cookie: person.cookie },
        payload: { currentPassword: `wrong words ${index}`, newPassword },
      })
    const codeOf = ({ headers, statusCode }: Awaited<ReturnType<typeof attempt>>) =>
      String(headers['x-error-code'] ?? statusCode)
    const codes = (await Promise.all(Array.from({ length: 20 }, (_, index) => attempt(index)))).map(codeOf)
    // An attempt without a free place was not made and does not count.
    while (!codes.includes('session_ended') && codes.length < 30) codes.push(codeOf(await attempt(codes.length)))
    expect(codes.filter((found) => found === 'password_wrong')).toHaveLength(4)
    expect(codes).toContain('session_ended')
    expect(codes.filter((found) => !['password_wrong', 'sign_in_busy', 'session_ended'].includes(found))).toEqual([])
    await person.call(401, 'GET', '/me')
  })

  test('starts from zero after a right one, and a missing password does not count', async () => {
    const wrong = { currentPassword: 'wrong words entirely', newPassword }
    for (let tries = 0; tries < 8; tries += 1) await put(403, { newPassword })
    for (let tries = 0; tries < 4; tries += 1) await put(403, wrong)
    await put(400, { currentPassword: Member.PASSWORD, newPassword: 'Password1234!' })
    for (let tries = 0; tries < 4; tries += 1) await put(403, wrong)
    await put(200, { currentPassword: Member.PASSWORD, newPassword })
  })
})

describe('a session that begins with a link', () => {
  test('sets the password once without the current one', async () => {
    const reply = await byLink(200, await makeLink())
    expect(reply.body.session.passwordUntil).toBe(new Date(app.clock.now() + 10 * MINUTE).toISOString())
    person.cookie = toCookie(reply.headers['set-cookie'])
    expect((await put(200, { newPassword })).body.session.passwordUntil).toBeUndefined()
    await signIn(200, newPassword)
    expect(code(await put(403, { newPassword: 'yet other words of it' }))).toBe('password_wrong')
    await put(200, { currentPassword: newPassword, newPassword: 'yet other words of it' })
  })

  test('within ten minutes only', async () => {
    const begin = async (): Promise<void> => {
      person.cookie = toCookie((await byLink(200, await makeLink())).headers['set-cookie'])
    }
    await begin()
    app.clock.advance(10 * MINUTE)
    expect((await person.call(200, 'GET', '/me')).body.session.passwordUntil).toBeUndefined()
    expect(code(await put(403, { newPassword }))).toBe('password_wrong')
    await put(200, { currentPassword: Member.PASSWORD, newPassword })
    await begin()
    app.clock.advance(10 * MINUTE - 1)
    await put(200, { newPassword: 'yet other words of it' })
    person = await Member.create(app, { method: 'oidc' })
    await begin()
    app.clock.advance(10 * MINUTE)
    expect(code(await put(400, { newPassword }))).toBe('password_missing')
  })

  test('gains no time if the rights of its person change', async () => {
    const organization = (await operatorCall(app, 201, 'POST', '/organizations', { body: { name: 'A' } })).body
    const path = `/organizations/${organization.id}`
    const { token } = (
      await operatorCall(app, 201, 'POST', `${path}/invitations`, { body: { mail: person.mail, role: 'ADMIN' } })
    ).body
    await send(app.app, 200, 'POST', '/api/invitation/accept', {
      body: { token, password: Member.PASSWORD },
      headers: FROM_OWN_PAGE,
    })
    // The organization needs another administrator, because its last one must stay.
    await Member.create(app, { organizationId: organization.id, role: 'ADMIN' })
    person.cookie = toCookie((await byLink(200, await makeLink())).headers['set-cookie'])
    await person.call(200, 'PATCH', `${path}/members/${person.id}`, { body: { role: 'EDITOR' } })
    expect(code(await put(403, { newPassword }))).toBe('password_wrong')
  })
})

describe('a link that is opened while another person is signed in', () => {
  test('changes neither the session nor the link without `replace`', async () => {
    const other = await Member.create(app)
    const token = await makeLink()
    const refused = await byLink(409, token, { cookie: other.cookie })
    expect(code(refused)).toBe('signed_in_already')
    expect(refused.body.message).toContain(`Person ${other.id}`)
    expect(refused.body.message).not.toContain(person.id)
    expect(refused.headers['set-cookie']).toBeUndefined()
    await byLink(409, token, { cookie: other.cookie, replace: false })
    await other.call(200, 'GET', '/me')
    const { body } = await byLink(200, token, { cookie: other.cookie, replace: true })
    expect(body.person.id).toBe(person.id)
    await other.call(401, 'GET', '/me')
  })

  test('needs no `replace` if the session is over or belongs to the same person', async () => {
    const other = await Member.create(app)
    await other.call(200, 'DELETE', '/me/sessions', {})
    await byLink(200, await makeLink(), { cookie: `__Host-greenroom=${'A'.repeat(43)}` })
    await byLink(200, await makeLink(), { cookie: person.cookie })
    const idle = await Member.create(app)
    app.clock.advance(12 * 60 * MINUTE)
    await byLink(200, await makeLink(), { cookie: idle.cookie })
  })
})
