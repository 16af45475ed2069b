import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { moveAsPublisher, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import { moveMembership } from '../../access/people/memberships.store.js'
import type { InboxEntry, Revision } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { addInboxEntries, type NewInboxEntry } from './inbox.store.js'

let app: TestApp
let tenant: Tenant
let channel: string
let writer: Member
let approver: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channel = await tenant.channel([await tenant.workspace('STANDARD')], 'FB_PAGE', 'Mercado')
  writer = await member('EDITOR')
  approver = await member('VIEWER', true)
})

const member = (role: 'VIEWER' | 'EDITOR' | 'ADMIN', mayApprove = false): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
const at = (rest: string, on = tenant): string => `/organizations/${on.organizationId}${rest}`
const content = (caption = 'Bread at eight 🥖', status = 'WAITING_FOR_APPROVAL') => ({
  status,
  scheduledFor: '2026-12-01T09:00:00Z',
  media: publishable(channel).media,
  channels: { [channel]: { caption } },
})
const write = async (by = writer, body = content()): Promise<string> =>
  (await by.call(201, 'POST', at('/scheduled-posts'), { body })).body.id
async function decide(status: number, by: Member, id: string, what: string, body?: object): Promise<Reply> {
  const { headers } = await by.call(200, 'GET', at(`/scheduled-posts/${id}`))
  const path = at(`/scheduled-posts/${id}/${what}`)
  return await by.call(status, 'POST', path, { body, headers: { 'if-match': String(headers.etag) } })
}
const returned = (id: string, by = approver, notes = 'The price is wrong') => decide(200, by, id, 'reject', { notes })
const approved = (id: string, by = approver) => decide(200, by, id, 'approve')

const inbox = async (of: Member, query = ''): Promise<InboxEntry[]> =>
  (await of.call(200, 'GET', at(`/inbox${query}`))).body.items
const kinds = async (of: Member): Promise<string[]> => (await inbox(of)).map(({ kind }) => kind)
const mark = async (of: Member, body: object, on = tenant): Promise<Reply['body']> =>
  (await of.call(200, 'POST', at('/inbox/read', on), { body })).body
const revision = async (of: Member): Promise<Revision> => (await of.call(200, 'GET', at('/revision'))).body
const add = (...entries: NewInboxEntry[]): Promise<void> =>
  app.context.database.transaction((tx) => addInboxEntries(tx, tenant.organizationId, entries))

