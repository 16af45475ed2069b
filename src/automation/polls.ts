import { insertIncomingComments, takeCommentsUp } from '../audience/incoming-comments.store.js'
import { findForgotten } from '../audience/live/forgotten-ids.store.js'
import { keyOf, metaKind } from '../audience/live/ids.store.js'
import { GraphError } from '../graph/graph-error.js'
import type { Context } from '../http/context.js'
import type { PlatformComment } from '../networks/comments.js'
import { networkOf } from '../networks/networks.js'
import type { ChannelTarget } from '../networks/target.js'
import { parseRule, type RaffleRule } from '../superpowers/rule.js'
import { toExpiresAtMs } from '../superpowers/superpower-schema.js'
import { repeatLast } from '../work/backoff.js'
import { type Claimed, claimDue, endClaim } from '../work/claims.store.js'
import { workSideBySide } from '../work/side-by-side.js'
import {
  type AutomationPostKey,
  findPolledPost,
  listDecided,
  POLLED_POSTS,
  type PolledPost,
  setCommentedId,
} from './posts.store.js'
import { chainOf } from './raffles/beacon.js'
import { insertRaffle } from './raffles/draw.store.js'
import { findTarget } from './target.js'

export type PollsContext = Pick<Context, 'database' | 'clock' | 'graph' | 'sealer' | 'log' | 'config' | 'metrics'>

interface DuePost extends Claimed, AutomationPostKey {
  external_id: string
  commented_id: string | null
  published_at: Date
  polled_at: Date | null
  attempts: number
}

const POSTS_AT_ONCE = 5
const LEASE_MS = 120_000
const HOUR_MS = 3_600_000
/** How long after the post comments are answered, and therefore read. */
const READ_MS = 7 * 24 * HOUR_MS
/** Readings overlap, because the platform lists a comment somewhat later than it was written. */
const OVERLAP_MS = 10 * 60_000
const PAGES_MAX = 100
/** The delay before another look at a post on a channel that is off or not connected. */
const IDLE_MS = 60_000
const BACK_OFF = repeatLast(60_000, 5 * 60_000, 30 * 60_000)
/** After this many consecutive failures, half a day, the reading of a finished post ends. */
const LAST_READINGS_MAX = 25

/** Reads the comments of posts that are due, because hooks may be missing. Returns the number of readings. */
export function pollComments(context: PollsContext, stopping?: AbortSignal): Promise<number> {
  const { database, clock } = context
  return workSideBySide<DuePost>({
    ...{ max: POSTS_AT_ONCE, stopping },
    claim: (request) =>
      claimDue<DuePost>(database, POLLED_POSTS, { ...request, now: new Date(clock.now()), leaseMs: LEASE_MS }),
    async work(row) {
      await pollPost(context, row)
      return 1
    },
  })
}

async function pollPost(context: PollsContext, row: DuePost): Promise<void> {
  const { database, clock } = context
  const now = new Date(clock.now())
  const post = await findPolledPost(database, row)
  const isReadNoLonger = post === undefined || post.superpower === null || post.is_stopped
  if (isReadNoLonger) return void (await endClaim(database, POLLED_POSTS, row, 'next_attempt_at = null'))
  const raffle = raffleOf(post)
  if (raffle !== null) await insertRaffle(database, row, raffle, chainOf(context.config))
  const target = post.mode === 'off' ? undefined : findTarget(context, post)
  const next = nextReading(context, row, post, now)
  if (target === undefined) {
    const at = isOver(row, post, now) ? null : new Date(now.getTime() + IDLE_MS)
    return void (await endClaim(database, POLLED_POSTS, row, 'next_attempt_at = $1', [at]))
  }
  try {
    await readComments(context, { row, post, target })
    await endClaim(database, POLLED_POSTS, row, DONE, [now, next])
  } catch (error) {
    if (!(error instanceof GraphError)) throw error
    const waitMs = Math.max(BACK_OFF.after(row.attempts), (error.retryAfterSeconds ?? 0) * 1000)
    // The last reading is retried too: otherwise comments from before the end would have no row.
    const isGivenUp = isOver(row, post, now) && row.attempts >= LAST_READINGS_MAX
    const at = isGivenUp ? null : new Date(now.getTime() + waitMs)
    await endClaim(database, POLLED_POSTS, row, FAILED, [error.userText, at])
  }
}

