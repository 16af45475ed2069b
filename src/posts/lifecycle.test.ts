import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import {
  callAny,
  type HistoryItem,
  insertPost,
  moveAsPublisher,
  operatorAny,
  publishable,
  readHistory,
  versionIn,
} from '../../test/posts.js'
import { runs } from '../../test/runs.js'
import { POST_STATUSES, type PostStatus } from '../interface/post-status.js'
import { nextStatus } from './lifecycle.js'

let app: TestApp
let tenant: Tenant
let page: string
let account: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  page = await tenant.channel([], 'FB_PAGE')
  account = await tenant.channel([], 'INSTAGRAM_ACCOUNT')
})

const LATER = '2026-12-02T10:00:00.000Z'

const CALL_NAMES = ['update', 'updateToDraft', 'submit', 'approve', 'reject', 'revert', 'retry', 'delete'] as const
type CallName = (typeof CALL_NAMES)[number]

/** Each action of a caller or the operator on a post, as a call. */
const CALLS: Record<CallName, (id: string, headers?: Record<string, string>) => Promise<Reply>> = {
  update: (id, headers) => callAny(tenant, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'Edited' }, headers }),
  updateToDraft: (id, headers) =>
    callAny(tenant, 'PATCH', `/scheduled-posts/${id}`, { body: { status: 'DRAFT', notes: 'Edited' }, headers }),
  submit: (id, headers) => callAny(tenant, 'POST', `/scheduled-posts/${id}/submit-for-approval`, { headers }),
  // An approval names the version that was read, by default the current one.
  approve: async (id, headers = {}) => {
    const { headers: found } = await callAny(tenant, 'GET', `/scheduled-posts/${id}`)
    const ifMatch = headers['if-match'] ?? String(found.etag ?? '"1"')
    return operatorAny(tenant, 'POST', `/scheduled-posts/${id}/approve`, {
      headers: { ...headers, 'if-match': ifMatch },
    })
  },
  reject: (id, headers) =>
    callAny(tenant, 'POST', `/scheduled-posts/${id}/reject`, { body: { notes: 'Too loud' }, headers }),
  revert: (id, headers) => callAny(tenant, 'POST', `/scheduled-posts/${id}/revert`, { headers }),
  retry: (id, headers) =>
    operatorAny(tenant, 'POST', `/scheduled-posts/${id}/retry`, { body: { scheduledFor: LATER }, headers }),
  delete: (id, headers) => callAny(tenant, 'DELETE', `/scheduled-posts/${id}`, { headers }),
}

const ACTIONS: Record<CallName, string> = {
  update: 'updated',
  updateToDraft: 'updated',
  submit: 'submitted',
  approve: 'approved',
  reject: 'rejected',
  revert: 'reverted',
  retry: 'retried',
  delete: 'deleted',
}

/** The result of each call; missing ones are refused. It is written out, not derived: this is the life of a post. */
const LEADS_TO: Record<PostStatus, Partial<Record<CallName, PostStatus | 'nothing'>>> = {
  DRAFT: { update: 'DRAFT', updateToDraft: 'DRAFT', submit: 'WAITING_FOR_APPROVAL', delete: 'nothing' },
  WAITING_FOR_APPROVAL: {
    update: 'WAITING_FOR_APPROVAL',
    approve: 'SCHEDULED',
    reject: 'REJECTED',
    delete: 'nothing',
  },
  REJECTED: { update: 'REJECTED', updateToDraft: 'DRAFT', submit: 'WAITING_FOR_APPROVAL', delete: 'nothing' },
  SCHEDULED: { update: 'SCHEDULED', revert: 'DRAFT', delete: 'nothing' },
  PUBLISHING: {},
  PUBLISHED: {},
  FAILED: { retry: 'SCHEDULED', delete: 'nothing' },
}

const read = (status: number, id: string): Promise<Reply> => tenant.get(status, `/scheduled-posts/${id}`)
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const hasTask = (status: string): boolean => status === 'SCHEDULED' || status === 'PUBLISHING'

