import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  operatorCall,
  type Reply,
  send,
  startOwnTestApp,
  startTestApp,
  Tenant,
  type TestApp,
  toCookie,
} from '../../../test/harness.js'
import { code, newMail, postConsole } from '../../../test/people.js'
import { startProcessorTime } from '../../../test/processor-time.js'
import { runs } from '../../../test/runs.js'
import type { EntryLink, IssuedInvitation, Me } from '../../interface/generated/types.js'
import { checkNewPassword } from './password-rules.js'
import { createPasswords } from './passwords.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
})
afterAll(() => app.app.close())

const post = (status: number, path: string, body: unknown): Promise<Reply> => postConsole(app, status, path, body)
const password = Member.PASSWORD

async function invite(mail = newMail(), rights: object = { role: 'EDITOR' }): Promise<IssuedInvitation> {
  const path = `/organizations/${tenant.organizationId}/invitations`
  return (await operatorCall(app, 201, 'POST', path, { body: { mail, ...rights } })).body
}

describe('an invitation', () => {
  test('is shown to its holder, makes the account, and signs in with its role', async () => {
    const mail = newMail()
    const { token, path, ...invitation } = await invite(mail, { role: 'VIEWER', mayApprove: true })
    expect(path).toBe(`/#invitation=${token}`)
    expect(Date.parse(invitation.expiresAt) - app.clock.now()).toBe(7 * DAY)
    const about = {
      kind: 'member',
      mail,
      organizationName: 'Test',
      role: 'VIEWER',
      mayApprove: true,
    }
    expect((await post(200, '/invitation/read', { token })).body).toEqual(about)
    expect((await post(422, '/invitation/accept', { token, name: 'Zoë' })).body.error).toMatchObject([
      { path: ['password'] },
    ])
    // Without a name the call expects the password of an account, and there is no account.
    expect(code(await post(401, '/invitation/accept', { token, password }))).toBe('sign_in_failed')
    const reply = await post(200, '/invitation/accept', { token, name: 'Zoë', password })
    const me = reply.body as Me
    expect(me.person).toMatchObject({ name: 'Zoë', mail, owner: false })
    expect(me.organizations).toMatchObject([{ id: tenant.organizationId, role: 'VIEWER' }])
    expect(me.organizations[0]?.permissions).toContain('posts:approve')
    const cookie = toCookie(reply.headers['set-cookie'])
    const headers = { cookie, ...FROM_OWN_PAGE }
    expect((await send(app.app, 200, 'GET', '/api/me', { headers })).body).toEqual(me)
    await post(200, '/sign-in', { mail, password })
  })

  test('works once, within seven days, unless it is revoked or replaced, and an invented one does not work', async () => {
    const accept = (status: number, token: string) =>
      post(status, '/invitation/accept', { token, name: 'Zoë', password })
    const used = await invite()
    await accept(200, used.token)
    const mail = newMail()
    const replaced = await invite(mail)
    const revoked = await invite(mail.toUpperCase())
    const path = `/organizations/${tenant.organizationId}/invitations`
    expect((await operatorCall(app, 200, 'GET', path)).body.map(({ id }: { id: string }) => id)).toEqual([revoked.id])
    await operatorCall(app, 200, 'DELETE', `${path}/${revoked.id}`)
    await operatorCall(app, 404, 'DELETE', `${path}/${revoked.id}`)
    const late = await invite()
    app.clock.advance(7 * DAY)
    for (const { token } of [used, replaced, revoked, late, { token: 'A'.repeat(43) }]) {
      expect(code(await accept(400, token))).toBe('link_unusable')
      expect(code(await post(400, '/invitation/read', { token }))).toBe('link_unusable')
      expect(code(await post(400, '/sign-in/link', { token }))).toBe('link_unusable')
    }
  })

  test('admits one person if it is used twice at the same time', async () => {
    const { token } = await invite()
    const accept = () =>
      app.app.inject({
        method: 'POST',
        url: '/api/invitation/accept',
        headers: FROM_OWN_PAGE,
        payload: { token, name: 'Zoë', password },
      })
    const replies = await Promise.all([accept(), accept(), accept()])
    const codes = replies.map(({ statusCode, headers }) => headers['x-error-code'] ?? statusCode)
    expect(codes.filter((found) => found === 200)).toHaveLength(1)
    expect(codes.filter((found) => found === 'link_unusable' || found === 'account_exists')).toHaveLength(2)
  })

  test('of a person with an account needs its password, and adds the organization', async () => {
    const person = await Member.create(app)
    const { token } = await invite(person.mail, { role: 'ADMIN' })
    expect((await post(200, '/invitation/read', { token })).body).not.toHaveProperty('hasAccount')
    expect(code(await post(401, '/invitation/accept', { token, password: 'not the right one' }))).toBe('sign_in_failed')
    const { body } = await post(200, '/invitation/accept', { token, password: Member.PASSWORD })
    expect(body).toMatchObject({ person: { id: person.id }, organizations: [{ role: 'ADMIN' }] })
    // Other rights come with a new token.
    await person.call(401, 'GET', '/me')
    const path = `/organizations/${tenant.organizationId}/invitations`
    const again = await operatorCall(app, 409, 'POST', path, { body: { mail: person.mail, role: 'VIEWER' } })
    expect(code(again)).toBe('already_exists')
  })

  test('is made by an ADMIN of the organization, for that organization only', async () => {
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    const editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
    const other = await Tenant.create(app)
    const body = { mail: newMail(), role: 'EDITOR' }
    const { token } = (await admin.call(201, 'POST', `/organizations/${tenant.organizationId}/invitations`, { body }))
      .body
    expect(token).toMatch(/^[\w-]{43}$/)
    await editor.call(403, 'POST', `/organizations/${tenant.organizationId}/invitations`, { body })
    await admin.call(404, 'POST', `/organizations/${other.organizationId}/invitations`, { body })
    for (const wrong of [{ ...body, role: 'OWNER' }, { ...body, mail: 'nobody' }, { role: 'EDITOR' }]) {
      await admin.call(422, 'POST', `/organizations/${tenant.organizationId}/invitations`, { body: wrong })
    }
  })
})

