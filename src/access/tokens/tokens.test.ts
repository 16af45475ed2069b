import { pino } from 'pino'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, send, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'
import { callWith, makeToken } from '../../../test/personal-tokens.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { addTotp, totpCode } from '../../../test/second-factors.js'
import { readConfig } from '../../config/index.js'
import type { Role, TokenScope } from '../../interface/generated/types.js'
import { operations } from '../../operations.js'

const DAY = 86_400_000

let app: TestApp
/** Another node on the same database. */
let node: TestApp
let tenant: Tenant
const lines: string[] = []
beforeAll(async () => {
  app = await startTestApp({}, pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }))
  node = await startTestApp()
})
beforeEach(async () => {
  for (const each of [app, node]) each.clock.set('2026-11-20T09:00:00Z')
  tenant = await Tenant.create(app)
})

const at = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`
const inDays = (days: number): string => new Date(app.clock.now() + days * DAY).toISOString()
const member = (role: Role, mayApprove = false): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
const confirm = (person: Member): Promise<unknown> =>
  person.call(200, 'POST', '/me/confirmation/password', { body: { password: Member.PASSWORD } })

describe('a personal token', () => {
  test('may do what both its scopes and the rights of its person allow, on every node, without a cookie', async () => {
    const editor = await member('EDITOR')
    const { token } = await makeToken(editor, { scopes: ['posts:read', 'posts:write', 'personal'] })
    for (const on of [app, node]) await callWith(on, token, 200, 'GET', at('/scheduled-posts'))
    await callWith(app, token, 201, 'POST', at('/scheduled-posts'), {})
    await callWith(app, token, 200, 'GET', at('/inbox'))
    expect(code(await callWith(app, token, 403, 'GET', at('/workspaces')))).toBe('permission_missing')
  })

  test('is shown once, in a form that scanners recognize, and only its digest is stored or logged', async () => {
    const viewer = await member('VIEWER')
    lines.length = 0
    const { token, ...shown } = await makeToken(viewer, { name: 'Planner', scopes: ['posts:read'] })
    expect(token).toMatch(/^greenroom_personal_[0-9a-f]{64}$/)
    expect(shown).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: 'Planner',
      scopes: ['posts:read'],
      createdAt: '2026-11-20T09:00:00.000Z',
      expiresAt: inDays(90),
    })
    await callWith(app, token, 200, 'GET', at('/scheduled-posts'))
    await callWith(app, `${token}0`, 401, 'GET', at('/scheduled-posts'))
    expect((await viewer.call(200, 'GET', '/me/tokens')).body).toEqual([shown])
    const { rows } = await app.context.database.query('select * from personal_tokens where token_id = $1', [shown.id])
    expect(rows).toHaveLength(1)
    const secret = token.slice('greenroom_personal_'.length)
    expect(JSON.stringify(rows) + lines.join('')).not.toContain(secret)
  })

  test('can find out who it is, what it may do at most, and where', async () => {
    const person = await member('VIEWER')
    const second = await Tenant.create(app)
    await operatorCall(app, 201, 'POST', `/organizations/${second.organizationId}/invitations`, {
      body: { mail: person.mail, role: 'VIEWER' },
    })
    const { token, id, expiresAt } = await makeToken(person, { scopes: ['posts:read'] })
    expect((await callWith(app, token, 200, 'GET', '/whoami')).body).toEqual({
      type: 'user',
      id: person.id,
      permissions: ['posts:read', 'self'],
      token: { id, name: 'Planner', expiresAt },
      organizations: [{ id: tenant.organizationId, name: expect.any(String) }],
    })
  })

  test('expires after 90 days, or when its person chooses, within a year', async () => {
    const person = await member('VIEWER')
    const scopes: TokenScope[] = ['posts:read']
    const make = (status: number, expiresAt: string) =>
      person.call(status, 'POST', '/me/tokens', { body: { name: 'A', scopes, expiresAt } })
    expect(code(await make(400, inDays(366)))).toBe('expiry_too_late')
    expect(code(await make(400, inDays(0)))).toBe('expiry_past')
    await make(201, inDays(365))
    const { token } = await makeToken(person, { scopes })
    app.clock.advance(90 * DAY - 1)
    await callWith(app, token, 200, 'GET', '/whoami')
    app.clock.advance(1)
    expect(code(await callWith(app, token, 401, 'GET', '/whoami'))).toBe('token_wrong')
  })

  test('expires by the maximum age that the server sets, even if it is older than the setting', async () => {
    expect(readConfig({}).access.personalTokenMaxAgeMs).toBe(365 * DAY)
    expect(() => readConfig({ PERSONAL_TOKEN_MAX_AGE_DAYS: '366' })).toThrow('PERSONAL_TOKEN_MAX_AGE_DAYS')
    const strict = await startTestApp({ access: { personalTokenMaxAgeMs: 30 * DAY } })
    const person = await member('VIEWER')
    const { token } = await makeToken(person, { scopes: ['posts:read'] })
    const listed = await person.on(strict).call(200, 'GET', '/me/tokens')
    expect(listed.body[0]).toMatchObject({ expiresAt: inDays(30), expiresByAge: true })
    expect(await makeToken(person.on(strict), { scopes: ['posts:read'] })).toMatchObject({ expiresAt: inDays(30) })
    const body = { name: 'A', scopes: ['posts:read'], expiresAt: inDays(31) }
    await person.on(strict).call(400, 'POST', '/me/tokens', { body })
    strict.clock.advance(30 * DAY)
    await callWith(strict, token, 401, 'GET', '/whoami')
  })

  test('may be limited to one organization of its person', async () => {
    const second = await Tenant.create(app)
    const owner = await Member.create(app, { owner: true })
    const { organizationId } = tenant
    const bound = await makeToken(owner, { scopes: ['posts:read'], organizationId })
    expect(bound).toMatchObject({ organizationId })
    await callWith(app, bound.token, 200, 'GET', at('/scheduled-posts'))
    const elsewhere = `/organizations/${second.organizationId}/scheduled-posts`
    expect(code(await callWith(app, bound.token, 404, 'GET', elsewhere))).toBe('organization_not_found')
    const { body } = await callWith(app, bound.token, 200, 'GET', '/whoami')
    expect(body).toMatchObject({ organizationId, organizations: [{ id: organizationId }] })
    const { token } = await makeToken(owner, { scopes: ['posts:read'] })
    await callWith(app, token, 200, 'GET', elsewhere)
    const stranger = await member('ADMIN')
    const refused = { body: { name: 'A', scopes: ['posts:read'], organizationId: second.organizationId } }
    expect(code(await stranger.call(404, 'POST', '/me/tokens', refused))).toBe('organization_not_found')
  })

  test('accepts no scope that its person does not hold, and none for approving, people or accounts', async () => {
    const viewer = await member('VIEWER', true)
    const make = (status: number, ...scopes: string[]) =>
      viewer.call(status, 'POST', '/me/tokens', { body: { name: 'A', scopes } })
    const reply = await make(403, 'posts:read', 'posts:write')
    expect(code(reply)).toBe('scope_not_held')
    expect(reply.body.message).toContain('posts:write')
    for (const scope of ['posts:approve', 'people:read', 'people:write', 'account', 'operator', 'self', 'api']) {
      expect(code(await make(422, scope))).toBe('validation_failed')
    }
    await make(422)
  })

  test('accepts a scope that its person holds in one channel, and grants it only there', async () => {
    const person = await member('VIEWER')
    const workspace = await tenant.workspace('VIP')
    const [here, there] = [await tenant.channel([workspace]), await tenant.channel([workspace])]
    // The right to approve in the other channel must not grant there what the token lacks.
    const channels = [
      { channelId: here, role: 'EDITOR', mayApprove: false },
      { channelId: there, role: 'VIEWER', mayApprove: true },
    ]
    await operatorCall(app, 200, 'PATCH', at(`/members/${person.id}`), { body: { channels } })
    const { token } = await makeToken(person, { scopes: ['posts:read', 'posts:write'] })
    const reject = async (status: number, channelId: string): Promise<unknown> => {
      const id = await insertPost(tenant, { ...publishable(channelId), status: 'WAITING_FOR_APPROVAL' })
      return code(await callWith(app, token, status, 'POST', at(`/scheduled-posts/${id}/reject`), { notes: 'No' }))
    }
    await reject(200, here)
    expect(await reject(403, there)).toBe('permission_missing')
  })

  test('of an owner cannot approve either, or do anything on the server', async () => {
    const owner = await Member.create(app, { owner: true })
    const { token } = await makeToken(owner, { scopes: ['posts:read', 'posts:write', 'settings:write'] })
    const id = await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL' })
    const approved = await callWith(app, token, 403, 'POST', at(`/scheduled-posts/${id}/approve`))
    expect(code(approved)).toBe('permission_missing')
    expect(code(await callWith(app, token, 403, 'GET', '/server/people'))).toBe('permission_missing')
    expect(code(await callWith(app, token, 403, 'PATCH', at(''), { active: false }))).toBe('permission_missing')
  })

  test('cannot reach an account or an operation that needs a confirmation', async () => {
    const owner = await Member.create(app, { owner: true })
    const { token } = await makeToken(owner, { scopes: ['settings:write'] })
    expect(code(await callWith(app, token, 403, 'GET', '/me'))).toBe('permission_missing')
    expect(code(await callWith(app, token, 403, 'GET', '/me/tokens'))).toBe('permission_missing')
    const issued = await callWith(app, token, 403, 'POST', '/server/operator-tokens', { name: 'a' })
    expect(code(issued)).toBe('token_cannot_confirm')
    const marked = operations.filter(({ needsConfirmation }) => needsConfirmation).map(({ operationId }) => operationId)
    expect(marked).toEqual(expect.arrayContaining(['createOwnToken', 'allowDeviceLogin']))
  })

  test('is one of at most 20 per person; expired ones make room', async () => {
    const person = await member('VIEWER')
    await makeToken(person, { scopes: ['posts:read'], expiresAt: inDays(1) })
    for (let count = 1; count < 20; count++) await makeToken(person, { scopes: ['posts:read'] })
    const full = { body: { name: 'A', scopes: ['posts:read'] } }
    expect(code(await person.call(409, 'POST', '/me/tokens', full))).toBe('tokens_full')
    app.clock.advance(DAY)
    await person.signInAgain()
    await makeToken(person, { scopes: ['posts:read'] })
    expect((await person.call(200, 'GET', '/me/tokens')).body).toHaveLength(20)
  })
})

describe('the rights of the person', () => {
  test('are read at each request, so that losing one takes effect at once, on every node', async () => {
    const person = await member('EDITOR')
    const { token } = await makeToken(person, { scopes: ['posts:read', 'posts:write'] })
    for (const on of [app, node]) await callWith(on, token, 201, 'POST', at('/scheduled-posts'), {})
    await operatorCall(app, 200, 'PATCH', at(`/members/${person.id}`), { body: { role: 'VIEWER' } })
    for (const on of [app, node]) {
      expect(code(await callWith(on, token, 403, 'POST', at('/scheduled-posts'), {}))).toBe('permission_missing')
      await callWith(on, token, 200, 'GET', at('/scheduled-posts'))
    }
    await operatorCall(app, 200, 'DELETE', at(`/members/${person.id}`))
    for (const on of [app, node]) {
      expect(code(await callWith(on, token, 404, 'GET', at('/scheduled-posts')))).toBe('organization_not_found')
      await callWith(on, token, 200, 'GET', '/whoami')
    }
  })

  test('do not work in an inactive organization', async () => {
    const person = await member('VIEWER')
    const { token } = await makeToken(person, { scopes: ['posts:read'] })
    await operatorCall(app, 200, 'PATCH', at(''), { body: { active: false } })
    expect(code(await callWith(app, token, 402, 'GET', at('/scheduled-posts')))).toBe('organization_inactive')
  })

  test('need the second factor that an organization requires from the session that made the token', async () => {
    const admin = await member('ADMIN')
    const { token: before } = await makeToken(admin, { scopes: ['posts:read'] })
    const { secret } = await addTotp(admin)
    const { token: after } = await makeToken(admin, { scopes: ['posts:read'] })
    await admin.call(200, 'PATCH', at(''), { body: { requireSecondFactor: true } })
    expect(code(await callWith(app, before, 403, 'GET', at('/scheduled-posts')))).toBe('second_factor_required')
    for (const on of [app, node]) await callWith(on, after, 200, 'GET', at('/scheduled-posts'))
    await admin.call(200, 'POST', '/me/confirmation/totp', { body: { code: totpCode(app, secret) } })
    await admin.call(200, 'DELETE', '/me/second-factors/totp')
    for (const on of [app, node]) {
      expect(code(await callWith(on, after, 403, 'GET', at('/scheduled-posts')))).toBe('second_factor_required')
    }
  })
})

test('a token without a second factor cannot make an organization require one, which would lock out its person', async () => {
  const admin = await member('ADMIN')
  const { token } = await makeToken(admin, { scopes: ['settings:write'] })
  const body = { requireSecondFactor: true }
  expect(code(await callWith(app, token, 409, 'PATCH', at(''), body))).toBe('second_factor_missing')
  await addTotp(admin)
  const { token: passed } = await makeToken(admin, { scopes: ['settings:write'] })
  await callWith(app, passed, 200, 'PATCH', at(''), body)
})

test('a read-only token cannot write in a discussion in the name of its person', async () => {
  const person = await member('EDITOR')
  const path = at(`/scheduled-posts/${await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL' })}/discussion`)
  const { id } = (await person.call(201, 'POST', path, { body: { text: 'Mine' } })).body
  const { token: reader } = await makeToken(person, { scopes: ['posts:read'] })
  const refused = [
    await callWith(app, reader, 403, 'POST', path, { text: 'Yours', shared: true }),
    await callWith(app, reader, 403, 'PATCH', `${path}/${id}`, { text: 'Yours' }),
    await callWith(app, reader, 403, 'DELETE', `${path}/${id}`),
    await callWith(app, reader, 403, 'POST', `${path}/${id}/resolve`),
  ]
  expect(new Set(refused.map(code))).toEqual(new Set(['permission_missing']))
  const { token: writer } = await makeToken(person, { scopes: ['posts:read', 'posts:write'] })
  await callWith(app, writer, 201, 'POST', path, { text: 'From the plan', replyTo: id })
})

