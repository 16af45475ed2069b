import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type CallOptions,
  operatorCall,
  type Reply,
  startOwnTestApp,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { callAny, insertPost, readHistory, wholeSuperpower } from '../../test/posts.js'

let app: TestApp
let tenant: Tenant
let page: string
let account: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  page = await tenant.channel([], 'FB_PAGE', 'A page')
  account = await tenant.channel([], 'INSTAGRAM_ACCOUNT', 'An account')
})

const create = (status: number, body: unknown, headers?: CallOptions['headers']): Promise<Reply> =>
  tenant.call(status, 'POST', '/scheduled-posts', headers === undefined ? { body } : { body, headers })
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const listed = async (): Promise<string[]> =>
  (await tenant.get(200, '/scheduled-posts?limit=200')).body.map(({ id }: { id: string }) => id)

const ready = () => ({
  scheduledFor: '2026-12-24T18:00:00Z',
  media: 'https://cdn.example.com/a.jpg',
  mediaType: 'IMAGE',
  notes: 'Soon',
  channels: { [page]: { mediumType: 'FB_PAGE', caption: 'Hello' }, [account]: { caption: 'Hi' } },
})

describe('creating a post', () => {
  test('stores everything that was sent, and the post can be read as it was answered', async () => {
    const { body, headers } = await create(201, ready())
    expect(body).toEqual({
      id: expect.stringMatching(/^post_/),
      orgId: tenant.organizationId,
      type: 'POST',
      media: 'https://cdn.example.com/a.jpg',
      mediaType: 'IMAGE',
      scheduledFor: '2026-12-24T18:00:00.000Z',
      mediumsData: {
        [page]: { caption: 'Hello', mediumType: 'FB_PAGE', mediumName: 'A page', failedToPublish: false },
        [account]: { caption: 'Hi', mediumType: 'INSTAGRAM_ACCOUNT', mediumName: 'An account', failedToPublish: false },
      },
      status: 'DRAFT',
      notes: 'Soon',
    })
    const after = await tenant.get(200, `/scheduled-posts/${body.id}`)
    expect([after.body, after.headers.etag, headers.etag]).toEqual([body, '"1"', '"1"'])
    expect(await readHistory(tenant, body.id)).toEqual([
      {
        version: 1,
        at: '2026-11-20T09:00:00.000Z',
        actor: `key:${tenant.key.id}`,
        action: 'created',
        toStatus: 'DRAFT',
      },
    ])
  })

  test('makes a DRAFT if the body is empty', async () => {
    const { body } = await create(201, {})
    expect(body).toEqual({
      id: expect.any(String),
      orgId: tenant.organizationId,
      type: 'POST',
      mediumsData: {},
      status: 'DRAFT',
    })
    expect((await create(201, { status: 'DRAFT' })).body.id).not.toBe(body.id)
  })

  test('makes a post WAITING_FOR_APPROVAL if it is ready to be published', async () => {
    const { body } = await create(201, { ...ready(), status: 'WAITING_FOR_APPROVAL' })
    expect(body.status).toBe('WAITING_FOR_APPROVAL')
    expect(body).not.toHaveProperty('taskId')
    const refused = await create(400, { status: 'WAITING_FOR_APPROVAL', channels: { [page]: {} } })
    expect(codeOf(refused)).toBe('publish_check_failed')
    for (const missing of ['scheduledFor', 'media', page]) expect(refused.body.message).toContain(missing)
    expect(await listed()).toEqual([body.id])
  })

  test.each([
    'SCHEDULED',
    'REJECTED',
    'PUBLISHING',
    'PUBLISHED',
    'FAILED',
    'draft',
    '',
    null,
    1,
  ])('never accepts the status %j', async (status) => {
    const { body } = await create(422, { ...ready(), status })
    expect(body.error).toContainEqual(expect.objectContaining({ path: ['status'], type: 'any.only' }))
    expect(await listed()).toEqual([])
  })

  test('interface 4.3.1: follows the rules of an update, with the same messages in the same order', async () => {
    await insertPost(tenant, { channels: [{ channelId: page, superpower: { hashtag: '#taken' } }] })
    const patched = await insertPost(tenant)
    const past = '2020-01-01T00:00:00Z'
    const taken = { superpower: { hashtag: 'TAKEN' } }
    for (const body of [
      {
        scheduledFor: 'tomorrow',
        media: '',
        more: 1,
        channels: { [page]: { superpower: { raffle: { winnersLimit: 0 } } } },
      },
      { scheduledFor: past, channels: { [page]: { mediumType: 'X', ...taken }, unknown: {} } },
      { scheduledFor: past, channels: { [page]: { mediumType: 'X', ...taken } } },
      { scheduledFor: past, channels: { [page]: { superpower: { creativeTemplateId: 'none' } } } },
      { scheduledFor: past, channels: { [page]: taken } },
      { channels: { [page]: taken } },
    ]) {
      const created = await callAny(tenant, 'POST', '/scheduled-posts', { body })
      const updated = await callAny(tenant, 'PATCH', `/scheduled-posts/${patched}`, { body })
      expect(created.status).toBeGreaterThanOrEqual(400)
      expect([created.status, created.body, codeOf(created)]).toEqual([updated.status, updated.body, codeOf(updated)])
    }
    expect(await listed()).toHaveLength(2)
  })

  test('is refused with a hashtag in use: every conflict is listed at once, and no post is created', async () => {
    const channels = {
      [page]: { superpower: wholeSuperpower('#Sale') },
      [account]: { superpower: { hashtag: '#two' } },
    }
    await create(201, { channels })
    const free = await tenant.channel()
    const { body } = await create(409, { channels: { ...channels, [free]: { superpower: { hashtag: '#sale' } } } })
    expect(body.conflicts).toHaveLength(2)
    expect(body.conflicts).toEqual(
      expect.arrayContaining([
        { mediumId: page, hashtag: '#Sale', reason: 'already-in-use' },
        { mediumId: account, hashtag: '#two', reason: 'already-in-use' },
      ]),
    )
    expect(await listed()).toHaveLength(1)
    await create(201, { channels: { [free]: { superpower: { hashtag: '#sale' } } } })
  })

  test('succeeds exactly once for ten at the same time with one hashtag', async () => {
    const body = { channels: { [page]: { superpower: { hashtag: '#one' } } } }
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => callAny(tenant, 'POST', '/scheduled-posts', { body })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect(await listed()).toHaveLength(1)
  })
})

