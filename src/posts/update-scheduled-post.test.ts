import fc from 'fast-check'
import Joi from 'joi'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type CallOptions, type Reply, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import type { PostFixture } from '../../test/insert-scheduled-post.js'
import { insertPost, patchStatus, publishable, versionIn, wholeSuperpower } from '../../test/posts.js'
import { runs } from '../../test/runs.js'
import { POST_STATUSES } from '../interface/post-status.js'

let app: TestApp
let tenant: Tenant
let page: string
let account: string
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
  page = await tenant.channel([], 'FB_PAGE', 'A page')
  account = await tenant.channel([], 'INSTAGRAM_ACCOUNT', 'An account')
})

const patch = (status: number, id: string, body: unknown, headers?: CallOptions['headers']): Promise<Reply> =>
  tenant.call(status, 'PATCH', `/scheduled-posts/${id}`, headers === undefined ? { body } : { body, headers })
const read = async (id: string): Promise<Reply['body']> => (await tenant.get(200, `/scheduled-posts/${id}`)).body
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

/** Creates a post, and expects an update of it to be refused with this status and to change nothing. */
async function refused(status: number, post: Partial<PostFixture>, body: unknown): Promise<Reply> {
  const id = await insertPost(tenant, post)
  const before = await tenant.get(200, `/scheduled-posts/${id}`)
  const reply = await patch(status, id, body)
  const after = await tenant.get(200, `/scheduled-posts/${id}`)
  expect([after.body, after.headers.etag]).toEqual([before.body, before.headers.etag])
  return reply
}

test('sending the same superpower without ids twice creates only one version', async () => {
  const id = await insertPost(tenant, { channels: [{ channelId: page, caption: 'Hi' }] })
  const superpower = { hashtag: '#twice', conditionGroups: [{ publicReplies: [{ text: 'Thanks' }] }] }
  const body = { channels: { [page]: { superpower } } }
  const first = await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body })
  const second = await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body })
  expect([second.body, second.headers.etag]).toEqual([first.body, first.headers.etag])
  expect(versionIn(first.headers.etag)).toBe(2)
})

test('the schema of a body is inspected once, not for each request', async () => {
  const id = await insertPost(tenant, {})
  await patch(200, id, { notes: 'the first' })
  // The loop ends at the prototype from which every Joi schema inherits.
  let base = Object.getPrototypeOf(Joi.object())
  while (!Object.hasOwn(base, 'describe')) base = Object.getPrototypeOf(base)
  onTestFinished(() => void vi.restoreAllMocks())
  const describes = vi.spyOn(base, 'describe')
  const clones = vi.spyOn(base, 'clone')
  await patch(200, id, { notes: 'the second' })
  expect([describes.mock.calls.length, clones.mock.calls.length]).toEqual([0, 0])
})

