import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'
import {
  addPasskey,
  addTotp,
  passByPasskey,
  post,
  signInHalf,
  totpCode,
  wrongCode,
} from '../../../test/second-factors.js'

const MINUTE = 60_000

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  // Every test begins in a new step, so that no code was used before.
  app.clock.advance(60 * MINUTE)
})
afterAll(() => app.app.close())

const member = (role: 'VIEWER' | 'EDITOR' | 'ADMIN' = 'EDITOR'): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role })

const trail = async (operation: string): Promise<Reply['body']> =>
  (await operatorCall(app, 200, 'GET', '/server/audit?limit=50')).body.items.find(
    (entry: { operation: string }) => entry.operation === operation,
  )

describe('an authenticator app', () => {
  test('is active once it is finished with a code, and comes with ten recovery codes', async () => {
    const person = await member()
    const before = await person.call(200, 'GET', '/me')
    expect(before.body.person.hasSecondFactor).toBe(false)
    expect(before.body.session).toMatchObject({ secondFactor: false, confirmedAt: expect.any(String) })
    const { body } = await person.call(200, 'POST', '/me/second-factors/totp/begin')
    expect(body.uri).toMatch(/^otpauth:\/\/totp\/Greenroom:.*secret=/)
    expect(body.uri).toContain(body.secret)
    const empty = { passkeys: [], totp: null, recoveryCodesLeft: 0 }
    expect((await person.call(200, 'GET', '/me/second-factors')).body).toEqual(empty)
    const wrong = { code: wrongCode(app, body.secret) }
    expect(code(await person.call(401, 'POST', '/me/second-factors/totp/finish', { body: wrong }))).toBe('code_wrong')
    expect((await person.call(200, 'GET', '/me')).body.person.hasSecondFactor).toBe(false)
    const right = { code: totpCode(app, body.secret) }
    const added = await person.call(200, 'POST', '/me/second-factors/totp/finish', { body: right })
    expect(new Set(added.body.recoveryCodes).size).toBe(10)
    const me = await person.call(200, 'GET', '/me')
    expect(me.body.person.hasSecondFactor).toBe(true)
    expect(me.body.session.secondFactor).toBe(true)
    const own = (await person.call(200, 'GET', '/me/second-factors')).body
    expect(own).toEqual({ passkeys: [], totp: { createdAt: expect.any(String) }, recoveryCodesLeft: 10 })
    expect(code(await person.call(409, 'POST', '/me/second-factors/totp/begin'))).toBe('already_exists')
    const again = { body: { code: totpCode(app, body.secret, 1) } }
    expect(code(await person.call(404, 'POST', '/me/second-factors/totp/finish', again))).toBe('totp_not_found')
    expect(await trail('finishOwnTotp')).toMatchObject({ changes: { added: 'totp' }, target: { id: person.id } })
  })

  test('is needed after the password, and its code makes a whole session with a new token', async () => {
    const person = await member()
    const { secret } = await addTotp(person)
    const browser = await signInHalf(person)
    const half = browser.cookies.get('__Host-greenroom')
    expect((await browser.call(200, 'GET', '/second-factor')).body).toEqual({ methods: ['totp', 'recovery-code'] })
    expect(code(await browser.call(401, 'GET', '/me'))).toBe('second_factor_needed')
    const typed = totpCode(app, secret)
    const { body } = await browser.call(200, 'POST', '/second-factor/totp', {
      code: `${typed.slice(0, 3)} ${typed.slice(3)}`,
    })
    expect(body.person.id).toBe(person.id)
    expect(body.session).toMatchObject({ method: 'password', secondFactor: true })
    expect(body.session.confirmedAt).toBe(new Date(app.clock.now()).toISOString())
    expect(browser.cookies.get('__Host-greenroom')).not.toBe(half)
    await browser.call(200, 'GET', '/me')
    browser.cookies.set('__Host-greenroom', half!)
    expect(code(await browser.call(401, 'GET', '/second-factor'))).toBe('session_ended')
    expect(await trail('passTotp')).toMatchObject({ changes: { secondFactor: 'totp' } })
  })

  test('shows a code that works once, in the previous, the current or the next step', async () => {
    const person = await member()
    const { secret } = await addTotp(person)
    const next = totpCode(app, secret, 1)
    await (await signInHalf(person)).call(200, 'POST', '/second-factor/totp', { code: next })
    const browser = await signInHalf(person)
    const replay = await browser.call(401, 'POST', '/second-factor/totp', { code: next })
    expect(code(replay)).toBe('code_wrong')
    // An earlier step does not work after a later one.
    await browser.call(401, 'POST', '/second-factor/totp', { code: totpCode(app, secret) })
    app.clock.advance(2 * MINUTE)
    await browser.call(401, 'POST', '/second-factor/totp', { code: totpCode(app, secret, -2) })
    await browser.call(401, 'POST', '/second-factor/totp', { code: totpCode(app, secret, 2) })
    await (await signInHalf(person)).call(200, 'POST', '/second-factor/totp', { code: totpCode(app, secret, -1) })
  })

  test('is accepted once if two send the same code at the same time', async () => {
    const person = await member()
    const { secret } = await addTotp(person)
    const browsers = [await signInHalf(person), await signInHalf(person)]
    const sent = { code: totpCode(app, secret) }
    const cookies = browsers.map(({ cookie }) => cookie)
    const statuses = await Promise.all(cookies.map((cookie) => post(app, '/second-factor/totp', sent, cookie)))
    expect(statuses.toSorted()).toEqual([200, 401])
  })
})

