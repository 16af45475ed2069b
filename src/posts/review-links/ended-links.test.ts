import { beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import type { AuditEntry, ListedReviewLink, NewReviewLink } from '../../interface/generated/types.js'

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
const makeOne = (name: string, post = posts[0]!, more: object = {}): Promise<Holder> =>
  makeLink({ name, scheduledPostIds: [post], ...more })
const revoke = (status: number, { id }: { id: string }): Promise<Reply> =>
  maker.call(status, 'DELETE', at(`/review-links/${id}`))
const changeMaker = (body: object): Promise<Reply> =>
  operatorCall(app, 200, 'PATCH', at(`/members/${maker.id}`), { body })
const submit = (id: string): Promise<Reply> => tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
const listed = async (ended = false, by = maker): Promise<ListedReviewLink[]> =>
  (await by.call(200, 'GET', at(`/review-links?ended=${ended}`))).body.items
const whys = async (): Promise<unknown[]> => (await listed(true)).map(({ name, ended }) => [name, ended]).toSorted()
const statusOf = async (id = posts[0]!): Promise<string> =>
  (await maker.call(200, 'GET', at(`/scheduled-posts/${id}`))).body.status

describe('a link to one post', () => {
  test("ends with its holder's decision, and does not work again when the post waits again", async () => {
    const [approved, returned] = [await makeOne('A'), await makeOne('B', posts[1])]
    await approved.approve()
    await returned.giveBack()
    await submit(posts[1]!)
    expect([await statusOf(), await statusOf(posts[1])]).toEqual(['SCHEDULED', 'WAITING_FOR_APPROVAL'])
    for (const holder of [approved, returned]) {
      const { headers } = await holder.call(401, 'GET', '/posts')
      expect(headers['x-error-code']).toBe('link_token_wrong')
      await holder.call(401, 'POST', '/posts/1/undo-decision')
    }
  })

  test('ends with its subject: decided by another person, returned by a member, or deleted', async () => {
    const links = [await makeOne('A'), await makeOne('B'), await makeOne('C', posts[1])]
    await links[0]!.approve()
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/reject`, { body: { notes: 'No' } })
    for (const link of links) await link.call(401, 'GET', '/posts')
    const again = await makeOne('D', posts[2])
    await tenant.call(200, 'DELETE', `/scheduled-posts/${posts[2]}`)
    await again.call(401, 'GET', '/posts')
    // A link whose posts are all deleted is in neither list.
    expect(await listed()).toEqual([])
    expect((await listed(true)).map(({ name }) => name).toSorted()).toEqual(['A', 'B', 'C'])
  })

  test('is the same as one to several posts of which the others are deleted', async () => {
    const anna = await makeLink({ scheduledPostIds: posts.slice(0, 2) })
    await tenant.call(200, 'DELETE', `/scheduled-posts/${posts[1]}`)
    expect(await listed()).toMatchObject([{ posts: 1, scheduledPostId: posts[0] }])
    await anna.approve()
    await anna.call(401, 'GET', '/posts')
    expect(await whys()).toMatchObject([['Anna', { why: 'approved' }]])
  })

  test('revoked during a decision: exactly one of the two succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const post = await waiting('Bread')
      const anna = await makeOne('Anna', post)
      const { etag } = await anna.post()
      const [approved, revoked] = await Promise.all([
        anna.ask('POST', '/posts/1/approve', etag),
        app.app.inject({
          method: 'DELETE',
          url: `/api${at(`/review-links/${anna.id}`)}`,
          headers: { cookie: maker.cookie, 'sec-fetch-site': 'same-origin' },
        }),
      ])
      const isApproved = (await statusOf(post)) === 'SCHEDULED'
      expect([approved.statusCode === 200, revoked.statusCode === 200]).toEqual([isApproved, !isApproved])
    }
  })
})

describe('a link', () => {
  test('ends at its expiry, when it is revoked, and when its maker loses the right', async () => {
    const short = await makeLink({ expiresAt: new Date(app.clock.now() + 1_000).toISOString() })
    const revoked = await makeLink()
    const lost = await makeLink()
    app.clock.advance(1_000)
    await short.call(401, 'GET', '/posts')
    const viewer = await person('VIEWER')
    await viewer.call(403, 'DELETE', at(`/review-links/${revoked.id}`))
    await (await person('ADMIN')).call(200, 'DELETE', at(`/review-links/${revoked.id}`))
    await revoke(404, revoked)
    await revoked.call(401, 'POST', '/posts/1/approve', { etag: '*' })
    await changeMaker({ mayApprove: false })
    await lost.call(401, 'GET', '/posts')
    const { items } = (await operatorCall(app, 200, 'GET', at('/audit'))).body as { items: AuditEntry[] }
    const ended = items.filter(({ operation }) => operation === 'revokeReviewLink')
    expect(ended.map(({ target }) => target.id)).toEqual([lost.id, revoked.id])
  })

  test('ends permanently when its maker loses the right, even between reading and deciding', async () => {
    const anna = await makeLink()
    const { etag } = await anna.post(1)
    const decide = (holder: Holder) => holder.call(401, 'POST', '/posts/1/approve', { etag })
    await changeMaker({ mayApprove: false })
    await decide(anna)
    await changeMaker({ mayApprove: true })
    await anna.call(401, 'GET', '/posts')
    const second = await makeLink()
    await operatorCall(app, 200, 'PATCH', `/server/people/${maker.id}`, { body: { active: false } })
    await second.call(401, 'GET', '/posts')
    await operatorCall(app, 200, 'PATCH', `/server/people/${maker.id}`, { body: { active: true } })
    await second.call(401, 'GET', '/posts')
    await maker.signInAgain()
    const third = await makeLink()
    await operatorCall(app, 200, 'DELETE', at(`/members/${maker.id}`))
    await decide(third)
    expect((await tenant.call(200, 'GET', `/scheduled-posts/${posts[0]}`)).body.status).toBe('WAITING_FOR_APPROVAL')
  })

  test('of an inactive organization is refused', async () => {
    const anna = await makeLink()
    await operatorCall(app, 200, 'PATCH', at(''), { body: { active: false } })
    const { headers } = await anna.call(402, 'GET', '/posts')
    expect(headers['x-error-code']).toBe('organization_inactive')
  })

  test('that has ended shows nothing again', async () => {
    const revoked = await makeLink()
    await revoked.giveBack(1)
    await revoke(200, revoked)
    await submit(posts[0]!)
    await revoked.call(401, 'GET', '/posts')
    expect((await listed(true))[0]).toMatchObject({ id: revoked.id, decided: 1, ended: { why: 'revoked' } })
  })

  test('is deleted with its organization, even after it has ended', async () => {
    await makeLink()
    await revoke(200, await makeLink({ name: 'Bea' }))
    await operatorCall(app, 200, 'PATCH', at(''), { body: { active: false } })
    expect((await operatorCall(app, 200, 'DELETE', at('?name=Test'))).body).toMatchObject({ done: true, posts: 3 })
  })
})

describe('ended links', () => {
  test('are listed with the reason for 30 days, without working ones', async () => {
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
    await approved.approve()
    await returned.giveBack()
    await revoke(200, revoked)
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
    for (const one of [approved, revoked]) await revoke(404, one)
    app.clock.advance(30 * 24 * hourMs - hourMs)
    await maker.signInAgain()
    expect((await whys()).map((row) => (row as string[])[0])).toEqual(['Expired'])
    app.clock.advance(hourMs)
    expect(await whys()).toEqual([])
    // They are deleted when the next link is created.
    await makeLink({ scheduledPostIds: [posts[2]!] })
    const { rows } = await app.context.database.query('select name from review_links where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['Anna', 'Works'])
  })

  test('make room for others, and include links of a maker without the right', async () => {
    for (let many = 0; many < 20; many += 1) await makeOne(`Link ${many}`)
    const body = { name: 'One more', scheduledPostIds: [posts[0]!] }
    await maker.call(409, 'POST', at('/review-links'), { body })
    const [first] = await listed()
    await revoke(200, first!)
    await makeOne('One more')
    const admin = await person('ADMIN')
    await changeMaker({ mayApprove: false })
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