describe('the changes of an update', () => {
  test('interface 4.3: every field is optional, and only given fields change', async () => {
    const id = await insertPost(tenant)
    const { body, headers } = await patch(200, id, {
      scheduledFor: '2026-12-24T18:00:00Z',
      media: 'https://cdn.example.com/a.mp4',
      mediaType: 'VIDEO',
      notes: 'Soon',
      channels: { [page]: { mediumType: 'FB_PAGE', caption: 'Hello' }, [account]: {} },
    })
    expect(body).toEqual({
      id,
      orgId: tenant.organizationId,
      type: 'POST',
      media: 'https://cdn.example.com/a.mp4',
      mediaType: 'VIDEO',
      scheduledFor: '2026-12-24T18:00:00.000Z',
      mediumsData: {
        [page]: { caption: 'Hello', mediumType: 'FB_PAGE', mediumName: 'A page', failedToPublish: false },
        [account]: { mediumType: 'INSTAGRAM_ACCOUNT', mediumName: 'An account', failedToPublish: false },
      },
      status: 'DRAFT',
      notes: 'Soon',
    })
    expect(versionIn(headers.etag)).toBe(2)
    expect(await read(id)).toEqual(body)

    const one = await patch(200, id, { notes: '' })
    expect(one.body).toEqual({ ...body, notes: '' })
    expect(versionIn(one.headers.etag)).toBe(3)
  })

  test.each(
    POST_STATUSES.slice(0, 4),
  )('an empty update of a %s post changes nothing, including its ETag', async (status) => {
    const id = await insertPost(tenant, { ...publishable(page), status })
    const before = await read(id)
    const { body, headers } = await patch(200, id, {})
    expect(body).toEqual(before)
    expect(headers.etag).toBe('"1"')
    const same = { notes: undefined, media: before.media, scheduledFor: before.scheduledFor, channels: { [page]: {} } }
    expect((await patch(200, id, same)).headers.etag).toBe('"1"')
  })

  test('channels and fields that are not given stay as they are, and null removes them', async () => {
    const superpower = wholeSuperpower('#keeps')
    const id = await insertPost(tenant, {
      channels: [
        { channelId: page, caption: 'Page', superpower },
        { channelId: account, caption: 'Account', superpower, failedToPublish: true },
      ],
    })
    const captioned = await patch(200, id, { channels: { [page]: { caption: 'New' } } })
    expect(captioned.body.mediumsData).toMatchObject({
      [page]: { caption: 'New', superpower },
      [account]: { caption: 'Account', superpower, failedToPublish: true },
    })
    const without = await patch(200, id, { channels: { [page]: { superpower: null } } })
    expect(without.body.mediumsData[page]).toEqual({
      caption: 'New',
      mediumType: 'FB_PAGE',
      mediumName: 'A page',
      failedToPublish: false,
    })
    const removed = await patch(200, id, { channels: { [page]: null } })
    expect(Object.keys(removed.body.mediumsData)).toEqual([account])
    // Removing a missing channel is not a change.
    expect((await patch(200, id, { channels: { [page]: null } })).headers.etag).toBe(removed.headers.etag)
    expect((await patch(200, id, { channels: {} })).headers.etag).toBe(removed.headers.etag)
    expect(await read(id)).toEqual(removed.body)
  })

  test('interface 2.4: a whole superpower sent back is accepted and unchanged', async () => {
    const id = await insertPost(tenant)
    const sent = await patch(200, id, { channels: { [page]: { superpower: wholeSuperpower('#back') } } })
    const { superpower } = sent.body.mediumsData[page]
    expect(superpower).toEqual(wholeSuperpower('#back'))
    expect(JSON.stringify((await read(id)).mediumsData[page].superpower)).toBe(JSON.stringify(superpower))
    const again = await patch(200, id, { channels: { [page]: { superpower } } })
    expect(again.body).toEqual(sent.body)
    expect(again.headers.etag).toBe(sent.headers.etag)
  })

  test('the missing ids of a superpower and its lookupHashtag are filled in', async () => {
    const id = await insertPost(tenant)
    const superpower = { hashtag: ' #Ça', conditionGroups: [{ publicReplies: [{ redirects: [{ text: 'Go' }] }] }] }
    const { body } = await patch(200, id, { channels: { [page]: { superpower } } })
    expect(body.mediumsData[page].superpower).toEqual({
      id: expect.any(String),
      hashtag: ' #Ça',
      lookupHashtag: 'ça',
      conditionGroups: [
        {
          groupId: expect.any(String),
          publicReplies: [{ id: expect.any(String), redirects: [{ id: expect.any(String), text: 'Go' }] }],
        },
      ],
    })
    expect(await read(id)).toEqual(body)
  })

  test('any sequence of updates equals a JSON merge patch by channel id', async () => {
    const channelIds = [page, account, await tenant.channel(), await tenant.channel([], 'INSTAGRAM_ACCOUNT')]
    const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
    const channel = fc.record(
      {
        caption: fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
        superpower: fc.option(fc.record({ id: fc.constantFrom('a', 'b'), note: fc.constantFrom('', 'x', 'y') })),
      },
      { requiredKeys: [] },
    )
    const anyPatch = fc.record({
      notes: some(fc.constantFrom('', 'one', 'two')),
      media: some(fc.constantFrom('m1', 'm2')),
      mediaType: some(fc.constantFrom('IMAGE', 'VIDEO')),
      scheduledFor: some(fc.constantFrom('2026-12-01T10:00:00.000Z', '2027-02-03T04:05:06.789Z')),
      channels: some(fc.dictionary(fc.constantFrom(...channelIds), fc.option(channel), { noNullPrototype: true })),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyPatch, { maxLength: 6 }), async (patches) => {
        const id = await insertPost(tenant)
        let model: Record<string, unknown> = {}
        for (const body of patches) {
          const { body: answered } = await patch(200, id, body)
          model = mergePatch(model, JSON.parse(JSON.stringify(body)), 3) as Record<string, unknown>
          expect(toModel(answered)).toEqual({ channels: {}, ...model })
        }
        expect(toModel(await read(id))).toEqual({ channels: {}, ...model })
      }),
      { numRuns: runs(8, 30) },
    )
  })

  /** Applies a merge patch (RFC 7396), but replaces values below `depth` as a whole. */
  function mergePatch(target: unknown, changes: unknown, depth: number): unknown {
    if (depth === 0 || changes === null || typeof changes !== 'object') return changes
    const merged: Record<string, unknown> = { ...(target as object) }
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) delete merged[key]
      else merged[key] = mergePatch(merged[key], value, depth - 1)
    }
    return merged
  }

  function toModel({ notes, media, mediaType, scheduledFor, mediumsData }: Reply['body']): unknown {
    const channels = Object.entries<Reply['body']>(mediumsData).map(([id, { caption, superpower }]) => [
      id,
      { caption, superpower },
    ])
    return JSON.parse(JSON.stringify({ notes, media, mediaType, scheduledFor, channels: Object.fromEntries(channels) }))
  }
})

