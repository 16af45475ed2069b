import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Fault, refusedFault } from '../../packages/sandbox/src/make-faults.js'
import { gate } from '../../test/gate.js'
import { operatorCall, Tenant } from '../../test/harness.js'
import { callAny, insertPost, readHistory } from '../../test/posts.js'
import { holdUp, type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { DatabaseUnavailableError } from '../database/database.js'
import type { Context } from '../http/context.js'
import type { Wait } from '../lib/wait.js'
import {
  type Claim,
  type ClaimRequest,
  claimDuePosts,
  type DuePosition,
  finishPost,
  releasePost,
} from './claims.store.js'
import { countPostsByStatus, findOldestDueAt } from './due-posts.store.js'
import { savePublication } from './publications.store.js'
import { createPublisher, startPublisher } from './publisher.js'

let t: PublisherTest
beforeEach(async () => {
  t = await startPublisherTest({ graph: { timeoutMs: 30_000 } })
})

const HOUR_MS = 3_600_000
const dueIn = (ms: number): Date => new Date(t.clock.now() + ms)
const captions = (): string[] => t.sandbox.published.map(({ text }) => text).sort()
const finished = (): Record<string, unknown>[] =>
  t.logLines().filter(({ msg }) => msg === 'post published' || msg === 'post failed')

const KINDS = [
  ['FB_PAGE', 'IMAGE'],
  ['FB_PAGE', 'VIDEO'],
  ['FB_PAGE', undefined],
  ['INSTAGRAM_ACCOUNT', 'IMAGE'],
  ['INSTAGRAM_ACCOUNT', 'VIDEO'],
] as const

describe('a due post', () => {
  test.each(KINDS)('is published on %s with %s, and its history and the log say so', async (type, mediaType) => {
    const channelId = await t.channel(type)
    const id = await t.post({ mediaType, channels: [{ channelId, caption: 'Summer is here ☀️' }] })
    const delays: number[] = []
    t.clock.advance(1_500)
    await createPublisher(t.context, { onPublished: (delayMs) => delays.push(delayMs) }).tick()
    expect(await t.read(id)).toEqual({
      status: 'PUBLISHED',
      task_id: null,
      leased_by: null,
      leased_until: null,
      next_attempt_at: null,
    })
    const [published, ...others] = t.sandbox.published
    expect(others).toEqual([])
    expect(published).toMatchObject({ text: 'Summer is here ☀️', mediaType: mediaType ?? 'IMAGE', received: 1 })
    const { id: externalId, permalink } = published!
    expect(await t.publications(id)).toEqual([
      expect.objectContaining({ state: 'PUBLISHED', external_id: externalId, permalink }),
    ])
    expect(delays).toEqual([1_500])

    const history = await readHistory(t.tenant, id)
    expect(history.map(({ action, actor, toStatus }) => [action, actor, toStatus])).toEqual([
      ['created', 'operator', 'SCHEDULED'],
      ['claimed', 'publisher', 'PUBLISHING'],
      ['published', 'publisher', 'PUBLISHED'],
    ])
    expect(history.at(-1)!.detail).toEqual({ channels: { [channelId]: { state: 'PUBLISHED', externalId, permalink } } })
    expect(finished()).toEqual([
      expect.objectContaining({
        organization: t.tenant.organizationId,
        post: id,
        status: 'PUBLISHED',
        channels: [{ channel: channelId, state: 'PUBLISHED', externalId }],
        delayMs: 1_500,
        upstreamMs: expect.any(Number),
        durationMs: expect.any(Number),
      }),
    ])
  })

  test('is published at that time, not before, on all its channels', async () => {
    const channelIds = [await t.channel('FB_PAGE'), await t.channel('INSTAGRAM_ACCOUNT'), await t.channel('FB_PAGE')]
    const id = await t.post({
      scheduledFor: dueIn(60_000),
      channels: channelIds.map((channelId) => ({ channelId, caption: 'Hi' })),
    })
    const publisher = createPublisher(t.context)
    t.clock.advance(59_999)
    await publisher.tick()
    expect([(await t.read(id)).status, t.sandbox.published]).toEqual(['SCHEDULED', []])
    t.clock.advance(1)
    await publisher.tick()
    expect([(await t.read(id)).status, t.sandbox.published.length]).toEqual(['PUBLISHED', 3])
  })

  test('and no other: no draft, and no waiting, rejected, published or failed post', async () => {
    const channelId = await t.channel('FB_PAGE')
    for (const status of ['DRAFT', 'WAITING_FOR_APPROVAL', 'REJECTED', 'PUBLISHED', 'FAILED'] as const) {
      await t.post({ status, channels: [{ channelId, caption: status }] })
    }
    await createPublisher(t.context).tick()
    expect(t.sandbox.requests).toEqual([])
  })

  test('holds its hashtags when published, and releases them when it has failed', async () => {
    const channelId = await t.channel('FB_PAGE')
    const channels = [{ channelId, caption: 'Hi', superpower: { hashtag: '#summer' } }]
    const failing = await t.post({ channels })
    await expect(t.post({ channels })).rejects.toThrow(failing)
    t.sandbox.faults.add({ match: /\/feed/, fault: refusedFault('Not this one.') })
    await createPublisher(t.context).tick()
    const out = await t.post({ channels })
    await createPublisher(t.context).tick()
    expect(await t.read(out)).toMatchObject({ status: 'PUBLISHED' })
    await expect(t.post({ channels })).rejects.toThrow(out)
  })
})

describe('a post that fails on some of its channels', () => {
  test('is FAILED only on those, and a retry publishes only on those', async () => {
    const [good, bad] = [await t.channel('FB_PAGE'), await t.channel('FB_PAGE')]
    const id = await t.post({ channels: [good, bad].map((channelId) => ({ channelId, caption: 'Hi' })) })
    const badId = bad.slice('FB_PAGE_'.length)
    t.sandbox.faults.add({ match: new RegExp(`${badId}/feed`), fault: refusedFault('Not this one.') })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    const { body } = await t.tenant.get(200, `/scheduled-posts/${id}`)
    expect([body.status, body.mediumsData[good].failedToPublish, body.mediumsData[bad].failedToPublish]).toEqual([
      'FAILED',
      false,
      true,
    ])
    expect((await readHistory(t.tenant, id)).at(-1)).toMatchObject({
      action: 'failed',
      detail: { channels: { [bad]: { state: 'FAILED', error: 'Not this one.' }, [good]: { state: 'PUBLISHED' } } },
    })
    expect(publisher.status()).toMatchObject({ claimed: 1, published: 0, failed: 1 })

    const path = `/organizations/${t.tenant.organizationId}/scheduled-posts/${id}/retry`
    await operatorCall(t, 200, 'POST', path, { body: { scheduledFor: dueIn(60_000).toISOString() } })
    const asked = t.sandbox.requests.length
    t.clock.advance(60_000)
    await publisher.tick()
    const after = await t.tenant.get(200, `/scheduled-posts/${id}`)
    expect([after.body.status, after.body.mediumsData[bad].failedToPublish]).toEqual(['PUBLISHED', false])
    const repeated = t.sandbox.requests.slice(asked)
    expect(repeated.length).toBeGreaterThan(0)
    expect(repeated.filter(({ path }) => !path.includes(badId))).toEqual([])
    expect(t.sandbox.published).toHaveLength(2)
    expect((await readHistory(t.tenant, id)).map(({ action }) => action)).toEqual([
      'created',
      'claimed',
      'failed',
      'retried',
      'claimed',
      'published',
    ])
  })
})

describe('a late post', () => {
  test('is published up to the limit, and past it fails with that reason', async () => {
    const channelId = await t.channel('FB_PAGE')
    const inTime = await t.post({ scheduledFor: dueIn(-24 * HOUR_MS), channels: [{ channelId, caption: 'In time' }] })
    const late = await t.post({ scheduledFor: dueIn(-24 * HOUR_MS - 1), channels: [{ channelId, caption: 'Late' }] })
    const ancient = await t.post({ scheduledFor: new Date(0), channels: [{ channelId, caption: 'Ancient' }] })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    expect(captions()).toEqual(['In time'])
    expect((await t.read(inTime)).status).toBe('PUBLISHED')
    const error = 'It could not be published within 24 hours of its time. No publisher was running at its time.'
    for (const id of [late, ancient]) {
      const { body } = await t.tenant.get(200, `/scheduled-posts/${id}`)
      expect([body.status, body.mediumsData[channelId].failedToPublish]).toEqual(['FAILED', true])
      expect((await readHistory(t.tenant, id)).at(-1)).toMatchObject({
        action: 'failed',
        fromStatus: 'SCHEDULED',
        detail: { channels: { [channelId]: { state: 'FAILED', error } } },
      })
    }
    expect(publisher.status()).toMatchObject({ claimed: 1, published: 1, failed: 2 })
  })

  test('is counted, although a later batch fails in the database', async () => {
    const channelId = await t.channel('FB_PAGE')
    const scheduledFor = dueIn(-25 * HOUR_MS)
    for (let n = 0; n < 21; n++) await t.post({ scheduledFor, channels: [{ channelId, caption: `Late ${n}` }] })
    let batches = 0
    const transaction: typeof t.context.database.transaction = (work) => {
      if (++batches === 2) throw new Error('The second batch fails.')
      return t.context.database.transaction(work)
    }
    const publisher = createPublisher({ ...t.context, database: { ...t.context.database, transaction } })
    await expect(publisher.beginRound()).rejects.toThrow('The second batch fails.')
    expect(publisher.status().failed).toBe(20)
  })
})

describe('a post of an inactive organization', () => {
  const setActive = (active: boolean): Promise<unknown> =>
    operatorCall(t, 200, 'PATCH', `/organizations/${t.tenant.organizationId}`, { body: { active } })

  test('waits, and is published when the organization is active again', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
    await setActive(false)
    const publisher = createPublisher(t.context)
    t.clock.advance(24 * HOUR_MS)
    await publisher.tick()
    expect([(await t.read(id)).status, t.sandbox.requests]).toEqual(['SCHEDULED', []])
    expect(await findOldestDueAt(t.context.database, dueIn(0))).toBeUndefined()
    await setActive(true)
    await publisher.tick()
    expect([(await t.read(id)).status, captions()]).toEqual(['PUBLISHED', ['Hi']])
  })

  test('also waits between two steps', async () => {
    const channelId = await t.channel('INSTAGRAM_ACCOUNT')
    t.sandbox.faults.add({ match: /media$/, fault: { kind: 'processing', polls: 1 } })
    const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    await setActive(false)
    const asked = t.sandbox.requests.length
    t.clock.advance(HOUR_MS)
    await publisher.tick()
    expect([(await t.read(id)).status, t.sandbox.requests.length]).toEqual(['PUBLISHING', asked])
    await setActive(true)
    await publisher.tick()
    expect([(await t.read(id)).status, captions()]).toEqual(['PUBLISHED', ['Hi']])
  })

  test.each([
    ['FB_PAGE', 'IMAGE', /photos$/],
    ['INSTAGRAM_ACCOUNT', 'IMAGE', /media$/],
    ['INSTAGRAM_ACCOUNT', 'IMAGE', /^\/17\d+$/],
  ] as const)('also waits between two steps of one turn (%s, %s, after %s)', async (type, mediaType, edge) => {
    const channelId = await t.channel(type)
    const id = await t.post({ mediaType, channels: [{ channelId, caption: 'Hi' }] })
    const held = holdUp(t, edge, 'accepted-then-slow')
    const publisher = createPublisher(t.context)
    const turn = publisher.tick()
    await held.arrived
    await setActive(false)
    const asked = t.sandbox.requests.length
    held.release()
    await turn
    expect([t.sandbox.requests.length, t.sandbox.published]).toEqual([asked, []])
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHING', leased_by: null })
    t.clock.advance(HOUR_MS)
    await publisher.tick()
    expect(t.sandbox.requests).toHaveLength(asked)
    await setActive(true)
    await publisher.tick()
    expect([(await t.read(id)).status, captions()]).toEqual(['PUBLISHED', ['Hi']])
  })

  test('fails when it is too late, without a platform call, and with a reason', async () => {
    const channelId = await t.channel('FB_PAGE')
    t.sandbox.faults.add({ match: /photos$/, fault: { kind: 'reset' } })
    const begun = await t.post({ channels: [{ channelId, caption: 'Begun' }] })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    const waiting = await t.post({ channels: [{ channelId, caption: 'Waiting' }] })
    await setActive(false)
    const asked = t.sandbox.requests.length
    t.clock.advance(24 * HOUR_MS + 1)
    await publisher.tick()
    expect(t.sandbox.requests).toHaveLength(asked)
    for (const [id, error] of [
      [begun, /^It could not be published within 24 hours of its time\. The last problem: /],
      [waiting, /^It could not be published within 24 hours of its time\. Its organization is not active\.$/],
    ] as const) {
      expect((await t.read(id)).status).toBe('FAILED')
      expect((await t.publications(id))[0]!.error).toMatch(error)
    }
  })

  test('that was published before its response was lost is found when it is late', async () => {
    const channelId = await t.channel('FB_PAGE')
    t.sandbox.faults.add({ match: /feed$/, fault: { kind: 'accepted-then-reset' } })
    const id = await t.post({ channels: [{ channelId, caption: 'Out' }] })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    await setActive(false)
    t.clock.advance(24 * HOUR_MS + 1)
    await publisher.tick()
    expect((await t.read(id)).status).toBe('PUBLISHED')
  })
})

