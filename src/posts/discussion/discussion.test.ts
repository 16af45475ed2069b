import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import type { DiscussionMessage, NewDiscussionMessage } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { findConcerned } from './discussion.store.js'

let app: TestApp
let tenant: Tenant
let post: string
let writer: Member
let other: Member
let admin: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00.000Z')
  tenant = await Tenant.create(app)
  ;[writer, other, admin] = [await person(), await person('EDITOR', true), await person('ADMIN')]
  post = await waiting()
})

const person = (role: 'VIEWER' | 'EDITOR' | 'ADMIN' = 'VIEWER', mayApprove = false): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
async function waiting(): Promise<string> {
  const channel = await tenant.channel([await tenant.workspace('STANDARD')])
  const scheduledFor = new Date('2026-12-01T09:00:00Z')
  return insertPost(tenant, { ...publishable(channel), status: 'WAITING_FOR_APPROVAL', scheduledFor })
}

const base = (of = tenant): string => `/organizations/${of.organizationId}/scheduled-posts`
const path = (rest = '', id = post): string => `${base()}/${id}/discussion${rest}`
const write = async (
  body: NewDiscussionMessage | string,
  by = writer,
  status = 201,
): Promise<DiscussionMessage & { message: string }> =>
  (await by.call(status, 'POST', path(), { body: typeof body === 'string' ? { text: body } : body })).body
const messages = async (by = writer): Promise<DiscussionMessage[]> => (await by.call(200, 'GET', path())).body.items
const history = async () => (await writer.call(200, 'GET', `${base()}/${post}/discussion-history`)).body.items
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const openMessages = async (by = writer): Promise<number> => {
  const { items } = (await by.call(200, 'GET', base())).body
  return items.find(({ id }: { id: string }) => id === post).openMessages
}

