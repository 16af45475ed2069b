import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  startTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { Sender } from '../../test/inbox.js'
import { callAny, insertPost, operatorAny } from '../../test/posts.js'
import { startPublisherTest } from '../../test/publisher-harness.js'
import { killedAt } from '../../test/test-database.js'
import { buildApp } from '../app.js'
import { BATCH_ROWS } from '../audience/import/import-rows.js'
import type { Database } from '../database/database.js'
import type { AuditEntry, PostChange } from '../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

let tenant: Tenant
let workspaceId: string
let channelId: string
let otherId: string
beforeEach(async () => {
  tenant = await Tenant.create(app)
  workspaceId = await tenant.workspace()
  channelId = await tenant.channel([workspaceId])
  otherId = await tenant.channel([workspaceId], 'INSTAGRAM_ACCOUNT')
})

const path = (tail: string): string => `/organizations/${tenant.organizationId}${tail}`
const operator = (status: number, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', tail: string, body?: object) =>
  operatorCall(app, status, method, path(tail), body === undefined ? {} : { body })
const remove = (status: number, query = '', id = channelId): Promise<Reply> =>
  operator(status, 'DELETE', `/channels/${id}${query}`)
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const listPath = (id = channelId): string => `/vip-users?workspaceId=${workspaceId}&mediumId=${id}&scope=all`
const getPost = async (id: string) => (await tenant.get(200, `/scheduled-posts/${id}`)).body
const history = async (id: string): Promise<PostChange[]> =>
  (await operator(200, 'GET', `/scheduled-posts/${id}/history`)).body.items
const count = async (table: string): Promise<number> =>
  (
    await app.context.database.query(`select from ${table} where organization_id = $1 and channel_id = $2`, [
      tenant.organizationId,
      channelId,
    ])
  ).rows.length

const MEDIA = 'https://cdn.example.com/a.jpg'
const LATER = '2026-12-01T09:00:00.000Z'
const post = (status: 'DRAFT' | 'WAITING_FOR_APPROVAL' | 'SCHEDULED' | 'PUBLISHED' | 'FAILED', ids: string[]) =>
  insertPost(tenant, {
    status,
    media: MEDIA,
    mediaType: 'IMAGE',
    scheduledFor: new Date(LATER),
    channels: ids.map((id) => ({ channelId: id, caption: 'Hello' })),
  })

const HEARD = ['incoming_comments', 'wanted_profiles', 'channel_subscriptions']

/** A message and a comment arrive on the channel, which is subscribed to them. */
async function hearFromChannel(): Promise<void> {
  const inbox = await Sender.create(app, 'META', { tenant })
  const id = channelId.replace('FB_PAGE_', '')
  const at = app.clock.now()
  const comment = { item: 'comment', verb: 'add', comment_id: '5_6', post_id: '1_5', message: 'Hi', created_time: at }
  const messaging = [{ sender: { id: '77' }, recipient: { id }, timestamp: at, message: { mid: 'm' } }]
  await inbox.send({ object: 'page', entry: [{ id, messaging, changes: [{ field: 'feed', value: comment }] }] })
  await inbox.apply()
  await tenant.changeAudience(
    channelId,
    "insert into channel_subscriptions (organization_id, channel_id, source_id, state) values ($1, $2, $3, 'SUBSCRIBED')",
    [inbox.source.id],
  )
  for (const table of HEARD) expect(await count(table)).toBe(1)
}

describe('deleteChannel', () => {
  test('ends its lists at once, even for callers who have read them, and deletes all that belongs to it', async () => {
    await tenant.conversations(channelId, [{ id: 'c1' }, { id: 'c2' }])
    await tenant.conversations(otherId, [{ id: 'i1' }])
    await tenant.markVips(workspaceId, channelId, ['c1'])
    await hearFromChannel()
    const { etag } = (await tenant.get(200, listPath())).headers
    expect((await remove(200)).body).toEqual({
      ...{ id: channelId, done: true, conversations: 3, failedPosts: 0, publishingPosts: 0 },
    })
    const headers = { 'if-none-match': etag as string }
    expect(codeOf(await tenant.get(400, listPath(), { headers }))).toBe('channel_unknown')
    expect((await tenant.get(200, '/channels')).body.map(({ id }: { id: string }) => id)).toEqual([otherId])
    expect((await tenant.get(200, listPath(otherId))).body.total).toBe(1)
    for (const table of ['conversations', 'vip_marks', 'workspace_channels', 'audience_changes', ...HEARD]) {
      expect(await count(table)).toBe(0)
    }
    expect(codeOf(await remove(404))).toBe('channel_not_found')
    for (const [method, tail, body] of [
      ['PATCH', `/channels/${channelId}`, { name: 'Again' }],
      ['PATCH', `/channels/${channelId}`, { accessToken: 'EAAB', check: false }],
      ['PUT', `/workspaces/${workspaceId}/channels/${channelId}`, undefined],
      ['PUT', `/workspaces/${workspaceId}/channels/${channelId}/vips/c1`, undefined],
      ['DELETE', `/channels/${channelId}/conversations/c1`, undefined],
    ] as const) {
      expect(codeOf(await operator(404, method, tail, body))).toBe('channel_not_found')
    }
    expect(
      codeOf(await tenant.call(400, 'POST', '/scheduled-posts', { body: { channels: { [channelId]: {} } } })),
    ).toBe('channel_unknown')
  })

  test('lets the channel be created again: empty, not connected, and with another ETag of its list', async () => {
    await tenant.conversations(channelId, [{ id: 'c1' }])
    const { etag } = (await tenant.get(200, listPath())).headers
    await remove(200)
    const platformId = channelId.slice('FB_PAGE_'.length)
    const created = await operator(201, 'POST', '/channels', { type: 'FB_PAGE', platformId, name: 'Again' })
    expect(created.body).toEqual({ id: channelId, type: 'FB_PAGE', name: 'Again', status: 'not-connected' })
    expect(codeOf(await tenant.get(400, listPath()))).toBe('channel_not_connected')
    await operator(200, 'PUT', `/workspaces/${workspaceId}/channels/${channelId}`)
    const reply = await tenant.get(200, listPath(), { headers: { 'if-none-match': etag as string } })
    expect(reply.body.items).toEqual([])
    await remove(200)
  })

  test("is refused while posts are about to be published on it, and another organization's channel is unknown", async () => {
    const id = await post('SCHEDULED', [channelId, otherId])
    const reply = await remove(409)
    expect(codeOf(reply)).toBe('channel_in_use')
    expect(reply.body.message).toContain(`1 post is about to be published on this channel, such as ${id}`)
    await remove(409, '?force=false')
    await operator(422, 'DELETE', `/channels/${channelId}?force=yes`)
    await tenant.get(200, listPath())
    await tenant.call(200, 'POST', `/scheduled-posts/${id}/revert`)
    await remove(200)
    const other = await Tenant.create(app)
    await operatorCall(app, 404, 'DELETE', `/organizations/${other.organizationId}/channels/${otherId}`)
  })

  test('with force fails a post without another channel, with that reason and who caused it', async () => {
    const id = await post('SCHEDULED', [channelId])
    expect((await remove(200, '?force=true')).body).toMatchObject({ failedPosts: 1, publishingPosts: 0 })
    expect(await getPost(id)).toMatchObject({
      status: 'FAILED',
      mediumsData: { [channelId]: { mediumName: 'A channel', failedToPublish: true } },
    })
    expect((await history(id)).at(-1)).toMatchObject({
      actor: 'operator',
      action: 'failed',
      fromStatus: 'SCHEDULED',
      toStatus: 'FAILED',
      detail: { channels: { [channelId]: { state: 'FAILED', error: 'The channel was deleted.' } } },
    })
    const trail: AuditEntry[] = (await operator(200, 'GET', '/audit')).body.items
    expect(trail.slice(0, 2).map(({ operation }) => operation)).toEqual(['deleteChannel', 'deleteChannel'])
    // Nothing is left to retry.
    const retry = await operator(400, 'POST', `/scheduled-posts/${id}/retry`, { scheduledFor: LATER })
    expect(retry.body.message).toContain('a channel that is not deleted')
  })

  test('with force lets a post keep its approval and its other channels, and be rescheduled', async () => {
    const id = await post('SCHEDULED', [channelId, otherId])
    await remove(200, '?force=true')
    const kept = await getPost(id)
    expect(kept).toMatchObject({
      status: 'SCHEDULED',
      mediumsData: { [channelId]: { failedToPublish: true }, [otherId]: { failedToPublish: false } },
    })
    expect((await history(id)).at(-1)).toMatchObject({ version: 2, action: 'updated', toStatus: 'SCHEDULED' })
    const moved = { scheduledFor: '2026-12-02T09:00:00.000Z' }
    await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: moved })
    expect(await getPost(id)).toMatchObject({ ...moved, status: 'SCHEDULED' })
    // Deleting its last channel fails it.
    expect((await remove(200, '?force=true', otherId)).body).toMatchObject({ failedPosts: 1 })
    expect(await getPost(id)).toMatchObject({ status: 'FAILED' })
  })

  test('keeps unapproved posts, which need another channel and can drop the deleted one', async () => {
    const waiting = await post('WAITING_FOR_APPROVAL', [channelId, otherId])
    const published = await post('PUBLISHED', [channelId])
    await remove(200)
    const approve = await operatorCall(app, 400, 'POST', path(`/scheduled-posts/${waiting}/approve`), {
      headers: { 'if-match': '"1"' },
    })
    expect(approve.body.message).toContain(`another channel instead of ${channelId}, which was deleted`)
    const url = `/scheduled-posts/${waiting}`
    expect(
      codeOf(await tenant.call(400, 'PATCH', url, { body: { channels: { [channelId]: { caption: 'x' } } } })),
    ).toBe('channel_unknown')
    const { headers } = await tenant.call(200, 'PATCH', url, { body: { channels: { [channelId]: null } } })
    await operatorCall(app, 200, 'POST', path(`${url}/approve`), { headers: { 'if-match': headers.etag as string } })
    expect(Object.keys((await getPost(waiting)).mediumsData)).toEqual([otherId])
    // Published posts stay readable with the channel's name.
    expect(await getPost(published)).toMatchObject({
      status: 'PUBLISHED',
      mediumsData: { [channelId]: { mediumName: 'A channel' } },
    })
  })

  test('does not prevent a post from being published there once the channel is back and the post is approved again', async () => {
    const id = await post('SCHEDULED', [channelId, otherId])
    await remove(200, '?force=true')
    await tenant.call(200, 'POST', `/scheduled-posts/${id}/revert`)
    expect((await getPost(id)).mediumsData[channelId].failedToPublish).toBe(false)
    expect(codeOf(await tenant.call(400, 'POST', `/scheduled-posts/${id}/submit-for-approval`))).toBe(
      'publish_check_failed',
    )
    const platformId = channelId.slice('FB_PAGE_'.length)
    await operator(201, 'POST', '/channels', { type: 'FB_PAGE', platformId, name: 'Again' })
    const { headers } = await tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    await operatorCall(app, 200, 'POST', path(`/scheduled-posts/${id}/approve`), {
      headers: { 'if-match': headers.etag as string },
    })
    const { rows } = await app.context.database.query<{ state: string }>(
      'select state from publications where organization_id = $1 and scheduled_post_id = $2',
      [tenant.organizationId, id],
    )
    expect(rows).toEqual([{ state: 'PENDING' }])
  })

  test('either fails, or leaves no post scheduled by an approval at the same time', async () => {
    for (const [before, after] of [
      [0, 0],
      [1, 0],
      [0, 2],
    ] as const) {
      const id = await tenant.channel()
      const waiting = await post('WAITING_FOR_APPROVAL', [id])
      const wait = (turns: number) =>
        (async () => {
          for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        })()
      const approve = async () => {
        await wait(before)
        return operatorAny(tenant, 'POST', `/scheduled-posts/${waiting}/approve`, { headers: { 'if-match': '"1"' } })
      }
      const takeAway = async () => {
        await wait(after)
        return operatorAny(tenant, 'DELETE', `/channels/${id}`)
      }
      const [approved, deleted] = await Promise.all([approve(), takeAway()])
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([approved.status, deleted.status])
      expect((await getPost(waiting)).status).toBe(approved.status === 200 ? 'SCHEDULED' : 'WAITING_FOR_APPROVAL')
    }
  }, 120_000)

  test('causes no internal error and leaves nothing scheduled while posts on it are created, changed and retried', async () => {
    for (let round = 0; round < 2; round++) {
      const id = await tenant.channel()
      const failed = await post('FAILED', [id])
      const draft = await post('DRAFT', [otherId])
      const body = { status: 'WAITING_FOR_APPROVAL', media: MEDIA, scheduledFor: LATER }
      const channels = { [id]: { caption: 'Hello' } }
      const replies = await Promise.all([
        callAny(tenant, 'POST', '/scheduled-posts', { body: { ...body, channels } }),
        callAny(tenant, 'PATCH', `/scheduled-posts/${draft}`, { body: { channels } }),
        operatorAny(tenant, 'POST', `/scheduled-posts/${failed}/retry`, { body: { scheduledFor: LATER } }),
        operatorAny(tenant, 'DELETE', `/channels/${id}?force=true`),
      ])
      for (const { status } of replies) expect(status).toBeLessThan(500)
      expect(replies.at(-1)!.status).toBe(200)
      expect((await getPost(failed)).status).toBe('FAILED')
    }
  }, 120_000)

  test('leaves the channel empty at any point of an import, which succeeds or answers 404', async () => {
    const lines = Array.from(
      { length: 2.5 * BATCH_ROWS[app.context.database.engine] },
      (_, n) => `{"conversationId":"c${n}","cuid":"u${n}","vip":true}`,
    )
    const statuses = new Set<number>()
    let [stepsOfImport, steps, step, id] = [1, 0, 0, '']
    const thenDelete = async <T>(result: T): Promise<T> => {
      if (steps++ === step) expect((await operatorAny(tenant, 'DELETE', `/channels/${id}`)).body.done).toBe(true)
      return result
    }
    const { database } = app.context
    const watched: Database = {
      ...database,
      query: async (text, values) => thenDelete(await database.query(text, values)) as never,
      transaction: async (work) => thenDelete(await database.transaction(work)),
    }
    const other = await buildApp({ ...app.context, database: watched }, TEST_OPTIONS)
    for (; step < stepsOfImport; step++) {
      id = await tenant.channel([workspaceId])
      steps = 0
      const imported = await other.inject({
        method: 'POST',
        url: `/api${path(`/channels/${id}/conversations`)}?workspaceId=${workspaceId}`,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/x-ndjson' },
        body: lines.join('\n'),
      })
      statuses.add(imported.statusCode)
      if (imported.statusCode === 200) stepsOfImport = steps
      else stepsOfImport += 1
      const { rows } = await database.query(
        'select from conversations where organization_id = $1 and channel_id = $2',
        [tenant.organizationId, id],
      )
      expect(rows).toHaveLength(0)
    }
    expect(statuses).toEqual(new Set([404, 200]))
  }, 120_000)

  test('hides the channel from every caller if it is interrupted, blocks its re-creation, and continues when repeated', async () => {
    const rows = Array.from({ length: 1_300 }, (_, n) => ({ id: `c${n}` }))
    await tenant.conversations(channelId, rows)
    await tenant.markVips(
      workspaceId,
      channelId,
      rows.map(({ id }) => id),
    )
    // The first transaction marks the channel, and each of the next deletes a batch.
    const database = killedAt(app.context.database, 3)
    const other = await buildApp({ ...app.context, database }, TEST_OPTIONS)
    await operatorCall({ ...app, app: other }, 500, 'DELETE', path(`/channels/${channelId}`))
    const remaining = await count('conversations')
    expect(remaining).toBeGreaterThan(0)
    expect(remaining).toBeLessThan(1_300)
    expect(codeOf(await tenant.get(400, listPath()))).toBe('channel_unknown')
    const platformId = channelId.slice('FB_PAGE_'.length)
    const again = { type: 'FB_PAGE', platformId, name: 'Again' }
    expect(codeOf(await operator(409, 'POST', '/channels', again))).toBe('being_deleted')

    expect((await remove(200)).body).toMatchObject({ done: true, conversations: remaining })
    expect(await count('vip_marks')).toBe(0)
    await operator(201, 'POST', '/channels', again)
    const trail: AuditEntry[] = (await operator(200, 'GET', '/audit')).body.items
    expect(trail.filter(({ operation }) => operation === 'deleteChannel')).toHaveLength(1)
  })
})

