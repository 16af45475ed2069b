import { beforeAll, describe, expect, test } from 'vitest'
import { operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, moveAsPublisher, patchStatus, publishable } from '../../test/posts.js'
import type { Superpower } from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'

let app: TestApp
let tenant: Tenant
let page: string
let account: string
beforeAll(async () => {
  app = await startTestApp()
})
// The hashtags of one test do not conflict with those of another.
async function arrange(): Promise<void> {
  tenant = await Tenant.create(app)
  page = await tenant.channel()
  account = await tenant.channel([], 'INSTAGRAM_ACCOUNT')
}

const patch = (status: number, id: string, body: unknown): Promise<Reply> =>
  tenant.call(status, 'PATCH', `/scheduled-posts/${id}`, { body })
const claim = (status: number, id: string, channelId: string, superpower: Superpower): Promise<Reply> =>
  patch(status, id, { channels: { [channelId]: { superpower } } })
const holder = (superpower: Superpower, status: PostStatus = 'DRAFT'): Promise<string> =>
  insertPost(tenant, { ...publishable(), status, channels: [{ channelId: page, caption: 'Hi', superpower }] })

const stopOf = (id: string): string =>
  `/organizations/${tenant.organizationId}/scheduled-posts/${id}/superpowers/${page}/stop`

