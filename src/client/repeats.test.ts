import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { answer, collect, lost, page, QUERY, type Step, script } from '../../test/client-script.js'
import { ConnectionError, GreenroomApi, GreenroomError, ServerError, TimeoutError } from './index.js'
import { systemRuntime } from './runtime.js'

describe('repeats', () => {
  test('a read waits twice as long before each repeat, with some randomness', async () => {
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
      "a date, by the server's clock",
      { 'retry-after': 'Fri, 20 Nov 2026 10:00:09 GMT', date: 'Fri, 20 Nov 2026 10:00:00 GMT' },
      9_125,
    ],
    ["a date, without the server's clock", { 'retry-after': 'Fri, 20 Nov 2026 09:00:10 GMT' }, 9_875],
    ['a date in the past', { 'retry-after': 'Fri, 20 Nov 2026 08:00:00 GMT' }, 125],
    ['nonsense', { 'retry-after': 'soon' }, 125],
  ])('Retry-After as %s is honoured', async (_name, headers: Record<string, string>, waited) => {
    const { client, waits } = script([answer(429, {}, headers), answer(200, [])])
    await client.workspaces.list()
    expect(waits).toEqual([waited])
  })

  test('a Retry-After of more than a minute is reported instead of waited for', async () => {
    const { client, waits } = script([answer(429, {}, { 'retry-after': '61' })])
    await expect(client.workspaces.list()).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 61_000 })
    expect(waits).toEqual([])
  })

  test.each([
    400, 401, 402, 403, 404, 408, 409, 412, 413, 422, 500, 502, 504,
  ])('a read is not repeated after %d', async (status) => {
    const { client, sent } = script([answer(status)])
    await expect(client.workspaces.list()).rejects.toMatchObject({ status, operation: 'listWorkspaces' })
    expect(sent).toHaveLength(1)
  })

  test('any call is repeated after a 429 with a time, except an upload, whose stream is used up', async () => {
    const refusal = (): Response => answer(429, {}, { 'retry-after': '7' })
    const { client, sent, waits } = script([refusal(), answer(200, {})])
    await client.scheduledPosts.submitForApproval('p')
    expect(sent).toHaveLength(2)
    expect(waits).toEqual([7_125])
    const uploads: string[] = []
    const operator = new GreenroomApi({
      baseUrl: 'http://127.0.0.1:1/api',
      token: 'token',
      async fetch(url) {
        uploads.push(url)
        return refusal()
      },
    })
    const upload = operator.call('importConversations', {
      organizationId: 'org',
      channelId: 'channel',
      body: 'a',
      contentType: 'text/csv',
    })
    await expect(upload).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 7_000 })
    expect(uploads).toHaveLength(1)
  })

  test('a PATCH and a POST of the lifecycle are sent once, unless the response says when to retry', async () => {
    for (const step of [lost(), answer(503), answer(429)]) {
      const patch = script([step instanceof Error ? step : step.clone()])
      await expect(patch.client.scheduledPosts.update('p', {})).rejects.toBeInstanceOf(GreenroomError)
      const post = script([step])
      await expect(post.client.scheduledPosts.submitForApproval('p')).rejects.toBeInstanceOf(GreenroomError)
      expect([...patch.sent, ...post.sent]).toHaveLength(2)
    }
  })

  test('a creation is repeated with one key, its own or the caller’s, and another creation has another', async () => {
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

  test('a call of the API is repeated with one key if its route accepts one, and otherwise not', async () => {
    const keys: (string | null)[] = []
    const steps = [lost(), answer(200, {}), lost()]
    const api = new GreenroomApi(
      {
        baseUrl: 'http://127.0.0.1:1/api',
        token: 'token',
        async fetch(_url, { headers }) {
          keys.push(new Headers(headers).get('idempotency-key'))
          const step = steps.shift()!
          if (step instanceof Error) throw step
          return step
        },
      },
      { ...systemRuntime, wait: async () => {} },
    )
    await api.call('importScheduledPosts', { organizationId: 'org', body: { csv: 'time,text' } })
    const segment = { name: 'Best', conditions: { valueAbove: 500 } }
    const creation = api.call('createSegment', { organizationId: 'org', body: segment })
    await expect(creation).rejects.toBeInstanceOf(ConnectionError)
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{36}$/), keys[0], null])
  })

  test('a DELETE whose response was lost and whose repeat finds nothing reports both', async () => {
    const { client } = script([lost(), answer(404, { message: 'There is no scheduled post with this id.' })])
    const error = await client.scheduledPosts.delete('p').catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, cause: { name: 'ConnectionError' } })
    expect((error as Error).message).toContain('may have deleted it')
    const plain = script([answer(404, { message: 'No.' })])
    await expect(plain.client.scheduledPosts.delete('p')).rejects.toThrow(/^No\.$/)
  })

  test('maxRetries of the call takes precedence over that of the client', async () => {
    const { client, sent } = script([answer(503), answer(503), answer(503)], { maxRetries: 0 })
    await expect(client.workspaces.list()).rejects.toBeInstanceOf(ServerError)
    await expect(client.workspaces.list({ maxRetries: 1 })).rejects.toMatchObject({ name: 'ServerError', status: 503 })
    expect(sent).toHaveLength(3)
  })
})

