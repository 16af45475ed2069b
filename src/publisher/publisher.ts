import { setMaxListeners } from 'node:events'
import { DatabaseUnavailableError } from '../database/database.js'
import type { PostStatus } from '../interface/post-status.js'
import { LATE_TEXTS } from '../interface/post-waits.js'
import type { Wait } from '../lib/wait.js'
import { createLiveness, createLoneLiveness, type Liveness, LOOK_MS } from '../work/liveness.js'
import { startLoop } from '../work/loop.js'
import { type Claimer, createClaimer } from './claimer.js'
import { type Claim, endLeases, expireLatePosts, type LatePost } from './claims.store.js'
import type { PublisherContext } from './publish-channel.js'
import { POST_FAILED, publishPost } from './publish-post.js'
import { tooLate } from './reasons.js'
import { RunningPosts } from './running-posts.js'

/**
 * Publishes due posts. Any number of publishers may share one database.
 *
 * It knows no time but the clock. If the clock jumps back, nothing is published twice or forgotten; if it jumps ahead by
 * more than LATE_POST_HOURS, every post in between is too late, fails with that reason, and can be retried.
 */
export interface Publisher {
  /** Advances every due post as far as possible. Throws if the claim fails in the database. */
  tick(): Promise<void>
  status(): PublisherStatus
  /**
   * Stops claiming, finishes what is being sent to the platform, which takes up to GRAPH_TIMEOUT_MS, and releases its posts,
   * so that another publisher can continue with them at once.
   */
  stop(): Promise<void>
}

/** Counts of this process. */
interface PublisherStatus {
  /** The instant at which it last claimed, or had no free place. */
  lastTickAt: Date | undefined
  /** Posts being worked on. */
  running: number
  /** A post that must wait is claimed, and counted, several times. */
  claimed: number
  published: number
  failed: number
}

/** For tests, which supply their own waits. */
export interface PublisherOptions {
  /** Called when a post is published, with the delay after its scheduled time. */
  onPublished?(delayMs: number): void
  /** Waits between two rounds. */
  wait?: Wait
  /** Waits between two heartbeats. */
  aliveWait?: Wait
  /** Waits before a write is retried while the database is unavailable. */
  retryWait?: Wait
  /** Lengthens the wait before another attempt. */
  jitter?(ms: number): number
}

interface RoundOptions extends Pick<PublisherOptions, 'onPublished' | 'retryWait' | 'jitter'> {
  /** Called when a place becomes free. */
  onPlaceFree?(): void
}

const LEASE_MS_MIN = 120_000
/** A step makes up to four calls: a read, tried twice, then the call that publishes, and what surrounds them. */
const CALLS_PER_LEASE = 4
/** The largest number of posts that one transaction expires. */
const LATE_POSTS_AT_ONCE = 20
const ORGANIZATION_INACTIVE = 'Its organization is not active.'

/** Starts a publisher with a round every PUBLISHER_INTERVAL_MS. It logs database failures and continues. */
export function startPublisher(context: PublisherContext, options: PublisherOptions = {}): Publisher {
  const { config, log, database } = context
  // No other process uses the embedded database.
  const liveness =
    database.engine === 'pglite' ? createLoneLiveness({ database }, endLeases) : createLiveness(context, endLeases)
  // A free place is filled at once.
  const publisher = createPublisher(context, { ...options, onPlaceFree: () => rounds.nudge() }, liveness)
  const rounds = startLoop((reason) => (reason === 'poll' ? publisher.beginRound() : publisher.claimAll()), {
    name: 'claiming due posts',
    log,
    everyMs: config.publisher.intervalMs,
    ...(options.wait && { wait: options.wait }),
  })
  // It runs alongside the rounds, which may be slow.
  const signs = startLoop(publisher.keepAlive, {
    name: "the publisher's heartbeat",
    log,
    everyMs: LOOK_MS,
    ...(options.aliveWait && { wait: options.aliveWait }),
  })

  return {
    tick: publisher.tick,
    status: publisher.status,
    async stop() {
      const stopped = [rounds.stop(), signs.stop()]
      await publisher.stop()
      await Promise.all(stopped)
      // A post that could not be released becomes available to another publisher at once.
      await liveness.end().catch((error) => {
        if (error instanceof DatabaseUnavailableError) return
        log.error({ err: error }, 'the publisher could not end its leases')
      })
    },
  }
}

