import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, send, type Tenant, type TestApp, toCookie } from '../../../test/harness.js'
import type { TestProvider } from '../../../test/identity-provider.js'
import { call, codeOf, finish, OidcStage, PUBLIC_URL, someone } from '../../../test/oidc.js'
import { addTotp } from '../../../test/second-factors.js'
import { newId } from '../../lib/ids.js'

let stage: OidcStage
let provider: TestProvider
let tenant: Tenant
let app: TestApp
beforeAll(async () => {
  stage = await OidcStage.open()
  ;({ provider, tenant, app } = stage)
})
afterEach(() => stage.reset())
afterAll(() => stage.close())

describe('signing in with the identity provider', () => {
  test('requests a code with PKCE, state and nonce, and returns below the path prefix', async () => {
    provider.person = someone()
    const { url } = await stage.visit(app)
    const asked = Object.fromEntries(url.searchParams)
    expect(asked).toMatchObject({
      response_type: 'code',
      redirect_uri: `${PUBLIC_URL}/sign-in/callback`,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[\w-]{43}$/)
  })

  test('admits the person whose verified email address has an account, and from then on by the subject', async () => {
    const member = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
    const person = someone(member.mail.toUpperCase())
    const first = await stage.signIn(app, 200, person)
    expect(first.body).toMatchObject({ person: { id: member.id, mail: member.mail }, session: { method: 'oidc' } })
    const cookie = toCookie(first.headers['set-cookie'])
    const me = await send(app.app, 200, 'GET', '/api/me', { headers: { cookie } })
    expect(me.body.session.method).toBe('oidc')
    // The address at the provider has changed and is not verified; the subject stays the same.
    const again = await stage.signIn(app, 200, {
      sub: person.sub,
      email: 'other@elsewhere.example',
      email_verified: false,
    })
    expect(again.body.person.id).toBe(member.id)
    const { body } = await send(app.app, 200, 'GET', '/api/me/sessions', {
      headers: { cookie: toCookie(again.headers['set-cookie']) },
    })
    expect(body.map(({ method }: { method: string }) => method)).toContain('oidc')
  })

  test('does not link an address that the provider does not call verified', async () => {
    const member = await Member.create(app)
    for (const email_verified of [false, undefined, 'false']) {
      const person = { ...someone(member.mail), ...(email_verified === undefined ? {} : { email_verified }) }
      if (email_verified === undefined) delete person.email_verified
      expect(codeOf(await stage.signIn(app, 403, person))).toBe('oidc_not_allowed')
    }
    expect((await stage.signIn(app, 200, { ...someone(member.mail), email_verified: 'true' })).body.person.id).toBe(
      member.id,
    )
  })

  test('does not admit a second subject by the address of a linked person', async () => {
    const member = await Member.create(app)
    await stage.signIn(app, 200, someone(member.mail))
    expect(codeOf(await stage.signIn(app, 403, someone(member.mail)))).toBe('oidc_not_allowed')
    // An operator removes the link by deactivating the account and activating it again.
    await operatorCall(app, 200, 'PATCH', `/server/people/${member.id}`, { body: { active: false } })
    expect(codeOf(await stage.signIn(app, 403, someone(member.mail)))).toBe('oidc_not_allowed')
    await operatorCall(app, 200, 'PATCH', `/server/people/${member.id}`, { body: { active: true } })
    expect((await stage.signIn(app, 200, someone(member.mail))).body.person.id).toBe(member.id)
  })

  test('notifies a person once that their account was linked', async () => {
    const member = await Member.create(app)
    const person = someone(member.mail)
    await stage.signIn(app, 200, person)
    await stage.signIn(app, 200, person)
    const { rows } = await app.context.database.query(
      "select data->>'kind' as kind from events where organization_id = 'server' and data->>'personId' = $1",
      [member.id],
    )
    expect(rows).toEqual([{ kind: 'provider-linked' }])
  })

  test('makes no account unless configured to', async () => {
    expect(codeOf(await stage.signIn(app, 403, someone()))).toBe('oidc_not_allowed')
    expect(codeOf(await stage.signIn(app, 403, { sub: newId('sub') }))).toBe('oidc_not_allowed')
  })

  test('is recorded in the audit trail of the server', async () => {
    const member = await Member.create(app)
    await stage.signIn(app, 200, someone(member.mail))
    const { body } = await operatorCall(app, 200, 'GET', '/server/audit?limit=5')
    expect(body.items[0]).toMatchObject({
      actor: { type: 'user', id: member.id },
      operation: 'finishOidcSignIn',
      changes: { linked: true },
    })
  })
})

describe('new people', () => {
  test('of an allowed domain join with the default role, and others do not', async () => {
    const open = await stage.sharedApp(stage.joining())
    const person = someone()
    const first = await stage.signIn(open, 200, person)
    expect(first.body.person).toMatchObject({ name: 'Ada Provider', mail: person.email, owner: false })
    expect(stage.membershipOf(first)).toBe('EDITOR')
    expect(first.body.organizations[0].permissions).toContain('posts:approve')
    expect((await stage.signIn(open, 200, person)).body.person.id).toBe(first.body.person.id)
    for (const wrong of [
      someone('ada@elsewhere.example'),
      someone('ada@sub.example.com'),
      someone('ada@example.com@elsewhere.example'),
      { ...someone(), email_verified: false },
      { sub: newId('sub') },
    ]) {
      expect(codeOf(await stage.signIn(open, 403, wrong))).toBe('oidc_not_allowed')
    }
    const anyone = await stage.sharedApp(stage.joining({ OIDC_ALLOWED_DOMAINS: '*' }))
    await stage.signIn(anyone, 200, someone(`${newId('m')}@elsewhere.example`))
  })

  test('who were removed from the organization do not return with the default role', async () => {
    const open = await stage.sharedApp(stage.joining())
    const person = someone()
    const { body } = await stage.signIn(open, 200, person)
    await operatorCall(open, 200, 'DELETE', `/organizations/${tenant.organizationId}/members/${body.person.id}`)
    expect(stage.membershipOf(await stage.signIn(open, 200, person))).toBeUndefined()
  })

  test('get no account if the organization does not exist', async () => {
    const wrong = await stage.sharedApp(stage.joining({ OIDC_ORGANIZATION: 'org_unknown' }))
    expect(codeOf(await stage.signIn(wrong, 403, someone()))).toBe('oidc_not_allowed')
  })

  test('get one account from two simultaneous callbacks', async () => {
    const open = await stage.sharedApp(stage.joining())
    provider.person = someone()
    const visits = [await stage.visit(open), await stage.visit(open)]
    const answers = await Promise.all(visits.map(({ query, cookie }) => finish(open, 200, query, cookie)))
    expect(new Set(answers.map(({ body }) => body.person.id)).size).toBe(1)
  })
})

describe('the claim for roles', () => {
  const OF_GROUPS = {
    OIDC_DEFAULT_ROLE: '',
    OIDC_SCOPES: 'openid email profile groups',
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLES: 'staff=VIEWER,writers=EDITOR,leads=VIEWER+approve,cn=admins=ADMIN',
  }
  const claiming = (settings: Record<string, string> = {}) =>
    stage.sharedApp(stage.joining({ ...OF_GROUPS, ...settings }))

  test('decides the membership at each sign-in, and a change ends the other sessions', async () => {
    const claims = await claiming()
    const person = someone()
    expect(codeOf(await stage.signIn(claims, 403, { ...person, groups: ['others'] }))).toBe('oidc_not_allowed')
    const first = await stage.signIn(claims, 200, { ...person, groups: ['staff', 'writers', 'leads', 'others'] })
    expect(stage.membershipOf(first)).toBe('EDITOR')
    expect(first.body.organizations[0].permissions).toContain('posts:approve')
    const second = await stage.signIn(claims, 200, { ...person, groups: ['staff', 'writers', 'leads'] })
    const meBy = (status: number, { headers }: Reply) =>
      send(claims.app, status, 'GET', '/api/me', { headers: { cookie: toCookie(headers['set-cookie']) } })
    await meBy(200, first)
    const third = await stage.signIn(claims, 200, { ...person, groups: ['cn=admins'] })
    expect(stage.membershipOf(third)).toBe('ADMIN')
    expect(third.body.organizations[0].permissions).not.toContain('posts:approve')
    await meBy(401, first)
    await meBy(401, second)
    await meBy(200, third)
    // Without a group the membership ends.
    expect(stage.membershipOf(await stage.signIn(claims, 200, { ...person, groups: [] }))).toBeUndefined()
    await meBy(401, third)
    const { body } = await operatorCall(claims, 200, 'GET', `/organizations/${tenant.organizationId}/audit?limit=2`)
    expect(body.items.map(({ changes }: { changes: unknown }) => changes)).toEqual([
      { member: false },
      { role: 'ADMIN', mayApprove: false },
    ])
  })

  test('ends the open invitations of someone who is no longer an ADMIN', async () => {
    const claims = await claiming()
    const person = someone()
    const { headers } = await stage.signIn(claims, 200, { ...person, groups: ['cn=admins'] })
    const path = `/organizations/${tenant.organizationId}/invitations`
    const body = { mail: `${newId('m')}@example.com`, role: 'ADMIN' }
    const { token } = (await call(claims, 201, path, body, toCookie(headers['set-cookie']))).body
    await stage.signIn(claims, 200, { ...person, groups: ['cn=admins'] })
    await call(claims, 200, '/invitation/read', { token })
    await stage.signIn(claims, 200, { ...person, groups: ['writers'] })
    expect(codeOf(await call(claims, 400, '/invitation/read', { token }))).toBe('link_unusable')
  })

  test('gives the default role to people who have none of its values', async () => {
    const claims = await claiming({ OIDC_DEFAULT_ROLE: 'VIEWER' })
    expect(stage.membershipOf(await stage.signIn(claims, 200, { ...someone(), groups: ['others'] }))).toBe('VIEWER')
    expect(stage.membershipOf(await stage.signIn(claims, 200, { ...someone(), groups: ['writers'] }))).toBe('EDITOR')
  })

  /** Claims that a provider may send instead of the groups, and the reason why they do not decide. */
  const MISSING: [reason: string, claims: Record<string, unknown>][] = [
    ['absent', {}],
    ['absent', { groups: null }],
    ['absent', { groups: '' }],
    [
      'elsewhere',
      { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example/me' } } },
    ],
    ['elsewhere', { _claim_names: { groups: 'src1' }, groups: [] }],
    ['elsewhere', { groups: 'src1', _claim_sources: { src1: { endpoint: 'https://graph.example/me' } } }],
    ['elsewhere', { hasgroups: true }],
    ['elsewhere', { hasgroups: 'true', groups: ['others'] }],
    ['malformed', { groups: {} }],
    ['malformed', { groups: 7 }],
    ['malformed', { groups: false }],
    ['malformed', { groups: ['others', 7] }],
    ['malformed', { groups: [['writers']] }],
    ['malformed', { groups: [{ id: 'writers' }] }],
    ['malformed', { groups: { value: ['writers'] } }],
  ]
  /** The provider sends these claims instead of groups. */
  const sendClaims = (sent: Record<string, unknown>): void => {
    provider.alter = ({ groups: _, ...found }) => ({ ...found, ...sent })
  }

  const lines: string[] = []
  let logging: TestApp
  beforeAll(async () => {
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    logging = await stage.startApp(stage.joining({ ...OF_GROUPS, OIDC_DEFAULT_ROLE: 'VIEWER' }), log)
  })

  test.each(MISSING)('that is %s (%j) changes no membership, and the sign-in logs the reason', async (reason, sent) => {
    lines.length = 0
    const claims = logging
    const person = someone()
    const before = await stage.signIn(claims, 200, { ...person, groups: ['writers', 'leads'] })
    expect(lines).toEqual([])
    sendClaims(sent)
    const after = await stage.signIn(claims, 200, person)
    expect(stage.membershipOf(after)).toBe('EDITOR')
    expect(after.body.organizations).toEqual(before.body.organizations)
    // Nothing has changed, so the other sessions continue.
    const headers = { cookie: toCookie(before.headers['set-cookie']) }
    await send(claims.app, 200, 'GET', '/api/me', { headers })
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, claim: 'groups', reason }])
    const { items } = (await operatorCall(claims, 200, 'GET', `/organizations/${tenant.organizationId}/audit?limit=1`))
      .body
    expect(items).toMatchObject([{ operation: 'finishOidcSignIn', changes: { rolesMissing: reason } }])
  })

  test.each(MISSING)('that is %s (%j) makes no new person a member', async (reason, sent) => {
    const claims = await claiming()
    const person = someone()
    sendClaims(sent)
    expect(codeOf(await stage.signIn(claims, 403, person))).toBe('oidc_roles_missing')
    const withDefault = await claiming({ OIDC_DEFAULT_ROLE: 'VIEWER' })
    if (reason === 'absent') {
      // Many providers leave the claim out for a person without groups, who gets the default.
      expect(stage.membershipOf(await stage.signIn(withDefault, 200, person))).toBe('VIEWER')
      return
    }
    expect(codeOf(await stage.signIn(withDefault, 403, person))).toBe('oidc_roles_missing')
    sendClaims({ groups: ['writers'] })
    expect(stage.membershipOf(await stage.signIn(withDefault, 200, person))).toBe('EDITOR')
  })

  test('that is absent does not restore a person whom an administrator has removed', async () => {
    const claims = await claiming({ OIDC_DEFAULT_ROLE: 'VIEWER' })
    const person = someone()
    const { body } = await stage.signIn(claims, 200, { ...person, groups: ['writers'] })
    await operatorCall(claims, 200, 'DELETE', `/organizations/${tenant.organizationId}/members/${body.person.id}`)
    expect(stage.membershipOf(await stage.signIn(claims, 200, person))).toBeUndefined()
  })

  test('is replaced by an invitation if the provider says nothing', async () => {
    const claims = await claiming()
    const person = someone()
    const token = await stage.invite(person.email)
    sendClaims({ _claim_names: { groups: 'src1' } })
    expect(stage.membershipOf(await stage.signIn(claims, 200, person, token))).toBe('EDITOR')
  })

  test('may be a single string', async () => {
    const claims = await claiming()
    sendClaims({ groups: 'writers' })
    expect(stage.membershipOf(await stage.signIn(claims, 200, someone()))).toBe('EDITOR')
  })

  test('at a path may refer to another source as a whole, and an empty list counts as sent', async () => {
    const claims = await claiming({ OIDC_ROLE_CLAIM: 'realm_access.roles', OIDC_ROLES: 'writers=EDITOR' })
    const person = someone()
    sendClaims({ realm_access: { roles: ['writers'] } })
    await stage.signIn(claims, 200, person)
    for (const sent of [
      { _claim_names: { realm_access: 'src1' } },
      { realm_access: {} },
      { realm_access: 'writers' },
    ]) {
      sendClaims(sent)
      expect(stage.membershipOf(await stage.signIn(claims, 200, person))).toBe('EDITOR')
    }
    sendClaims({ realm_access: { roles: [] } })
    expect(stage.membershipOf(await stage.signIn(claims, 200, person))).toBeUndefined()
  })

  test('may be at a path', async () => {
    const claims = await claiming({ OIDC_ROLE_CLAIM: 'realm_access.roles', OIDC_ROLES: 'writers=EDITOR' })
    provider.alter = (found) => ({ ...found, realm_access: { roles: ['writers'] } })
    expect(stage.membershipOf(await stage.signIn(claims, 200, someone()))).toBe('EDITOR')
  })
})