describe('the publisher and a deleted channel', () => {
  test('publishes a post on the remaining channels, and fails it for the deleted one', async () => {
    const { tenant: own, ...publishing } = await startPublisherTest()
    const gone = await publishing.channel('FB_PAGE')
    const stays = await publishing.channel('FB_PAGE')
    const id = await publishing.post({
      status: 'SCHEDULED',
      channels: [gone, stays].map((channel) => ({ channelId: channel, caption: 'Hello' })),
    })
    const at = `/organizations/${own.organizationId}/channels/${gone}?force=true`
    expect((await operatorCall(publishing, 200, 'DELETE', at)).body).toMatchObject({ failedPosts: 1 })
    expect((await publishing.read(id)).status).toBe('SCHEDULED')
    await publishing.runToEnd()
    expect((await publishing.read(id)).status).toBe('FAILED')
    const publications = new Map((await publishing.publications(id)).map((row) => [row.channel_id, row]))
    expect(publications.get(gone)).toMatchObject({ state: 'FAILED', error: 'The channel was deleted.' })
    expect(publications.get(stays)).toMatchObject({ state: 'PUBLISHED' })
  })

  test('fails a post that was waiting for its next step there with that reason', async () => {
    const { tenant: own, ...publishing } = await startPublisherTest()
    const gone = await publishing.channel('FB_PAGE')
    const id = await publishing.post({ status: 'SCHEDULED', channels: [{ channelId: gone, caption: 'Hello' }] })
    await publishing.context.database.query(
      `update scheduled_posts set status = 'PUBLISHING', next_attempt_at = $3 where organization_id = $1 and scheduled_post_id = $2`,
      [own.organizationId, id, new Date(publishing.clock.now() + 3_600_000)],
    )
    await publishing.context.database.query(
      `insert into publications (organization_id, scheduled_post_id, channel_id, state, next_attempt_at)
       values ($1, $2, $3, 'PENDING', $4)`,
      [own.organizationId, id, gone, new Date(publishing.clock.now() + 3_600_000)],
    )
    const at = `/organizations/${own.organizationId}/channels/${gone}`
    await operatorCall(publishing, 409, 'DELETE', at)
    const forced = await operatorCall(publishing, 200, 'DELETE', `${at}?force=true`)
    expect(forced.body).toMatchObject({ failedPosts: 0, publishingPosts: 1 })
    await publishing.runToEnd()
    expect((await publishing.read(id)).status).toBe('FAILED')
    expect(await publishing.publications(id)).toMatchObject([{ state: 'FAILED', error: 'The channel was deleted.' }])
  })
})
