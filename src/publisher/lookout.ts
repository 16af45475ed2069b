import type { Context } from '../http/context.js'
import { LATE_MS, type LateCause } from '../interface/post-waits.js'
import { hasLivingHolder } from '../work/holders.store.js'
import type { Liveness } from '../work/liveness.js'

/** The memory of a publisher about its looks for due posts, by which it finds why it claims a post late. */
export interface Lookout {
  /** Notes a look at the due posts, and that it failed. `holder` is the id to claim with. */
  around<T>(work: (holder: string) => Promise<T>): Promise<T>
  /** It looks, without a work of its own. */
  look(): void
  /** It had no place for more, or none for posts of this channel. */
  crowd(channelId?: string): void
  /** Undefined for a post that is not late, and where nothing is known. */
  causeOf(dueAt: Date | null, channelIds?: readonly string[]): LateCause | undefined
}

/** Channels are remembered up to this number; the oldest is forgotten first. */
const CHANNELS_MAX = 1_000
const ANY_CHANNEL = ''

export function createLookout(
  { clock, config, database }: Pick<Context, 'clock' | 'config' | 'database'>,
  liveness: Liveness,
): Lookout {
  const gapMs = Math.max(LATE_MS, 3 * config.publisher.intervalMs)
  /** No other process published when this one began. */
  let isFirst: boolean | undefined
  let firstMs: number | undefined
  let lastMs = 0
  /** The last time that it did not look for long. */
  let gap = { fromMs: 0, toMs: 0 }
  let failedMs = 0
  const crowdedMs = new Map<string, number>()

  function look(): void {
    const nowMs = clock.now()
    if (firstMs !== undefined && nowMs - lastMs >= gapMs) gap = { fromMs: lastMs, toMs: nowMs }
    firstMs ??= nowMs
    lastMs = nowMs
  }

  return {
    look,
    async around(work) {
      look()
      try {
        const holder = await liveness.requireId()
        isFirst ??= !(await hasLivingHolder(database, 'publishing', holder))
        return await work(holder)
      } catch (error) {
        failedMs = clock.now()
        throw error
      }
    },
    crowd(channelId = ANY_CHANNEL) {
      crowdedMs.delete(channelId)
      crowdedMs.set(channelId, clock.now())
      if (crowdedMs.size > CHANNELS_MAX) crowdedMs.delete(crowdedMs.keys().next().value!)
    },
    causeOf(dueAt, channelIds = []) {
      const dueMs = dueAt?.getTime() ?? 0
      if (firstMs === undefined || clock.now() - dueMs < LATE_MS) return undefined
      if (firstMs > dueMs) return isFirst ? 'publisher_off' : undefined
      if (gap.fromMs <= dueMs && dueMs < gap.toMs) return 'clock_jumped'
      if (failedMs >= dueMs) return 'database_away'
      const isCrowded = [ANY_CHANNEL, ...channelIds].some((id) => (crowdedMs.get(id) ?? 0) >= dueMs)
      return isCrowded ? 'queue' : undefined
    },
  }
}
