import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertAutomationRows } from '../../test/automation-rows.js'
import { Member, operatorCall, send, startOwnTestApp, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertProblem } from '../../test/inbox.js'
import { jpeg, png } from '../../test/media.js'
import { callWith, makeToken } from '../../test/personal-tokens.js'
import { insertPost, publishable } from '../../test/posts.js'
import { Holder } from '../../test/review-links.js'
import { useSecondFactors } from '../../test/second-factors.js'
import { whenAllRan } from '../../test/when-all-ran.js'
import { SURFACES } from '../access/surfaces.js'
import { routesOf } from '../http/surfaces.js'
import type { AuditEntry, AuditEntryPage as AuditPage } from '../interface/generated/types.js'
import { newId } from '../lib/ids.js'
import { operations } from '../operations.js'

let app: TestApp
let tenant: Tenant
let mediaDir: string
/** The last entry of earlier tests. */
let lastBefore: string
beforeAll(async () => {
  mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-audit-'))
  app = await startTestApp({ media: { dir: mediaDir }, http: { publicUrl: 'https://greenroom.example' } })
  const { rows } = await app.context.database.query<{ last: string }>(
    'select coalesce(max(audit_id), 0)::text as last from audit_trail',
  )
  lastBefore = rows[0]!.last
})
afterAll(() => rmSync(mediaDir, { recursive: true }))
beforeEach(async () => {
  tenant = await Tenant.create(app)
})

const operator = (
  status: number,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
) => operatorCall(app, status, method, `/organizations/${tenant.organizationId}${path}`, options)

const audit = async (query = ''): Promise<AuditPage> => (await operator(200, 'GET', `/audit${query}`)).body
/** Returns the entries, oldest first. */
const entries = async (): Promise<AuditEntry[]> => (await audit('?limit=200')).items.toReversed()
const operationsOf = async (): Promise<string[]> => (await entries()).map(({ operation }) => operation)

const TOKEN = 'EAAB-a-token-that-nobody-may-see'
const key = () => ({ type: 'key', id: tenant.key.id })

