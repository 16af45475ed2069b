import type { Context } from '../http/context.js'
import { LATE_MS, type LateCause } from '../interface/post-waits.js'
import { hasLivingHolder } from '../work/holders.store.js'
import type { Liveness } from '../work/liveness.js'

/** A publisher's memory of when it looked for due posts. It explains why a post is claimed late. */
export interface Lookout {
  /** Records a look at the due posts, and whether it failed. `holder` is the id to claim with. */
  around<T>(work: (holder: string) => Promise<T>): Promise<T>
  /** Records a look without doing any work. */
  look(): void
  /** Records that there was no free place at all, or none for posts of this channel. */
  crowd(channelId?: string): void
  /** Returns undefined if the post is not late, or if the cause is unknown. */
  causeOf(dueAt: Date | null, channelIds?: readonly string[]): LateCause | undefined
}

/** The number of channels remembered; the oldest is forgotten first. */
const CHANNELS_MAX = 1_000
const ANY_CHANNEL = ''

export function createLookout(
  { clock, config, database }: Pick<Context, 'clock' | 'config' | 'database'>,
  liveness: Liveness,
): Lookout {
  const gapMs = Math.max(LATE_MS, 3 * config.publisher.intervalMs)
  /** True if no other process was publishing when this one started. */
  let isFirst: boolean | undefined
  let firstMs: number | undefined
  let lastMs = 0
  /** The last period in which it did not look for a long time. */
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
