import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  startTestApp,
  Tenant,
  type TestApp,
  toCookie,
} from '../../../test/harness.js'
import { code, inviteAdmin, postConsole, signIn } from '../../../test/people.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import { runs } from '../../../test/runs.js'
import { TABLE_ENTRIES } from '../../database/tables.js'
import type { AuditEntry } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'

let app: TestApp
let tenant: Tenant
let org: string
beforeAll(async () => {
  app = await startTestApp()
  // The last owner of the server cannot be deleted.
  await Member.create(app, { owner: true })
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  org = `/organizations/${tenant.organizationId}`
})

const member = (role: 'ADMIN' | 'EDITOR' = 'ADMIN', of = tenant): Promise<Member> =>
  Member.create(app, { organizationId: of.organizationId, role, mayApprove: true })
const owner = (): Promise<Member> => Member.create(app, { owner: true })
const remove = (status: number, { id }: { id: string }, query = ''): Promise<Reply> =>
  operatorCall(app, status, 'DELETE', `/server/people/${id}${query}`)
const askToDelete = ({ id }: Member) =>
  app.app.inject({
    method: 'DELETE',
    url: `/api/server/people/${id}`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  })
const nameOf = ({ id }: Member): string => `Person ${id}`

async function waitingPost(of = tenant): Promise<string> {
  const channel = await of.channel([await of.workspace('STANDARD')])
  return await insertPost(of, {
    ...publishable(channel),
    status: 'WAITING_FOR_APPROVAL',
    scheduledFor: new Date(app.clock.now() + 86_400_000),
  })
}

