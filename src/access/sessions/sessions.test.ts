import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  send,
  signedHeaders,
  startOwnTestApp,
  startTestApp,
  Tenant,
  type TestApp,
  toCookie,
} from '../../../test/harness.js'
import { code, postConsole } from '../../../test/people.js'
import { TEST_DATABASE_URL } from '../../../test/test-database.js'
import type { Me } from '../../interface/generated/types.js'

const HOUR = 3_600_000

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
})
afterAll(() => app.app.close())

const member = (role: 'VIEWER' | 'EDITOR' | 'ADMIN' = 'EDITOR', mayApprove = false): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
const signIn = (status: number, body: unknown, headers?: Record<string, string>) =>
  postConsole(app, status, '/sign-in', body, headers)

/** Starts a second process on the same database. */
async function anotherNode(): Promise<TestApp> {
  const other = await startOwnTestApp()
  other.clock.set(new Date(app.clock.now()).toISOString())
  return other
}

describe('signing in', () => {
  test('sets a cookie for this host only, hidden from scripts, and answers who the person is', async () => {
    const person = await member('EDITOR', true)
    const reply = await signIn(200, { mail: person.mail.toUpperCase(), password: Member.PASSWORD })
    expect((reply.headers['set-cookie'] as unknown as string[])[0]).toMatch(
      /^__Host-greenroom=[\w-]{43}; Max-Age=604800; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    )
    const cookie = toCookie(reply.headers['set-cookie'])
    const me = (await person.call(200, 'GET', '/me', { headers: { cookie } })).body as Me
    expect(me).toEqual(reply.body)
    expect(me.person).toMatchObject({ id: person.id, mail: person.mail, owner: false, active: true })
    expect(me.organizations).toEqual([
      {
        id: tenant.organizationId,
        name: 'Test',
        active: true,
        timeZone: 'UTC',
        language: 'en',
        currency: null,
        fourEyes: false,
        automation: 'on',
        reviewers: [],
        requireSecondFactor: false,
        role: 'EDITOR',
        permissions: expect.arrayContaining(['posts:write', 'posts:approve']),
      },
    ])
    expect(me.permissions).toEqual(['self', 'account'])
  })

  test('answers the same for a wrong password, an unknown account and a deactivated one, and echoes nothing', async () => {
    const person = await member()
    const gone = await member()
    await operatorCall(app, 200, 'PATCH', `/server/people/${gone.id}`, { body: { active: false } })
    const bodies = [
      { mail: person.mail, password: 'not the right one' },
      { mail: 'nobody@example.com', password: Member.PASSWORD },
      { mail: gone.mail, password: Member.PASSWORD },
    ]
    for (const body of bodies) {
      const reply = await signIn(401, body)
      expect([code(reply), reply.body]).toEqual(['sign_in_failed', { message: expect.any(String) }])
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
    const refused = await signIn(422, { mail: person.mail, password: 'a-secret-that-is-too-long'.repeat(20) })
    expect(JSON.stringify(refused.body)).not.toContain('a-secret')
  })

  test('accepts no earlier token: the previous session of the browser ends, and a planted one is never used', async () => {
    const person = await member()
    const attacker = await member()
    const planted = attacker.cookie
    const reply = await signIn(200, { mail: person.mail, password: Member.PASSWORD }, { cookie: planted })
    const own = toCookie(reply.headers['set-cookie'])
    expect(own).not.toBe(planted)
    await attacker.call(401, 'GET', '/me', { headers: { cookie: planted } })
    const unknown = `__Host-greenroom=${'A'.repeat(43)}`
    const again = await signIn(200, { mail: person.mail, password: Member.PASSWORD }, { cookie: unknown })
    expect(toCookie(again.headers['set-cookie'])).not.toBe(unknown)
    await person.call(401, 'GET', '/me', { headers: { cookie: unknown } })
  })

  test('twice at once begins two sessions with different tokens', async () => {
    const person = await member()
    const body = { mail: person.mail, password: Member.PASSWORD }
    const replies = await Promise.all([signIn(200, body), signIn(200, body)])
    const cookies = replies.map(({ headers }) => toCookie(headers['set-cookie']))
    expect(new Set(cookies).size).toBe(2)
    for (const cookie of cookies) await person.call(200, 'GET', '/me', { headers: { cookie } })
  })

  test('beyond 50 sessions ends the oldest', async () => {
    const person = await member()
    const first = person.cookie
    const body = { mail: person.mail, password: Member.PASSWORD }
    for (let i = 0; i < 50; i++) {
      app.clock.advance(1)
      await signIn(200, body)
    }
    await person.call(401, 'GET', '/me', { headers: { cookie: first } })
    const { rows } = await app.context.database.query<{ count: number }>(
      'select count(*)::integer as count from sessions where person_id = $1',
      [person.id],
    )
    expect(rows[0]?.count).toBe(50)
  })
})

describe('a session', () => {
  test('ends after twelve hours without use, and after seven days in any case', async () => {
    const idle = await member()
    const busy = await member()
    for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
      await busy.call(200, 'GET', '/me')
      app.clock.advance(11 * HOUR)
      if (hours === 0) await idle.call(200, 'GET', '/me')
    }
    expect(code(await idle.call(401, 'GET', '/me'))).toBe('session_ended')
    await busy.call(200, 'GET', '/me')
    app.clock.advance(3 * HOUR - 1)
    await busy.call(200, 'GET', '/me')
    app.clock.advance(1)
    expect(code(await busy.call(401, 'GET', '/me'))).toBe('session_ended')
  })

  test('has its last use recorded at most once a minute, and stays alive through use on another node', async () => {
    const person = await member()
    const other = await anotherNode()
    const seen = async (): Promise<number> => {
      const { rows } = await app.context.database.query<{ last_seen_at: Date }>(
        'select last_seen_at from sessions where person_id = $1',
        [person.id],
      )
      return rows[0]!.last_seen_at.getTime()
    }
    const start = app.clock.now()
    for (let i = 0; i < 5; i++) {
      app.clock.advance(11_000)
      await person.call(200, 'GET', '/me')
    }
    expect(await seen()).toBe(start)
    app.clock.advance(11_000)
    await Promise.all([person.call(200, 'GET', '/me'), person.call(200, 'GET', '/me')])
    expect(await seen()).toBe(app.clock.now())

    other.clock.advance(11 * HOUR)
    await person.on(other).call(200, 'GET', '/me')
    app.clock.advance(13 * HOUR)
    await person.call(200, 'GET', '/me')
    await other.app.close()
  })

  test('survives a clock that is set back a little, and ends if the clock jumps far either way', async () => {
    const own = await startOwnTestApp()
    const person = await Member.create(own)
    own.clock.advance(-6 * HOUR)
    await person.call(200, 'GET', '/me')
    own.clock.advance(-7 * HOUR)
    expect(code(await person.call(401, 'GET', '/me'))).toBe('session_ended')
    own.clock.advance(13 * HOUR)
    await person.call(200, 'GET', '/me')
    own.clock.advance(365 * 24 * HOUR)
    expect(code(await person.call(401, 'GET', '/me'))).toBe('session_ended')
    await own.app.close()
  })

  test('is refused on every node from the moment it ends', async () => {
    const person = await member()
    const other = await anotherNode()
    await person.call(200, 'GET', '/me')
    await person.on(other).call(200, 'GET', '/me')
    const stolen = person.cookie
    const reply = await person.call(200, 'POST', '/sign-out')
    expect(reply.headers['set-cookie']).toMatch(/^__Host-greenroom=; Max-Age=0; Path=\/; Secure/)
    for (const test of [app, other]) {
      expect(code(await person.on(test).call(401, 'GET', '/me', { headers: { cookie: stolen } }))).toBe('session_ended')
    }
    await other.app.close()
  })

  test('that ends while its request waits for the database still gets that response, but no other', async () => {
    const person = await member('ADMIN')
    const path = `/organizations/${tenant.organizationId}/workspaces`
    const { database } = app.context
    const end = 'delete from sessions where person_id = $1'
    if (TEST_DATABASE_URL === undefined) await database.query(end, [person.id])
    else {
      const { rows } = await database.query<{ name: string }>('select current_database() as name')
      const url = new URL(TEST_DATABASE_URL)
      url.pathname = rows[0]!.name
      const client = new pg.Client({ connectionString: url.href })
      await client.connect()
      try {
        await client.query('begin')
        await client.query(end, [person.id])
        // Not yet committed: the request comes before the session ends.
        await person.call(200, 'GET', path)
        await client.query('commit')
      } finally {
        await client.end()
      }
    }
    await person.call(401, 'GET', path)
  })

  test('is listed only for its person, who can end each one or all', async () => {
    const person = await member()
    const stranger = await member()
    const body = { mail: person.mail, password: Member.PASSWORD }
    const phone = toCookie((await signIn(200, body, { 'user-agent': 'Phone' })).headers['set-cookie'])
    const listed = (await person.call(200, 'GET', '/me/sessions')).body
    const seen = listed.map((row: { userAgent?: string; current: boolean }) => `${row.userAgent} ${row.current}`)
    expect(seen.toSorted()).toEqual(['Phone false', 'undefined true'])
    const { id } = listed.find(({ userAgent }: { userAgent?: string }) => userAgent === 'Phone')
    expect(code(await stranger.call(404, 'DELETE', `/me/sessions/${id}`))).toBe('session_not_found')
    await person.call(200, 'GET', '/me', { headers: { cookie: phone } })
    await person.call(200, 'DELETE', `/me/sessions/${id}`)
    await person.call(401, 'GET', '/me', { headers: { cookie: phone } })
    const tablet = toCookie((await signIn(200, body)).headers['set-cookie'])
    const { cookie } = person
    expect((await person.call(200, 'DELETE', '/me/sessions')).body).toEqual({ ended: 2 })
    for (const ended of [tablet, cookie]) await person.call(401, 'GET', '/me', { headers: { cookie: ended } })
    await stranger.call(200, 'GET', '/me')
  })

  test('continues with a new token when its person changes the password, and every other one ends', async () => {
    const person = await member()
    const body = { mail: person.mail, password: Member.PASSWORD }
    const other = toCookie((await signIn(200, body)).headers['set-cookie'])
    const before = person.cookie
    const newPassword = 'entirely other words'
    const change = (status: number, changes: unknown) => person.call(status, 'PUT', '/me/password', { body: changes })
    expect(code(await change(403, { newPassword }))).toBe('password_wrong')
    await change(403, { currentPassword: 'wrong words entirely', newPassword })
    expect(code(await change(400, { currentPassword: Member.PASSWORD, newPassword: 'Password1234!' }))).toBe(
      'password_weak',
    )
    await change(422, { currentPassword: Member.PASSWORD, newPassword: 'short' })
    await change(200, { currentPassword: Member.PASSWORD, newPassword })
    expect(person.cookie).not.toBe(before)
    await person.call(200, 'GET', '/me')
    for (const cookie of [before, other]) await person.call(401, 'GET', '/me', { headers: { cookie } })
    await signIn(401, body)
    await signIn(200, { mail: person.mail, password: newPassword })
  })

  test('continues when the rights of its person in an organization change; people who change their own get a new token', async () => {
    const admin = await member('ADMIN')
    const editor = await member()
    const path = `/organizations/${tenant.organizationId}/members`
    await admin.call(200, 'PATCH', `${path}/${editor.id}`, { body: { role: 'EDITOR' } })
    const other = await anotherNode()
    const mayApprove = async (on: TestApp): Promise<boolean> =>
      (await editor.on(on).call(200, 'GET', '/me')).body.organizations[0].permissions.includes('posts:approve')
    const review = (status: number, on: TestApp) =>
      editor.on(on).call(status, 'POST', `/organizations/${tenant.organizationId}/scheduled-posts/none/approve`, {
        headers: { 'if-match': '"1"' },
      })
    for (const node of [app, other]) await review(403, node)
    await admin.call(200, 'PATCH', `${path}/${editor.id}`, { body: { mayApprove: true } })
    for (const node of [app, other]) {
      expect(await mayApprove(node)).toBe(true)
      await review(404, node)
    }
    await other.app.close()
    // The organization needs another administrator, because its last one must stay.
    await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    const before = admin.cookie
    await admin.call(200, 'PATCH', `${path}/${admin.id}`, { body: { role: 'VIEWER' } })
    expect(admin.cookie).not.toBe(before)
    await admin.call(401, 'GET', '/me', { headers: { cookie: before } })
    expect(code(await admin.call(403, 'PATCH', `${path}/${editor.id}`, { body: { role: 'VIEWER' } }))).toBe(
      'permission_missing',
    )
  })
})

