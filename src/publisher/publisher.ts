import { setMaxListeners } from 'node:events'
import type { GraphClient } from '../graph/graph-client.js'
import type { Context } from '../http/context.js'
import { type Wait, waitJittered } from '../lib/wait.js'
import {
  type Claim,
  claimDuePost,
  expireLatePost,
  finishPost,
  LeaseLostError,
  releasePost,
} from '../posts/publications.store.js'
import { publishChannel, tooLate } from './publish-channel.js'

/**
 * What publishes the posts whose time has come. Any number of them may share one database.
 *
 * Its only time is the clock. Where that leaps back, nothing is published twice or forgotten; where it leaps ahead by more
 * than LATE_POST_HOURS, every post in between is too late by the clock and fails with that reason, to be retried.
 */
export interface Publisher {
  /** Takes every post that is due as far as it goes now. Throws when the database fails to tell what is due. */
  tick(): Promise<void>
  status(): PublisherStatus
  /**
   * Claims nothing more, finishes what is being sent to the platform, which takes GRAPH_TIMEOUT_MS at most, and lets go of
   * its posts, so that another publisher can go on with them at once.
   */
  stop(): Promise<void>
}

/** The counts are of this process. */
export interface PublisherStatus {
  /** When it last looked for what is due, or had no place for more. */
  lastTickAt: Date | undefined
  /** Posts being worked on. */
  running: number
  /** A post that must wait is claimed several times. */
  claimed: number
  published: number
  failed: number
}

export interface PublisherOptions {
  /** A post is published: how long after its time. */
  onPublished?(delayMs: number): void
  /** Between two looks for due posts. */
  wait?: Wait
}

type PublisherContext = Pick<Context, 'config' | 'log' | 'clock' | 'database' | 'graph' | 'sealer'>

/** So many wait for the platform at a time… */
const POSTS_AT_ONCE = 32
/** …and so many of one channel, so that a slow one does not hold up the others. */
const CHANNEL_POSTS_AT_ONCE = 4
const LEASE_MS_MIN = 120_000
/** A step makes up to four calls: a read, tried twice, before the call that publishes, and what surrounds them. */
const CALLS_PER_LEASE = 4

/** A publisher that looks for due posts every PUBLISHER_INTERVAL_MS. Failures of the database are logged and outlived. */
export function startPublisher(context: PublisherContext, options: PublisherOptions = {}): Publisher {
  const { config, log } = context
  const { wait = waitJittered } = options
  const publisher = createPublisher(context, options)
  let pause = new AbortController()
  let isStopped = false

  async function run(): Promise<void> {
    let isRound = true
    while (!isStopped) {
      await (isRound ? publisher.beginRound() : publisher.claimAll()).catch((error) => {
        log.error({ err: error }, 'the publisher cannot tell what is due')
      })
      if (isStopped) return
      pause = new AbortController()
      const waited = wait(config.publisherIntervalMs, pause.signal).catch(() => {})
      // A place that becomes free is filled at once.
      isRound = await Promise.race([waited.then(() => true), publisher.nextEnd().then(() => false)])
      pause.abort()
    }
  }
  const running = run()

  return {
    tick: publisher.tick,
    status: publisher.status,
    async stop() {
      isStopped = true
      pause.abort()
      await publisher.stop()
      await running
    },
  }
}

