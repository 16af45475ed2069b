import type { Claim } from './claims.store.js'

/** Adds the posts of each channel to `counts`. */
export function countByChannel(claims: Iterable<Claim>, counts = new Map<string, number>()): Map<string, number> {
  for (const { post } of claims) {
    for (const { channel_id: id } of post.channels) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** The posts that a publisher is working on. */
export class RunningPosts {
  readonly #works = new Map<Claim, Promise<void>>()
  /** The number of posts whose work has ended. */
  ended = 0

  get size(): number {
    return this.#works.size
  }

  get ids(): string[] {
    return [...this.#works.keys()].map(({ post }) => post.scheduled_post_id)
  }

  /** Keeps the post until `work`, which must not reject, ends. Returns a promise of that end. */
  add(claim: Claim, work: Promise<void>): Promise<void> {
    const ending = work.finally(() => {
      this.#works.delete(claim)
      this.ended++
    })
    this.#works.set(claim, ending)
    return ending
  }

  /** Counts the running posts of each channel. */
  countByChannel(): Map<string, number> {
    return countByChannel(this.#works.keys())
  }

  /** Resolves when the work on any post ends. */
  async nextEnd(): Promise<void> {
    await Promise.race(this.#works.values())
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#works.values())
  }
}