describe('wrong codes', () => {
  test('end a half session at the fifth', async () => {
    const person = await member()
    const { secret, recoveryCodes } = await addTotp(person)
    const browser = await signInHalf(person)
    for (let tries = 0; tries < 5; tries++) {
      const reply = await browser.call(401, 'POST', '/second-factor/recovery-code', { code: wrongCode(app, secret) })
      expect(code(reply)).toBe('code_wrong')
    }
    const over = await browser.call(401, 'POST', '/second-factor/recovery-code', { code: recoveryCodes[0] })
    expect(code(over)).toBe('session_ended')
  })

  test('make the person wait, twice as long each time, in every session and from every address', async () => {
    const person = await member()
    const { secret, recoveryCodes } = await addTotp(person)
    const { authenticator } = await addPasskey(person)
    const sent = { code: wrongCode(app, secret) }
    let browser = await signInHalf(person)
    for (let tries = 0; tries < 3; tries++) await browser.call(401, 'POST', '/second-factor/totp', sent)
    browser = await signInHalf(person)
    for (let tries = 0; tries < 2; tries++) await browser.call(401, 'POST', '/second-factor/totp', sent)
    browser = await signInHalf(person)
    const right = () => ({ code: totpCode(app, secret) })
    const refused = await browser.call(429, 'POST', '/second-factor/totp', right())
    expect(code(refused)).toBe('too_many_codes')
    expect(refused.headers['retry-after']).toBe('30')
    // A signed-in session must wait too: failures are counted per person.
    expect(code(await person.call(429, 'POST', '/me/confirmation/totp', { body: right() }))).toBe('too_many_codes')
    app.clock.advance(30_000)
    await browser.call(401, 'POST', '/second-factor/totp', sent)
    app.clock.advance(59_000)
    await browser.call(429, 'POST', '/second-factor/totp', right())
    // The wait does not apply to a secret that cannot be guessed.
    await browser.call(200, 'POST', '/second-factor/recovery-code', { code: recoveryCodes[0] })
    await passByPasskey(await signInHalf(person), authenticator)
    app.clock.advance(1_000)
    await (await signInHalf(person)).call(200, 'POST', '/second-factor/totp', right())
    // A valid code clears the count.
    app.clock.advance(MINUTE)
    browser = await signInHalf(person)
    for (let tries = 0; tries < 4; tries++) await browser.call(401, 'POST', '/second-factor/totp', sent)
    await browser.call(200, 'POST', '/second-factor/totp', right())
  })

  test('count at most five of a hundred at once', async () => {
    const person = await member()
    const { secret } = await addTotp(person)
    const cookies: string[] = []
    for (let i = 0; i < 5; i++) {
      cookies.push((await signInHalf(person)).cookie)
    }
    const sent = { code: wrongCode(app, secret) }
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => post(app, '/second-factor/totp', sent, cookies[i % 5]!)),
    )
    const { rows } = await app.context.database.query<{ count: number }>(
      'select count from factor_failures where person_id = $1',
      [person.id],
    )
    expect(rows).toEqual([{ count: 5 }])
    expect(statuses.filter((status) => status === 200)).toEqual([])
  })
})

describe('a recovery code', () => {
  test('replaces a factor once, however it is typed', async () => {
    const person = await member()
    const { recoveryCodes } = await addTotp(person)
    const typed = recoveryCodes[3]!.toUpperCase().replaceAll('-', ' ')
    const reply = await (await signInHalf(person)).call(200, 'POST', '/second-factor/recovery-code', { code: typed })
    expect(reply.body.session.secondFactor).toBe(true)
    const again = await (await signInHalf(person)).call(401, 'POST', '/second-factor/recovery-code', { code: typed })
    expect(code(again)).toBe('code_wrong')
    expect((await person.call(200, 'GET', '/me/second-factors')).body.recoveryCodesLeft).toBe(9)
  })

  test('is accepted once if two send it at the same time', async () => {
    const person = await member()
    const { recoveryCodes } = await addTotp(person)
    const browsers = [await signInHalf(person), await signInHalf(person)]
    const cookies = browsers.map(({ cookie }) => cookie)
    const sent = { code: recoveryCodes[0] }
    const statuses = await Promise.all(cookies.map((cookie) => post(app, '/second-factor/recovery-code', sent, cookie)))
    expect(statuses.toSorted()).toEqual([200, 401])
  })

  test('of another person does not work, and new ones replace the earlier', async () => {
    const [person, other] = [await member(), await member()]
    const { recoveryCodes } = await addTotp(person)
    const { recoveryCodes: others } = await addTotp(other)
    const browser = await signInHalf(person)
    await browser.call(401, 'POST', '/second-factor/recovery-code', { code: others[0] })
    const { body } = await person.call(200, 'POST', '/me/second-factors/recovery-codes')
    expect(new Set(body.recoveryCodes).size).toBe(10)
    await browser.call(401, 'POST', '/second-factor/recovery-code', { code: recoveryCodes[0] })
    await browser.call(200, 'POST', '/second-factor/recovery-code', { code: body.recoveryCodes[0] })
    const without = await member()
    expect(code(await without.call(404, 'POST', '/me/second-factors/recovery-codes'))).toBe('second_factor_not_found')
  })
})
