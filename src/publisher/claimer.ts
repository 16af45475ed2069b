import type { Context } from '../http/context.js'
import type { LateCause } from '../interface/post-waits.js'
import type { Liveness } from '../work/liveness.js'
import { type Claim, claimDuePosts, type DuePosition } from './claims.store.js'
import { createLookout, type Lookout } from './lookout.js'
import { countByChannel, type RunningPosts } from './running-posts.js'

const POSTS_AT_ONCE = 32
/** Keeps a slow channel from holding up the others. */
const CHANNEL_POSTS_AT_ONCE = 4

/** Claims due posts for the free slots of a publisher. */
export interface Claimer {
  /** Records that this publisher is looking for due posts, without claiming any. */
  look(): Promise<void>
  /** Begins a round: claims due posts, starting with the first. */
  claimFromStart(): Promise<void>
  /** Claims due posts while there are free slots, skipping those that an earlier claim of this round could not take. */
  claimAll(): Promise<void>
  /** When it last tried to claim posts, or had no free slot. */
  lastClaimAt(): Date | undefined
  /** Resolves when no claim is running. */
  ended(): Promise<void>
  /** Returns why a post that was due at this time is late. */
  lateCauseOf(dueAt: Date): LateCause | undefined
}

interface ClaimerOptions {
  liveness: Liveness
  running: RunningPosts
  leaseMs: number
  lateBefore(): Date
  /** Starts work on a post, and adds it to `running`. */
  begin(claim: Claim): void
  stopping: AbortSignal
}

/** A walk through the due posts. Those that it skipped up to `position` cannot be claimed while these channels are busy. */
interface Walk {
  position: DuePosition
  channelIds: ReadonlySet<string>
}

export function createClaimer(
  { clock, config, database }: Pick<Context, 'clock' | 'config' | 'database'>,
  { liveness, running, leaseMs, lateBefore, begin, stopping }: ClaimerOptions,
): Claimer {
  let claiming: Promise<void> = Promise.resolve()
  let lastClaimAt: Date | undefined
  /** The walk of this round that got furthest. */
  let furthest: Walk | undefined

  const lookout = createLookout({ clock, config, database }, liveness)

  const now = (): Date => new Date(clock.now())
  const claimOnce = makeClaim({ clock, database, running, leaseMs, lateBefore, lookout })

  async function fillSlots(): Promise<void> {
    let walk: Walk | undefined
    let endedBefore = running.ended
    while (!stopping.aborted && running.size < POSTS_AT_ONCE) {
      const channelPosts = running.countByChannel()
      if (furthest !== undefined && [...furthest.channelIds].every((id) => isBusy(channelPosts.get(id))))
        walk = furthest
      const { claims, next } = await claimOnce(channelPosts, walk?.position)
      lastClaimAt = now()
      for (const claim of claims) begin(claim)

      if (next === undefined) {
        if (running.ended === endedBefore) break
        // A channel may have become free in the meantime.
        endedBefore = running.ended
        walk = undefined
        continue
      }
      const isFurther = walk === furthest
      walk = extendWalk(walk, next, busyChannels(channelPosts, claims))
      if (isFurther) furthest = walk
    }
    // A publisher without free slots is busy, not stalled.
    if (running.size >= POSTS_AT_ONCE) {
      lastClaimAt = now()
      lookout.look()
      lookout.crowd()
    }
  }

  async function claimAll(): Promise<void> {
    claiming = fillSlots()
    await claiming
  }

  return {
    async claimFromStart() {
      furthest = undefined
      await claimAll()
    },
    claimAll,
    look: () => lookout.around(async () => {}),
    lastClaimAt: () => lastClaimAt,
    ended: () => claiming.catch(() => {}),
    lateCauseOf: (dueAt) => lookout.causeOf(dueAt),
  }
}

/** Returns a function that makes one claim of due posts, starting after a position. */
function makeClaim({
  clock,
  database,
  running,
  leaseMs,
  lateBefore,
  lookout,
}: Pick<Context, 'clock' | 'database'> &
  Pick<ClaimerOptions, 'running' | 'leaseMs' | 'lateBefore'> & { lookout: Lookout }) {
  return (channelPosts: ReadonlyMap<string, number>, after: DuePosition | undefined) => {
    for (const [id, posts] of channelPosts) if (isBusy(posts)) lookout.crowd(id)
    return lookout.around((holder) =>
      claimDuePosts(database, {
        holder,
        now: new Date(clock.now()),
        leaseMs,
        limit: POSTS_AT_ONCE - running.size,
        // A clock jump may have ended this publisher's own leases too.
        except: running.ids,
        channelPosts,
        channelPostsMax: CHANNEL_POSTS_AT_ONCE,
        lateBefore: lateBefore(),
        after,
        lateCause: ({ scheduled_for, channels }) => lookout.causeOf(scheduled_for, idsOf(channels)),
      }),
    )
  }
}

const extendWalk = (walk: Walk | undefined, position: DuePosition, busyChannelIds: readonly string[]): Walk => ({
  position,
  channelIds: new Set([...(walk?.channelIds ?? []), ...busyChannelIds]),
})

const idsOf = (channels: readonly { channel_id: string }[]): string[] => channels.map(({ channel_id: id }) => id)

const isBusy = (posts = 0): boolean => posts >= CHANNEL_POSTS_AT_ONCE

/** Returns the channels that were busy before the claim, or are busy now with the posts that it took. */
const busyChannels = (channelPosts: ReadonlyMap<string, number>, claims: readonly Claim[]): string[] =>
  [...countByChannel(claims, new Map(channelPosts))].filter(([, posts]) => isBusy(posts)).map(([id]) => id)