describe('the audit trail', () => {
  test('records who did what to what and when, without secrets', async () => {
    const issued = (await operator(201, 'POST', '/keys')).body
    await operator(200, 'DELETE', `/keys/${issued.id}`)
    await operator(200, 'PATCH', '', { body: { name: 'Renamed' } })
    await operator(201, 'POST', '/workspaces', { body: { id: 'ws_1', name: 'VIPs', type: 'VIP' } })
    const channel = { type: 'FB_PAGE', platformId: '77', name: 'Page', accessToken: TOKEN, check: false }
    await operator(201, 'POST', '/channels', { body: channel })
    await operator(200, 'PATCH', '/channels/FB_PAGE_77', { body: { accessToken: null } })
    await operator(200, 'PUT', '/workspaces/ws_1/channels/FB_PAGE_77')
    await operator(200, 'POST', '/channels/FB_PAGE_77/conversations?workspaceId=ws_1', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"conversationId":"c1","cuid":"u1"}\n{"conversationId":"c2"}\n',
    })
    await operator(200, 'PUT', '/workspaces/ws_1/channels/FB_PAGE_77/vips/c1')
    await operator(200, 'DELETE', '/workspaces/ws_1/channels/FB_PAGE_77/vips/c1')
    await operator(200, 'DELETE', '/workspaces/ws_1/channels/FB_PAGE_77')
    const account = { id: 'act_5', name: 'Ads', currency: 'EUR', timezone: 'Europe/Berlin' }
    await operator(201, 'POST', '/ad-accounts', { body: { ...account, accessToken: TOKEN, check: false } })
    await operator(200, 'PATCH', '/ad-accounts/5', { body: { accessToken: null } })
    await operator(200, 'PATCH', '/ad-accounts/5', { body: { currency: 'USD' } })
    await operator(200, 'DELETE', '/ad-accounts/5')
    const saved = (await operator(201, 'POST', '/superpowers', { body: { name: 'Raffle', superpower: {} } })).body
    await operator(200, 'PATCH', `/superpowers/${saved.creativeTemplateId}`, { body: { active: false } })

    const found = await entries()
    expect(found.map(({ operation, target }) => `${operation} ${target.type} ${target.id}`)).toEqual([
      `issueKey key ${issued.id}`,
      `revokeKey key ${issued.id}`,
      `updateOrganization organization ${tenant.organizationId}`,
      'createWorkspace workspace ws_1',
      'createChannel channel FB_PAGE_77',
      'updateChannel channel FB_PAGE_77',
      'connectChannel connection ws_1/FB_PAGE_77',
      'importConversations channel FB_PAGE_77',
      'importConversations channel FB_PAGE_77',
      'markVip vipMark ws_1/FB_PAGE_77/c1',
      'unmarkVip vipMark ws_1/FB_PAGE_77/c1',
      'disconnectChannel connection ws_1/FB_PAGE_77',
      'createAdAccount adAccount 5',
      'updateAdAccount adAccount 5',
      'updateAdAccount adAccount 5',
      'deleteAdAccount adAccount 5',
      `createSuperpower superpower ${saved.creativeTemplateId}`,
      `updateSuperpower superpower ${saved.creativeTemplateId}`,
    ])
    for (const { actor, at } of found) {
      expect([actor, at]).toEqual([{ type: 'operator' }, new Date(app.clock.now()).toISOString()])
    }
    expect(found[2]?.changes).toEqual({ name: 'Renamed' })
    expect(found[4]?.changes).toEqual({ type: 'FB_PAGE', name: 'Page', connected: true })
    expect(found[8]?.changes).toEqual({ state: 'ended', imported: 1, erased: 0, rejected: 1 })
    const text = JSON.stringify(found)
    for (const secret of [TOKEN, issued.secret]) expect(text).not.toContain(secret)
  })

  test('names the key that changed a post, and the history of the post is a view of the trail', async () => {
    const channel = await tenant.channel()
    const created = await tenant.call(201, 'POST', '/scheduled-posts', {
      body: {
        channels: { [channel]: { caption: 'Hello' } },
        media: 'https://cdn.example.com/a.jpg',
        mediaType: 'IMAGE',
      },
    })
    const path = `/scheduled-posts/${created.body.id}`
    await tenant.call(200, 'PATCH', path, { body: { scheduledFor: '2026-12-01T09:00:00Z' } })
    const { headers } = await tenant.call(200, 'POST', `${path}/submit-for-approval`)
    await operator(200, 'POST', `${path}/approve`, { headers: { 'if-match': String(headers.etag) } })
    await tenant.call(200, 'DELETE', path)
    const found = await entries()
    expect(found.map(({ operation, actor }) => [operation, actor])).toEqual([
      ['createScheduledPost', key()],
      ['updateScheduledPost', key()],
      ['submitScheduledPostForApproval', key()],
      ['approveScheduledPost', { type: 'operator' }],
      ['deleteScheduledPost', key()],
    ])
    expect(new Set(found.map(({ target }) => `${target.type} ${target.id}`))).toEqual(
      new Set([`scheduledPost ${created.body.id}`]),
    )
    const history = (await operator(200, 'GET', `${path}/history`)).body.items
    expect(history).toEqual([
      expect.objectContaining({ version: 1, actor: `key:${tenant.key.id}`, action: 'created', toStatus: 'DRAFT' }),
      expect.objectContaining({ version: 2, action: 'updated', detail: { changed: ['scheduledFor'] } }),
      expect.objectContaining({ version: 3, action: 'submitted', toStatus: 'WAITING_FOR_APPROVAL' }),
      expect.objectContaining({
        version: 4,
        actor: 'operator',
        action: 'approved',
        fromStatus: 'WAITING_FOR_APPROVAL',
      }),
      expect.objectContaining({ version: 5, action: 'deleted', fromStatus: 'SCHEDULED' }),
    ])
  })

  test('has no entry for a refused call, a call without effect, or a transaction that was rolled back', async () => {
    const workspace = await tenant.workspace()
    const channel = await tenant.channel([workspace])
    await tenant.conversations(channel, [{ id: 'c1' }])
    const [post] = [await tenant.call(201, 'POST', '/scheduled-posts', { body: {} })]
    const before = await operationsOf()
    const path = `/scheduled-posts/${post.body.id}`
    await tenant.call(200, 'PATCH', path, { body: {} })
    await tenant.call(400, 'PATCH', path, { body: { scheduledFor: '2020-01-01T00:00:00Z' } })
    await tenant.call(412, 'PATCH', path, { body: { notes: 'x' }, headers: { 'if-match': '"9"' } })
    await operator(409, 'POST', '/workspaces', { body: { id: workspace, name: 'Again', type: 'VIP' } })
    await operator(200, 'PUT', `/workspaces/${workspace}/channels/${channel}`)
    await operator(200, 'DELETE', `/workspaces/${workspace}/channels/${channel}/vips/c1`)
    await operator(404, 'DELETE', '/keys/key_unknown')
    const revoked = (await operator(201, 'POST', '/keys')).body.id
    await operator(200, 'DELETE', `/keys/${revoked}`)
    app.clock.advance(1_000)
    await operator(200, 'DELETE', `/keys/${revoked}`)
    expect(await operationsOf()).toEqual([...before, 'issueKey', 'revokeKey'])
    const { database } = app.context
    await expect(
      database.query('update audit_trail set operation = $2 where organization_id = $1', [
        tenant.organizationId,
        'nothing',
      ]),
    ).rejects.toThrow('append-only')
    await expect(
      database.query('delete from audit_trail where organization_id = $1', [tenant.organizationId]),
    ).rejects.toThrow('append-only')
  })

  test('reveals nothing about activity elsewhere: neither ids nor cursors count, and a cursor of another trail is refused', async () => {
    const [own, other] = [tenant, await Tenant.create(app)]
    const pageOf = async (of: Tenant): Promise<AuditPage> => {
      const path = `/organizations/${of.organizationId}`
      for (const name of ['A', 'B']) {
        // Within an hour they would continue one entry.
        app.clock.advance(3_600_000)
        await operatorCall(app, 200, 'PATCH', path, { body: { name } })
      }
      return (await operatorCall(app, 200, 'GET', `${path}/audit?limit=1`)).body
    }
    const pages = [await pageOf(own), await pageOf(other), await pageOf(own)]
    const { rows } = await app.context.database.query<{ audit_id: number }>('select audit_id from audit_trail')
    for (const text of pages.flatMap(({ items, nextCursor }) => [items[0]!.id, nextCursor!])) {
      expect(text).toMatch(/^[\w-]{22}$/)
      const decoded = Buffer.from(text, 'base64url').toString('latin1')
      for (const { audit_id: id } of rows) expect(id > 99 && decoded.includes(String(id))).toBe(false)
      // A counter would differ only in its last bytes.
      expect(pages.filter(({ items }) => items[0]!.id.slice(0, 6) === text.slice(0, 6)).length).toBeLessThan(2)
    }
    expect((await audit('?limit=1')).items[0]!.id).toBe(pages[2]!.items[0]!.id)
    await operator(422, 'GET', `/audit?after=${pages[1]!.nextCursor}`)
    const altered = pages[0]!.nextCursor!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    await operator(422, 'GET', `/audit?after=${altered}`)
  })

  test('comes newest first in pages that neither repeat nor lose entries, even if entries are added in between', async () => {
    expect(await audit()).toEqual({ items: [], returned: 0, mayHaveMore: false, nextCursor: null })
    // They are an hour apart, because within it they would continue one entry.
    const rename = (index: number) => {
      app.clock.advance(3_600_000)
      return operator(200, 'PATCH', '', { body: { name: `Name ${index}` } })
    }
    for (let index = 0; index < 5; index++) await rename(index)
    const first = await audit('?limit=2')
    expect(first).toMatchObject({ returned: 2, mayHaveMore: true, nextCursor: expect.any(String) })
    await rename(5)
    const second = await audit(`?limit=2&after=${first.nextCursor}`)
    const third = await audit(`?limit=2&after=${second.nextCursor}`)
    expect(third).toMatchObject({ returned: 1, mayHaveMore: false, nextCursor: null })
    expect([first, second, third].flatMap(({ items }) => items.map(({ changes }) => changes?.name))).toEqual(
      [4, 3, 2, 1, 0].map((index) => `Name ${index}`),
    )
    expect((await audit('?limit=1000')).returned).toBe(6)
    for (const query of ['limit=0', 'after=x', 'after=-1', `after=${'9'.repeat(16)}`]) {
      await operator(422, 'GET', `/audit?${query}`)
    }
  })

  test("shows no other organization's entries", async () => {
    const other = await Tenant.create(app)
    await operatorCall(app, 201, 'POST', `/organizations/${other.organizationId}/keys`)
    expect(await operationsOf()).toEqual([])
  })
})