describe('making a token', () => {
  test('needs a person who has just confirmed who they are, with the second factor if there is one', async () => {
    const person = await member('VIEWER')
    app.clock.advance(10 * 60_000)
    const body = { name: 'A', scopes: ['posts:read'] }
    expect(code(await person.call(403, 'POST', '/me/tokens', { body }))).toBe('confirmation_needed')
    await confirm(person)
    const { secret } = await addTotp(person)
    app.clock.advance(10 * 60_000)
    await person.call(403, 'POST', '/me/tokens', { body })
    expect((await person.call(200, 'GET', '/me/confirmation')).body).toEqual({ methods: ['totp'] })
    await person.call(200, 'POST', '/me/confirmation/totp', { body: { code: totpCode(app, secret) } })
    await person.call(201, 'POST', '/me/tokens', { body })
  })

  test('is only for sessions: no page of another site, no key and no token can make one', async () => {
    const person = await member('VIEWER')
    const body = { name: 'A', scopes: ['posts:read'] }
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect(code(await person.call(403, 'POST', '/me/tokens', { body, headers }))).toBe('cross_site')
    const { token } = await makeToken(person, { scopes: ['posts:read'] })
    expect(code(await callWith(app, token, 403, 'POST', '/me/tokens', body))).toBe('token_cannot_confirm')
    expect(code(await operatorCall(app, 403, 'POST', '/me/tokens', { body }))).toBe('permission_missing')
  })
})

