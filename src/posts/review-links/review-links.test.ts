import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, send, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { insertPost, moveAsPublisher, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import type { LinkedPost, ListedReviewLink, NewReviewLink } from '../../interface/generated/types.js'

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

const person = (role: 'VIEWER' | 'EDITOR' | 'ADMIN', mayApprove = false): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
const waiting = (caption: string, of = tenant, on = channel): Promise<string> =>
  insertPost(of, {
    ...publishable(on),
    status: 'WAITING_FOR_APPROVAL',
    notes: 'said inside',
    scheduledFor: new Date('2026-12-01T09:00:00Z'),
    channels: [{ channelId: on, caption }],
  })
const at = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`
const makeLink = ({ scheduledPostIds = posts, ...more }: Partial<NewReviewLink> = {}, by = maker): Promise<Holder> =>
  Holder.of(by, tenant.organizationId, scheduledPostIds, more)
const postPath = (id: string, rest = ''): string => at(`/scheduled-posts/${id}${rest}`)
const patchOrganization = (body: object): Promise<Reply> => operatorCall(app, 200, 'PATCH', at(''), { body })
const rewrite = (id: string, caption: string): Promise<Reply> =>
  tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { channels: { [channel]: { caption } } } })
const submit = (id: string): Promise<Reply> => tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
const statusOf = async (id: string): Promise<string> => (await maker.call(200, 'GET', postPath(id))).body.status
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

describe('a review link', () => {
  test('shows its posts in order, as the channels will, and nothing internal', async () => {
    const other = await waiting('Not in it')
    const anna = await makeLink({ scheduledPostIds: [posts[2]!, posts[0]!] })
    expect(anna.token).toMatch(/^[\w-]{43}$/)
    expect(anna.path).toBe(`/review#link=${anna.token}`)
    const { body } = await anna.call(200, 'GET', '/posts')
    expect(body).toMatchObject({
      ...{ name: 'Anna', madeBy: `Person ${maker.id}`, organizationName: 'Test' },
      ...{ timeZone: 'UTC', expiresAt: '2026-11-27T09:00:00.000Z' },
    })
    expect(body.posts[0].content).toMatchObject({
      scheduledFor: '2026-12-01T09:00:00.000Z',
      channels: [{ caption: 'Cheese 🧀', mediumType: 'FB_PAGE', mediumName: 'Mercado' }],
    })
    const captions = body.posts.map(({ number, state, content }: LinkedPost) => [
      number,
      state,
      content?.channels[0]?.caption,
    ])
    expect(captions).toEqual([
      [1, 'open', 'Cheese 🧀'],
      [2, 'open', 'Bread'],
    ])
    const text = JSON.stringify(body)
    const inside = ['said inside', 'Not in it', 'Wine', ...posts, other, tenant.organizationId, channel, anna.id]
    for (const one of inside) expect(text).not.toContain(one)
  })

  test('is only for these posts: another number, an id, another surface and another credential are refused', async () => {
    const anna = await makeLink()
    for (const number of ['0', '4', '-1', '1e0', '01', posts[0]!, '99999999999999999999']) {
      const reply = await anna.call(404, 'POST', `/posts/${number}/approve`, { etag: '*' })
      expect(codeOf(reply)).toBe('post_not_found')
    }
    const post = `/scheduled-posts/${posts[0]}`
    for (const url of [`/api${at(post)}`, `/v1${post}`, `/api${at(post)}`, `/api/review${post}`]) {
      const headers = { authorization: `Bearer ${anna.token}`, 'x-api-version': '1' }
      const { statusCode } = await app.app.inject({ url, headers })
      expect([401, 403, 404], url).toContain(statusCode)
    }
    await send(app.app, 401, 'GET', '/api/review/posts', { headers: { cookie: maker.cookie } })
    for (const token of ['A'.repeat(43), '']) await new Holder(app, token).call(401, 'GET', '/posts')
  })

  test('is decided post by post, by the version that was seen, under the name of the link', async () => {
    const anna = await makeLink()
    const seen = await anna.post(1)
    expect(codeOf(await anna.call(428, 'POST', '/posts/1/approve'))).toBe('precondition_required')
    await tenant.call(200, 'PATCH', `/scheduled-posts/${posts[0]}`, {
      body: { channels: { [channel]: { caption: 'A' } } },
    })
    expect(codeOf(await anna.call(412, 'POST', '/posts/1/approve', { etag: seen.etag }))).toBe('post_changed')
    await anna.approve(1)
    const { etag } = await anna.post(2)
    await anna.call(428, 'POST', '/posts/2/return', { body: { notes: 'No' } })
    await anna.call(422, 'POST', '/posts/2/return', { body: { notes: ' ' }, etag })
    await anna.giveBack(2)
    expect((await tenant.get(200, `/scheduled-posts/${posts[1]}`)).body.notes).toBe('Another picture')
    expect(await anna.states()).toEqual(['approved', 'returned', 'open'])
    expect([await statusOf(posts[0]!), await statusOf(posts[1]!)]).toEqual(['SCHEDULED', 'REJECTED'])
    expect(codeOf(await anna.call(412, 'POST', '/posts/1/approve', { etag: seen.etag }))).toBe('post_changed')
    expect((await maker.call(200, 'GET', postPath(posts[1]!, '/history'))).body.items.at(-1)).toMatchObject({
      actor: `outsider:${anna.id}`,
      action: 'rejected',
      detail: { notes: 'Another picture', outsider: { name: 'Anna', linkOf: `user:${maker.id}` } },
    })
    const { body } = await operatorCall(app, 200, 'GET', at('/audit?limit=1'))
    expect(body.items[0]).toMatchObject({ operation: 'returnPostForReview', actor: { type: 'outsider', name: 'Anna' } })
  })

  test('can undo its own decision, once, and no other', async () => {
    const anna = await makeLink()
    await anna.approve(1)
    await anna.giveBack(2)
    expect((await anna.posts()).map(({ mayUndo }) => mayUndo)).toEqual([true, true, false])
    await anna.call(200, 'POST', '/posts/1/undo-decision')
    await anna.call(200, 'POST', '/posts/2/undo-decision')
    expect(await anna.states()).toEqual(['open', 'open', 'open'])
    expect(codeOf(await anna.call(400, 'POST', '/posts/1/undo-decision'))).toBe('wrong_state')
    await anna.approve(2)
    // The holder cannot undo a member's decision.
    const { headers } = await maker.call(200, 'GET', postPath(posts[2]!))
    await maker.call(200, 'POST', postPath(posts[2]!, '/approve'), { headers: { 'if-match': String(headers.etag) } })
    expect(codeOf(await anna.call(400, 'POST', '/posts/3/undo-decision'))).toBe('decision_not_yours')
    // The same applies to a decision of another link.
    const other = await makeLink({ name: 'Bea', scheduledPostIds: [posts[0]!, await waiting('Milk')] })
    await other.approve(1)
    expect(codeOf(await anna.call(400, 'POST', '/posts/1/undo-decision'))).toBe('decision_not_yours')
    await other.call(200, 'POST', '/posts/1/undo-decision')
    // The place in the first link has ended.
    expect(await anna.states()).toEqual(['over', 'approved', 'over'])
  })

  test('cannot undo an approval once the publisher has the post', async () => {
    const anna = await makeLink()
    await anna.approve(1)
    await moveAsPublisher(tenant, posts[0]!, 'claim')
    expect((await anna.post(1)).mayUndo).toBe(false)
    expect(codeOf(await anna.call(400, 'POST', '/posts/1/undo-decision'))).toBe('wrong_state')
  })

  test('is for one round: a post that was decided internally, and a draft after a return, is not shown and cannot be decided', async () => {
    const anna = await makeLink()
    await anna.giveBack(1)
    await rewrite(posts[0]!, 'A secret draft')
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/reject`, { body: { notes: 'No' } })
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/submit-for-approval`)
    await tenant.call(200, 'DELETE', `/scheduled-posts/${posts[2]}`)
    expect(await anna.posts()).toEqual([
      { number: 1, state: 'returned', mayUndo: false },
      { number: 2, state: 'over', mayUndo: false },
    ])
    for (const number of [1, 2]) {
      const id = posts[number - 1]!
      const etag = String((await maker.call(200, 'GET', postPath(id))).headers.etag)
      expect(codeOf(await anna.call(400, 'POST', `/posts/${number}/approve`, { etag }))).toBe('wrong_state')
    }
    expect([await statusOf(posts[0]!), await statusOf(posts[1]!)]).toEqual(['REJECTED', 'WAITING_FOR_APPROVAL'])
    await anna.call(404, 'POST', '/posts/3/approve', { etag: '*' })
  })

  test('does not call a post approved that was changed after its approval and waits again', async () => {
    const anna = await makeLink()
    const other = await makeLink({ name: 'Bea' })
    await anna.approve(1)
    expect(await anna.states()).toEqual(['approved', 'open', 'open'])
    await rewrite(posts[0]!, 'Another text')
    expect(await statusOf(posts[0]!)).toBe('WAITING_FOR_APPROVAL')
    const over = { number: 1, state: 'over', mayUndo: false }
    expect([await anna.post(1), await other.post(1)]).toEqual([over, over])
    // A member approves the other text.
    const path = postPath(posts[0]!)
    const etag = String((await maker.call(200, 'GET', path)).headers.etag)
    const approver = await person('ADMIN', true)
    await approver.call(200, 'POST', `${path}/approve`, { headers: { 'if-match': etag } })
    expect([await statusOf(posts[0]!), await anna.post(1)]).toEqual(['SCHEDULED', over])
  })

  test('shows a post that its holder returned when it waits again, in the waiting version', async () => {
    const anna = await makeLink()
    const other = await makeLink({ name: 'Bea' })
    const seen = await anna.post(1)
    expect(seen).not.toHaveProperty('isBack')
    await anna.giveBack(1)
    await rewrite(posts[0]!, 'With the other picture')
    await submit(posts[0]!)
    const back = await anna.post(1)
    expect(back).toMatchObject({ state: 'open', isBack: true, mayUndo: false })
    expect(back.content!.channels[0]!.caption).toBe('With the other picture')
    expect(codeOf(await anna.call(400, 'POST', '/posts/1/undo-decision'))).toBe('wrong_state')
    // The other holder has not returned it, so their place has ended.
    expect(await other.states()).toEqual(['over', 'open', 'open'])
    expect(codeOf(await anna.call(412, 'POST', '/posts/1/approve', { etag: seen.etag }))).toBe('post_changed')
    await anna.approve(1)
    expect(await statusOf(posts[0]!)).toBe('SCHEDULED')
    const history = (await maker.call(200, 'GET', postPath(posts[0]!, '/history'))).body.items
    expect(history.at(-1)).toMatchObject({ actor: `outsider:${anna.id}`, action: 'approved' })
    // A return that was undone does not make a new version.
    await anna.giveBack(2)
    await anna.call(200, 'POST', '/posts/2/undo-decision')
    expect(await anna.post(2)).not.toHaveProperty('isBack')
    // A member who returns it ends the place.
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/reject`, { body: { notes: 'No' } })
    await submit(posts[1]!)
    expect(await anna.states()).toEqual(['approved', 'over', 'open'])
  })

  test('under four eyes also shows it again, and cannot approve what its maker wrote', async () => {
    await patchOrganization({ fourEyes: true })
    const writer = await person('EDITOR', true)
    const anna = await makeLink({}, writer)
    await anna.giveBack(1)
    await writer.call(200, 'PATCH', postPath(posts[0]!), { body: { channels: { [channel]: { caption: 'Mine now' } } } })
    await writer.call(200, 'POST', postPath(posts[0]!, '/submit-for-approval'))
    expect((await anna.post(1)).isBack).toBe(true)
    expect(codeOf(await anna.approve(1, 403))).toBe('own_post')
  })

  test('of two decisions at the same instant, one counts', async () => {
    const [one, two] = [await makeLink(), await makeLink({ name: 'Bea' })]
    const { etag } = await one.post(1)
    const answers = await Promise.all(
      [one, two, one, two].map((holder) => holder.ask('POST', '/posts/1/approve', etag)),
    )
    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const status of statuses) expect([200, 400, 412]).toContain(status)
  })

  test('can be read without writes while nothing changes, and records when its holder opened it', async () => {
    const anna = await makeLink()
    const listed = async () =>
      (await maker.call(200, 'GET', at('/review-links'))).body.items.find((link: { id: string }) => link.id === anna.id)
    expect(await listed()).toMatchObject({ name: 'Anna', posts: 3, decided: 0 })
    expect(await listed()).not.toHaveProperty('openedAt')
    const { headers } = await anna.call(200, 'GET', '/posts')
    const again = () =>
      app.app.inject({
        url: '/api/review/posts',
        headers: { authorization: `Bearer ${anna.token}`, 'if-none-match': String(headers.etag) },
      })
    expect((await again()).statusCode).toBe(304)
    expect((await anna.call(200, 'GET', '/link')).body).toEqual({
      ...{ name: 'Anna', madeBy: expect.any(String), organizationName: expect.any(String) },
      ...{ timeZone: 'UTC', expiresAt: expect.any(String), posts: 3 },
    })
    // A program that opens the links of an email also reads its page.
    expect(await listed()).not.toHaveProperty('openedAt')
    await anna.call(200, 'POST', '/open')
    expect((await listed()).openedAt).toBe(new Date(app.clock.now()).toISOString())
    await anna.approve(2)
    expect((await again()).statusCode).toBe(200)
    expect((await listed()).decided).toBe(1)
  })

  test('a wrong token must wait like other wrong credentials, and a right one continues', async () => {
    const limited = await startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
    const anna = (await makeLink()).on(limited)
    const wrong = new Holder(limited, 'A'.repeat(43))
    await anna.call(200, 'GET', '/posts')
    for (let tries = 0; tries < 3; tries += 1) await wrong.call(401, 'GET', '/posts')
    expect(codeOf(await wrong.call(429, 'GET', '/posts'))).toBe('too_many_failures')
    await anna.call(200, 'GET', '/posts')
  })

  test('its token is in no log, table, trail or list', async () => {
    const lines: string[] = []
    const loud = await startTestApp({}, pino({ level: 'debug' }, { write: (line: string) => lines.push(line) }))
    const anna = await makeLink({}, maker.on(loud))
    await new Holder(loud, `${anna.token}x`).call(401, 'GET', '/posts')
    await anna.giveBack(1)
    const { database } = loud.context
    const tables = ['audit_trail', 'review_links', 'review_link_posts']
    const rows = await Promise.all(
      tables.map(async (table) => (await database.query(`select t::text from ${table} t`)).rows),
    )
    const written = JSON.stringify([lines, await maker.call(200, 'GET', at('/review-links')), rows])
    expect(written).toContain(anna.id)
    expect(written).not.toContain(anna.token)
  })
})

describe('creating a review link', () => {
  const make = (status: number, body: object, by = maker): Promise<Reply> =>
    by.call(status, 'POST', at('/review-links'), { body: { name: 'Anna', scheduledPostIds: posts, ...body } })

  test('needs the right to approve, and waiting posts of the organization', async () => {
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

  test('under four eyes needs a person other than the writer of each post, then and when it is used', async () => {
    await patchOrganization({ fourEyes: true })
    const writer = await person('EDITOR', true)
    const content = { media: publishable(channel).media, channels: { [channel]: { caption: 'Own' } } }
    const { body } = await writer.call(201, 'POST', at('/scheduled-posts'), {
      body: { ...content, status: 'WAITING_FOR_APPROVAL', scheduledFor: '2026-12-01T09:00:00Z' },
    })
    posts.push(body.id)
    expect(codeOf(await make(403, {}, writer))).toBe('own_post')
    const anna = await makeLink({ scheduledPostIds: posts.slice(0, 3) }, writer)
    await writer.call(200, 'PATCH', postPath(posts[0]!), { body: { channels: { [channel]: { caption: 'Mine now' } } } })
    expect(codeOf(await anna.approve(1, 403))).toBe('own_post')
    expect(await anna.states()).toEqual(['open', 'open', 'open'])
    await anna.approve(2)
  })

  test('is limited to twenty per post, whether a link has one post or several', async () => {
    for (let made = 0; made < 20; made += 1) await makeLink({ scheduledPostIds: posts.slice(0, 1 + (made % 2)) })
    expect(codeOf(await make(409, {}))).toBe('review_links_full')
    await make(201, { scheduledPostIds: posts.slice(1) })
  })

  test("all are listed page by page, those of one post on request, and only this organization's", async () => {
    await makeLink({ name: 'One', scheduledPostIds: [posts[0]!] })
    app.clock.advance(1)
    const two = await makeLink({ name: 'Two' })
    const first = (await maker.call(200, 'GET', at('/review-links?limit=1'))).body
    expect(first.items).toMatchObject([{ id: two.id, name: 'Two', posts: 3, decided: 0 }])
    expect(first.items[0]).not.toHaveProperty('scheduledPostId')
    const second = (await maker.call(200, 'GET', at(`/review-links?limit=1&after=${first.nextCursor}`))).body
    expect(second).toMatchObject({ items: [{ name: 'One', posts: 1, scheduledPostId: posts[0] }], nextCursor: null })
    const namesOf = async (id: string): Promise<string[]> =>
      (await maker.call(200, 'GET', at(`/review-links?scheduledPostId=${id}`))).body.items.map(
        ({ name }: ListedReviewLink) => name,
      )
    expect([await namesOf(posts[0]!), await namesOf(posts[1]!)]).toEqual([['Two', 'One'], ['Two']])
    const stranger = await Tenant.create(app)
    const { organizationId } = stranger
    const theirs = await Member.create(app, { organizationId, role: 'ADMIN', mayApprove: true })
    const path = `/organizations/${organizationId}/review-links`
    expect((await theirs.call(200, 'GET', path)).body).toEqual({ items: [], nextCursor: null })
    const foreign = await theirs.call(404, 'GET', `${path}?scheduledPostId=${posts[0]}`)
    expect(codeOf(foreign)).toBe('post_not_found')
    await theirs.call(404, 'POST', at('/review-links'), { body: { name: 'Anna', scheduledPostIds: posts } })
    await theirs.call(404, 'DELETE', `${path}/${two.id}`)
    await two.call(200, 'GET', '/posts')
  })
})
