import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack } from './run.js'
import { expectStatuses, makeTenant, sleep } from './tools.js'

const WRITES_MAX = 3_000
/** A load balancer asks every few seconds. */
const REPORTED_WITHIN_MS = 10_000

/**
 * The database's disk is full. Reads must continue, changes must be refused, /readyz must report it, and all must recover
 * once there is room.
 */
export default {
  name: 'full disk',
  smallDiskMib: 240,
  async run(target) {
    const { call } = await makeTenant(target)
    const create = async (): Promise<number> =>
      (await call('POST', '/scheduled-posts', JSON.stringify({ notes: 'n'.repeat(8_000) }))).status
    const ready = async (): Promise<number> => (await fetch(`${target.url}/readyz`)).status
    expectStatuses([await create(), await ready()], [201, 200])
    const filler = join(target.disk!, 'filler')
    fill(filler)
    // Rows that fit into the database's existing pages can still be written.
    const statuses: number[] = []
    for (let times = 0; times < WRITES_MAX && statuses.at(-1) !== 503; times++) statuses.push(await create())
    expectStatuses(statuses.slice(-1), [503])
    expectStatuses(statuses, [201, 503])
    await until(async () => (await ready()) === 503, '/readyz does not report the full disk')
    expectStatuses([(await call('GET', '/scheduled-posts?limit=1')).status], [200])
    rmSync(filler)
    await until(async () => (await ready()) === 200, '/readyz does not notice that there is room again')
    expectStatuses([await create()], [201])
  },
} satisfies Attack

function fill(path: string): void {
  const file = openSync(path, 'w')
  for (const bytes of [1024 * 1024, 4096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes))
    } catch {
      // No more of this size fit.
    }
  }
  closeSync(file)
}

async function until(isSo: () => Promise<boolean>, failure: string): Promise<void> {
  const endsAt = performance.now() + REPORTED_WITHIN_MS
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(failure)
    await sleep(200)
  }
}
