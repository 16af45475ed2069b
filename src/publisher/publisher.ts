import { setMaxListeners } from 'node:events'
import { type Database, DatabaseUnavailableError } from '../database/database.js'
import type { GraphClient } from '../graph/graph-client.js'
import type { Context } from '../http/context.js'
import { addJitter, type Wait, waitJittered } from '../lib/wait.js'
import type { ScheduledPostRow } from '../posts/scheduled-post-row.js'
import {
  type Claim,
  claimDuePosts,
  type DuePosition,
  expireLatePosts,
  finishPost,
  type LatePost,
  releasePost,
} from './claims.store.js'
import { type Lease, LeaseLostError } from './lease.js'
import { createLiveness, createLoneLiveness, type Liveness, LOOK_MS } from './liveness.js'
import { publishChannel, tooLate } from './publish-channel.js'

/**
 * What publishes the posts whose time has come. Any number of them may share one database.
 *
 * Its only time is the clock. Where that leaps back, nothing is published twice or forgotten; where it leaps ahead by more
 * than LATE_POST_HOURS, every post in between is too late by the clock and fails with that reason, to be retried.
 */
export interface Publisher {
  /** Takes every due post as far as it goes now. Throws when the claim fails in the database. */
  tick(): Promise<void>
  status(): PublisherStatus
  /**
   * Claims nothing more, finishes what is being sent to the platform, which takes GRAPH_TIMEOUT_MS at most, and releases
   * its posts, so that another publisher can go on with them at once.
   */
  stop(): Promise<void>
}

/** The counts are of this process. */
export interface PublisherStatus {
  /** When it last claimed, or had no place for more. */
  lastTickAt: Date | undefined
  /** Posts being worked on. */
  running: number
  /** A post that must wait is claimed several times. */
  claimed: number
  published: number
  failed: number
}

export interface PublisherOptions {
  /** Called when a post is published, with how long after its time. */
  onPublished?(delayMs: number): void
  /** Between two rounds. */
  wait?: Wait
  /** Between two signs of life. */
  aliveWait?: Wait
  /** Before what the database did not take is tried again. */
  retryWait?: Wait
  /** Makes the wait before another attempt longer; only tests give their own. */
  jitter?(ms: number): number
}

type PublisherContext = Pick<Context, 'config' | 'log' | 'clock' | 'database' | 'graph' | 'sealer' | 'tracing'>

const POSTS_AT_ONCE = 32
/** So that a slow channel does not hold up the others. */
const CHANNEL_POSTS_AT_ONCE = 4
const LEASE_MS_MIN = 120_000
/** A step makes up to four calls: a read, tried twice, before the call that publishes, and what surrounds them. */
const CALLS_PER_LEASE = 4
/** In one transaction. */
const LATE_POSTS_AT_ONCE = 20
/** Before what the database did not take is tried again, by how often it was; then the last one every time. */
const RETRY_WAITS_MS = [250, 500, 1_000, 2_000]

/** A walk along the due posts: up to `position` it left only posts that cannot be claimed while these channels are busy. */
interface Walk {
  position: DuePosition
  channelIds: ReadonlySet<string>
}

