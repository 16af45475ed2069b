import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import type { DiscussionMessage, ReviewMessage } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'

/** The discussions of the posts of a review link, and what outsiders can do with their own messages. */

let app: TestApp
let tenant: Tenant
let writer: Member
let maker: Member
let posts: string[]
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00.000Z')
  tenant = await Tenant.create(app)
  ;[writer, maker] = [await person(false), await person(true)]
  posts = [await waiting(), await waiting()]
})

const person = (mayApprove: boolean, role: 'VIEWER' | 'ADMIN' = 'VIEWER'): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
async function waiting(of = tenant): Promise<string> {
  const channel = await of.channel([await of.workspace('STANDARD')])
  const scheduledFor = new Date('2026-12-01T09:00:00Z')
  return insertPost(of, { ...publishable(channel), status: 'WAITING_FOR_APPROVAL', scheduledFor })
}

const base = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`
const inside = (rest = '', post = posts[0]!): string => base(`/scheduled-posts/${post}/discussion${rest}`)
const makeLink = (name = 'Anna', scheduledPostIds = posts): Promise<Holder> =>
  Holder.of(maker, tenant.organizationId, scheduledPostIds, { name })
const say = async (link: Holder, path: string, text: string, more: object = {}): Promise<ReviewMessage> =>
  (await link.call(201, 'POST', path, { body: { text, ...more } })).body
const read = async (link: Holder, path: string): Promise<ReviewMessage[]> =>
  (await link.call(200, 'GET', path)).body.items
const write = async (body: object, post = posts[0]!): Promise<DiscussionMessage> =>
  (await writer.call(201, 'POST', inside('', post), { body })).body
const messages = async (post = posts[0]!): Promise<DiscussionMessage[]> =>
  (await writer.call(200, 'GET', inside('', post))).body.items
const actions = async (): Promise<unknown[]> =>
  (await writer.call(200, 'GET', base(`/scheduled-posts/${posts[0]}/discussion-history`))).body.items.map(
    ({ action, actor }: { action: string; actor: { name: string } }) => [action, actor.name],
  )
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const FIRST = '/posts/1/discussion'
const SECOND = '/posts/2/discussion'

describe('the discussions of a link', () => {
  test('belong to each post, have only shared threads, and count the open ones on the card', async () => {
    const link = await makeLink()
    const internal = await write({ text: 'The client is difficult' })
    const shared = await write({ text: 'Is the date right?', shared: true })
    await write({ text: 'We think so', replyTo: shared.id, mentions: [maker.id] })
    await write({ text: 'Another post', shared: true }, posts[1])
    await write({ text: 'And more', shared: true }, posts[1])
    expect((await read(link, FIRST)).map(({ text }) => text)).toEqual(['Is the date right?', 'We think so'])
    expect((await read(link, SECOND)).map(({ text }) => text)).toEqual(['Another post', 'And more'])
    expect((await link.posts()).map(({ openMessages }) => openMessages)).toEqual([1, 2])
    await writer.call(200, 'POST', inside(`/${shared.id}/resolve`))
    expect((await link.posts()).map(({ openMessages }) => openMessages)).toEqual([0, 2])
    const everything = JSON.stringify([await link.posts(), await read(link, FIRST), await read(link, SECOND)])
    for (const secret of ['difficult', internal.id, maker.id, posts[0]!, 'mentions']) {
      expect(everything).not.toContain(secret)
    }
    // An internal message looks exactly like one that does not exist, and like one of another post.
    const elsewhere = await read(link, SECOND)
    const [one, none, other] = await Promise.all(
      [internal.id, 'msg_none', elsewhere[0]!.id].map((replyTo) =>
        link.call(404, 'POST', FIRST, { body: { text: 'x', replyTo } }),
      ),
    )
    expect(one!.body).toEqual(none!.body)
    expect(other!.body).toEqual(none!.body)
    await link.call(422, 'POST', FIRST, { body: { text: 'x', shared: false } })
  })

  test('accept messages and replies under the name on the link, which are news for the people concerned', async () => {
    const link = await makeLink('Anna of the agency')
    const shared = await write({ text: 'Is the date right?', shared: true })
    await writer.call(200, 'POST', inside(`/${shared.id}/resolve`))
    const reply = await say(link, FIRST, 'It is', { replyTo: shared.id })
    expect(reply).toMatchObject({ author: 'Anna of the agency', own: true, replyTo: shared.id })
    const [top, written] = await messages()
    expect(top).not.toHaveProperty('resolvedAt')
    const author = { type: 'outsider', id: link.id, name: 'Anna of the agency', linkOf: `Person ${maker.id}` }
    expect(written).toMatchObject({ shared: true, author })
    expect(await messages(posts[1])).toEqual([])
    const { items } = (await writer.call(200, 'GET', base('/inbox'))).body
    expect(items).toMatchObject([
      { kind: 'replied', post: { id: posts[0] }, detail: { outsider: 'Anna of the agency' } },
    ])
    expect((await actions()).slice(-2)).toEqual([
      ['written', 'Anna of the agency'],
      ['reopened', 'Anna of the agency'],
    ])
    const trail = (await operatorCall(app, 200, 'GET', base('/audit?limit=2'))).body.items
    expect(trail[1]).toMatchObject({ operation: 'createMessageForReview', actor: { type: 'outsider', id: link.id } })
  })

  test('are refused when a decision would be: decided, ended, deleted, and numbers without a post', async () => {
    posts.push(await waiting())
    const link = await makeLink()
    const [own] = [
      await say(link, FIRST, 'One'),
      await say(link, SECOND, 'Two'),
      await say(link, '/posts/3/discussion', 'x'),
    ]
    const refused = async (status: number, path: string, code: string): Promise<void> => {
      expect(codeOf(await link.call(status, 'GET', path))).toBe(code)
      expect(codeOf(await link.call(status, 'POST', path, { body: { text: 'Late' } }))).toBe(code)
      const message = `${path}/${own.id}`
      expect(codeOf(await link.call(status, 'PATCH', message, { body: { text: 'Late' } }))).toBe(code)
      expect(codeOf(await link.call(status, 'DELETE', message))).toBe(code)
    }
    await link.approve(1)
    await refused(400, FIRST, 'wrong_state')
    expect((await link.posts())[0]).not.toHaveProperty('openMessages')
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/reject`, { body: { notes: 'No' } })
    await refused(400, SECOND, 'wrong_state')
    await tenant.call(200, 'DELETE', `/scheduled-posts/${posts[2]}`)
    await refused(404, '/posts/3/discussion', 'post_not_found')
    for (const number of ['4', '0', '-1', posts[0]!])
      await refused(404, `/posts/${number}/discussion`, 'post_not_found')
    // The decision is undone, and the discussion continues.
    await link.call(200, 'POST', '/posts/1/undo-decision')
    expect(await read(link, FIRST)).toMatchObject([{ text: 'One', own: true }])
    await maker.call(200, 'DELETE', base(`/review-links/${link.id}`))
    await refused(401, FIRST, 'link_token_wrong')
    expect((await messages())[0]!.text).toBe('One')
  })

  test('belong to their links: another organization’s link has other posts', async () => {
    const link = await makeLink()
    const own = await say(link, FIRST, 'Ours')
    tenant = await Tenant.create(app)
    maker = await person(true)
    const theirs = await makeLink('Theirs', [await waiting()])
    expect(await read(theirs, FIRST)).toEqual([])
    await theirs.call(404, 'POST', FIRST, { body: { text: 'x', replyTo: own.id } })
    await theirs.call(404, 'PATCH', `${FIRST}/${own.id}`, { body: { text: 'x' } })
    await theirs.call(404, 'DELETE', `${FIRST}/${own.id}`)
    expect(await read(link, FIRST)).toMatchObject([{ text: 'Ours', edited: false }])
  })

  test('accept at most a hundred messages about a post', async () => {
    const link = await makeLink()
    await say(link, FIRST, 'One')
    await app.context.database.query(
      `insert into discussion_messages
       select organization_id, scheduled_post_id, 'msg_' || n, n + 1, reply_to, shared, author_type, author_id, outsider_name,
              link_of, text, mentions, created_at, changed_at
         from discussion_messages, generate_series(1, $3) n where organization_id = $1 and scheduled_post_id = $2`,
      [tenant.organizationId, posts[0], limit('discussionMessagesOfLink') - 1],
    )
    const reply = await link.call(409, 'POST', FIRST, { body: { text: 'More' } })
    expect(codeOf(reply)).toBe('discussion_full')
    await say(link, SECOND, 'Another post')
  })
})