describe('statuses', () => {
  test('interface 3: a rejected post returns to DRAFT, together with other changes, and keeps its notes unless new ones are given', async () => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'REJECTED', notes: 'Too loud' })
    const { body } = await patch(200, id, { status: 'DRAFT', channels: { [page]: { caption: 'Softer' } } })
    expect(body).toMatchObject({ status: 'DRAFT', notes: 'Too loud', mediumsData: { [page]: { caption: 'Softer' } } })
    const other = await insertPost(tenant, { status: 'REJECTED', notes: 'Too loud' })
    expect((await patch(200, other, { status: 'DRAFT', notes: 'Rewritten' })).body).toMatchObject({
      status: 'DRAFT',
      notes: 'Rewritten',
    })
  })

  test('an edit without a status leaves a rejected post rejected', async () => {
    const id = await insertPost(tenant, { status: 'REJECTED' })
    expect((await patch(200, id, { notes: 'Reading it' })).body.status).toBe('REJECTED')
  })

  test.each([
    ['DRAFT', 200, 200, ''],
    ['REJECTED', 200, 200, ''],
    ['WAITING_FOR_APPROVAL', 200, 400, 'POST /scheduled-posts/{scheduledPostId}/reject'],
    ['SCHEDULED', 200, 400, 'POST /scheduled-posts/{scheduledPostId}/revert'],
    ['PUBLISHING', 400, 400, 'can no longer be changed'],
    ['PUBLISHED', 400, 400, 'can no longer be changed'],
    ['FAILED', 400, 400, 'can no longer change it'],
  ] as const)('interface 3.2: a %s post answers an edit with %d and status DRAFT with %d', async (status, edit, draft, text) => {
    const post = { ...publishable(page), status }
    for (const [expected, body] of [
      [edit, { notes: 'New' }],
      [draft, { notes: 'New', status: 'DRAFT' }],
      [draft, { status: 'DRAFT' }],
    ] as const) {
      if (expected === 400) {
        const reply = await refused(400, post, body)
        expect(codeOf(reply)).toBe('wrong_state')
        expect(reply.body.message).toContain(`The post is ${status}`)
        expect(reply.body.message).toContain(text)
      } else {
        const { body: after } = await patch(200, await insertPost(tenant, post), body)
        expect(after.status).toBe('status' in body ? 'DRAFT' : status)
      }
    }
  })

  test.each([
    'SCHEDULED',
    'REJECTED',
    'draft',
    '',
    null,
    1,
    ['DRAFT'],
  ])('interface 3.1 and 7.4: an update cannot set the status %j', async (status) => {
    const { body } = await refused(422, { status: 'REJECTED' }, { status, notes: 'New' })
    expect(body.error).toContainEqual(expect.objectContaining({ path: ['status'], type: 'any.only' }))
  })

  test('the time of a SCHEDULED post may change, and its task stays the same', async () => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'SCHEDULED' })
    const { taskId } = await read(id)
    const { body } = await patch(200, id, { scheduledFor: '2026-12-02T10:00:00Z' })
    expect(body).toMatchObject({ status: 'SCHEDULED', taskId, scheduledFor: '2026-12-02T10:00:00.000Z' })
  })
})

