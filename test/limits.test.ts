import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { SURFACES } from '../src/access/surfaces.js'
import { readAtLeast } from '../src/http/read-body.js'
import { routesOf } from '../src/http/surfaces.js'
import { operations } from '../src/operations.js'
import { Member, OPERATOR_TOKEN, signedHeaders, startTestApp, Tenant } from './harness.js'
import { startListening } from './listening.js'
import { insertPost } from './posts.js'
import { startProcessorTime } from './processor-time.js'
import { talkRaw } from './raw-http.js'
import { Holder } from './review-links.js'

/** The app on a port of this machine. All tests share one, except those with their own settings. */
let shared: ReturnType<typeof startListening> | undefined
afterAll(async () => await (await shared)?.close())
async function listen(env?: Record<string, string>) {
  if (env === undefined) shared ??= startListening()
  const app = await (env === undefined ? shared! : startListening(env))
  if (env !== undefined) onTestFinished(() => app.close())
  return { ...app, port: Number(new URL(app.url).port) }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
    .resume()
    .on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Resolves when the connection is over, in any way: it ends with a reset if the server leaves data unread. */
const ended = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()))

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n')
const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

describe('a connection', () => {
  test('with more requests than may wait for answers gets a 429 and is closed', async () => {
    const { port } = await listen()
    const answers = await talkRaw(port, get('/healthz').repeat(200))
    expect(statuses(answers)).toEqual([...Array(64).fill(200), 429])
    expect(answers).toContain('x-error-code: too_many_waiting')
    expect(answers).toContain('connection: close')
  })

  // An unreadable URL is answered before any route is known.
  test.each([
    ['/healthz', 200],
    ['/nowhere', 404],
    ['/%zz', 400],
  ])('may request %s any number of times, one after another', async (path, status) => {
    const { port } = await listen()
    const socket = await open(port)
    for (let i = 0; i < 70; i++) {
      socket.write(get(path))
      const [answer] = await once(socket, 'data')
      expect(statuses(String(answer))).toEqual([status])
    }
    socket.destroy()
  })

  test('is accepted although silent connections have taken all the room', async () => {
    const { port, app } = await listen({ MAX_CONNECTIONS: '10' })
    const silent = await Promise.all(Array.from({ length: 10 }, () => open(port)))
    const connections = promisify(app.server.getConnections.bind(app.server))
    await vi.waitFor(async () => expect(await connections()).toBe(10))
    await vi.waitFor(async () => expect(await talkRaw(port, get('/healthz', 'connection: close'))).toContain('alive'))
    for (const socket of silent) socket.destroy()
  })
})

describe('a request', () => {
  test('with two Host headers is refused', async () => {
    const { port } = await listen()
    expect(statuses(await talkRaw(port, get('/healthz', 'Host: elsewhere', 'connection: close')))).toEqual([400])
    expect(statuses(await talkRaw(port, get('/healthz', 'connection: close')))).toEqual([200])
  })

  test.each([
    '/docs/%2e%2e/x',
    '/docs/assets/%2e%2e%5cpackage.json',
    '/docs/assets/%00',
    '/docs/..%5c',
    '/docs/%5c',
  ])('for %s does not match anything', async (path) => {
    const { port } = await listen()
    expect(statuses(await talkRaw(port, get(path, 'connection: close')))).toEqual([404])
  })

  test.each([
    '/healthz',
    '/docs',
    '/openapi.json',
    '/metrics',
    '/v1/workspaces',
    '/nowhere',
    '/%zz',
  ])('for %s is answered with nosniff', async (path) => {
    const { port } = await listen()
    const answer = await talkRaw(port, get(path, 'connection: close'))
    expect(answer).toContain('x-content-type-options: nosniff')
  })

  test('that is not HTTP, or expects something unknown, is answered with nosniff', async () => {
    const { port } = await listen()
    expect(await talkRaw(port, 'HELLO\r\n\r\n')).toContain('x-content-type-options: nosniff')
    const answer = await talkRaw(port, get('/healthz', 'expect: more', 'connection: close'))
    expect(answer).toContain('x-content-type-options: nosniff')
  })
})

describe('a query', () => {
  const WORST = {
    zeros: `1.${'0'.repeat(14_000)}`,
    'zeros and a digit': `1.${'0'.repeat(14_000)}1`,
    digits: '9'.repeat(14_000),
    minus: `-${'0'.repeat(14_000)}x`,
    spaces: `${'+'.repeat(14_000)}x`,
    percents: '%31'.repeat(4_666),
    commas: ','.repeat(14_000),
    dates: '2026-11-20T09:00:00.'.padEnd(14_000, '9'),
  }
  const parameters = SURFACES.flatMap((surface) =>
    routesOf(surface, operations)
      .filter(({ operation }) => operation.method === 'GET')
      .flatMap((route) =>
        Object.keys((route.operation.query?.describe().keys ?? {}) as object).map((name) => ({ surface, route, name })),
      ),
  )

  test('that is long is refused at once, whatever the parameter', async () => {
    expect(parameters.length).toBeGreaterThan(20)
    const app = await startTestApp()
    const tenant = await Tenant.create(app)
    const owner = await Member.create(app, { owner: true })
    const post = await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL' })
    const anna = await Holder.of(owner, tenant.organizationId, [post])
    for (const [at, { surface, route, name }] of parameters.entries()) {
      // Every parameter gets one of them, and the first parameter gets each.
      const kinds = Object.entries(WORST)
      for (const [kind, worst] of at === 0 ? kinds : [kinds[at % kinds.length]!]) {
        const url = `${route.path.replaceAll(/\{\w+\}/g, 'unknown').slice(surface.prefix.length)}?${name}=${worst}`
        const passed = startProcessorTime()
        const { body } =
          surface.name === 'v0'
            ? await tenant.callEarlier(422, 'GET', url)
            : surface.name === 'api'
              ? await owner.call(422, 'GET', url)
              : surface.name === 'review'
                ? await anna.call(422, 'GET', url)
                : await tenant.call(422, 'GET', url)
        expect(body.error).toMatchObject([{ path: [name], type: 'string.max' }])
        expect(passed(), `${route.operationId} ${name} ${kind}`).toBeLessThan(1_000)
      }
    }
  })
})

