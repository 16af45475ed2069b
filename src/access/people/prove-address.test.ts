import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  type TestApp,
  toCookie,
} from '../../../test/harness.js'
import { type ProviderPerson, startProvider, type TestProvider } from '../../../test/identity-provider.js'
import { type MailServer, startMailServer } from '../../../test/mail-server.js'
import { code as codeOf, newMail, postConsole } from '../../../test/people.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { readConfig } from '../../config/index.js'
import type { Me } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { createNotifier } from '../../news/notifier.js'

const PUBLIC_URL = 'http://localhost:9'
const hers = 'words that the squatter knows'
const his = 'words that the person knows'

let provider: TestProvider
let mails: MailServer
/** One app has a provider and a mail server, and one has neither. */
let full: TestApp
let plain: TestApp
let t: Tenant
let o: Tenant
beforeAll(async () => {
  provider = await startProvider(`${PUBLIC_URL}/sign-in/callback`, `${PUBLIC_URL}/`)
  mails = await startMailServer()
  full = await startTestApp({ ...oidcConfig(), mail: { url: mails.url, from: 'greenroom@example.com' } })
  plain = await startTestApp()
})
beforeEach(async () => {
  ;[t, o] = [await Tenant.create(full), await Tenant.create(full)]
})
afterEach(() => {
  Object.assign(provider, { alter: undefined })
})
afterAll(async () => {
  await Promise.all([provider.close(), mails.close()])
})

function oidcConfig(settings: Record<string, string> = {}) {
  const { oidc, http } = readConfig({
    PUBLIC_URL,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.client.clientId,
    OIDC_CLIENT_SECRET: provider.client.clientSecret,
    ...settings,
  })
  return { oidc, http: { publicUrl: http.publicUrl } }
}

const cookieOf = ({ headers }: Reply): string => toCookie(headers['set-cookie'])
const post = (app: TestApp, status: number, path: string, body: unknown, cookie = ''): Promise<Reply> =>
  postConsole(app, status, path, body, { cookie })
const accept = (status: number, body: object): Promise<Reply> => post(full, status, '/invitation/accept', body)
const signIn = (status: number, mail: string, password: string, more: object = {}): Promise<Reply> =>
  post(full, status, '/sign-in', { mail, password, ...more })
const organizationsOf = ({ body }: Reply): string[] => (body as Me).organizations.map(({ id }) => id).toSorted()

/** Returns the link that the inviter sees. */
async function shown(tenant: Tenant, mail: string, role = 'ADMIN', app = plain): Promise<string> {
  const path = `/organizations/${tenant.organizationId}/invitations`
  return (await operatorCall(app, 201, 'POST', path, { body: { mail, role } })).body.token
}

/** Returns the link in the email to the address. */
async function mailed(tenant: Tenant, mail: string): Promise<string> {
  const inviter = await shown(tenant, mail, 'EDITOR', full)
  await createNotifier(full.context, { jitter: (ms) => ms }).tick()
  const { source } = mails.mails.findLast(({ to }) => to.includes(mail))!
  const token = /#invitation=([\w-]{43})/.exec(source.replaceAll('=3D', '='))![1]!
  expect(token).not.toBe(inviter)
  return token
}

async function byProvider(app: TestApp, status: number, person: ProviderPerson, invitation?: string): Promise<Reply> {
  provider.person = person
  const start = await post(app, 200, '/sign-in/oidc', invitation === undefined ? {} : { invitation })
  const query = await provider.visit(start.body.url)
  return await post(app, status, '/sign-in/oidc/finish', { query }, cookieOf(start))
}
const verified = (email: string): ProviderPerson => ({
  sub: newId('sub'),
  name: 'The Boss',
  email,
  email_verified: true,
})