describe('the publish check', () => {
  test.each([
    'WAITING_FOR_APPROVAL',
    'SCHEDULED',
  ] as const)('refuses changes that would leave a %s post incomplete', async (status) => {
    const other = await tenant.channel()
    const post = { ...publishable(page, account), status }
    for (const [body, missing] of [
      [{ media: 'media-1' }, 'media'],
      [{ media: 'ftp://example.com/a.jpg' }, 'media'],
      [{ media: 'https://' }, 'media'],
      [{ channels: { [page]: null, [account]: null } }, 'at least one channel'],
      [{ channels: { [account]: { caption: ' \n' } } }, account],
      [{ channels: { [other]: {} } }, other],
    ] as const) {
      const reply = await refused(400, post, body)
      expect(codeOf(reply)).toBe('publish_check_failed')
      expect(reply.body.message).toContain(missing)
    }
    await patch(200, await insertPost(tenant, post), { channels: { [account]: null, [other]: { caption: 'Hi' } } })
  })

  test('lists everything that is missing at once, and accepts one edit that completes the post', async () => {
    const id = await insertPost(tenant, {
      status: 'SCHEDULED',
      channels: [{ channelId: page }, { channelId: account }],
    })
    // A patch that changes nothing is not checked.
    await patch(200, id, {})
    const { body } = await patch(400, id, { notes: 'New' })
    for (const missing of ['scheduledFor', 'media', page, account]) expect(body.message).toContain(missing)
    await patch(200, id, {
      scheduledFor: '2026-12-02T10:00:00Z',
      media: 'http://cdn.example.com/a.jpg',
      channels: { [page]: { caption: 'Hi' }, [account]: { caption: 'Hi' } },
    })
  })

  test('does not apply to DRAFT and REJECTED posts', async () => {
    for (const status of ['DRAFT', 'REJECTED'] as const) {
      const id = await insertPost(tenant, { ...publishable(page), status })
      await patch(200, id, { media: 'x', channels: { [page]: { caption: '' } } })
      await patch(200, id, { channels: { [page]: null } })
    }
  })
})