test('a new organization begins its trail with its creation', async () => {
  const { body } = await operatorCall(app, 201, 'POST', '/organizations', { body: { name: 'New' } })
  const { items } = (await operatorCall(app, 200, 'GET', `/organizations/${body.id}/audit`)).body as AuditPage
  expect(items).toMatchObject([{ operation: 'createOrganization', target: { type: 'organization', id: body.id } }])
})

test('every rename, deletion and erasure leaves an entry, and the trail outlives the organization', async () => {
  const workspace = await tenant.workspace()
  const channel = await tenant.channel([workspace])
  await tenant.conversations(channel, [{ id: 'c1' }, { id: 'c2' }])
  const saved = (await operator(201, 'POST', '/superpowers', { body: { name: 'Raffle', superpower: {} } })).body
  await operator(200, 'PATCH', `/workspaces/${workspace}`, { body: { name: 'Lyon' } })
  await operator(200, 'PATCH', `/channels/${channel}`, { body: { name: 'Our page' } })
  await operator(200, 'DELETE', `/superpowers/${saved.creativeTemplateId}`)
  await operator(200, 'DELETE', `/channels/${channel}/conversations/c1`)
  const { erasureId } = (await operator(200, 'DELETE', '/people/cu_c2')).body
  await operator(200, 'POST', '/people/cu_c2/readmit')
  await operator(200, 'DELETE', `/workspaces/${workspace}`)
  await operator(200, 'DELETE', `/channels/${channel}`)
  await operator(200, 'PATCH', '', { body: { active: false } })
  await operator(200, 'DELETE', '?name=Test')
  await operator(404, 'PATCH', '', { body: { active: true } })
  const found = await entries()
  expect(found.map(({ operation, target }) => `${operation} ${target.type} ${target.id}`)).toEqual([
    `createSuperpower superpower ${saved.creativeTemplateId}`,
    `updateWorkspace workspace ${workspace}`,
    `updateChannel channel ${channel}`,
    `deleteSuperpower superpower ${saved.creativeTemplateId}`,
    `deleteConversation conversation ${channel}/c1`,
    `erasePerson person ${erasureId}`,
    `readmitPerson person ${erasureId}`,
    `deleteWorkspace workspace ${workspace}`,
    `deleteChannel channel ${channel}`,
    `updateOrganization organization ${tenant.organizationId}`,
    `deleteOrganization organization ${tenant.organizationId}`,
  ])
  expect(found[2]?.changes).toEqual({ name: 'Our page' })
  expect(found.at(-1)?.changes).toEqual({ name: 'Test' })
  await operatorCall(app, 404, 'GET', '/organizations/none/audit')
})

