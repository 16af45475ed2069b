import { pino } from 'pino'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, send, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'
import { callWith, makeToken } from '../../../test/personal-tokens.js'
import { addTotp } from '../../../test/second-factors.js'
import type { DeviceLogin, NewDeviceLogin } from '../../interface/generated/types.js'
import { forgetSecondFactor } from './personal-tokens.store.js'

const MINUTE = 60_000
const DAY = 86_400_000

let app: TestApp
let tenant: Tenant
let person: Member
const lines: string[] = []
beforeAll(async () => {
  app = await startTestApp({}, pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }))
})
beforeEach(async () => {
  // Programs of earlier tests no longer wait.
  app.clock.advance(DAY)
  tenant = await Tenant.create(app)
  person = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
})

const post = (status: number, path: string, body: unknown, from = '127.0.0.1', on = app): Promise<Reply> =>
  on.app
    .inject({ method: 'POST', url: `/api/sign-in/device${path}`, payload: body as object, remoteAddress: from })
    .then((response) => {
      expect(response.statusCode, response.body).toBe(status)
      return { status, body: response.json(), headers: response.headers }
    })
const begin = async (body: Partial<NewDeviceLogin> = {}, from?: string): Promise<DeviceLogin> =>
  (await post(201, '', { name: 'CLI on laptop', ...body }, from)).body
const fetch = (status: number, { deviceCode }: DeviceLogin): Promise<Reply> => post(status, '/token', { deviceCode })
const answer = (status: number, what: 'read' | 'allow' | 'refuse', body: object, by = person): Promise<Reply> =>
  by.call(status, 'POST', `/me/device-login/${what}`, { body })
const allow = (status: number, { userCode }: Pick<DeviceLogin, 'userCode'>, by = person): Promise<Reply> =>
  answer(status, 'allow', { userCode, scopes: ['posts:read'] }, by)

describe('a program that asks a person for a token', () => {
  test('gets a token of the person once, after they have entered its code', async () => {
    const login = await begin({ scopes: ['posts:read', 'posts:write'] })
    expect(login).toEqual({
      deviceCode: expect.stringMatching(/^[\w-]{43}$/),
      userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      path: '/device',
      expiresAt: new Date(app.clock.now() + 10 * MINUTE).toISOString(),
      interval: 5,
    })
    expect(code(await fetch(400, login))).toBe('authorization_pending')
    const { userCode } = login
    const asked = {
      name: 'CLI on laptop',
      scopes: ['posts:read', 'posts:write'],
      address: '127.0.0.1',
      createdAt: new Date(app.clock.now()).toISOString(),
      expiresAt: login.expiresAt,
    }
    const typed = userCode.toLowerCase().replace('-', ' ')
    expect((await answer(200, 'read', { userCode: typed })).body).toEqual(asked)
    expect((await allow(200, login)).body).toEqual(asked)
    const { body } = await fetch(201, login)
    expect(body).toMatchObject({ name: 'CLI on laptop', scopes: ['posts:read'] })
    expect(Date.parse(body.expiresAt) - app.clock.now()).toBe(90 * DAY)
    const path = `/organizations/${tenant.organizationId}/scheduled-posts`
    await callWith(app, body.token, 200, 'GET', path)
    await callWith(app, body.token, 403, 'POST', path, {})
    expect(code(await fetch(400, login))).toBe('expired_token')
    expect(code(await allow(400, login))).toBe('user_code_wrong')
  })

  test('learns that the person refuses', async () => {
    const login = await begin()
    await answer(200, 'refuse', { userCode: login.userCode })
    expect(code(await fetch(400, login))).toBe('access_denied')
    expect(code(await allow(400, login))).toBe('user_code_wrong')
  })

  test('has ten minutes', async () => {
    const login = await begin()
    app.clock.advance(10 * MINUTE)
    await person.signInAgain()
    expect(code(await answer(400, 'read', { userCode: login.userCode }))).toBe('user_code_wrong')
    expect(code(await allow(400, login))).toBe('user_code_wrong')
    expect(code(await fetch(400, login))).toBe('expired_token')
    const late = await begin()
    await allow(200, late)
    app.clock.advance(10 * MINUTE)
    expect(code(await fetch(400, late))).toBe('expired_token')
  })

  test('that polls too often gets slow_down, and must wait five seconds longer each time', async () => {
    const login = await begin()
    expect(code(await fetch(400, login))).toBe('authorization_pending')
    app.clock.advance(1_000)
    expect(code(await fetch(400, login))).toBe('slow_down')
    app.clock.advance(5_000)
    expect(code(await fetch(400, login))).toBe('slow_down')
    app.clock.advance(15_000)
    expect(code(await fetch(400, login))).toBe('authorization_pending')
  })

  test('does not keep others at its address from signing in while it waits', async () => {
    const guarded = await startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
    guarded.clock.set(new Date(app.clock.now()).toISOString())
    const { body } = await post(201, '', { name: 'A' }, undefined, guarded)
    for (let count = 0; count < 20; count++)
      await post(400, '/token', { deviceCode: body.deviceCode }, undefined, guarded)
    const headers = { 'sec-fetch-site': 'same-origin' }
    await send(guarded.app, 401, 'POST', '/api/sign-in', { body: { mail: 'a@example.com', password: 'x' }, headers })
  })

  test('cannot get a token with codes from the database or a log', async () => {
    lines.length = 0
    const login = await begin()
    await allow(200, login)
    const { rows } = await app.context.database.query('select * from device_logins')
    const { body } = await fetch(201, login)
    const kept = JSON.stringify(rows) + lines.join('')
    for (const secret of [login.deviceCode, login.userCode, login.userCode.replace('-', ''), body.token]) {
      expect(kept).not.toContain(secret)
    }
  })
})

