import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { callAny, insertPost, publishable } from '../../../test/posts.js'
import type { CalendarPost } from '../../interface/generated/types.js'
import { LIMITS } from '../../lib/limits.js'

let app: TestApp
let tenant: Tenant
let editor: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
})

const below = (path: string): string => `/organizations/${tenant.organizationId}${path}`
const pageOf = async (query = '', status = 200) =>
  (await editor.call(status, 'GET', below(`/calendar-posts${query}`))).body
const textsOf = async (query = ''): Promise<string[]> =>
  (await pageOf(query)).items.map(({ text }: CalendarPost) => text)
const insertText = (caption: string, scheduledFor?: string, more: object = {}) =>
  tenant.channel().then((channelId) =>
    insertPost(tenant, {
      channels: [{ channelId, caption }],
      ...(scheduledFor && { scheduledFor: new Date(scheduledFor) }),
      ...more,
    }),
  )

describe('the posts of a calendar', () => {
  test('have what a day shows of them, and the ETag that a change needs', async () => {
    const page = await tenant.channel([], 'FB_PAGE', 'Bakery 🥐')
    const account = await tenant.channel([], 'INSTAGRAM_ACCOUNT', 'bakery')
    const id = await insertPost(tenant, {
      ...publishable(page, account),
      channels: [
        { channelId: page, caption: ' \n' },
        { channelId: account, caption: `${'é'.repeat(119)}🥐 and more` },
      ],
    })
    const { items, nextCursor } = await pageOf()
    const read = await editor.call(200, 'GET', below(`/scheduled-posts/${id}`))
    expect(items).toEqual([
      {
        id,
        etag: read.headers.etag,
        status: 'DRAFT',
        scheduledFor: read.body.scheduledFor,
        media: read.body.media,
        mediaType: read.body.mediaType,
        text: `${'é'.repeat(119)}🥐`,
        channels: expect.arrayContaining([
          { id: page, type: 'FB_PAGE', name: 'Bakery 🥐' },
          { id: account, type: 'INSTAGRAM_ACCOUNT', name: 'bakery' },
        ]),
      },
    ])
    expect(nextCursor).toBeNull()
    const body = { notes: 'new' }
    await editor.call(200, 'PATCH', below(`/scheduled-posts/${id}`), { body, headers: { 'if-match': items[0].etag } })
    await editor.call(412, 'PATCH', below(`/scheduled-posts/${id}`), { body, headers: { 'if-match': items[0].etag } })
    expect((await pageOf()).items[0].etag).not.toBe(items[0].etag)
  })

  test('have the number of open threads, internal and shared, if there are any', async () => {
    const [id, quiet] = [await insertText('talked about'), await insertText('quiet')]
    const path = below(`/scheduled-posts/${id}/discussion`)
    const write = async (body: object): Promise<string> => (await editor.call(201, 'POST', path, { body })).body.id
    const first = await write({ text: 'Internal' })
    await write({ text: 'A reply', replyTo: first })
    await write({ text: 'Shared', shared: true })
    const open = async (): Promise<Record<string, number | undefined>> =>
      Object.fromEntries((await pageOf()).items.map((post: CalendarPost) => [post.id, post.openMessages]))
    expect(await open()).toEqual({ [id]: 2, [quiet]: undefined })
    expect((await pageOf()).items.find((post: CalendarPost) => post.id === quiet)).not.toHaveProperty('openMessages')
    await editor.call(200, 'POST', `${path}/${first}/resolve`)
    expect(await open()).toMatchObject({ [id]: 1 })
    // Threads of another organization do not count, and the count has its own index of open threads.
    const { rows } = await app.context.database.query(
      `select 1 from pg_indexes where indexname = 'discussion_messages_open' and indexdef like '%resolved_at IS NULL%'`,
    )
    expect(rows).toHaveLength(1)
  })

  test('are in the order of the list of posts, page by page, with its filters', async () => {
    expect(await pageOf()).toEqual({ items: [], nextCursor: null })
    await insertText('leap', '2028-02-29T10:00:00Z')
    await insertText('timeless')
    await insertText('first', '2026-12-01T10:00:00Z', { status: 'REJECTED' })
    expect(await textsOf()).toEqual(['first', 'leap', 'timeless'])
    const first = await pageOf('?limit=2')
    expect(first.items.map(({ text }: CalendarPost) => text)).toEqual(['first', 'leap'])
    expect(await textsOf(`?limit=2&after=${first.nextCursor}`)).toEqual(['timeless'])
    expect(await textsOf('?scheduledFrom=2028-02-29T00:00:00Z&scheduledBefore=2028-03-01T00:00:00Z')).toEqual(['leap'])
    expect(await textsOf('?status=REJECTED')).toEqual(['first'])
    await pageOf(`?after=${first.nextCursor}&status=DRAFT`, 422)
    await pageOf('?mediumId=FB_PAGE_1', 400)
  })

  test('belong to one organization, and are only for people', async () => {
    await insertText('ours')
    const other = await Tenant.create(app)
    const stranger = await Member.create(app, { organizationId: other.organizationId, role: 'ADMIN' })
    await stranger.call(404, 'GET', below('/calendar-posts'))
    expect((await callAny(tenant, 'GET', '/calendar-posts')).status).toBe(404)
  })
})

