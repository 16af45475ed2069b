/** Sends requests that no HTTP client would: those of the fuzz as bytes, mangled, several on one connection. */
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ERRORS, type ErrorCode } from '../../src/errors.js'
import { fuzzRequest } from './requests.js'
import { openStage, type SentRequest, type Stage, World } from './world.js'

const CONNECTIONS = Math.ceil(Number(process.env.FUZZ_REQUESTS || 10_000) / 20)
const SEED = Number(process.env.FUZZ_SEED || Date.now() % 1_000_000_000)
const AT_ONCE = 20
/** A server that is silent for this long is waiting for the rest of a request. */
const IDLE_MS_MAX = 1_000
/** Ends the connection, if a complete request precedes it. */
const LAST = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

let stage: Stage
let port: number
beforeAll(async () => {
  stage = await openStage()
  await stage.test.app.listen({ host: '127.0.0.1', port: 0 })
  port = (stage.test.app.server.address() as { port: number }).port
})
afterAll(() => stage.close())

const { constantFrom, nat, oneof, tuple } = fc

const REQUEST_LINES = [
  '',
  'GET',
  'GET /',
  'GET / HTTP/0.9',
  'GET / HTTP/1.0',
  'GET / HTTP/2.0',
  'PRI * HTTP/2.0',
  'GET  /  HTTP/1.1',
  'GET / HTTP/1.1 x',
  'get /v1/workspaces HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT x:443 HTTP/1.1',
  'GET http://x/v1/workspaces HTTP/1.1',
  'GET http://[::1 HTTP/1.1',
  'GET //x/v1/workspaces HTTP/1.1',
  'GET /v1/workspaces#x HTTP/1.1',
  'GET /v1/\xff\xfe HTTP/1.1',
  'GET /v1/\0 HTTP/1.1',
  'QUERY / HTTP/1.1',
  'BREW / HTTP/1.1',
  `GET /v1/${'a'.repeat(20_000)} HTTP/1.1`,
  `GET /v1/scheduled-posts/${'%41'.repeat(4_000)} HTTP/1.1`,
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
]
const HEADER_LINES = [
  'host: other',
  'host: a b',
  'Host:',
  'content-length: 5',
  'content-length: -1',
  'content-length: 1e1',
  'content-length: 99999999999999999999',
  'transfer-encoding: chunked',
  'transfer-encoding: chunked, identity',
  'transfer-encoding: gzip',
  'expect: 100-continue',
  'expect: x',
  'connection: upgrade\r\nupgrade: websocket',
  'connection: upgrade\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__',
  'connection: close, keep-alive',
  'no colon',
  ' folded: line',
  'a b: c',
  ': empty',
  'x-null: a\0b',
  'x-cr: a\rb',
  'x-date: Fri, 20 Nov 2026 09:00:00 GMT',
  '__proto__: x',
  `x-long: ${'x'.repeat(20_000)}`,
  Array.from({ length: 1_500 }, (_, index) => `h${index}: x`).join('\r\n'),
  Array.from({ length: 3_000 }, () => 'a:').join('\r\n'),
]

/** Changes the bytes of a request, one character each. */
const mangle: fc.Arbitrary<(bytes: string) => string> = oneof(
  constantFrom(...REQUEST_LINES).map((line) => (bytes: string) => bytes.replace(/^[^\r]*/, () => line)),
  constantFrom(...HEADER_LINES).map((line) => (bytes: string) => bytes.replace('\r\n', () => `\r\n${line}\r\n`)),
  constantFrom('host', 'content-length', 'content-type').map(
    (name) => (bytes: string) => bytes.replace(new RegExp(`^${name}:.*\r\n`, 'm'), ''),
  ),
  constantFrom('\n', '\r', '\r\r\n', '\r\n\r\n').map((end) => (bytes: string) => bytes.replaceAll('\r\n', end)),
  tuple(nat(), nat(3), fc.string({ unit: 'binary-ascii', maxLength: 3 })).map(
    ([at, removed, added]) =>
      (bytes: string) => {
        const start = at % bytes.length
        return bytes.slice(0, start) + added + bytes.slice(start + removed)
      },
  ),
  nat().map((at) => (bytes: string) => bytes.slice(0, at % bytes.length)),
)

const connection = fc.array(tuple(fuzzRequest, fc.array(mangle, { maxLength: 2 })), { minLength: 1, maxLength: 4 })

