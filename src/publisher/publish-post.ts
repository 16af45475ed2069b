import { setMaxListeners } from 'node:events'
import { type Database, DatabaseUnavailableError } from '../database/database.js'
import type { GraphClient } from '../graph/graph-client.js'
import type { PostStatus } from '../interface/post-status.js'
import { foremost, LATE_MS, WAIT_TEXTS, type WaitReason } from '../interface/post-waits.js'
import { addJitter, type Wait, waitJittered } from '../lib/wait.js'
import { repeatLast, retry } from '../work/backoff.js'
import { LeaseLostError } from '../work/claim.js'
import type { Liveness } from '../work/liveness.js'
import { type Claim, finishPost, releasePost, returnToApproval } from './claims.store.js'
import { createComparison, type MediaWatch } from './compare-media.js'
import type { PostLease, PublicationRow } from './publications.store.js'
import { type PublisherContext, publishChannel } from './publish-channel.js'
import { type NotedWait, releaseWaiting } from './waits.store.js'

/** The publisher that works on a post. */
export interface PostWork extends PublisherContext {
  liveness: Liveness
  stopping: AbortSignal
  /** Called when the post has ended, with the delay after its scheduled time. */
  onEnded(status: PostStatus, delayMs: number): void
  retryWait?: Wait
  jitter?(ms: number): number
}

export const POST_FAILED = 'post failed'
const POST_WAITS = 'post waits'
const POST_WAITS_NO_LONGER = 'post waits no longer'
const POST_RETURNED = 'post returned to approval: the media at its address have changed'

/** Delays before a write is retried while the database is unavailable. */
const DATABASE_BACK_OFF = repeatLast(250, 500, 1_000, 2_000)

/** The signal of calls that must not be aborted; it never fires. */
const NEVER = new AbortController().signal
setMaxListeners(0, NEVER)

/** Never rejects: if something fails, the lease expires and the next claim continues from what is stored. */
export async function publishPost(work: PostWork, claim: Claim): Promise<void> {
  const { log } = work
  const ids = idsOf(claim)
  try {
    await traced(work, claim)
  } catch (error) {
    if (error instanceof LeaseLostError) log.warn(ids, 'another publisher has taken over a post')
    else if (error instanceof DatabaseUnavailableError) log.warn(ids, 'work on a post was interrupted: no database')
    else log.error({ ...ids, err: error }, 'work on a post was interrupted')
  }
}

/** All turns of a publication share one trace; a retry has another scheduled time, and so its own trace. */
async function traced(work: PostWork, claim: Claim): Promise<void> {
  if (work.tracing === undefined) return await advance(work, claim)
  const { organizationId, scheduledPostId } = claim.lease
  const key = JSON.stringify([organizationId, scheduledPostId, claim.post.scheduled_for])
  const attributes = { 'greenroom.organization': organizationId, 'greenroom.post': scheduledPostId }
  return await work.tracing.turn('publishScheduledPost', key, attributes, () => advance(work, claim))
}

/** Advances every channel, then finishes or releases the post. */
async function advance(work: PostWork, claim: Claim): Promise<void> {
  const start = performance.now()
  let upstreamMs = 0
  const database = persistentDatabase(work, claim.lease)
  const graph = stoppableGraph(work, (ms) => {
    upstreamMs += ms
  })
  const media = createComparison(work, claim.post)
  const { rows, isCut } = await advanceChannels({ ...work, ...media, database, graph }, claim)
  const now = new Date(work.clock.now())
  const returned = media.reasonOfReturn()
  const pending = rows.filter((row) => row.state === 'PENDING' && (returned === undefined || hasBegun(row)))
  if (returned !== undefined && !isCut && pending.length === 0) {
    await returnToApproval(database, claim.lease, returned, now)
    logWaitEnd(work, claim, now)
    work.log.warn({ ...idsOf(claim), status: 'WAITING_FOR_APPROVAL', reason: returned }, POST_RETURNED)
    return
  }
  if (isCut || pending.length > 0) {
    const nextAttempts = pending.map(({ next_attempt_at }) => next_attempt_at ?? now)
    const earliestMs = Math.min(...[...nextAttempts, ...(isCut ? [now] : [])].map((at) => at.getTime()))
    await release({ ...work, database }, claim, { pending, nextAttemptAt: new Date(earliestMs), now })
    return
  }
  const status = await finishPost(database, claim.lease, rows, now)
  const delayMs = work.clock.now() - (claim.post.scheduled_for?.getTime() ?? 0)
  work.onEnded(status, delayMs)
  logWaitEnd(work, claim, now)
  const durationMs = Math.round(performance.now() - start)
  logEnd(work, claim.lease, rows, { status, delayMs, upstreamMs: Math.round(upstreamMs), durationMs })
}

/** Work that takes no longer than this does not count as a wait, whatever the reason: the platform needs its time. */
const USUAL: readonly WaitReason[] = ['processing', 'interrupted']