describe('interface 3: every call in every status', () => {
  const pairs = POST_STATUSES.flatMap((status) => CALL_NAMES.map((name) => [status, name] as const))

  test.each(pairs)('%s, %s', async (status, name) => {
    const id = await insertPost(tenant, { ...publishable(page, account), status })
    const before = await read(200, id)
    const reply = await CALLS[name](id)
    const next = LEADS_TO[status][name]
    const history = await readHistory(tenant, id)

    if (next === undefined) {
      expect([reply.status, codeOf(reply)]).toEqual([400, 'wrong_state'])
      expect(reply.body.message).toMatch(new RegExp(`^The post is ${status}: .+\\.$`))
      const after = await read(200, id)
      expect([after.body, after.headers.etag]).toEqual([before.body, before.headers.etag])
      expect(history).toHaveLength(1)
      return
    }

    expect(reply.status).toBe(200)
    const actor = name === 'approve' || name === 'retry' ? 'operator' : `key:${tenant.key.id}`
    expect(history[1]).toMatchObject({
      actor,
      action: ACTIONS[name],
      fromStatus: status,
      at: '2026-11-20T09:00:00.000Z',
    })
    expect(history).toHaveLength(2)
    if (next === 'nothing') {
      expect(reply.body).toEqual({ message: expect.any(String) })
      expect(history[1]).not.toHaveProperty('toStatus')
      expect(codeOf(await read(404, id))).toBe('post_not_found')
    } else {
      expect(reply.body.status).toBe(next)
      expect(history[1]?.toStatus).toBe(next)
      expect(versionIn(reply.headers.etag)).toBe(2)
      expect(reply.body.taskId === undefined).toBe(!hasTask(next))
      const after = await read(200, id)
      expect([after.body, after.headers.etag]).toEqual([reply.body, reply.headers.etag])
    }
  })

  test.each(pairs)('%s, %s: a stale If-Match is refused first, and the right one is accepted', async (status, name) => {
    const id = await insertPost(tenant, { ...publishable(page), status })
    const stale = await CALLS[name](id, { 'if-match': '"7"' })
    expect([stale.status, codeOf(stale)]).toEqual([412, 'post_changed'])
    const fresh = await CALLS[name](id, { 'if-match': '"1"' })
    expect(fresh.status).toBe(LEADS_TO[status][name] === undefined ? 400 : 200)
  })

  test.each(CALL_NAMES)("%s: an unknown post and another organization's are not found", async (name) => {
    const foreign = await insertPost(await Tenant.create(app), { status: 'DRAFT' })
    for (const id of ['post_missing', foreign]) {
      const reply = await CALLS[name](id, { 'if-match': '"7"' })
      expect([reply.status, codeOf(reply)]).toEqual([404, 'post_not_found'])
    }
  })

  test('the publisher leads from SCHEDULED to PUBLISHING and to an end, and nowhere else', () => {
    const leadsTo = {
      claim: { SCHEDULED: 'PUBLISHING', PUBLISHING: 'PUBLISHING' },
      finish: { PUBLISHING: 'PUBLISHED' },
      finishWithFailure: { PUBLISHING: 'FAILED' },
      expire: { SCHEDULED: 'FAILED' },
    } as const
    for (const [trigger, table] of Object.entries(leadsTo)) {
      for (const status of POST_STATUSES) {
        const next = (table as Partial<Record<PostStatus, PostStatus>>)[status]
        const move = () => nextStatus(trigger as keyof typeof leadsTo, status)
        if (next === undefined) expect(move, `${trigger} ${status}`).toThrow(`The post is ${status}`)
        else expect(move()).toBe(next)
      }
    }
  })
})