test(
  `${CONNECTIONS} connections of odd bytes from the seed ${SEED}`,
  { timeout: 60_000 + CONNECTIONS * 1_000 },
  async () => {
    const world = await World.create(stage)
    const failures = new Map<string, string>()
    const statuses = new Map<number, number>()
    const left = fc.sample(connection, { seed: SEED, numRuns: CONNECTIONS })
    const talk = async (): Promise<void> => {
      for (let parts = left.pop(); parts !== undefined; parts = left.pop()) {
        const requests = parts.map(([request, mangles]) =>
          mangles.reduce((bytes, change) => change(bytes), toBytes(world.resolve(request))),
        )
        const bytes = requests.join('')
        await breakOff(bytes)
        const received = await exchange(bytes + LAST)
        const { answers, wrong } = readAnswers(received)
        for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (wrong !== undefined) {
          failures.set(wrong, `${JSON.stringify(requests).slice(0, 3_000)}\n→ ${received.text.slice(0, 1_500)}`)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, talk))
    expect([...failures].map(([wrong, shown]) => `${wrong}\n${shown}`).join('\n\n')).toBe('')
    for (const status of [200, 400]) expect(statuses.get(status), `${status}`).toBeGreaterThan(0)
    expect((await exchange(LAST)).text).toMatch(/^HTTP\/1.1 200 /)
  },
)

function toBytes({ method, url, headers, body = '' }: SentRequest): string {
  const bytes = Buffer.from(body).toString('latin1')
  const all = { host: 'localhost', ...(body === '' ? {} : { 'content-length': String(bytes.length) }), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  // The bytes of a response to HEAD cannot be distinguished from others.
  const line = `${method === 'HEAD' ? 'GET' : method} ${Buffer.from(url).toString('latin1')} HTTP/1.1`
  return `${line}\r\n${lines.join('')}\r\n${bytes}`
}

interface Received {
  text: string
  /** True if the server ended it in order; otherwise the server waits for more. */
  ended: boolean
}

function exchange(bytes: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    const finish = (ended: boolean): void => {
      socket.destroy()
      resolve({ text, ended })
    }
    socket.setEncoding('latin1')
    socket.setTimeout(IDLE_MS_MAX, () => finish(false))
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('close', () => finish(true))
    // The server may close while we still write, and its response is then lost.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') ? finish(false) : reject(error),
    )
  })
}

/** Sends, and resets the connection at once: an unhandled error would end the process, and this test. */
function breakOff(bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1', () => socket.resetAndDestroy()))
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

/** Returns the statuses of complete answers, and what is wrong with the first bad one. */
function readAnswers({ text, ended }: Received): { answers: number[]; wrong?: string } {
  const answers: number[] = []
  for (let at = 0; at < text.length; ) {
    const headEnd = text.indexOf('\r\n\r\n', at)
    if (headEnd < 0) return { answers, ...(ended ? { wrong: 'a response with a truncated head' } : {}) }
    const head = text.slice(at, headEnd)
    const status = Number(/^HTTP\/1.1 (\d{3})/.exec(head)?.[1])
    const header = (name: string): string | undefined => new RegExp(`\r\n${name}: *(.*)`, 'i').exec(head)?.[1]
    if (status < 200) {
      at = headEnd + 4
      continue
    }
    const isChunked = header('transfer-encoding') === 'chunked'
    const length = status === 304 ? 0 : Number(header('content-length'))
    if (Number.isNaN(status) || (Number.isNaN(length) && !isChunked)) {
      return { answers, wrong: `not a response: ${head.slice(0, 200)}` }
    }
    const start = headEnd + 4
    const end = isChunked ? endOfChunks(text, start) : start + length
    if (end === undefined || text.length < end) {
      return { answers, ...(ended ? { wrong: `${status} with a truncated body` } : {}) }
    }
    const body = text.slice(start, end)
    answers.push(status)
    at = end
    const wrong = findWrong(status, header, body)
    if (wrong !== undefined) return { answers, wrong }
  }
  return {
    answers,
    ...(ended && answers.length === 0 ? { wrong: 'the connection was closed without a response' } : {}),
  }
}

/** Returns the end of the last chunk from there on; undefined if it has not arrived. */
function endOfChunks(text: string, start: number): number | undefined {
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    at = lineEnd + 2 + size + 2
    if (size === 0) return at
  }
}

function findWrong(status: number, header: (name: string) => string | undefined, body: string): string | undefined {
  if (header('x-request-id') === undefined) return `${status} without x-request-id`
  if (status >= 300 && status !== 304) {
    const code = header('x-error-code') ?? ''
    const known = Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined
    if (known?.[0] !== status) return `${status} with x-error-code ${code}`
    if (status >= 500 && !code.startsWith('platform_')) return `${status} ${code}`
  }
  // Compressed bodies and streams of other types are not read here.
  const isJson = /^application\/json\b/.test(header('content-type') ?? '')
  if (status === 304 || header('content-encoding') !== undefined || (status < 300 && !isJson)) return undefined
  try {
    JSON.parse(Buffer.from(body, 'latin1').toString())
  } catch {
    return `${status} without JSON`
  }
  return undefined
}