test('people, links and sessions leave entries of an organization or of the server, without tokens', async () => {
  const { organizationId } = tenant
  const invite = async (): Promise<{ id: string; token: string }> =>
    (await operator(201, 'POST', '/invitations', { body: { mail: 'new@example.com', role: 'EDITOR' } })).body
  const { id: revoked } = await invite()
  await operator(200, 'DELETE', `/invitations/${revoked}`)
  const { id: accepted, token } = await invite()
  const admin = await Member.create(app, { organizationId, role: 'ADMIN' })
  const body = { token, name: 'New', password: Member.PASSWORD }
  const { id } = (await admin.call(200, 'POST', '/invitation/accept', { body, headers: { cookie: '' } })).body.person
  const other = await Member.create(app, { organizationId, role: 'ADMIN' })
  await other.call(200, 'PATCH', `/organizations/${organizationId}/members/${id}`, { body: { role: 'VIEWER' } })
  await other.call(200, 'DELETE', `/organizations/${organizationId}/members/${id}`)
  expect((await entries()).map(({ actor, operation, target }) => [actor.id, operation, target.id])).toEqual([
    [undefined, 'createInvitation', revoked],
    [undefined, 'revokeInvitation', revoked],
    [undefined, 'createInvitation', accepted],
    [id, 'acceptInvitation', id],
    [other.id, 'updateMember', id],
    [other.id, 'removeMember', id],
  ])
  const own = (await other.call(200, 'GET', `/organizations/${organizationId}/audit`)).body as AuditPage
  expect(own.items.toReversed()).toEqual(await entries())

  await operatorCall(app, 201, 'POST', '/server/owner-invitation')
  const link = (await operatorCall(app, 201, 'POST', `/server/people/${id}/sign-in-link`)).body
  const person = await Member.create(app)
  await person.call(200, 'POST', '/sign-in/link', { body: { token: link.token, replace: true } })
  const password = { newPassword: 'other words of the tests' }
  await person.call(200, 'PUT', '/me/password', { body: password })
  const credentials = { mail: 'new@example.com', password: password.newPassword }
  const signIn = () => person.call(200, 'POST', '/sign-in', { body: credentials, headers: { cookie: '' } })
  await signIn()
  await person.call(200, 'POST', '/sign-out')
  const { session } = (await signIn()).body
  await person.call(200, 'DELETE', `/me/sessions/${session.id}`)
  await signIn()
  await person.call(200, 'DELETE', '/me/sessions')
  await operatorCall(app, 200, 'DELETE', `/server/people/${id}/sessions`)
  await operatorCall(app, 200, 'PATCH', `/server/people/${id}`, { body: { active: false } })
  const { items } = (await operatorCall(app, 200, 'GET', '/server/audit')).body as AuditPage
  const ofPerson = items.filter((entry) => entry.actor.id === id || entry.target.id === id).toReversed()
  expect(ofPerson.map(({ operation }) => operation)).toEqual([
    'createSignInLink',
    'signInByLink',
    'changePassword',
    'signIn',
    'signOut',
    'signIn',
    'endSession',
    'signIn',
    'signOutEverywhere',
    'endPersonSessions',
    'updatePerson',
  ])
  const all = JSON.stringify([items, own.items])
  for (const secret of [token, link.token, password.newPassword]) expect(all).not.toContain(secret)
})

