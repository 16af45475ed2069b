import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Member, operatorCall, type Reply, send, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { startMailServer } from '../../../test/mail-server.js'
import { insertPost, moveAsPublisher, publishable } from '../../../test/posts.js'
import { takeApp, takeEmptyApp } from '../../../test/test-app.js'
import type { AuditEntry, LinkedPost, ListedReviewLink, PostsForReview } from '../../interface/generated/types.js'
import { createNotifier } from '../../notifications/notifier.js'

let app: TestApp
let tenant: Tenant
let channel: string
let maker: Member
let posts: string[]
beforeEach(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
  channel = await tenant.channel([await tenant.workspace('STANDARD')], 'FB_PAGE', 'Mercado')
  maker = await person('VIEWER', true)
  posts = [await waiting('Bread'), await waiting('Wine'), await waiting('Cheese 🧀')]
})

const person = (role: 'VIEWER' | 'EDITOR' | 'ADMIN', mayApprove = false, on = app): Promise<Member> =>
  Member.create(on, { organizationId: tenant.organizationId, role, mayApprove })
const waiting = (caption: string, of = tenant, on = channel): Promise<string> =>
  insertPost(of, {
    ...publishable(on),
    status: 'WAITING_FOR_APPROVAL',
    notes: 'said inside',
    scheduledFor: new Date('2026-12-01T09:00:00Z'),
    channels: [{ channelId: on, caption }],
  })
