import type { Clock } from '../../lib/clock.js'
import { limit } from '../../lib/limits.js'
import { createLru } from '../../lib/lru.js'
import { CHANGES_APPLIED_MAX } from './channel-audience.js'

const NOT_BUILT_AGAIN_MS = limit('listNotBuiltAgainMs')
const KNOWN_MAX = 10_000

/** The lists that are currently read page by page, because they do not fit into memory. */
export class UncachedLists {
  /** For each channel and workspace, the revision at which a list was too large. It is tried again after many changes. */
  private readonly tooLarge = createLru<string, number>(KNOWN_MAX)
  /** For each channel, when its just-built lists were evicted. Memory is in demand, so they are not rebuilt at once. */
  private readonly evictedEarly = createLru<string, number>(KNOWN_MAX)

  constructor(private readonly clock: Clock) {}

  has(channel: string, vipsOf: string | undefined, revision: number): boolean {
    // Both are usually empty, and then nothing is looked up.
    return (
      (this.tooLarge.size > 0 && this.isTooLarge(channel, vipsOf, revision)) ||
      (this.evictedEarly.size > 0 && this.isEvictedEarly(channel))
    )
  }

  noteTooLarge(channel: string, vipsOf: string | undefined, revision: number): void {
    this.tooLarge.set(listId(channel, vipsOf), revision)
  }

  noteEviction(channel: string, builtAt: number): void {
    const now = this.clock.now()
    if (now - builtAt < NOT_BUILT_AGAIN_MS) this.evictedEarly.set(channel, now)
  }

  clear(): void {
    this.tooLarge.clear()
    this.evictedEarly.clear()
  }

  private isTooLarge(channel: string, vipsOf: string | undefined, revision: number): boolean {
    const at = this.tooLarge.get(listId(channel, vipsOf)) ?? Number.NEGATIVE_INFINITY
    return revision - at <= CHANGES_APPLIED_MAX
  }

  private isEvictedEarly(channel: string): boolean {
    const at = this.evictedEarly.get(channel)
    if (at === undefined) return false
    if (this.clock.now() - at < NOT_BUILT_AGAIN_MS) return true
    this.evictedEarly.delete(channel)
    return false
  }
}

const listId = (channel: string, vipsOf: string | undefined): string => JSON.stringify([channel, vipsOf])
