import { getEventListeners, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { signDate } from '../lib/sign-date.js'
import * as exports from './index.js'
import {
  AuthenticationError,
  ConnectionError,
  Greenroom,
  GreenroomError,
  GreenroomOperator,
  type GreenroomOptions,
  PagingError,
  ServerError,
  TimeoutError,
} from './index.js'
import { systemRuntime } from './runtime.js'

const NOW = Date.parse('2026-11-20T09:00:00.250Z')
const SECRET = 'the-secret-of-the-key'
const QUERY = { workspaceId: 'w', mediumId: 'm' }

type Step = Response | Error | ((init: RequestInit, url: string) => Response | Promise<Response>)

const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

const page = (nextOffset: unknown, mayHaveMore: boolean, ...ids: string[]): Response =>
  answer(200, {
    items: ids.map((conversationId) => ({ conversationId })),
    returned: ids.length,
    mayHaveMore,
    nextOffset,
  })

/** A client whose requests meet these steps, one after another; and what it sent, and how long it waited. */
function script(steps: Step[], options: Partial<GreenroomOptions> = {}) {
  const sent: { url: string; headers: Record<string, string> }[] = []
  const waits: number[] = []
  const clock = { nowMs: NOW }
  const client = new Greenroom(
    {
      baseUrl: 'http://127.0.0.1:8080/v1',
      key: 'key_1',
      secret: SECRET,
      async fetch(url, init) {
        sent.push({ url, headers: Object.fromEntries(new Headers(init.headers)) })
        const step = steps.shift()
        if (step === undefined) throw new Error('nothing more was expected')
        if (step instanceof Error) throw step
        return typeof step === 'function' ? step(init, url) : step
      },
      ...options,
    },
    {
      now: () => clock.nowMs,
      random: () => 0,
      async wait(ms, signal) {
        signal?.throwIfAborted()
        waits.push(ms)
      },
    },
  )
  return { client, sent, waits, clock, steps }
}

const lost = (): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('interface 5: signing', () => {
  test('every attempt carries key, date, signature of that date, and version; the caller cannot replace them', async () => {
    const { client, sent, clock } = script([
      () => {
        clock.nowMs += 31_000
        return answer(503)
      },
      answer(200, []),
    ])
    await client.workspaces.list({ headers: { 'X-Api-Key': 'mine', 'x-date': 'mine', 'x-trace': 'abc' } })
    expect(sent.map(({ headers }) => headers)).toEqual(
      ['Fri, 20 Nov 2026 09:00:00 GMT', 'Fri, 20 Nov 2026 09:00:31 GMT'].map((date) => ({
        'x-api-key': 'key_1',
        'x-api-version': '1',
        'x-date': date,
        'x-signature': signDate(SECRET, date),
        'x-trace': 'abc',
      })),
    )
  })

  test('interface 9.4: the earlier variant signs an ISO 8601 datetime and names no version', async () => {
    const { client, sent } = script([answer(200, [])], { interfaceVersion: 'earlier' })
    await client.workspaces.list()
    const date = '2026-11-20T09:00:00.250Z'
    expect(sent[0]!.headers).toEqual({ 'x-api-key': 'key_1', 'x-date': date, 'x-signature': signDate(SECRET, date) })
  })

  const AHEAD = { date: 'Fri, 20 Nov 2026 09:05:00 GMT' }

  test.each([
    ['says that the signature has expired', { ...AHEAD, 'x-error-code': 'signature_expired' }],
    ['says that the date lies in the future', { ...AHEAD, 'x-error-code': 'date_in_future' }],
    ['has no code, but a clock that is minutes away', AHEAD],
  ])('a 403 that %s is answered once with its time, also for a write; that time is kept', async (_name, headers) => {
    const { client, sent, clock } = script([answer(403, {}, headers), answer(200, {}), answer(200, {})])
    await client.scheduledPosts.update('p', {})
    clock.nowMs += 1_000
    await client.scheduledPosts.revert('p')
    expect(sent.map(({ headers }) => headers['x-date'])).toEqual([
      'Fri, 20 Nov 2026 09:00:00 GMT',
      'Fri, 20 Nov 2026 09:05:00 GMT',
      'Fri, 20 Nov 2026 09:05:01 GMT',
    ])
  })

  test('the same refusal again is an AuthenticationError, and a reading may still be repeated after the first', async () => {
    const headers = { ...AHEAD, 'x-error-code': 'signature_expired' }
    const twice = script([answer(403, { message: 'Signature expired' }, headers), answer(403, {}, headers)])
    await expect(twice.client.workspaces.list()).rejects.toMatchObject({ name: 'AuthenticationError', status: 403 })
    const { client, waits } = script([answer(403, {}, headers), answer(503), answer(200, [])], { maxRetries: 1 })
    expect(await client.workspaces.list()).toEqual([])
    expect(waits).toEqual([125])
  })

  test.each([
    ['of another code', { ...AHEAD, 'x-error-code': 'signature_invalid' }],
    ['without a code and with our time', { date: 'Fri, 20 Nov 2026 09:00:02 GMT' }],
    ['without a Date header', { 'x-error-code': 'signature_expired' }],
  ])('a 403 %s is not asked again', async (_name, headers: Record<string, string>) => {
    const { client, sent } = script([answer(403, {}, headers)])
    await expect(client.workspaces.list()).rejects.toMatchObject({ name: 'AuthenticationError' })
    expect(sent).toHaveLength(1)
  })

  test('calls at once that are all refused for the date are all sent again, against a server without codes as well', async () => {
    // Told by the date itself: which call's signature is ready first is up to WebCrypto's threads.
    const step = ({ headers }: RequestInit): Response =>
      new Headers(headers).get('x-date') === AHEAD.date ? answer(200, []) : answer(403, {}, AHEAD)
    const { client, sent } = script([step, step, step, step, step, step])
    expect(await Promise.all([1, 2, 3].map(() => client.workspaces.list()))).toEqual([[], [], []])
    expect(sent).toHaveLength(6)
  })
})

describe('repeats', () => {
  test('a reading waits twice as long before each repeat, and a little chance is in it', async () => {
    const { client, waits } = script([lost(), answer(503), answer(429), lost()])
    const error = await client.workspaces.list().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ operation: 'listWorkspaces', cause: { message: 'fetch failed' } })
    expect((error as Error).message).toContain('(reset)')
    expect(waits).toEqual([125, 250, 500])
  })

  test.each([
    ['seconds', { 'retry-after': '7' }, 7_125],
    [
      'a date, by the clock of the server',
      { 'retry-after': 'Fri, 20 Nov 2026 10:00:09 GMT', date: 'Fri, 20 Nov 2026 10:00:00 GMT' },
      9_125,
    ],
    ['a date, without a clock of the server', { 'retry-after': 'Fri, 20 Nov 2026 09:00:10 GMT' }, 9_875],
    ['a date that is over', { 'retry-after': 'Fri, 20 Nov 2026 08:00:00 GMT' }, 125],
    ['nonsense', { 'retry-after': 'soon' }, 125],
  ])('Retry-After as %s is kept to', async (_name, headers: Record<string, string>, waited) => {
    const { client, waits } = script([answer(429, {}, headers), answer(200, [])])
    await client.workspaces.list()
    expect(waits).toEqual([waited])
  })

  test('more than a minute of Retry-After is not waited for, but told', async () => {
    const { client, waits } = script([answer(429, {}, { 'retry-after': '61' })])
    await expect(client.workspaces.list()).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 61_000 })
    expect(waits).toEqual([])
  })

  test.each([
    400, 401, 402, 403, 404, 408, 409, 412, 413, 422, 500, 502, 504,
  ])('a reading is not repeated after %d', async (status) => {
    const { client, sent } = script([answer(status)])
    await expect(client.workspaces.list()).rejects.toMatchObject({ status, operation: 'listWorkspaces' })
    expect(sent).toHaveLength(1)
  })

  test('any call is sent again after a 429 that says when, but for an upload, whose stream is used up', async () => {
    const told = (): Response => answer(429, {}, { 'retry-after': '7' })
    const { client, sent, waits } = script([told(), answer(200, {})])
    await client.scheduledPosts.submitForApproval('p')
    expect(sent).toHaveLength(2)
    expect(waits).toEqual([7_125])
    const uploads: string[] = []
    const operator = new GreenroomOperator({
      baseUrl: 'http://127.0.0.1:1/operator',
      token: 'token',
      async fetch(url) {
        uploads.push(url)
        return told()
      },
    })
    const upload = operator.conversations.import('org', 'channel', 'a', { contentType: 'text/csv' })
    await expect(upload).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 7_000 })
    expect(uploads).toHaveLength(1)
  })

  test('a PATCH and a POST of the lifecycle are sent once, unless it is told when to come back', async () => {
    for (const step of [lost(), answer(503), answer(429)]) {
      const patch = script([step instanceof Error ? step : step.clone()])
      await expect(patch.client.scheduledPosts.update('p', {})).rejects.toBeInstanceOf(GreenroomError)
      const post = script([step])
      await expect(post.client.scheduledPosts.submitForApproval('p')).rejects.toBeInstanceOf(GreenroomError)
      expect([...patch.sent, ...post.sent]).toHaveLength(2)
    }
  })

  test('a creation is repeated under one key, its own or the caller’s, and another creation has another', async () => {
    const { client, sent } = script([lost(), answer(201), answer(201), answer(503), answer(201)])
    await client.scheduledPosts.create({})
    await client.scheduledPosts.create({})
    await client.scheduledPosts.create({}, { idempotencyKey: 'mine' })
    const keys = sent.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[\w-]{36}$/)
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
    expect(keys.slice(3)).toEqual(['mine', 'mine'])
  })

  test('a DELETE whose answer was lost and whose repeat finds nothing says both', async () => {
    const { client } = script([lost(), answer(404, { message: 'There is no scheduled post with this id.' })])
    const error = await client.scheduledPosts.delete('p').catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, cause: { name: 'ConnectionError' } })
    expect((error as Error).message).toContain('may have deleted it')
    const plain = script([answer(404, { message: 'No.' })])
    await expect(plain.client.scheduledPosts.delete('p')).rejects.toThrow(/^No\.$/)
  })

  test('maxRetries of the call counts before that of the client', async () => {
    const { client, sent } = script([answer(503), answer(503), answer(503)], { maxRetries: 0 })
    await expect(client.workspaces.list()).rejects.toBeInstanceOf(ServerError)
    await expect(client.workspaces.list({ maxRetries: 1 })).rejects.toMatchObject({ name: 'ServerError', status: 503 })
    expect(sent).toHaveLength(3)
  })
})

