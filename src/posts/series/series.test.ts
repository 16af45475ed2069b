import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type CallOptions,
  Member,
  operatorCall,
  type Reply,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import { insertPost, moveAsPublisher, operatorAny, publishable, readHistory } from '../../../test/posts.js'
import type { PostSeries } from '../../interface/generated/types.js'

let app: TestApp
let tenant: Tenant
let editor: Member
let page: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, {
    body: { timeZone: 'Europe/Berlin' },
  })
  editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove: true })
  page = await tenant.channel([], 'FB_PAGE', 'Mercado Aurora')
})

const base = (tail = ''): string => `/organizations/${tenant.organizationId}${tail}`
const postPath = (id: string, tail = ''): string => base(`/scheduled-posts/${id}${tail}`)
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const daily = { frequency: 'DAILY', time: '10:00', from: '2026-12-01', count: 3 }
const source = (more: object = {}): Promise<string> =>
  insertPost(tenant, { ...publishable(page), scheduledFor: new Date('2026-11-30T09:00:00Z'), notes: 'Weekly', ...more })
const repeat = (status: number, id: string, rule: object, headers?: CallOptions['headers']): Promise<Reply> =>
  editor.call(status, 'POST', postPath(id, '/series'), { body: rule, ...(headers && { headers }) })
const series = async (id: string): Promise<PostSeries> =>
  (await editor.call(200, 'GET', postPath(id, '/series'))).body.series
const post = async (id: string) => await editor.call(200, 'GET', postPath(id))
const etagOf = async (id: string) => ({ headers: { 'if-match': String((await post(id)).headers.etag) } })
const stop = (status: number, id: string): Promise<Reply> =>
  editor.call(status, 'POST', base(`/post-series/${id}/stop`))
const timesOf = ({ posts }: PostSeries) =>
  posts.filter(({ isFirst }) => !isFirst).map(({ scheduledFor }) => scheduledFor)

test('a post repeats as separate drafts with its content, and each knows its series', async () => {
  const id = await source()
  const { body } = await repeat(201, id, daily)
  expect(body).toMatchObject({ rule: daily, timeZone: 'Europe/Berlin' })
  expect(timesOf(body)).toEqual(['2026-12-01T09:00:00.000Z', '2026-12-02T09:00:00.000Z', '2026-12-03T09:00:00.000Z'])
  const before = (await post(id)).body
  for (const one of body.posts) {
    expect(await series(one.id)).toEqual(body)
    const stored = (await post(one.id)).body
    expect(stored).toEqual({ ...before, id: one.id, scheduledFor: one.scheduledFor })
  }
  const copy = body.posts[1].id
  expect(await readHistory(tenant, copy)).toMatchObject([{ action: 'created', actor: `user:${editor.id}` }])
  const audit = (await operatorCall(app, 200, 'GET', base('/audit?targetType=postSeries'))).body.items
  expect(audit).toMatchObject([
    { operation: 'createPostSeries', changes: { scheduledPostId: id, posts: 3, rule: daily } },
  ])
})

test('a change or an approval of one does not affect the others', async () => {
  const { body } = await repeat(201, await source(), daily)
  const [, one, two] = body.posts
  await editor.call(200, 'PATCH', postPath(one.id), {
    body: { channels: { [page]: { caption: 'Another' } } },
    ...(await etagOf(one.id)),
  })
  await editor.call(200, 'POST', postPath(one.id, '/submit-for-approval'), await etagOf(one.id))
  await editor.call(200, 'POST', postPath(one.id, '/approve'), await etagOf(one.id))
  expect((await post(one.id)).body.status).toBe('SCHEDULED')
  expect((await post(two.id)).body).toMatchObject({
    status: 'DRAFT',
    mediumsData: { [page]: { caption: 'Summer is here' } },
  })
})