describe('effects of a call besides the status', () => {
  test('approval creates a task, a revert drops it, and a second approval creates another', async () => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'WAITING_FOR_APPROVAL' })
    const first = (await CALLS.approve(id)).body.taskId
    expect(first).toMatch(/^task_/)
    expect((await CALLS.revert(id)).body).not.toHaveProperty('taskId')
    await CALLS.submit(id)
    const second = (await CALLS.approve(id)).body.taskId
    expect(second).toMatch(/^task_/)
    expect(second).not.toBe(first)
  })

  test('a rejection gives the reason to the writer and the history, and keeps everything else', async () => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'WAITING_FOR_APPROVAL', notes: 'Please look' })
    const { body: before } = await read(200, id)
    const { body } = await CALLS.reject(id)
    expect(body).toEqual({ ...before, status: 'REJECTED', notes: 'Too loud' })
    expect((await readHistory(tenant, id))[1]?.detail).toEqual({ notes: 'Too loud' })
  })

  test.each([
    {},
    { notes: '' },
    { notes: ' \n\t\u00a0' },
    { notes: null },
    { notes: 1 },
    { notes: 'x', status: 'DRAFT' },
  ])('a rejection with %j is refused', async (body) => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'WAITING_FOR_APPROVAL' })
    await tenant.call(422, 'POST', `/scheduled-posts/${id}/reject`, { body })
    expect((await read(200, id)).body.status).toBe('WAITING_FOR_APPROVAL')
  })

  test('a post must be ready to be published to be submitted, approved and retried', async () => {
    for (const [status, name] of [
      ['DRAFT', 'submit'],
      ['REJECTED', 'submit'],
      ['WAITING_FOR_APPROVAL', 'approve'],
      ['FAILED', 'retry'],
    ] as const) {
      const id = await insertPost(tenant, { status, channels: [{ channelId: page }] })
      const reply = await CALLS[name](id)
      expect([reply.status, codeOf(reply)]).toEqual([400, 'publish_check_failed'])
      for (const missing of ['media', page]) expect(reply.body.message).toContain(missing)
      expect((await read(200, id)).body.status).toBe(status)
      expect(await readHistory(tenant, id)).toHaveLength(1)
    }
  })

  test('a post whose time passed while it waited cannot be approved until it has a new time', async () => {
    const scheduledFor = new Date(app.clock.now())
    const id = await insertPost(tenant, { ...publishable(page), status: 'WAITING_FOR_APPROVAL', scheduledFor })
    const reply = await CALLS.approve(id)
    expect([reply.status, codeOf(reply)]).toEqual([400, 'publish_check_failed'])
    expect(reply.body.message).toContain('scheduledFor in the future')
    await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { scheduledFor: LATER } })
    expect((await CALLS.approve(id)).status).toBe(200)
  })

  test('a retry sets a new time and a task, and clears the failure of the channels', async () => {
    const channels = [
      { channelId: page, caption: 'Hi', failedToPublish: true },
      { channelId: account, caption: 'Hi' },
    ]
    const id = await insertPost(tenant, { ...publishable(), channels, status: 'FAILED' })
    const { body } = await CALLS.retry(id)
    expect(body).toMatchObject({ status: 'SCHEDULED', scheduledFor: LATER, taskId: expect.stringMatching(/^task_/) })
    expect(body.mediumsData[page].failedToPublish).toBe(false)
    expect((await readHistory(tenant, id))[1]?.detail).toEqual({ scheduledFor: LATER })
  })

  test('a retry resets the channels that failed and does not touch the published ones', async () => {
    const id = await insertPost(tenant, { ...publishable(page, account), status: 'FAILED' })
    await app.context.database.query(
      `insert into publications (organization_id, scheduled_post_id, channel_id, state, container_id, attempted_at,
                                 external_id, permalink, attempts, error)
       values ($1, $2, $3, 'PUBLISHED', 'c1', $5, 'e1', 'https://example.com/1', 1, null),
              ($1, $2, $4, 'FAILED', 'c2', $5, 'e2', 'https://example.com/2', 2, 'No')`,
      [tenant.organizationId, id, page, account, new Date(0)],
    )
    expect((await CALLS.retry(id)).status).toBe(200)
    const { rows } = await app.context.database.query(
      `select channel_id, state, container_id, attempted_at, external_id, permalink, attempts, error
         from publications where organization_id = $1 and scheduled_post_id = $2 order by channel_id`,
      [tenant.organizationId, id],
    )
    const begun = {
      container_id: null,
      attempted_at: null,
      external_id: null,
      permalink: null,
      attempts: 0,
      error: null,
    }
    expect(rows).toEqual([
      {
        channel_id: page,
        state: 'PUBLISHED',
        container_id: 'c1',
        attempted_at: new Date(0),
        external_id: 'e1',
        permalink: 'https://example.com/1',
        attempts: 1,
        error: null,
      },
      { channel_id: account, state: 'PENDING', ...begun },
    ])
  })

  test.each([
    [{ scheduledFor: null }, 422],
    [{ scheduledFor: '2026-12-01' }, 422],
    [{ scheduledFor: LATER, more: 1 }, 422],
    [{ scheduledFor: '2026-11-20T09:00:00Z' }, 400],
  ])('a retry with %j is a %d', async (body, status) => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'FAILED' })
    const path = `/organizations/${tenant.organizationId}/scheduled-posts/${id}/retry`
    await operatorCall(app, status, 'POST', path, { body })
    expect((await read(200, id)).body.status).toBe('FAILED')
  })

  test('the history lists the fields that an update changed, and no others', async () => {
    const id = await insertPost(tenant, { ...publishable(page, account), notes: 'Same' })
    const patch = (body: object) => tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body })
    await patch({ notes: 'Same', media: 'https://cdn.example.com/b.jpg', channels: { [account]: null, [page]: {} } })
    await patch({ mediaType: 'VIDEO', scheduledFor: LATER, channels: { [page]: { caption: 'New' } } })
    await patch({ notes: 'Same' })
    const history = await readHistory(tenant, id)
    expect(history.map(({ detail }) => detail)).toEqual([
      undefined,
      { changed: ['media', `channels.${account}`] },
      { changed: ['scheduledFor', 'mediaType', `channels.${page}`], channelFields: { [page]: ['caption'] } },
    ])
  })

  test('the earlier variant also writes the history', async () => {
    const id = await insertPost(tenant)
    await tenant.callEarlier(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'New' } })
    expect((await readHistory(tenant, id))[1]).toMatchObject({ action: 'updated', actor: `key:${tenant.key.id}` })
  })
})