/** A publisher that begins a round every PUBLISHER_INTERVAL_MS. It logs failures of the database and goes on. */
export function startPublisher(context: PublisherContext, options: PublisherOptions = {}): Publisher {
  const { config, log, database } = context
  const { wait = waitJittered, aliveWait = waitJittered } = options
  // The embedded database is this process's alone.
  const liveness = database.engine === 'pglite' ? createLoneLiveness({ database }) : createLiveness(context)
  const publisher = createPublisher(context, options, liveness)
  let pause = new AbortController()
  const stopped = new AbortController()
  let isStopped = false

  /** The database itself tells when it is away. */
  const logError = (error: unknown): void => {
    if (error instanceof DatabaseUnavailableError) return
    log.error({ err: error }, 'the publisher cannot tell what is due')
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await publisher.beginRound().catch(logError)
      pause = new AbortController()
      if (isStopped) return
      let isOver = false
      const over = wait(config.publisherIntervalMs, pause.signal)
        .catch(() => {})
        .then(() => {
          isOver = true
        })
      // A place that becomes free is filled at once. That must not put off the next round.
      while (!isOver) {
        await Promise.race([over, publisher.nextEnd()])
        if (!isOver) await publisher.claimAll().catch(logError)
      }
    }
  }
  /** Beside the rounds, which may take long. */
  async function stayAlive(): Promise<void> {
    while (!isStopped) {
      await publisher.keepAlive().catch(logError)
      await aliveWait(LOOK_MS, stopped.signal).catch(() => {})
    }
  }
  const running = Promise.all([run(), stayAlive()])

  return {
    tick: publisher.tick,
    status: publisher.status,
    async stop() {
      isStopped = true
      pause.abort()
      stopped.abort()
      await publisher.stop()
      await running
      // What could not be released is another's at once.
      await liveness.end().catch(logError)
    },
  }
}