describe('a search in texts', () => {
  test("finds a part of any channel's text, and of the notes, ignoring case", async () => {
    await insertText('Grüße aus dem CAFÉ 🥐, 50 % off_')
    await insertText('Bread', '2026-12-01T10:00:00Z', { notes: 'for the Café' })
    await insertText('Tea')
    const search = (text: string): Promise<string[]> => textsOf(`?text=${encodeURIComponent(text)}`)
    expect(await search('café')).toEqual(['Bread', 'Grüße aus dem CAFÉ 🥐, 50 % off_'])
    expect(await search('GRÜSSE')).toEqual([])
    expect(await search('grÜße')).toHaveLength(1)
    expect(await search('🥐')).toHaveLength(1)
    // These are not patterns.
    expect(await search('%')).toHaveLength(1)
    expect(await search('_')).toHaveLength(1)
    expect(await search('\\')).toEqual([])
    await pageOf('?text=%20', 422)
    const list = async (query: string) => (await editor.call(200, 'GET', below(`/scheduled-posts?${query}`))).body.items
    expect((await list('text=TEA')).map(({ status }: CalendarPost) => status)).toEqual(['DRAFT'])
    expect(await list('text=bread&status=SCHEDULED')).toEqual([])
    await editor.call(422, 'GET', below('/scheduled-posts?text=a&offset=1'))
  })

  test('looks through a limited number of posts per call, and continues from there', async () => {
    const many = LIMITS.searchedPosts[0]
    const channel = await tenant.channel()
    const { database } = app.context
    await database.query(
      `insert into scheduled_posts (organization_id, scheduled_post_id, status, scheduled_for, version, created_at, updated_at)
       select $1, 'p' || n, 'DRAFT', timestamptz '2027-01-01' + n * interval '1 minute', 1, now(), now()
         from generate_series(1, $2::int) n`,
      [tenant.organizationId, many + 5],
    )
    await database.query(
      `insert into scheduled_post_channels (organization_id, scheduled_post_id, channel_id, caption)
       select $1, 'p' || n, $2, case when n = $3::int then 'needle' else 'hay' end from generate_series(1, $3::int) n`,
      [tenant.organizationId, channel, many + 5],
    )
    for (const path of ['/calendar-posts', '/scheduled-posts']) {
      const first = (await editor.call(200, 'GET', below(`${path}?text=needle`))).body
      expect([path, first.items]).toEqual([path, []])
      const { body } = await editor.call(200, 'GET', below(`${path}?text=needle&after=${first.nextCursor}`))
      expect(body.items).toHaveLength(1)
      expect(body.nextCursor).toBeNull()
    }
  })
})

describe('posting slots', () => {
  const MONDAY = { weekday: 1, time: '09:30' }
  const put = (channelId: string, slots: object[], status = 200) =>
    operatorCall(app, status, 'PUT', below(`/channels/${channelId}/posting-slots`), { body: { slots } })

  test('of a channel are those set last, each once, in the order of the week', async () => {
    const channel = await tenant.channel()
    const late = { weekday: 7, time: '23:59' }
    const early = { weekday: 1, time: '00:00' }
    expect((await put(channel, [late, MONDAY, early, MONDAY])).body).toEqual({ slots: [early, MONDAY, late] })
    const other = await tenant.channel()
    await editor.call(200, 'PUT', below(`/channels/${other}/posting-slots`), { body: { slots: [MONDAY] } })
    const { body } = await editor.call(200, 'GET', below('/posting-slots'))
    expect(body).toHaveLength(4)
    expect(body.filter(({ channelId }: { channelId: string }) => channelId === other)).toEqual([
      { channelId: other, ...MONDAY },
    ])
    await put(channel, [])
    expect((await editor.call(200, 'GET', below('/posting-slots'))).body).toHaveLength(1)
    const trail = await operatorCall(app, 200, 'GET', below('/audit?limit=3'))
    expect(trail.body.items.map(({ operation }: { operation: string }) => operation)).toEqual(
      Array(3).fill('setPostingSlots'),
    )
    expect(trail.body.items[1]).toMatchObject({
      target: { type: 'channel', id: other },
      changes: { slots: ['1 09:30'] },
    })
  })

  test('are refused if they are not times, too many, or not for a channel of the organization', async () => {
    const channel = await tenant.channel()
    for (const wrong of [
      { weekday: 0, time: '09:30' },
      { weekday: 8, time: '09:30' },
      { weekday: 1, time: '24:00' },
    ]) {
      await put(channel, [wrong], 422)
    }
    await put(channel, Array(LIMITS.postingSlots[0] + 1).fill(MONDAY), 422)
    await put('FB_PAGE_1', [MONDAY], 404)
    await put(await (await Tenant.create(app)).channel(), [MONDAY], 404)
    const viewer = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    await viewer.call(403, 'PUT', below(`/channels/${channel}/posting-slots`), { body: { slots: [] } })
    await viewer.call(200, 'GET', below('/posting-slots'))
  })

  test('of two simultaneous writers are those of one of them, and they are deleted with their channel', async () => {
    const channel = await tenant.channel()
    const write = (time: string) =>
      put(
        channel,
        [1, 2, 3].map((weekday) => ({ weekday, time })),
      )
    await Promise.all(['08:00', '09:00', '10:00'].map(write))
    const { body } = await editor.call(200, 'GET', below('/posting-slots'))
    expect(new Set(body.map(({ time }: { time: string }) => time)).size).toBe(1)
    expect(body).toHaveLength(3)
    await operatorCall(app, 200, 'DELETE', below(`/channels/${channel}`))
    expect((await editor.call(200, 'GET', below('/posting-slots'))).body).toEqual([])
  })
})