describe('approval is human', () => {
  test.each(['approve', 'publish'])('POST …/%s is refused to a key, whatever the post', async (verb) => {
    const waiting = await insertPost(tenant, { ...publishable(page), status: 'WAITING_FOR_APPROVAL' })
    const draft = await insertPost(tenant)
    for (const id of [waiting, draft, 'post_missing']) {
      const reply = await tenant.call(403, 'POST', `/scheduled-posts/${id}/${verb}`)
      expect(codeOf(reply)).toBe('approval_is_human')
      expect(reply.body).toEqual({ message: expect.stringContaining('API keys cannot approve or publish posts') })
    }
    expect((await read(200, waiting)).body.status).toBe('WAITING_FOR_APPROVAL')
    expect(await readHistory(tenant, waiting)).toHaveLength(1)
    // The earlier checks come first, as everywhere.
    const unsigned = await tenant.call(403, 'POST', `/scheduled-posts/${waiting}/${verb}`, {
      headers: { 'x-signature': '0'.repeat(64) },
    })
    expect(codeOf(unsigned)).toBe('signature_invalid')
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { active: false } })
    await tenant.call(402, 'POST', `/scheduled-posts/${waiting}/${verb}`)
  })
})

describe('the history', () => {
  test('outlives the post, and cannot be read by another organization', async () => {
    const id = await insertPost(tenant, publishable(page))
    await CALLS.delete(id)
    expect((await readHistory(tenant, id)).at(-1)).toMatchObject({ version: 2, action: 'deleted', fromStatus: 'DRAFT' })
    const other = await Tenant.create(app)
    for (const [organizationId, postId, code] of [
      [other.organizationId, id, 'post_not_found'],
      [tenant.organizationId, 'post_missing', 'post_not_found'],
      ['none', id, 'organization_not_found'],
    ]) {
      const path = `/organizations/${organizationId}/scheduled-posts/${postId}/history`
      expect(codeOf(await operatorCall(app, 404, 'GET', path))).toBe(code)
    }
  })

  test('cannot be changed or removed', async () => {
    const id = await insertPost(tenant)
    for (const statement of [
      `update audit_trail set actor_type = 'operator' where organization_id = $1 and target_id = $2`,
      'delete from scheduled_post_history where organization_id = $1 and scheduled_post_id = $2',
    ]) {
      const change = app.context.database.query(statement, [tenant.organizationId, id])
      await expect(change).rejects.toThrow('append-only')
    }
    expect(await readHistory(tenant, id)).toHaveLength(1)
  })

  test('of a post that is older than the history is empty', async () => {
    const id = 'post_of_before'
    await app.context.database.query(
      `insert into scheduled_posts (organization_id, scheduled_post_id, status, created_at, updated_at)
       values ($1, $2, 'DRAFT', $3, $3)`,
      [tenant.organizationId, id, new Date(0)],
    )
    const path = `/organizations/${tenant.organizationId}/scheduled-posts/${id}/history`
    expect((await operatorCall(app, 200, 'GET', path)).body).toEqual({ items: [], nextCursor: null })
  })
})

