/** At most the latest 10,000 keys. If a key is evicted, the platform itself refuses again. */
const KEYS_MAX = 10_000

interface Block {
  untilMs: number
  /** The platform's text from the refusal; undefined if no call was refused. */
  words: string | undefined
}

/**
 * Remembers calls that may not be made yet, so that further calls do not prolong a limit. Each process has its own memory:
 * it learns of a limit from one refused call (docs/decisions/meta.md).
 */
export class RateLimits {
  readonly #blocks = new Map<string, Block>()

  /** Makes calls of `key` fail until `untilMs`. */
  block(key: string, block: Block): void {
    const known = this.#blocks.get(key)
    // Deleted first, to keep the Map ordered from oldest to latest.
    this.#blocks.delete(key)
    this.#blocks.set(key, known !== undefined && known.untilMs > block.untilMs ? known : block)
    if (this.#blocks.size > KEYS_MAX) this.#blocks.delete(this.#blocks.keys().next().value ?? key)
  }

  /** Returns the longest block among these keys; undefined if none is blocked now. */
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