describe('a writer', () => {
  test('learns that a post was returned, by whom, and why', async () => {
    const id = await write()
    await returned(id)
    expect(await inbox(writer)).toEqual([
      {
        id: expect.stringMatching(/^entry_/),
        kind: 'returned',
        at: expect.any(String),
        actor: `user:${approver.id}`,
        actorName: `Person ${approver.id}`,
        post: { id, text: 'Bread at eight 🥖', status: 'REJECTED', scheduledFor: '2026-12-01T09:00:00.000Z' },
        detail: { notes: 'The price is wrong' },
        isRead: false,
      },
    ])
    expect(await inbox(approver)).toEqual([])
    expect((await revision(writer)).unread).toBe(1)
  })

  test('learns that a post was approved, or that it failed, with the channel and the reason', async () => {
    const id = await write()
    await approved(id)
    app.clock.advance(1_000)
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finishWithFailure')
    const [failed, before] = await inbox(writer)
    expect(before).toMatchObject({ kind: 'approved', actor: `user:${approver.id}` })
    expect(failed).toMatchObject({
      kind: 'failed',
      actor: 'publisher',
      detail: { failures: [{ channelId: channel, reason: 'Refused' }] },
    })
    expect(failed).not.toHaveProperty('actorName')
  })

  test('sees published posts in the list but not in the count', async () => {
    const id = await write()
    await approved(id)
    const before = await revision(writer)
    app.clock.advance(1_000)
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finish')
    expect(await inbox(writer)).toMatchObject([{ kind: 'published', isRead: true }, { kind: 'approved' }])
    const after = await revision(writer)
    expect([before.unread, after.unread]).toEqual([1, 1])
    expect(after.inbox).not.toBe(before.inbox)
  })

  test('is anyone who made the post or asked for its approval, once each', async () => {
    const second = await member('EDITOR')
    const id = await write(writer, content('A', 'DRAFT'))
    await decide(200, second, id, 'submit-for-approval')
    await returned(id)
    expect([await kinds(writer), await kinds(second)]).toEqual([['returned'], ['returned']])
    await decide(200, writer, id, 'submit-for-approval')
    app.clock.advance(1_000)
    await approved(id)
    expect([await kinds(writer), await kinds(second)]).toEqual([['approved', 'returned'], ['returned']])
  })

  test('gets no entries about their own actions', async () => {
    const both = await member('EDITOR', true)
    await approved(await write(both), both)
    await returned(await write(both), both)
    expect(await inbox(both)).toEqual([])
  })

  test('does not exist for a post of a key, and an owner who is not a member gets no entry', async () => {
    const { body } = await tenant.call(201, 'POST', '/scheduled-posts', { body: content() })
    await returned(body.id)
    const owner = await Member.create(app, { owner: true })
    await returned(await write(owner))
    const { rows } = await app.context.database.query('select from inbox_entries where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toEqual([])
    expect(await inbox(owner)).toEqual([])
    expect(await mark(owner, { until: '2030-01-01T00:00:00Z' })).toEqual({ ids: [], unread: 0 })
  })

  test('sees the name of a reviewer who returned the post with a link', async () => {
    const id = await write()
    const anna = await Holder.of(approver, tenant.organizationId, [id], { name: 'Anna of the agency' })
    await anna.giveBack(1, 'No')
    expect(await inbox(writer)).toMatchObject([
      { kind: 'returned', actor: `outsider:${anna.id}`, detail: { notes: 'No', outsider: 'Anna of the agency' } },
    ])
  })

  test('no longer sees a decision that was undone, but still the one before', async () => {
    const id = await write()
    await returned(id, approver, 'First')
    await decide(200, writer, id, 'submit-for-approval')
    app.clock.advance(1_000)
    await approved(id)
    await decide(200, approver, id, 'undo-decision')
    expect(await inbox(writer)).toMatchObject([{ kind: 'returned', detail: { notes: 'First' } }])
  })
})

test('undoing a decision without an entry keeps earlier entries', async () => {
  const both = await member('EDITOR', true)
  const id = await write(both)
  await returned(id, approver, 'First')
  await decide(200, both, id, 'submit-for-approval')
  app.clock.advance(1_000)
  await approved(id, both)
  await decide(200, both, id, 'undo-decision')
  expect(await inbox(both)).toMatchObject([{ kind: 'returned', detail: { notes: 'First' } }])
})

describe('the inbox of a person', () => {
  test('cannot be read or marked by others, and is separate in each organization', async () => {
    const id = await write()
    await returned(id)
    const [entry] = await inbox(writer)
    const admin = await member('ADMIN', true)
    expect(await inbox(admin)).toEqual([])
    expect(await mark(admin, { ids: [entry!.id] })).toEqual({ ids: [], unread: 0 })
    expect(await mark(admin, { until: '2030-01-01T00:00:00Z' })).toEqual({ ids: [], unread: 0 })
    expect((await revision(admin)).unread).toBe(0)
    expect(await inbox(writer)).toEqual([entry])
    const other = await Tenant.create(app)
    await writer.call(404, 'GET', at('/inbox', other))
    await writer.call(404, 'POST', at('/inbox/read', other), { body: { ids: [entry!.id] } })
    expect((await inbox(writer))[0]!.isRead).toBe(false)
  })

  test('is paged, with cursors that work for no one else', async () => {
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.unshift(await write(writer, content(`Post ${i}`)))
      await returned(ids[0]!)
      app.clock.advance(1_000)
    }
    const seen: string[] = []
    let after = ''
    for (let pages = 0; pages < 3; pages++) {
      const { body } = await writer.call(200, 'GET', at(`/inbox?limit=2${after}`))
      seen.push(...body.items.map((entry: InboxEntry) => entry.post.id))
      after = `&after=${body.nextCursor}`
      expect(body.nextCursor === null).toBe(pages === 2)
      if (pages === 0) await approver.call(422, 'GET', at(`/inbox?limit=2${after}`))
    }
    expect(seen).toEqual(ids)
  })

  test('can be marked one by one, up to an instant, and as unread again', async () => {
    for (let i = 0; i < 3; i++) {
      await returned(await write())
      app.clock.advance(60_000)
    }
    const [newest, middle, oldest] = await inbox(writer)
    expect(await mark(writer, { ids: [newest!.id, newest!.id, 'entry_of_nothing'] })).toEqual({
      ids: [newest!.id],
      unread: 2,
    })
    expect(await mark(writer, { ids: [newest!.id] })).toEqual({ ids: [], unread: 2 })
    expect(await inbox(writer, '?unread=true')).toMatchObject([{ id: middle!.id }, { id: oldest!.id }])
    expect(await mark(writer, { until: oldest!.at })).toEqual({ ids: [oldest!.id], unread: 1 })
    const all = await mark(writer, { until: newest!.at })
    expect(all).toEqual({ ids: [middle!.id], unread: 0 })
    expect(await mark(writer, { ids: all.ids, read: false })).toEqual({ ids: [middle!.id], unread: 1 })
    expect(await inbox(writer)).toMatchObject([{ isRead: true }, { isRead: false }, { isRead: true }])
  })

  test.each([
    [{}],
    [{ ids: [] }],
    [{ ids: ['a'], until: '2026-12-01T09:00:00Z' }],
    [{ until: 'yesterday' }],
  ])('cannot be marked with %j', async (body) => {
    await writer.call(422, 'POST', at('/inbox/read'), { body })
  })

  test('keeps the latest entries and drops the oldest beyond its limit', async () => {
    const id = await write()
    const max = limit('inboxEntries')
    const news = (minute: number): NewInboxEntry => ({
      ...{ personId: writer.id, kind: 'replied', scheduledPostId: id, actor: { type: 'user', id: approver.id } },
      ...{ at: new Date(app.clock.now() + minute * 60_000), detail: { text: String(minute) } },
    })
    await add(...Array.from({ length: max }, (_, minute) => news(minute)))
    await add(news(max), news(max + 1))
    const { rows } = await app.context.database.query<{ text: string }>(
      `select detail ->> 'text' as text from inbox_entries where organization_id = $1 and person_id = $2 order by at`,
      [tenant.organizationId, writer.id],
    )
    expect([rows.length, rows[0]!.text, rows.at(-1)!.text]).toEqual([max, '2', String(max + 1)])
  })

  test('is deleted with the membership and with the post, and moves when accounts are merged', async () => {
    const [first, second] = [await write(), await write()]
    await returned(first)
    await returned(second)
    await decide(200, writer, first, 'submit-for-approval')
    await writer.call(200, 'DELETE', at(`/scheduled-posts/${first}`))
    expect(await inbox(writer)).toMatchObject([{ post: { id: second } }])
    const account = await Member.create(app)
    const { database } = app.context
    await database.transaction((tx) => moveMembership(tx, tenant.organizationId, { from: writer.id, to: account.id }))
    expect(await inbox(account)).toMatchObject([{ post: { id: second } }])
    // Entries for the earlier account go to the merged one.
    await database.query(
      'update people set merged_into = $2, active = false, password_hash = null where person_id = $1',
      [writer.id, account.id],
    )
    const news = { kind: 'mentioned', scheduledPostId: second, at: new Date(app.clock.now() + 1_000) } as const
    await add({ ...news, personId: writer.id, actor: { type: 'user', id: approver.id } })
    await add({ ...news, personId: writer.id, actor: { type: 'user', id: account.id } })
    expect(await kinds(account)).toEqual(['mentioned', 'returned'])
    await operatorCall(app, 200, 'DELETE', at(`/members/${account.id}`))
    const { rows } = await database.query('select from inbox_entries where person_id = $1', [account.id])
    expect(rows).toEqual([])
  })
})

