import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, publishable, wholeSuperpower } from '../../test/posts.js'
import { POST_STATUSES } from './lifecycle.js'

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
  test('is an array of the posts as each of them is read', async () => {
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
    for (const offset of ['8', '9007199254740993', '1e300']) expect(await list(`?offset=${offset}`)).toEqual([])
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

  test('has 50 posts unless more are asked for, and 200 at most: more is clamped', async () => {
    for (let index = 0; index < 201; index++) await insertPost(tenant)
    expect(await list()).toHaveLength(50)
    expect(await list('?limit=1')).toHaveLength(1)
    for (const limit of ['200', '201', '1000000', '9007199254740993', '1e300']) {
      expect(await list(`?limit=${limit}`)).toHaveLength(200)
    }
    expect(await list('?limit=200&offset=200')).toHaveLength(1)
  })

  test("shows no other organization's posts, and refuses its channels as it refuses unknown ones", async () => {
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
  ])('%s is refused where it is wrong', async (query) => {
    const { body } = await tenant.get(422, `/scheduled-posts?${query}`)
    expect(body.error[0].path).toEqual([query.split('=')[0]])
  })
})