describe('a body', () => {
  /** Returns a signed creation of a post, up to its body. */
  async function creation(app: Awaited<ReturnType<typeof listen>>, ...headers: string[]): Promise<string> {
    const { key } = await Tenant.create(app)
    const signed = Object.entries(signedHeaders(key, new Date(app.clock.now()).toUTCString()))
    const own = [...signed.map(([name, value]) => `${name}: ${value}`), 'x-api-version: 1', ...headers]
    return get('/v1/scheduled-posts', 'content-type: application/json', ...own).replace('GET', 'POST')
  }
  const inParts = (bytes: string): string => `${[...bytes].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`
  const CHUNKED = ['transfer-encoding: chunked', 'connection: close']

  test('may arrive byte by byte, but not in more parts than the limit', async () => {
    const app = await listen()
    const few = inParts(JSON.stringify({ notes: 'x'.repeat(4_000) }))
    expect(statuses(await talkRaw(app.port, (await creation(app, ...CHUNKED)) + few))).toEqual([201])
    const many = inParts(JSON.stringify({ notes: 'x'.repeat(20_000) }))
    const answer = await talkRaw(app.port, (await creation(app, ...CHUNKED)) + many)
    expect(statuses(answer)).toEqual([413])
    expect(answer).toContain('parts')
  })

  test('in too many parts is not read further, and its connection ends with the response', async () => {
    const app = await listen()
    const socket = await open(app.port)
    let answer = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    // This is 20 times what a connection delivers at once.
    socket.write((await creation(app, ...CHUNKED)) + '1\r\nx\r\n'.repeat(220_000))
    await ended(socket)
    expect(socket.bytesWritten).toBeGreaterThan(1_000_000)
    expect(answer === '' ? [413] : statuses(answer)).toEqual([413])
    const connections = promisify(app.app.server.getConnections.bind(app.app.server))
    await vi.waitFor(async () => expect(await connections()).toBe(0))
  })

  test('of an import may arrive line by line, but not byte by byte', async () => {
    const app = await listen()
    const tenant = await Tenant.create(app)
    const path = `/api/organizations/${tenant.organizationId}/channels/${await tenant.channel()}/conversations`
    const lines = Array.from(
      { length: 1_000 },
      (_, n) => `${JSON.stringify({ conversationId: `c${n}`, cuid: `p${n}` })}\n`,
    )
    const send = (parts: string[]): Promise<string> => {
      const head = get(
        path,
        `authorization: Bearer ${OPERATOR_TOKEN}`,
        'content-type: application/x-ndjson',
        ...CHUNKED,
      )
      const body = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')
      return talkRaw(app.port, `${head.replace('GET', 'POST')}${body}0\r\n\r\n`)
    }
    expect(await send(lines)).toContain('"imported":1000')
    // Bytes that arrive before the call is known are not counted; a caller that keeps sending may miss the response.
    const answer = await send([...lines.join('').slice(0, 40_000)]).catch((error: { code: string }) => error.code)
    expect(answer).toMatch(/32 bytes|ECONNRESET|EPIPE/)
  })

  test('of an import that is not read, or no longer read, may also arrive byte by byte', async () => {
    const app = await listen()
    const tenant = await Tenant.create(app)
    const channels = `/api/organizations/${tenant.organizationId}/channels`
    const head = (channelId: string): string =>
      get(
        `${channels}/${channelId}/conversations`,
        `authorization: Bearer ${OPERATOR_TOKEN}`,
        'content-type: application/x-ndjson',
        ...CHUNKED,
      ).replace('GET', 'POST')
    const channelId = await tenant.channel()
    const sockets = await Promise.all(Array.from({ length: 4 }, () => open(app.port)))
    const closed = Promise.all(sockets.map(ended))
    // One of them holds the place of the channel's import; others do not know the channel.
    for (const [index, socket] of sockets.entries()) {
      socket.write(head(index % 4 === 3 ? 'FB_PAGE_0' : channelId) + '1\r\nx\r\n'.repeat(100_000))
    }
    await closed
    expect(statuses(await talkRaw(app.port, get('/healthz', 'connection: close')))).toEqual([200])
  })

  test('that has not arrived after an error does not keep the connection open', async () => {
    const { port } = await listen()
    const answer = await talkRaw(port, `${get('/nowhere', 'content-length: 10').replace('GET', 'POST')}{`)
    expect(statuses(answer)).toEqual([404])
  })

  test('of an import must keep arriving', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    async function* trickle(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield Buffer.from('x')
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const read = async (bytesPerMs: number, count: number): Promise<number> => {
      let seen = 0
      for await (const chunk of readAtLeast(trickle(), { freeMs: 50, bytesPerMs })) {
        seen += chunk.length
        if (seen === count) break
      }
      return seen
    }
    const tooSlow = expect(read(1_000, 1_000)).rejects.toMatchObject({ code: 'request_timeout' })
    await vi.advanceTimersByTimeAsync(1_000)
    await tooSlow
    const fastEnough = read(0.01, 40)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await fastEnough).toBe(40)
  })
})