describe('scheduledFor', () => {
  test.each([
    ['2028-02-29T10:00:00Z', '2028-02-29T10:00:00.000Z'],
    ['2026-12-01T10:00Z', '2026-12-01T10:00:00.000Z'],
    ['2026-12-01T10:00:00+00:00', '2026-12-01T10:00:00.000Z'],
    ['2026-12-01T10:00:00.123Z', '2026-12-01T10:00:00.123Z'],
    ['2026-11-20T09:00:00.001Z', '2026-11-20T09:00:00.001Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('interface 4.3: %s is an ISO 8601 UTC datetime', async (scheduledFor, answered) => {
    expect((await patch(200, await insertPost(tenant), { scheduledFor })).body.scheduledFor).toBe(answered)
  })

  test.each([
    '2026-02-30T10:00:00Z',
    '2027-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-12-01T24:00:00Z',
    '2026-12-01T10:60:00Z',
    '2026-12-01T10:00:00',
    '2026-12-01T10:00:00+02:00',
    '2026-12-01T10:00:00-00:01',
    '2026-12-01',
    '2026-12-01 10:00:00Z',
    '2026-12-01T10:00:00z',
    '+002026-12-01T10:00:00Z',
    'Fri, 20 Nov 2026 09:00:00 GMT',
    ' 2026-12-01T10:00:00Z',
    'tomorrow',
  ])('interface 4.3: %j is not an ISO 8601 UTC datetime', async (scheduledFor) => {
    const { body } = await refused(422, {}, { scheduledFor })
    expect(body.error).toEqual([expect.objectContaining({ path: ['scheduledFor'], type: 'string.isoDateUtc' })])
  })

  test.each([
    '2026-11-20T09:00:00Z',
    '2026-11-20T08:59:59.999Z',
    '0001-01-01T00:00:00Z',
  ])('%s is refused at 2026-11-20T09:00:00Z because it is not in the future, even in a draft', async (scheduledFor) => {
    expect(codeOf(await refused(400, {}, { scheduledFor }))).toBe('scheduled_for_past')
  })

  test('a draft whose time has passed can be edited without a new time', async () => {
    const id = await insertPost(tenant, { scheduledFor: new Date('2026-11-19T09:00:00Z') })
    await patch(200, id, { notes: 'Late' })
  })
})

describe('channels', () => {
  test('an unknown channel and one of another organization are refused with the same message, which has their ids', async () => {
    const foreign = await (await Tenant.create(app)).channel()
    const unknown = 'FB_PAGE_999999999999999'
    for (const fields of [{ caption: 'Hi' }, null]) {
      const channels = { [page]: { caption: 'Hi' }, [foreign]: fields, [unknown]: fields, constructor: fields }
      const reply = await refused(400, { channels: [{ channelId: page }] }, { channels })
      expect(codeOf(reply)).toBe('channel_unknown')
      for (const id of [foreign, unknown, 'constructor']) expect(reply.body.message).toContain(id)
      expect(reply.body.message).not.toContain(page)
    }
  })

  test.each([
    'INSTAGRAM_ACCOUNT',
    'fb_page',
    'X',
  ])("mediumType %s is refused because it is not the page's type", async (mediumType) => {
    const reply = await refused(400, {}, { channels: { [page]: { mediumType }, [account]: { caption: 'Hi' } } })
    expect(codeOf(reply)).toBe('channel_type_mismatch')
    expect(reply.body.message).toContain(`${page}, which is of type FB_PAGE`)
    expect(reply.body.message).not.toContain(account)
  })

  test('a thousand unknown channels are refused with a short message', async () => {
    const channels = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`FB_PAGE_${index}`, {}]))
    const { body } = await refused(400, {}, { channels })
    expect(body.message.length).toBeLessThan(500)
    expect(body.message).toContain('and 990 more')
  })
})

