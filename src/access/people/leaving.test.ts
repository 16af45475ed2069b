import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  keyCall,
  Member,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import { code, inviteAdmin, newMail, postConsole } from '../../../test/people.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import type { Grants } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'

// A person who is removed, deactivated or demoted must not come back through what they made before.

let app: TestApp
let tenant: Tenant
let org: string
beforeAll(async () => {
  app = await startTestApp()
  // The last owner of the server cannot be deactivated.
  await Member.create(app, { owner: true })
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  org = `/organizations/${tenant.organizationId}`
})

const password = Member.PASSWORD
const admin = (of = tenant, mayApprove = true): Promise<Member> =>
  Member.create(app, { organizationId: of.organizationId, role: 'ADMIN', mayApprove })
const owner = (): Promise<Member> => Member.create(app, { owner: true })
const pathOf = (of: Tenant): string => `/organizations/${of.organizationId}`
const invite = (by: Member, at = org, mail?: string) => inviteAdmin(by, at, mail)
const accept = (token: string, name?: string) =>
  app.app.inject({
    method: 'POST',
    url: '/api/invitation/accept',
    headers: FROM_OWN_PAGE,
    payload: { token, name, password },
  })
const acceptAsNew = (token: string) => accept(token, 'Zoë')
const isUsable = async (token: string): Promise<boolean> =>
  (
    await app.app.inject({
      method: 'POST',
      url: '/api/invitation/read',
      headers: FROM_OWN_PAGE,
      payload: { token },
    })
  ).statusCode === 200
async function reviewLink(by: Member, of = tenant): Promise<Holder> {
  const channel = await of.channel([await of.workspace('STANDARD')])
  const post = await insertPost(of, {
    ...publishable(channel),
    status: 'WAITING_FOR_APPROVAL',
    scheduledFor: new Date('2026-12-01T09:00:00Z'),
  })
  return Holder.of(by, of.organizationId, [post])
}
const review = (status: number, holder: Holder): Promise<Reply> => holder.call(status, 'GET', '/posts')
const issueKey = async (by: Member, at = org): Promise<{ id: string; secret: string }> =>
  (await by.call(201, 'POST', `${at}/keys`, { body: { name: 'warehouse' } })).body
const worksAt = (of: Tenant, key: { id: string; secret: string }, status: number): Promise<Reply> =>
  of.withKey(key).call(status, 'GET', '/workspaces')
const trailOf = async (path: string): Promise<{ operation: string; target: { id: string } }[]> =>
  (await operatorCall(app, 200, 'GET', `${path}/audit?limit=200`)).body.items

