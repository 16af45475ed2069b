import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AUTOMATION_TABLES, insertAutomationRows } from '../../test/automation-rows.js'
import {
  listOrganizations,
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  startTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { insertProblem, Sender } from '../../test/inbox.js'
import { insertPost } from '../../test/posts.js'
import { killedAt } from '../../test/test-database.js'
import { buildApp } from '../app.js'
import type { Database } from '../database/database.js'
import type { AuditEntry } from '../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

let tenant: Tenant
let workspaceId: string
let channelId: string
beforeEach(async () => {
  tenant = await Tenant.create(app)
  workspaceId = await tenant.workspace()
  channelId = await tenant.channel([workspaceId])
})

const path = (tail = '', of = tenant): string => `/organizations/${of.organizationId}${tail}`
const deactivate = () => operatorCall(app, 200, 'PATCH', path(), { body: { active: false } })
const remove = (status: number, name = 'Test', on = app): Promise<Reply> =>
  operatorCall(on, status, 'DELETE', path(`?name=${encodeURIComponent(name)}`))
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const listPath = (of: Tenant = tenant, workspace = workspaceId, channel = channelId): Promise<Reply> =>
  of.get(200, `/vip-users?workspaceId=${workspace}&mediumId=${channel}`)

/** Counts the organization's rows in each table with an organization_id. */
async function rowsLeft(organizationId: string): Promise<Record<string, number>> {
  const { database } = app.context
  const { rows: tables } = await database.query<{ table_name: string }>(
    `select table_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where column_name = 'organization_id' and table_type = 'BASE TABLE' and table_schema = 'public' order by 1`,
  )
  expect(tables.length).toBeGreaterThan(15)
  const counts: Record<string, number> = {}
  for (const { table_name: name } of tables) {
    const { rows } = await database.query(`select from ${name} where organization_id = $1`, [organizationId])
    if (rows.length > 0) counts[name] = rows.length
  }
  return counts
}

/** Fills the organization with rows in every table. */
async function fill(): Promise<void> {
  await tenant.conversations(
    channelId,
    Array.from({ length: 1_200 }, (_, n) => ({ id: `c${n}` })),
  )
  await tenant.markVips(workspaceId, channelId, ['c1', 'c2'])
  await operatorCall(app, 200, 'DELETE', path('/people/cu_c3'))
  await operatorCall(app, 201, 'POST', path('/superpowers'), { body: { name: 'Raffle', superpower: {} } })
  const account = { id: '5', name: 'Ads', currency: 'EUR', timezone: 'UTC' }
  await operatorCall(app, 201, 'POST', path('/ad-accounts'), { body: account })
  await tenant.call(201, 'POST', '/scheduled-posts', { body: {}, headers: { 'idempotency-key': 'once' } })
  for (const status of ['DRAFT', 'PUBLISHED'] as const) {
    const channels = [{ channelId, caption: 'Hello', superpower: { hashtag: `#${status}` } }]
    const postId = await insertPost(tenant, { status, media: 'https://cdn.example.com/a.jpg', channels })
    if (status === 'DRAFT') continue
    await insertAutomationRows(app.context.database, [tenant.organizationId, postId, channelId])
    const stop = path(`/scheduled-posts/${postId}/superpowers/${channelId}/stop`)
    await operatorCall(app, 200, 'POST', stop, { body: { reason: 'Over' } })
  }
  await operatorCall(app, 200, 'DELETE', path(`/channels/${await tenant.channel([workspaceId])}`))
  await fillIntake()
}

/** Fills every table of intake: people, purchases, comments, kept and waiting deliveries, problems. */
async function fillIntake(): Promise<void> {
  const at = new Date(app.clock.now()).toISOString()
  const event = { userId: 'cu_c1', timestamp: at }
  const bought = { order_id: '1', total: 10, currency: 'EUR' }
  const events = await Sender.create(app, 'EVENTS', { tenant })
  await events.track(
    { ...event, type: 'identify', anonymousId: 'a1', traits: { firstName: 'Ada' }, messageId: 'm1' },
    { ...event, type: 'track', event: 'Order Completed', properties: bought, messageId: 'm2' },
    { ...event, type: 'track', event: 'Order Refunded', properties: { order_id: '1', total: 4 }, messageId: 'm3' },
  )
  const inbox = await Sender.create(app, 'META', { tenant })
  const pageId = channelId.replace('FB_PAGE_', '')
  const comment = { item: 'comment', verb: 'add', comment_id: '5_6', post_id: '1_5', message: 'Hi', created_time: at }
  const message = { sender: { id: '77' }, recipient: { id: pageId }, timestamp: app.clock.now(), message: { mid: 'm' } }
  const entry = { id: pageId, messaging: [message], changes: [{ field: 'feed', value: comment }] }
  await inbox.send({ object: 'page', entry: [entry] })
  await inbox.apply()
  expect([await events.problems(), await inbox.problems()]).toEqual([[], []])
  await insertProblem(tenant, events.source.id, [`prb_${events.source.id}`])
  await events.send({ batch: [] })
  await operatorCall(app, 200, 'DELETE', path('/people/cu_c4'))
  await app.context.intake.activity.flush()
}

const INTAKE_TABLES = [
  ...[
    'body_erasures',
    'forgotten_ids',
    'inbox',
    'incoming_comments',
    'kept_deliveries',
    'live_audiences',
    'person_fields',
    'person_ids',
  ],
  ...['problems', 'purchases', 'refunds', 'source_activity', 'source_bytes', 'sources', 'wanted_profiles'],
]

describe('deleteOrganization', () => {
  test('needs a deactivated organization and its exact name', async () => {
    expect(codeOf(await remove(409))).toBe('organization_active')
    await deactivate()
    for (const name of ['test', 'Test ', 'Other']) expect(codeOf(await remove(400, name))).toBe('name_mismatch')
    await operatorCall(app, 422, 'DELETE', path())
    await operatorCall(app, 422, 'DELETE', path('?name='))
    expect(codeOf(await operatorCall(app, 404, 'DELETE', '/organizations/none?name=Test'))).toBe(
      'organization_not_found',
    )
    expect((await operatorCall(app, 200, 'GET', path('/workspaces'))).body).toHaveLength(1)
  })

  test('deletes everything except the trail, which stays readable, and its keys end at once', async () => {
    await fill()
    expect(Object.keys(await rowsLeft(tenant.organizationId))).toEqual(
      expect.arrayContaining([...INTAKE_TABLES, ...AUTOMATION_TABLES]),
    )
    const other = await Tenant.create(app)
    const theirs = await other.workspace()
    const theirChannel = await other.channel([theirs])
    await other.conversations(theirChannel, [{ id: 'c1' }])
    const before = await rowsLeft(other.organizationId)
    await listPath()
    await deactivate()
    expect(codeOf(await tenant.get(402, '/workspaces'))).toBe('organization_inactive')
    expect((await remove(200)).body).toEqual({
      ...{ id: tenant.organizationId, done: true, conversations: 1_199, posts: 3 },
    })
    expect(codeOf(await tenant.get(403, '/workspaces'))).toBe('signature_invalid')
    expect(Object.keys(await rowsLeft(tenant.organizationId))).toEqual(['audit_trail'])
    const trail: AuditEntry[] = (await operatorCall(app, 200, 'GET', path('/audit'))).body.items
    expect(trail[0]).toMatchObject({ operation: 'deleteOrganization', changes: { name: 'Test' } })
    expect(await rowsLeft(other.organizationId)).toEqual(before)
    await listPath(other, theirs, theirChannel)

    expect(codeOf(await remove(404))).toBe('organization_not_found')
    for (const tail of ['/workspaces', '/keys', '/channels']) await operatorCall(app, 404, 'GET', path(tail))
    const listed = await listOrganizations(app)
    expect(listed.map(({ id }) => id)).not.toContain(tenant.organizationId)
  })

  test('hides the organization from every caller if it is interrupted anywhere, and continues when repeated', async () => {
    await fill()
    await deactivate()
    let left = 0
    const database: Database = {
      ...app.context.database,
      async transaction(work) {
        if (left-- === 0) throw new Error('the process was killed')
        return app.context.database.transaction(work)
      },
    }
    const breaking = await buildApp({ ...app.context, database }, TEST_OPTIONS)
    let attempts = 0
    for (let transactions = 1; ; transactions++) {
      left = transactions
      const reply = await breaking.inject({
        method: 'DELETE',
        url: `/api${path('?name=Test')}`,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
      })
      if (reply.statusCode === 200) break
      expect(reply.statusCode).toBe(500)
      attempts += 1
      expect(codeOf(await tenant.get(403, '/workspaces'))).toBe('signature_invalid')
      expect(codeOf(await operatorCall(app, 404, 'PATCH', path(), { body: { active: true } }))).toBe(
        'organization_not_found',
      )
      expect(codeOf(await remove(400, 'Other'))).toBe('name_mismatch')
    }
    expect(attempts).toBeGreaterThan(2)
    expect(Object.keys(await rowsLeft(tenant.organizationId))).toEqual(['audit_trail'])
    const trail: AuditEntry[] = (await operatorCall(app, 200, 'GET', path('/audit'))).body.items
    expect(trail.filter(({ operation }) => operation === 'deleteOrganization')).toHaveLength(1)
  })
})

describe('deleteWorkspace', () => {
  test('deletes marks and connections at once, and keeps channels and conversations', async () => {
    const other = await tenant.workspace()
    await operatorCall(app, 200, 'PUT', path(`/workspaces/${other}/channels/${channelId}`))
    await tenant.conversations(channelId, [{ id: 'c1' }, { id: 'c2' }])
    await tenant.markVips(workspaceId, channelId, ['c1', 'c2'])
    await tenant.markVips(other, channelId, ['c1'])
    const { etag } = (await listPath()).headers
    const at = path(`/workspaces/${workspaceId}`)
    expect((await operatorCall(app, 200, 'DELETE', at)).body).toEqual({ id: workspaceId, done: true, vipMarks: 2 })
    const url = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`
    const gone = await tenant.get(404, url, { headers: { 'if-none-match': etag as string } })
    expect(codeOf(gone)).toBe('workspace_not_found')
    expect((await listPath(tenant, other)).body.total).toBe(1)
    expect((await tenant.get(200, '/workspaces')).body.map(({ id }: { id: string }) => id)).toEqual([other])
    expect(codeOf(await operatorCall(app, 404, 'DELETE', at))).toBe('workspace_not_found')
    await operatorCall(app, 404, 'PATCH', at, { body: { name: 'Again' } })
    const foreign = await Tenant.create(app)
    await operatorCall(app, 404, 'DELETE', path(`/workspaces/${other}`, foreign))
  })

  test('hides the workspace from every caller if it is interrupted, blocks its re-creation, and continues when repeated', async () => {
    const rows = Array.from({ length: 1_300 }, (_, n) => ({ id: `c${n}` }))
    await tenant.conversations(channelId, rows)
    await tenant.markVips(
      workspaceId,
      channelId,
      rows.map(({ id }) => id),
    )
    const database = killedAt(app.context.database, 3)
    const breaking = { ...app, app: await buildApp({ ...app.context, database }, TEST_OPTIONS) }
    const at = path(`/workspaces/${workspaceId}`)
    await operatorCall(breaking, 500, 'DELETE', at)
    const url = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`
    expect(codeOf(await tenant.get(404, url))).toBe('workspace_not_found')
    expect((await tenant.get(200, '/workspaces')).body).toEqual([])
    expect(codeOf(await operatorCall(app, 404, 'PUT', `${at}/channels/${channelId}`))).toBe('workspace_not_found')
    const again = { body: { id: workspaceId, name: 'Again', type: 'VIP' } }
    expect(codeOf(await operatorCall(app, 409, 'POST', path('/workspaces'), again))).toBe('being_deleted')
    expect((await operatorCall(app, 200, 'DELETE', at)).body).toMatchObject({ done: true })
    await operatorCall(app, 201, 'POST', path('/workspaces'), again)
    await operatorCall(app, 200, 'PUT', `${at}/channels/${channelId}`)
    expect((await listPath()).body.total).toBe(0)
  })

  test('causes no internal error during calls that mark and connect', async () => {
    await tenant.conversations(channelId, [{ id: 'c1' }])
    for (let round = 0; round < 2; round++) {
      const id = await tenant.workspace()
      await operatorCall(app, 200, 'PUT', path(`/workspaces/${id}/channels/${channelId}`))
      const second = await tenant.channel()
      const put = (tail: string) =>
        app.app.inject({
          method: 'PUT',
          url: `/api${path(`/workspaces/${id}${tail}`)}`,
          headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
        })
      const replies = await Promise.all([
        put(`/channels/${channelId}/vips/c1`),
        put(`/channels/${second}`),
        operatorCall(app, 200, 'DELETE', path(`/workspaces/${id}`)),
        put(`/channels/${channelId}/vips/c1`),
        put(`/channels/${second}`),
      ])
      for (const reply of replies) {
        if ('statusCode' in reply) expect([200, 400, 404]).toContain(reply.statusCode)
      }
    }
  })
})

describe('renaming', () => {
  test('a workspace, a channel and a superpower have their new names in every list', async () => {
    await operatorCall(app, 200, 'PATCH', path(`/workspaces/${workspaceId}`), { body: { name: 'Lyon' } })
    const channel = await operatorCall(app, 200, 'PATCH', path(`/channels/${channelId}`), {
      body: { name: 'Our page' },
    })
    expect(channel.body).toEqual({ id: channelId, type: 'FB_PAGE', name: 'Our page', status: 'not-connected' })
    expect((await tenant.get(200, '/workspaces')).body).toMatchObject([{ name: 'Lyon' }])
    expect((await tenant.get(200, '/channels')).body).toMatchObject([{ name: 'Our page' }])
    const both = { name: 'Both', accessToken: 'EAAB', check: false }
    expect((await operatorCall(app, 200, 'PATCH', path(`/channels/${channelId}`), { body: both })).body).toMatchObject({
      ...{ name: 'Both', status: 'connected' },
    })
    for (const body of [{}, { check: false }, { name: 'A', check: false }, { name: '' }, { name: 'x'.repeat(201) }]) {
      await operatorCall(app, 422, 'PATCH', path(`/channels/${channelId}`), { body })
    }
  })

  test('the copy of a superpower in a post keeps its old name, even after the superpower is deleted', async () => {
    const superpower = { hashtag: '#Raffle', active: true }
    const saved = (await operatorCall(app, 201, 'POST', path('/superpowers'), { body: { name: 'A', superpower } })).body
    const id = saved.creativeTemplateId
    const named = { channels: { [channelId]: { superpower: { creativeTemplateId: id } } } }
    const post = (await tenant.call(201, 'POST', '/scheduled-posts', { body: named })).body
    const renamed = await operatorCall(app, 200, 'PATCH', path(`/superpowers/${id}`), { body: { name: 'B' } })
    expect(renamed.body).toMatchObject({ name: 'B', active: true, superpower: { creativeTemplateName: 'B' } })
    await operatorCall(app, 422, 'PATCH', path(`/superpowers/${id}`), { body: {} })
    await operatorCall(app, 200, 'DELETE', path(`/superpowers/${id}`))
    expect((await tenant.get(200, '/superpowers')).body).toEqual([])
    expect((await operatorCall(app, 200, 'GET', path('/superpowers'))).body.items).toEqual([])
    const kept = (await tenant.get(200, `/scheduled-posts/${post.id}`)).body.mediumsData[channelId].superpower
    expect(kept).toMatchObject({ creativeTemplateName: 'A', hashtag: '#Raffle' })
    expect(codeOf(await tenant.call(400, 'POST', '/scheduled-posts', { body: named }))).toBe('superpower_unknown')
    for (const method of ['PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { body: { name: 'C' } } : {}
      expect(codeOf(await operatorCall(app, 404, method, path(`/superpowers/${id}`), body))).toBe(
        'superpower_not_found',
      )
    }
  })
})