test('the trail shows the current names of people and keys, including people who have left', async () => {
  const { organizationId } = tenant
  const leaver = await Member.create(app, { organizationId, role: 'ADMIN' })
  const reader = await Member.create(app, { organizationId, role: 'ADMIN' })
  const path = `/organizations/${organizationId}`
  const named = (await leaver.call(201, 'POST', `${path}/keys`, { body: { name: 'Warehouse' } })).body
  const id = (await tenant.withKey(named).call(201, 'POST', '/scheduled-posts', { body: {} })).body.id
  await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'By a key without a name' } })
  await leaver.call(200, 'PATCH', `${path}/scheduled-posts/${id}`, { body: { notes: 'By a person' } })
  await reader.call(200, 'DELETE', `${path}/members/${leaver.id}`)
  const { items } = (await reader.call(200, 'GET', `${path}/audit`)).body as AuditPage
  expect(items.map(({ actor }) => actor)).toEqual([
    { type: 'user', id: reader.id, name: `Person ${reader.id}` },
    { type: 'user', id: leaver.id, name: `Person ${leaver.id}` },
    key(),
    { type: 'key', id: named.id, name: 'Warehouse' },
    { type: 'user', id: leaver.id, name: `Person ${leaver.id}` },
  ])
  const viewer = await Member.create(app, { organizationId, role: 'VIEWER' })
  const history = (await viewer.call(200, 'GET', `${path}/scheduled-posts/${id}/history`)).body.items
  expect(history.map(({ actorName }: { actorName?: string }) => actorName)).toEqual([
    'Warehouse',
    undefined,
    `Person ${leaver.id}`,
  ])
})

test('the trail can be filtered by target and actor, a limited part at a time', async () => {
  const { organizationId } = tenant
  const admin = await Member.create(app, { organizationId, role: 'ADMIN' })
  const list = async (query: string): Promise<AuditPage> =>
    (await admin.call(200, 'GET', `/organizations/${organizationId}/audit?${query}`)).body
  await admin.call(201, 'POST', `/organizations/${organizationId}/workspaces`, { body: { name: 'A', type: 'VIP' } })
  await app.context.database.query(
    `insert into audit_trail (organization_id, at, actor_type, actor_id, operation, target_type, target_id)
     select $1, now(), 'key', $2, 'updateChannel', 'channel', 'c' || n from generate_series(1, 4500) n`,
    [organizationId, tenant.key.id],
  )
  expect((await list('targetType=channel&limit=3')).items.map(({ target }) => target.id)).toEqual([
    'c4500',
    'c4499',
    'c4498',
  ])
  let last: string | undefined
  for (const filter of ['targetType=workspace', `actor=user:${admin.id}`]) {
    const found: number[] = []
    let page = await list(filter)
    for (; page.mayHaveMore; page = await list(`${filter}&after=${page.nextCursor}`)) found.push(page.returned)
    expect([...found, page.returned]).toEqual([0, 0, 1])
    expect(page.items[0]).toMatchObject({ operation: 'createWorkspace', actor: { id: admin.id } })
    last = page.items[0]?.id
  }
  expect(last).toBeDefined()
  expect(await list(`actor=publisher&after=${last}`)).toMatchObject({ items: [], mayHaveMore: false, nextCursor: null })
  await admin.call(422, 'GET', `/organizations/${organizationId}/audit?targetType=nothing`)
})

test('the trail of a deleted organization can be filtered too, and an empty page in between does not end the list', async () => {
  const { organizationId } = tenant
  // Behind more entries than one filtered page examines.
  await operator(201, 'POST', '/workspaces', { body: { id: 'ws_first', name: 'First', type: 'VIP' } })
  await app.context.database.query(
    `insert into audit_trail (organization_id, at, actor_type, actor_id, operation, target_type, target_id)
     select $1, $2, 'operator', null, 'updateChannel', 'channel', 'FB_PAGE_' || i from generate_series(1, 2500) i`,
    [organizationId, new Date(app.clock.now())],
  )
  await operator(200, 'PATCH', '', { body: { active: false } })
  await operator(200, 'DELETE', '?name=Test')
  await operator(404, 'GET', '/workspaces')
  const found: string[] = []
  let empty = 0
  for (let after = ''; ; ) {
    const page = await audit(`?targetType=workspace${after}`)
    found.push(...page.items.map(({ operation, target }) => `${operation} ${target.id}`))
    if (page.returned === 0) empty += 1
    if (!page.mayHaveMore) break
    after = `&after=${page.nextCursor}`
  }
  expect(found).toEqual(['createWorkspace ws_first'])
  expect(empty).toBeGreaterThan(0)
  expect(await audit('?actor=user:usr_none')).toMatchObject({ returned: 0, mayHaveMore: true })
  await operatorCall(app, 404, 'GET', '/organizations/org_never/audit?targetType=workspace')
})

test('the trail of an organization that requires a second factor is closed to an owner without one, until it is deleted', async () => {
  const owner = await Member.create(app, { owner: true })
  await operator(200, 'PATCH', '', { body: { requireSecondFactor: true } })
  const path = `/organizations/${tenant.organizationId}/audit`
  const { headers } = await owner.call(403, 'GET', path)
  expect(headers['x-error-code']).toBe('second_factor_required')
  await audit()
  await operator(200, 'PATCH', '', { body: { active: false } })
  await operator(200, 'DELETE', '?name=Test')
  await owner.call(200, 'GET', path)
})

