/**
 * `monitor.ts <url> <pid>`: what a caller beside an attack sees, in a process of its own. Asks for /healthz again and
 * again on a connection of its own until standard input ends, and then writes the worst it has seen as one line of
 * JSON.
 */
import { readdirSync, readFileSync } from 'node:fs'

export interface Figures {
  worstWaitMs: number
  rssMib: number
  descriptors: number
}

const WAIT_MS_MAX = 20_000

const [url, pid] = process.argv.slice(2)
const worst: Figures = { worstWaitMs: 0, rssMib: 0, descriptors: 0 }
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
process.stdout.write(`${JSON.stringify(worst)}\n`)
process.exit()

async function look(): Promise<void> {
  const startedAt = performance.now()
  while (!(await isAlive()) && performance.now() - startedAt < WAIT_MS_MAX) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  note('worstWaitMs', performance.now() - startedAt)
  try {
    const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    note('rssMib', Number(kib) / 1024)
    note('descriptors', readdirSync(`/proc/${pid}/fd`).length)
  } catch {
    // It has ended; the wait says so.
  }
}

async function isAlive(): Promise<boolean> {
  try {
    // Not kept alive: an attack must not keep a newcomer out either.
    const headers = { connection: 'close' }
    const response = await fetch(`${url}/healthz`, { headers, signal: AbortSignal.timeout(WAIT_MS_MAX) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

function note(name: keyof Figures, value: number): void {
  worst[name] = Math.max(worst[name], value)
}
