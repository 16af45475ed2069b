import type { Log } from '../database/database.js'
import type { Clock } from '../lib/clock.js'
import type { Metrics } from './metrics.js'

const LOOK_MS = 5_000
/** NTP slews smaller differences, which leases and signatures tolerate. */
const JUMP_MS = 2_000

interface Needs {
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'countClockJump'>
}

/**
 * Returns a function that compares the clock with the time since its last call, measured by a clock that cannot be set, and
 * counts and logs a jump. A machine that slept shows as a jump forward.
 */
export function createClockWatch(
  { clock, log, metrics }: Needs,
  elapsed = (): number => performance.now(),
): () => void {
  let last: { at: number; elapsed: number } | undefined
  return () => {
    const before = elapsed()
    const at = clock.now()
    const after = elapsed()
    // On a busy machine the process may have paused between the readings, which then say nothing.
    if (after - before > JUMP_MS / 2) return
    const jumpMs = last === undefined ? 0 : Math.round(at - last.at - (before - last.elapsed))
    last = { at, elapsed: before }
    if (Math.abs(jumpMs) <= JUMP_MS) return
    metrics.countClockJump(jumpMs > 0 ? 'forward' : 'back')
    log.warn(
      { jumpMs },
      'the clock of this machine jumped, or the machine slept: keep the clock in sync with NTP, because the times of posts depend on it',
    )
  }
}

export function startClockWatch(needs: Needs): { stop(): void } {
  const look = createClockWatch(needs)
  look()
  const timer = setInterval(look, LOOK_MS).unref()
  return { stop: () => clearInterval(timer) }
}
