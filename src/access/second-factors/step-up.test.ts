import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'
import {
  addPasskey,
  addTotp,
  Browser,
  passByPasskey,
  post,
  signInHalf,
  totpCode,
  wrongCode,
} from '../../../test/second-factors.js'
import { newId } from '../../lib/ids.js'
import { operations } from '../../operations.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  app.clock.advance(HOUR)
  tenant = await Tenant.create(app)
})
afterAll(() => app.app.close())

/** Every operation of the console that needs a confirmed session, with a sample call. */
const CALLS: Record<string, [method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown]> = {
  issueOperatorToken: ['POST', '/server/operator-tokens', { name: 'a-token' }],
  rotateMasterKey: ['POST', '/server/master-key/rotate', {}],
  inviteOwner: ['POST', '/server/owner-invitation'],
  createSignInLink: ['POST', '/server/people/unknown/sign-in-link'],
  deleteOrganization: ['DELETE', '/organizations/unknown?name=A'],
  updatePerson: ['PATCH', '/server/people/unknown', { owner: true }],
  deletePerson: ['DELETE', '/server/people/unknown'],
  resetSecondFactors: ['DELETE', '/server/people/unknown/second-factors'],
  beginOwnTotp: ['POST', '/me/second-factors/totp/begin'],
  finishOwnTotp: ['POST', '/me/second-factors/totp/finish', { code: '000000' }],
  removeOwnTotp: ['DELETE', '/me/second-factors/totp'],
  beginOwnPasskey: ['POST', '/me/second-factors/passkeys/begin'],
  finishOwnPasskey: [
    'POST',
    '/me/second-factors/passkeys/finish',
    {
      name: 'A',
      response: { id: 'A', rawId: 'A', type: 'public-key', response: { clientDataJSON: 'A', attestationObject: 'A' } },
    },
  ],
  removeOwnPasskey: ['DELETE', '/me/second-factors/passkeys/unknown'],
  createOwnToken: ['POST', '/me/tokens', { name: 'A', scopes: ['posts:read'] }],
  allowDeviceLogin: ['POST', '/me/device-login/allow', { userCode: 'BCDF-GHJK', scopes: ['posts:read'] }],
  replaceOwnRecoveryCodes: ['POST', '/me/second-factors/recovery-codes'],
}

