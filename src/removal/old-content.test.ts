import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Member, OPERATOR_TOKEN, operatorCall, Tenant } from '../../test/harness.js'
import { jpeg } from '../../test/media.js'
import { insertPost, publishable, wholeSuperpower } from '../../test/posts.js'
import { DAY_MS, type RetentionTest, startRetentionTest } from '../../test/retention.js'
import { killedAt } from '../../test/test-database.js'
import type { Database } from '../database/database.js'
import type { AuditEntry, Media } from '../interface/generated/types.js'

const codeOf = ({ headers }: { headers: Record<string, unknown> }): unknown => headers['x-error-code']

async function entriesOf(app: RetentionTest, organizationId: string, operation: string): Promise<AuditEntry[]> {
  const { body } = await operatorCall(app, 200, 'GET', `/organizations/${organizationId}/audit?limit=200`)
  return body.items.filter((entry: AuditEntry) => entry.operation === operation)
}

test('published and failed posts lose their content, and keep their times, channels and counts', async () => {
  const app = await startRetentionTest({ posts: 90 })
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const channelId = await tenant.channel()
  const insert = (status: 'PUBLISHED' | 'FAILED' | 'SCHEDULED' | 'DRAFT', days: number) => {
    const at = new Date(app.clock.now() - days * DAY_MS)
    return insertPost(tenant, {
      ...publishable(channelId),
      status,
      notes: 'Of the summer',
      scheduledFor: status === 'SCHEDULED' ? new Date(app.clock.now() + DAY_MS) : at,
      createdAt: at,
      channels: [{ channelId, caption: 'Summer', superpower: wholeSuperpower(`#Tag${status}${days}`) }],
    })
  }
  const gone = [await insert('PUBLISHED', 91), await insert('FAILED', 200)]
  const kept = [await insert('PUBLISHED', 89), await insert('SCHEDULED', 100), await insert('DRAFT', 100)]
  // A post that was due long ago and has failed only now, as after a retry.
  const late = await insert('FAILED', 91)
  kept.push(late)
  const set = (id: string, sql: string, value: unknown) =>
    app.context.database.query(
      `update scheduled_posts set ${sql} = $3 where organization_id = $1 and scheduled_post_id = $2`,
      [organizationId, id, value],
    )
  await set(late, 'updated_at', new Date(app.clock.now() - DAY_MS))
  // An approved and published post has more versions than the first.
  for (const id of gone) await set(id, 'version', 5)
  const read = (id: string) => tenant.get(200, `/scheduled-posts/${id}`)
  const before = new Map(await Promise.all([...gone, ...kept].map(async (id) => [id, await read(id)] as const)))
  const member = await Member.create(app, { organizationId, role: 'VIEWER' })
  const discussion = async (id: string) =>
    (await member.call(200, 'GET', `/organizations/${organizationId}/scheduled-posts/${id}/discussion`)).body.items
  for (const id of [gone[0]!, kept[0]!]) {
    const path = `/organizations/${organizationId}/scheduled-posts/${id}/discussion`
    await member.call(201, 'POST', path, { body: { text: 'Of the summer' } })
  }
  await app.run()
  expect(await discussion(gone[0]!)).toEqual([])
  expect(await discussion(kept[0]!)).toHaveLength(1)
  for (const id of kept) expect(await read(id)).toMatchObject({ body: before.get(id)!.body })
  for (const id of gone) {
    const was = before.get(id)!
    const { body, headers } = await read(id)
    expect(body).toEqual({
      ...{ id, orgId: organizationId, type: 'POST', status: was.body.status, scheduledFor: was.body.scheduledFor },
      mediumsData: { [channelId]: { mediumType: 'FB_PAGE', mediumName: 'A channel', failedToPublish: false } },
    })
    expect(headers.etag).not.toBe(was.headers.etag)
  }
  const { body: list } = await tenant.get(200, '/scheduled-posts')
  expect(list.map(({ id }: { id: string }) => id).toSorted()).toEqual([...gone, ...kept].toSorted())
  const entries = await entriesOf(app, organizationId, 'removePostContent')
  expect(entries.map(({ changes }) => changes)).toMatchObject([
    { status: 'FAILED', posts: 1 },
    { status: 'PUBLISHED', posts: 1 },
  ])
  // There is nothing left to publish, and no content can be added.
  const retry = `/organizations/${organizationId}/scheduled-posts/${gone[1]}/retry`
  const body = { scheduledFor: new Date(app.clock.now() + DAY_MS).toISOString() }
  expect(codeOf(await operatorCall(app, 400, 'POST', retry, { body }))).toBe('publish_check_failed')
  const change = (sql: string, id: string) => app.context.database.query(sql, [organizationId, id])
  for (const id of [gone[0]!, kept[0]!]) {
    await expect(
      change("update scheduled_posts set media = 'x' where organization_id = $1 and scheduled_post_id = $2", id),
    ).rejects.toThrow()
    await expect(
      change(
        "update scheduled_post_channels set caption = 'x' where organization_id = $1 and scheduled_post_id = $2",
        id,
      ),
    ).rejects.toThrow('cannot change')
  }
  await expect(
    change(
      'update scheduled_post_channels set caption = null where organization_id = $1 and scheduled_post_id = $2',
      kept[0]!,
    ),
  ).rejects.toThrow('cannot change')
  // Another round finds and writes nothing.
  app.clock.advance(DAY_MS / 2)
  await app.context.database.query('update housekeeping set next_at = $1', [new Date(0)])
  await app.run()
  expect(await entriesOf(app, organizationId, 'removePostContent')).toHaveLength(2)
})

