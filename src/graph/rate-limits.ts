/** The latest 10,000 keys at most. When one is evicted, the platform itself says no again. */
const KEYS_MAX = 10_000

/**
 * Keeps the calls that may not be made yet, so that we do not prolong a limit by calling on. Each process has its own: it
 * learns of a limit by one refused call (docs/decisions/0006-insights.md).
 */
export class RateLimits {
  readonly #untilMs = new Map<string, number>()

  /** Remembers that calls of `key` fail until `untilMs`. */
  block(key: string, untilMs: number): void {
    const known = this.#untilMs.get(key) ?? 0
    // Deleted first, so that the Map's order is from the oldest to the latest.
    this.#untilMs.delete(key)
    this.#untilMs.set(key, Math.max(known, untilMs))
    if (this.#untilMs.size > KEYS_MAX) this.#untilMs.delete(this.#untilMs.keys().next().value ?? key)
  }

  /** Milliseconds until every one of `keys` may be called again; 0 when they may now. */
  blockedMs(keys: readonly string[], nowMs: number): number {
    for (const key of keys) if ((this.#untilMs.get(key) ?? 0) <= nowMs) this.#untilMs.delete(key)
    return Math.max(0, ...keys.map((key) => (this.#untilMs.get(key) ?? nowMs) - nowMs))
  }
}