describe('the end of a token', () => {
  const ended = async (token: string): Promise<void> => {
    for (const on of [app, node]) expect(code(await callWith(on, token, 401, 'GET', '/whoami'))).toBe('token_wrong')
  }
  const begin = async (person: Member): Promise<string> => {
    const { token } = await makeToken(person, { scopes: ['posts:read'] })
    for (const on of [app, node]) await callWith(on, token, 200, 'GET', '/whoami')
    return token
  }

  test('can be revoked by its person, by its own call or by an owner, and by no one else', async () => {
    const [person, stranger] = [await member('VIEWER'), await member('ADMIN')]
    const first = await makeToken(person, { scopes: ['posts:read'] })
    expect(code(await stranger.call(404, 'DELETE', `/me/tokens/${first.id}`))).toBe('token_not_found')
    await callWith(app, first.token, 200, 'GET', '/whoami')
    await person.call(200, 'DELETE', `/me/tokens/${first.id}`)
    await ended(first.token)
    const second = await begin(person)
    await callWith(node, second, 200, 'DELETE', '/me/token')
    await ended(second)
    const third = await makeToken(person, { scopes: ['posts:read'] })
    const path = `/server/people/${person.id}/tokens`
    const { token: _, ...shown } = third
    expect((await operatorCall(app, 200, 'GET', path)).body).toEqual([shown])
    await operatorCall(app, 200, 'DELETE', `${path}/${third.id}`)
    await ended(third.token)
    expect(code(await operatorCall(app, 404, 'DELETE', `${path}/${third.id}`))).toBe('token_not_found')
    expect(code(await person.call(404, 'DELETE', '/me/token'))).toBe('token_not_found')
  })

  test.each<[name: string, (person: Member) => Promise<unknown>]>([
    ['signing out everywhere', (person) => person.call(200, 'DELETE', '/me/sessions')],
    [
      'an owner who ends the sessions',
      (person) => operatorCall(app, 200, 'DELETE', `/server/people/${person.id}/sessions`),
    ],
    [
      'a reset of the second factors',
      (person) => operatorCall(app, 200, 'DELETE', `/server/people/${person.id}/second-factors`),
    ],
    [
      'a deactivation',
      (person) => operatorCall(app, 200, 'PATCH', `/server/people/${person.id}`, { body: { active: false } }),
    ],
    [
      'becoming an owner',
      (person) => operatorCall(app, 200, 'PATCH', `/server/people/${person.id}`, { body: { owner: true } }),
    ],
    ['a deletion', (person) => operatorCall(app, 200, 'DELETE', `/server/people/${person.id}`)],
    [
      'another password',
      (person) => {
        const body = { currentPassword: Member.PASSWORD, newPassword: 'other words of the tests' }
        return person.call(200, 'PUT', '/me/password', { body })
      },
    ],
  ])('comes with %s, and it does not work again', async (_name, act) => {
    const person = await member('VIEWER')
    const token = await begin(person)
    await act(person)
    await ended(token)
    const { rows } = await app.context.database.query('select from personal_tokens where person_id = $1', [person.id])
    expect(rows).toEqual([])
  })

  test('is not caused by the end of one session or by a new second factor', async () => {
    const person = await member('VIEWER')
    const token = await begin(person)
    await addTotp(person)
    await person.call(200, 'POST', '/sign-out')
    await callWith(app, token, 200, 'GET', '/whoami')
  })

  test('prevents its pending changes', async () => {
    const person = await member('ADMIN')
    const { token, id } = await makeToken(person, { scopes: ['settings:write'] })
    const { database } = app.context
    // The token ends after the request was admitted, and before its transaction.
    const own = await startTestApp({}, undefined, {
      ...database,
      transaction: (run, options) =>
        database.transaction(async (tx) => {
          await tx.query('delete from personal_tokens where token_id = $1', [id])
          return await run(tx)
        }, options),
    })
    expect(code(await callWith(own, token, 401, 'POST', at('/keys'), {}))).toBe('token_wrong')
  })
})