const at = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`
const postPath = (id: string, rest = ''): string => at(`/scheduled-posts/${id}${rest}`)
const patchOrganization = (body: object): Promise<Reply> => operatorCall(app, 200, 'PATCH', at(''), { body })
const makeLink = async (body: object = {}, by = maker): Promise<{ id: string; token: string; path: string }> =>
  (await by.call(201, 'POST', at('/review-links'), { body: { name: 'Anna', scheduledPostIds: posts, ...body } })).body
const outside = (
  status: number,
  method: 'GET' | 'POST',
  rest: string,
  token: string,
  { body, etag }: { body?: unknown; etag?: string | undefined } = {},
): Promise<Reply> =>
  send(app.app, status, method, `/api/review${rest}`, {
    body,
    headers: { authorization: `Bearer ${token}`, ...(etag === undefined ? {} : { 'if-match': etag }) },
  })
const read = async (token: string): Promise<PostsForReview> => (await outside(200, 'GET', '/posts', token)).body
const numbered = async (token: string, number: number): Promise<LinkedPost> =>
  (await read(token)).posts.find((post) => post.number === number)!
const statesOf = async (token: string): Promise<string[]> => (await read(token)).posts.map(({ state }) => state)
const approve = async (token: string, number: number, status = 200): Promise<Reply> =>
  outside(status, 'POST', `/posts/${number}/approve`, token, { etag: (await numbered(token, number)).etag ?? '"x"' })
const giveBack = async (token: string, number: number, notes = 'Another picture'): Promise<Reply> => {
  const { etag } = await numbered(token, number)
  return outside(200, 'POST', `/posts/${number}/return`, token, { etag, body: { notes } })
}
const rewrite = (id: string, caption: string): Promise<Reply> =>
  tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { channels: { [channel]: { caption } } } })
const submit = (id: string): Promise<Reply> => tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
const listed = async (ended = false, by = maker): Promise<ListedReviewLink[]> =>
  (await by.call(200, 'GET', at(`/review-links?ended=${ended}`))).body.items
const statusOf = async (id: string): Promise<string> => (await maker.call(200, 'GET', postPath(id))).body.status
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

describe('a link to several posts', () => {
  test('shows these in their order, as the channels will, and nothing of what is inside', async () => {
    const other = await waiting('Not in it')
    const { token, path, id } = await makeLink({ scheduledPostIds: [posts[2], posts[0]] })
    expect(path).toBe(`/review#posts=${token}`)
    const body = await read(token)
    expect(body).toMatchObject({
      name: 'Anna',
      madeBy: `Person ${maker.id}`,
      organizationName: 'Test',
      timeZone: 'UTC',
    })
    const captions = body.posts.map(({ number, state, content }) => [number, state, content?.channels[0]?.caption])
    expect(captions).toEqual([
      [1, 'open', 'Cheese 🧀'],
      [2, 'open', 'Bread'],
    ])
    const text = JSON.stringify(body)
    const inside = ['said inside', 'Not in it', 'Wine', ...posts, other, tenant.organizationId, channel, id]
    for (const one of inside) expect(text).not.toContain(one)
  })

  test('is for these posts alone: another number, an id, and the way of a link to one post are 404', async () => {
    const { token } = await makeLink()
    for (const number of ['0', '4', '-1', '1e0', '01', posts[0]!, '99999999999999999999']) {
      const reply = await outside(404, 'POST', `/posts/${number}/approve`, token, { etag: '*' })
      expect(codeOf(reply)).toBe('post_not_found')
    }
    await outside(404, 'GET', '/post', token)
    await outside(404, 'POST', '/approve', token, { etag: '"1"' })
    const { body: one } = await maker.call(201, 'POST', postPath(posts[0]!, '/review-links'), { body: { name: 'Bea' } })
    await outside(404, 'GET', '/posts', one.token)
    await outside(404, 'POST', '/posts/1/approve', one.token, { etag: '"1"' })
  })

  test('is decided about one by one, by the version that was seen, under the name of the link', async () => {
    const { token, id } = await makeLink()
    const seen = await numbered(token, 1)
    expect(codeOf(await outside(428, 'POST', '/posts/1/approve', token))).toBe('precondition_required')
    await tenant.call(200, 'PATCH', `/scheduled-posts/${posts[0]}`, {
      body: { channels: { [channel]: { caption: 'A' } } },
    })
    expect(codeOf(await outside(412, 'POST', '/posts/1/approve', token, { etag: seen.etag }))).toBe('post_changed')
    await approve(token, 1)
    await giveBack(token, 2)
    expect(await statesOf(token)).toEqual(['approved', 'returned', 'open'])
    expect([await statusOf(posts[0]!), await statusOf(posts[1]!)]).toEqual(['SCHEDULED', 'REJECTED'])
    expect(codeOf(await outside(412, 'POST', '/posts/1/approve', token, { etag: seen.etag }))).toBe('post_changed')
    expect((await maker.call(200, 'GET', postPath(posts[1]!, '/history'))).body.items.at(-1)).toMatchObject({
      actor: `outsider:${id}`,
      action: 'rejected',
      detail: { notes: 'Another picture', outsider: { name: 'Anna', linkOf: `user:${maker.id}` } },
    })
    const { body } = await operatorCall(app, 200, 'GET', at('/audit?limit=1'))
    expect(body.items[0]).toMatchObject({ operation: 'returnPostForReview', actor: { type: 'outsider', name: 'Anna' } })
  })

  test('takes its own decision back, once, and no other', async () => {
    const { token } = await makeLink()
    await approve(token, 1)
    await giveBack(token, 2)
    expect((await read(token)).posts.map(({ mayUndo }) => mayUndo)).toEqual([true, true, false])
    await outside(200, 'POST', '/posts/1/undo-decision', token)
    await outside(200, 'POST', '/posts/2/undo-decision', token)
    expect(await statesOf(token)).toEqual(['open', 'open', 'open'])
    expect(codeOf(await outside(400, 'POST', '/posts/1/undo-decision', token))).toBe('wrong_state')
    await approve(token, 2)
    // The holder cannot take back a decision of a member.
    const { headers } = await maker.call(200, 'GET', postPath(posts[2]!))
    await maker.call(200, 'POST', postPath(posts[2]!, '/approve'), { headers: { 'if-match': String(headers.etag) } })
    expect(codeOf(await outside(400, 'POST', '/posts/3/undo-decision', token))).toBe('decision_not_yours')
    // Nor that of another link.
    posts = [posts[0]!]
    const other = await makeLink({ name: 'Bea' })
    await approve(other.token, 1)
    expect(codeOf(await outside(400, 'POST', '/posts/1/undo-decision', token))).toBe('decision_not_yours')
    await outside(200, 'POST', '/posts/1/undo-decision', other.token)
    // The place in the first link has ended, as a link to one post does.
    expect(await statesOf(token)).toEqual(['over', 'approved', 'over'])
  })

  test('keeps no approval to take back once the publisher has the post', async () => {
    const { token } = await makeLink()
    await approve(token, 1)
    await moveAsPublisher(tenant, posts[0]!, 'claim')
    expect((await numbered(token, 1)).mayUndo).toBe(false)
    expect(codeOf(await outside(400, 'POST', '/posts/1/undo-decision', token))).toBe('wrong_state')
  })

  test('is for one round: what was decided inside, and a draft after a return, is not shown and not decided', async () => {
    const { token } = await makeLink()
    await giveBack(token, 1)
    await rewrite(posts[0]!, 'A secret draft')
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/reject`, { body: { notes: 'No' } })
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/submit-for-approval`)
    await tenant.call(200, 'DELETE', `/scheduled-posts/${posts[2]}`)
    const { posts: shown } = await read(token)
    expect(shown).toEqual([
      { number: 1, state: 'returned', mayUndo: false },
      { number: 2, state: 'over', mayUndo: false },
    ])
    for (const number of [1, 2]) {
      const id = posts[number - 1]!
      const etag = String((await maker.call(200, 'GET', postPath(id))).headers.etag)
      expect(codeOf(await outside(400, 'POST', `/posts/${number}/approve`, token, { etag }))).toBe('wrong_state')
    }
    expect([await statusOf(posts[0]!), await statusOf(posts[1]!)]).toEqual(['REJECTED', 'WAITING_FOR_APPROVAL'])
    await outside(404, 'POST', '/posts/3/approve', token, { etag: '*' })
  })

  test('says of a post that was changed after its approval, and waits again, not that it is approved', async () => {
    const { token } = await makeLink()
    const other = await makeLink({ name: 'Bea' })
    await approve(token, 1)
    expect(await statesOf(token)).toEqual(['approved', 'open', 'open'])
    await rewrite(posts[0]!, 'Another text')
    expect(await statusOf(posts[0]!)).toBe('WAITING_FOR_APPROVAL')
    const over = { number: 1, state: 'over', mayUndo: false }
    expect([await numbered(token, 1), await numbered(other.token, 1)]).toEqual([over, over])
    // A member approves the other text.
    const path = postPath(posts[0]!)
    const etag = String((await maker.call(200, 'GET', path)).headers.etag)
    const approver = await person('ADMIN', true)
    await approver.call(200, 'POST', `${path}/approve`, { headers: { 'if-match': etag } })
    expect([await statusOf(posts[0]!), await numbered(token, 1)]).toEqual(['SCHEDULED', over])
  })

  test('shows a post that its holder returned again when it waits again, in the version that waits', async () => {
    const { token, id } = await makeLink()
    const other = await makeLink({ name: 'Bea' })
    const seen = await numbered(token, 1)
    expect(seen).not.toHaveProperty('isBack')
    await giveBack(token, 1)
    await rewrite(posts[0]!, 'With the other picture')
    await submit(posts[0]!)
    const back = await numbered(token, 1)
    expect(back).toMatchObject({ state: 'open', isBack: true, mayUndo: false })
    expect(back.content!.channels[0]!.caption).toBe('With the other picture')
    expect(codeOf(await outside(400, 'POST', '/posts/1/undo-decision', token))).toBe('wrong_state')
    // The other holder has not returned it: their place has ended.
    expect(await statesOf(other.token)).toEqual(['over', 'open', 'open'])
    expect(codeOf(await outside(412, 'POST', '/posts/1/approve', token, { etag: seen.etag }))).toBe('post_changed')
    await approve(token, 1)
    expect(await statusOf(posts[0]!)).toBe('SCHEDULED')
    const history = (await maker.call(200, 'GET', postPath(posts[0]!, '/history'))).body.items
    expect(history.at(-1)).toMatchObject({ actor: `outsider:${id}`, action: 'approved' })
    // A return that was taken back is no new version.
    await giveBack(token, 2)
    await outside(200, 'POST', '/posts/2/undo-decision', token)
    expect(await numbered(token, 2)).not.toHaveProperty('isBack')
    // A member who returns it ends the place.
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/reject`, { body: { notes: 'No' } })
    await submit(posts[1]!)
    expect(await statesOf(token)).toEqual(['approved', 'over', 'open'])
  })

  test('under four eyes shows it again too, and approves nothing that its maker wrote', async () => {
    await patchOrganization({ fourEyes: true })
    const writer = await person('EDITOR', true)
    const { token } = await makeLink({}, writer)
    await giveBack(token, 1)
    await writer.call(200, 'PATCH', postPath(posts[0]!), { body: { channels: { [channel]: { caption: 'Mine now' } } } })
    await writer.call(200, 'POST', postPath(posts[0]!, '/submit-for-approval'))
    expect((await numbered(token, 1)).isBack).toBe(true)
    expect(codeOf(await approve(token, 1, 403))).toBe('own_post')
  })

  test('goes with its organization, also once it has ended', async () => {
    await makeLink()
    const { id } = await makeLink({ name: 'Bea' })
    await maker.call(200, 'DELETE', at(`/review-links/${id}`))
    await patchOrganization({ active: false })
    expect((await operatorCall(app, 200, 'DELETE', at('?name=Test'))).body).toMatchObject({ done: true, posts: 3 })
  })

  test('that has ended shows nothing again', async () => {
    const revoked = await makeLink()
    await giveBack(revoked.token, 1)
    await maker.call(200, 'DELETE', at(`/review-links/${revoked.id}`))
    await submit(posts[0]!)
    await outside(401, 'GET', '/posts', revoked.token)
    expect((await listed(true))[0]).toMatchObject({ id: revoked.id, decided: 1, ended: { why: 'revoked' } })
  })

  test('of two decisions at the same instant one holds', async () => {
    const [one, two] = [await makeLink(), await makeLink({ name: 'Bea' })]
    const { etag } = await numbered(one.token, 1)
    const answers = await Promise.all(
      [one, two, one, two].map(({ token }) =>
        app.app.inject({
          method: 'POST',
          url: '/api/review/posts/1/approve',
          headers: { authorization: `Bearer ${token}`, 'if-match': etag! },
        }),
      ),
    )
    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const status of statuses) expect([200, 400, 412]).toContain(status)
  })

  test('is read at no cost while nothing changes, and says when its holder opened it', async () => {
    const { token, id } = await makeLink()
    const listed = async () =>
      (await maker.call(200, 'GET', at('/review-links'))).body.items.find((link: { id: string }) => link.id === id)
    expect(await listed()).toMatchObject({ name: 'Anna', posts: 3, decided: 0 })
    expect(await listed()).not.toHaveProperty('openedAt')
    const { headers } = await outside(200, 'GET', '/posts', token)
    const again = () =>
      app.app.inject({
        url: '/api/review/posts',
        headers: { authorization: `Bearer ${token}`, 'if-none-match': String(headers.etag) },
      })
    expect((await again()).statusCode).toBe(304)
    expect((await outside(200, 'GET', '/link', token)).body).toEqual({
      ...{ name: 'Anna', madeBy: expect.any(String), organizationName: expect.any(String) },
      ...{ timeZone: 'UTC', expiresAt: expect.any(String) },
    })
    // A program that opens the links of a mail reads its page as well.
    expect(await listed()).not.toHaveProperty('openedAt')
    await outside(200, 'POST', '/open', token)
    expect((await listed()).openedAt).toBe(new Date(app.clock.now()).toISOString())
    await approve(token, 2)
    expect((await again()).statusCode).toBe(200)
    expect((await listed()).decided).toBe(1)
  })

  test('ends at its time, when it is revoked, and with the right of its maker', async () => {
    const short = await makeLink({ expiresAt: new Date(app.clock.now() + 1_000).toISOString() })
    const revoked = await makeLink()
    const lost = await makeLink()
    app.clock.advance(1_000)
    await outside(401, 'GET', '/posts', short.token)
    await maker.call(200, 'DELETE', at(`/review-links/${revoked.id}`))
    await maker.call(404, 'DELETE', at(`/review-links/${revoked.id}`))
    await outside(401, 'POST', '/posts/1/approve', revoked.token, { etag: '*' })
    await operatorCall(app, 200, 'PATCH', at(`/members/${maker.id}`), { body: { mayApprove: false } })
    await outside(401, 'GET', '/posts', lost.token)
    const { items } = (await operatorCall(app, 200, 'GET', at('/audit'))).body as { items: AuditEntry[] }
    const ended = items.filter(({ operation }) => operation === 'revokeOrganizationReviewLink')
    expect(ended.map(({ target }) => target.id)).toEqual([lost.id, revoked.id])
  })
})

describe('making a link to several posts', () => {
  const make = (status: number, body: object, by = maker): Promise<Reply> =>
    by.call(status, 'POST', at('/review-links'), { body: { name: 'Anna', scheduledPostIds: posts, ...body } })

  test('takes the right to approve, and posts of the organization that wait', async () => {
    expect(codeOf(await make(403, {}, await person('EDITOR')))).toBe('permission_missing')
    const draft = await insertPost(tenant, { status: 'DRAFT' })
    expect(codeOf(await make(400, { scheduledPostIds: [posts[0], draft] }))).toBe('wrong_state')
    const stranger = await Tenant.create(app)
    const theirs = await waiting('Theirs', stranger, await stranger.channel())
    await make(404, { scheduledPostIds: [posts[0], theirs] })
    for (const scheduledPostIds of [
      [],
      [posts[0], posts[0]],
      undefined,
      Array.from({ length: 101 }, (_, i) => `${i}`),
    ]) {
      await make(422, { scheduledPostIds })
    }
    await make(422, { name: ' ' })
    await make(400, { expiresAt: '2026-11-01T00:00:00Z' })
    expect((await maker.call(200, 'GET', at('/review-links'))).body.items).toEqual([])
  })

  test('under four eyes takes another than the writer of each post, then and when it is used', async () => {
    await patchOrganization({ fourEyes: true })
    const writer = await person('EDITOR', true)
    const content = { media: publishable(channel).media, channels: { [channel]: { caption: 'Own' } } }
    const { body } = await writer.call(201, 'POST', at('/scheduled-posts'), {
      body: { ...content, status: 'WAITING_FOR_APPROVAL', scheduledFor: '2026-12-01T09:00:00Z' },
    })
    posts.push(body.id)
    expect(codeOf(await make(403, {}, writer))).toBe('own_post')
    const { token } = await makeLink({ scheduledPostIds: posts.slice(0, 3) }, writer)
    await writer.call(200, 'PATCH', postPath(posts[0]!), { body: { channels: { [channel]: { caption: 'Mine now' } } } })
    expect(codeOf(await approve(token, 1, 403))).toBe('own_post')
    expect(await statesOf(token)).toEqual(['open', 'open', 'open'])
    await approve(token, 2)
  })

  test('all links are listed page by page, to one post and several, of this organization alone', async () => {
    await maker.call(201, 'POST', postPath(posts[0]!, '/review-links'), { body: { name: 'One' } })
    app.clock.advance(1)
    const two = await makeLink({ name: 'Two' })
    const first = (await maker.call(200, 'GET', at('/review-links?limit=1'))).body
    expect(first.items).toMatchObject([{ id: two.id, name: 'Two', posts: 3, decided: 0 }])
    const second = (await maker.call(200, 'GET', at(`/review-links?limit=1&after=${first.nextCursor}`))).body
    expect(second).toMatchObject({ items: [{ name: 'One', posts: 1, scheduledPostId: posts[0] }], nextCursor: null })
    const stranger = await Tenant.create(app)
    const theirs = await Member.create(app, {
      organizationId: stranger.organizationId,
      role: 'ADMIN',
      mayApprove: true,
    })
    const path = `/organizations/${stranger.organizationId}/review-links`
    expect((await theirs.call(200, 'GET', path)).body).toEqual({ items: [], nextCursor: null })
    await theirs.call(404, 'DELETE', `${path}/${two.id}`)
    await outside(200, 'GET', '/posts', two.token)
  })
})

describe('links that have ended', () => {
  const makeOne = async (name: string, of = posts[0]!, body: object = {}): Promise<{ id: string; token: string }> =>
    (await maker.call(201, 'POST', postPath(of, '/review-links'), { body: { name, ...body } })).body
  const whys = async (): Promise<unknown[]> => (await listed(true)).map(({ name, ended }) => [name, ended]).toSorted()
  const decide = async (token: string, decision: 'approve' | 'return', body?: object): Promise<void> => {
    const etag = String((await outside(200, 'GET', '/post', token)).headers.etag)
    await outside(200, 'POST', `/${decision}`, token, { etag, body })
  }

  test('are listed with why for 30 days, and those that work are not among them', async () => {
    const hourMs = 3_600_000
    const works = await makeLink({
      name: 'Works',
      expiresAt: new Date(app.clock.now() + 90 * 24 * hourMs).toISOString(),
    })
    const approved = await makeOne('Approved')
    await makeOne('Over')
    const returned = await makeOne('Returned', posts[1])
    const revoked = await makeOne('Revoked', posts[2])
    await makeOne('Expired', posts[2], { expiresAt: new Date(app.clock.now() + hourMs).toISOString() })
    expect(await listed(true)).toEqual([])
    await decide(approved.token, 'approve')
    await decide(returned.token, 'return', { notes: 'No' })
    await maker.call(200, 'DELETE', postPath(posts[2]!, `/review-links/${revoked.id}`))
    const now = new Date(app.clock.now()).toISOString()
    app.clock.advance(hourMs)
    const expired = new Date(app.clock.now()).toISOString()
    expect(await whys()).toEqual([
      ['Approved', { why: 'approved', at: now }],
      ['Expired', { why: 'expired', at: expired }],
      ['Over', { why: 'over', at: now }],
      ['Returned', { why: 'returned', at: now }],
      ['Revoked', { why: 'revoked', at: now }],
    ])
    expect((await listed()).map(({ id }) => id)).toEqual([works.id])
    expect((await listed(true)).every(({ mayRevoke }) => !mayRevoke)).toBe(true)
    expect((await maker.call(200, 'GET', postPath(posts[2]!, '/review-links'))).body).toEqual([])
    for (const { token } of [approved, returned, revoked]) await outside(401, 'GET', '/post', token)
    for (const { id } of [approved, revoked]) await maker.call(404, 'DELETE', at(`/review-links/${id}`))
    app.clock.advance(30 * 24 * hourMs - hourMs)
    await maker.signInAgain()
    expect((await whys()).map((row) => (row as string[])[0])).toEqual(['Expired'])
    app.clock.advance(hourMs)
    expect(await whys()).toEqual([])
    // They are deleted when the next link is made.
    await makeLink({ scheduledPostIds: [posts[2]] })
    const { rows } = await app.context.database.query('select name from review_links where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['Anna', 'Works'])
  })

  test('leave room for others, and a link of a maker without the right is among them', async () => {
    for (let many = 0; many < 20; many += 1) await makeOne(`Link ${many}`)
    await maker.call(409, 'POST', postPath(posts[0]!, '/review-links'), { body: { name: 'One more' } })
    const [first] = await listed()
    await maker.call(200, 'DELETE', postPath(posts[0]!, `/review-links/${first!.id}`))
    await makeOne('One more')
    const admin = await person('ADMIN')
    await operatorCall(app, 200, 'PATCH', at(`/members/${maker.id}`), { body: { mayApprove: false } })
    const ended = await listed(true, admin)
    expect(ended).toHaveLength(21)
    expect(ended.filter(({ ended: end }) => end!.why === 'maker')).toHaveLength(20)
    expect(await listed(false, admin)).toEqual([])
    // Another organization sees none of them.
    const stranger = await Tenant.create(app)
    const theirs = await Member.create(app, { organizationId: stranger.organizationId, role: 'ADMIN' })
    const path = `/organizations/${stranger.organizationId}/review-links?ended=true`
    expect((await theirs.call(200, 'GET', path)).body.items).toEqual([])
  })
})

describe('a link that a writer sends', () => {
  const REVIEWER = 'anna@agency.example'
  let writer: Member
  let mails: Awaited<ReturnType<typeof startMailServer>>
  const PUBLIC_URL = 'https://greenroom.example/app'
  beforeEach(async () => {
    mails = await startMailServer()
    onTestFinished(() => mails.close())
    const mail = { url: mails.url, from: 'Greenroom <greenroom@example.com>' }
    app = await takeEmptyApp({ mail, http: { publicUrl: PUBLIC_URL } })
    tenant = await Tenant.create(app)
    channel = await tenant.channel([await tenant.workspace('STANDARD')], 'FB_PAGE', 'Mercado')
    writer = await person('EDITOR')
    posts = [await writeOne('Bread'), await writeOne('Wine')]
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: ['Anna@agency.example'] } })
  })
  const writeOne = async (caption: string): Promise<string> => {
    const content = { media: publishable(channel).media, channels: { [channel]: { caption } } }
    const body = { ...content, status: 'WAITING_FOR_APPROVAL', scheduledFor: '2026-12-01T09:00:00Z' }
    return (await writer.call(201, 'POST', at('/scheduled-posts'), { body })).body.id
  }
  const sendLink = (status: number, body: object = {}, by = writer): Promise<Reply> =>
    by.call(status, 'POST', at('/review-links/send'), {
      body: { name: 'Anna', mail: REVIEWER, scheduledPostIds: posts, ...body },
    })
  /** The token of the mail that came last. */
  const received = async (): Promise<string> => {
    await createNotifier(app.context, { jitter: (ms) => ms }).tick()
    const { source, to } = mails.mails.at(-1)!
    expect(to).toEqual([REVIEWER])
    const text = source.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
    return new RegExp(`${PUBLIC_URL}/review#posts=([\\w-]{43})`).exec(text)![1]!
  }

  test('goes to the reviewer by mail, and is in no answer: the one who made it cannot use it', async () => {
    await operatorCall(app, 200, 'PATCH', at(''), { body: { fourEyes: true } })
    app.clock.advance(3_600_000)
    await writer.signInAgain()
    const { body } = await sendLink(201, { mail: 'ANNA@agency.example' })
    expect(Object.keys(body).toSorted()).toEqual(['createdAt', 'expiresAt', 'id', 'madeBy', 'mail', 'name'])
    expect(body.mail).toBe(REVIEWER)
    const token = await received()
    const listed = (await writer.call(200, 'GET', at('/review-links'))).body
    expect(JSON.stringify([body, listed])).not.toContain(token)
    const { rows } = await app.context.database.query(
      `select t::text from audit_trail t union all select t::text from review_links t union all select t::text from mails t`,
    )
    expect(JSON.stringify(rows)).not.toContain(token)
    await approve(token, 1)
    await giveBack(token, 2)
    expect(await statesOf(token)).toEqual(['approved', 'returned'])
    const history = (await writer.call(200, 'GET', postPath(posts[0]!, '/history'))).body.items
    expect(history.at(-1)).toMatchObject({
      actor: `outsider:${body.id}`,
      detail: { outsider: { name: 'Anna', linkOf: `user:${writer.id}` } },
    })
  })

  test('takes an address that an administrator has named and that is no member’s, and the permission to write', async () => {
    expect(codeOf(await sendLink(400, { mail: 'writer@home.example' }))).toBe('reviewer_unknown')
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: [REVIEWER, writer.mail] } })
    expect(codeOf(await sendLink(400, { mail: writer.mail }))).toBe('reviewer_unknown')
    expect(codeOf(await sendLink(403, {}, await person('VIEWER', false, app)))).toBe('permission_missing')
    await sendLink(422, { mail: 'nobody' })
    const { rows } = await app.context.database.query('select 1 from review_links where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toEqual([])
    await writer.call(403, 'PATCH', at(''), { body: { reviewers: ['writer@home.example'] } })
  })

  test('is off at first, and on a server without mail', async () => {
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: [] } })
    expect(codeOf(await sendLink(400))).toBe('reviewer_unknown')
    const silent = await takeApp({}, { database: app.context.database })
    expect(codeOf(await sendLink(409, {}, writer.on(silent)))).toBe('mail_off')
  })

  test('ends at once when the address is no reviewer’s any more, becomes a member’s, or its maker may not write', async () => {
    await sendLink(201)
    const token = await received()
    await outside(200, 'GET', '/posts', token)
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: [] } })
    await outside(401, 'GET', '/posts', token)
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: [REVIEWER] } })
    const { etag } = await numbered(token, 1)
    await operatorCall(app, 200, 'PATCH', at(`/members/${writer.id}`), { body: { role: 'VIEWER' } })
    await outside(401, 'POST', '/posts/1/approve', token, { etag })
    await operatorCall(app, 200, 'PATCH', at(`/members/${writer.id}`), { body: { role: 'EDITOR' } })
    await outside(401, 'GET', '/posts', token)
    await writer.signInAgain()
    await sendLink(201)
    const second = await received()
    await outside(200, 'GET', '/posts', second)
    await app.context.database.query('update people set mail = $2 where person_id = $1', [writer.id, REVIEWER])
    await outside(401, 'GET', '/posts', second)
  })

  test('approves nothing of a writer who has named the reviewer within the hour', async () => {
    const admin = await person('ADMIN', false, app)
    await admin.call(200, 'PATCH', at(''), { body: { reviewers: ['me@home.example', REVIEWER] } })
    writer = admin
    posts = [await writeOne('Own')]
    await sendLink(201)
    const token = await received()
    expect(codeOf(await approve(token, 1, 403))).toBe('approval_too_new')
    app.clock.advance(3_600_000)
    await approve(token, 1)
  })

  test('is revoked by its maker and by who approves, not by another writer', async () => {
    const { body } = await sendLink(201)
    const token = await received()
    const other = await person('EDITOR', false, app)
    expect(codeOf(await other.call(404, 'DELETE', at(`/review-links/${body.id}`)))).toBe('review_link_not_found')
    await outside(200, 'GET', '/posts', token)
    await writer.call(200, 'DELETE', at(`/review-links/${body.id}`))
    await outside(401, 'GET', '/posts', token)
  })
})