const DONE = 'polled_at = $1, poll_problem = null, attempts = 0, next_attempt_at = $2'
const FAILED = 'poll_problem = $1, attempts = attempts + 1, next_attempt_at = $2'

/** Returns whether new comments are no longer answered; earlier ones are read once more. */
function isOver({ published_at }: DuePost, { superpower }: PolledPost, now: Date): boolean {
  const expiresAtMs = toExpiresAtMs(superpower!)
  // People can enter a raffle until it ends, even if they are no longer answered.
  const raffleEndsAtMs = raffleOf({ superpower })?.endsAtMs ?? 0
  const readUntilMs = Math.max(published_at.getTime() + READ_MS, raffleEndsAtMs)
  return now.getTime() > readUntilMs || (expiresAtMs !== null && expiresAtMs <= now.getTime())
}

const raffleOf = ({ superpower }: Pick<PolledPost, 'superpower'>): RaffleRule | null =>
  parseRule(superpower ?? {}).raffle

/**
 * Returns when a post is read next: a new one every minute, an older one less often, and any at the end of its raffle, so
 * that its entrants are known. Null if it is no longer read.
 */
function nextReading({ config }: PollsContext, row: DuePost, post: PolledPost, now: Date): Date | null {
  if (isOver(row, post, now)) return null
  const ageMs = now.getTime() - row.published_at.getTime()
  const usualMs = ageMs < HOUR_MS ? 0 : ageMs < 24 * HOUR_MS ? 5 * 60_000 : 30 * 60_000
  const nextMs = now.getTime() + Math.max(config.automation.pollMs, usualMs)
  const raffleEndsAtMs = raffleOf(post)?.endsAtMs ?? 0
  return new Date(raffleEndsAtMs > now.getTime() ? Math.min(nextMs, raffleEndsAtMs) : nextMs)
}

interface Reading {
  row: DuePost
  post: PolledPost
  target: ChannelTarget
}

async function readComments(context: PollsContext, { row, post, target }: Reading): Promise<void> {
  const objectId = await findObjectId(context, { row, post, target })
  const sinceMs = row.polled_at === null ? null : row.polled_at.getTime() - OVERLAP_MS
  const pages = networkOf(target).listComments(target, { objectId, sinceMs, pagesMax: PAGES_MAX })
  for await (const page of pages) await handOn(context, post, page)
}

/** A page's video has another id for comments, which the platform shows once it has processed the video. */
async function findObjectId({ database }: PollsContext, { row, post, target }: Reading): Promise<string> {
  if (row.commented_id !== null) return row.commented_id
  const mediaType = post.media_type === 'VIDEO' ? 'VIDEO' : 'IMAGE'
  const found = await networkOf(target).findCommentedId(target, { externalId: row.external_id, mediaType })
  if (found === null) return row.external_id
  await database.transaction(async (tx) => {
    await setCommentedId(tx, row, found)
    await takeCommentsUp(tx, { ...row, object_id: found })
  })
  return found
}

/** Passes new comments on to be decided, like those of hooks. */
async function handOn(
  { database, clock }: PollsContext,
  post: PolledPost,
  page: readonly PlatformComment[],
): Promise<void> {
  const { organization_id: organizationId, channel_id: channelId } = post
  const decided = await listDecided(
    database,
    organizationId,
    channelId,
    page.map(({ id }) => id),
  )
  const fresh = page.filter(({ id }) => !decided.has(id))
  if (fresh.length === 0) return
  await database.transaction(async (tx) => {
    const kind = metaKind(channelId)
    const people = fresh.flatMap(({ personId }) => (personId === null ? [] : [{ kind, id: personId }]))
    const forgotten = await findForgotten(tx, organizationId, people)
    const known = fresh.filter(({ personId }) => personId === null || !forgotten.has(keyOf({ kind, id: personId })))
    await insertIncomingComments(
      tx,
      organizationId,
      known.map(({ id, objectId, parentId, personId, personName, username, text, atMs }) => ({
        ...{ channelId, commentId: id, objectId, parentId, personId, text, at: atMs },
        fromName: username ?? personName,
      })),
      new Date(clock.now()),
    )
  })
}