test('the trail of one target stays in order if the clocks of two nodes differ', async () => {
  const behind = await startOwnTestApp()
  const ahead = await startOwnTestApp()
  ahead.clock.advance(10_000)
  const path = `/organizations/${tenant.organizationId}`
  const { id } = (await operatorCall(ahead, 201, 'POST', `${path}/keys`)).body
  await operatorCall(behind, 200, 'DELETE', `${path}/keys/${id}`)
  await operatorCall(ahead, 200, 'PATCH', path, { body: { name: 'One' } })
  await operatorCall(behind, 200, 'PATCH', path, { body: { name: 'Two' } })
  const found = await entries()
  expect(found.map(({ operation }) => operation)).toEqual(['issueKey', 'revokeKey', 'updateOrganization'])
  expect(new Set(found.map(({ at }) => at))).toEqual(new Set([new Date(ahead.clock.now()).toISOString()]))
  expect(found[2]!.repeated).toMatchObject({ times: 1, until: found[2]!.at })
  // Entries do not wait for a clock that was a day ahead.
  ahead.clock.advance(86_400_000)
  const other = (await operatorCall(ahead, 201, 'POST', `${path}/keys`)).body.id
  await operatorCall(behind, 200, 'DELETE', `${path}/keys/${other}`)
  expect((await entries()).at(-1)!.at).toBe(new Date(behind.clock.now()).toISOString())
})

/** Makes a review link, decides with it, undoes a decision, revokes the link, and sends another one by email. */
async function decideByLink(approver: Member): Promise<void> {
  const page = await tenant.channel()
  const waiting = () => insertPost(tenant, { ...publishable(page), status: 'WAITING_FOR_APPROVAL' })
  const scheduledPostIds = [await waiting(), await waiting()]
  const anna = await Holder.of(approver, tenant.organizationId, scheduledPostIds)
  await anna.approve(1)
  await anna.call(200, 'POST', '/posts/1/undo-decision')
  await anna.giveBack(2)
  const links = `/organizations/${tenant.organizationId}/review-links`
  await approver.call(200, 'DELETE', `${links}/${anna.id}`)
  const mail = 'anna@agency.example'
  await operator(200, 'PATCH', '', { body: { reviewers: [mail] } })
  const mailing = await startTestApp({
    mail: { url: 'smtp://127.0.0.1:1', from: 'greenroom@example.com' },
    http: { publicUrl: 'https://greenroom.example' },
  })
  const sender = await Member.create(mailing, { organizationId: tenant.organizationId, role: 'EDITOR' })
  const body = { name: 'Anna', mail, scheduledPostIds: scheduledPostIds.slice(0, 1) }
  await sender.call(201, 'POST', `${links}/send`, { body })
}

/** Discusses a post, as the operator and with a link. */
async function discuss(approver: Member): Promise<void> {
  const waiting = await insertPost(tenant, { ...publishable(await tenant.channel()), status: 'WAITING_FOR_APPROVAL' })
  const discussion = `/scheduled-posts/${waiting}/discussion`
  const { body: message } = await operator(201, 'POST', discussion, { body: { text: 'Is the date right?' } })
  await operator(200, 'PATCH', `${discussion}/${message.id}`, { body: { text: 'Is this date right?' } })
  await operator(200, 'POST', `${discussion}/${message.id}/resolve`)
  await operator(200, 'POST', `${discussion}/${message.id}/reopen`)
  await operator(200, 'DELETE', `${discussion}/${message.id}`)
  const anna = await Holder.of(approver, tenant.organizationId, [waiting])
  const outside = '/posts/1/discussion'
  const { body: outsideMessage } = await anna.call(201, 'POST', outside, { body: { text: 'Which shop is it?' } })
  await anna.call(200, 'PATCH', `${outside}/${outsideMessage.id}`, { body: { text: 'Which shop?' } })
  await anna.call(200, 'DELETE', `${outside}/${outsideMessage.id}`)
}

/** Sets up what people use: slots, segments, marks, a calendar address, and their own post. */
async function setUpWork(): Promise<void> {
  const workspace = await tenant.workspace()
  const channel = await tenant.channel([workspace])
  await operator(200, 'PUT', `/channels/${channel}/posting-slots`, { body: { slots: [{ weekday: 1, time: '09:30' }] } })
  await tenant.conversations(channel, [{ id: 'marked' }])
  await operator(200, 'POST', `/workspaces/${workspace}/channels/${channel}/vips`, { body: { mark: ['marked'] } })
  const { body: segment } = await operator(201, 'POST', '/segments', { body: { name: 'A', conditions: { vip: true } } })
  await operator(200, 'PATCH', `/segments/${segment.id}`, { body: { name: 'B' } })
  await operator(200, 'DELETE', `/segments/${segment.id}`)
  const { body: key } = await operator(201, 'POST', '/keys', { body: { name: 'A' } })
  await operator(200, 'PATCH', `/keys/${key.id}`, { body: { name: 'B' } })
  const editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
  const at = `/organizations/${tenant.organizationId}`
  await editor.call(201, 'POST', `${at}/scheduled-posts`, { body: { channels: { [channel]: { caption: 'Hello' } } } })
  await editor.call(201, 'POST', `${at}/own-calendar-feed`)
  await editor.call(200, 'DELETE', `${at}/own-calendar-feed`)
}