describe('the name of the cookie', () => {
  test.each([
    '\u00a0',
    '\u0085',
    '\f',
    '\v',
    '\ufeff',
    '__host-',
  ])('is compared byte by byte: a name that differs by %j is another cookie', async (before) => {
    const person = await member('EDITOR')
    const [, token] = person.cookie.split('=')
    const name = before === '__host-' ? '__host-greenroom' : `${before}__Host-greenroom`
    await person.call(401, 'GET', '/me', { headers: { cookie: `a=b; ${name}=${token}` } })
    await person.call(200, 'GET', '/me', { headers: { cookie: `a=b;\t__Host-greenroom=${token}` } })
  })
})

describe('signing out', () => {
  test.each([
    ['POST', '/sign-out'],
    ['DELETE', '/me/sessions'],
  ] as const)('%s %s clears the cache of the browser but keeps the drafts in the tab', async (method, path) => {
    const { headers } = await (await member('EDITOR')).call(200, method, path)
    expect(headers['clear-site-data']).toBe('"cache"')
    expect(headers['set-cookie']).toMatch(/^__Host-greenroom=; Max-Age=0/)
  })
})

describe('the cookie and the signature', () => {
  test('do not mix: a session does not work on the interface, and a key without the permission api does not work on /api', async () => {
    const person = await member('ADMIN')
    const { cookie } = person
    await send(app.app, 403, 'GET', '/v1/workspaces', { headers: { cookie, 'x-api-version': '1' } })
    await send(app.app, 403, 'GET', '/v0/vip-users', { headers: { cookie } })
    const signature = {
      ...signedHeaders(tenant.key, new Date(app.clock.now()).toUTCString()),
      'x-api-version': '1',
      ...FROM_OWN_PAGE,
    }
    const path = `/api/organizations/${tenant.organizationId}/workspaces`
    expect(code(await send(app.app, 403, 'GET', path, { headers: signature }))).toBe('permission_missing')
    const nobody = await send(app.app, 401, 'GET', path, { headers: FROM_OWN_PAGE })
    expect([code(nobody), nobody.headers['www-authenticate']]).toEqual(['session_missing', 'Bearer'])
  })

  test('yield to a token in the request', async () => {
    const { cookie } = await member('ADMIN')
    const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}`, cookie }
    expect((await send(app.app, 200, 'GET', '/api/whoami', { headers: asOperator })).body.type).toBe('operator')
    const asNobody = { authorization: 'Bearer unknown', cookie }
    expect(code(await send(app.app, 401, 'GET', '/api/whoami', { headers: asNobody }))).toBe('operator_token_wrong')
  })
})

describe('a change', () => {
  const at = 'greenroom.example'
  const change = (person: Member, status: number, headers: Record<string, string | undefined>) =>
    person.call(status, 'POST', `/organizations/${tenant.organizationId}/scheduled-posts`, {
      body: {},
      headers: { 'sec-fetch-site': undefined, host: at, ...headers },
    })

  test('must come from a page of the server, according to Sec-Fetch-Site or else the Origin', async () => {
    const person = await member()
    await change(person, 201, { 'sec-fetch-site': 'same-origin' })
    await change(person, 201, { origin: `https://${at}` })
    await change(person, 201, { origin: 'http://localhost:8080', host: 'localhost:8080' })
    await change(person, 201, { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' })
    await change(person, 201, { origin: 'http://[::1]:8080', host: '[::1]:8080' })
  })

  test.each([
    ['neither header', {}],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the site', { 'sec-fetch-site': 'same-site', origin: `https://${at}` }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['the same host on another port', { origin: `https://${at}:8443` }],
    ['an Origin with only the same beginning', { origin: `https://${at}.evil.example` }],
    ['an opaque Origin', { origin: 'null' }],
    ['no URL', { origin: at }],
  ])('is refused from %s, before the session is checked', async (_from, headers) => {
    const person = await member()
    expect(code(await change(person, 403, headers))).toBe('cross_site')
    expect(code(await change(person, 403, { ...headers, cookie: '__Host-greenroom=unknown' }))).toBe('cross_site')
    const body = { mail: person.mail, password: Member.PASSWORD }
    const given = { 'sec-fetch-site': undefined, host: at, ...headers }
    await send(app.app, 403, 'POST', '/api/sign-in', { body, headers: given })
    await person.call(200, 'GET', '/me', { headers: given })
  })

  test('over plain http from another machine is answered that https is needed', async () => {
    const person = await member()
    for (const host of ['192.168.1.5:8080', 'greenroom.lan', '10.127.0.1']) {
      expect(code(await change(person, 403, { host, origin: `http://${host}` }))).toBe('https_needed')
    }
  })
})