describe('interface 4.3.3 and 7.5: a hashtag in use on a channel', () => {
  test('is a conflict however it is written, and the update changes nothing', async () => {
    await arrange()
    const holding = await holder({ hashtag: '#Été' })
    const id = await insertPost(tenant, { notes: 'Before', channels: [{ channelId: account, caption: 'Stays' }] })
    const before = await tenant.get(200, `/scheduled-posts/${id}`)
    const hidden = ['#ét\u200bé', '#ét\u00adé', '\u2060#été', '#été\ufe0f', '＃ｅ\u0301ｔｅ\u0301']
    for (const hashtag of ['#Été', 'été', '#ÉTÉ', '##été ', '#e\u0301te\u0301', ...hidden]) {
      const channels = { [page]: { caption: 'Hi', superpower: { hashtag } }, [account]: null }
      const { body, headers } = await patch(409, id, { notes: 'After', channels })
      expect(body).toEqual({
        message: expect.stringContaining(` by the post ${holding})`),
        conflicts: [{ mediumId: page, hashtag, reason: 'already-in-use' }],
      })
      expect(headers['x-error-code']).toBe('hashtag_conflict')
    }
    const after = await tenant.get(200, `/scheduled-posts/${id}`)
    expect([after.body, after.headers.etag]).toEqual([before.body, before.headers.etag])
    await claim(200, id, page, { hashtag: '#étés' })
  })

  test('all conflicts are listed at once, and nothing else', async () => {
    await arrange()
    const free = await tenant.channel()
    await insertPost(tenant, {
      channels: [
        { channelId: page, superpower: { hashtag: '#one' } },
        { channelId: account, superpower: { hashtag: '#two' } },
      ],
    })
    const { body } = await patch(409, await insertPost(tenant), {
      channels: {
        [page]: { superpower: { hashtag: 'ONE' } },
        [account]: { superpower: { hashtag: 'TWO' } },
        [free]: { superpower: { hashtag: 'ONE' } },
      },
    })
    expect(body.conflicts).toHaveLength(2)
    expect(body.conflicts).toEqual(
      expect.arrayContaining([
        { mediumId: page, hashtag: 'ONE', reason: 'already-in-use' },
        { mediumId: account, hashtag: 'TWO', reason: 'already-in-use' },
      ]),
    )
    await patch(200, await insertPost(tenant), { channels: { [free]: { superpower: { hashtag: 'ONE' } } } })
  })

  test('is free on another channel', async () => {
    await arrange()
    await holder({ hashtag: '#tag' })
    await claim(200, await insertPost(tenant), account, { hashtag: '#tag' })
  })

  test('can be kept and rewritten by its own post', async () => {
    await arrange()
    const id = await holder({ hashtag: '#tag' })
    await patch(200, id, { notes: 'Other things' })
    await claim(200, id, page, { hashtag: 'TAG', note: 'Changed' })
    await claim(409, await insertPost(tenant), page, { hashtag: '#tag' })
  })

  test.each([
    ['its channel leaves the post', () => ({ channels: { [page]: null } })],
    ['its superpower is removed', () => ({ channels: { [page]: { superpower: null } } })],
    ['its superpower gets another one', () => ({ channels: { [page]: { superpower: { hashtag: '#other' } } } })],
    ['its superpower no longer has one', () => ({ channels: { [page]: { superpower: { note: 'None' } } } })],
    [
      'its superpower is changed to have expired',
      () => ({
        channels: { [page]: { superpower: { hashtag: '#tag', expirationDate: app.clock.now() } } },
      }),
    ],
  ])('is free again when %s', async (_when, release) => {
    await arrange()
    const id = await holder({ hashtag: '#tag' })
    const other = await insertPost(tenant)
    await claim(409, other, page, { hashtag: '#tag' })
    await patch(200, id, release())
    await claim(200, other, page, { hashtag: '#tag' })
    await claim(409, id, page, { hashtag: '#tag' })
  })

  test('is free from the moment its superpower expires, and the expired superpower may stay', async () => {
    await arrange()
    const { clock } = app
    const expirationDate = clock.now() + 1000
    const id = await holder({ hashtag: '#tag', expirationDate })
    const other = await insertPost(tenant)
    clock.advance(999)
    await claim(409, other, page, { hashtag: '#tag' })
    clock.advance(1)
    await claim(200, other, page, { hashtag: '#tag' })
    // The first post is edited further, but cannot get its hashtag back.
    await patch(200, id, { notes: 'Expired', channels: { [page]: { caption: 'New' } } })
    await claim(409, id, page, { hashtag: '#tag', expirationDate: clock.now() + 1000 })
    await claim(409, await insertPost(tenant), page, { hashtag: '#tag' })
  })

  test.each([Number.MAX_SAFE_INTEGER, 8.64e15 + 1])('may be claimed until %d', async (expirationDate) => {
    await arrange()
    await claim(200, await insertPost(tenant), page, { hashtag: '#tag', expirationDate })
    await claim(409, await insertPost(tenant), page, { hashtag: '#tag' })
  })

  test.each([
    ['DRAFT', 409],
    ['WAITING_FOR_APPROVAL', 409],
    ['REJECTED', 409],
    ['SCHEDULED', 409],
    ['PUBLISHING', 409],
    ['PUBLISHED', 409],
    ['FAILED', 200],
  ] as const)('of a %s post is answered to another post with %d', async (status, expected) => {
    await arrange()
    await holder({ hashtag: '#tag' }, status)
    await claim(expected, await insertPost(tenant), page, { hashtag: '#tag' })
  })

  describe('of a published superpower', () => {
    const out = async (superpower: Superpower, trigger: 'finish' | 'finishWithFailure' = 'finish'): Promise<string> => {
      const id = await holder(superpower, 'SCHEDULED')
      await moveAsPublisher(tenant, id, 'claim')
      await moveAsPublisher(tenant, id, trigger)
      return id
    }

    test('is held until the superpower is stopped, and the conflict names the post and the remedy', async () => {
      await arrange()
      const id = await out({ hashtag: '#tag' })
      const other = await insertPost(tenant)
      const { body } = await claim(409, other, page, { hashtag: 'TAG' })
      expect(body.message).toContain(`TAG by the post ${id}`)
      expect(body.message).toContain('stop the superpower of that post')
      await operatorCall(app, 200, 'POST', stopOf(id), { body: { reason: 'Sold out' } })
      await claim(200, other, page, { hashtag: 'TAG' })
    })

    test('is held until it expires', async () => {
      await arrange()
      const expirationDate = app.clock.now() + 1000
      await out({ hashtag: '#tag', expirationDate })
      const other = await insertPost(tenant)
      app.clock.advance(999)
      await claim(409, other, page, { hashtag: '#tag' })
      app.clock.advance(1)
      await claim(200, other, page, { hashtag: '#tag' })
    })

    test('is free on a channel where its post failed', async () => {
      await arrange()
      await out({ hashtag: '#tag' }, 'finishWithFailure')
      await claim(200, await insertPost(tenant), page, { hashtag: '#tag' })
    })

    test('also conflicts when another post is submitted, created or retried', async () => {
      await arrange()
      await out({ hashtag: '#tag' })
      const channels = { [page]: { superpower: { hashtag: '#tag' } } }
      const { body } = await tenant.call(409, 'POST', '/scheduled-posts', { body: { channels } })
      expect(body.conflicts).toEqual([{ mediumId: page, hashtag: '#tag', reason: 'already-in-use' }])
      const failed = await holder({ hashtag: '#tag' }, 'FAILED')
      const retry = `/organizations/${tenant.organizationId}/scheduled-posts/${failed}/retry`
      await operatorCall(app, 409, 'POST', retry, { body: { scheduledFor: '2026-12-01T10:00:00Z' } })
    })

    test('lists every conflicting post, each with its hashtag', async () => {
      await arrange()
      const first = await out({ hashtag: '#one' })
      const second = await insertPost(tenant, {
        channels: [{ channelId: account, superpower: { hashtag: '#two' } }],
      })
      const { body } = await patch(409, await insertPost(tenant), {
        channels: { [page]: { superpower: { hashtag: 'One' } }, [account]: { superpower: { hashtag: 'Two' } } },
      })
      expect(body.message).toContain(`One by the post ${first}`)
      expect(body.message).toContain(`Two by the post ${second}`)
    })
  })

  test('is also refused to a new post', async () => {
    await arrange()
    await holder({ hashtag: '#tag' })
    await expect(holder({ hashtag: 'TAG' })).rejects.toMatchObject({ code: 'hashtag_conflict' })
  })

  test('of the maximum length, in four-byte letters, is stored', async () => {
    await arrange()
    const hashtag = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x20000 + index * 37)).join('')
    await claim(200, await insertPost(tenant), page, { hashtag })
    await claim(409, await insertPost(tenant), page, { hashtag: `#${hashtag}`.slice(1) })
  })
})