describe('an owner', () => {
  test('signs in with a link that works once, within an hour, and may do what the operator token may do', async () => {
    const issue = async (): Promise<EntryLink> =>
      (await operatorCall(app, 201, 'POST', '/server/owner-invitation')).body
    const replaced = await issue()
    const { token, path, expiresAt } = await issue()
    expect([path, Date.parse(expiresAt) - app.clock.now()]).toEqual([`/#invitation=${token}`, HOUR])
    expect((await post(200, '/invitation/read', { token })).body).toEqual({ kind: 'owner', hasAccount: false })
    const body = { token, name: 'Owner', mail: newMail(), password }
    expect(code(await post(400, '/invitation/accept', { ...body, token: replaced.token }))).toBe('link_unusable')
    expect((await post(422, '/invitation/accept', { ...body, mail: undefined })).body.error).toMatchObject([
      { path: ['mail'] },
    ])
    const reply = await post(200, '/invitation/accept', body)
    const headers = { cookie: toCookie(reply.headers['set-cookie']), ...FROM_OWN_PAGE }
    expect(code(await post(400, '/invitation/accept', body))).toBe('link_unusable')
    await send(app.app, 200, 'GET', '/api/organizations', { headers })
    // An owner sees the first 1,000 organizations by name.
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { name: '0' } })
    const me = (await send(app.app, 200, 'GET', '/api/me', { headers })).body as Me
    const own = me.organizations.find(({ id }) => id === tenant.organizationId)
    expect([own?.role, own?.permissions.includes('operator')]).toEqual([undefined, true])
    const at = `/api/organizations/${tenant.organizationId}`
    await send(app.app, 200, 'PATCH', at, { headers, body: { active: false } })
    await send(app.app, 200, 'GET', `${at}/members`, { headers })
    await send(app.app, 404, 'GET', '/api/organizations/none/members', { headers })

    const late = await issue()
    app.clock.advance(HOUR)
    expect(code(await post(400, '/invitation/accept', { ...body, token: late.token }))).toBe('link_unusable')
  })

  test('is the only kind of person with rights on the server, and a member cannot change `active`', async () => {
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN', mayApprove: true })
    for (const path of ['/organizations', '/server/people', '/server/audit', `/server/people/${admin.id}/sessions`]) {
      expect(code(await admin.call(403, 'GET', path))).toBe('permission_missing')
    }
    await admin.call(403, 'PATCH', `/server/people/${admin.id}`, { body: { owner: true } })
    await admin.call(403, 'POST', '/server/owner-invitation')
    const at = `/organizations/${tenant.organizationId}`
    await admin.call(200, 'PATCH', at, { body: { name: 'Renamed', timeZone: 'Asia/Tokyo' } })
    expect(code(await admin.call(403, 'PATCH', at, { body: { active: false } }))).toBe('permission_missing')
    await operatorCall(app, 200, 'PATCH', at, { body: { active: false } })
    expect(code(await admin.call(402, 'GET', `${at}/workspaces`))).toBe('organization_inactive')
    expect((await admin.call(200, 'GET', '/me')).body.organizations).toMatchObject([{ active: false }])
  })

  test('stays one if they are the last, even if two calls come at the same time', async () => {
    const own = await startOwnTestApp()
    const { database } = own.context
    await database.query('update people set owner = false where owner')
    const a = await Member.create(own, { owner: true })
    const b = await Member.create(own, { owner: true })
    const path = (person: Member) => `/server/people/${person.id}`
    const replies = await Promise.all(
      [a, b].map((person) =>
        own.app.inject({
          method: 'PATCH',
          url: `/api${path(person)}`,
          headers: { ...FROM_OWN_PAGE, cookie: person.cookie },
          payload: { owner: false },
        }),
      ),
    )
    expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
    const last = replies[0]!.statusCode === 409 ? a : b
    expect(code(await last.call(409, 'PATCH', path(last), { body: { active: false } }))).toBe('last_owner')
    await own.app.close()
  })
})