describe('claiming', () => {
  const request = {
    holder: 'publisher_test',
    leaseMs: 120_000,
    limit: 32,
    except: [],
    channelPosts: new Map(),
    channelPostsMax: 4,
  }
  const claim = (more: Partial<ClaimRequest> = {}) =>
    claimDuePosts(t.context.database, { ...request, now: dueIn(0), lateBefore: new Date(0), ...more })

  /** This many due posts on a channel; returns their ids, oldest first. Their times differ by microseconds. */
  async function manyPosts(channelId: string, count: number): Promise<string[]> {
    const { database } = t.context
    await database.query(
      `insert into scheduled_posts (organization_id, scheduled_post_id, status, media, scheduled_for, created_at, updated_at)
       select $1, $2 || lpad(n::text, 5, '0'), 'DRAFT', 'https://cdn.example.com/' || n,
              $3::timestamptz - interval '1 minute' + n * interval '1 microsecond', $3, $3
         from generate_series(1, $4::integer) n`,
      [t.tenant.organizationId, channelId, dueIn(0), count],
    )
    await database.query(
      `insert into scheduled_post_channels (organization_id, scheduled_post_id, channel_id, caption)
       select organization_id, scheduled_post_id, $2, scheduled_post_id from scheduled_posts
        where organization_id = $1 and starts_with(scheduled_post_id, $2)`,
      [t.tenant.organizationId, channelId],
    )
    await database.query(
      `update scheduled_posts
          set status = 'SCHEDULED', task_id = 'task', approved_version = version, approved_at = $3, approved_actor_type = 'operator'
        where organization_id = $1 and starts_with(scheduled_post_id, $2)`,
      [t.tenant.organizationId, channelId, dueIn(0)],
    )
    return Array.from({ length: count }, (_, index) => channelId + String(index + 1).padStart(5, '0'))
  }

  test('takes several posts at once, oldest first, as many of a channel as it has room for', async () => {
    const [first, second] = [await t.channel('FB_PAGE'), await t.channel('FB_PAGE')]
    const ids = await manyPosts(first, 6)
    const both = await t.post({ channels: [first, second].map((channelId) => ({ channelId, caption: 'Both' })) })
    const other = await t.post({ channels: [{ channelId: second, caption: 'Other' }] })
    const { claims, next } = await claim({ channelPosts: new Map([[first, 1]]) })
    expect(claims.map(({ post }) => post.scheduled_post_id)).toEqual([...ids.slice(0, 3), other])
    expect(next).toBeUndefined()
    expect(new Set(claims.map(({ lease }) => lease.leasedBy)).size).toBe(4)
    for (const { post, publications } of claims) {
      expect(post).toMatchObject({ status: 'PUBLISHING', version: 2 })
      expect(publications).toEqual([expect.objectContaining({ state: 'PENDING' })])
      expect((await readHistory(t.tenant, other)).at(-1)).toMatchObject({ action: 'claimed', actor: 'publisher' })
    }
    const rest = await claim({ limit: 2 })
    expect(rest.claims.map(({ post }) => post.scheduled_post_id)).toEqual(ids.slice(3, 5))
    expect(rest.next).toMatchObject({ status: 'SCHEDULED', scheduled_post_id: ids[4] })
    const { claims: last } = await claim({ after: rest.next })
    expect(last.map(({ post }) => post.scheduled_post_id)).toEqual([ids[5], both])
    expect(last[1]!.publications.map(({ channel_id }) => channel_id)).toEqual([first, second].sort())
  })

  test('reads a limited number of posts, and continues behind them', async () => {
    const channelId = await t.channel('FB_PAGE')
    await manyPosts(channelId, 1_001)
    const other = await t.post({ channels: [{ channelId: await t.channel('FB_PAGE'), caption: 'Other' }] })
    const positions: unknown[] = []
    let after: DuePosition | undefined
    do {
      const { claims, next } = await claim({ channelPosts: new Map([[channelId, 4]]), after })
      expect(claims.map(({ post }) => post.scheduled_post_id)).toEqual(next === undefined ? [other] : [])
      after = next
      positions.push(next?.scheduled_post_id)
    } while (after !== undefined)
    expect(positions).toEqual([`${channelId}00500`, `${channelId}01000`, undefined])
  })

  test('walks an index in the order of the claim, and sorts nothing', async () => {
    await manyPosts(await t.channel('FB_PAGE'), 3)
    const { database } = t.context
    const statements: { text: string; values: unknown[] }[] = []
    const transaction: typeof database.transaction = (work) =>
      database.transaction((tx) => {
        const query: typeof tx.query = (text, values = []) => {
          statements.push({ text, values: [...values] })
          return tx.query(text, values)
        }
        return work({ ...tx, query })
      })
    await claimDuePosts({ ...database, transaction }, { ...request, now: dueIn(0), lateBefore: new Date(0) })
    const walks = statements.filter(({ text }) => text.startsWith('select') && text.includes('from scheduled_posts p'))
    expect(walks).toHaveLength(4)
    for (const { text, values } of walks) {
      const plan = await database.transaction(async (tx) => {
        // A sort then remains only if no index has the order.
        for (const path of ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort', 'incremental_sort'])
          await tx.query(`set local enable_${path} = off`)
        const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
        return rows.map((row) => row['QUERY PLAN']).join('\n')
      })
      expect(plan).toContain('using scheduled_posts_due')
      expect(plan).not.toMatch(/\bSort\b/)
    }
  })

  test('several at once never take one post twice', async () => {
    const channelIds = await Promise.all(Array.from({ length: 8 }, () => t.channel('FB_PAGE')))
    for (const channelId of channelIds) await manyPosts(channelId, 8)
    const database = await t.openAnother()
    const all = await Promise.all(
      [1, 2, 3, 4].map((index) =>
        claimDuePosts(index % 2 === 0 ? database : t.context.database, {
          ...request,
          now: dueIn(0),
          lateBefore: new Date(0),
        }),
      ),
    )
    const claimed = all.flatMap(({ claims }) => claims.map(({ post }) => post.scheduled_post_id))
    expect(new Set(claimed).size).toBe(claimed.length)
    expect(claimed.length).toBeGreaterThanOrEqual(32)
  })

  test('a channel with hundreds of due posts delays no other, and gets its next post as soon as one ends', async () => {
    const [slow, good] = [await t.channel('FB_PAGE'), await t.channel('FB_PAGE')]
    await manyPosts(slow, 300)
    const id = await t.post({ channels: [{ channelId: good, caption: 'Good' }] })
    const answer = gate()
    const fault: Fault = { kind: 'slow', until: answer.opened }
    t.sandbox.faults.add({ match: ({ path }) => path.includes(slow.slice('FB_PAGE_'.length)), times: 4, fault })
    const publisher = createPublisher(t.context)
    const ticked = publisher.tick()
    await vi.waitFor(async () => expect((await t.read(id)).status).toBe('PUBLISHED'), { interval: 5, timeout: 20_000 })
    expect(publisher.status()).toMatchObject({ claimed: 5, running: 4 })
    answer.open()
    await vi.waitFor(() => expect(t.sandbox.published.length).toBeGreaterThan(6), { interval: 5, timeout: 40_000 })
    await publisher.stop()
    await ticked
    expect(t.sandbox.published.map(({ received }) => received)).toEqual(t.sandbox.published.map(() => 1))
  }, 90_000)
})

describe('several publishers on one database', () => {
  test('three of them publish each of 40 posts exactly once', async () => {
    // There are hundreds of calls at once on a busy machine, and none may time out, which is another test.
    t = await startPublisherTest({ graph: { timeoutMs: 30_000 } })
    const channelIds = await Promise.all(
      (['FB_PAGE', 'FB_PAGE', 'INSTAGRAM_ACCOUNT', 'FB_PAGE'] as const).map((type) =>
        t.channel(type, { quotaTotal: 1e6 }),
      ),
    )
    for (let index = 0; index < 40; index++) {
      await t.post({ channels: [{ channelId: channelIds[index % channelIds.length]!, caption: `Post ${index}` }] })
    }
    const publishers = await Promise.all(
      Array.from({ length: 3 }, async () => createPublisher({ ...t.context, database: await t.openAnother() })),
    )
    await Promise.all(publishers.map((publisher) => publisher.tick()))
    expect(t.sandbox.published.map(({ received }) => received)).toEqual(Array(40).fill(1))
    expect(new Set(captions()).size).toBe(40)
    expect(await countPostsByStatus(t.context.database)).toMatchObject({
      PUBLISHED: 40,
      PUBLISHING: 0,
      SCHEDULED: 0,
      FAILED: 0,
    })
    const shares = publishers.map((publisher) => publisher.status())
    expect(shares.reduce((sum, { claimed }) => sum + claimed, 0)).toBe(40)
    expect(t.logLines().filter(({ msg }) => msg === 'another publisher has taken over a post')).toEqual([])
  }, 240_000)
})

describe('a lease that is lost in the middle of a step', () => {
  test('the next holder finds what the call has published, and the late response changes nothing', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await t.post({ channels: [{ channelId, caption: 'Once' }] })
    const call = holdUp(t, /feed$/, 'accepted-then-slow')
    const first = createPublisher(t.context)
    const firstTick = first.tick()
    await call.arrived
    t.clock.advance(120_001)
    await createPublisher(t.context).tick()
    const after = [await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]
    expect((await t.read(id)).status).toBe('PUBLISHED')
    call.release()
    await firstTick
    expect([await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]).toEqual(after)
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
    expect(first.status()).toMatchObject({ claimed: 1, published: 0, failed: 0, running: 0 })
    expect(t.logLines().filter(({ msg }) => msg === 'another publisher has taken over a post')).toHaveLength(1)
    expect((await readHistory(t.tenant, id)).map(({ action }) => action)).toEqual([
      'created',
      'claimed',
      'claimed',
      'published',
    ])
  })

  test('a call that the platform carries out only after the lease was lost is found too', async () => {
    const channelId = await t.channel('INSTAGRAM_ACCOUNT')
    const id = await t.post({ channels: [{ channelId, caption: 'Late' }] })
    const call = holdUp(t, /media_publish$/, 'slow')
    const firstTick = createPublisher(t.context).tick()
    await call.arrived
    t.clock.advance(120_001)
    const second = createPublisher(t.context)
    await second.tick()
    expect([(await t.read(id)).status, t.sandbox.published]).toEqual(['PUBLISHING', []])
    call.release()
    await firstTick
    await t.runToEnd()
    expect((await t.read(id)).status).toBe('PUBLISHED')
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
  })

  test('before the call that publishes: only the next holder makes it', async () => {
    const channelId = await t.channel('FB_PAGE')
    await t.post({ channels: [{ channelId, caption: 'Once' }] })
    const call = holdUp(t, /photos$/, 'slow')
    const firstTick = createPublisher(t.context).tick()
    await call.arrived
    t.clock.advance(120_001)
    await createPublisher(t.context).tick()
    call.release()
    await firstTick
    expect(t.sandbox.published).toEqual([expect.objectContaining({ received: 1 })])
    expect(t.sandbox.requests.filter(({ path }) => path.endsWith('/feed'))).toHaveLength(1)
  })

  test('a publisher does not take over posts that it is still working on', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await t.post({ channels: [{ channelId, caption: 'Once' }] })
    const call = holdUp(t, /feed$/, 'accepted-then-slow')
    const publisher = createPublisher(t.context)
    const ticked = publisher.tick()
    await call.arrived
    t.clock.advance(10 * HOUR_MS)
    await publisher.claimAll()
    expect(publisher.status().claimed).toBe(1)
    call.release()
    await ticked
    expect((await t.read(id)).status).toBe('PUBLISHED')
  })

  test('every write of a holder who lost it is refused, and changes nothing', async () => {
    const channelId = await t.channel('FB_PAGE')
    const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
    const { database } = t.context
    const claimAt = async (now: Date): Promise<Claim | undefined> => {
      const none = { limit: 1, except: [], channelPosts: new Map(), channelPostsMax: 1, lateBefore: new Date(0) }
      return (await claimDuePosts(database, { holder: 'publisher_test', now, leaseMs: 120_000, ...none })).claims[0]
    }
    const lost = (await claimAt(dueIn(0)))!
    expect(await claimAt(dueIn(119_999))).toBeUndefined()
    const held = (await claimAt(dueIn(120_000)))!
    const before = [await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]
    const [row] = lost.publications
    const writes = [
      () => savePublication(database, lost.lease, row!, { attempted_at: dueIn(0) }, dueIn(0)),
      () => releasePost(database, lost.lease, dueIn(0)),
      () => finishPost(database, lost.lease, [{ ...row!, state: 'PUBLISHED' }], dueIn(0)),
    ]
    for (const write of writes) await expect(write()).rejects.toThrow('is lost')
    expect([await t.read(id), await t.publications(id), await readHistory(t.tenant, id)]).toEqual(before)
    await savePublication(database, held.lease, held.publications[0]!, { container_id: '7' }, dueIn(0))
    expect((await t.publications(id))[0]!.container_id).toBe('7')
  })
})