describe('the audit trail', () => {
  test('has each token that is made or revoked, with its name and scopes but without secrets', async () => {
    const person = await member('VIEWER')
    const { id, token, expiresAt } = await makeToken(person, { scopes: ['posts:read'] })
    await person.call(200, 'DELETE', `/me/tokens/${id}`)
    const path = `/server/audit?actor=user:${person.id}`
    const { items } = (await operatorCall(app, 200, 'GET', path)).body
    expect(items).toEqual([
      expect.objectContaining({ operation: 'revokeOwnToken', target: { type: 'personalToken', id } }),
      expect.objectContaining({
        operation: 'createOwnToken',
        target: { type: 'personalToken', id },
        changes: { name: 'Planner', scopes: ['posts:read'], expiresAt },
        address: '127.0.0.1',
      }),
    ])
    expect(JSON.stringify(items)).not.toContain(token)
  })

  test('names the token behind a change, and does not merge it with one that the person made directly', async () => {
    const person = await member('ADMIN')
    const { id, token } = await makeToken(person, { scopes: ['settings:write', 'settings:read'] })
    const rename = { timeZone: 'Europe/Paris' }
    await person.call(200, 'PATCH', at(''), { body: rename })
    await callWith(app, token, 200, 'PATCH', at(''), rename)
    await callWith(app, token, 200, 'PATCH', at(''), { timeZone: 'Europe/Rome' })
    const { items } = (await person.call(200, 'GET', at('/audit?operation=updateOrganization'))).body
    expect(items.map(({ actor }: { actor: object }) => actor)).toEqual([
      { type: 'user', id: person.id, name: expect.any(String), tokenId: id },
      { type: 'user', id: person.id, name: expect.any(String) },
    ])
    const post = (
      await callWith(
        app,
        (
          await makeToken(person, { scopes: ['posts:write'] })
        ).token,
        201,
        'POST',
        at('/scheduled-posts'),
        {},
      )
    ).body
    for (const by of [person, person])
      await by.call(200, 'PATCH', at(`/scheduled-posts/${post.id}`), { body: { notes: 'A' } })
    const trail = (await person.call(200, 'GET', at(`/audit?scheduledPostId=${post.id}`))).body.items
    expect(trail.map(({ actor }: { actor: { tokenId?: string } }) => actor.tokenId !== undefined)).toEqual([
      false,
      true,
    ])
  })
})