/** An ADMIN of T invites the address, and accepts the invitation herself with her own password. */
async function squat(mail: string): Promise<{ cookie: string; id: string }> {
  const reply = await accept(200, { token: await shown(t, mail), name: 'Not the boss', password: hers })
  return { cookie: cookieOf(reply), id: (reply.body as Me).person.id }
}
const meOf = (status: number, cookie: string): Promise<Reply> =>
  send(full.app, status, 'GET', '/api/me', { headers: { cookie } })

describe('an account that was made with a link that the inviter has seen', () => {
  test('is taken over by the person that the provider identifies, and its password, sessions and links end', async () => {
    const mail = newMail()
    const squatter = await squat(mail)
    const link = (await operatorCall(full, 201, 'POST', `/server/people/${squatter.id}/sign-in-link`)).body.token
    const reply = await byProvider(full, 200, verified(mail))
    expect(reply.body).toMatchObject({ person: { id: squatter.id, mailProven: true } })
    expect(organizationsOf(reply)).toEqual([t.organizationId])
    expect(codeOf(await meOf(401, squatter.cookie))).toBe('session_ended')
    expect(codeOf(await signIn(401, mail, hers))).toBe('sign_in_failed')
    expect(codeOf(await post(full, 400, '/sign-in/link', { token: link }))).toBe('link_unusable')
  })

  test('cannot join another organization by its invitation, and does not lock the person out', async () => {
    const mail = newMail()
    await squat(mail)
    const token = await shown(o, mail)
    expect((await post(full, 200, '/invitation/read', { token })).body).not.toHaveProperty('hasAccount')
    expect(codeOf(await accept(401, { token, password: hers }))).toBe('sign_in_failed')
    const accepted = await accept(200, { token, name: 'The Boss', password: his })
    expect(organizationsOf(accepted)).toEqual([o.organizationId])
    expect(organizationsOf(await signIn(200, mail, hers))).toEqual([t.organizationId])
    expect(organizationsOf(await signIn(200, mail, his))).toEqual([o.organizationId])
    // The database enforces this, whatever the program does.
    const { person } = (await signIn(200, mail, hers)).body as Me
    await expect(
      full.context.database.query(
        `insert into memberships (organization_id, person_id, role, may_approve, created_at) values ($1, $2, 'ADMIN', true, now())`,
        [o.organizationId, person.id],
      ),
    ).rejects.toMatchObject({ code: '23514' })
  })

  test('is taken over with the link from an email, and gets the memberships that its address has elsewhere', async () => {
    const mail = newMail()
    const squatter = await squat(mail)
    const other = await Tenant.create(full)
    const legit = await accept(200, { token: await shown(other, mail, 'VIEWER'), name: 'The Boss', password: his })
    const token = await mailed(o, mail)
    expect((await post(full, 200, '/invitation/read', { token })).body).toMatchObject({ hasAccount: false })
    const password = 'entirely new words for it'
    const reply = await accept(200, { token, name: 'The Boss', password })
    expect(reply.body).toMatchObject({ person: { name: 'The Boss', mailProven: true } })
    expect(organizationsOf(reply)).toEqual([t, o, other].map(({ organizationId }) => organizationId).toSorted())
    for (const gone of [squatter.cookie, cookieOf(legit)]) await meOf(401, gone)
    for (const old of [hers, his]) await signIn(401, mail, old)
    expect(organizationsOf(await signIn(200, mail, password))).toHaveLength(3)
    // Once the address is proven, every link needs the password.
    const again = await Tenant.create(full)
    const second = await mailed(again, mail)
    expect((await post(full, 200, '/invitation/read', { token: second })).body).toMatchObject({ hasAccount: true })
    expect(codeOf(await accept(409, { token: second, name: 'Another', password: his }))).toBe('account_exists')
    await accept(401, { token: second, password: his })
    expect(organizationsOf(await accept(200, { token: second, password }))).toHaveLength(4)
  })

  test('keeps only its password if its holder also reads the email', async () => {
    const mail = newMail()
    const { cookie, id } = await squat(mail)
    const reply = await accept(200, { token: await mailed(o, mail), password: hers })
    expect(reply.body).toMatchObject({ person: { id, mailProven: true } })
    expect(organizationsOf(reply)).toHaveLength(2)
    await meOf(401, cookie)
    await signIn(200, mail, hers)
  })

  test('counts as the same person afterwards, so that four eyes consider merged accounts', async () => {
    const mail = newMail()
    await squat(mail)
    await operatorCall(full, 200, 'PATCH', `/organizations/${o.organizationId}`, { body: { fourEyes: true } })
    const path = `/organizations/${o.organizationId}/invitations`
    const invited = await operatorCall(plain, 201, 'POST', path, { body: { mail, role: 'EDITOR', mayApprove: true } })
    const writer = cookieOf(await accept(200, { token: invited.body.token, name: 'The Boss', password: his }))
    const id = await insertPost(o, { ...publishable(await o.channel()), status: 'DRAFT' })
    const at = `/organizations/${o.organizationId}/scheduled-posts/${id}`
    const as = (cookie: string, status: number, method: 'GET' | 'POST' | 'PATCH', rest: string, options = {}) =>
      send(full.app, status, method, `/api${at}${rest}`, { headers: { cookie, ...FROM_OWN_PAGE }, ...options })
    await as(writer, 200, 'PATCH', '', { body: { scheduledFor: '2026-12-02T10:00:00.000Z' } })
    await as(writer, 200, 'POST', '/submit-for-approval')
    const cookie = cookieOf(await byProvider(full, 200, verified(mail)))
    const { headers } = await as(cookie, 200, 'GET', '')
    const approval = { headers: { cookie, ...FROM_OWN_PAGE, 'if-match': String(headers.etag) } }
    expect(codeOf(await as(cookie, 403, 'POST', '/approve', approval))).toBe('own_post')
  })

  test('belongs to its organization, which can invite again if the password is lost', async () => {
    const mail = newMail()
    const { id, cookie } = await squat(mail)
    await operatorCall(full, 200, 'DELETE', `/organizations/${t.organizationId}/members/${id}`)
    const reply = await accept(200, { token: await shown(t, mail, 'VIEWER'), name: 'The Boss', password: his })
    expect(reply.body).toMatchObject({ person: { id, name: 'The Boss', mailProven: false, boundTo: t.organizationId } })
    await meOf(401, cookie)
    await signIn(401, mail, hers)
  })

  test('keeps its password and may join other organizations once an operator vouches for it', async () => {
    const mail = newMail()
    const { id } = await squat(mail)
    const before = (await operatorCall(full, 200, 'GET', `/organizations/${t.organizationId}/members`)).body
    expect(before).toMatchObject([{ id, mailProven: false }])
    const { body } = await operatorCall(full, 200, 'PATCH', `/server/people/${id}`, { body: { mailProven: true } })
    expect(body).toMatchObject({ mailProven: true })
    expect(body).not.toHaveProperty('boundTo')
    await operatorCall(full, 422, 'PATCH', `/server/people/${id}`, { body: { mailProven: false } })
    expect(organizationsOf(await accept(200, { token: await shown(o, mail), password: hers }))).toHaveLength(2)
  })
})