/** A publisher without its own loop. */
export function createPublisher(
  context: PublisherContext,
  options: RoundOptions = {},
  liveness: Liveness = createLiveness(context, endLeases),
): Publisher & {
  /** Sends a heartbeat, and ends the publishers that send none: the next round claims their posts. */
  keepAlive(): Promise<void>
  /** Fails posts that are too late, then claims. */
  beginRound(): Promise<void>
  /** Starts work on every due post for which there is a place. The place becomes free when that work ends. */
  claimAll(): Promise<void>
} {
  const { config, log, clock } = context
  const stopping = new AbortController()
  // Every running call listens, which is not a leak.
  setMaxListeners(0, stopping.signal)
  const running = new RunningPosts()
  const counts = { claimed: 0, published: 0, failed: 0 }
  const leaseMs = Math.max(LEASE_MS_MIN, CALLS_PER_LEASE * config.graph.timeoutMs)
  const lateBefore = (): Date => new Date(clock.now() - config.publisher.latePostHours * 3_600_000)
  const claimer = createClaimer(context, { liveness, running, leaseMs, lateBefore, begin, stopping: stopping.signal })

  function begin(claim: Claim): void {
    counts.claimed++
    const work = publishPost({ ...context, ...options, liveness, stopping: stopping.signal, onEnded }, claim)
    void running.add(claim, work).then(() => options.onPlaceFree?.())
  }

  function onEnded(status: PostStatus, delayMs: number): void {
    counts[status === 'PUBLISHED' ? 'published' : 'failed']++
    if (status === 'PUBLISHED') options.onPublished?.(delayMs)
  }

  async function beginRound(): Promise<void> {
    await claimer.look()
    await expireAll(context, { lateBefore, lateCauseOf: claimer.lateCauseOf }, stopping.signal, (count) => {
      counts.failed += count
    })
    await claimer.claimFromStart()
  }

  async function keepAlive(): Promise<void> {
    for (const publisher of await liveness.keepAlive()) {
      log.warn({ publisher }, 'a publisher stopped responding: its posts are taken over')
    }
  }

  return {
    keepAlive,
    beginRound,
    claimAll: claimer.claimAll,
    async tick() {
      await keepAlive()
      await beginRound()
      while (running.size > 0) {
        await running.nextEnd()
        await claimer.claimAll()
      }
    },
    status: () => ({ ...counts, lastTickAt: claimer.lastClaimAt(), running: running.size }),
    async stop() {
      stopping.abort()
      await claimer.ended()
      await running.allEnded()
    },
  }
}

/** Fails every post that is too late, and reports the count after each batch, because a later batch may throw. */
async function expireAll(
  { config, log, clock, database }: PublisherContext,
  { lateBefore, lateCauseOf }: { lateBefore(): Date } & Pick<Claimer, 'lateCauseOf'>,
  stopping: AbortSignal,
  onExpired: (count: number) => void,
): Promise<void> {
  const reason = tooLate(config.publisher.latePostHours)
  function reasonOf({ active, scheduled_for }: LatePost): string {
    if (!active) return `${reason} ${ORGANIZATION_INACTIVE}`
    const cause = lateCauseOf(scheduled_for)
    return cause === undefined ? reason : `${reason} ${LATE_TEXTS[cause]}`
  }
  const late = { limit: LATE_POSTS_AT_ONCE, reasonOf }
  for (let isMore = true; isMore && !stopping.aborted; ) {
    const posts = await expireLatePosts(database, { ...late, lateBefore: lateBefore(), now: new Date(clock.now()) })
    isMore = posts.length === LATE_POSTS_AT_ONCE
    onExpired(posts.length)
    for (const post of posts) {
      const ids = { organization: post.organization_id, post: post.scheduled_post_id }
      log.warn({ ...ids, status: 'FAILED', reason: reasonOf(post) }, POST_FAILED)
    }
  }
}