describe('an invitation', () => {
  test('is accepted by signing in, once', async () => {
    const person = someone()
    const token = await stage.invite(person.email.toUpperCase())
    const { body } = await stage.signIn(app, 200, { ...person, email_verified: false }, token)
    expect(body.organizations).toMatchObject([{ id: tenant.organizationId, role: 'EDITOR' }])
    expect(body.person.mail).toBe(person.email.toUpperCase())
    expect(codeOf(await stage.signIn(app, 400, person, token))).toBe('link_unusable')
    const known = await stage.signIn(app, 200, person)
    expect(known.body.person.id).toBe(body.person.id)
  })

  test('is only for its email address', async () => {
    const person = someone()
    const token = await stage.invite(`${newId('m')}@example.com`)
    expect(codeOf(await stage.signIn(app, 403, person, token))).toBe('invitation_mail_differs')
    expect(codeOf(await stage.signIn(app, 403, { sub: newId('sub') }, token))).toBe('invitation_mail_differs')
    const member = await Member.create(app)
    const linked = someone(member.mail)
    expect(codeOf(await stage.signIn(app, 403, linked, token))).toBe('invitation_mail_differs')
    await stage.signIn(app, 200, linked)
    expect(codeOf(await stage.signIn(app, 403, linked, token))).toBe('invitation_mail_differs')
  })

  test('does not open an existing account of the address unless it is verified', async () => {
    const member = await Member.create(app)
    const token = await stage.invite(member.mail, 'VIEWER')
    const person = someone(member.mail)
    expect(codeOf(await stage.signIn(app, 403, { ...person, email_verified: false }, token))).toBe('oidc_not_allowed')
    const { body } = await stage.signIn(app, 200, person, token)
    expect(body).toMatchObject({ person: { id: member.id }, organizations: [{ role: 'VIEWER' }] })
    expect(codeOf(await call(app, 401, '/sign-in', { mail: member.mail, password: 'not the password' }))).toBe(
      'sign_in_failed',
    )
  })

  test('of an owner creates one', async () => {
    const { body } = await operatorCall(app, 201, 'POST', '/server/owner-invitation')
    expect((await stage.signIn(app, 200, someone(), body.token)).body.person.owner).toBe(true)
  })
})