describe('hashtags during the life of a post', () => {
  const tagged = (status: PostStatus, hashtag = '#sale') =>
    insertPost(tenant, {
      ...publishable(),
      status,
      channels: [{ channelId: page, caption: 'Hi', superpower: { hashtag } }],
    })

  test.each([
    'DRAFT',
    'WAITING_FOR_APPROVAL',
    'REJECTED',
    'SCHEDULED',
  ] as const)('a deleted %s post releases its own', async (status) => {
    const id = await tagged(status)
    await expect(tagged('DRAFT')).rejects.toMatchObject({ code: 'hashtag_conflict' })
    expect((await CALLS.delete(id)).status).toBe(200)
    await tagged('DRAFT')
  })

  test('a retry claims them again, and conflicts if another post has taken one', async () => {
    const failed = await tagged('FAILED')
    const taker = await tagged('DRAFT')
    const reply = await CALLS.retry(failed)
    expect(reply.status).toBe(409)
    expect(reply.body.conflicts).toEqual([{ mediumId: page, hashtag: '#sale', reason: 'already-in-use' }])
    expect((await read(200, failed)).body.status).toBe('FAILED')
    await CALLS.delete(taker)
    expect((await CALLS.retry(failed)).status).toBe(200)
    await expect(tagged('DRAFT')).rejects.toMatchObject({ code: 'hashtag_conflict' })
  })

  test('a retry does not claim the hashtag of a channel on which the post is already published', async () => {
    const failed = await insertPost(tenant, {
      ...publishable(),
      status: 'FAILED',
      channels: [
        { channelId: page, caption: 'Hi', superpower: { hashtag: '#sale' } },
        { channelId: account, caption: 'Hi', superpower: { hashtag: '#sale' }, failedToPublish: true },
      ],
    })
    await app.context.database.query(
      `insert into publications (organization_id, scheduled_post_id, channel_id, state)
       values ($1, $2, $3, 'PUBLISHED'), ($1, $2, $4, 'FAILED')`,
      [tenant.organizationId, failed, page, account],
    )
    await tagged('DRAFT')
    expect((await CALLS.retry(failed)).status).toBe(200)
  })

  test('of two simultaneous retries that want one hashtag, exactly one wins', async () => {
    for (let round = 0; round < runs(1, 3); round++) {
      const hashtag = `#round${round}`
      const ids = await Promise.all([tagged('FAILED', hashtag), tagged('FAILED', hashtag)])
      const replies = await Promise.all(ids.map((id) => CALLS.retry(id)))
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })
})

describe('at the same time', () => {
  test.each([
    ['approve', 'WAITING_FOR_APPROVAL'],
    ['submit', 'DRAFT'],
    ['reject', 'WAITING_FOR_APPROVAL'],
    ['revert', 'SCHEDULED'],
    ['retry', 'FAILED'],
    ['delete', 'SCHEDULED'],
  ] as const)('of four calls to %s a %s post, exactly one succeeds', async (name, status) => {
    const id = await insertPost(tenant, { ...publishable(page), status })
    const seen: Record<string, string> = name === 'approve' ? { 'if-match': '"1"' } : {}
    const replies = await Promise.all(Array.from({ length: 4 }, () => CALLS[name](id, seen)))
    // The first has changed the version that the others would approve.
    const refusal = name === 'delete' ? 404 : name === 'approve' ? 412 : 400
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(3).fill(refusal)])
    expect(await readHistory(tenant, id)).toHaveLength(2)
  })

  test('an edit, a revert and a deletion of one version: exactly one happens', async () => {
    for (let round = 0; round < runs(3, 8); round++) {
      const id = await insertPost(tenant, { ...publishable(page), status: 'SCHEDULED' })
      const all = ['update', 'revert', 'delete'] as const
      const names = [...all.slice(round % 3), ...all.slice(0, round % 3)]
      const replies = await Promise.all(names.map((name) => CALLS[name](id, { 'if-match': '"1"' })))
      const won = replies.filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      for (const { status } of replies) expect([200, 404, 412]).toContain(status)
      expect(await readHistory(tenant, id)).toHaveLength(2)
    }
  })

  test('without If-Match they happen one after another, each on the result of the previous one', async () => {
    for (let round = 0; round < runs(3, 8); round++) {
      const id = await insertPost(tenant, { ...publishable(page), status: 'SCHEDULED' })
      const claim = moveAsPublisher(tenant, id, 'claim').then(
        () => 1,
        () => 0,
      )
      const replies = await Promise.all([CALLS.revert(id), CALLS.update(id), CALLS.delete(id), CALLS.approve(id)])
      const claimed = await claim
      const history = await readHistory(tenant, id)
      const done = replies.filter(({ status }) => status === 200).length + claimed
      expect(history).toHaveLength(1 + done)
      // Claimed first, nothing else can happen to it; deleted or reverted first, there is nothing to claim.
      if (claimed === 1) expect(history.at(-1)?.action).toBe('claimed')
    }
  })

  test('an edit during a claim changes either the published content or nothing', async () => {
    for (let round = 0; round < runs(3, 8); round++) {
      const id = await insertPost(tenant, { ...publishable(page), status: 'SCHEDULED' })
      const [reply] = await Promise.all([CALLS.update(id), moveAsPublisher(tenant, id, 'claim')])
      const actions = (await readHistory(tenant, id)).map(({ action }) => action)
      expect(actions).toEqual(reply.status === 200 ? ['created', 'updated', 'claimed'] : ['created', 'claimed'])
      expect((await read(200, id)).body.notes).toBe(reply.status === 200 ? 'Edited' : undefined)
    }
  })
})