describe('two accounts of one address', () => {
  test('with the same password ask for the organization after the password', async () => {
    const mail = newMail()
    for (const tenant of [t, o]) await accept(200, { token: await shown(tenant, mail), name: 'Zoë', password: his })
    const asked = await signIn(200, mail, his)
    expect(asked.headers['set-cookie']).toBeUndefined()
    const accounts = [t, o].map(({ organizationId }) => ({ organizationId, organizationName: 'Test' }))
    expect(asked.body.accounts).toHaveLength(2)
    expect(asked.body.accounts).toEqual(expect.arrayContaining(accounts))
    for (const { organizationId } of accounts) {
      expect(organizationsOf(await signIn(200, mail, his, { organizationId }))).toEqual([organizationId])
    }
    await signIn(401, mail, hers, { organizationId: t.organizationId })
  })

  test('share a salt, so that the time of a sign-in does not reveal that there are several', async () => {
    const mail = newMail()
    await accept(200, { token: await shown(t, mail), name: 'Zoë', password: his })
    await accept(200, { token: await shown(o, mail), name: 'Zoë', password: hers })
    // A changed password keeps the salt.
    const cookie = cookieOf(await signIn(200, mail, hers))
    const body = { currentPassword: hers, newPassword: 'entirely new words for it' }
    await send(full.app, 200, 'PUT', '/api/me/password', { body, headers: { cookie, ...FROM_OWN_PAGE } })
    const { rows } = await full.context.database.query<{ password_hash: string }>(
      'select password_hash from people where mail = $1',
      [mail],
    )
    expect(new Set(rows.map(({ password_hash }) => password_hash.split('$')[4])).size).toBe(2)
    expect(new Set(rows.map(({ password_hash }) => password_hash.split('$')[3])).size).toBe(1)
  })

  test('become one if two sign-ins prove them at the same time', async () => {
    const mail = newMail()
    for (const tenant of [t, o]) await accept(200, { token: await shown(tenant, mail), name: 'Zoë', password: his })
    provider.person = verified(mail)
    const visits = await Promise.all(
      [1, 2].map(async () => {
        const start = await post(full, 200, '/sign-in/oidc', {})
        return { query: await provider.visit(start.body.url), cookie: cookieOf(start) }
      }),
    )
    const replies = await Promise.all(
      visits.map(({ query, cookie }) => post(full, 200, '/sign-in/oidc/finish', { query }, cookie)),
    )
    for (const reply of replies) expect(organizationsOf(reply)).toHaveLength(2)
    expect(new Set(replies.map(({ body }) => body.person.id)).size).toBe(1)
  })
})