describe('time-outs and aborts', () => {
  const never: Step = ({ signal }) =>
    new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))

  test('an attempt without a complete answer in time is a TimeoutError, which a reading repeats', async () => {
    const { client, sent } = script([never, never, answer(200, [])], { timeoutMs: 5 })
    expect(await client.workspaces.list()).toEqual([])
    expect(sent).toHaveLength(3)
    const write = script([never])
    const error = await write.client.scheduledPosts.revert('p', { timeoutMs: 5 }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(TimeoutError)
    expect((error as Error).message).toContain('within 5 ms')
    expect((error as Error).message).toContain('The change may have been made')
  })

  /** Answers after a while, unless it is aborted before. */
  const slowly =
    (answer: Response): Step =>
    ({ signal }) =>
      new Promise((resolve, reject) => {
        setTimeout(resolve, 20, answer)
        signal!.addEventListener('abort', () => reject(signal!.reason))
      })

  test('no time is too long for a timer', async () => {
    const { client } = script([slowly(answer(200, [])), slowly(answer(200, []))])
    expect(await client.workspaces.list({ timeoutMs: Number.POSITIVE_INFINITY })).toEqual([])
    expect(await client.workspaces.list({ timeoutMs: 2 ** 40 })).toEqual([])
  })

  test('an import takes as long as it takes, unless its call says otherwise', async () => {
    const fetch = async (url: string, init: RequestInit) =>
      (slowly(answer(200, { imported: 1 })) as (init: RequestInit, url: string) => Promise<Response>)(init, url)
    const operator = new GreenroomOperator({
      baseUrl: 'http://127.0.0.1:8080/operator',
      token: 't',
      timeoutMs: 1,
      fetch,
    })
    const options = { contentType: 'text/csv' } as const
    expect(await operator.conversations.import('org', 'channel', '', options)).toEqual({ imported: 1 })
    const short = operator.conversations.import('org', 'channel', '', { ...options, timeoutMs: 1 })
    await expect(short).rejects.toBeInstanceOf(TimeoutError)
  })

  test("the caller's abort ends a call with the caller's reason: before it, during it, between two attempts, between two pages", async () => {
    const reason = new Error('enough')
    const before = script([])
    await expect(before.client.workspaces.list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(before.sent).toEqual([])

    const controller = new AbortController()
    const during = script([
      (init, url) => {
        queueMicrotask(() => controller.abort(reason))
        return (never as (init: RequestInit, url: string) => Promise<Response>)(init, url)
      },
    ])
    await expect(during.client.scheduledPosts.revert('p', { signal: controller.signal })).rejects.toBe(reason)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])

    const between = new AbortController()
    const attempts = script([
      () => {
        between.abort(reason)
        return answer(503)
      },
    ])
    await expect(attempts.client.workspaces.list({ signal: between.signal })).rejects.toBe(reason)

    const walking = new AbortController()
    const pages = script([page(1, true, 'a')])
    const seen: string[] = []
    const walk = async () => {
      for await (const { conversationId } of pages.client.vipUsers.listAll(QUERY, { signal: walking.signal })) {
        seen.push(conversationId)
        walking.abort(reason)
      }
    }
    await expect(walk()).rejects.toBe(reason)
    expect(seen).toEqual(['a'])
  })

  /** A server that sends the head and the first part of an export, and then nothing. */
  function silentExport(timeoutMs = 60_000) {
    const request = new AbortController()
    const operator = new GreenroomOperator({
      baseUrl: 'http://127.0.0.1:8080/operator',
      token: 't',
      timeoutMs,
      async fetch(_url, { signal }) {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{}\n'))
            signal!.addEventListener('abort', () => {
              controller.error(signal!.reason)
              request.abort()
            })
          },
        })
        return new Response(body)
      },
    })
    return { operator, gone: request.signal }
  }

  const readAll = async (parts: AsyncIterable<Uint8Array>): Promise<string> =>
    Buffer.concat(await collect(parts)).toString()

  test('an abort reaches a streamed export: while it is read, before it is read, and its request', async () => {
    const reason = new Error('enough')
    const { operator, gone } = silentExport()
    const controller = new AbortController()
    const parts = await operator.conversations.export('o', 'c', { signal: controller.signal })
    const seen: string[] = []
    const reading = (async () => {
      for await (const part of parts) {
        seen.push(Buffer.from(part).toString())
        setImmediate(() => controller.abort(reason))
      }
    })()
    await expect(reading).rejects.toBe(reason)
    expect([seen, gone.aborted]).toEqual([['{}\n'], true])
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])

    const unread = silentExport()
    const other = new AbortController()
    const never = await unread.operator.conversations.export('o', 'c', { signal: other.signal })
    other.abort(reason)
    expect(unread.gone.aborted).toBe(true)
    await expect(readAll(never)).rejects.toBe(reason)
  })

  test('a server that falls silent in the middle of an export does not hold it for ever', async () => {
    const { operator, gone } = silentExport(5)
    const error = await readAll(await operator.conversations.export('o', 'c')).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ operation: 'exportConversations', message: expect.stringContaining('within 5 ms') })
    expect(gone.aborted).toBe(true)
    const patient = silentExport(60_000)
    const parts = await patient.operator.conversations.export('o', 'c', { timeoutMs: 5 })
    await expect(readAll(parts)).rejects.toBeInstanceOf(TimeoutError)
  })

  test('a slow reader of an export is no silent server, and one that stops early ends the request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { operator, gone } = silentExport(20)
    const { signal } = new AbortController()
    for await (const _part of await operator.conversations.export('o', 'c', { signal })) {
      expect(vi.getTimerCount()).toBe(0)
      expect(gone.aborted).toBe(false)
      break
    }
    expect(gone.aborted).toBe(true)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('the pause between two attempts ends at once when the caller aborts, and leaves nothing behind', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const controller = new AbortController()
    const reason = new Error('enough')
    const aborted = systemRuntime.wait(60_000, controller.signal)
    controller.abort(reason)
    await expect(aborted).rejects.toBe(reason)
    await expect(systemRuntime.wait(60_000, controller.signal)).rejects.toBe(reason)
    expect(vi.getTimerCount()).toBe(0)
    const { signal } = new AbortController()
    const waited = systemRuntime.wait(60_000, signal)
    await vi.advanceTimersByTimeAsync(60_000)
    await waited
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('pages', () => {
  test('interface 4.1.5: end on mayHaveMore alone, and begin where they are told', async () => {
    const { client, sent } = script([page(5, true, 'a'), page(6, true), page(7, false, 'b')])
    expect(
      (await collect(client.vipUsers.listAll({ ...QUERY, offset: 4 }))).map((user) => user.conversationId),
    ).toEqual(['a', 'b'])
    expect(sent.map(({ url }) => new URL(url).searchParams.get('offset'))).toEqual(['4', '5', '6'])
  })

  test('interface 8: are as large as they come unless a limit is given', async () => {
    const limitOf = async (query: object, options: Partial<GreenroomOptions> = {}) => {
      const { client, sent } = script([page(0, false)], options)
      await collect(client.vipUsers.pages({ ...QUERY, ...query }))
      return new URL(sent[0]!.url).searchParams.get('limit')
    }
    expect(await limitOf({})).toBe('200')
    expect(await limitOf({ compact: false })).toBe('200')
    expect(await limitOf({ compact: true })).toBeNull()
    expect(await limitOf({ compact: 'true' })).toBeNull()
    expect(await limitOf({ limit: 7 })).toBe('7')
    expect(await limitOf({}, { interfaceVersion: 'earlier' })).toBeNull()
  })

  test.each([
    [0],
    [-1],
    [null],
    [undefined],
    ['x'],
  ])('an offset that does not grow, %j, is a PagingError after the rows', async (next) => {
    const { client } = script([page(next, true, 'a')])
    const walk = client.vipUsers.listAll(QUERY)
    expect((await walk.next()).value).toMatchObject({ conversationId: 'a' })
    await expect(walk.next()).rejects.toBeInstanceOf(PagingError)
  })

  test.each([
    [null],
    [''],
    [undefined],
    ['same'],
    [7],
  ])('a cursor that does not lead on, %j, is a PagingError', async (nextCursor) => {
    const { client } = script([answer(200, { items: [], mayHaveMore: true, nextCursor })])
    const window = { startDate: '2026-11-01', endDate: '2026-11-02', after: 'same' }
    await expect(collect(client.campaigns.dailyInsightsAll('1', window))).rejects.toMatchObject({
      name: 'PagingError',
      operation: 'listDailyInsights',
    })
  })

  test('of posts end on the first empty one, whatever size the server makes them', async () => {
    const { client, sent } = script([
      answer(200, [{ id: '1' }, { id: '2' }]),
      answer(200, [{ id: '3' }]),
      answer(200, []),
    ])
    expect((await collect(client.scheduledPosts.listAll({ limit: 500 }))).map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([0, 2, 3].map((offset) => `?limit=500&offset=${offset}`))
  })

  test('of posts follow the cursor, and end where none comes', async () => {
    const next = (cursor: string) => ({ 'x-next-cursor': cursor })
    const { client, sent } = script([
      answer(200, [{ id: '1' }], next('a')),
      answer(200, [{ id: '2' }], next('b')),
      answer(200, [{ id: '3' }]),
    ])
    const query = { status: 'DRAFT', offset: 4 } as const
    expect((await collect(client.scheduledPosts.listAll(query))).map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?status=DRAFT&limit=200&offset=4',
      '?status=DRAFT&limit=200&after=a',
      '?status=DRAFT&limit=200&after=b',
    ])
    const stuck = script([answer(200, [{ id: '1' }], next('a')), answer(200, [{ id: '2' }], next('a'))])
    await expect(collect(stuck.client.scheduledPosts.listAll())).rejects.toBeInstanceOf(PagingError)
  })

  test('are asked for one at a time, and no more once the caller stops', async () => {
    const { client, sent } = script([page(2, true, 'a', 'b')])
    for await (const _user of client.vipUsers.listAll(QUERY)) break
    expect(sent).toHaveLength(1)
  })
})

describe('answers', () => {
  test.each([
    'permission_missing',
    'approval_is_human',
    'address_not_allowed',
  ])('a 403 %s is a PermissionError', async (code) => {
    const { client } = script([answer(403, { message: 'No.' }, { 'x-error-code': code })])
    const error = await client.workspaces.list().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error).toMatchObject({ name: 'PermissionError', code, message: 'No.' })
  })

  test.each([
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [402, 'OrganizationInactiveError'],
    [403, 'AuthenticationError'],
    [404, 'NotFoundError'],
    [409, 'ConflictError'],
    [412, 'PreconditionFailedError'],
    [418, 'GreenroomError'],
    [422, 'ValidationError'],
    [429, 'RateLimitError'],
    [500, 'ServerError'],
    [504, 'ServerError'],
  ])('%d is a %s with the text, code and request id of the server', async (status, name) => {
    const headers = { 'x-error-code': 'the_code', 'x-request-id': 'req-1' }
    const { client } = script([answer(status, { message: 'Do this.' }, headers)], { maxRetries: 0 })
    const error = (await client.workspaces.list().catch((error: unknown) => error)) as GreenroomError
    expect(error).toBeInstanceOf(GreenroomError)
    expect(error).toMatchObject({
      name,
      message: 'Do this.',
      status,
      code: 'the_code',
      requestId: 'req-1',
      operation: 'listWorkspaces',
    })
    expect(error.stack).toMatch(new RegExp(`^${name}: Do this\\.`))
  })

  test.each([
    [502, '<html>Bad gateway</html>', 'ServerError'],
    [403, '', 'AuthenticationError'],
    [404, 'null', 'NotFoundError'],
    [409, '{"message":5}', 'ConflictError'],
    [422, '{"error":"text"}', 'ValidationError'],
  ])('a %d whose body is not of the interface, %s, still says what to do', async (status, body, name) => {
    const { client } = script([answer(status, body)])
    await expect(client.workspaces.list()).rejects.toMatchObject({
      name,
      message: expect.stringMatching(/^The.{20,}\.$/),
    })
  })

  test('a success that is not JSON is no success', async () => {
    const { client } = script([answer(200, '<html>')])
    await expect(client.workspaces.list()).rejects.toMatchObject({
      name: 'GreenroomError',
      status: 200,
      message: expect.stringMatching(/baseUrl/),
    })
  })

  test('a 304 is no redirect: it says that nothing has changed', async () => {
    const { client } = script([new Response(null, { status: 304, headers: { etag: '"7"' } })])
    const error = await client.vipUsers
      .list(QUERY, { headers: { 'if-none-match': '"7"' } })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(GreenroomError)
    expect(error).toMatchObject({
      name: 'NotModifiedError',
      status: 304,
      message: expect.stringMatching(/^Nothing has changed/),
    })
  })

  const bodies = [
    'null',
    '5',
    '"text"',
    'true',
    '[]',
    '[null]',
    '{}',
    '{"items":{}}',
    '{"items":null,"mayHaveMore":true}',
  ]
  const calls: Record<string, (client: Greenroom) => Promise<unknown>> = {
    workspaces: (client) => client.workspaces.list(),
    vipUsers: (client) => client.vipUsers.list(QUERY),
    allVipUsers: (client) => collect(client.vipUsers.listAll(QUERY)),
    allInsights: (client) =>
      collect(client.campaigns.dailyInsightsAll('1', { startDate: '2026-11-01', endDate: '2026-11-01' })),
    allPosts: (client) => collect(client.scheduledPosts.listAll()),
    allSuperpowers: (client) => collect(client.superpowers.listAll()),
    post: (client) => client.scheduledPosts.get('p'),
    creation: (client) => client.scheduledPosts.create({}),
  }

  test.each(Object.keys(calls))('%s: an answer of another shape is no TypeError', async (name) => {
    for (const body of bodies) {
      for (const status of [200, 409, 422, 503]) {
        const { client } = script([answer(status, body)], { maxRetries: 0 })
        const error = await calls[name]!(client).catch((thrown: unknown) => thrown)
        if (error instanceof Error) expect(error, `${status} ${body}`).toBeInstanceOf(GreenroomError)
        if (status !== 200 || !['null', '5', '"text"', 'true'].includes(body)) continue
        expect(error).toMatchObject({
          message: expect.stringMatching(/^The answer is JSON, but no (list|page|object)/),
        })
      }
    }
  })

  test('refusals with odd details keep what is right in them', async () => {
    const { client } = script([
      answer(422, { error: [null, 5, { message: '"a" is wrong' }, { message: 7 }] }),
      answer(409, { message: 'No.', conflicts: [null, { hashtag: '#a' }] }),
      answer(409, { conflicts: { length: 1 } }),
    ])
    await expect(client.scheduledPosts.update('p', {})).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'The request is wrong: "a" is wrong.',
    })
    await expect(client.scheduledPosts.update('p', {})).rejects.toMatchObject({ conflicts: [{ hashtag: '#a' }] })
    await expect(client.scheduledPosts.update('p', {})).rejects.toMatchObject({ conflicts: [] })
  })

  test('the ETag of a post is there for ifMatch and in nothing that is made of the post', async () => {
    const { client, sent } = script([answer(200, { id: 'p' }, { etag: '"7"' }), answer(200, { id: 'p' })])
    const post = await client.scheduledPosts.get('p')
    expect(post.etag).toBe('"7"')
    expect(JSON.stringify(post)).toBe('{"id":"p"}')
    expect({ ...post }).not.toHaveProperty('etag')
    expect((await client.scheduledPosts.update('p', {}, { ifMatch: post.etag })).etag).toBeUndefined()
    expect(sent[1]!.headers['if-match']).toBe('"7"')
  })

  /** Starts a server for one test. */
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`
  }

  test('an upload is not held in memory', async () => {
    const baseUrl = await serve((request, response) => request.resume().once('end', () => response.end('{}')))
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const heldBytes = (): number => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers
    }
    let before = 0
    let after = 0
    async function* chunks() {
      before = heldBytes()
      for (let index = 0; index < 192; index++) yield Buffer.alloc(2 ** 20, 'a')
      after = heldBytes()
    }
    const { conversations } = new GreenroomOperator({ baseUrl, token: 't' })
    await conversations.import('o', 'c', chunks(), { contentType: 'text/csv' })
    // Some bytes may be on their way; the upload is 192 MiB.
    expect(after - before).toBeLessThan(64 * 2 ** 20)
  })

  test('a redirect is not followed: key and signature go to baseUrl alone', async () => {
    const asked: string[] = []
    const baseUrl = await serve((request, response) => {
      asked.push(request.url!)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const client = new Greenroom({ baseUrl, key: 'k', secret: 's' })
    await expect(client.workspaces.list()).rejects.toMatchObject({
      status: 307,
      message: expect.stringMatching(/redirects/),
    })
    expect(asked).toEqual(['/workspaces'])
    const { conversations } = new GreenroomOperator({ baseUrl, token: 't' })
    await expect(conversations.import('o', 'c', '{}', { contentType: 'text/csv' })).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringMatching(/redirect/),
    })
    expect(asked).toHaveLength(2)
  })

  test('a server that is not there is a ConnectionError that says where and why', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const client = new Greenroom({ baseUrl: `http://127.0.0.1:${port}/v1`, key: 'k', secret: 's', maxRetries: 0 })
    await expect(client.workspaces.list()).rejects.toMatchObject({
      name: 'ConnectionError',
      status: undefined,
      message: expect.stringMatching(new RegExp(`http://127\\.0\\.0\\.1:${port}/v1 \\(.*ECONNREFUSED.*\\)`)),
    })
  })
})