/** Releases a post that must wait, and shows people why, unless every post waits for this. */
async function release(
  { database, log }: Pick<PostWork, 'database' | 'log'>,
  claim: Claim,
  { pending, nextAttemptAt, now }: { pending: readonly PublicationRow[]; nextAttemptAt: Date; now: Date },
): Promise<void> {
  const wait = toWait(pending, nextAttemptAt)
  const isLate = now.getTime() - (claim.post.scheduled_for?.getTime() ?? 0) >= LATE_MS
  if (wait === undefined || (USUAL.includes(wait.reason) && !isLate)) {
    await releasePost(database, claim.lease, nextAttemptAt)
    return
  }
  const { isLogged, since } = await releaseWaiting(database, claim.lease, { nextAttemptAt, wait, now })
  if (isLogged) log.warn({ ...idsOf(claim), ...wait.detail, waitedMs: now.getTime() - since.getTime() }, POST_WAITS)
}

/** Returns the wait of the channels that are not done; undefined if none is waiting. */
function toWait(pending: readonly PublicationRow[], nextAttemptAt: Date): NotedWait | undefined {
  const reason = foremost(pending.flatMap(({ wait_reason }) => wait_reason ?? []))
  if (reason === undefined) return undefined
  const channels = pending.flatMap(({ channel_id, wait_reason, error, next_attempt_at }) => {
    if (wait_reason === null) return []
    return [
      [channel_id, { wait: wait_reason, words: error ?? undefined, nextAttemptAt: next_attempt_at?.toISOString() }],
    ]
  })
  const detail = { wait: reason, reason: WAIT_TEXTS[reason], nextAttemptAt: nextAttemptAt.toISOString() }
  return { reason, detail: { ...detail, channels: Object.fromEntries(channels) } }
}

function logWaitEnd({ log }: PostWork, claim: Claim, now: Date): void {
  if (claim.waited === null) return
  const { reason, since } = claim.waited
  log.info({ ...idsOf(claim), wait: reason, waitedMs: now.getTime() - since.getTime() }, POST_WAITS_NO_LONGER)
}

/** True once the platform has the address of its media, or has published it. */
const hasBegun = ({ container_id, attempted_at, external_id }: PublicationRow): boolean =>
  container_id !== null || attempted_at !== null || external_id !== null

const idsOf = ({ lease }: Claim) => ({ organization: lease.organizationId, post: lease.scheduledPostId })

/**
 * Advances the channels side by side. `isCut` means that a stop aborted a call, which is not a failure: the next holder
 * makes it. Throws the first failure once all channels have come to rest.
 */
async function advanceChannels(
  work: PostWork & MediaWatch,
  { lease, post, publications }: Claim,
): Promise<{ rows: PublicationRow[]; isCut: boolean }> {
  const { clock, liveness, stopping, jitter = addJitter } = work
  const channels = new Map(post.channels.map((channel) => [channel.channel_id, channel]))
  const job = {
    ...work,
    lease,
    post,
    isHeld: () => liveness.isLive(lease.holder) && clock.now() < lease.until.getTime(),
    jitter,
  }
  const results = await Promise.allSettled(
    publications.map((publication) =>
      publishChannel({ ...job, channel: channels.get(publication.channel_id)! }, publication),
    ),
  )
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  const failure = failures.find((reason) => reason !== stopping.reason)
  if (failure !== undefined) throw failure
  const rows = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  return { rows, isCut: failures.length > 0 }
}

function logEnd(
  { log, tracing }: PostWork,
  { organizationId: organization, scheduledPostId: post }: PostLease,
  rows: readonly PublicationRow[],
  facts: { status: PostStatus; delayMs: number; upstreamMs: number; durationMs: number },
): void {
  const channels = rows.map(({ channel_id: channel, state, external_id, error }) => {
    return { channel, state, externalId: external_id ?? undefined, error: error ?? undefined }
  })
  const line = { organization, post, channels, ...facts, traceId: tracing?.traceId() }
  if (facts.status === 'PUBLISHED') log.info(line, 'post published')
  else log.warn(line, POST_FAILED)
}

/**
 * The database for the work on one post. If it is unavailable, statements are retried while the lease lasts, so that no
 * answer of the platform is lost and the post need not wait for the lease to end. Each statement may be repeated: it names
 * the claim and writes the same data again.
 */
function persistentDatabase(
  { database, clock, stopping, retryWait = waitJittered }: PostWork,
  lease: PostLease,
): Database {
  const mayPass = (error: unknown): boolean =>
    error instanceof DatabaseUnavailableError && !stopping.aborted && clock.now() < lease.until.getTime()
  const persist = <T>(write: () => Promise<T>): Promise<T> =>
    retry(write, { backOff: DATABASE_BACK_OFF, mayPass, wait: retryWait, signal: stopping })
  return {
    ...database,
    query: (...statement) => persist(() => database.query(...statement)),
    transaction: (...work) => persist(() => database.transaction(...work)),
  }
}

/** A stop aborts reads, but waits for writes, because they must not be repeated. */
function stoppableGraph({ graph, stopping }: PostWork, onUpstreamMs: (ms: number) => void): GraphClient {
  const { get } = graph.forRequest({ signal: stopping, onUpstreamMs })
  return { ...graph.forRequest({ signal: NEVER, onUpstreamMs }), get }
}
