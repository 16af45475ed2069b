import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Authenticator } from '../../../test/authenticator.js'
import { FROM_OWN_PAGE, Member, operatorCall, send, startTestApp, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'
import { addPasskey, addTotp, Browser, ORIGIN, passByPasskey, signInHalf } from '../../../test/second-factors.js'

const MINUTE = 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(() => app.clock.advance(60 * MINUTE))
afterAll(() => app.app.close())

/** Signs in with only a passkey. */
async function signIn(authenticator: Authenticator, status = 200, wrong = {}, browser = new Browser(app)) {
  const { body } = await browser.call(200, 'POST', '/sign-in/passkey/begin')
  const response = authenticator.get(body.options, wrong)
  return await browser.call(status, 'POST', '/sign-in/passkey/finish', { response })
}

/** Each entry spoils a response of the right authenticator in a different way. */
const WRONG: [what: string, wrong: object][] = [
  ['another origin', { origin: 'https://localhost.evil.example' }],
  ['the origin of another port', { origin: 'http://localhost:8081' }],
  ['another domain', { rpId: 'evil.example' }],
  ['another challenge', { challenge: 'A'.repeat(43) }],
  ['the response of a registration', { type: 'webauthn.create' }],
  ['an authenticator that did not verify the user', { verified: false }],
  ['the account of another person', { userHandle: Buffer.from('usr_other').toString('base64url') }],
  ['a signature of something else', { signature: 'MEQCIA'.padEnd(96, 'A') }],
]

describe('a passkey', () => {
  test('is added with a name, and is the second factor after a password', async () => {
    const person = await Member.create(app)
    const { authenticator, reply } = await addPasskey(person, 'Key on the ring')
    expect(reply.body.passkey).toEqual({
      id: expect.stringMatching(/^pk_/),
      name: 'Key on the ring',
      createdAt: expect.any(String),
    })
    expect(reply.body.recoveryCodes).toHaveLength(10)
    // This is later, so that the list has an order.
    app.clock.advance(1_000)
    const second = await addPasskey(person, 'Phone')
    expect(second.reply.body).not.toHaveProperty('recoveryCodes')
    const browser = await signInHalf(person)
    const methods = { methods: ['passkey', 'recovery-code'] }
    expect((await browser.call(200, 'GET', '/second-factor')).body).toEqual(methods)
    const { body } = await browser.call(200, 'POST', '/second-factor/passkey/begin')
    expect(body.options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(body.options.allowCredentials).toHaveLength(2)
    const me = await passByPasskey(browser, authenticator)
    expect(me.body.session).toMatchObject({ method: 'password', secondFactor: true })
    const { passkeys } = (await person.call(200, 'GET', '/me/second-factors')).body
    expect(passkeys[0].lastUsedAt).toBe(new Date(app.clock.now()).toISOString())
    expect(passkeys[1]).not.toHaveProperty('lastUsedAt')
  })

  test('is enough to sign in with both factors, without an email address', async () => {
    const person = await Member.create(app)
    const { authenticator } = await addPasskey(person)
    const browser = new Browser(app)
    const { body } = await browser.call(200, 'POST', '/sign-in/passkey/begin')
    expect(body.options.allowCredentials).toEqual([])
    const response = authenticator.get(body.options)
    const me = await browser.call(200, 'POST', '/sign-in/passkey/finish', { response })
    expect(me.body.person).toMatchObject({ id: person.id, hasSecondFactor: true })
    expect(me.body.session).toMatchObject({ method: 'passkey', secondFactor: true })
    const { items } = (await operatorCall(app, 200, 'GET', '/server/audit?limit=5')).body
    expect(items[0]).toMatchObject({ operation: 'finishPasskeySignIn', actor: { id: person.id } })
    const sessions = (await browser.call(200, 'GET', '/me/sessions')).body
    expect(sessions.map(({ method }: { method: string }) => method)).toContain('passkey')
  })

  test.each(
    WRONG,
  )('%s is refused at the sign-in, as the second factor and for a confirmation', async (_what, wrong) => {
    const person = await Member.create(app)
    const { authenticator } = await addPasskey(person)
    expect(code(await signIn(authenticator, 401, wrong))).toBe('passkey_refused')
    expect(code(await passByPasskey(await signInHalf(person), authenticator, 401, wrong))).toBe('passkey_refused')
    const { body } = await person.call(200, 'POST', '/me/confirmation/passkey/begin')
    const sent = { response: authenticator.get(body.options, wrong) }
    const refused = await person.call(401, 'POST', '/me/confirmation/passkey/finish', { body: sent })
    expect(code(refused)).toBe('passkey_refused')
    // The right answer still works.
    await signIn(authenticator)
  })

  test('is refused as a copy if its counter goes back or stays the same', async () => {
    const person = await Member.create(app)
    const { authenticator } = await addPasskey(person)
    await signIn(authenticator, 200, { counter: 7 })
    expect(code(await signIn(authenticator, 401, { counter: 6 }))).toBe('passkey_refused')
    await signIn(authenticator, 401, { counter: 7 })
    await signIn(authenticator, 401, { counter: 0 })
    await passByPasskey(await signInHalf(person), authenticator, 401, { counter: 7 })
    await signIn(authenticator, 200, { counter: 8 })
  })

  test('without a counter signs in repeatedly', async () => {
    const { authenticator } = await addPasskey(await Member.create(app))
    await signIn(authenticator, 200, { counter: 0 })
    await signIn(authenticator, 200, { counter: 0 })
  })

  test('of another person neither completes a half session nor confirms', async () => {
    const [person, other] = [await Member.create(app), await Member.create(app)]
    const { authenticator: own } = await addPasskey(person)
    const { authenticator: others } = await addPasskey(other)
    for (const wrong of [{}, { userHandle: undefined }, { userHandle: own.credentials[0]!.userHandle }]) {
      expect(code(await passByPasskey(await signInHalf(person), others, 401, wrong))).toBe('passkey_refused')
    }
    const { body } = await person.call(200, 'POST', '/me/confirmation/passkey/begin')
    const sent = { response: others.get(body.options) }
    await person.call(401, 'POST', '/me/confirmation/passkey/finish', { body: sent })
  })

  test('that names no account does not sign in, and an unknown one is refused in the same words', async () => {
    const { authenticator } = await addPasskey(await Member.create(app))
    const nameless = await signIn(authenticator, 401, { userHandle: undefined })
    const stranger = new Authenticator(ORIGIN)
    const { body } = await (await Member.create(app)).call(200, 'POST', '/me/second-factors/passkeys/begin')
    stranger.create(body.options)
    const unknown = await signIn(stranger, 401)
    const forged = await signIn(authenticator, 401, { signature: 'AAAA' })
    expect([unknown.body, forged.body]).toEqual([nameless.body, nameless.body])
  })

  test('of an inactive person does not sign in', async () => {
    const person = await Member.create(app)
    const { authenticator } = await addPasskey(person)
    await operatorCall(app, 200, 'PATCH', `/server/people/${person.id}`, { body: { active: false } })
    await signIn(authenticator, 401)
  })
})

describe('a challenge', () => {
  test('of a sign-in works once, within five minutes, in the browser that requested it', async () => {
    const { authenticator } = await addPasskey(await Member.create(app))
    const browser = new Browser(app)
    const { body } = await browser.call(200, 'POST', '/sign-in/passkey/begin')
    const cookie = browser.cookie
    const response = authenticator.get(body.options)
    const finish = (status: number, answer: unknown, headers: object) =>
      send(app.app, status, 'POST', '/api/sign-in/passkey/finish', {
        body: { response: answer },
        headers: { ...FROM_OWN_PAGE, ...headers },
      })
    await finish(401, response, {})
    await finish(200, response, { cookie })
    expect(code(await finish(401, authenticator.get(body.options), { cookie }))).toBe('passkey_refused')
    const { body: later } = await browser.call(200, 'POST', '/sign-in/passkey/begin')
    app.clock.advance(5 * MINUTE)
    await finish(401, authenticator.get(later.options), { cookie: browser.cookie })
  })

  test('of a half session works once, even if the response was wrong', async () => {
    const person = await Member.create(app)
    const { authenticator } = await addPasskey(person)
    const browser = await signInHalf(person)
    const { body } = await browser.call(200, 'POST', '/second-factor/passkey/begin')
    const wrong = authenticator.get(body.options, { verified: false })
    await browser.call(401, 'POST', '/second-factor/passkey/finish', { response: wrong })
    const right = authenticator.get(body.options)
    expect(code(await browser.call(401, 'POST', '/second-factor/passkey/finish', { response: right }))).toBe(
      'passkey_refused',
    )
    await passByPasskey(browser, authenticator)
  })

  test('of a registration or a confirmation works once, within five minutes, in its own session', async () => {
    const [person, other] = [await Member.create(app), await Member.create(app)]
    const authenticator = new Authenticator(ORIGIN)
    const begin = async () => (await person.call(200, 'POST', '/me/second-factors/passkeys/begin')).body.options
    const finish = (status: number, response: unknown, by = person) =>
      by.call(status, 'POST', '/me/second-factors/passkeys/finish', { body: { name: 'A', response } })
    const options = await begin()
    await finish(401, authenticator.create(options), other)
    await finish(401, authenticator.create(options, { origin: 'https://evil.example' }))
    await finish(401, authenticator.create(options))
    await finish(401, authenticator.create(await begin(), { verified: false }))
    await finish(401, authenticator.create(await begin(), { rpId: 'evil.example' }))
    await finish(401, authenticator.create(await begin(), { type: 'webauthn.get' }))
    const late = await begin()
    app.clock.advance(5 * MINUTE)
    await finish(401, authenticator.create(late))
    const right = authenticator.create(await begin())
    await finish(200, right)
    // The same credential again, even for another account.
    const { body } = await other.call(200, 'POST', '/me/second-factors/passkeys/begin')
    expect(code(await finish(401, right, other))).toBe('passkey_refused')
    expect(body.options.user.id).toBe(Buffer.from(other.id).toString('base64url'))
  })
})

describe('the address of the server', () => {
  const begin = (status: number, headers: Record<string, string>) =>
    send(app.app, status, 'POST', '/api/sign-in/passkey/begin', { headers: { ...FROM_OWN_PAGE, ...headers } })

  test('decides the domain of passkeys, which is that of the page', async () => {
    const rpId = async (headers: Record<string, string>) => (await begin(200, headers)).body.options.rpId
    expect(await rpId({ host: 'room.example.com', origin: 'https://room.example.com' })).toBe('room.example.com')
    expect(await rpId({ host: 'localhost:8080', origin: 'http://localhost:8080' })).toBe('localhost')
  })

  test('must be https with a name, or localhost', async () => {
    for (const host of ['room.example.com', '192.0.2.1:8080']) {
      expect(code(await begin(403, { host, origin: `http://${host}` }))).toBe('https_needed')
    }
    for (const host of ['192.0.2.1', '[2001:db8::1]', '127.0.0.1:8080']) {
      expect((await begin(403, { host, origin: `https://${host}` })).body.message).toMatch(/host name/)
    }
  })

  test('is PUBLIC_URL if that is set, whatever a request says', async () => {
    const published = await startTestApp({ http: { publicUrl: 'https://room.example.com/sub' } })
    const person = await Member.create(published)
    const { body } = await person.call(200, 'POST', '/me/second-factors/passkeys/begin', {
      headers: { host: 'other.example', origin: 'https://other.example' },
    })
    expect(body.options.rp.id).toBe('room.example.com')
    const authenticator = new Authenticator('https://room.example.com')
    const sent = { name: 'A', response: authenticator.create(body.options) }
    await person.call(200, 'POST', '/me/second-factors/passkeys/finish', { body: sent })
    // A passkey of another domain does not work here, whatever it signs.
    expect(code(await signIn(authenticator, 401, { rpId: 'localhost', origin: ORIGIN }))).toBe('passkey_refused')
    await published.app.close()
  })

  test('admits no passkey on its own if the provider decides who may sign in', async () => {
    const closed = await startTestApp({ access: { passwords: false } })
    const reply = await send(closed.app, 403, 'POST', '/api/sign-in/passkey/begin', { headers: FROM_OWN_PAGE })
    expect(code(reply)).toBe('passwords_off')
    await closed.app.close()
  })
})

test('a person has at most twenty passkeys, and only they can remove them', async () => {
  const [person, other] = [await Member.create(app), await Member.create(app)]
  const ids: string[] = []
  for (let i = 0; i < 20; i++) ids.push((await addPasskey(person, `Key ${i}`)).reply.body.passkey.id)
  expect(code(await person.call(409, 'POST', '/me/second-factors/passkeys/begin'))).toBe('passkeys_full')
  const path = `/me/second-factors/passkeys/${ids[0]}`
  expect(code(await other.call(404, 'DELETE', path))).toBe('passkey_not_found')
  expect((await person.call(200, 'DELETE', path)).body.passkeys).toHaveLength(19)
  await person.call(404, 'DELETE', path)
})

test('an unrequested attestation is refused before its certificates are read', async () => {
  const person = await Member.create(app)
  const { body } = await person.call(200, 'POST', '/me/second-factors/passkeys/begin')
  const response = new Authenticator(ORIGIN).create(body.options)
  const asked = Buffer.from(response.response.attestationObject, 'base64url')
  const other = Buffer.from(asked.toString('latin1').replace('dnone', 'eapple'), 'latin1')
  response.response.attestationObject = other.toString('base64url')
  const reply = await person.call(401, 'POST', '/me/second-factors/passkeys/finish', { body: { name: 'A', response } })
  expect(code(reply)).toBe('passkey_refused')
})

test('removing the last factor also removes the recovery codes, and each removal ends the other sessions', async () => {
  const person = await Member.create(app)
  const { reply } = await addPasskey(person)
  await addTotp(person)
  const elsewhere = new Browser(app)
  elsewhere.cookies.set('__Host-greenroom', person.cookie.split('=')[1]!)
  await elsewhere.call(200, 'GET', '/me')
  const half = await signInHalf(person)
  await person.call(200, 'DELETE', `/me/second-factors/passkeys/${reply.body.passkey.id}`)
  expect(code(await elsewhere.call(401, 'GET', '/me'))).toBe('session_ended')
  expect(code(await half.call(401, 'GET', '/second-factor'))).toBe('session_ended')
  const me = await person.call(200, 'GET', '/me')
  expect(me.body.session.secondFactor).toBe(true)
  expect((await person.call(200, 'GET', '/me/second-factors')).body.recoveryCodesLeft).toBe(10)
  const { body } = await person.call(200, 'DELETE', '/me/second-factors/totp')
  expect(body).toEqual({ passkeys: [], totp: null, recoveryCodesLeft: 0 })
  const after = await person.call(200, 'GET', '/me')
  expect(after.body).toMatchObject({ person: { hasSecondFactor: false }, session: { secondFactor: false } })
  const password = { mail: person.mail, password: Member.PASSWORD }
  expect((await new Browser(app).call(200, 'POST', '/sign-in', password)).body.person.id).toBe(person.id)
})