describe('a session of an hour ago', () => {
  test('issues no operator token until its person has confirmed it', async () => {
    const owner = await Member.create(app, { owner: true })
    app.clock.advance(HOUR)
    const name = newId('token').replace('_', '-')
    const issue = (status: number) => owner.call(status, 'POST', '/server/operator-tokens', { body: { name } })
    expect(code(await issue(403))).toBe('confirmation_needed')
    expect((await owner.call(200, 'GET', '/me/confirmation')).body).toEqual({ methods: ['password'] })
    expect(
      code(await owner.call(403, 'POST', '/me/confirmation/password', { body: { password: 'not the one it is' } })),
    ).toBe('password_wrong')
    await issue(403)
    const sent = { body: { password: Member.PASSWORD } }
    const { body } = await owner.call(200, 'POST', '/me/confirmation/password', sent)
    expect(body.confirmedAt).toBe(new Date(app.clock.now()).toISOString())
    expect((await owner.call(200, 'GET', '/me')).body.session.confirmedAt).toBe(body.confirmedAt)
    app.clock.advance(10 * MINUTE - 1)
    await issue(201)
    app.clock.advance(1)
    await issue(403)
  })

  test('needs a confirmation for every marked operation, and for no other', async () => {
    const marked = operations.filter(({ needsConfirmation, surfaces }) => needsConfirmation && surfaces.includes('api'))
    expect(marked.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(CALLS).toSorted())
    const owner = await Member.create(app, { owner: true })
    for (const [method, path, body] of Object.values(CALLS)) {
      const reply = await owner.call(403, method, path, { body }).catch(() => undefined)
      expect(reply === undefined ? undefined : code(reply)).not.toBe('confirmation_needed')
      await owner.signInAgain()
    }
    app.clock.advance(10 * MINUTE)
    for (const [method, path, body] of Object.values(CALLS)) {
      expect(code(await owner.call(403, method, path, { body })), path).toBe('confirmation_needed')
    }
    await owner.call(200, 'GET', '/server/people')
  })

  test('is not confirmed either if it is in the future, because the clock was set back', async () => {
    const owner = await Member.create(app, { owner: true })
    app.clock.advance(-11 * MINUTE)
    expect(code(await owner.call(403, 'POST', '/server/owner-invitation'))).toBe('confirmation_needed')
    app.clock.advance(11 * MINUTE)
    await owner.call(201, 'POST', '/server/owner-invitation')
  })

  test('needs no confirmation with an operator token, because programs cannot confirm', async () => {
    await operatorCall(app, 201, 'POST', '/server/owner-invitation')
    app.clock.advance(HOUR)
    await operatorCall(app, 201, 'POST', '/server/owner-invitation')
    const person = await Member.create(app)
    await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`)
  })
})

describe('a person with a second factor confirms with it', () => {
  test('with a code of the app, not with the password', async () => {
    const owner = await Member.create(app, { owner: true })
    const { secret } = await addTotp(owner)
    app.clock.advance(HOUR)
    expect((await owner.call(200, 'GET', '/me/confirmation')).body).toEqual({ methods: ['totp'] })
    const password = { body: { password: Member.PASSWORD } }
    expect(code(await owner.call(400, 'POST', '/me/confirmation/password', password))).toBe('confirmation_unfit')
    const wrong = { body: { code: wrongCode(app, secret) } }
    expect(code(await owner.call(401, 'POST', '/me/confirmation/totp', wrong))).toBe('code_wrong')
    await owner.call(403, 'POST', '/server/owner-invitation')
    const right = { body: { code: totpCode(app, secret) } }
    await owner.call(200, 'POST', '/me/confirmation/totp', right)
    await owner.call(201, 'POST', '/server/owner-invitation')
    await owner.call(401, 'POST', '/me/confirmation/totp', right)
  })

  test('with a passkey', async () => {
    const owner = await Member.create(app, { owner: true })
    const { authenticator } = await addPasskey(owner)
    app.clock.advance(HOUR)
    expect((await owner.call(200, 'GET', '/me/confirmation')).body).toEqual({ methods: ['passkey'] })
    const { body } = await owner.call(200, 'POST', '/me/confirmation/passkey/begin')
    const response = authenticator.get(body.options)
    await owner.call(200, 'POST', '/me/confirmation/passkey/finish', { body: { response } })
    await owner.call(201, 'POST', '/server/owner-invitation')
    // The challenge was used up.
    await owner.call(401, 'POST', '/me/confirmation/passkey/finish', {
      body: { response: authenticator.get(body.options) },
    })
    app.clock.advance(HOUR)
    const { body: later } = await owner.call(200, 'POST', '/me/confirmation/passkey/begin')
    const late = authenticator.get(later.options)
    app.clock.advance(5 * MINUTE)
    await owner.call(401, 'POST', '/me/confirmation/passkey/finish', { body: { response: late } })
  })

  test('or, without a password or a factor, by signing in again', async () => {
    const owner = await Member.create(app, { owner: true, method: 'oidc' })
    expect((await owner.call(200, 'GET', '/me/confirmation')).body).toEqual({ methods: ['sign-in'] })
    const sent = { body: { password: 'any words of the tests' } }
    expect(code(await owner.call(400, 'POST', '/me/confirmation/password', sent))).toBe('confirmation_unfit')
    app.clock.advance(HOUR)
    await owner.call(403, 'POST', '/server/owner-invitation')
    await owner.signInAgain()
    await owner.call(201, 'POST', '/server/owner-invitation')
  })

  test('wrong passwords make the person wait, even many at once', async () => {
    const owner = await Member.create(app, { owner: true })
    const sent = { password: 'not the one it is' }
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () => post(app, '/me/confirmation/password', sent, owner.cookie)),
    )
    // Five are counted, and one of them may find no place in the queue.
    const busy = statuses.filter((status) => status === 503).length
    expect(busy).toBeLessThanOrEqual(1)
    expect(statuses.filter((status) => status === 403)).toHaveLength(5 - busy)
    expect(statuses.filter((status) => status === 429)).toHaveLength(15)
    app.clock.advance(30_000)
    await owner.call(200, 'POST', '/me/confirmation/password', { body: { password: Member.PASSWORD } })
    await owner.call(403, 'POST', '/me/confirmation/password', { body: sent })
  })
})

describe('an organization that requires a second factor', () => {
  const path = () => `/organizations/${tenant.organizationId}`
  const member = (role: 'VIEWER' | 'ADMIN') => Member.create(app, { organizationId: tenant.organizationId, role })

  test('is changed to that by an ADMIN whose own session has passed one', async () => {
    const admin = await member('ADMIN')
    const demand = { body: { requireSecondFactor: true } }
    expect(code(await admin.call(409, 'PATCH', path(), demand))).toBe('second_factor_missing')
    expect((await admin.call(200, 'PATCH', path(), { body: { name: 'Bistro' } })).body.requireSecondFactor).toBe(false)
    await addTotp(admin)
    expect((await admin.call(200, 'PATCH', path(), demand)).body.requireSecondFactor).toBe(true)
    const viewer = await member('VIEWER')
    expect(code(await viewer.call(403, 'PATCH', path(), demand))).toBe('second_factor_required')
  })

  test('admits no session without one, at once, including owners, and everything else of the person keeps working', async () => {
    const [viewer, owner] = [await member('VIEWER'), await Member.create(app, { owner: true })]
    for (const person of [viewer, owner]) await person.call(200, 'GET', `${path()}/workspaces`)
    // An owner sees the first 1,000 organizations by name.
    await operatorCall(app, 200, 'PATCH', path(), { body: { requireSecondFactor: true, name: '0' } })
    for (const person of [viewer, owner]) {
      expect(code(await person.call(403, 'GET', `${path()}/workspaces`))).toBe('second_factor_required')
      const { body } = await person.call(200, 'GET', '/me')
      const own = body.organizations.find(({ id }: { id: string }) => id === tenant.organizationId)
      expect(own).toMatchObject({ requireSecondFactor: true })
    }
    await owner.call(200, 'GET', '/server/people')
    // The keys of the organization and the operator keep working.
    await tenant.get(200, '/workspaces')
    await operatorCall(app, 200, 'GET', `${path()}/workspaces`)
    await addPasskey(viewer)
    await viewer.call(200, 'GET', `${path()}/workspaces`)
    await operatorCall(app, 200, 'PATCH', path(), { body: { requireSecondFactor: false } })
    await owner.call(200, 'GET', `${path()}/workspaces`)
  })

  test('admits a session that passes one later, and no longer one that has removed its own', async () => {
    const viewer = await member('VIEWER')
    await operatorCall(app, 200, 'PATCH', path(), { body: { requireSecondFactor: true } })
    await addTotp(viewer)
    await viewer.call(200, 'GET', `${path()}/workspaces`)
    await viewer.call(200, 'DELETE', '/me/second-factors/totp')
    expect(code(await viewer.call(403, 'GET', `${path()}/workspaces`))).toBe('second_factor_required')
  })

  test('shows who has one, among its members and among all people', async () => {
    const [plain, safe] = [await member('VIEWER'), await member('ADMIN')]
    await addTotp(safe)
    const begun = await member('VIEWER')
    await begun.call(200, 'POST', '/me/second-factors/totp/begin')
    const states = async (list: string) =>
      Object.fromEntries(
        (await operatorCall(app, 200, 'GET', list)).body.map((one: { id: string; secondFactor: boolean }) => [
          one.id,
          one.secondFactor,
        ]),
      )
    const wanted = { [plain.id]: false, [safe.id]: true, [begun.id]: false }
    expect(await states(`${path()}/members`)).toEqual(wanted)
    expect(await states('/server/people')).toMatchObject(wanted)
  })
})

describe('an operator or owner', () => {
  test("resets a person's second factors and ends their sessions", async () => {
    const [person, owner] = [await Member.create(app), await Member.create(app, { owner: true })]
    await addTotp(person)
    const { authenticator } = await addPasskey(person)
    const half = await signInHalf(person)
    const path = `/server/people/${person.id}/second-factors`
    await person.call(403, 'DELETE', path)
    expect((await owner.call(200, 'DELETE', path)).body).toEqual({ removed: 2 })
    expect(code(await person.call(401, 'GET', '/me'))).toBe('session_ended')
    expect(code(await half.call(401, 'GET', '/second-factor'))).toBe('session_ended')
    const browser = new Browser(app)
    const { body } = await browser.call(200, 'POST', '/sign-in/passkey/begin')
    const response = authenticator.get(body.options)
    await browser.call(401, 'POST', '/sign-in/passkey/finish', { response })
    const again = await browser.call(200, 'POST', '/sign-in', { mail: person.mail, password: Member.PASSWORD })
    expect(again.body.person).toMatchObject({ id: person.id, hasSecondFactor: false })
    expect((await operatorCall(app, 200, 'DELETE', path)).body).toEqual({ removed: 0 })
    expect(code(await operatorCall(app, 404, 'DELETE', '/server/people/unknown/second-factors'))).toBe(
      'account_not_found',
    )
    const { items } = (await operatorCall(app, 200, 'GET', '/server/audit?limit=3')).body
    expect(items[0]).toMatchObject({ operation: 'resetSecondFactors', actor: { type: 'operator' } })
  })
})

describe('half a session', () => {
  test('lasts ten minutes', async () => {
    const person = await Member.create(app)
    const { secret } = await addTotp(person)
    const browser = await signInHalf(person)
    app.clock.advance(10 * MINUTE - 1)
    await browser.call(200, 'GET', '/second-factor')
    app.clock.advance(1)
    const late = await browser.call(401, 'POST', '/second-factor/totp', { code: totpCode(app, secret) })
    expect(code(late)).toBe('session_ended')
  })

  test('ends with a sign-out, a sign-out everywhere, and the account', async () => {
    const person = await Member.create(app)
    const { authenticator } = await addPasskey(person)
    const browser = await signInHalf(person)
    const kept = browser.cookies.get('__Host-greenroom')!
    await browser.call(200, 'POST', '/sign-out')
    expect(browser.cookies.size).toBe(0)
    browser.cookies.set('__Host-greenroom', kept)
    expect(code(await browser.call(401, 'GET', '/second-factor'))).toBe('session_ended')
    const other = await signInHalf(person)
    await person.call(200, 'DELETE', '/me/sessions')
    await other.call(401, 'GET', '/second-factor')
    const third = await signInHalf(person)
    await operatorCall(app, 200, 'PATCH', `/server/people/${person.id}`, { body: { active: false } })
    await third.call(401, 'GET', '/second-factor')
    await operatorCall(app, 200, 'PATCH', `/server/people/${person.id}`, { body: { active: true } })
    await passByPasskey(await signInHalf(person), authenticator)
  })

  test('from a sign-in link or an invitation to the account also needs the factor', async () => {
    const person = await Member.create(app)
    await addTotp(person)
    const link = (await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`)).body
    const browser = new Browser(app)
    const byLink = await browser.call(200, 'POST', '/sign-in/link', { token: link.token })
    expect(byLink.body).toEqual({ secondFactor: { methods: ['totp', 'recovery-code'] } })
    await browser.call(401, 'GET', '/me')
    const invitation = { body: { mail: person.mail, role: 'VIEWER' } }
    const path = `/organizations/${tenant.organizationId}/invitations`
    const { token } = (await operatorCall(app, 201, 'POST', path, invitation)).body
    const accepted = await new Browser(app).call(200, 'POST', '/invitation/accept', {
      token,
      password: Member.PASSWORD,
    })
    expect(accepted.body).toEqual(byLink.body)
  })

  test('does not begin after a wrong password, whose response reveals nothing about factors', async () => {
    const [plain, safe] = [await Member.create(app), await Member.create(app)]
    await addTotp(safe)
    const browser = new Browser(app)
    const answers: unknown[] = []
    for (const mail of [plain.mail, safe.mail, 'no.one@example.com']) {
      const reply = await browser.call(401, 'POST', '/sign-in', { mail, password: 'not the one it is' })
      answers.push({ body: reply.body, cookie: reply.headers['set-cookie'], code: code(reply) })
    }
    expect(answers).toEqual([answers[0], answers[0], answers[0]])
  })

  test('is one of at most five open at a time per person', async () => {
    const person = await Member.create(app)
    await addTotp(person)
    const first = await signInHalf(person)
    for (let i = 0; i < 5; i++) {
      app.clock.advance(1)
      await signInHalf(person)
    }
    await first.call(401, 'GET', '/second-factor')
  })
})

test('a changed password keeps what the session has passed, and when', async () => {
  const person = await Member.create(app)
  await addTotp(person)
  const before = (await person.call(200, 'GET', '/me')).body.session
  app.clock.advance(MINUTE)
  const body = { currentPassword: Member.PASSWORD, newPassword: 'other words of the tests' }
  const { session } = (await person.call(200, 'PUT', '/me/password', { body })).body
  expect(session.secondFactor).toBe(true)
  expect(Date.parse(session.confirmedAt)).toBeGreaterThan(Date.parse(before.confirmedAt))
})