describe('the times of a rule', () => {
  test.each<[string, object, string[]]>([
    [
      'days of the week, over a clock change: the local hour stays the same',
      { frequency: 'WEEKLY', weekdays: [1, 7], time: '10:00', from: '2027-03-22', until: '2027-03-29' },
      ['2027-03-22T09:00:00.000Z', '2027-03-28T08:00:00.000Z', '2027-03-29T08:00:00.000Z'],
    ],
    [
      'a time that the clock skips: later by as much',
      { frequency: 'DAILY', time: '02:30', from: '2027-03-27', count: 3 },
      ['2027-03-27T01:30:00.000Z', '2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z'],
    ],
    [
      'a time that occurs twice: the first one, once',
      { frequency: 'DAILY', time: '02:30', from: '2027-10-30', count: 3 },
      ['2027-10-30T00:30:00.000Z', '2027-10-31T00:30:00.000Z', '2027-11-01T01:30:00.000Z'],
    ],
    [
      'the 31st of each month: the last day of shorter months',
      { frequency: 'MONTHLY', dayOfMonth: 31, time: '12:00', from: '2027-01-01', count: 4 },
      ['2027-01-31T11:00:00.000Z', '2027-02-28T11:00:00.000Z', '2027-03-31T10:00:00.000Z', '2027-04-30T10:00:00.000Z'],
    ],
    [
      'the 29th, in a leap year and in another one',
      { frequency: 'MONTHLY', dayOfMonth: 29, time: '12:00', from: '2028-02-01', until: '2028-03-01' },
      ['2028-02-29T11:00:00.000Z'],
    ],
    [
      'today, after the time has passed: it begins with the next one',
      { frequency: 'DAILY', time: '10:00', from: '2026-11-20', until: '2026-11-21' },
      ['2026-11-21T09:00:00.000Z'],
    ],
  ])('%s', async (_what, rule, times) => {
    expect(timesOf((await repeat(201, await source(), rule)).body)).toEqual(times)
  })

  test.each<[string, object]>([
    ['no end', { ...daily, count: undefined }],
    ['two ends', { ...daily, until: '2026-12-24' }],
    ['more than a hundred', { ...daily, count: 101 }],
    ['an end that is too far away', { ...daily, count: undefined, until: '2027-12-01' }],
    ['no time in the future', { ...daily, count: undefined, from: '2026-01-01', until: '2026-01-05' }],
    ['a day that does not exist', { ...daily, from: '2027-02-29' }],
    ['a time that does not exist', { ...daily, time: '24:00' }],
    ['days of the week with another frequency', { ...daily, weekdays: [1] }],
    ['no day of the week', { ...daily, frequency: 'WEEKLY' }],
    ['an eighth day', { ...daily, frequency: 'WEEKLY', weekdays: [8] }],
    ['no day of the month', { ...daily, frequency: 'MONTHLY' }],
  ])('%s is refused', async (_what, rule) => {
    await repeat(422, await source(), rule)
  })

  test('are at most a hundred', async () => {
    const { body } = await repeat(201, await source(), { ...daily, count: 100 })
    expect(body.posts).toHaveLength(101)
  })
})

test('a post with a hashtag of a superpower cannot repeat, and nothing is created', async () => {
  const id = await source({
    channels: [{ channelId: page, caption: 'Win', superpower: { hashtag: '#Win', lookupHashtag: 'win' } }],
  })
  const { headers, body } = await repeat(409, id, daily)
  expect(headers['x-error-code']).toBe('hashtag_conflict')
  expect(body.message).toContain('the posts of a series cannot share #Win')
  expect(body.conflicts).toMatchObject([{ mediumId: page, hashtag: '#Win' }])
  expect((await editor.call(200, 'GET', base('/scheduled-posts'))).body.items).toHaveLength(1)
  const without = await source({
    channels: [
      { channelId: page, caption: 'Win', superpower: { hashtag: '#Old', lookupHashtag: 'old', expirationDate: 1 } },
    ],
  })
  await repeat(201, without, daily)
})

test('repeating the call with its key creates no second series; a post has one series at a time', async () => {
  const id = await source()
  const headers = { 'idempotency-key': 'series-1' }
  const first = await repeat(201, id, daily, headers)
  expect((await repeat(201, id, daily, headers)).body).toEqual(first.body)
  expect(codeOf(await repeat(409, id, daily))).toBe('already_exists')
  expect(codeOf(await repeat(409, first.body.posts[1].id, daily))).toBe('already_exists')
  await stop(200, first.body.id)
  expect((await repeat(201, id, daily)).body.id).not.toBe(first.body.id)
})

test('a post that has changed since cannot be repeated', async () => {
  const id = await source()
  const { headers } = await etagOf(id)
  await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'Another' } })
  expect(codeOf(await repeat(412, id, daily, headers))).toBe('post_changed')
})