describe('a body of the wrong shape', () => {
  const at = (...path: string[]) => ({ error: [expect.objectContaining({ path, message: expect.any(String) })] })

  test.each([
    ['scheduledFor', [null, 1, '', {}]],
    ['media', [null, 1, '', 'x'.repeat(2049)]],
    ['mediaType', [null, 'GIF', 'image', 1]],
    ['notes', [null, 1, [], 'x'.repeat(10_001)]],
    ['channels', [null, [], 'FB_PAGE_1', 1]],
    ['type', ['POST']],
    ['taskId', ['task_1']],
    ['mediumsData', [{}]],
    ['id', ['post_1']],
  ])('in %s is refused with its path', async (field, values) => {
    for (const value of values) {
      const { body } = await refused(422, {}, { [field]: value })
      expect(body.error.map((item: { path: string[] }) => item.path)).toContainEqual([field])
    }
  })

  test('in a channel is refused with its path', async () => {
    for (const value of ['text', 1, true, []]) {
      expect((await refused(422, {}, { channels: { [page]: value } })).body).toEqual(at('channels', page))
    }
    for (const [field, values] of Object.entries({
      caption: [null, 1, ['Hi'], 'x'.repeat(126_413)],
      mediumType: [null, '', 1],
      superpower: [[], 'text', 1],
      mediumName: ['A page'],
      failedToPublish: [false],
    })) {
      for (const value of values) {
        const { body } = await refused(422, {}, { channels: { [page]: { [field]: value } } })
        expect(body).toEqual(at('channels', page, field))
      }
    }
    for (const id of ['', 'x'.repeat(257)]) {
      expect((await refused(422, {}, { channels: { [id]: {} } })).body.error[0].type).toBe('object.unknown')
    }
  })

  test('is answered with all errors at once, each with its path as strings', async () => {
    const superpower = { raffle: { winnersLimit: 0 }, conditionGroups: [{}, { conditions: [{ values: 'x' }] }] }
    const { body } = await refused(422, {}, { status: 'SCHEDULED', more: 1, channels: { [page]: { superpower } } })
    expect(body.error.map(({ path, type }: { path: string[]; type: string }) => [path.join('.'), type]).sort()).toEqual(
      [
        [`channels.${page}.superpower.conditionGroups.1.conditions.0.values`, 'array.base'],
        [`channels.${page}.superpower.raffle.winnersLimit`, 'number.min'],
        ['more', 'object.unknown'],
        ['status', 'any.only'],
      ],
    )
    expect(body.error[0]).toEqual({
      message: expect.any(String),
      path: expect.any(Array),
      type: expect.any(String),
      context: expect.any(Object),
    })
  })

  test.each([
    ['an empty body', '', 400],
    ['invalid JSON', '{"notes":', 400],
    ['a body of more than 1 MiB', JSON.stringify({ notes: 'x'.repeat(2 * 1024 * 1024) }), 413],
    ['a body nested too deeply', `{"channels":${'{"a":'.repeat(40)}{}${'}'.repeat(40)}}`, 400],
    ['a body with too many values', `{"notes":[${'[],'.repeat(20_000)}[]]}`, 400],
    [
      'a body with too many unknown keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [i, 1]))),
      400,
    ],
    ['a number beyond 2^53', '{"notes":9007199254740993}', 422],
    ['a __proto__ key', '{"__proto__":{"status":"DRAFT"},"notes":"x"}', 400],
    ['an array', '[]', 422],
    ['null', 'null', 422],
    ['a string', '"DRAFT"', 422],
    ['U+0000 in a string', '{"notes":"a\\u0000b"}', 422],
    ['a lone surrogate in a string', '{"notes":"\\ud83d"}', 422],
  ])('%s is refused and nothing changes', async (_name, raw, status) => {
    await refused(status, { notes: 'Before' }, raw)
  })

  test('a nested __proto__ key is refused, even in fields that accept any value', async () => {
    for (const inside of [
      '{"__proto__":{"polluted":1}}',
      '{"conditionGroups":[{"conditions":[{"userProperty":{"constructor":{"prototype":{"polluted":1}},"__proto__":{}}}]}]}',
    ]) {
      await refused(400, {}, `{"channels":{"${page}":{"superpower":${inside}}}}`)
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('any other string is returned as sent', async () => {
    const text = '"\\\n\t\u0001\u2028{}\'; drop table scheduled_posts; -- 💛 נ e\u0301 \ufeff'
    const superpower = {
      id: text,
      conditionGroups: [{ groupId: 'g', conditions: [{ values: [text, { [text]: text }] }] }],
    }
    const id = await insertPost(tenant)
    const { body } = await patch(200, id, { notes: text, channels: { [page]: { caption: text, superpower } } })
    expect(body).toMatchObject({ notes: text, mediumsData: { [page]: { caption: text, superpower } } })
    expect(await read(id)).toEqual(body)
  })
})

describe('interface 2.4: a superpower with one wrong field is refused with the path of that field', () => {
  /** The fields that accept any value (interface 2.4). */
  const FREE = new Set(['values', 'aiValues', 'userProperty', 'carouselItems', 'followUpReplies', 'endedComment'])

  interface Place {
    path: string[]
    value: unknown
  }

  function placesIn(value: unknown, path: string[] = []): Place[] {
    const inside =
      value !== null && typeof value === 'object' && !FREE.has(path.at(-1) ?? '')
        ? Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key]))
        : []
    return path.length === 0 ? inside : [{ path, value }, ...inside]
  }

  function wrongValuesFor({ path, value }: Place): unknown[] {
    const field = path.at(-1)!
    if (Array.isArray(value)) return [null, {}, 'text']
    if (typeof value === 'object') return [null, [], 'text']
    if (typeof value === 'boolean') return [null, 'true', 1]
    if (typeof value === 'number') {
      const integer = /Limit$|Target$|^expirationDate$/.test(field) && !['usersLimit', 'timeLimit'].includes(field)
      return [null, String(value), ...(integer ? [0.5] : []), ...(field === 'winnersLimit' ? [0, -1] : [])]
    }
    const nonEmpty = /^(id|groupId|hashtag|url|scope|.*Type|templateType|timeLimitUnit|logicalCondition)$/.test(field)
    return [
      null,
      5,
      ['text'],
      ...(nonEmpty ? [''] : []),
      ...(field === 'hashtag' ? ['#', ' ## ', `#${'x'.repeat(200)}`] : []),
      ...(field === 'url' ? ['not a uri', '//example.com', 'https://exa mple.com'] : []),
    ]
  }

  function withValue(path: string[], value: unknown): unknown {
    const superpower = structuredClone(wholeSuperpower())
    const parent = path
      .slice(0, -1)
      .reduce((node, key) => (node as Record<string, unknown>)[key], superpower as unknown)
    ;(parent as Record<string, unknown>)[path.at(-1)!] = value
    return superpower
  }

  async function expectRefusedAt(id: string, path: string[], value: unknown): Promise<void> {
    const { body } = await patch(422, id, { channels: { [page]: { superpower: withValue(path, value) } } })
    const paths = new Set(body.error.map((item: { path: string[] }) => JSON.stringify(item.path)))
    const expected = new Set([JSON.stringify(['channels', page, 'superpower', ...path])])
    expect(paths, `${path.join('.')} = ${JSON.stringify(value)}`).toEqual(expected)
  }

  const places = placesIn(wholeSuperpower())

  test('if it is of the wrong type, null or out of range', async () => {
    const id = await insertPost(tenant)
    // The sample has every field in the tables of 2.4, with several replies and redirects.
    expect(
      new Set(places.map(({ path }) => path.filter((step) => !/^\d+$/.test(step)).join('.'))).size,
    ).toBeGreaterThan(150)
    for (const place of places) for (const value of wrongValuesFor(place)) await expectRefusedAt(id, place.path, value)
    expect((await read(id)).mediumsData).toEqual({})
  })

  test('if it is unknown, at any depth', async () => {
    const id = await insertPost(tenant)
    const objects = places.filter(({ path, value }) => isObject(value) && !FREE.has(path.at(-1)!))
    for (const path of [[], ...objects.map((place) => place.path)]) await expectRefusedAt(id, [...path, 'unknown'], 1)
  })

  test('but free-form fields accept any value, and enumerations accept unknown values', async () => {
    const id = await insertPost(tenant)
    const superpower = {
      ...wholeSuperpower('#free'),
      templateType: 'OTHER',
      conditionalTemplateType: 'OTHER',
      conditionGroups: [
        {
          groupId: 'g',
          timeLimitUnit: 'DAY',
          conditions: [
            { conditionType: 'X', userActionType: 'Y', logicalCondition: 'Z', userProperty: {}, values: [null] },
          ],
          publicReplies: [
            { id: 'r', scope: 'PRIVATE', broadcastMessageType: 'X', mediaType: 'VIDEO', carouselItems: [{}] },
          ],
        },
      ],
    }
    const { body } = await patch(200, id, { channels: { [page]: { superpower } } })
    expect(body.mediumsData[page].superpower).toEqual(superpower)
  })

  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
})