describe('an open page', () => {
  test('notices news, and reading in another tab, by a value that no one else’s news changes', async () => {
    const before = await revision(writer)
    const other = await revision(approver)
    await returned(await write())
    const after = await revision(writer)
    expect(after.inbox).not.toBe(before.inbox)
    expect((await revision(approver)).inbox).toBe(other.inbox)
    await mark(writer, { until: '2030-01-01T00:00:00Z' })
    const read = await revision(writer)
    expect([read.unread, read.inbox === after.inbox]).toEqual([0, false])
    expect([read.other, read.posts]).toEqual([after.other, after.posts])
  })

  test('shows unresolved failures to people who can act on them', async () => {
    const viewer = await member('VIEWER')
    const { database } = app.context
    expect(await revision(writer)).toMatchObject({ failed: 0, refused: 0 })
    const id = await write()
    await approved(id)
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finishWithFailure')
    const page = await tenant.channel([], 'INSTAGRAM_ACCOUNT', 'Gone')
    await database.query(
      `update channels set access_token_sealed = 'x', token_problem = 'Revoked'
        where organization_id = $1 and channel_id = any($2::text[])`,
      [tenant.organizationId, [channel, page]],
    )
    expect(await revision(writer)).toMatchObject({ failed: 1, refused: 2 })
    expect(await revision(approver)).toMatchObject({ failed: 1, refused: 2 })
    const seen = await revision(viewer)
    expect([seen.failed, seen.refused]).toEqual([undefined, undefined])
    await decide(200, approver, id, 'retry', { scheduledFor: '2026-12-02T09:00:00Z' })
    await database.query('update channels set token_problem = null where organization_id = $1', [tenant.organizationId])
    expect(await revision(writer)).toMatchObject({ failed: 0, refused: 0 })
    // A post that failed longer ago does not count.
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finishWithFailure')
    expect(await revision(writer)).toMatchObject({ failed: 1 })
    await database.query(
      `update scheduled_posts set scheduled_for = '2026-10-01T09:00:00Z'
        where organization_id = $1 and scheduled_post_id = $2`,
      [tenant.organizationId, id],
    )
    expect(await revision(writer)).toMatchObject({ failed: 0 })
  })
})