/** Together, the tests have made every change. */
whenAllRan(async () => {
  const changing = new Set(
    SURFACES.flatMap((surface) => routesOf(surface, operations))
      .filter(({ operation, isOpen }) => operation.method !== 'GET' && isOpen)
      .map(({ operation }) =>
        operation.operationId.replace(/Earlier$/, '').replace(/^(create|update)OrganizationS/, '$1S'),
      ),
  )
  const { rows } = await app.context.database.query<{ operation: string }>(
    'select distinct operation from audit_trail where audit_id > $1',
    [lastBefore],
  )
  const seen = new Set(rows.map(({ operation }) => operation))
  // They concern the whole server and are tested on separate databases: master-keys.test.ts, backup/backup.test.ts.
  seen.add('rotateMasterKey').add('createBackup')
  // Its entry is written with the email: sessions/request-password-link.test.ts.
  seen.add('requestPasswordLink')
  // They only ask for a response and show the question: access/tokens/device-login.test.ts.
  seen.add('beginDeviceLogin').add('readDeviceLogin')
  // They only read.
  seen.add('readInvitation').add('readSignInLink').add('explainSuperpower')
  seen.add('checkPostMedia').add('checkMediaForReview')
  // Only the list of links shows when one was opened: posts/review-links/review-links.test.ts.
  seen.add('openReviewLink')
  // It stores something only in the browser; the call that finishes it needs a provider: sessions/oidc.test.ts.
  seen.add('beginOidcSignIn').add('finishOidcSignIn')
  // A person's account belongs to the server: sessions/own-preferences.test.ts, people/delete-person.test.ts.
  seen.add('setOwnPreferences').add('deletePerson')
  // Reading does not change the organization (docs/decisions/news.md).
  seen.add('markInboxRead')
  // They only store a challenge.
  seen.add('beginPasskeySignIn').add('beginPassPasskey').add('beginOwnPasskey').add('beginConfirmByPasskey')
  expect([...changing].filter((operation) => !seen.has(operation))).toEqual([])
})

/** Makes tokens by a person and by device logins, each ended in a different way. */
async function useTokens(): Promise<void> {
  const person = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
  const [own, calling, ended] = [
    await makeToken(person, { scopes: ['posts:read'] }),
    await makeToken(person, { scopes: ['posts:read'] }),
    await makeToken(person, { scopes: ['posts:read'] }),
  ]
  await person.call(200, 'DELETE', `/me/tokens/${own.id}`)
  await callWith(app, calling.token, 200, 'DELETE', '/me/token')
  await operatorCall(app, 200, 'DELETE', `/server/people/${person.id}/tokens/${ended.id}`)
  const ask = async () =>
    (await send(app.app, 201, 'POST', '/api/sign-in/device', { body: { name: 'A program' } })).body
  const [allowed, refused] = [await ask(), await ask()]
  const allow = { userCode: allowed.userCode, scopes: ['posts:read'] }
  await person.call(200, 'POST', '/me/device-login/allow', { body: allow })
  await send(app.app, 201, 'POST', '/api/sign-in/device/token', { body: { deviceCode: allowed.deviceCode } })
  await person.call(200, 'POST', '/me/device-login/refuse', { body: { userCode: refused.userCode } })
}