describe('every path through a life', () => {
  const MOVES = ['claim', 'finish', 'finishWithFailure', 'expire'] as const
  const TAGS = ['#one', 'ONE', '#two']

  const step = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), tag: fc.constantFrom(...TAGS) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('retag' as const), on: fc.nat(5), tag: fc.constantFrom(...TAGS) }),
    },
    {
      weight: 8,
      arbitrary: fc.record({ kind: fc.constant('call' as const), on: fc.nat(5), name: fc.constantFrom(...CALL_NAMES) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('publisher' as const), on: fc.nat(5), name: fc.constantFrom(...MOVES) }),
    },
  )
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

  interface Post {
    id: string
    status: PostStatus | 'nothing'
    changes: number
  }

  /** Takes one step and compares its response with the table above. */
  async function take(posts: Post[], at: Step): Promise<void> {
    if (at.kind === 'create') {
      const channels = { [page]: { caption: 'Hi', superpower: { hashtag: at.tag } } }
      const body = { scheduledFor: LATER, media: 'https://cdn.example.com/a.jpg', channels }
      const reply = await callAny(tenant, 'POST', '/scheduled-posts', { body })
      if (reply.status === 201) posts.push({ id: reply.body.id, status: 'DRAFT', changes: 1 })
      else expect(reply.status).toBe(409)
      return
    }
    const post = posts[at.on % posts.length]!
    if (at.kind === 'publisher') {
      const move = moveAsPublisher(tenant, post.id, at.name)
      if (post.status === 'nothing') return expect(move).rejects.toMatchObject({ code: 'post_not_found' })
      const legal = { claim: ['SCHEDULED', 'PUBLISHING'], finish: ['PUBLISHING'], expire: ['SCHEDULED'] }
      if (!(legal[at.name as 'claim'] ?? ['PUBLISHING']).includes(post.status)) {
        return expect(move).rejects.toMatchObject({ code: 'wrong_state' })
      }
      await move
      post.status = ({ claim: 'PUBLISHING', finish: 'PUBLISHED' } as const)[at.name as 'claim'] ?? 'FAILED'
      post.changes++
      return
    }
    const before = post.status
    const { body: old } = before === 'nothing' ? { body: {} } : await read(200, post.id)
    const name = at.kind === 'retag' ? 'update' : at.name
    const reply =
      at.kind === 'retag'
        ? await callAny(tenant, 'PATCH', `/scheduled-posts/${post.id}`, {
            body: { channels: { [page]: { superpower: { id: 'same', hashtag: at.tag } } } },
          })
        : await CALLS[name](post.id)
    const changed = JSON.stringify(reply.body.mediumsData) !== JSON.stringify(old.mediumsData)
    const table = before === 'nothing' ? 404 : (LEADS_TO[before][name] ?? 400)
    // An approval is for the content.
    const next = at.kind === 'retag' && before === 'SCHEDULED' && changed ? 'WAITING_FOR_APPROVAL' : table
    if (reply.status === 409) {
      expect(at.kind === 'retag' || name === 'retry').toBe(true)
    } else if (typeof next === 'number') {
      expect(reply.status).toBe(next)
    } else {
      expect(reply.status).toBe(200)
      post.status = next
      // An update that changes nothing does not count.
      if (JSON.stringify(reply.body) !== JSON.stringify(old)) post.changes++
    }
  }

  test('follows the table, loses no change, and never has a hashtag twice on a channel', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        tenant = await Tenant.create(app)
        page = await tenant.channel()
        const posts: Post[] = []
        // The other steps need an existing post.
        await take(posts, { kind: 'create', tag: '#first' })
        for (const at of steps) await take(posts, at)

        const inUse: string[] = []
        for (const { id, status, changes } of posts) {
          const history: HistoryItem[] = await readHistory(tenant, id)
          expect(history).toHaveLength(changes)
          if (status === 'nothing') {
            expect(history.at(-1)?.action).toBe('deleted')
            await read(404, id)
            continue
          }
          expect(history.at(-1)?.toStatus).toBe(status)
          const { body, headers } = await read(200, id)
          expect([body.status, versionIn(headers.etag), body.taskId !== undefined]).toEqual([
            status,
            changes,
            hasTask(status),
          ])
          if (!['PUBLISHED', 'FAILED'].includes(status)) inUse.push(body.mediumsData[page].superpower.lookupHashtag)
        }
        expect(new Set(inUse).size).toBe(inUse.length)
        const { body: listed } = await tenant.get(200, '/scheduled-posts')
        const alive = posts.filter(({ status }) => status !== 'nothing').map(({ id }) => id)
        expect(listed.map(({ id }: { id: string }) => id).sort()).toEqual(alive.sort())
      }),
      { numRuns: runs(6, 40) },
    )
  })
})