test('the copy of the last review is removed with the content', async () => {
  const app = await startRetentionTest({ posts: 10 })
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const channelId = await tenant.channel()
  const path = `/organizations/${organizationId}/scheduled-posts`
  const { body } = await tenant.call(201, 'POST', '/scheduled-posts', {
    body: {
      status: 'WAITING_FOR_APPROVAL',
      media: 'https://cdn.example.com/a.jpg',
      scheduledFor: '2026-11-21T09:00:00Z',
      channels: { [channelId]: { caption: 'Hello' } },
    },
  })
  await operatorCall(app, 200, 'POST', `${path}/${body.id}/approve`, { headers: { 'if-match': '"1"' } })
  await app.context.database.query(
    "update scheduled_posts set status = 'PUBLISHED', task_id = null where organization_id = $1",
    [organizationId],
  )
  const reader = await Member.create(app, { organizationId, role: 'VIEWER' })
  const review = async () => (await reader.call(200, 'GET', `${path}/${body.id}/last-review`)).body.review
  expect(await review()).toMatchObject({ decision: 'approved' })
  app.clock.advance(12 * DAY_MS)
  await reader.signInAgain()
  await app.run()
  expect(await review()).toBeNull()
})

test('revoked keys are removed with an entry that names them, and are refused as before, and the others stay', async () => {
  const app = await startRetentionTest({ keys: 30 })
  const tenant = await Tenant.create(app)
  const path = `/organizations/${tenant.organizationId}/keys`
  const issue = async (name: string) => (await operatorCall(app, 201, 'POST', path, { body: { name } })).body
  const [old, recent, live] = [await issue('old'), await issue('recent'), await issue('live')]
  await tenant.withKey(old).get(200, '/channels')
  await operatorCall(app, 200, 'DELETE', `${path}/${old.id}`)
  app.clock.advance(29 * DAY_MS)
  await operatorCall(app, 200, 'DELETE', `${path}/${recent.id}`)
  app.clock.advance(DAY_MS + 1)
  const refused = await tenant.withKey(old).get(403, '/channels')
  await app.run()
  const { body: listed } = await operatorCall(app, 200, 'GET', path)
  const names = listed.map(({ name }: { name: string }) => name)
  expect(names.toSorted()).toEqual(['', 'live', 'recent'])
  const again = await tenant.withKey(old).get(403, '/channels')
  expect([again.body, codeOf(again)]).toEqual([refused.body, codeOf(refused)])
  await tenant.withKey(live).get(200, '/channels')
  expect(await entriesOf(app, tenant.organizationId, 'removeRevokedKeys')).toMatchObject([
    { actor: { type: 'operator' }, changes: { keys: { [old.id]: 'old' } } },
  ])
})

/** Uploads a file and returns its facts. */
async function upload(app: RetentionTest, organizationId: string, width: number): Promise<Media> {
  const response = await app.app.inject({
    method: 'POST',
    url: `/api/organizations/${organizationId}/media`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'image/jpeg' },
    payload: jpeg(width, 400),
  })
  expect(response.statusCode).toBe(201)
  return response.json()
}

const fileOf = (app: RetentionTest, organizationId: string, { url }: Media): string =>
  join(app.directory, 'media', organizationId, url.slice(url.lastIndexOf('/') + 1))

async function mediaIds(app: RetentionTest, organizationId: string): Promise<string[]> {
  const { body } = await operatorCall(app, 200, 'GET', `/organizations/${organizationId}/media?limit=200`)
  return body.items.map(({ id }: Media) => id).toSorted()
}