describe('a discussion', () => {
  test('is empty, then has messages of everyone who may read the post, in the order in which they were written', async () => {
    expect(await messages()).toEqual([])
    const first = await write('Is the date right? 🎉')
    app.clock.advance(1_000)
    const second = await write({ text: 'It is', replyTo: first.id }, other)
    // A reply to a reply belongs to the same thread.
    const third = await write({ text: 'Thank you', replyTo: second.id })
    const { body: byOperator } = await operatorCall(app, 201, 'POST', path(), { body: { text: 'From afar' } })
    expect(await messages(admin)).toEqual([first, second, third, byOperator])
    expect(first).toEqual({
      id: first.id,
      shared: false,
      author: { type: 'user', id: writer.id, name: `Person ${writer.id}` },
      text: 'Is the date right? 🎉',
      mentions: [],
      createdAt: '2026-11-20T09:00:00.000Z',
    })
    expect([second.text, second.replyTo, third.replyTo]).toEqual(['It is', first.id, first.id])
    expect(byOperator.author).toEqual({ type: 'operator' })
  })

  test('changes nothing of the post, not even its ETag, but notifies open pages', async () => {
    const etagOf = async () => (await writer.call(200, 'GET', `${base()}/${post}`)).headers.etag
    const revision = async () =>
      (await writer.call(200, 'GET', `/organizations/${tenant.organizationId}/revision`)).body.posts
    const [etag, before] = [await etagOf(), await revision()]
    const { id } = await write('Read this')
    const written = await revision()
    expect(written).not.toBe(before)
    app.clock.advance(1)
    await other.call(200, 'POST', path(`/${id}/resolve`))
    expect(await revision()).not.toBe(written)
    expect(await etagOf()).toBe(etag)
    expect((await tenant.get(200, `/scheduled-posts/${post}`)).body).not.toHaveProperty('openMessages')
    expect(JSON.stringify((await tenant.get(200, '/scheduled-posts')).body)).not.toContain('openMessages')
  })

  test('is counted in the list of posts by its unresolved threads', async () => {
    expect(await openMessages()).toBe(0)
    const { id } = await write('One')
    await write({ text: 'A reply starts no thread', replyTo: id })
    await write('Two', other)
    expect(await openMessages()).toBe(2)
    await other.call(200, 'POST', path(`/${id}/resolve`))
    expect(await openMessages()).toBe(1)
  })

  test('is read page by page, and a page of another post is not accepted', async () => {
    const texts = ['1', '2', '3']
    for (const text of texts) await write(text)
    const page = async (query: string, status = 200) => (await writer.call(status, 'GET', path(`?${query}`))).body
    const first = await page('limit=2')
    expect(first.items.map(({ text }: DiscussionMessage) => text)).toEqual(['1', '2'])
    const second = await page(`limit=2&after=${first.nextCursor}`)
    expect(second).toMatchObject({ items: [{ text: '3' }], nextCursor: null })
    post = await waiting()
    await page(`after=${first.nextCursor}`, 422)
  })

  test('of another organization, or of no post, does not exist', async () => {
    const { id } = await write('Ours')
    const stranger = await Tenant.create(app)
    const foreign = await Member.create(app, { organizationId: stranger.organizationId, role: 'ADMIN' })
    const at = `${base(stranger)}/${post}/discussion`
    expect(codeOf(await foreign.call(404, 'GET', at))).toBe('post_not_found')
    expect(codeOf(await foreign.call(404, 'POST', at, { body: { text: 'Hello' } }))).toBe('post_not_found')
    expect(codeOf(await foreign.call(404, 'POST', `${at}/${id}/resolve`))).toBe('post_not_found')
    expect(codeOf(await foreign.call(404, 'GET', `${base(stranger)}/${post}/discussion-history`))).toBe(
      'post_not_found',
    )
    expect(codeOf(await writer.call(404, 'GET', path('', 'post_none')))).toBe('post_not_found')
    // A message of another post is not found here.
    const another = await waiting()
    expect(codeOf(await writer.call(404, 'POST', path(`/${id}/resolve`, another)))).toBe('message_not_found')
  })

  test('is deleted with its post', async () => {
    await write('Soon gone')
    await other.call(200, 'DELETE', `${base()}/${post}`)
    expect(codeOf(await writer.call(404, 'GET', path()))).toBe('post_not_found')
    const { rows } = await app.context.database.query(
      'select from discussion_messages where organization_id = $1 and scheduled_post_id = $2',
      [tenant.organizationId, post],
    )
    expect(rows).toHaveLength(0)
    // The history of a deleted post stays.
    expect(await history()).toMatchObject([{ action: 'written' }])
  })

  test('of a post whose content was removed accepts no message, because nothing would remove it', async () => {
    const now = new Date(app.clock.now())
    const old = await insertPost(tenant, { status: 'PUBLISHED' })
    await app.context.database.query(
      `update scheduled_posts set content_removed_at = $3, media = null, media_type = null, notes = null
        where organization_id = $1 and scheduled_post_id = $2`,
      [tenant.organizationId, old, now],
    )
    expect(codeOf(await writer.call(400, 'POST', path('', old), { body: { text: 'Late' } }))).toBe('wrong_state')
  })
})

describe('limits', () => {
  test('a text has at most 2,000 characters and at least one visible one, and at most twenty mentions', async () => {
    await write('x'.repeat(2_000))
    for (const text of ['x'.repeat(2_001), '', ' \n ']) await write(text, writer, 422)
    await write({ text: 'x', mentions: Array.from({ length: 21 }, (_, n) => `usr_${n}`) }, writer, 422)
    await write({ text: 'x', mentions: [other.id, other.id] }, writer, 422)
    const { id } = await write('Thread')
    await write({ text: 'x', replyTo: id, shared: true }, writer, 422)
  })

  test('a post has at most 500 messages, even if two are written at once', async () => {
    const one = await write('One')
    await app.context.database.query(
      `insert into discussion_messages
       select organization_id, scheduled_post_id, 'msg_' || n, n + 1, reply_to, shared, author_type, author_id, outsider_name,
              link_of, text, mentions, created_at, changed_at
         from discussion_messages, generate_series(1, $3) n
        where organization_id = $1 and scheduled_post_id = $2 and message_id = $4`,
      [tenant.organizationId, post, limit('discussionMessages') - 2, one.id],
    )
    const at = `/api${path()}`
    const headers = (by: Member) => ({ cookie: by.cookie, 'sec-fetch-site': 'same-origin' })
    const [a, b] = await Promise.all(
      [writer, other].map((by) =>
        app.app.inject({ method: 'POST', url: at, headers: headers(by), payload: { text: 'The last' } }),
      ),
    )
    expect([a!.statusCode, b!.statusCode].toSorted()).toEqual([201, 409])
    expect([a, b].map((reply) => reply!.headers['x-error-code'])).toContain('discussion_full')
  })
})