describe('the list of posts that wait for me', () => {
  const waiting = async (of: Member): Promise<Reply['body']> => (await of.call(200, 'GET', at('/waiting-for-me'))).body

  test('has the posts that wait for approval, soonest first', async () => {
    expect(await waiting(approver)).toEqual({ items: [], count: 0, mayHaveMore: false })
    const late = await write(writer, { ...content('Late'), scheduledFor: '2027-12-01T09:00:00Z' })
    const soon = await write(writer, content('Soon'))
    await write(writer, content('Draft', 'DRAFT'))
    expect(await waiting(approver)).toMatchObject({
      items: [
        { id: soon, text: 'Soon', status: 'WAITING_FOR_APPROVAL', scheduledFor: '2026-12-01T09:00:00.000Z' },
        { id: late, text: 'Late' },
      ],
      count: 2,
      mayHaveMore: false,
    })
    await writer.call(403, 'GET', at('/waiting-for-me'))
  })

  test('leaves out posts that four eyes reserve for another person', async () => {
    const both = await member('EDITOR', true)
    const [own, others] = [await write(both), await write(writer)]
    await writer.call(200, 'PATCH', at(`/scheduled-posts/${own}`), { body: { notes: 'A note frees no writer' } })
    expect((await waiting(both)).count).toBe(2)
    await operatorCall(app, 200, 'PATCH', at(''), { body: { fourEyes: true } })
    expect(await waiting(both)).toMatchObject({ items: [{ id: others }], count: 1 })
    expect((await waiting(approver)).count).toBe(2)
    await both.call(200, 'PATCH', at(`/scheduled-posts/${others}`), {
      body: { channels: { [channel]: { caption: 'Changed by one who approves' } } },
    })
    expect((await waiting(both)).count).toBe(0)
  })
})

test('two decisions at once leave one entry', async () => {
  const id = await write()
  const { headers } = await approver.call(200, 'GET', at(`/scheduled-posts/${id}`))
  const options = { body: { notes: 'No' }, headers: { 'if-match': String(headers.etag) } }
  const path = `/api${at(`/scheduled-posts/${id}/reject`)}`
  const inject = () =>
    app.app.inject({
      method: 'POST',
      url: path,
      payload: options.body,
      headers: { ...options.headers, cookie: approver.cookie, 'sec-fetch-site': 'same-origin' },
    })
  const replies = await Promise.all([inject(), inject(), inject()])
  expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  expect(await kinds(writer)).toEqual(['returned'])
})

test('retention removes the entries about a post together with its content', async () => {
  const { removeContent } = await import('../../posts/content-removal.store.js')
  const id = await write()
  await returned(id)
  await decide(200, writer, id, 'submit-for-approval')
  await approved(id)
  await moveAsPublisher(tenant, id, 'claim')
  await moveAsPublisher(tenant, id, 'finish')
  const later = new Date(Date.parse('2027-12-01T00:00:00Z'))
  const { deleted } = await app.context.database.transaction((tx) =>
    removeContent(tx, tenant.organizationId, {
      status: 'PUBLISHED',
      before: later,
      now: later,
      limit: 9,
      after: undefined,
    }),
  )
  expect(deleted).toBe(1)
  expect(await inbox(writer)).toEqual([])
})