describe('a change that races the claim', () => {
  const RACES = 12

  test.each([
    ['an edit', 'PATCH', '', { channels: {} as Record<string, unknown> }],
    ['a revert', 'POST', '/revert', undefined],
    ['a deletion', 'DELETE', '', undefined],
  ] as const)('%s wins or is refused, and nothing in between', async (_, method, action, body) => {
    const channelId = await t.channel('FB_PAGE')
    const ids: string[] = []
    for (let index = 0; index < RACES; index++) {
      // The time of the edit must be in the future, and the publisher's clock is past it.
      ids.push(await t.post({ scheduledFor: dueIn(1), channels: [{ channelId, caption: `Old ${index}` }] }))
    }
    const ahead: Context = { ...t.context, clock: { now: () => t.clock.now() + 1 } }
    const edits = ids.map((id, index) => {
      const edit = { channels: { [channelId]: { caption: `New ${index}` } } }
      return callAny(t.tenant, method, `/scheduled-posts/${id}${action}`, {
        body: body === undefined ? undefined : edit,
      })
    })
    const [replies] = await Promise.all([Promise.all(edits), createPublisher(ahead).tick()])
    t.clock.advance(1)
    await createPublisher(t.context).tick()
    for (const [index, id] of ids.entries()) {
      const { status } = replies[index]!
      const published = captions().filter((text) => text.endsWith(` ${index}`))
      expect([200, 400]).toContain(status)
      if (status === 400) expect(published).toEqual([`Old ${index}`])
      // Another text waits for its own approval.
      else expect(published).toEqual([])
      await readHistory(t.tenant, id)
    }
  })
})