describe('timeouts and aborts', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** Returns the outcome of a call, and runs its timers as soon as they are set. */
  async function later<T>(call: Promise<T>): Promise<T> {
    let isOver = false
    const end = (): void => {
      isOver = true
    }
    call.then(end, end)
    while (!isOver) {
      // Runs only the pending timers, because a timer of another test's app may restart itself forever.
      await vi.runOnlyPendingTimersAsync()
      // Signing takes turns of the event loop in which no timer is set yet.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return await call
  }

  const never: Step = ({ signal }) =>
    new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))

  test('an attempt without a complete answer in time is a TimeoutError, which a read repeats', async () => {
    const { client, sent } = script([never, never, answer(200, [])], { timeoutMs: 5 })
    expect(await later(client.workspaces.list())).toEqual([])
    expect(sent).toHaveLength(3)
    const write = script([never])
    const revert = write.client.scheduledPosts.revert('p', { timeoutMs: 5 })
    const error = await later(revert).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(TimeoutError)
    expect((error as Error).message).toContain('within 5 ms')
    expect((error as Error).message).toContain('The change may have been made')
  })

  /** Answers after a delay, unless it is aborted first. */
  const slowly =
    (answer: Response): Step =>
    ({ signal }) =>
      new Promise((resolve, reject) => {
        setTimeout(resolve, 20, answer)
        signal!.addEventListener('abort', () => reject(signal!.reason))
      })

  test('no time is too long for a timer', async () => {
    const { client } = script([slowly(answer(200, [])), slowly(answer(200, []))])
    expect(await later(client.workspaces.list({ timeoutMs: Number.POSITIVE_INFINITY }))).toEqual([])
    expect(await later(client.workspaces.list({ timeoutMs: 2 ** 40 }))).toEqual([])
  })

  test('an import has no time limit unless its call sets one', async () => {
    const fetch = async (url: string, init: RequestInit) =>
      (slowly(answer(200, { imported: 1 })) as (init: RequestInit, url: string) => Promise<Response>)(init, url)
    const operator = new GreenroomApi({
      baseUrl: 'http://127.0.0.1:8080/api',
      token: 't',
      timeoutMs: 1,
      fetch,
    })
    const options = { contentType: 'text/csv' } as const
    expect(
      await later(
        operator.call('importConversations', { organizationId: 'org', channelId: 'channel', body: '', ...options }),
      ),
    ).toEqual({ imported: 1 })
    const short = operator.call(
      'importConversations',
      { organizationId: 'org', channelId: 'channel', body: '', ...options },
      { timeoutMs: 1 },
    )
    await expect(later(short)).rejects.toBeInstanceOf(TimeoutError)
    const backup = operator.call('createBackup', { body: {} })
    expect(await readAll(await later(backup))).toBe('{"imported":1}')
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
    const operator = new GreenroomApi({
      baseUrl: 'http://127.0.0.1:8080/api',
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

  test('an abort ends a streamed export: while it is read, before it is read, and its request', async () => {
    const reason = new Error('enough')
    const { operator, gone } = silentExport()
    const controller = new AbortController()
    const parts = await operator.call(
      'exportConversations',
      { organizationId: 'o', channelId: 'c' },
      { signal: controller.signal },
    )
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
    const never = await unread.operator.call(
      'exportConversations',
      { organizationId: 'o', channelId: 'c' },
      { signal: other.signal },
    )
    other.abort(reason)
    expect(unread.gone.aborted).toBe(true)
    await expect(readAll(never)).rejects.toBe(reason)
  })

  test('a server that falls silent in the middle of an export does not block it forever', async () => {
    const { operator, gone } = silentExport(5)
    const error = await later(
      readAll(await operator.call('exportConversations', { organizationId: 'o', channelId: 'c' })),
    ).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ operation: 'exportConversations', message: expect.stringContaining('within 5 ms') })
    expect(gone.aborted).toBe(true)
    const patient = silentExport(60_000)
    const parts = await patient.operator.call(
      'exportConversations',
      { organizationId: 'o', channelId: 'c' },
      { timeoutMs: 5 },
    )
    await expect(later(readAll(parts))).rejects.toBeInstanceOf(TimeoutError)
  })

  test('a slow reader of an export is not a silent server, and one that stops early ends the request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { operator, gone } = silentExport(20)
    const { signal } = new AbortController()
    for await (const _part of await operator.call(
      'exportConversations',
      { organizationId: 'o', channelId: 'c' },
      { signal },
    )) {
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