describe('with an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'order 66' }

  test('a repeat returns the first result, whatever has happened to the post, and creates nothing', async () => {
    const first = await create(201, ready(), key)
    const again = await create(201, ready(), key)
    expect([again.body, again.headers.etag]).toEqual([first.body, first.headers.etag])
    await tenant.call(200, 'PATCH', `/scheduled-posts/${first.body.id}`, { body: { notes: 'Edited' } })
    expect((await create(201, ready(), key)).body).toEqual(first.body)
    expect(await listed()).toEqual([first.body.id])
    await tenant.call(200, 'DELETE', `/scheduled-posts/${first.body.id}`)
    expect(JSON.stringify((await create(201, ready(), key)).body)).toBe(JSON.stringify(first.body))
    expect(await listed()).toEqual([])
  })

  test('another key, no key and another organization create separate posts', async () => {
    const first = await create(201, {}, key)
    const others = [
      await create(201, {}, { 'idempotency-key': 'order 67' }),
      await create(201, {}),
      await create(201, {}),
    ]
    const foreign = await (await Tenant.create(app)).call(201, 'POST', '/scheduled-posts', { body: {}, headers: key })
    expect(new Set([first, ...others, foreign].map(({ body }) => body.id)).size).toBe(5)
  })

  test('the same key with another body is refused, and the first post stays', async () => {
    const first = await create(201, ready(), key)
    const reply = await create(422, { ...ready(), notes: 'Other' }, key)
    expect(codeOf(reply)).toBe('validation_failed')
    expect(reply.body).toEqual({
      error: [
        {
          message: expect.stringContaining('"Idempotency-Key"'),
          path: ['Idempotency-Key'],
          type: 'idempotencyKey.reused',
          context: expect.any(Object),
        },
      ],
    })
    expect((await create(201, ready(), key)).body).toEqual(first.body)
    expect(await listed()).toEqual([first.body.id])
  })

  test('a refused creation does not use up the key', async () => {
    const holder = await create(201, { channels: { [page]: { superpower: { hashtag: '#one' } } } })
    const body = { channels: { [page]: { superpower: { hashtag: '#one' } } } }
    await create(422, { more: 1 }, key)
    await create(400, { channels: { unknown: {} } }, key)
    await create(409, body, key)
    await tenant.call(200, 'DELETE', `/scheduled-posts/${holder.body.id}`)
    const made = await create(201, body, key)
    expect((await create(201, body, key)).body).toEqual(made.body)
  })

  test('of ten simultaneous repeats one creates the post, and all return it', async () => {
    for (let round = 0; round < 3; round++) {
      const headers = { 'idempotency-key': `at once ${round}` }
      const calls = Array.from({ length: 10 }, () => callAny(tenant, 'POST', '/scheduled-posts', { body: {}, headers }))
      const replies = await Promise.all(calls)
      expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201))
      expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      expect(await listed()).toHaveLength(round + 1)
    }
  })

  test('of ten different simultaneous bodies exactly one post is created', async () => {
    const calls = Array.from({ length: 10 }, (_, index) =>
      callAny(tenant, 'POST', '/scheduled-posts', { body: { notes: `${index}` }, headers: key }),
    )
    const replies = await Promise.all(calls)
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(422)])
    expect(await listed()).toHaveLength(1)
  })

  test('a repeat works for 24 hours; then the key is new, and older records are deleted', async () => {
    const own = await startOwnTestApp()
    const mine = await Tenant.create(own)
    const createOwn = async (status: number, body: object, name: string): Promise<Reply> =>
      mine.call(status, 'POST', '/scheduled-posts', { body, headers: { 'idempotency-key': name } })
    const kept = async (): Promise<unknown[]> => {
      const { rows } = await own.context.database.query<{ idempotency_key: string }>(
        'select idempotency_key from idempotency_keys where organization_id = $1 order by 1',
        [mine.organizationId],
      )
      return rows.map(({ idempotency_key }) => idempotency_key)
    }
    const first = await createOwn(201, {}, 'a')
    await createOwn(201, {}, 'b')
    own.clock.advance(24 * 60 * 60 * 1000 - 1)
    expect((await createOwn(201, {}, 'a')).body).toEqual(first.body)
    await createOwn(422, { notes: 'Other' }, 'a')
    own.clock.advance(1)
    expect(await kept()).toEqual(['a', 'b'])
    const second = await createOwn(201, { notes: 'Other' }, 'a')
    expect(second.body.id).not.toBe(first.body.id)
    expect((await createOwn(201, { notes: 'Other' }, 'a')).body).toEqual(second.body)
    expect(await kept()).toEqual(['a'])
  })

  test.each(['', 'x'.repeat(256), 'tab\there', 'é'])('%j is not a valid key', async (value) => {
    const reply = await create(422, {}, { 'idempotency-key': value })
    expect(reply.body.error).toEqual([
      expect.objectContaining({ path: ['Idempotency-Key'], type: 'idempotencyKey.format' }),
    ])
    expect(await listed()).toEqual([])
  })

  test.each([
    'x'.repeat(255),
    '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
    "'; drop table scheduled_posts; --",
  ])('%j is a valid key', async (value) => {
    const headers = { 'idempotency-key': value }
    expect((await create(201, {}, headers)).body).toEqual((await create(201, {}, headers)).body)
  })
})