describe('many posts at once', () => {
  test('a channel that does not answer delays no other', async () => {
    const [slow, good] = [await t.channel('FB_PAGE'), await t.channel('FB_PAGE')]
    for (let index = 0; index < 40; index++) {
      await t.post({ scheduledFor: dueIn(-60_000), channels: [{ channelId: slow, caption: `Slow ${index}` }] })
    }
    const ids = [await t.post({ channels: [{ channelId: good, caption: 'Good' }] })]
    const answer = gate()
    const fault: Fault = { kind: 'slow', until: answer.opened }
    t.sandbox.faults.add({ match: ({ path }) => path.includes(slow.slice(8)), times: 4, fault })
    const publisher = createPublisher(t.context)
    const ticked = publisher.tick()
    await vi.waitFor(async () => expect((await t.read(ids[0]!)).status).toBe('PUBLISHED'), { interval: 5 })
    expect(captions()).toEqual(['Good'])
    answer.open()
    await ticked
    expect(t.sandbox.published).toHaveLength(41)
  })
})

describe('a clock that leaps', () => {
  test('back: started work continues, and nothing is published twice', async () => {
    const channelId = await t.channel('FB_PAGE')
    const call = holdUp(t, /feed$/, 'accepted-then-slow')
    const held = await t.post({ channels: [{ channelId, caption: 'Held' }] })
    const first = createPublisher(t.context).tick()
    await call.arrived
    t.sandbox.faults.add({ match: /photos$/, fault: { kind: 'reset' } })
    const waiting = await t.post({ channels: [{ channelId, caption: 'Waiting' }] })
    const publisher = createPublisher(t.context)
    await publisher.tick()
    expect((await t.read(waiting)).next_attempt_at).not.toBeNull()

    // The platform has the same clock, and must have released the version of the calls by then.
    t.clock.advance(-10 * 24 * HOUR_MS)
    await publisher.tick()
    expect((await t.read(waiting)).status).toBe('PUBLISHED')
    call.release()
    await first
    t.clock.advance(10 * 24 * HOUR_MS)
    await t.runToEnd()
    expect((await t.read(held)).status).toBe('PUBLISHED')
    expect(captions()).toEqual(['Held', 'Waiting'])
    expect(t.sandbox.published.map(({ received }) => received)).toEqual([1, 1])
  })

  test('forward within the limit: posts are published; beyond it, they are too late by the clock', async () => {
    const channelId = await t.channel('FB_PAGE')
    await t.post({ scheduledFor: dueIn(HOUR_MS), channels: [{ channelId, caption: 'Soon' }] })
    const later = await t.post({ scheduledFor: dueIn(30 * HOUR_MS), channels: [{ channelId, caption: 'Later' }] })
    t.clock.advance(20 * HOUR_MS)
    const publisher = createPublisher(t.context)
    await publisher.tick()
    expect(captions()).toEqual(['Soon'])
    t.clock.advance(35 * HOUR_MS)
    await publisher.tick()
    expect((await t.read(later)).status).toBe('FAILED')
  })
})