describe('the last use', () => {
  test('is recorded to the minute, in one statement for many requests, and does not invalidate cached access', async () => {
    const person = await member('VIEWER')
    const { token } = await makeToken(person, { scopes: ['posts:read'] })
    const listed = async () => (await person.call(200, 'GET', '/me/tokens')).body[0].lastUsedAt
    for (let count = 0; count < 3; count++) await callWith(app, token, 200, 'GET', '/whoami')
    expect(await listed()).toBeUndefined()
    const revision = async (): Promise<unknown> =>
      (await app.context.database.query('select sum(revision) from access_revisions')).rows[0]
    const before = await revision()
    await app.context.tokenUses.flush()
    expect(await listed()).toBe('2026-11-20T09:00:00.000Z')
    expect(await revision()).toEqual(before)
    app.clock.advance(-3_600_000)
    await callWith(app, token, 200, 'GET', '/whoami')
    await app.context.tokenUses.flush()
    expect(await listed()).toBe('2026-11-20T09:00:00.000Z')
  })
})

describe('the rate', () => {
  test('is that of a key, for each token separately', async () => {
    const slow = await startTestApp({ limits: { keyRequestsPerSecond: 1 } })
    const person = await member('VIEWER')
    const [first, second] = [
      await makeToken(person, { scopes: ['posts:read'] }),
      await makeToken(person, { scopes: ['posts:read'] }),
    ]
    for (let count = 0; count < 2; count++) await callWith(slow, first.token, 200, 'GET', '/whoami')
    expect(code(await callWith(slow, first.token, 429, 'GET', '/whoami'))).toBe('rate_limited')
    await callWith(slow, second.token, 200, 'GET', '/whoami')
  })

  test('of wrong tokens from one address is limited, and does not block one that was accepted there', async () => {
    const guarded = await startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
    const person = await member('VIEWER')
    const { token } = await makeToken(person, { scopes: ['posts:read'] })
    await callWith(guarded, token, 200, 'GET', '/whoami')
    for (let count = 0; count < 3; count++) await callWith(guarded, `${token}${count}`, 401, 'GET', '/whoami')
    expect(code(await callWith(guarded, `${token}x`, 429, 'GET', '/whoami'))).toBe('too_many_failures')
    await callWith(guarded, token, 200, 'GET', '/whoami')
  })
})

test('a token is not a cookie: another surface does not accept it, and the origin of a change does not matter', async () => {
  const person = await member('EDITOR')
  const { token } = await makeToken(person, { scopes: ['posts:read', 'posts:write'] })
  const headers = {
    authorization: `Bearer ${token}`,
    'sec-fetch-site': 'cross-site',
    origin: 'https://elsewhere.example',
  }
  await send(app.app, 201, 'POST', `/api${at('/scheduled-posts')}`, { body: {}, headers })
  await send(app.app, 401, 'GET', '/api/review/link', { headers })
  await send(app.app, 403, 'GET', '/v1/workspaces', { headers: { ...headers, 'x-api-version': '1' } })
})