test('unused uploads are removed with their files, and those of a post, its review or a superpower stay', async () => {
  const app = await startRetentionTest({ media: 30 })
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const channelId = await tenant.channel()
  const uploads: Media[] = []
  for (let i = 0; i < 8; i++) uploads.push(await upload(app, organizationId, 400 + i))
  const [asMedia, inCaption, inSuperpower, inNotes, saved, underOtherUrl, ...unused] = uploads
  const small = [asMedia!, unused[0]!]
  for (const { id } of small) {
    const url = `/api/organizations/${organizationId}/media/${id}/small-picture`
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'image/jpeg' }
    const given = await app.app.inject({ method: 'PUT', url, headers, payload: jpeg(64, 64) })
    expect(given.statusCode).toBe(200)
  }
  const create = (body: object) => tenant.call(201, 'POST', '/scheduled-posts', { body })
  await create({ media: asMedia!.url })
  await create({ channels: { [channelId]: { caption: `See ${inCaption!.url}.` } } })
  const superpower = { ...wholeSuperpower('#One'), thumbnail: inSuperpower!.url }
  await create({ channels: { [channelId]: { superpower } } })
  await create({ notes: inNotes!.id })
  await operatorCall(app, 201, 'POST', `/organizations/${organizationId}/superpowers`, {
    body: { name: 'Saved', superpower: { ...wholeSuperpower('#Two'), thumbnail: saved!.url } },
  })
  await create({ media: underOtherUrl!.url.replace('greenroom.example', 'before.example') })
  app.clock.advance(30 * DAY_MS + 1)
  const young = await upload(app, organizationId, 500)
  await app.run()
  const kept = [asMedia!, inCaption!, inSuperpower!, inNotes!, saved!, underOtherUrl!, young]
  expect(await mediaIds(app, organizationId)).toEqual(kept.map(({ id }) => id).toSorted())
  for (const media of kept) expect(existsSync(fileOf(app, organizationId, media))).toBe(true)
  for (const media of unused) expect(existsSync(fileOf(app, organizationId, media))).toBe(false)
  expect(small.map((media) => existsSync(`${fileOf(app, organizationId, media)}.small.jpg`))).toEqual([true, false])
  const [entry] = await entriesOf(app, organizationId, 'removeUnusedMedia')
  const named = (entry!.changes!.media as Media[]).map(({ id }) => id)
  expect(named.toSorted()).toEqual(unused.map(({ id }) => id).toSorted())
})

test('one round removes more uploads than one statement reads', async () => {
  const app = await startRetentionTest({ media: 30 })
  const { organizationId } = await Tenant.create(app)
  for (let i = 0; i < 51; i++) await upload(app, organizationId, 400)
  app.clock.advance(30 * DAY_MS + 1)
  await app.run()
  expect(await mediaIds(app, organizationId)).toEqual([])
})

test('the files of removed content then count as unused', async () => {
  const app = await startRetentionTest({ posts: 60, media: 30 })
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const media = await upload(app, organizationId, 400)
  const channelId = await tenant.channel()
  const at = new Date(app.clock.now())
  await insertPost(tenant, {
    ...{ status: 'PUBLISHED', media: media.url, mediaType: 'IMAGE', scheduledFor: at, createdAt: at },
    channels: [{ channelId, caption: 'Summer' }],
  })
  app.clock.advance(59 * DAY_MS)
  await app.run()
  expect(await mediaIds(app, organizationId)).toEqual([media.id])
  app.clock.advance(2 * DAY_MS)
  await app.run()
  expect(await mediaIds(app, organizationId)).toEqual([])
})

test('a crash between the row and the file of an upload leaves nothing behind permanently', async () => {
  const app = await startRetentionTest({ media: 30 })
  const { organizationId } = await Tenant.create(app)
  const media = await upload(app, organizationId, 400)
  app.clock.advance(31 * DAY_MS)
  const { database } = app.context
  const killed: Database = {
    ...database,
    query: async (text, values) => {
      if (text.startsWith('select organization_id, media_id') && (await mediaIds(app, organizationId)).length === 0) {
        throw new Error('the process was killed')
      }
      return database.query(text, values) as never
    },
  }
  await app.run({ ...app.context, database: killed })
  expect([await mediaIds(app, organizationId), existsSync(fileOf(app, organizationId, media))]).toEqual([[], true])
  app.clock.advance(DAY_MS)
  await app.run()
  expect(existsSync(fileOf(app, organizationId, media))).toBe(false)
  // Before the transaction nothing has happened.
  const other = await upload(app, organizationId, 401)
  app.clock.advance(31 * DAY_MS)
  await app.run({ ...app.context, database: killedAt(database, 0) })
  expect([await mediaIds(app, organizationId), existsSync(fileOf(app, organizationId, other))]).toEqual([
    [other.id],
    true,
  ])
})

test('a draft that starts to use an upload during the search keeps it', async () => {
  const app = await startRetentionTest({ media: 30 })
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const media = await upload(app, organizationId, 400)
  app.clock.advance(31 * DAY_MS)
  const { database } = app.context
  let posts = 0
  const racing: Database = {
    ...database,
    // After all posts were read, and before the rows are locked.
    transaction: async (work) => {
      if (posts++ === 0) await tenant.call(201, 'POST', '/scheduled-posts', { body: { media: media.url } })
      return database.transaction(work)
    },
  }
  await app.run({ ...app.context, database: racing })
  expect([posts > 0, await mediaIds(app, organizationId)]).toEqual([true, [media.id]])
})