describe('an identity with an address that the provider does not verify', () => {
  const unverified = (email: string): ProviderPerson => ({ sub: newId('sub'), email, email_verified: false })

  test('stays with the organization that invited it until the provider verifies it', async () => {
    const mail = newMail()
    const person = unverified(mail)
    const first = await byProvider(full, 200, person, await shown(t, mail))
    expect(first.body.person).toMatchObject({ mailProven: false, boundTo: t.organizationId })
    expect(codeOf(await byProvider(full, 403, person, await shown(o, mail)))).toBe('mail_unproven')
    const proven = await byProvider(full, 200, { ...person, email_verified: true }, await shown(o, mail))
    expect(proven.body.person).toMatchObject({ id: first.body.person.id, mailProven: true })
    expect(organizationsOf(proven)).toHaveLength(2)
  })

  test('is proven by the link from an email', async () => {
    const mail = newMail()
    const { body } = await byProvider(full, 200, unverified(mail), await mailed(t, mail))
    expect(body.person).toMatchObject({ mailProven: true })
    expect(body.person).not.toHaveProperty('boundTo')
  })

  test('does not open a proven account', async () => {
    const member = await Member.create(full)
    const token = await shown(t, member.mail)
    expect(codeOf(await byProvider(full, 403, unverified(member.mail), token))).toBe('oidc_not_allowed')
  })
})

describe('an owner with an unproven address', () => {
  test('is not taken over by an email to it', async () => {
    const mail = newMail()
    const { token } = (await operatorCall(full, 201, 'POST', '/server/owner-invitation')).body
    await accept(200, { token, name: 'Owner', mail, password: his })
    const invitation = await mailed(t, mail)
    expect((await post(full, 200, '/invitation/read', { token: invitation })).body).toMatchObject({ hasAccount: true })
    expect(codeOf(await accept(409, { token: invitation, name: 'Another', password: hers }))).toBe('account_exists')
    expect((await accept(200, { token: invitation, password: his })).body.person).toMatchObject({ owner: true })
  })
})

