/** Pseudo-random numbers that depend only on the seed (mulberry32): for made-up data, never for secrets. */
export interface SeededRandom {
  /** From 0 up to but not including 1. */
  next(): number
  /** A whole number from `min` to `max`, including both. */
  integer(min: number, max: number): number
  pick<T>(values: readonly T[]): T
  /** True in this share of calls, 0 to 1. */
  chance(share: number): boolean
  /** A copy in another order. */
  shuffle<T>(values: readonly T[]): T[]
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    integer,
    pick: (values) => values[integer(0, values.length - 1)]!,
    chance: (share) => next() < share,
    shuffle(values) {
      const shuffled = [...values]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = integer(0, last)
        ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
      }
      return shuffled
    },
  }
}