describe('a stopped series', () => {
  test('loses the future posts without a decision, and keeps the others', async () => {
    const id = await source()
    const { body } = await repeat(201, id, { ...daily, count: 7 })
    const [first, past, approved, returned, published, draft, waiting, timeless] = body.posts.map(
      (one: { id: string }) => one.id,
    )
    const submit = async (one: string) =>
      editor.call(200, 'POST', postPath(one, '/submit-for-approval'), await etagOf(one))
    for (const one of [approved, returned, published, waiting]) await submit(one)
    for (const one of [approved, published])
      await editor.call(200, 'POST', postPath(one, '/approve'), await etagOf(one))
    await editor.call(200, 'POST', postPath(returned, '/reject'), {
      body: { notes: 'No' },
      ...(await etagOf(returned)),
    })
    await editor.call(200, 'PATCH', postPath(timeless), { body: { scheduledFor: null }, ...(await etagOf(timeless)) })
    await moveAsPublisher(tenant, published, 'claim')
    await moveAsPublisher(tenant, published, 'finish')
    app.clock.advance(Date.parse('2026-12-01T09:00:01Z') - app.clock.now())
    await editor.signInAgain()
    const answer = (await stop(200, body.id)).body
    expect(answer).toEqual({ id: body.id, stoppedAt: '2026-12-01T09:00:01.000Z', deleted: 2 })
    expect((await series(id)).posts.map((one) => one.id)).toEqual([
      first,
      past,
      approved,
      returned,
      published,
      timeless,
    ])
    for (const gone of [draft, waiting]) {
      await editor.call(404, 'GET', postPath(gone))
      expect((await readHistory(tenant, gone)).at(-1)).toMatchObject({ action: 'deleted', actor: `user:${editor.id}` })
    }
    expect((await stop(200, body.id)).body).toEqual({ ...answer, deleted: 0 })
    expect((await series(id)).stoppedAt).toBe(answer.stoppedAt)
    app.clock.advance(Date.parse('2026-11-20T09:00:00Z') - app.clock.now())
  })

  test('keeps a draft that was approved once', async () => {
    const { body } = await repeat(201, await source(), daily)
    const one = body.posts[1].id
    await editor.call(200, 'POST', postPath(one, '/submit-for-approval'), await etagOf(one))
    await editor.call(200, 'POST', postPath(one, '/approve'), await etagOf(one))
    await editor.call(200, 'POST', postPath(one, '/revert'), await etagOf(one))
    expect((await stop(200, body.id)).body.deleted).toBe(2)
    expect((await post(one)).body.status).toBe('DRAFT')
  })

  test('loses each post once if two people stop it at the same time', async () => {
    const { body } = await repeat(201, await source(), daily)
    const answers = await Promise.all([1, 2].map(() => operatorAny(tenant, 'POST', `/post-series/${body.id}/stop`)))
    expect(answers.map((one) => [one.status, one.body.deleted]).sort()).toEqual([
      [200, 0],
      [200, 3],
    ])
  })
})

test('a deleted post leaves its series, and a post without a series has none', async () => {
  const id = await source()
  expect(await series(id)).toBeNull()
  const { body } = await repeat(201, id, daily)
  await editor.call(200, 'DELETE', postPath(id), await etagOf(id))
  const left = await series(body.posts[1].id)
  expect(left.posts.map((one) => one.isFirst)).toEqual([false, false, false])
})

test('another organization sees nothing of it, and a viewer can only read it', async () => {
  const id = await source()
  const { body } = await repeat(201, id, daily)
  const other = await Tenant.create(app)
  const stranger = await Member.create(app, { organizationId: other.organizationId, role: 'EDITOR' })
  const theirs = `/organizations/${other.organizationId}`
  expect(codeOf(await stranger.call(404, 'POST', `${theirs}/post-series/${body.id}/stop`))).toBe('series_not_found')
  expect(codeOf(await stranger.call(404, 'POST', `${theirs}/scheduled-posts/${id}/series`, { body: daily }))).toBe(
    'post_not_found',
  )
  await stranger.call(404, 'GET', `${theirs}/scheduled-posts/${id}/series`)
  const viewer = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
  expect((await viewer.call(200, 'GET', postPath(id, '/series'))).body.series.id).toBe(body.id)
  await viewer.call(403, 'POST', postPath(id, '/series'), { body: daily })
  await viewer.call(403, 'POST', base(`/post-series/${body.id}/stop`))
})