describe('a sign-in link', () => {
  test('signs its person in once, within 15 minutes, to set a new password without the old one', async () => {
    const person = await Member.create(app)
    const issue = async (): Promise<EntryLink> =>
      (await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`)).body
    const { token, path } = await issue()
    expect(path).toBe(`/#sign-in=${token}`)
    await person.call(200, 'POST', '/sign-in/link', { body: { token } })
    expect(code(await post(400, '/sign-in/link', { token }))).toBe('link_unusable')
    await person.call(200, 'PUT', '/me/password', { body: { newPassword: 'entirely other words' } })
    await post(200, '/sign-in', { mail: person.mail, password: 'entirely other words' })
    const late = await issue()
    app.clock.advance(15 * MINUTE)
    await post(400, '/sign-in/link', { token: late.token })
    const unused = await issue()
    await operatorCall(app, 200, 'PATCH', `/server/people/${person.id}`, { body: { active: false } })
    expect(code(await post(400, '/sign-in/link', { token: unused.token }))).toBe('link_unusable')
    const { token: afterwards } = await issue()
    expect(code(await post(401, '/sign-in/link', { token: afterwards }))).toBe('sign_in_failed')
    await operatorCall(app, 404, 'POST', '/server/people/none/sign-in-link')
  })

  test('can be read any number of times without being used up', async () => {
    const person = await Member.create(app)
    const other = await Member.create(app)
    const { token } = (await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`))
      .body as EntryLink
    const read = async (status: number, own?: Member): Promise<Reply> => {
      const body = { token }
      return own === undefined
        ? await post(status, '/sign-in/link/read', body)
        : await own.call(status, 'POST', '/sign-in/link/read', { body })
    }
    for (let times = 0; times < 3; times += 1) {
      const { body, headers } = await read(200)
      expect(body).toEqual({ mail: person.mail })
      expect(headers).not.toHaveProperty('set-cookie')
    }
    expect((await read(200, person)).body).toEqual({ mail: person.mail })
    const replaces = { name: `Person ${other.id}`, mail: other.mail }
    expect((await read(200, other)).body).toEqual({ mail: person.mail, replaces })
    await other.call(200, 'GET', '/me')
    await post(200, '/sign-in/link', { token })
    expect(code(await read(400))).toBe('link_unusable')
    const { token: asleep } = (await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`)).body
    app.clock.advance(15 * MINUTE)
    expect(code(await post(400, '/sign-in/link/read', { token: asleep }))).toBe('link_unusable')
  })
})

