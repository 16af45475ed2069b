import type { Clock } from '../src/lib/clock.js'

/** The instant at which each test begins. */
const STARTS_AT = Date.parse('2026-11-20T09:00:00.000Z')

/** The clocks that are at their start when a test of this worker begins, whichever test ran before. */
export const sharedClocks = new Set<TestClock>()

/** A clock that only a test moves. */
export class TestClock implements Clock {
  #ms: number
  readonly #startsAt: number

  constructor(startsAt = STARTS_AT) {
    this.#startsAt = startsAt
    this.#ms = startsAt
    // The clock now belongs to the next test.
    Object.freeze(this)
  }
  now(): number {
    return this.#ms
  }
  set(instant: string): void {
    this.#ms = Date.parse(instant)
  }
  advance(ms: number): void {
    this.#ms += ms
  }
  restart(): void {
    this.#ms = this.#startsAt
  }
}
