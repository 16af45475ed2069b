import type { Clock } from '../lib/clock.js'

/** Returns a function that runs the work at most every `everyMs`, however often it is called. */
export function seldom(clock: Clock, everyMs: number, work: (now: number) => Promise<void>): () => Promise<void> {
  let ranAt = Number.NEGATIVE_INFINITY
  return async () => {
    const now = clock.now()
    // A clock that was set back must not postpone the next run.
    if (now - ranAt < everyMs && now >= ranAt) return
    ranAt = now
    await work(now)
  }
}