describe('addresses', () => {
  test('match only their own letters, in either case of ASCII', async () => {
    const local = newId('kine').toLowerCase().replaceAll('_', '')
    const mail = `${local}@example.com`
    await accept(200, { token: await shown(t, mail), name: 'Kate', password: his })
    await signIn(200, mail.toUpperCase(), his)
    // U+212A is the Kelvin sign; İ folds into i with a dot above.
    for (const lookalike of [mail.replace('k', '\u212a'), mail.replace('i', '\u0130'), mail.replace('k', '\uff4b')]) {
      expect(lookalike).not.toBe(mail)
      const { body } = await signIn(422, lookalike, his)
      expect(body.error).toMatchObject([{ path: ['mail'], type: 'string.mailFolded' }])
      // A provider that verifies a lookalike does not open the account either.
      expect(codeOf(await byProvider(full, 403, verified(lookalike)))).toBe('oidc_not_allowed')
    }
  })

  test.each([
    'x@example.com>',
    '<x@example.com',
    'x@example.com,y@example.com',
    'x y@example.com',
    'x@example..com',
    'x@exa\u200bmple.com',
    'x\u202e@example.com',
    'x\u0000@example.com',
    'nobody',
  ])('%j is refused', async (mail) => {
    const path = `/organizations/${t.organizationId}/invitations`
    await operatorCall(full, 422, 'POST', path, { body: { mail, role: 'EDITOR' } })
  })

  test.each([
    'o’neil@example.com',
    'ünal+tag@bücher.example',
    '名@例え.example',
    'root@localhost',
  ])('%j is accepted', async (mail) => {
    const path = `/organizations/${t.organizationId}/invitations`
    await operatorCall(plain, 201, 'POST', path, { body: { mail, role: 'EDITOR' } })
  })
})

describe("the provider's claims", () => {
  const altered = async (status: number, claims: object, person = verified(newMail())): Promise<Reply> => {
    provider.alter = (found) => ({ ...found, ...claims })
    return await byProvider(full, status, person)
  }

  test('about an address is taken from one document, whatever the other verifies', async () => {
    const member = await Member.create(full)
    // The ID token has an unverified address, and the user info verifies another one.
    provider.alter = ({ email_verified: _, ...found }) => ({ ...found, email: member.mail })
    const settings = { OIDC_ORGANIZATION: t.organizationId, OIDC_ALLOWED_DOMAINS: '*', OIDC_ROLES: 'a=ADMIN' }
    const roles = await startTestApp(oidcConfig({ ...settings, OIDC_ROLE_CLAIM: 'groups' }))
    expect(codeOf(await byProvider(roles, 403, verified(newMail())))).toBe('oidc_not_allowed')
  })

  test.each([[''], ['a\u0000b'], ['a'.repeat(256)], ['ü']])('is refused with the subject %j', async (sub) => {
    const known = await Member.create(full)
    expect(codeOf(await altered(401, { sub, email: known.mail, email_verified: true }))).toBe('oidc_refused')
  })

  test('with U+0000 in a name or an address causes no internal error', async () => {
    const mail = newMail()
    const token = await shown(t, mail)
    provider.alter = (found) => ({ ...found, name: 'A\u0000B', email: mail, email_verified: true })
    expect((await byProvider(full, 200, verified(mail), token)).body.person).toMatchObject({ name: mail })
    expect(codeOf(await altered(403, { email: `\u0000${mail}`, email_verified: true }))).toBe('oidc_not_allowed')
  })

  test('links an account only in the allowed domains, or with an invitation to the same address', async () => {
    const closed = await startTestApp({ ...oidcConfig({ OIDC_ALLOWED_DOMAINS: 'elsewhere.example' }) })
    const member = await Member.create(full)
    expect(codeOf(await byProvider(closed, 403, verified(member.mail)))).toBe('oidc_not_allowed')
    await byProvider(closed, 200, verified(member.mail), await shown(t, member.mail))
  })
})