describe('If-Match', () => {
  test('a stale version is refused, and the post keeps the other change', async () => {
    const id = await insertPost(tenant, { notes: 'Before' })
    const { headers } = await tenant.get(200, `/scheduled-posts/${id}`)
    const first = await patch(200, id, { notes: 'First' }, { 'if-match': String(headers.etag) })
    const second = await patch(412, id, { notes: 'Second' }, { 'if-match': String(headers.etag) })
    expect(codeOf(second)).toBe('post_changed')
    expect((await read(id)).notes).toBe('First')
    await patch(200, id, { notes: 'Second' }, { 'if-match': String(first.headers.etag) })
  })

  test.each([
    ['*', 200],
    ['"1"', 200],
    ['"7", "1"', 200],
    ['"7","1" , W/"2"', 200],
    ['"2"', 412],
    ['W/"1"', 412],
    ['"7", W/"1"', 412],
    ['1', 412],
    ['"01"', 412],
    ['"*"', 412],
    ['""', 412],
    ['nonsense', 412],
  ])('%s against version 1 returns %d', async (ifMatch, status) => {
    await patch(status, await insertPost(tenant), { notes: 'New' }, { 'if-match': ifMatch })
  })

  test('of ten simultaneous updates of one version, exactly one wins', async () => {
    const id = await insertPost(tenant)
    const statuses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => patchStatus(tenant, id, { notes: `${index}` }, { 'if-match': '"1"' })),
    )
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(412)])
  })

  test('simultaneous updates of different fields lose nothing', async () => {
    const channelIds = await Promise.all(Array.from({ length: 8 }, () => tenant.channel()))
    const id = await insertPost(tenant)
    const bodies = [
      { notes: 'New' },
      { media: 'https://cdn.example.com/new.jpg' },
      { scheduledFor: '2026-12-31T23:59:59.000Z' },
      ...channelIds.map((channelId) => ({ channels: { [channelId]: { caption: `For ${channelId}` } } })),
    ]
    await Promise.all(bodies.map((body) => patch(200, id, body)))
    const { body, headers } = await tenant.get(200, `/scheduled-posts/${id}`)
    expect(body).toMatchObject({ ...bodies[0], ...bodies[1], ...bodies[2] })
    for (const channelId of channelIds) expect(body.mediumsData[channelId].caption).toBe(`For ${channelId}`)
    expect(Object.keys(body.mediumsData)).toHaveLength(channelIds.length)
    expect(versionIn(headers.etag)).toBe(bodies.length + 1)
  })
})

