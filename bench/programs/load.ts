/**
 * The load of bench/vip-users.ts: sends prepared requests over keep-alive connections, one at a time on each, and counts
 * complete answers. Each line of standard input is a LoadOrder as JSON, each line of standard output its LoadResult.
 */
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { signDate } from '../../src/lib/sign-date.js'

const HEAD_END = Buffer.from('\r\n\r\n')

export interface LoadOrder {
  port: number
  path: string
  connections: number
  ms: number
  /** Headers sent with every request. */
  headers: Record<string, string>
  /** Signs the date of each second anew. */
  key: { id: string; secret: string } | undefined
  status: number
}

export interface LoadResult {
  /** Complete answers within the time. */
  requests: number
  /** Of their bodies. */
  bytes: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await load(JSON.parse(line) as LoadOrder)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

async function load(order: LoadOrder): Promise<LoadResult> {
  let request = prepare(order)
  const timer = setInterval(() => {
    request = prepare(order)
  }, 500)
  const latencies: number[] = []
  let bytes = 0
  const startedAt = performance.now()
  const endAt = startedAt + order.ms
  await Promise.all(
    Array.from({ length: order.connections }, () =>
      keepAsking(
        order,
        () => request,
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

function prepare({ path, headers, key }: LoadOrder): Buffer {
  const date = new Date().toUTCString()
  const signed =
    key === undefined
      ? {}
      : { 'x-api-version': '1', 'x-api-key': key.id, 'x-date': date, 'x-signature': signDate(key.secret, date) }
  const lines = Object.entries({ host: '127.0.0.1', ...headers, ...signed }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
}

/** Rejects when an answer has another status, or the connection ends. */
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
    /** Of the body, still to come; undefined while its head is read. */
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
          finish(new Error(`an answer had the status ${status}, not ${order.status}: ${head.toString()}`))
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