describe('saved superpowers', () => {
  const path = (tail = '') => `/organizations/${tenant.organizationId}/superpowers${tail}`
  const save = async (name: string, superpower: object): Promise<string> =>
    (await operatorCall(app, 201, 'POST', path(), { body: { name, superpower } })).body.creativeTemplateId
  const naming = (creativeTemplateId: string) => ({ channels: { [page]: { superpower: { creativeTemplateId } } } })

  test('are created by the operator and listed to both sides by name; only the operator sees a deactivated one', async () => {
    const made = await operatorCall(app, 201, 'POST', path(), {
      body: { name: 'Raffle', superpower: { hashtag: '#win' } },
    })
    const { creativeTemplateId } = made.body
    expect(creativeTemplateId).toMatch(/^template_/)
    expect(made.body).toEqual({
      creativeTemplateId,
      name: 'Raffle',
      active: true,
      superpower: { hashtag: '#win', creativeTemplateId, creativeTemplateName: 'Raffle' },
    })
    await save('Advent', {})
    const both = (await operatorCall(app, 200, 'GET', path())).body.items
    expect(both.map(({ name }: { name: string }) => name)).toEqual(['Advent', 'Raffle'])
    expect(both[1]).toEqual(made.body)
    expect((await tenant.get(200, '/superpowers')).body).toEqual(both)

    for (const _ of ['once', 'twice']) {
      const { body } = await operatorCall(app, 200, 'PATCH', path(`/${creativeTemplateId}`), {
        body: { active: false },
      })
      expect(body).toEqual({ ...made.body, active: false })
      expect((await tenant.get(200, '/superpowers')).body).toEqual([both[0]])
      expect((await operatorCall(app, 200, 'GET', path())).body.items).toEqual([both[0], body])
    }
  })

  test('named only by creativeTemplateId are copied into the post, each copy with its own ids', async () => {
    const id = await save('Raffle', { hashtag: '#Win', conditionGroups: [{ name: 'All' }] })
    const other = await tenant.channel()
    const { body } = await create(201, {
      channels: {
        [page]: { superpower: { creativeTemplateId: id } },
        [other]: { superpower: { creativeTemplateId: id } },
      },
    })
    const copy = body.mediumsData[page].superpower
    expect(copy).toEqual({
      creativeTemplateId: id,
      creativeTemplateName: 'Raffle',
      id: expect.stringMatching(/^sp_/),
      hashtag: '#Win',
      lookupHashtag: 'win',
      conditionGroups: [{ groupId: expect.stringMatching(/^group_/), name: 'All' }],
    })
    expect(body.mediumsData[other].superpower.id).not.toBe(copy.id)
    expect((await create(409, naming(id))).body.conflicts).toEqual([
      { mediumId: page, hashtag: '#Win', reason: 'already-in-use' },
    ])
    // Sent back in full it is inline, and stays the same even if the saved one can no longer be named.
    await operatorCall(app, 200, 'PATCH', path(`/${id}`), { body: { active: false } })
    const patch = { channels: { [page]: { superpower: copy } } }
    const same = await tenant.call(200, 'PATCH', `/scheduled-posts/${body.id}`, { body: patch })
    expect([same.body, same.headers.etag]).toEqual([body, '"1"'])
  })

  test('can be named in an update, and with further fields a superpower is inline', async () => {
    const id = await save('Raffle', { hashtag: '#win', note: 'Saved' })
    const post = await insertPost(tenant)
    const patch = (superpower: object) =>
      tenant.call(200, 'PATCH', `/scheduled-posts/${post}`, { body: { channels: { [page]: { superpower } } } })
    expect((await patch({ creativeTemplateId: id })).body.mediumsData[page].superpower.note).toBe('Saved')
    const inline = (await patch({ creativeTemplateId: id, name: 'Mine' })).body.mediumsData[page].superpower
    expect(inline).toEqual({ id: expect.any(String), creativeTemplateId: id, name: 'Mine' })
  })

  test('that are unknown, deactivated or of another organization are refused with the same message, each with its id', async () => {
    const deactivated = await save('Old', {})
    await operatorCall(app, 200, 'PATCH', path(`/${deactivated}`), { body: { active: false } })
    const other = await Tenant.create(app)
    const foreign = (
      await operatorCall(app, 201, 'POST', `/organizations/${other.organizationId}/superpowers`, {
        body: { name: 'Theirs', superpower: {} },
      })
    ).body.creativeTemplateId
    for (const id of ['template_none', deactivated, foreign]) {
      const reply = await create(400, naming(id))
      expect(codeOf(reply)).toBe('superpower_unknown')
      expect(reply.body.message).toContain(id)
    }
    expect(await listed()).toEqual([])
    for (const id of ['template_none', foreign]) {
      expect(codeOf(await operatorCall(app, 404, 'DELETE', path(`/${id}`)))).toBe('superpower_not_found')
    }
  })

  test('in the wrong shape are refused with the path to the error, and for an unknown organization', async () => {
    const wrong = {
      name: 'A',
      superpower: { raffle: { winnersLimit: 0 }, conditionGroups: [{ publicReplies: [{ id: 1 }] }] },
    }
    const { body } = await operatorCall(app, 422, 'POST', path(), { body: wrong })
    expect(body.error.map((item: { path: string[] }) => item.path.join('.')).sort()).toEqual([
      'superpower.conditionGroups.0.publicReplies.0.id',
      'superpower.raffle.winnersLimit',
    ])
    for (const shape of [{}, { name: '', superpower: {} }, { name: 'A' }, { name: 'A', superpower: null }]) {
      await operatorCall(app, 422, 'POST', path(), { body: shape })
    }
    const good = { name: 'A', superpower: {} }
    await operatorCall(app, 404, 'POST', '/organizations/none/superpowers', { body: good })
    await operatorCall(app, 404, 'GET', '/organizations/none/superpowers')
  })
})