/** A database that can be made unreachable. */
function unreliable(context: Context): { context: Context; setGone(gone: boolean): void } {
  let isGone = false
  const check = (): void => {
    if (isGone) throw new DatabaseUnavailableError(new Error('gone'))
  }
  const { database } = context
  return {
    context: {
      ...context,
      database: {
        ...database,
        async query(...args) {
          check()
          return await database.query(...args)
        },
        async transaction(work) {
          check()
          return await database.transaction(work)
        },
      },
    },
    setGone(gone) {
      isGone = gone
    },
  }
}

describe('the loop', () => {
  /** A wait that ends when the test says so. */
  function turns(): { wait: Wait; waits: number[]; wake(): void; next(): Promise<void> } {
    const waits: number[] = []
    let wake = (): void => {}
    return {
      waits,
      wake: () => wake(),
      wait(ms, signal) {
        waits.push(ms)
        return new Promise((resolve, reject) => {
          wake = resolve
          signal?.addEventListener('abort', () => reject(signal.reason))
        })
      },
      async next() {
        const before = waits.length
        wake()
        await vi.waitFor(() => expect(waits.length).toBeGreaterThan(before), { interval: 1 })
      },
    }
  }

  test('survives a database outage, and continues where it was', async () => {
    const channelId = await t.channel('FB_PAGE')
    const { context, setGone } = unreliable(t.context)
    const { wait, waits, next } = turns()
    const retries = turns()
    const call = holdUp(t, /photos$/, 'slow')
    const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
    const publisher = startPublisher(context, { wait, aliveWait: turns().wait, retryWait: retries.wait })
    await call.arrived
    setGone(true)
    call.release()
    await vi.waitFor(() => expect(retries.waits).toHaveLength(1), { interval: 1 })
    await retries.next()
    expect(publisher.status().running).toBe(1)
    await next()
    await next()
    const { lastTickAt } = publisher.status()
    t.clock.advance(60_000)
    await next()
    expect(publisher.status().lastTickAt).toEqual(lastTickAt)
    // Only the database itself logs the outage, once.
    expect(t.logLines().filter(({ level }) => Number(level) >= 50)).toEqual([])
    t.clock.advance(60_001)
    retries.wake()
    // Its lease has expired.
    await vi.waitFor(() => expect(publisher.status().running).toBe(0), { interval: 1 })
    setGone(false)
    await next()
    await vi.waitFor(async () => expect((await t.read(id)).status).toBe('PUBLISHED'), { interval: 5 })
    expect(publisher.status().lastTickAt).toEqual(dueIn(0))
    expect(new Set(waits)).toEqual(new Set([1_000]))
    await publisher.stop()
    expect(t.sandbox.published).toHaveLength(1)
  })

  test('a stop releases the posts at once: reads are cut off, and writes are awaited', async () => {
    const [reading, sending] = [await t.channel('INSTAGRAM_ACCOUNT'), await t.channel('FB_PAGE')]
    const read = holdUp(t, /content_publishing_limit$/, 'slow')
    const sent = holdUp(t, /photos$/, 'slow')
    const ids = [
      await t.post({ channels: [{ channelId: reading, caption: 'Reading' }] }),
      await t.post({ channels: [{ channelId: sending, caption: 'Sending' }] }),
    ]
    const publisher = startPublisher(t.context, { wait: turns().wait, aliveWait: turns().wait })
    await Promise.all([read.arrived, sent.arrived])
    const stopped = publisher.stop()
    sent.release()
    await stopped
    for (const id of ids) expect(await t.read(id)).toMatchObject({ status: 'PUBLISHING', leased_by: null })
    expect((await t.publications(ids[1]!))[0]!.container_id).not.toBeNull()
    expect(t.logLines().filter(({ level }) => Number(level) >= 50)).toEqual([])
    expect(publisher.status()).toMatchObject({ running: 0, published: 0 })
    read.release()
    await createPublisher(t.context).tick()
    expect(captions()).toEqual(['Reading', 'Sending'])
  })

  test('starts its rounds however often posts end', async () => {
    const channelId = await t.channel('FB_PAGE')
    const { wait, waits, next } = turns()
    const held = holdUp(t, /photos$/, 'slow')
    await t.post({ channels: [{ channelId, caption: 'Held' }] })
    const publisher = startPublisher(t.context, { wait, aliveWait: turns().wait })
    await held.arrived
    const late = await t.post({ scheduledFor: dueIn(-25 * HOUR_MS), channels: [{ channelId, caption: 'Late' }] })
    const soon = await t.post({ channels: [{ channelId, caption: 'Soon' }] })
    held.release()
    await vi.waitFor(async () => expect((await t.read(soon)).status).toBe('PUBLISHED'), { interval: 5, timeout: 5_000 })
    await vi.waitFor(() => expect(publisher.status().running).toBe(0), { interval: 5 })
    // The wait is the same as before these posts ended.
    expect(waits).toHaveLength(1)
    await next()
    await vi.waitFor(async () => expect((await t.read(late)).status).toBe('FAILED'), { interval: 5 })
    await publisher.stop()
  })

  test('claims due posts repeatedly, and stops on request', async () => {
    const channelId = await t.channel('FB_PAGE')
    const { wait, waits, next } = turns()
    const publisher = startPublisher(t.context, { wait, aliveWait: turns().wait })
    await vi.waitFor(() => expect(waits).toHaveLength(1), { interval: 1 })
    const id = await t.post({ channels: [{ channelId, caption: 'Hi' }] })
    await next()
    await vi.waitFor(async () => expect((await t.read(id)).status).toBe('PUBLISHED'), { interval: 5 })
    await publisher.stop()
    const after = await t.post({ channels: [{ channelId, caption: 'After' }] })
    await publisher.tick()
    expect((await t.read(after)).status).toBe('SCHEDULED')
  })
})