describe('a member who is removed', () => {
  test('leaves no open invitation or review link, even after they are a member again', async () => {
    const [gone, other] = [await admin(), await admin()]
    const [made, kept] = [await invite(gone), await invite(other)]
    const [link, otherLink] = [await reviewLink(gone), await reviewLink(other)]
    const grants = (await other.call(200, 'GET', `${org}/members/${gone.id}/grants`)).body as Grants
    expect(grants).toEqual({ invitations: 1, reviewLinks: 1, signInLinks: 0, operatorTokens: [], keys: [] })
    const { body } = await other.call(200, 'DELETE', `${org}/members/${gone.id}?revokeKeys=`)
    expect(body).toEqual({
      id: gone.id,
      ended: { invitations: 1, reviewLinks: 1, signInLinks: 0, operatorTokens: [], keys: [] },
    })
    expect(await isUsable(made.token)).toBe(false)
    expect((await acceptAsNew(made.token)).headers['x-error-code']).toBe('link_unusable')
    expect(await isUsable(kept.token)).toBe(true)
    await review(200, otherLink)
    const again = await invite(other, org, gone.mail)
    expect((await accept(again.token)).statusCode).toBe(200)
    await operatorCall(app, 200, 'PATCH', `${org}/members/${gone.id}`, { body: { mayApprove: true } })
    await review(401, link)
    const ended = (await trailOf(org)).filter(({ operation }) => /^revoke/.test(operation))
    expect(ended.map(({ operation }) => operation).toSorted()).toEqual(['revokeInvitation', 'revokeReviewLink'])
    expect(ended.map(({ target }) => target.id)).toContain(made.id)
  })

  test('keeps what they made in another organization', async () => {
    const second = await Tenant.create(app)
    const gone = await admin()
    await operatorCall(app, 201, 'POST', `${pathOf(second)}/invitations`, { body: { mail: gone.mail, role: 'ADMIN' } })
    const { body } = await operatorCall(app, 201, 'POST', `${pathOf(second)}/invitations`, {
      body: { mail: gone.mail, role: 'ADMIN' },
    })
    await send(app.app, 200, 'POST', '/api/invitation/accept', {
      headers: FROM_OWN_PAGE,
      body: { token: body.token, password: Member.PASSWORD },
    })
    await gone.signInAgain()
    const [here, there] = [await invite(gone), await invite(gone, pathOf(second))]
    const key = await issueKey(gone, pathOf(second))
    const grants = (await operatorCall(app, 200, 'GET', `${org}/members/${gone.id}/grants`)).body
    expect(grants).toMatchObject({ invitations: 1, keys: [] })
    await operatorCall(app, 200, 'DELETE', `${org}/members/${gone.id}?revokeKeys=all`)
    expect([await isUsable(here.token), await isUsable(there.token)]).toEqual([false, true])
    await worksAt(second, key, 200)
  })

  test('cannot join with an invitation that was open for them', async () => {
    const gone = await Member.create(app)
    const { body: first } = await operatorCall(app, 201, 'POST', `${org}/invitations`, {
      body: { mail: gone.mail, role: 'VIEWER' },
    })
    // Two are open if the organization invites before the person is a member, in another spelling of case.
    await send(app.app, 200, 'POST', '/api/invitation/accept', {
      headers: FROM_OWN_PAGE,
      body: { token: first.token, password: Member.PASSWORD },
    })
    const token = 'B'.repeat(43)
    await app.context.database.query(
      `insert into invitations (organization_id, invitation_id, token_hash, mail, role, may_approve, created_at, expires_at)
       values ($1, $2, encode(sha256($3::bytea), 'hex'), upper($4), 'ADMIN', true, $5, $6)`,
      [
        tenant.organizationId,
        newId('inv'),
        Buffer.from(token),
        gone.mail,
        new Date(app.clock.now()),
        new Date(app.clock.now() + 86_400_000),
      ],
    )
    const { body } = await operatorCall(app, 200, 'DELETE', `${org}/members/${gone.id}`)
    expect(body.ended.invitations).toBe(1)
    const { rows } = await app.context.database.query('select from invitations where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toHaveLength(0)
  })

  test('leaves keys, which are listed and are revoked in the same step if they are named', async () => {
    const [gone, other] = [await admin(), await admin()]
    const [one, two, three] = [await issueKey(gone), await issueKey(gone), await issueKey(gone)]
    const foreign = await issueKey(other)
    await worksAt(tenant, one, 200)
    const { keys } = (await other.call(200, 'GET', `${org}/members/${gone.id}/grants`)).body as Grants
    expect(keys.map(({ id }) => id).toSorted()).toEqual([one.id, two.id, three.id].toSorted())
    expect(keys[0]).toMatchObject({
      name: 'warehouse',
      organizationId: tenant.organizationId,
      createdAt: new Date(app.clock.now()).toISOString(),
    })
    const remove = (status: number, revokeKeys: string) =>
      other.call(status, 'DELETE', `${org}/members/${gone.id}?revokeKeys=${revokeKeys}`)
    expect(code(await remove(404, `${one.id},${foreign.id}`))).toBe('key_not_found')
    await worksAt(tenant, one, 200)
    const { body } = await remove(200, `${one.id},${two.id}`)
    expect(body.ended.keys.toSorted()).toEqual([one.id, two.id].toSorted())
    for (const key of [one, two]) await worksAt(tenant, key, 403)
    for (const key of [three, foreign]) await worksAt(tenant, key, 200)
    const revoked = (await trailOf(org)).filter(({ operation }) => operation === 'revokeKey')
    expect(revoked.map(({ target }) => target.id).toSorted()).toEqual([one.id, two.id].toSorted())
  })

  test('leaves no key with revokeKeys=all', async () => {
    const gone = await admin()
    const key = await issueKey(gone)
    const { body } = await operatorCall(app, 200, 'DELETE', `${org}/members/${gone.id}?revokeKeys=all`)
    expect(body.ended.keys).toEqual([key.id])
    await worksAt(tenant, key, 403)
    await operatorCall(app, 404, 'GET', `${org}/members/${gone.id}/grants`)
  })

  test('leaves no key that their keys issued either, even if one of these is revoked', async () => {
    const gone = await admin()
    const body = { permissions: ['settings:write', 'api'] }
    const first = (await gone.call(201, 'POST', `${org}/keys`, { body })).body
    const second = (await keyCall(app, first, 201, 'POST', `${org}/keys`, body)).body
    const third = (await keyCall(app, second, 201, 'POST', `${org}/keys`, body)).body
    await operatorCall(app, 200, 'DELETE', `${org}/keys/${second.id}`)
    const { keys } = (await operatorCall(app, 200, 'GET', `${org}/members/${gone.id}/grants`)).body as Grants
    expect(keys.map(({ id }) => id).toSorted()).toEqual([first.id, third.id].toSorted())
    const { ended } = (await operatorCall(app, 200, 'DELETE', `${org}/members/${gone.id}?revokeKeys=all`)).body
    expect(ended.keys.toSorted()).toEqual([first.id, third.id].toSorted())
    await keyCall(app, third, 403, 'GET', '/whoami')
  })

  test('while their invitation is accepted: it succeeds before the removal, or not at all', async () => {
    for (let round = 0; round < 8; round += 1) {
      const gone = await admin()
      const { token } = await invite(gone)
      const [accepted, removed] = await Promise.all([
        acceptAsNew(token),
        operatorCall(app, 200, 'DELETE', `${org}/members/${gone.id}`),
      ])
      const hasJoined = accepted.statusCode === 200
      if (!hasJoined) expect(accepted.headers['x-error-code']).toBe('link_unusable')
      expect(removed.body.ended.invitations).toBe(hasJoined ? 0 : 1)
      expect(await isUsable(token)).toBe(false)
    }
  })

  test('while they make an invitation: none is open afterwards, and no key is missed', async () => {
    for (let round = 0; round < 8; round += 1) {
      const gone = await admin()
      await gone.call(200, 'GET', `${org}/members`)
      const headers = { ...FROM_OWN_PAGE, cookie: gone.cookie, 'content-type': 'application/json' }
      const make = (path: string, payload: object) =>
        app.app.inject({ method: 'POST', url: `/api${org}${path}`, headers, payload })
      await Promise.all([
        make('/invitations', { mail: newMail(), role: 'ADMIN' }),
        make('/keys', { name: 'quick' }),
        operatorCall(app, 200, 'DELETE', `${org}/members/${gone.id}?revokeKeys=all`),
        make('/invitations', { mail: newMail(), role: 'ADMIN' }),
        make('/keys', { name: 'quick' }),
      ])
      const { rows } = await app.context.database.query<{ many: number }>(
        `select (select count(*) from invitations where organization_id = $1)
              + (select count(*) from api_keys
                  where organization_id = $1 and name = 'quick' and revoked_at is null) as many`,
        [tenant.organizationId],
      )
      expect(Number(rows[0]!.many)).toBe(0)
    }
  })
})

describe('a member who loses a right', () => {
  const change = (member: Member, body: object) =>
    operatorCall(app, 200, 'PATCH', `${org}/members/${member.id}`, { body })

  test('leaves no open invitation below ADMIN, and no review link without the right to approve', async () => {
    const one = await admin()
    const [made, link] = [await invite(one), await reviewLink(one)]
    await change(one, { role: 'EDITOR' })
    expect(await isUsable(made.token)).toBe(false)
    await review(200, link)
    await change(one, { mayApprove: false })
    await review(401, link)
    await change(one, { role: 'ADMIN', mayApprove: true })
    await review(401, link)
  })

  test('keeps what the remaining rights allow', async () => {
    const one = await admin()
    const [made, link] = [await invite(one), await reviewLink(one)]
    await change(one, { mayApprove: false })
    expect(await isUsable(made.token)).toBe(true)
    await review(401, link)
  })
})

describe('a deactivated person', () => {
  const deactivate = async (person: Member, body: object = {}) =>
    (await operatorCall(app, 200, 'PATCH', `/server/people/${person.id}`, { body: { active: false, ...body } })).body
  const ask = (token: string, status: number) =>
    send(app.app, status, 'GET', '/api/organizations', { headers: { authorization: `Bearer ${token}` } })

  test('leaves no credential in any organization', async () => {
    const gone = await owner()
    const second = await Tenant.create(app)
    const stranger = await Member.create(app)
    const invitations = [await invite(gone), await invite(gone, pathOf(second))]
    const link = await reviewLink(gone, second)
    const key = await issueKey(gone)
    const name = newId('t').replace('_', '-')
    const token = (await gone.call(201, 'POST', '/server/operator-tokens', { body: { name } })).body.token
    const below = `${name}.b`
    const asToken = { authorization: `Bearer ${token}` }
    const { body: next } = await operatorCall(app, 201, 'POST', '/server/operator-tokens', {
      body: { name: below },
      headers: asToken,
    })
    const byToken = await operatorCall(app, 201, 'POST', `${org}/invitations`, {
      body: { mail: newMail(), role: 'ADMIN' },
      headers: asToken,
    })
    const { body: signIn } = await operatorCall(app, 201, 'POST', `/server/people/${stranger.id}/sign-in-link`, {
      headers: asToken,
    })
    const { body: ownerLink } = await gone.call(201, 'POST', '/server/owner-invitation')
    const { body: own } = await operatorCall(app, 201, 'POST', `/server/people/${gone.id}/sign-in-link`)
    const { body: grants } = await operatorCall(app, 200, 'GET', `/server/people/${gone.id}/grants`)
    expect(grants).toMatchObject({
      invitations: 3,
      reviewLinks: 1,
      signInLinks: 3,
      operatorTokens: [{ name }, { name: below }],
      keys: [{ id: key.id, organizationId: tenant.organizationId }],
    })
    const { ended } = await deactivate(gone)
    expect(ended).toEqual({
      invitations: 3,
      reviewLinks: 1,
      signInLinks: 3,
      operatorTokens: [name, below],
      keys: [],
    })
    for (const made of [...invitations, byToken.body]) expect(await isUsable(made.token)).toBe(false)
    await review(401, link)
    for (const one of [token, next.token]) await ask(one, 401)
    expect(await isUsable(ownerLink.token)).toBe(false)
    await operatorCall(app, 200, 'PATCH', `/server/people/${gone.id}`, { body: { active: true } })
    for (const one of [signIn, own]) {
      const body = { token: one.token }
      expect(code(await postConsole(app, 400, '/sign-in/link', body))).toBe('link_unusable')
    }
    await worksAt(tenant, key, 200)
    const { ended: later } = await deactivate(gone, { revokeKeys: 'all' })
    expect(later.keys).toEqual([key.id])
    await worksAt(tenant, key, 403)
  })

  test('leaves keys, which are revoked if they are named, even if the account is already inactive', async () => {
    const gone = await admin()
    const [one, two] = [await issueKey(gone), await issueKey(gone)]
    await deactivate(gone)
    await worksAt(tenant, one, 200)
    expect((await deactivate(gone, { revokeKeys: [one.id] })).ended.keys).toEqual([one.id])
    await worksAt(tenant, one, 403)
    await worksAt(tenant, two, 200)
    const refused = await operatorCall(app, 404, 'PATCH', `/server/people/${gone.id}`, {
      body: { active: false, revokeKeys: [one.id] },
    })
    expect(code(refused)).toBe('key_not_found')
  })

  test('who is no longer an owner keeps what a membership allows', async () => {
    const one = await owner()
    await operatorCall(app, 201, 'POST', `${org}/invitations`, { body: { mail: one.mail, role: 'ADMIN' } }).then(
      ({ body: { token } }) =>
        send(app.app, 200, 'POST', '/api/invitation/accept', {
          headers: FROM_OWN_PAGE,
          body: { token, password: Member.PASSWORD },
        }),
    )
    await one.signInAgain()
    const second = await Tenant.create(app)
    const [kept, lost] = [await invite(one), await invite(one, pathOf(second))]
    const name = newId('t').replace('_', '-')
    const { token } = (await one.call(201, 'POST', '/server/operator-tokens', { body: { name } })).body
    const { body: ownerLink } = await one.call(201, 'POST', '/server/owner-invitation')
    const { body } = await operatorCall(app, 200, 'PATCH', `/server/people/${one.id}`, { body: { owner: false } })
    expect(body.ended).toMatchObject({ invitations: 1, signInLinks: 1, operatorTokens: [name] })
    expect([await isUsable(kept.token), await isUsable(lost.token)]).toEqual([true, false])
    await ask(token, 401)
    expect(await isUsable(ownerLink.token)).toBe(false)
  })

  test('while one of their operator tokens makes more: nothing of it remains', async () => {
    for (let round = 0; round < 10; round += 1) {
      const gone = await owner()
      const name = newId('t').replace('_', '-')
      const { token } = (await gone.call(201, 'POST', '/server/operator-tokens', { body: { name } })).body
      await ask(token, 200)
      const make = (path: string, payload: object) =>
        app.app.inject({
          method: 'POST',
          url: `/api${path}`,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          payload,
        })
      await Promise.all([
        make('/operator-tokens', { name: `${name}.b` }),
        make(`${org}/invitations`, { mail: newMail(), role: 'ADMIN' }),
        deactivate(gone, { revokeKeys: 'all' }),
        make(`${org}/keys`, { name: 'quick' }),
        make(`${org}/invitations`, { mail: newMail(), role: 'ADMIN' }),
        make('/operator-tokens', { name: `${name}.c` }),
      ])
      const { rows } = await app.context.database.query(
        `select name from operator_tokens where created_by_id = $1 and revoked_at is null
          union all select mail from invitations where created_by_id = $1
          union all select key_id from api_keys where created_by_id = $1 and revoked_at is null`,
        [name],
      )
      expect(rows).toEqual([])
    }
  })

  test('while they issue an operator token: none is live afterwards', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gone = await owner()
      await gone.call(200, 'GET', '/me')
      const headers = { ...FROM_OWN_PAGE, cookie: gone.cookie, 'content-type': 'application/json' }
      const issue = () =>
        app.app.inject({
          method: 'POST',
          url: '/api/server/operator-tokens',
          headers,
          payload: { name: newId('t').replace('_', '-') },
        })
      await Promise.all([issue(), deactivate(gone), issue()])
      const { rows } = await app.context.database.query(
        'select from operator_tokens where created_by_id = $1 and revoked_at is null',
        [gone.id],
      )
      expect(rows).toHaveLength(0)
    }
  })
})