describe('with passwords switched off', () => {
  test('passwords neither work nor can be set, but links of the operator work', async () => {
    const off = await stage.sharedApp({ PASSWORDS: 'off', OIDC_NAME: 'Example Login' })
    expect((await send(off.app, 200, 'GET', '/api/sign-in')).body).toEqual({
      password: false,
      passwordLink: false,
      passkey: false,
      oidc: { name: 'Example Login' },
    })
    const member = (await Member.create(off)).on(off)
    const mail = `${newId('m')}@example.com`
    const password = 'quite long words here'
    expect(codeOf(await call(off, 403, '/sign-in', { mail: member.mail, password: Member.PASSWORD }))).toBe(
      'passwords_off',
    )
    const token = await stage.invite(mail)
    expect(codeOf(await call(off, 403, '/invitation/accept', { token, name: 'A', password }))).toBe('passwords_off')
    provider.away = true
    const link = await operatorCall(off, 201, 'POST', `/server/people/${member.id}/sign-in-link`)
    const linked = await call(off, 200, '/sign-in/link', { token: link.body.token })
    const change = { body: { newPassword: password }, headers: { cookie: toCookie(linked.headers['set-cookie']) } }
    expect(codeOf(await member.call(403, 'PUT', '/me/password', change))).toBe('passwords_off')
    const owner = await operatorCall(off, 201, 'POST', '/server/owner-invitation')
    const owned = await call(off, 200, '/invitation/accept', { token: owner.body.token, name: 'Owner', mail })
    expect(owned.body).toMatchObject({ person: { mail, owner: true }, session: { method: 'link' } })
    const again = await operatorCall(off, 201, 'POST', '/server/owner-invitation')
    expect(
      codeOf(await call(off, 409, '/invitation/accept', { token: again.body.token, name: 'A', mail: member.mail })),
    ).toBe('account_exists')
  })

  test('a person without a password can set the first one only with a sign-in link', async () => {
    const open = await stage.sharedApp(stage.joining())
    const { body, headers } = await stage.signIn(open, 200, someone())
    const newPassword = 'quite long words here'
    const member = await Member.create(open)
    const by = (cookie: string) => ({ body: { newPassword }, headers: { cookie } })
    expect(codeOf(await member.call(400, 'PUT', '/me/password', by(toCookie(headers['set-cookie']))))).toBe(
      'password_missing',
    )
    expect(codeOf(await call(open, 401, '/sign-in', { mail: body.person.mail, password: newPassword }))).toBe(
      'sign_in_failed',
    )
    const link = await operatorCall(open, 201, 'POST', `/server/people/${body.person.id}/sign-in-link`)
    const linked = await call(open, 200, '/sign-in/link', { token: link.body.token })
    await member.call(200, 'PUT', '/me/password', by(toCookie(linked.headers['set-cookie'])))
    await call(open, 200, '/sign-in', { mail: body.person.mail, password: newPassword })
  })
})

describe('a person with a second factor who signs in with the provider', () => {
  test('must pass it, unless OIDC_SECOND_FACTOR trusts the provider, whose sign-ins then count as including one', async () => {
    const member = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
    await addTotp(member)
    const person = someone(member.mail)
    const asked = await stage.signIn(app, 200, person)
    expect(asked.body).toEqual({ secondFactor: { methods: ['totp', 'recovery-code'] } })
    const trusting = await stage.sharedApp({ OIDC_SECOND_FACTOR: 'trusted' })
    trusting.clock.set(new Date(app.clock.now()).toISOString())
    const trusted = await stage.signIn(trusting, 200, person)
    expect(trusted.body).toMatchObject({ person: { id: member.id }, session: { method: 'oidc', secondFactor: true } })
    const without = await Member.create(app)
    const plain = someone(without.mail)
    expect((await stage.signIn(app, 200, plain)).body.session.secondFactor).toBe(false)
    expect((await stage.signIn(trusting, 200, plain)).body.session.secondFactor).toBe(true)
  })
})