describe('what goes out', () => {
  test('ids are one segment of the path each; one that would lead elsewhere is refused before anything is sent', async () => {
    const { client, sent } = script([answer(200)])
    await client.scheduledPosts.get('a/b ?#ü')
    expect(sent[0]!.url).toBe('http://127.0.0.1:8080/v1/scheduled-posts/a%2Fb%20%3F%23%C3%BC')
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      await expect(client.scheduledPosts.delete(id)).rejects.toBeInstanceOf(TypeError)
    }
    expect(sent).toHaveLength(1)
  })

  test.each([
    '',
    'localhost:8080',
    'ftp://127.0.0.1/v1',
    'http://me:pass@127.0.0.1/v1',
    'http://127.0.0.1/v1?a=1',
  ])('baseUrl %j is refused, without repeating it', (baseUrl) => {
    expect(() => script([], { baseUrl })).toThrow(/^baseUrl must be/)
    expect(() => script([], { baseUrl })).not.toThrow(/pass@/)
  })

  test('key, secret and token must be there, and be fit for a header', () => {
    expect(() => script([], { key: '' })).toThrow('key is missing')
    expect(() => script([], { secret: undefined as unknown as string })).toThrow('secret is missing')
    const token = 'the-token\n'
    const make = () => new GreenroomOperator({ baseUrl: 'http://127.0.0.1:8080/operator', token })
    expect(make).toThrow(/^token does not fit in a header/)
    expect(make).not.toThrow(/the-token/)
  })

  test('the secret is in no property, text, inspection, URL or error', async () => {
    const { client, sent } = script([answer(403, { message: 'No.' }), lost()], { maxRetries: 0 })
    const errors = [
      await client.workspaces.list().catch((error: unknown) => error),
      await client.vipUsers.list(QUERY).catch((error: unknown) => error),
    ]
    const options = { depth: 20, showHidden: true, getters: true }
    const shown = [client, client.vipUsers, ...errors].map(
      (value) => `${inspect(value, options)} ${JSON.stringify(value)} ${value}`,
    )
    expect(shown.join('\n') + sent.map(({ url }) => url).join('\n')).not.toContain(SECRET)
  })
})

test('docs/client.md lists every class of error', () => {
  const listed = [
    ...readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8').matchAll(/^\| `(\w+Error)` \|/gm),
  ].map(([, name]) => name)
  const exported = Object.keys(exports).filter((name) => name.endsWith('Error') && name !== 'GreenroomError')
  expect(listed.toSorted()).toEqual(exported.toSorted())
})