/** Returns the tables with a row that contains the text. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = []
  for (const [name] of TABLE_ENTRIES) {
    const { rows } = await app.context.database.query(`select from ${name} t where strpos(t::text, $1) > 0 limit 1`, [
      text,
    ])
    if (rows.length > 0) found.push(name)
  }
  return found
}

test('an account is deleted with all personal data, and histories keep the id', async () => {
  const [gone, other] = [await member(), await member()]
  const post = await waitingPost()
  const at = `${org}/scheduled-posts/${post}`
  await signIn(app, 200, gone, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' })
  await gone.call(200, 'PUT', '/me/preferences', { body: { language: 'de', timeZone: 'Europe/Berlin' } })
  await gone.call(201, 'POST', `${org}/own-calendar-feed`)
  const code = (await gone.call(200, 'POST', '/me/second-factors/totp/begin')).body
  expect(code).toBeDefined()
  const anna = await Holder.of(gone, tenant.organizationId, [post])
  const { id: top } = (
    await gone.call(201, 'POST', `${at}/discussion`, { body: { text: 'Is it right?', shared: true } })
  ).body
  await anna.call(201, 'POST', '/posts/1/discussion', { body: { text: 'Yes', replyTo: top } })
  await other.call(201, 'POST', `${at}/discussion`, { body: { text: 'Look', mentions: [gone.id] } })
  await gone.call(200, 'POST', `${at}/reject`, { body: { notes: 'Too dark' } })
  await operatorCall(app, 201, 'POST', `/server/people/${gone.id}/sign-in-link`)
  await app.context.database.query(
    `insert into mails (organization_id, mail_id, kind, person_id, count, since) values ($1, $2, 'approval', $3, 1, now())`,
    [tenant.organizationId, `approval:${gone.id}`, gone.id],
  )
  await app.context.database.query(
    `insert into identities (issuer, subject, person_id, created_at) values ('https://login.example.com', $1, $1, now())`,
    [gone.id],
  )

  const { body } = await remove(200, gone)
  expect(body).toEqual({
    id: gone.id,
    ended: { invitations: 0, reviewLinks: 0, signInLinks: 1, operatorTokens: [], keys: [] },
  })
  expect(await tablesWith(gone.mail)).toEqual([])
  expect(await tablesWith(nameOf(gone))).toEqual([])
  expect(await tablesWith(gone.id)).toEqual(['access_revisions', 'audit_trail', 'discussion_messages'])
  await gone.call(401, 'GET', '/me')

  const { body: changes } = await other.call(200, 'GET', `${at}/history`)
  const rejected = changes.items.find(({ action }: { action: string }) => action === 'rejected')
  expect(rejected).toMatchObject({ actor: `user:${gone.id}` })
  expect(rejected).not.toHaveProperty('actorName')
  const { items } = (await other.call(200, 'GET', `${at}/discussion`)).body
  const [first, reply, mention] = items.toSorted((a: { createdAt: string }, b: { createdAt: string }) =>
    a.createdAt < b.createdAt ? -1 : 1,
  )
  expect(first.author).toEqual({ type: 'user', id: gone.id })
  expect(reply.author).toMatchObject({ type: 'outsider', name: 'Anna' })
  expect(reply.author).not.toHaveProperty('linkOf')
  expect(mention.mentions).toEqual([{ id: gone.id, name: '' }])
  const trail = (await other.call(200, 'GET', `${org}/audit`)).body.items as AuditEntry[]
  const removal = trail.find(({ operation }) => operation === 'removeMember')
  expect(removal).toMatchObject({ actor: { type: 'operator' }, target: { type: 'user', id: gone.id } })
  const own = trail.find(({ operation }) => operation === 'rejectScheduledPost')
  expect(own!.actor).toEqual({ type: 'user', id: gone.id })
  const server = (await operatorCall(app, 200, 'GET', '/server/audit?limit=10')).body.items as AuditEntry[]
  expect(server[0]).toMatchObject({ operation: 'deletePerson', target: { type: 'user', id: gone.id } })
})

test('a repeated call answers 404, and so does an unknown id', async () => {
  const gone = await member()
  await remove(200, gone)
  expect(code(await remove(404, gone))).toBe('account_not_found')
  expect(code(await remove(404, { id: 'usr_none' }))).toBe('account_not_found')
})

test('the email address can be invited again, and gets a new account', async () => {
  const [gone, other] = [await member(), await member()]
  await remove(200, gone)
  await signIn(app, 401, gone)
  const { token } = await inviteAdmin(other, org, gone.mail)
  const body = { token, name: 'Zoë', password: Member.PASSWORD }
  const { body: me } = await postConsole(app, 200, '/invitation/accept', body)
  expect(me.person).toMatchObject({ mail: gone.mail, name: 'Zoë' })
  expect(me.person.id).not.toBe(gone.id)
})

test('links and tokens that the person made end, and keys keep working unless they are named', async () => {
  const gone = await owner()
  const invitation = await inviteAdmin(gone, org)
  const forThem = await operatorCall(app, 201, 'POST', `${org}/invitations`, {
    body: { mail: gone.mail, role: 'ADMIN' },
  })
  const post = await waitingPost()
  await Holder.of(gone, tenant.organizationId, [post])
  const name = newId('t').replace('_', '-')
  await gone.call(201, 'POST', '/server/operator-tokens', { body: { name } })
  const [kept, named] = [
    (await gone.call(201, 'POST', `${org}/keys`, { body: { name: 'kept' } })).body,
    (await gone.call(201, 'POST', `${org}/keys`, { body: { name: 'named' } })).body,
  ]
  expect(code(await remove(404, gone, '?revokeKeys=key_none'))).toBe('key_not_found')
  const { body } = await remove(200, gone, `?revokeKeys=${named.id}`)
  expect(body.ended).toEqual({
    invitations: 2,
    reviewLinks: 1,
    signInLinks: 0,
    operatorTokens: [name],
    keys: [named.id],
  })
  await tenant.withKey(kept).call(200, 'GET', '/workspaces')
  await tenant.withKey(named).call(403, 'GET', '/workspaces')
  for (const { token } of [invitation, forThem.body]) {
    expect(code(await postConsole(app, 400, '/invitation/read', { token }))).toBe('link_unusable')
  }
})

test('an account that was merged into it is deleted too, and so are its links', async () => {
  const [gone, merged] = [await member(), await member()]
  await app.context.database.query(
    'update people set merged_into = $2, active = false, password_hash = null where person_id = $1',
    [merged.id, gone.id],
  )
  expect(code(await remove(404, merged))).toBe('account_not_found')
  await app.context.database.query(
    `insert into review_links (organization_id, link_id, name, token_hash, made_by, created_at, expires_at)
     values ($1, $2, 'Anna', $2, $3, $4, $4)`,
    [tenant.organizationId, newId('link'), merged.id, new Date(app.clock.now())],
  )
  await remove(200, gone)
  expect(await tablesWith(merged.mail)).toEqual([])
})

describe('the last', () => {
  test('owner of the server cannot be deleted, even if two are deleted at the same time', async () => {
    const { database } = app.context
    const pair = [await owner(), await owner()] as const
    const others = await database.query<{ person_id: string }>(
      'update people set active = false where owner and active and not person_id = any($1) returning person_id',
      [pair.map(({ id }) => id)],
    )
    const statuses = (await Promise.all(pair.map(askToDelete))).map(({ statusCode }) => statusCode)
    expect(statuses.toSorted()).toEqual([200, 409])
    const last = pair[statuses.indexOf(409)]!
    expect(code(await remove(409, last))).toBe('last_owner')
    const ids = others.rows.map(({ person_id }) => person_id)
    await database.query('update people set active = true where person_id = any($1)', [ids])
    await remove(200, last)
  })

  test('administrator of an organization can be deleted by the operator but not by an owner', async () => {
    const [last, by] = [await member(), await owner()]
    await member('EDITOR')
    expect(code(await by.call(409, 'DELETE', `/server/people/${last.id}`))).toBe('last_administrator')
    const other = await member()
    await by.call(200, 'DELETE', `/server/people/${last.id}`)
    await remove(200, other)
  })

  test('two administrators cannot be deleted at the same time', async () => {
    const [one, other] = [await member(), await member()]
    const [by, also] = [await owner(), await owner()]
    const ask = (caller: Member, of: Member) =>
      app.app.inject({
        method: 'DELETE',
        url: `/api/server/people/${of.id}`,
        headers: { ...FROM_OWN_PAGE, cookie: caller.cookie },
      })
    const statuses = (await Promise.all([ask(by, one), ask(also, other)])).map(({ statusCode }) => statusCode)
    expect(statuses.toSorted()).toEqual([200, 409])
  })
})

test('an owner can delete their own account, and is signed out', async () => {
  const gone = await owner()
  await gone.call(200, 'DELETE', `/server/people/${gone.id}`)
  await gone.call(401, 'GET', '/me')
})

test('a member who is not an owner cannot delete any account, even their own', async () => {
  const [gone, other] = [await member(), await member()]
  for (const { id } of [gone, other]) await other.call(403, 'DELETE', `/server/people/${id}`)
})

test('an owner without a recent confirmation is asked for one', async () => {
  const [gone, by] = [await member(), await owner()]
  app.clock.advance(11 * 60_000)
  expect(code(await by.call(403, 'DELETE', `/server/people/${gone.id}`))).toBe('confirmation_needed')
})

describe('while an account is deleted', () => {
  const left = async ({ id }: Member): Promise<string[]> =>
    (await tablesWith(id)).filter(
      (table) => !['access_revisions', 'audit_trail', 'discussion_messages'].includes(table),
    )

  test('a sign-in succeeds first or is refused, and no session remains', async () => {
    for (let round = 0; round < runs(2, 8); round += 1) {
      const gone = await member()
      const ask = () =>
        app.app.inject({
          method: 'POST',
          url: '/api/sign-in',
          headers: FROM_OWN_PAGE,
          payload: { mail: gone.mail, password: Member.PASSWORD },
        })
      const [first, , second] = await Promise.all([ask(), remove(200, gone), ask()])
      for (const { statusCode } of [first, second]) expect([200, 401]).toContain(statusCode)
      expect(await left(gone)).toEqual([])
      for (const { headers, statusCode } of [first, second]) {
        if (statusCode !== 200) continue
        const cookie = toCookie(headers['set-cookie'])
        const me = await app.app.inject({ url: '/api/me', headers: { ...FROM_OWN_PAGE, cookie } })
        expect(me.statusCode).toBe(401)
      }
    }
  })

  test('an invitation for the account adds a membership first or is refused', async () => {
    const by = await member()
    for (let round = 0; round < runs(2, 8); round += 1) {
      const second = await Tenant.create(app)
      const gone = await member('EDITOR', second)
      const { token } = await inviteAdmin(by, org, gone.mail)
      const [accepted] = await Promise.all([
        app.app.inject({
          method: 'POST',
          url: '/api/invitation/accept',
          headers: FROM_OWN_PAGE,
          payload: { token, password: Member.PASSWORD },
        }),
        remove(200, gone),
      ])
      expect([200, 400, 401]).toContain(accepted.statusCode)
      expect(await left(gone)).toEqual([])
    }
  })

  test('calls of the person succeed first or are refused', async () => {
    for (let round = 0; round < runs(2, 8); round += 1) {
      const gone = await member()
      await gone.call(200, 'GET', '/me')
      // No one approves the link's post: an earlier approval would refuse the link.
      const [post, other, linked] = [await waitingPost(), await waitingPost(), await waitingPost()]
      const { etag } = (await gone.call(200, 'GET', `${org}/scheduled-posts/${post}`)).headers
      const headers = {
        ...{ ...FROM_OWN_PAGE, cookie: gone.cookie, 'content-type': 'application/json' },
        'if-match': String(etag),
      }
      const make = (path: string, payload: object = {}, method: 'POST' | 'PUT' = 'POST') =>
        app.app.inject({ method, url: `/api${path}`, headers, payload })
      const replies = await Promise.all([
        make(`${org}/scheduled-posts/${post}/approve`),
        make(`${org}/own-calendar-feed`),
        make(`${org}/review-links`, { name: 'Anna', scheduledPostIds: [linked] }),
        askToDelete(gone),
        make('/me/second-factors/totp/begin'),
        make(`${org}/scheduled-posts/${other}/approve`),
        make('/me/preferences', { language: 'de', timeZone: null }, 'PUT'),
        make(`${org}/keys`, { name: 'quick' }),
      ])
      for (const { statusCode } of replies) expect([200, 201, 401, 403, 404, 409]).toContain(statusCode)
      const approvals = [replies[0]!, replies[5]!].filter(({ statusCode }) => statusCode === 200).length
      const { rows } = await app.context.database.query(
        `select from audit_trail where organization_id = $1 and actor_id = $2 and operation = 'approveScheduledPost'`,
        [tenant.organizationId, gone.id],
      )
      expect(rows).toHaveLength(approvals)
      const rest = await left(gone)
      expect(rest.filter((table) => !['api_keys', 'scheduled_posts'].includes(table))).toEqual([])
    }
  })

  test('a message that mentions the person is written or refused', async () => {
    const by = await member()
    for (let round = 0; round < runs(2, 8); round += 1) {
      const gone = await member('EDITOR')
      const post = await waitingPost()
      const write = () =>
        app.app.inject({
          method: 'POST',
          url: `/api${org}/scheduled-posts/${post}/discussion`,
          headers: { ...FROM_OWN_PAGE, cookie: by.cookie, 'content-type': 'application/json' },
          payload: { text: 'Look', mentions: [gone.id] },
        })
      const [first, , second] = await Promise.all([write(), remove(200, gone), write()])
      for (const { statusCode } of [first, second]) expect([201, 400, 422]).toContain(statusCode)
      expect(await left(gone)).toEqual([])
    }
  })

  test('one of two deletions answers 404', async () => {
    for (let round = 0; round < runs(2, 8); round += 1) {
      const gone = await member()
      const statuses = (await Promise.all([askToDelete(gone), askToDelete(gone)])).map(({ statusCode }) => statusCode)
      expect(statuses.toSorted()).toEqual([200, 404])
    }
  })
})