describe('a person with a link', () => {
  test('can change their own message, which then says so, and no other', async () => {
    const [link, other] = [await makeLink(), await makeLink('Press')]
    const { id } = await say(link, FIRST, 'Dtae')
    const change = (status: number, by: Holder, which: string, body: object = { text: 'Date' }) =>
      by.call(status, 'PATCH', `${FIRST}/${which}`, { body })
    expect(codeOf(await change(403, other, id))).toBe('message_not_yours')
    const internal = await write({ text: 'Inside' })
    const shared = await write({ text: 'Shared', shared: true })
    expect((await change(404, link, internal.id)).body).toEqual((await change(404, link, 'msg_none')).body)
    expect(codeOf(await change(403, link, shared.id))).toBe('message_not_yours')
    for (const body of [{ text: ' ' }, {}, { text: 'x', mentions: [] }]) await change(422, link, id, body)
    app.clock.advance(60_000)
    const { body } = await change(200, link, id)
    expect(body).toMatchObject({ id, text: 'Date', own: true, edited: true })
    expect((await messages())[0]).toMatchObject({ text: 'Date', editedAt: '2026-11-20T09:01:00.000Z' })
    app.clock.advance(60_000)
    await change(200, link, id)
    expect(await actions()).toEqual([
      ['written', 'Anna'],
      ['written', `Person ${writer.id}`],
      ['written', `Person ${writer.id}`],
      ['edited', 'Anna'],
    ])
    const { items } = (await operatorCall(app, 200, 'GET', base('/audit?limit=1'))).body
    expect(items[0]).toMatchObject({
      operation: 'updateMessageForReview',
      actor: { type: 'outsider', id: link.id, name: 'Anna' },
    })
    expect(JSON.stringify(items)).not.toContain('Date')
    // A member cannot change it either.
    await writer.call(403, 'PATCH', inside(`/${id}`), { body: { text: 'Mine' } })
  })

  test('can delete their own message, which stays as deleted while it has replies', async () => {
    const [link, other] = [await makeLink(), await makeLink('Press')]
    const remove = (status: number, by: Holder, which: string) => by.call(status, 'DELETE', `${FIRST}/${which}`)
    const top = await say(link, FIRST, 'A secret')
    const reply = await say(other, FIRST, 'Why?', { replyTo: top.id })
    const internal = await write({ text: 'Inside' })
    expect(codeOf(await remove(403, other, top.id))).toBe('message_not_yours')
    expect(codeOf(await remove(403, link, reply.id))).toBe('message_not_yours')
    expect(codeOf(await remove(404, link, internal.id))).toBe('message_not_found')
    expect((await remove(200, link, top.id)).body).toEqual({ id: top.id, removed: false })
    expect((await read(link, FIRST))[0]).toMatchObject({ id: top.id, text: '', deleted: true })
    expect(codeOf(await remove(404, link, top.id))).toBe('message_not_found')
    await link.call(404, 'PATCH', `${FIRST}/${top.id}`, { body: { text: 'Back' } })
    expect((await remove(200, other, reply.id)).body).toEqual({ id: reply.id, removed: true })
    expect(await read(link, FIRST)).toEqual([])
    expect(await messages()).toMatchObject([{ id: internal.id }])
    const { items } = (await operatorCall(app, 200, 'GET', base('/audit?limit=2'))).body
    expect(items.map(({ operation }: { operation: string }) => operation)).toEqual([
      'deleteMessageForReview',
      'deleteMessageForReview',
    ])
    // An administrator can delete what outsiders wrote.
    const { id } = await say(link, FIRST, 'More')
    await (await person(false, 'ADMIN')).call(200, 'DELETE', inside(`/${id}`))
  })
})
