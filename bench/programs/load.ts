/**
 * The load of the benches: sends prepared requests over keep-alive connections, one at a time on each, and counts
 * complete answers. Each line of standard input is a LoadOrder as JSON, each line of standard output its LoadResult.
 */
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { signDate } from '../../src/lib/sign-date.js'

const HEAD_END = Buffer.from('\r\n\r\n')

export interface LoadOrder {
  port: number
  /** GET by default. */
  method?: string
  /** Sent in turn. In a JSON body, `{n}` becomes a number that no earlier request had. */
  requests: { path: string; body?: string }[]
  connections: number
  ms: number
  /** Headers of every request. */
  headers: Record<string, string>
  /** Signs the date once per second. */
  key: { id: string; secret: string } | undefined
  status: number
}

export interface LoadResult {
  /** Complete answers within the time. */
  requests: number
  /** The bytes of their bodies. */
  bytes: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

/** The number of requests so far. */
let sent = 0

for await (const line of createInterface({ input: process.stdin })) {
  const result = await load(JSON.parse(line) as LoadOrder)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

async function load(order: LoadOrder): Promise<LoadResult> {
  let next = prepare(order)
  const timer = setInterval(() => {
    next = prepare(order)
  }, 500)
  const latencies: number[] = []
  let bytes = 0
  const startedAt = performance.now()
  const endAt = startedAt + order.ms
  await Promise.all(
    Array.from({ length: order.connections }, () =>
      keepAsking(
        order,
        () => next(),
        endAt,
        (ms, size) => {
          latencies.push(ms)
          bytes += size
        },
      ),
    ),
  )
  clearInterval(timer)
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = Float64Array.from(latencies).sort()
  const quantile = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { requests: sorted.length, bytes, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

/** Returns a function that makes the next request. */
function prepare({ method = 'GET', requests, headers, key }: LoadOrder): () => Buffer {
  const date = new Date().toUTCString()
  const signed =
    key === undefined
      ? {}
      : { 'x-api-version': '1', 'x-api-key': key.id, 'x-date': date, 'x-signature': signDate(key.secret, date) }
  const lines = Object.entries({ host: '127.0.0.1', ...headers, ...signed })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const prepared = requests.map(({ path, body }) => {
    const head = `${method} ${path} HTTP/1.1\r\n${lines}`
    return body === undefined ? Buffer.from(`${head}\r\n`) : { head, body }
  })
  return () => {
    const number = sent++
    const next = prepared[number % prepared.length]!
    if (Buffer.isBuffer(next)) return next
    const body = next.body.replaceAll('{n}', String(number))
    const typed = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
    return Buffer.from(next.head + typed + body)
  }
}

/** Rejects if a response has another status or the connection ends. */
function keepAsking(
  order: LoadOrder,
  request: () => Buffer,
  endAt: number,
  onAnswer: (ms: number, bytes: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(order.port, '127.0.0.1').setNoDelay()
    let sentAt = 0
    let head = Buffer.alloc(0)
    let size = 0
    /** Bytes of the body that have not arrived; undefined while the head is read. */
    let missing: number | undefined
    const ask = (): void => {
      sentAt = performance.now()
      socket.write(request())
    }
    const finish = (error?: Error): void => {
      socket.destroy()
      if (error === undefined) resolve()
      else reject(error)
    }
    socket.on('connect', ask)
    socket.on('error', finish)
    socket.on('close', () => finish(new Error('the server closed a connection')))
    socket.on('data', (chunk) => {
      if (missing === undefined) {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
        const end = head.indexOf(HEAD_END)
        if (end < 0) return
        const text = head.toString('latin1', 0, end)
        const status = Number(text.slice(9, 12))
        if (status !== order.status) {
          finish(new Error(`a response had the status ${status}, not ${order.status}: ${head.toString()}`))
          return
        }
        size = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0)
        missing = size - (head.length - end - HEAD_END.length)
        head = Buffer.alloc(0)
      } else {
        missing -= chunk.length
      }
      if (missing > 0) return
      missing = undefined
      const now = performance.now()
      if (now > endAt) {
        finish()
        return
      }
      onAnswer(now - sentAt, size)
      ask()
    })
  })
}