/** The same without its loop: it works when told to. */
export function createPublisher(
  context: PublisherContext,
  { onPublished }: Pick<PublisherOptions, 'onPublished'> = {},
): Publisher & {
  /** Fails what is too late, then claims. */
  beginRound(): Promise<void>
  /** Begins with every post that is due and finds a place; a place becomes free when the work on its post ends. */
  claimAll(): Promise<void>
  /** Resolves when the next post ends that is being worked on; never while there is none. */
  nextEnd(): Promise<void>
} {
  const { config, log, clock, database, sealer } = context
  const leaseMs = Math.max(LEASE_MS_MIN, CALLS_PER_LEASE * config.graphTimeoutMs)
  const stopping = new AbortController()
  const never = new AbortController().signal
  // Every running call listens; that is no leak.
  setMaxListeners(0, stopping.signal, never)
  const running = new Map<Claim, Promise<void>>()
  const counts = { claimed: 0, published: 0, failed: 0 }
  let lastTickAt: Date | undefined
  let claiming: Promise<void> = Promise.resolve()

  const now = (): Date => new Date(clock.now())

  async function beginRound(): Promise<void> {
    await expireLatePosts()
    await claimAll()
  }

  async function claimAll(): Promise<void> {
    claiming = claimInTurn()
    await claiming
  }

  async function claimInTurn(): Promise<void> {
    while (!stopping.signal.aborted && running.size < POSTS_AT_ONCE) {
      const claim = await claimDuePost(database, {
        now: now(),
        leaseMs,
        // After a leap of the clock its own leases may have run out too.
        except: [...running.keys()].map(({ post }) => post.scheduled_post_id),
        busyChannelIds: busyChannelIds(),
      })
      lastTickAt = now()
      if (claim === undefined) return
      counts.claimed++
      running.set(
        claim,
        work(claim).finally(() => running.delete(claim)),
      )
    }
    // With every place taken it is at work, not at a standstill.
    if (running.size >= POSTS_AT_ONCE) lastTickAt = now()
  }

  async function expireLatePosts(): Promise<void> {
    const reason = tooLate(config.latePostHours)
    while (!stopping.signal.aborted) {
      const lateBefore = new Date(clock.now() - config.latePostHours * 3_600_000)
      const late = await expireLatePost(database, { lateBefore, reason, now: now() })
      if (late === undefined) return
      counts.failed++
      log.warn({ organization: late.organization_id, post: late.scheduled_post_id, status: 'FAILED', reason }, FAILED)
    }
  }

  function busyChannelIds(): string[] {
    const posts = new Map<string, number>()
    for (const { post } of running.keys()) {
      for (const { channel_id: id } of post.channels) posts.set(id, (posts.get(id) ?? 0) + 1)
    }
    return [...posts].filter(([, count]) => count >= CHANNEL_POSTS_AT_ONCE).map(([id]) => id)
  }

  const nextEnd = (): Promise<void> => (running.size === 0 ? new Promise(() => {}) : Promise.race(running.values()))

  async function tick(): Promise<void> {
    await beginRound()
    while (running.size > 0) {
      await nextEnd()
      await claimAll()
    }
  }

  /** Never rejects: the lease of what fails here runs out, and the next claim goes on from what is stored. */
  async function work(claim: Claim): Promise<void> {
    const { lease } = claim
    const ids = { organization: lease.organizationId, post: lease.scheduledPostId }
    try {
      await advance(claim)
    } catch (error) {
      if (error instanceof LeaseLostError) log.warn(ids, 'another publisher has taken over a post')
      else log.error({ ...ids, err: error }, 'the work on a post was broken off')
    }
  }

  /** Every channel as far as it goes, side by side. Then the post is finished, or let go. */
  async function advance({ lease, post, publications }: Claim): Promise<void> {
    const start = performance.now()
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
            lease,
            post,
            channel: channels.get(publication.channel_id)!,
            lateHours: config.latePostHours,
            isStopping: () => stopping.signal.aborted,
          },
          publication,
        ),
      ),
    )
    const rows = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    // A call that the stop has cut is no failure: the next holder makes it.
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
      },
      isPublished ? 'post published' : FAILED,
    )
  }

  /** Reading can be cut at a stop; what is being sent is waited for, because nobody may send it again. */
  function stoppableGraph(onUpstreamMs: (ms: number) => void): GraphClient {
    const { get } = context.graph.forRequest({ signal: stopping.signal, onUpstreamMs })
    return { ...context.graph.forRequest({ signal: never, onUpstreamMs }), get }
  }

  return {
    beginRound,
    claimAll,
    nextEnd,
    tick,
    status: () => ({ ...counts, lastTickAt, running: running.size }),
    async stop() {
      stopping.abort()
      // It may still bring a post, to be let go of.
      await claiming.catch(() => {})
      await Promise.all(running.values())
    },
  }
}

const FAILED = 'post failed'