describe('passwords', () => {
  test('are stored as PHC strings with the cost of their time, and are checked with that cost', async () => {
    const real = createPasswords()
    const hash = await real.hash(password)
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/)
    const cheap = createPasswords({ ln: 4, r: 8, p: 1 })
    expect(await cheap.matches(password, async () => hash)).toBe(true)
    expect(await cheap.matches(`${password}.`, async () => hash)).toBe(false)
    expect(await cheap.hash(password)).not.toBe(await cheap.hash(password))
    // Keyboards may compose it differently.
    const composed = await cheap.hash('caf\u00e9 au lait')
    expect(await cheap.matches('cafe\u0301 au lait', async () => composed)).toBe(true)
    for (const none of [null, undefined]) expect(await cheap.matches('', async () => none)).toBe(false)
  })

  test('take the same work whether or not there is an account', async () => {
    const passwords = createPasswords({ ln: 12, r: 8, p: 1 })
    const hash = await passwords.hash(password)
    const timeOf = async (given: string | undefined): Promise<number> => {
      const passed = startProcessorTime()
      for (let i = 0; i < 3; i++) await passwords.matches('wrong', async () => given)
      return passed()
    }
    // The process runs other tests at the same time, so the minimum of several is closest to the work itself.
    const times: [known: number, unknown: number][] = []
    for (let round = 0; round < 5; round++) times.push([await timeOf(hash), await timeOf(undefined)])
    const [known, unknown] = [0, 1].map((index) => Math.min(...times.map((pair) => pair[index]!)))
    expect(Math.max(known!, unknown!) / Math.min(known!, unknown!)).toBeLessThan(3)
  })

  test.each([
    'password1234',
    'Passw0rd!!!!!!',
    'P@$$w0rd2026!!',
    '123456789012',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abababababab',
    'qwertyuiop123',
    'welcome2026!!',
    'greenroom1234',
    'zoe.martin!!!!',
    'Zoe Martin 12',
  ])('that attackers try first are refused: %s', (given) => {
    const person = { mail: 'zoe.martin@example.com', name: 'Zoe Martin' }
    expect(() => checkNewPassword(given, person)).toThrow('too common')
  })

  test.each([
    'long words of the tests',
    'kettle-orbit-91',
    'Tr0ub4dor&3xyz',
    '喫茶店でコーヒーを飲みますか',
  ])('such as %s are accepted', (given) =>
    expect(() => checkNewPassword(given, { mail: 'a@example.com', name: 'A' })).not.toThrow())

  test('and links that fail make their address wait, but not a signed-in person', async () => {
    const own = await startTestApp({ limits: { failedAttemptsPerMinute: 20 } })
    const person = await Member.create(own)
    const attempt = (status: number, path: string, body: unknown) => postConsole(own, status, path, body)
    for (let i = 0; i < 10; i++) {
      await attempt(401, '/sign-in', { mail: person.mail, password: 'wrong words for it' })
      await attempt(400, '/sign-in/link', { token: 'A'.repeat(43) })
    }
    const right = { mail: person.mail, password: Member.PASSWORD }
    const refused = await attempt(429, '/sign-in', right)
    expect([code(refused), refused.headers['retry-after']]).toEqual(['too_many_failures', '1'])
    await attempt(429, '/invitation/accept', { token: 'A'.repeat(43), password })
    await person.call(200, 'GET', '/me')
    own.clock.advance(1_000)
    await attempt(200, '/sign-in', right)
    await own.app.close()
  })

  test('are computed only a few at a time for an account: hundreds of wrong ones are refused with Retry-After, and others are served', async () => {
    const person = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    const before = process.memoryUsage().rss
    const attempt = () =>
      app.app.inject({
        method: 'POST',
        url: '/api/sign-in',
        headers: FROM_OWN_PAGE,
        payload: { mail: person.mail, password: 'wrong words for it' },
      })
    const wrong: ReturnType<typeof attempt>[] = []
    while (wrong.length < runs(500, 10_000)) {
      wrong.push(attempt())
      // As with sockets, other ready work runs in between; otherwise connections to PostgreSQL time out.
      if (wrong.length % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await person.call(200, 'GET', '/me')
    const replies = await Promise.all(wrong)
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([401, 503]))
    for (const { headers } of replies.filter(({ statusCode }) => statusCode === 503)) {
      expect(headers).toMatchObject({ 'x-error-code': 'sign_in_busy', 'retry-after': '2' })
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(1024 * 1024 * 1024)
    await post(200, '/sign-in', { mail: person.mail, password: Member.PASSWORD })
  })
})
