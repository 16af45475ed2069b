import type { Clock } from '../../src/lib/clock.js'
import type { Wait } from '../../src/lib/wait.js'
import { waitJittered } from '../../src/lib/wait.js'

/** A clock that runs faster than the machine's, and equally in every process with the same origin. */
export interface FastClock extends Clock {
  /** Converts milliseconds of this clock into the machine's. */
  toReal(ms: number): number
  /** The time of this clock at a time of the machine's. */
  at(realMs: number): number
}

export function fastClock({ origin, speed }: { origin: number; speed: number }): FastClock {
  const at = (realMs: number): number => Math.floor(origin + (realMs - origin) * speed)
  return { now: () => at(Date.now()), toReal: (ms) => ms / speed, at }
}

/** Waits as the service does, by the fast clock. */
export const fastWait =
  (clock: FastClock): Wait =>
  (ms, signal) =>
    waitJittered(clock.toReal(ms), signal)