describe('at the same time', () => {
  test('of ten posts that claim one hashtag, exactly one gets it', async () => {
    await arrange()
    const ids = await Promise.all(Array.from({ length: 10 }, () => insertPost(tenant)))
    const replies = await patchAll(
      ids.map((id, index) => [id, { [page]: { superpower: { hashtag: index % 2 ? 'A' : '#a' } } }]),
    )
    expect(replies.toSorted()).toEqual([200, ...Array(9).fill(409)])
    const posts = await Promise.all(ids.map((id) => tenant.get(200, `/scheduled-posts/${id}`)))
    expect(posts.filter(({ body }) => body.mediumsData[page] !== undefined)).toHaveLength(1)
  })

  test('posts that take, release and swap hashtags on several channels never cause an internal error', async () => {
    await arrange()
    const channels = (hashtag: string, reversed: boolean) => {
      const ids = reversed ? [account, page] : [page, account]
      return Object.fromEntries(ids.map((id) => [id, { superpower: { hashtag } }]))
    }
    const ids = await Promise.all(Array.from({ length: 6 }, () => insertPost(tenant)))
    for (let round = 0; round < 5; round++) {
      const statuses = await patchAll(
        ids.map((id, index) => [
          id,
          (round + index) % 5 === 0 ? { [page]: null } : channels(`tag${(round + index) % 3}`, index % 2 === 0),
        ]),
      )
      for (const status of statuses) expect([200, 409]).toContain(status)
    }
    const held = await Promise.all(
      ids.map(async (id) => (await tenant.get(200, `/scheduled-posts/${id}`)).body.mediumsData),
    )
    const inUse = held.flatMap((mediumsData) =>
      Object.entries<{ superpower?: Superpower }>(mediumsData).flatMap(([id, { superpower }]) =>
        superpower === undefined ? [] : [`${id} ${superpower.lookupHashtag}`],
      ),
    )
    expect(new Set(inUse).size).toBe(inUse.length)
  })

  const patchAll = (updates: [id: string, channels: object][]): Promise<number[]> =>
    Promise.all(updates.map(([id, channels]) => patchStatus(tenant, id, { channels })))
})