describe('the person', () => {
  test('confirms who they are before they allow a program', async () => {
    const login = await begin()
    app.clock.advance(9 * MINUTE)
    const old = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    const late = await begin()
    app.clock.advance(10 * MINUTE - 1)
    expect(code(await allow(400, login, old))).toBe('user_code_wrong')
    app.clock.advance(1)
    const again = await begin()
    expect(late.userCode).not.toBe(again.userCode)
    expect(code(await allow(403, again, old))).toBe('confirmation_needed')
    await old.call(200, 'POST', '/me/confirmation/password', { body: { password: Member.PASSWORD } })
    await allow(200, again, old)
  })

  test('grants no more than they hold, and may choose scopes that the program did not ask for', async () => {
    const login = await begin({ scopes: ['posts:read', 'settings:write'] })
    const give = (status: number, ...scopes: string[]): Promise<Reply> =>
      answer(status, 'allow', { userCode: login.userCode, scopes })
    expect(code(await give(403, 'settings:write'))).toBe('scope_not_held')
    await give(200, 'posts:read', 'audience:read')
    expect((await fetch(201, login)).body.scopes).toEqual(['posts:read', 'audience:read'])
  })

  test('with the maximum number of tokens sees that before they answer', async () => {
    for (let count = 0; count < 20; count++) await makeToken(person, { scopes: ['posts:read'] })
    expect(code(await allow(409, await begin()))).toBe('tokens_full')
  })

  test('who is signed out everywhere before the program polls again has allowed nothing', async () => {
    const login = await begin()
    await allow(200, login)
    await person.call(200, 'DELETE', '/me/sessions')
    expect(code(await fetch(400, login))).toBe('expired_token')
    const other = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    const second = await begin()
    await allow(200, second, other)
    await operatorCall(app, 200, 'DELETE', `/server/people/${other.id}`)
    expect(code(await fetch(400, second))).toBe('expired_token')
  })

  test('who removes their second factor while the program fetches its token gives one that counts as made without it', async () => {
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, {
      body: { requireSecondFactor: true },
    })
    await addTotp(person)
    const login = await begin()
    await allow(200, login)
    const { database } = app.context
    // The last factor is removed after the program's request has read the response, and before its transaction.
    const own = await startTestApp({}, undefined, {
      ...database,
      transaction: (run, options) =>
        database.transaction(async (tx) => {
          await forgetSecondFactor(tx, person.id)
          return await run(tx)
        }, options),
    })
    own.clock.set(new Date(app.clock.now()).toISOString())
    const { body } = await post(201, '/token', { deviceCode: login.deviceCode }, undefined, own)
    const path = `/organizations/${tenant.organizationId}/scheduled-posts`
    expect(code(await callWith(app, body.token, 403, 'GET', path))).toBe('second_factor_required')
  })

  test('leaves what they allowed and refused in the audit trail', async () => {
    const [first, second] = [await begin(), await begin({ name: 'Another' })]
    await allow(200, first)
    const { body } = await fetch(201, first)
    await answer(200, 'refuse', { userCode: second.userCode })
    const { items } = (await operatorCall(app, 200, 'GET', `/server/audit?actor=user:${person.id}`)).body
    const about = { type: 'user', id: person.id, name: expect.any(String) }
    const address = '127.0.0.1'
    expect(items).toEqual([
      expect.objectContaining({ operation: 'refuseDeviceLogin', target: about, changes: { name: 'Another', address } }),
      expect.objectContaining({ operation: 'fetchDeviceToken', target: { type: 'personalToken', id: body.id } }),
      expect.objectContaining({
        operation: 'allowDeviceLogin',
        target: about,
        changes: { name: 'CLI on laptop', address, scopes: ['posts:read'] },
      }),
    ])
  })
})