describe('a message', () => {
  test('can be changed only by its author, and then says so', async () => {
    const { id } = await write('Dtae')
    const change = (status: number, by: Member, body: object) => by.call(status, 'PATCH', path(`/${id}`), { body })
    for (const by of [other, admin]) expect(codeOf(await change(403, by, { text: 'Mine' }))).toBe('message_not_yours')
    app.clock.advance(60_000)
    const { body } = await change(200, writer, { text: 'Date' })
    expect(body).toMatchObject({ text: 'Date', editedAt: '2026-11-20T09:01:00.000Z' })
    // The same text again is not a change.
    app.clock.advance(60_000)
    expect((await change(200, writer, { text: 'Date' })).body.editedAt).toBe('2026-11-20T09:01:00.000Z')
    expect((await history()).map(({ action }: { action: string }) => action)).toEqual(['written', 'edited'])
  })

  test('can be deleted by its author or an administrator, and nobody else', async () => {
    const [mine, yours] = [await write('Mine'), await write('Yours', other)]
    const remove = (status: number, by: Member, id: string) => by.call(status, 'DELETE', path(`/${id}`))
    expect(codeOf(await remove(403, writer, yours.id))).toBe('message_not_yours')
    expect((await remove(200, writer, mine.id)).body).toEqual({ id: mine.id, removed: true })
    expect((await remove(200, admin, yours.id)).body).toEqual({ id: yours.id, removed: true })
    expect(codeOf(await remove(404, admin, yours.id))).toBe('message_not_found')
    expect(await messages()).toEqual([])
    expect(await openMessages()).toBe(0)
  })

  test('with replies stays as deleted, without its text, until the last reply is deleted', async () => {
    const top = await write({ text: 'A secret', mentions: [other.id] })
    const [one, two] = [await write({ text: 'One', replyTo: top.id }), await write({ text: 'Two', replyTo: top.id })]
    const { body } = await writer.call(200, 'DELETE', path(`/${top.id}`))
    expect(body).toEqual({ id: top.id, removed: false })
    const [left, ...replies] = await messages()
    expect(left).toMatchObject({ id: top.id, text: '', mentions: [], deletedAt: '2026-11-20T09:00:00.000Z' })
    expect(replies.map(({ id }) => id)).toEqual([one.id, two.id])
    // It can no longer be changed, but its thread continues.
    await writer.call(404, 'PATCH', path(`/${top.id}`), { body: { text: 'Back' } })
    await other.call(200, 'POST', path(`/${top.id}/resolve`))
    await writer.call(200, 'DELETE', path(`/${one.id}`))
    expect(await messages()).toHaveLength(2)
    await writer.call(200, 'DELETE', path(`/${two.id}`))
    expect(await messages()).toEqual([])
    const { rows } = await app.context.database.query<{ text: string }>(
      `select changes::text as text from audit_trail where organization_id = $1 and target_type = 'discussion'`,
      [tenant.organizationId],
    )
    expect(rows.length).toBeGreaterThan(5)
    for (const { text } of rows) expect(text).not.toContain('secret')
  })

  test('mentions members by id, and their names remain after they have left', async () => {
    const message = await write({ text: 'For @someone', mentions: [other.id] })
    const mentions = [{ id: other.id, name: `Person ${other.id}` }]
    expect(message.mentions).toEqual(mentions)
    const elsewhere = await Member.create(app)
    for (const id of ['usr_none', elsewhere.id]) {
      const reply = await writer.call(400, 'POST', path(), { body: { text: 'x', mentions: [id] } })
      expect(codeOf(reply)).toBe('mention_unknown')
    }
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/members/${other.id}`)
    expect((await messages())[0]!.mentions).toEqual(mentions)
    await write({ text: 'x', mentions: [other.id] }, writer, 400)
    // An edit may keep them mentioned.
    const edit = { body: { text: 'Still for @someone', mentions: [other.id] } }
    expect((await writer.call(200, 'PATCH', path(`/${message.id}`), edit)).body.mentions).toEqual(mentions)
  })
})

describe('a thread', () => {
  test('can be resolved by anyone, once, reopened, and reopened by a reply', async () => {
    const { id } = await write('Done?')
    const reply = await write({ text: 'Nearly', replyTo: id })
    const first = (await other.call(200, 'POST', path(`/${reply.id}/resolve`))).body
    expect(first).toMatchObject({ id, resolvedAt: '2026-11-20T09:00:00.000Z', resolvedBy: { id: other.id } })
    app.clock.advance(1_000)
    expect((await admin.call(200, 'POST', path(`/${id}/resolve`))).body).toEqual(first)
    const { body: opened } = await writer.call(200, 'POST', path(`/${id}/reopen`))
    expect(opened).not.toHaveProperty('resolvedAt')
    expect((await writer.call(200, 'POST', path(`/${id}/reopen`))).body).toEqual(opened)
    await other.call(200, 'POST', path(`/${id}/resolve`))
    await write({ text: 'It is not', replyTo: id })
    expect((await messages())[0]).not.toHaveProperty('resolvedAt')
    expect((await history()).map(({ action }: { action: string }) => action)).toEqual([
      ...['written', 'written', 'resolved', 'reopened', 'resolved', 'written', 'reopened'],
    ])
  })

  test('is in the history with who did it, page by page, and each change is in the audit trail', async () => {
    const { id } = await write('One')
    await other.call(200, 'POST', path(`/${id}/resolve`))
    const at = `${base()}/${post}/discussion-history`
    const first = (await writer.call(200, 'GET', `${at}?limit=1`)).body
    expect(first.items).toMatchObject([
      { actor: { id: writer.id, name: `Person ${writer.id}` }, action: 'written', messageId: id, shared: false },
    ])
    const second = (await writer.call(200, 'GET', `${at}?limit=1&after=${first.nextCursor}`)).body
    expect(second).toMatchObject({ items: [{ actor: { id: other.id }, action: 'resolved' }], nextCursor: null })
    await writer.call(422, 'GET', `${at}?after=x`)
    const trail = (await admin.call(200, 'GET', `/organizations/${tenant.organizationId}/audit?targetType=discussion`))
      .body
    expect(trail.items.map(({ operation, target }: never) => [operation, target])).toEqual([
      ['resolveDiscussionMessage', { type: 'discussion', id: post }],
      ['createDiscussionMessage', { type: 'discussion', id: post }],
    ])
  })
})

describe('a person with a review link', () => {
  const makeLink = (name = 'Anna of the agency'): Promise<Holder> =>
    Holder.of(other, tenant.organizationId, [post], { name })

  test('never sees an internal message: not in the list, counts, history or mentions, nor by its id', async () => {
    const link = await makeLink()
    const internal = await write({ text: 'The client is difficult', mentions: [admin.id] })
    await write({ text: 'Very much so', replyTo: internal.id, mentions: [other.id] }, other)
    const shared = await write({ text: 'Is the date right?', shared: true, mentions: [other.id] })
    await write({ text: 'We think so', replyTo: shared.id }, other)
    const { body: list } = await link.call(200, 'GET', '/posts/1/discussion')
    expect(list).toEqual({
      items: [
        {
          ...{ id: shared.id, author: `Person ${writer.id}`, own: false, text: 'Is the date right?' },
          ...{ createdAt: '2026-11-20T09:00:00.000Z', edited: false, deleted: false, resolved: false },
        },
        expect.objectContaining({ text: 'We think so', replyTo: shared.id }),
      ],
      nextCursor: null,
    })
    const everything = [list, await link.posts()]
    // There would be one more page if internal messages counted.
    everything.push((await link.call(200, 'GET', '/posts/1/discussion?limit=2')).body)
    expect(everything.at(-1).nextCursor).toBeNull()
    const text = JSON.stringify(everything)
    for (const inside of ['difficult', 'Very much', internal.id, admin.id, 'mentions']) {
      expect(text).not.toContain(inside)
    }
    // An internal message looks exactly like one that does not exist.
    const replies = [internal.id, 'msg_none'].map((replyTo) =>
      link.call(404, 'POST', '/posts/1/discussion', { body: { text: 'x', replyTo } }),
    )
    const [real, none] = await Promise.all(replies)
    expect(real!.body).toEqual(none!.body)
    expect(await messages()).toHaveLength(4)
    // The history is only for members.
    await link.call(404, 'GET', '/posts/1/discussion-history')
  })

  test('writes under the name on the link, and their messages are shared', async () => {
    const link = await makeLink()
    const { body: message } = await link.call(201, 'POST', '/posts/1/discussion', {
      body: { text: 'Is this the logo?' },
    })
    expect(message).toMatchObject({ author: 'Anna of the agency', own: true, text: 'Is this the logo?' })
    await write({ text: 'It is the new one', replyTo: message.id })
    const press = await makeLink('Press')
    const { items } = (await press.call(200, 'GET', '/posts/1/discussion')).body
    expect(items).toMatchObject([
      { author: 'Anna of the agency', own: false },
      { author: `Person ${writer.id}`, replyTo: message.id },
    ])
    const author = { type: 'outsider', id: link.id, name: 'Anna of the agency', linkOf: `Person ${other.id}` }
    expect((await messages())[0]).toMatchObject({ shared: true, author })
    expect((await history())[0]).toMatchObject({ actor: author, action: 'written', shared: true })
    // Outsiders cannot mention members or make a message internal.
    for (const more of [{ mentions: [writer.id] }, { shared: false }]) {
      await link.call(422, 'POST', '/posts/1/discussion', { body: { text: 'x', ...more } })
    }
    // A decision ends the link; the message and the name stay.
    await link.giveBack(1, 'The logo is old')
    expect(codeOf(await link.call(401, 'POST', '/posts/1/discussion', { body: { text: 'Late' } }))).toBe(
      'link_token_wrong',
    )
    expect((await messages())[0]!.author).toEqual(author)
  })

  test('can write at most a hundred messages with one link', async () => {
    const [link, press] = [await makeLink(), await makeLink('Press')]
    await link.call(201, 'POST', '/posts/1/discussion', { body: { text: 'One' } })
    await app.context.database.query(
      `insert into discussion_messages
       select organization_id, scheduled_post_id, 'msg_' || n, n + 1, reply_to, shared, author_type, author_id, outsider_name,
              link_of, text, mentions, created_at, changed_at
         from discussion_messages, generate_series(1, $3) n where organization_id = $1 and scheduled_post_id = $2`,
      [tenant.organizationId, post, limit('discussionMessagesOfLink') - 1],
    )
    expect(codeOf(await link.call(409, 'POST', '/posts/1/discussion', { body: { text: 'More' } }))).toBe(
      'discussion_full',
    )
    await press.call(201, 'POST', '/posts/1/discussion', { body: { text: 'Ours' } })
  })
})

describe('a message notifies', () => {
  const concerned = (author: Member, mentioned: string[] = [], onlyMentioned = false): Promise<string[]> =>
    app.context.database.transaction((tx) =>
      findConcerned(
        tx,
        { organizationId: tenant.organizationId, scheduledPostId: post },
        { author: { type: 'user', id: author.id }, mentioned, onlyMentioned },
      ),
    )

  test('the mentioned people, the author of the post and earlier writers, but not its own author', async () => {
    post = (await other.call(201, 'POST', base(), { body: {} })).body.id
    expect(await concerned(writer)).toEqual([other.id])
    expect(await concerned(other)).toEqual([])
    await write('Hello')
    expect(await concerned(admin)).toEqual([writer.id, other.id].toSorted())
    expect(await concerned(writer, [admin.id, writer.id])).toEqual([admin.id, other.id].toSorted())
    expect(await concerned(writer, [admin.id], true)).toEqual([admin.id])
    // This person may no longer read the organization.
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/members/${other.id}`)
    expect(await concerned(admin)).toEqual([writer.id])
  })

  test('the person whose link it came through', async () => {
    const anna = await Holder.of(other, tenant.organizationId, [post])
    await anna.call(201, 'POST', '/posts/1/discussion', { body: { text: 'Hello' } })
    expect(await concerned(writer)).toEqual([other.id])
  })
})