/** The same without its loop. */
export function createPublisher(
  context: PublisherContext,
  { onPublished, jitter = addJitter, retryWait = waitJittered }: Omit<PublisherOptions, 'wait' | 'aliveWait'> = {},
  liveness: Liveness = createLiveness(context),
): Publisher & {
  /** Tells that it lives, and ends the publishers that do not: their posts are claimed in the next round. */
  keepAlive(): Promise<void>
  /** Fails what is too late, then claims. */
  beginRound(): Promise<void>
  /** Begins the work on every due post for which there is a place; the place is free when that work ends. */
  claimAll(): Promise<void>
  /** Resolves when the work on a post ends; never while there is none. */
  nextEnd(): Promise<void>
} {
  const { config, log, clock, database, sealer, tracing } = context
  const leaseMs = Math.max(LEASE_MS_MIN, CALLS_PER_LEASE * config.graphTimeoutMs)
  const stopping = new AbortController()
  const never = new AbortController().signal
  // Every running call listens; that is no leak.
  setMaxListeners(0, stopping.signal, never)
  const running = new Map<Claim, Promise<void>>()
  const counts = { claimed: 0, published: 0, failed: 0 }
  let ended = 0
  let lastTickAt: Date | undefined
  let claiming: Promise<void> = Promise.resolve()
  /** As far as the claims of this round have read. */
  let passed: Walk | undefined

  const now = (): Date => new Date(clock.now())
  const lateBefore = (): Date => new Date(clock.now() - config.latePostHours * 3_600_000)

  async function beginRound(): Promise<void> {
    await expireAll()
    passed = undefined
    await claimAll()
  }

  async function claimAll(): Promise<void> {
    claiming = claimInTurn()
    await claiming
  }

  async function claimInTurn(): Promise<void> {
    let walk: Walk | undefined
    let endedBefore = ended
    while (!stopping.signal.aborted && running.size < POSTS_AT_ONCE) {
      const channelPosts = countChannelPosts()
      if (passed !== undefined && [...passed.channelIds].every((id) => isBusy(channelPosts.get(id)))) walk = passed
      const { claims, next } = await claimDuePosts(database, {
        publisherId: await liveness.requireId(),
        now: now(),
        leaseMs,
        limit: POSTS_AT_ONCE - running.size,
        // After a leap of the clock its own leases may have run out too.
        except: [...running.keys()].map(({ post }) => post.scheduled_post_id),
        channelPosts,
        channelPostsMax: CHANNEL_POSTS_AT_ONCE,
        lateBefore: lateBefore(),
        after: walk?.position,
      })
      lastTickAt = now()
      for (const claim of claims) begin(claim)

      if (next === undefined) {
        if (ended === endedBefore) break
        // Meanwhile a channel may have become free.
        endedBefore = ended
        walk = undefined
        continue
      }
      for (const { post } of claims) countChannels(post, channelPosts)
      const busy = [...channelPosts].filter(([, posts]) => isBusy(posts)).map(([id]) => id)
      const isFurther = walk === passed
      walk = { position: next, channelIds: new Set([...(walk?.channelIds ?? []), ...busy]) }
      if (isFurther) passed = walk
    }
    // Full is not stalled.
    if (running.size >= POSTS_AT_ONCE) lastTickAt = now()
  }

  function begin(claim: Claim): void {
    counts.claimed++
    const ending = work(claim).finally(() => {
      running.delete(claim)
      ended++
    })
    running.set(claim, ending)
  }

  async function expireAll(): Promise<void> {
    const reasonOf = ({ active }: LatePost): string =>
      active ? tooLate(config.latePostHours) : `${tooLate(config.latePostHours)} ${ORGANIZATION_INACTIVE}`
    let isMore = true
    while (isMore && !stopping.signal.aborted) {
      const limit = LATE_POSTS_AT_ONCE
      const late = await expireLatePosts(database, { lateBefore: lateBefore(), limit, reasonOf, now: now() })
      isMore = late.length === limit
      for (const post of late) {
        counts.failed++
        const { organization_id: organization, scheduled_post_id: id } = post
        log.warn({ organization, post: id, status: 'FAILED', reason: reasonOf(post) }, FAILED)
      }
    }
  }

  /** How many of the running posts are on each channel. */
  function countChannelPosts(): Map<string, number> {
    const channelPosts = new Map<string, number>()
    for (const { post } of running.keys()) countChannels(post, channelPosts)
    return channelPosts
  }

  const nextEnd = (): Promise<void> => (running.size === 0 ? new Promise(() => {}) : Promise.race(running.values()))

  async function keepAlive(): Promise<void> {
    for (const publisher of await liveness.keepAlive()) {
      log.warn({ publisher }, 'a publisher gives no sign of life: its posts are taken over')
    }
  }

  async function tick(): Promise<void> {
    await keepAlive()
    await beginRound()
    while (running.size > 0) {
      await nextEnd()
      await claimAll()
    }
  }

  /**
   * The database, for the work on one post: what fails because it is away is tried again as long as the lease lasts, so that what
   * the platform has answered is not lost, and the post need not wait for the end of the lease. Each of its statements may be
   * repeated: it names the claim, and writes the same again.
   */
  function persistent(lease: Lease): Database {
    async function persist<T>(work: () => Promise<T>): Promise<T> {
      for (let tries = 0; ; tries++) {
        try {
          return await work()
        } catch (error) {
          const isOver = stopping.signal.aborted || now() >= lease.until
          if (!(error instanceof DatabaseUnavailableError) || isOver) throw error
        }
        await retryWait(RETRY_WAITS_MS[Math.min(tries, RETRY_WAITS_MS.length - 1)]!, stopping.signal).catch(() => {})
      }
    }
    return {
      ...database,
      query: (...statement) => persist(() => database.query(...statement)),
      transaction: (...work) => persist(() => database.transaction(...work)),
    }
  }

  /** Never rejects: the lease of what fails here runs out, and the next claim goes on from what is stored. */
  async function work(claim: Claim): Promise<void> {
    const { lease } = claim
    const ids = { organization: lease.organizationId, post: lease.scheduledPostId }
    try {
      await traced(claim)
    } catch (error) {
      if (error instanceof LeaseLostError) log.warn(ids, 'another publisher has taken over a post')
      else if (error instanceof DatabaseUnavailableError)
        log.warn(ids, 'the work on a post was broken off: no database')
      else log.error({ ...ids, err: error }, 'the work on a post was broken off')
    }
  }

  /** All turns of one publication are one trace; a retry has another time, and so is another one. */
  async function traced(claim: Claim): Promise<void> {
    if (tracing === undefined) return await advance(claim)
    const { organizationId, scheduledPostId } = claim.lease
    const key = JSON.stringify([organizationId, scheduledPostId, claim.post.scheduled_for])
    const attributes = { 'greenroom.organization': organizationId, 'greenroom.post': scheduledPostId }
    return await tracing.turn('publishScheduledPost', key, attributes, () => advance(claim))
  }

  /** Takes every channel as far as it goes, side by side. Then the post is finished, or released. */
  async function advance({ lease, post, publications }: Claim): Promise<void> {
    const start = performance.now()
    const database = persistent(lease)
    let upstreamMs = 0
    const graph = stoppableGraph((ms) => {
      upstreamMs += ms
    })
    const channels = new Map(post.channels.map((channel) => [channel.channel_id, channel]))
    const results = await Promise.allSettled(
      publications.map((publication) =>
        publishChannel(
          {
            database,
            sealer,
            clock,
            graph,
            log,
            tracing,
            lease,
            post,
            channel: channels.get(publication.channel_id)!,
            lateHours: config.latePostHours,
            isStopping: () => stopping.signal.aborted,
            isHeld: () => liveness.isLive(lease.publisherId) && now() < lease.until,
            jitter,
          },
          publication,
        ),
      ),
    )
    const rows = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    // A call that the stop has cut off is no failure: the next holder makes it.
    const failure = failures.find((reason) => reason !== stopping.signal.reason)
    if (failure !== undefined) throw failure

    const pending = rows.filter(({ state }) => state === 'PENDING')
    if (failures.length > 0 || pending.length > 0) {
      const nextAttempts = pending.map(({ next_attempt_at }) => next_attempt_at ?? now())
      if (failures.length > 0) nextAttempts.push(now())
      const nextAttemptAt = new Date(Math.min(...nextAttempts.map((at) => at.getTime())))
      await releasePost(database, lease, nextAttemptAt)
      return
    }
    const status = await finishPost(database, lease, rows, now())
    const delayMs = clock.now() - (post.scheduled_for?.getTime() ?? 0)
    const isPublished = status === 'PUBLISHED'
    counts[isPublished ? 'published' : 'failed']++
    if (isPublished) onPublished?.(delayMs)
    log[isPublished ? 'info' : 'warn'](
      {
        organization: lease.organizationId,
        post: lease.scheduledPostId,
        status,
        channels: rows.map((row) => ({
          channel: row.channel_id,
          state: row.state,
          externalId: row.external_id ?? undefined,
          error: row.error ?? undefined,
        })),
        delayMs,
        upstreamMs: Math.round(upstreamMs),
        durationMs: Math.round(performance.now() - start),
        traceId: tracing?.traceId(),
      },
      isPublished ? 'post published' : FAILED,
    )
  }

  /** Reading can be cut at a stop; what is being sent is waited for, because it may not be sent again. */
  function stoppableGraph(onUpstreamMs: (ms: number) => void): GraphClient {
    const { get } = context.graph.forRequest({ signal: stopping.signal, onUpstreamMs })
    return { ...context.graph.forRequest({ signal: never, onUpstreamMs }), get }
  }

  return {
    keepAlive,
    beginRound,
    claimAll,
    nextEnd,
    tick,
    status: () => ({ ...counts, lastTickAt, running: running.size }),
    async stop() {
      stopping.abort()
      // What it still claims is released by its work.
      await claiming.catch(() => {})
      await Promise.all(running.values())
    },
  }
}

const isBusy = (posts = 0): boolean => posts >= CHANNEL_POSTS_AT_ONCE

function countChannels({ channels }: ScheduledPostRow, channelPosts: Map<string, number>): void {
  for (const { channel_id: id } of channels) channelPosts.set(id, (channelPosts.get(id) ?? 0) + 1)
}

const FAILED = 'post failed'
const ORGANIZATION_INACTIVE = 'Its organization is not active.'
