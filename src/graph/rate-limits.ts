/**
 * Keeps the calls that may not be made yet, so that we do not prolong a limit by calling on. Each process has its own: it
 * learns of a limit by one refused call (docs/decisions/0006-insights.md).
 */
export interface RateLimits {
  /** Remembers that calls of `key` fail until `untilMs`. */
  block(key: string, untilMs: number): void
  /** Milliseconds until every one of `keys` may be called again; 0 when they may now. */
  blockedMs(keys: string[], nowMs: number): number
}

/** The latest 10,000 keys at most. When one is evicted, the platform itself says no again. */
const KEYS_MAX = 10_000

export function createRateLimits(): RateLimits {
  const untilMs = new Map<string, number>()
  return {
    block(key, until) {
      const known = untilMs.get(key) ?? 0
      // Deleted first, so that the Map's order is from the oldest to the latest.
      untilMs.delete(key)
      untilMs.set(key, Math.max(known, until))
      if (untilMs.size > KEYS_MAX) untilMs.delete(untilMs.keys().next().value ?? key)
    },
    blockedMs(keys, nowMs) {
      let longestMs = 0
      for (const key of keys) {
        const leftMs = (untilMs.get(key) ?? 0) - nowMs
        if (leftMs <= 0) untilMs.delete(key)
        else longestMs = Math.max(longestMs, leftMs)
      }
      return longestMs
    },
  }
}
