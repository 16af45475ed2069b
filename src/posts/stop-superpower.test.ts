import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { code } from '../../test/people.js'
import { insertPost, moveAsPublisher, publishable } from '../../test/posts.js'
import type { AuditEntry } from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'

let app: TestApp
let tenant: Tenant
let page: string
let account: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  page = await tenant.channel()
  account = await tenant.channel([], 'INSTAGRAM_ACCOUNT')
})

const acting = (status: PostStatus = 'DRAFT'): Promise<string> =>
  insertPost(tenant, {
    ...publishable(),
    status,
    channels: [
      { channelId: page, caption: 'Hi', superpower: { hashtag: '#page' } },
      { channelId: account, caption: 'Hi', superpower: { hashtag: '#account' } },
    ],
  })
async function out(): Promise<string> {
  const id = await acting('SCHEDULED')
  await moveAsPublisher(tenant, id, 'claim')
  await moveAsPublisher(tenant, id, 'finish')
  return id
}
const pathOf = (id: string, channelId = page, { organizationId } = tenant) =>
  `/organizations/${organizationId}/scheduled-posts/${id}/superpowers/${channelId}/stop`
const stop = (status: number, id: string, channelId = page, body: unknown = { reason: 'Sold out' }): Promise<Reply> =>
  operatorCall(app, status, 'POST', pathOf(id, channelId), { body })
const report = async (id: string) => (await tenant.get(200, `/scheduled-posts/${id}/superpowers`)).body.items
const claim = (status: number, id: string, channelId: string, hashtag: string): Promise<Reply> =>
  tenant.call(status, 'PATCH', `/scheduled-posts/${id}`, {
    body: { channels: { [channelId]: { superpower: { hashtag } } } },
  })
const stopEvents = async () =>
  (
    await app.context.database.query<{ data: object }>(
      `select data from events where organization_id = $1 and type = 'superpower.stopped'`,
      [tenant.organizationId],
    )
  ).rows.map(({ data }) => data)

describe('a stopped superpower', () => {
  test('shows when and why it was stopped, only on its channel', async () => {
    const id = await out()
    const stoppedAt = new Date(app.clock.now()).toISOString()
    const { body } = await stop(200, id, page, { reason: 'Sold out' })
    expect(body).toEqual({ scheduledPostId: id, channelId: page, stoppedAt, reason: 'Sold out' })
    const stops = Object.fromEntries(
      (await report(id)).map((item: { channelId: string; stopped: unknown }) => [item.channelId, item.stopped]),
    )
    expect(stops).toEqual({ [page]: { at: stoppedAt, reason: 'Sold out' }, [account]: null })
  })

  test('keeps its first stop, which is reported once', async () => {
    const id = await out()
    const first = await stop(200, id)
    app.clock.advance(60_000)
    expect((await stop(200, id, page, { reason: 'Another reason' })).body).toEqual(first.body)
    expect(await stopEvents()).toEqual([{ scheduledPostId: id, channelId: page }])
    const { body } = await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/audit`)
    const told = (body.items as AuditEntry[]).filter(({ operation }) => operation === 'stopSuperpower')
    expect(told).toMatchObject([
      {
        ...{ actor: { type: 'operator' }, changes: { reason: 'Sold out' } },
        target: { type: 'superpower', id: `${id}/${page}` },
      },
    ])
  })

  test('is stopped once by ten simultaneous calls', async () => {
    const id = await out()
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => stop(200, id, page, { reason: `Reason ${index}` })),
    )
    expect(new Set(replies.map(({ body }) => body.reason)).size).toBe(1)
    expect(await stopEvents()).toHaveLength(1)
  })

  test('releases its hashtag, and no later change of its post claims it again', async () => {
    const id = await acting()
    const other = await insertPost(tenant)
    await claim(409, other, page, '#page')
    await stop(200, id)
    await claim(409, other, account, '#account')
    await claim(200, id, account, '#second')
    await claim(200, other, page, '#page')
    await claim(200, other, account, '#account')
    // It stays stopped, so its hashtag conflicts with nobody's.
    await claim(200, id, page, '#page')
    await claim(409, await insertPost(tenant), page, '#page')
  })

  test('can be stopped before its post is published', async () => {
    const id = await acting('SCHEDULED')
    await stop(200, id)
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finish')
    expect(await report(id)).toContainEqual(
      expect.objectContaining({ channelId: page, stopped: expect.objectContaining({ reason: 'Sold out' }) }),
    )
  })
})

describe('there is nothing to stop', () => {
  test.each([
    ['without a post', async () => ['post_none', page]],
    ['on another channel', async () => [await acting(), 'FB_PAGE_1']],
    [
      'on a channel without one',
      async () => [await insertPost(tenant, { channels: [{ channelId: page, caption: 'Hi' }] }), page],
    ],
    [
      'of a deleted post',
      async () => {
        const id = await acting()
        await tenant.call(200, 'DELETE', `/scheduled-posts/${id}`)
        return [id, page]
      },
    ],
  ] as const)('%s', async (_where, arrange) => {
    const [id, channelId] = await arrange()
    expect(code(await stop(404, id!, channelId))).toBe('post_not_found')
  })

  test("of another organization's post", async () => {
    const id = await out()
    const stranger = await Tenant.create(app)
    const body = { reason: 'Mine' }
    expect(code(await operatorCall(app, 404, 'POST', pathOf(id, page, stranger), { body }))).toBe('post_not_found')
    expect(await report(id)).toMatchObject([{ stopped: null }, { stopped: null }])
  })
})

test.each([
  [{}],
  [{ reason: '' }],
  [{ reason: ' Sold out' }],
  [{ reason: 'x'.repeat(501) }],
  [{ reason: 5 }],
])('a stop with %j is refused', async (body) => {
  expect((await stop(422, await acting(), page, body)).body.error[0].path).toEqual(['reason'])
})

test('an ADMIN can stop it, an EDITOR and an approver cannot, and a key has no such operation', async () => {
  const id = await out()
  const { organizationId } = tenant
  const body = { reason: 'Sold out' }
  for (const given of [{ role: 'EDITOR' }, { role: 'VIEWER', mayApprove: true }] as const) {
    const member = await Member.create(app, { organizationId, ...given })
    expect(code(await member.call(403, 'POST', pathOf(id), { body }))).toBe('permission_missing')
  }
  await tenant.call(404, 'POST', `/scheduled-posts/${id}/superpowers/${page}/stop`, { body })
  expect(await report(id)).toMatchObject([{ stopped: null }, { stopped: null }])
  const admin = await Member.create(app, { organizationId, role: 'ADMIN' })
  await admin.call(200, 'POST', pathOf(id), { body })
})
