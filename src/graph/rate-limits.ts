/** The latest 10,000 keys at most. When one is evicted, the platform itself says no again. */
const KEYS_MAX = 10_000

interface Block {
  untilMs: number
  /** The platform's words of the refusal that said so; undefined where no call was refused. */
  words: string | undefined
}

/**
 * Keeps the calls that may not be made yet, so that we do not prolong a limit by calling on. Each process has its own: it
 * learns of a limit by one refused call (docs/decisions/meta.md).
 */
export class RateLimits {
  readonly #blocks = new Map<string, Block>()

  /** Remembers that calls of `key` fail until `untilMs`. */
  block(key: string, block: Block): void {
    const known = this.#blocks.get(key)
    // Deleted first, so that the Map's order is from the oldest to the latest.
    this.#blocks.delete(key)
    this.#blocks.set(key, known !== undefined && known.untilMs > block.untilMs ? known : block)
    if (this.#blocks.size > KEYS_MAX) this.#blocks.delete(this.#blocks.keys().next().value ?? key)
  }

  /** The one of these keys that may be called again last, as it is blocked; undefined when all may be called now. */
  findLast(keys: readonly string[], nowMs: number): (Block & { key: string }) | undefined {
    let last: (Block & { key: string }) | undefined
    for (const key of keys) {
      const block = this.#blocks.get(key)
      if (block === undefined) continue
      if (block.untilMs <= nowMs) this.#blocks.delete(key)
      else if (last === undefined || block.untilMs > last.untilMs) last = { key, ...block }
    }
    return last
  }
}