describe('attacks by strangers', () => {
  test('guessed codes count as failed attempts', async () => {
    const guarded = await startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
    guarded.clock.set(new Date(app.clock.now()).toISOString())
    const guesser = person.on(guarded)
    for (let count = 0; count < 3; count++) await answer(400, 'read', { userCode: 'BCDF-GHJK' }, guesser)
    for (const what of ['read', 'refuse'] as const) {
      expect(code(await answer(429, what, { userCode: 'BCDF-GHJK' }, guesser))).toBe('too_many_failures')
    }
    expect(code(await allow(429, { userCode: 'BCDF-GHJK' }, guesser))).toBe('too_many_failures')
  })

  test('a page of another site cannot keep a visitor from signing in, whatever it makes their browser send', async () => {
    const guarded = await startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
    const inject = (method: 'GET' | 'POST', url: string, site: string, payload?: object): Promise<number> =>
      guarded.app
        .inject({ method, url, headers: { 'sec-fetch-site': site }, ...(payload && { payload }) })
        .then(({ statusCode }) => statusCode)
    for (let count = 0; count < 12; count++) {
      expect(await inject('POST', '/api/sign-in/device', 'cross-site', {})).toBe(422)
      expect(await inject('POST', '/api/sign-in/device/token', 'same-site', { deviceCode: 'A'.repeat(43) })).toBe(400)
      expect(await inject('GET', '/api/sign-in?unknown=1', 'cross-site')).toBe(422)
    }
    const credentials = { mail: 'a@example.com', password: 'x' }
    expect(await inject('POST', '/api/sign-in', 'same-origin', credentials)).toBe(401)
    // A program that sends the same is limited.
    for (let count = 0; count < 12; count++) await inject('POST', '/api/sign-in/device', 'none', {})
    expect(await inject('POST', '/api/sign-in/device', 'none', {})).toBe(429)
  })

  test('only a few can wait from one network: the oldest makes room, and other networks are not affected', async () => {
    const elsewhere = await begin({}, '203.0.113.7')
    const first = await begin()
    app.clock.advance(1)
    for (let count = 1; count < 10; count++) await begin()
    expect(code(await fetch(400, first))).toBe('authorization_pending')
    await begin({}, '127.0.0.200')
    expect(code(await fetch(400, first))).toBe('expired_token')
    expect(code(await fetch(400, elsewhere))).toBe('authorization_pending')
  })

  test('the number of all logins is limited, and expired ones are deleted', async () => {
    await app.context.database.query(
      `insert into device_logins (device_code_hash, user_code_hash, name, address, network, created_at, expires_at,
                                  next_poll_at, interval_seconds)
       select 'd' || n, 'u' || n, 'A', 'x', 'n' || n, $1, $2, $1, 5 from generate_series(1, 1000) n`,
      [new Date(app.clock.now()), new Date(app.clock.now() + MINUTE)],
    )
    const full = await post(429, '', { name: 'A' })
    expect(code(full)).toBe('too_many_logins')
    expect(full.headers['retry-after']).toBe('60')
    app.clock.advance(MINUTE)
    await begin()
    const { rows } = await app.context.database.query<{ count: number }>(
      'select count(*)::int as count from device_logins',
    )
    expect(rows[0]!.count).toBe(1)
  })

  test('a body is limited before anything reads it', async () => {
    await post(413, '', { name: 'A'.repeat(5_000) })
    await post(422, '', { name: 'A'.repeat(201) })
    await post(422, '', { name: 'A', scopes: ['posts:approve'] })
    await post(422, '/token', { deviceCode: 'A'.repeat(101) })
    const long = await answer(422, 'read', { userCode: 'B'.repeat(41) })
    expect(JSON.stringify(long.body)).not.toContain('BBBB')
  })
})
