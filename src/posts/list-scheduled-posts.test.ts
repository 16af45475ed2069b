import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, publishable, wholeSuperpower } from '../../test/posts.js'
import { inLongSuite } from '../../test/runs.js'
import { POST_STATUSES } from '../interface/post-status.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
})

const list = async (query = ''): Promise<string[]> =>
  (await tenant.get(200, `/scheduled-posts${query}`)).body.map(({ id }: { id: string }) => id)
const at = (iso: string): Date => new Date(iso)

describe('the list of posts', () => {
  test('is an array of the posts, in the form of a single post', async () => {
    expect((await tenant.get(200, '/scheduled-posts')).body).toEqual([])
    const page = await tenant.channel()
    const account = await tenant.channel([], 'INSTAGRAM_ACCOUNT')
    const ids = [
      await insertPost(tenant, { ...publishable(page, account), status: 'SCHEDULED' }),
      await insertPost(tenant, { channels: [{ channelId: page, superpower: wholeSuperpower() }] }),
    ]
    const { body } = await tenant.get(200, '/scheduled-posts')
    const each = await Promise.all(ids.map(async (id) => (await tenant.get(200, `/scheduled-posts/${id}`)).body))
    expect(body).toEqual(each)
  })

  test('has the soonest first, those without a time last, and equal ones by the bytes of their ids', async () => {
    const insert = (scheduledPostId: string, scheduledFor?: Date) =>
      insertPost(tenant, { scheduledPostId, scheduledFor })
    await insert('post_b')
    await insert('post_C')
    await insert('post_a')
    await insert('late', at('2027-01-01T00:00:00Z'))
    await insert('same_b', at('2026-12-01T00:00:00Z'))
    await insert('same_B', at('2026-12-01T00:00:00Z'))
    await insert('same_a', at('2026-12-01T00:00:00Z'))
    await insert('passed', at('2020-01-01T00:00:00Z'))
    const order = ['passed', 'same_B', 'same_a', 'same_b', 'late', 'post_C', 'post_a', 'post_b']
    expect(await list()).toEqual(order)
    expect([...(await list('?limit=3')), ...(await list('?limit=3&offset=3')), ...(await list('?offset=6'))]).toEqual(
      order,
    )
    for (const offset of ['8', '9007199254740993', '1e300', '9'.repeat(311)])
      expect(await list(`?offset=${offset}`)).toEqual([])
  })

  test('filters by time: from an instant on, inclusive, and before one, which excludes posts without a time', async () => {
    for (const day of ['2026-11-30', '2026-12-01', '2026-12-31', '2027-01-01']) {
      await insertPost(tenant, { scheduledPostId: day, scheduledFor: at(`${day}T00:00:00Z`) })
    }
    await insertPost(tenant, { scheduledPostId: 'timeless' })
    const december = 'scheduledFrom=2026-12-01T00:00:00Z&scheduledBefore=2027-01-01T00:00:00.000Z'
    expect(await list(`?${december}`)).toEqual(['2026-12-01', '2026-12-31'])
    expect(await list('?scheduledFrom=2026-12-31T00:00:00Z')).toEqual(['2026-12-31', '2027-01-01', 'timeless'])
    expect(await list('?scheduledBefore=2026-12-01T00:00:00Z')).toEqual(['2026-11-30'])
    expect(await list(`?${december}&status=SCHEDULED`)).toEqual([])
    for (const edge of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
      await list(`?scheduledFrom=${edge}`)
      await list(`?scheduledBefore=${edge}`)
    }

    const first = await tenant.get(200, `/scheduled-posts?${december}&limit=1`)
    const after = encodeURIComponent(String(first.headers['x-next-cursor']))
    expect(await list(`?${december}&limit=1&after=${after}`)).toEqual(['2026-12-31'])
    await tenant.get(422, `/scheduled-posts?limit=1&after=${after}`)
    await tenant.get(422, '/scheduled-posts?scheduledFrom=2026-12-01')
  })

  test('filters by status, by channel, and by both', async () => {
    const one = await tenant.channel()
    const two = await tenant.channel()
    const ids = new Map<string, string>()
    for (const status of POST_STATUSES) {
      for (const channel of [one, two]) {
        ids.set(`${status} ${channel}`, await insertPost(tenant, { ...publishable(channel), status }))
      }
    }
    const both = await insertPost(tenant, publishable(one, two))
    for (const status of POST_STATUSES) {
      expect(await list(`?status=${status}&mediumId=${one}`)).toEqual(
        [ids.get(`${status} ${one}`), ...(status === 'DRAFT' ? [both] : [])].sort(),
      )
      expect(await list(`?status=${status}`)).toHaveLength(status === 'DRAFT' ? 3 : 2)
    }
    expect(await list(`?mediumId=${two}`)).toHaveLength(POST_STATUSES.length + 1)
    expect(await list(`?mediumId=${await tenant.channel()}`)).toEqual([])
  })

  test('has 50 posts by default and at most 200: larger limits are clamped', async () => {
    for (let index = 0; index < 201; index++) await insertPost(tenant)
    expect(await list()).toHaveLength(50)
    expect(await list('?limit=1')).toHaveLength(1)
    for (const limit of ['200', '201', '1000000', '9007199254740993', '1e300', '9'.repeat(311)]) {
      expect(await list(`?limit=${limit}`)).toHaveLength(200)
    }
    expect(await list('?limit=200&offset=200')).toHaveLength(1)
  })

  test("shows no other organization's posts, and refuses its channels like unknown ones", async () => {
    const other = await Tenant.create(app)
    const channel = await other.channel()
    await insertPost(other, publishable(channel))
    expect(await list()).toEqual([])
    for (const mediumId of [channel, 'FB_PAGE_1', 'constructor']) {
      const { body, headers } = await tenant.get(400, `/scheduled-posts?mediumId=${mediumId}`)
      expect(headers['x-error-code']).toBe('channel_unknown')
      expect(body.message).toContain(mediumId)
    }
  })

  /** Every page by cursor, as ids. */
  async function walk(query: string): Promise<string[][]> {
    const pages: string[][] = []
    for (let after = ''; ; ) {
      const { body, headers } = await tenant.get(200, `/scheduled-posts?${query}${after}`)
      pages.push(body.map(({ id }: { id: string }) => id))
      if (headers['x-next-cursor'] === undefined) return pages
      after = `&after=${headers['x-next-cursor']}`
    }
  }

  test('continues by cursor, over equal times and missing times, to the end', async () => {
    const channel = await tenant.channel()
    for (let index = 0; index < 7; index++) {
      const scheduledFor = index < 4 ? at('2026-12-01T00:00:00Z') : undefined
      const channels = index % 2 === 0 ? [{ channelId: channel }] : []
      await insertPost(tenant, { scheduledPostId: `post_${index}`, scheduledFor, channels })
    }
    expect(await walk('limit=2')).toEqual([
      ['post_0', 'post_1'],
      ['post_2', 'post_3'],
      ['post_4', 'post_5'],
      ['post_6'],
    ])
    expect(await walk('limit=7')).toHaveLength(1)
    expect((await walk(`limit=3&mediumId=${channel}`)).flat()).toEqual(['post_0', 'post_2', 'post_4', 'post_6'])
    expect((await walk('limit=3&status=DRAFT')).flat()).toHaveLength(7)
    expect(await walk('status=FAILED')).toEqual([[]])
  })

  test('moves no post between pages when others are added and removed', async () => {
    const insert = (minute: number) =>
      insertPost(tenant, { scheduledPostId: `post_${minute}`, scheduledFor: at(`2026-12-01T00:${minute}:00Z`) })
    for (const minute of [20, 30, 40, 50]) await insert(minute)
    const first = await tenant.get(200, '/scheduled-posts?limit=2')
    await insert(10)
    await tenant.call(200, 'DELETE', '/scheduled-posts/post_30')
    expect(await list(`?after=${first.headers['x-next-cursor']}`)).toEqual(['post_40', 'post_50'])
  })

  test('a cursor of other filters or another organization, an altered one, or one beside an offset is refused', async () => {
    for (let index = 0; index < 2; index++) await insertPost(tenant)
    const { headers } = await tenant.get(200, '/scheduled-posts?limit=1')
    const cursor = String(headers['x-next-cursor'])
    const other = await Tenant.create(app)
    const refused = [
      await tenant.get(422, `/scheduled-posts?status=DRAFT&after=${cursor}`),
      await tenant.get(422, `/scheduled-posts?after=${cursor}A`),
      await tenant.get(422, '/scheduled-posts?after=x'),
      await other.get(422, `/scheduled-posts?after=${cursor}`),
    ]
    for (const { body } of refused) {
      expect(body.error).toHaveLength(1)
      expect(body.error[0]).toMatchObject({ path: ['after'], type: 'cursor.invalid' })
    }
    const { body } = await tenant.get(422, `/scheduled-posts?after=${cursor}&offset=0`)
    expect(body.error[0].type).toBe('object.without')
  })

  test.runIf(inLongSuite())(
    'a page of large posts is shorter than requested, and never empty before the end',
    async () => {
      const channel = await tenant.channel()
      const caption = 'x'.repeat(1_500_000)
      for (let index = 0; index < 5; index++) {
        await insertPost(tenant, { scheduledPostId: `post_${index}`, channels: [{ channelId: channel, caption }] })
      }
      await insertPost(tenant, {
        scheduledPostId: 'post_5',
        channels: [{ channelId: channel, caption: caption.repeat(3) }],
      })
      await insertPost(tenant, { scheduledPostId: 'post_6' })
      expect(await walk('limit=200')).toEqual([
        ['post_0', 'post_1'],
        ['post_2', 'post_3'],
        ['post_4'],
        ['post_5'],
        ['post_6'],
      ])
      expect(await list('?offset=2')).toEqual(['post_2', 'post_3'])
    },
  )

  test.runIf(inLongSuite())('an offset of many posts is walked in steps', async () => {
    await app.context.database.query(
      `insert into scheduled_posts (organization_id, scheduled_post_id, status, created_at, updated_at)
       select $1, 'post_' || lpad(i::text, 5, '0'), 'DRAFT', now(), now() from generate_series(0, 11999) i`,
      [tenant.organizationId],
    )
    for (const offset of [4_999, 5_000, 5_001, 9_999, 10_001, 11_999]) {
      expect(await list(`?offset=${offset}&limit=1`)).toEqual([`post_${String(offset).padStart(5, '0')}`])
    }
    expect(await list('?offset=12000')).toEqual([])
    expect(await list('?offset=15001&status=DRAFT')).toEqual([])
  })

  test.each([
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'offset=-1',
    'offset=0.5',
    'status=draft',
    'status=',
    'status=DRAFT&status=FAILED',
    'mediumId=',
    'mediumId=a&mediumId=b',
    'page=2',
  ])('%s is refused with its location', async (query) => {
    const { body } = await tenant.get(422, `/scheduled-posts?${query}`)
    expect(body.error[0].path).toEqual([query.split('=')[0]])
  })
})
