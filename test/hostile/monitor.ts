/**
 * `monitor.ts <url> <pid> <neighbour>` observes what other callers experience during an attack, in its own process. It
 * requests /healthz and a signed page of another tenant, each time on a new connection, until standard input ends. Then
 * it writes the worst results as one line of JSON.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { signDate } from '../../src/lib/sign-date.js'

/** A tenant that is not attacked: a page of its VIPs, and the key that reads it. */
export interface Neighbour {
  path: string
  key: { id: string; secret: string }
}

export interface Figures {
  worstWaitMs: number
  rssMib: number
  descriptors: number
  /** Descriptors still open at the end, a moment after the attack. */
  descriptorsLeft: number
}

const WAIT_MS_MAX = 20_000
/** Connections that an attack leaves behind have closed by then. */
const QUIET_MS = 3_000

const [url, pid, given] = process.argv.slice(2)
const neighbour = JSON.parse(given!) as Neighbour
const worst: Figures = { worstWaitMs: 0, rssMib: 0, descriptors: 0, descriptorsLeft: 0 }
let ends = false
process.stdin.resume().once('end', () => {
  ends = true
})

await look()
worst.worstWaitMs = 0
process.stdout.write('ready\n')
while (!ends) {
  await look()
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
worst.descriptorsLeft = countDescriptors()
process.stdout.write(`${JSON.stringify(worst)}\n`)
process.exit()

async function look(): Promise<void> {
  await timeUntil(isAlive)
  await timeUntil(isNeighbourServed)
  try {
    const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    note('rssMib', Number(kib) / 1024)
    note('descriptors', countDescriptors())
  } catch {
    // The process has ended, which the wait reports.
  }
}

async function timeUntil(isAnswered: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  while (!(await isAnswered()) && performance.now() - startedAt < WAIT_MS_MAX) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  note('worstWaitMs', performance.now() - startedAt)
}

function isAlive(): Promise<boolean> {
  return get('/healthz')
}

function isNeighbourServed(): Promise<boolean> {
  const date = new Date().toUTCString()
  const { id, secret } = neighbour.key
  const signed = { 'x-api-key': id, 'x-date': date, 'x-signature': signDate(secret, date) }
  return get(neighbour.path, { 'x-api-version': '1', ...signed })
}

async function get(path: string, headers: Record<string, string> = {}): Promise<boolean> {
  try {
    const response = await fetch(url + path, {
      // Connections are not kept alive, because an attack must not block newcomers either.
      headers: { ...headers, connection: 'close' },
      signal: AbortSignal.timeout(WAIT_MS_MAX),
    })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

function countDescriptors(): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function note(name: keyof Figures, value: number): void {
  worst[name] = Math.max(worst[name], value)
}