test('every other operation that changes something leaves an entry', async () => {
  await useTokens()
  const person = await Member.create(app)
  await useSecondFactors(person, 'https://greenroom.example')
  await operatorCall(app, 200, 'DELETE', `/server/people/${person.id}/second-factors`)
  const source = (await operator(201, 'POST', '/sources', { body: { type: 'EVENTS', name: 'App' } })).body.id
  await operator(200, 'PATCH', `/sources/${source}`, { body: { name: 'The app' } })
  await operator(201, 'POST', `/sources/${source}/rotate-secret`, { body: {} })
  await insertProblem(tenant, source, ['prb_audit_1', 'prb_audit_2'])
  await operator(200, 'POST', `/sources/${source}/problems/prb_audit_1/retry`)
  await operator(200, 'DELETE', `/sources/${source}/problems/prb_audit_2`)
  const linked = await tenant.channel()
  await operator(200, 'PUT', `/channels/${linked}/opt-outs/77`)
  await operator(200, 'DELETE', `/channels/${linked}/opt-outs/77`)
  const acting = [{ channelId: linked, caption: 'Hi', superpower: {} }]
  const out = await insertPost(tenant, { status: 'PUBLISHED', channels: acting })
  await operator(200, 'POST', `/scheduled-posts/${out}/superpowers/${linked}/stop`, { body: { reason: 'Over' } })
  await insertAutomationRows(app.context.database, [tenant.organizationId, out, linked])
  const redraw = `/scheduled-posts/${out}/raffles/${linked}/redraw`
  await operator(200, 'POST', redraw, { body: { rank: 1, reason: 'Away' } })
  await tenant.conversations(linked, [{ id: 'linked' }])
  await operator(200, 'POST', '/people/cu_linked/links', { body: { kind: 'shopify', id: '1001' } })
  await operator(200, 'DELETE', '/people/cu_linked/links/shopify/1001')
  const csv = { body: 'orderId,amount,currency,at\n', headers: { 'content-type': 'text/csv' } }
  await operator(200, 'POST', `/sources/${source}/purchases`, csv)
  await operator(200, 'DELETE', `/sources/${source}`)
  const channel = await tenant.channel()
  const post = await tenant.call(201, 'POST', '/scheduled-posts', {
    body: {
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: '2026-12-01T09:00:00Z',
      media: publishable(channel).media,
      channels: { [channel]: { caption: 'Hello' } },
    },
  })
  const path = `/scheduled-posts/${post.body.id}`
  await tenant.call(200, 'POST', `${path}/reject`, { body: { notes: 'No.' } })
  await tenant.call(200, 'POST', `${path}/submit-for-approval`)
  const { headers } = await tenant.get(200, path)
  await operator(200, 'POST', `${path}/approve`, { headers: { 'if-match': String(headers.etag) } })
  await tenant.call(200, 'POST', `${path}/revert`)
  const { body: file } = await operator(201, 'POST', '/media', {
    headers: { 'content-type': 'image/png' },
    body: png(10, 10),
  })
  await operator(200, 'PUT', `/media/${file.id}/small-picture`, {
    headers: { 'content-type': 'image/jpeg' },
    body: jpeg(10, 10),
  })
  await operator(200, 'DELETE', `/media/${file.id}`)
  const approver = await Member.create(app, {
    organizationId: tenant.organizationId,
    role: 'VIEWER',
    mayApprove: true,
  })
  const mistaken = await insertPost(tenant, { ...publishable(channel), status: 'WAITING_FOR_APPROVAL' })
  const waitingPath = `/organizations/${tenant.organizationId}/scheduled-posts/${mistaken}`
  const waits = (await approver.call(200, 'GET', waitingPath)).headers.etag
  const decided = await approver.call(200, 'POST', `${waitingPath}/approve`, { headers: { 'if-match': String(waits) } })
  const undo = { headers: { 'if-match': String(decided.headers.etag) } }
  await approver.call(200, 'POST', `${waitingPath}/undo-decision`, undo)
  await decideByLink(approver)
  await discuss(approver)
  await setUpWork()
  const { body: hook } = await operator(201, 'POST', '/webhooks', { body: { url: 'https://example.com/hook' } })
  const webhook = `/webhooks/${hook.id}`
  await operator(200, 'PATCH', webhook, { body: { events: ['post.failed'] } })
  await operator(201, 'POST', `${webhook}/secret`)
  const { body: sent } = await operator(201, 'POST', `${webhook}/test`)
  await operator(200, 'POST', `${webhook}/deliveries/${sent.id}/send`)
  await operator(200, 'DELETE', webhook)
  const own = `/organizations/${tenant.organizationId}/own-notifications`
  await approver.call(200, 'PUT', own, { body: { mails: false } })
  const text = (await operator(201, 'POST', '/saved-texts', { body: { kind: 'TEXT', name: 'A', text: 'B' } })).body.id
  await operator(200, 'PATCH', `/saved-texts/${text}`, { body: { name: 'C' } })
  await operator(200, 'DELETE', `/saved-texts/${text}`)
  await operator(200, 'POST', '/scheduled-posts/import', { body: { lines: [{ line: 2, channel, text: 'Hello' }] } })
  const repeating = await insertPost(tenant, publishable(channel))
  const series = await operator(201, 'POST', `/scheduled-posts/${repeating}/series`, {
    body: { frequency: 'DAILY', time: '10:00', from: '2026-12-01', count: 1 },
  })
  await operator(200, 'POST', `/post-series/${series.body.id}/stop`)
  const name = newId('trail').replace('_', '-')
  await operatorCall(app, 201, 'POST', '/server/operator-tokens', { body: { name } })
  await operatorCall(app, 200, 'DELETE', `/server/operator-tokens/${name}`)
  const failed = await insertPost(tenant, { ...publishable(channel), status: 'FAILED' })
  const body = { scheduledFor: '2026-12-01T09:00:00Z' }
  await operator(200, 'POST', `/scheduled-posts/${failed}/retry`, { body })
})