describe('the order of the checks', () => {
  test('is shape, owner, version, status, channels, time, publish check, hashtag', async () => {
    const taken = wholeSuperpower('#order')
    await insertPost(tenant, { channels: [{ channelId: page, superpower: taken }] })
    const id = await insertPost(tenant, { ...publishable(page), status: 'SCHEDULED' })
    const ifMatch = { 'if-match': '"9"' }
    const channel = { superpower: taken, caption: '' }
    const past = '2020-01-01T00:00:00Z'
    const wrong = { status: 'DRAFT', scheduledFor: past, channels: { [page]: channel, unknown: {} } }

    await patch(422, 'post_missing', { ...wrong, unknown: 1 }, ifMatch)
    await patch(404, 'post_missing', wrong, ifMatch)
    await patch(412, id, wrong, ifMatch)
    expect(codeOf(await patch(400, id, wrong))).toBe('wrong_state')
    const { status: _, ...edit } = wrong
    expect(codeOf(await patch(400, id, edit))).toBe('channel_unknown')
    const mistyped = { ...edit, channels: { [page]: { ...channel, mediumType: 'X' } } }
    expect(codeOf(await patch(400, id, mistyped))).toBe('channel_type_mismatch')
    expect(codeOf(await patch(400, id, { ...edit, channels: { [page]: channel } }))).toBe('scheduled_for_past')
    expect(codeOf(await patch(400, id, { channels: { [page]: channel } }))).toBe('publish_check_failed')
    expect(codeOf(await patch(409, id, { channels: { [page]: { ...channel, caption: 'Hi' } } }))).toBe(
      'hashtag_conflict',
    )
  })

  test("another organization's post is not found, whatever the body", async () => {
    const id = await insertPost(await Tenant.create(app))
    const { body } = await patch(404, id, { notes: 'Mine' }, { 'if-match': '"9"' })
    expect(body).toEqual((await patch(404, 'post_missing', {})).body)
  })
})

describe('interface 9.4: the earlier variant', () => {
  const patchEarlier = (status: number, id: string, body: unknown): Promise<Reply> =>
    tenant.callEarlier(status, 'PATCH', `/scheduled-posts/${id}`, { body })

  test('interface 2.4: returns the post with the fields of a document', async () => {
    const { organizationId } = tenant
    const id = await insertPost(tenant, { status: 'REJECTED', createdAt: new Date('2026-11-19T09:00:00.250Z') })
    const { body } = await patchEarlier(200, id, { status: 'DRAFT' })
    const { body: current } = await tenant.get(200, `/scheduled-posts/${id}`)
    expect(body).toEqual({
      ...current,
      _fsDocScope: `organizations/${organizationId}`,
      selfPath: `organizations/${organizationId}/scheduledPosts/${id}`,
      docName: id,
      docVer: 2,
      created: { _seconds: Date.parse('2026-11-19T09:00:00Z') / 1000, _nanoseconds: 250_000_000 },
      updated: { _seconds: app.clock.now() / 1000, _nanoseconds: 0 },
    })
  })

  test('has the same rules', async () => {
    const id = await insertPost(tenant, { status: 'PUBLISHED' })
    await patchEarlier(400, id, { status: 'DRAFT' })
    await patchEarlier(404, 'post_missing', {})
    expect((await patchEarlier(422, id, { status: 'SCHEDULED' })).body.error[0].path).toEqual(['status'])
  })
})