test('the statistics have the oldest due post and the number of posts by status', async () => {
  const channelId = await t.channel('FB_PAGE')
  const { database } = t.context
  expect(await findOldestDueAt(database, dueIn(0))).toBeUndefined()
  expect(await countPostsByStatus(database)).toEqual({
    DRAFT: 0,
    WAITING_FOR_APPROVAL: 0,
    REJECTED: 0,
    SCHEDULED: 0,
    PUBLISHING: 0,
    PUBLISHED: 0,
    FAILED: 0,
  })
  const channels = [{ channelId, caption: 'Hi' }]
  await t.post({ status: 'DRAFT', scheduledFor: dueIn(-9_000), channels })
  await t.post({ scheduledFor: dueIn(-5_000), channels })
  await t.post({ scheduledFor: dueIn(-3_000), channels })
  await t.post({ scheduledFor: dueIn(1), channels })
  expect(await findOldestDueAt(database, dueIn(0))).toEqual(dueIn(-5_000))
  expect(await countPostsByStatus(database)).toMatchObject({ DRAFT: 1, SCHEDULED: 3 })

  const other = await Tenant.create(t)
  await insertPost(other, { status: 'SCHEDULED', scheduledFor: dueIn(-60_000) })
  expect(await findOldestDueAt(database, dueIn(0))).toEqual(dueIn(-60_000))
  await operatorCall(t, 200, 'PATCH', `/organizations/${other.organizationId}`, { body: { active: false } })
  expect(await findOldestDueAt(database, dueIn(0))).toEqual(dueIn(-5_000))
  const rolledBack = database.transaction(async (tx) => {
    await tx.query('delete from scheduled_posts')
    throw new Error('rolled back')
  })
  await expect(rolledBack).rejects.toThrow('rolled back')
  expect(await countPostsByStatus(database)).toMatchObject({ DRAFT: 1, SCHEDULED: 4 })
  await database.query('delete from scheduled_posts where organization_id = $1', [other.organizationId])
  await t.runToEnd()
  expect(await countPostsByStatus(database)).toMatchObject({ DRAFT: 1, SCHEDULED: 0, PUBLISHED: 3 })
  const { rows } = await database.query('select status, count(*) as posts from scheduled_posts group by status')
  const counted = Object.entries(await countPostsByStatus(database)).filter(([, posts]) => posts > 0)
  expect(Object.fromEntries(rows.map(({ status, posts }) => [status, posts]))).toEqual(Object.fromEntries(counted))
})
