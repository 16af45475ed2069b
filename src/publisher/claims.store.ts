import type { Database, Queryable } from '../database/database.js'
import type { PostStatus } from '../interface/post-status.js'
import { LATE_TEXTS, type LateCause, type WaitReason } from '../interface/post-waits.js'
import { newId } from '../lib/ids.js'
import { endPost, returnPost } from '../posts/end-post.store.js'
import { recordChange, updatedAt } from '../posts/history.store.js'
import { nextStatus } from '../posts/lifecycle.js'
import type { PostKey, ScheduledPostRow } from '../posts/scheduled-post-row.js'
import { listScheduledPostsByKey } from '../posts/scheduled-posts.store.js'
import type { EndLeases } from '../work/holders.store.js'
import {
  insertMissingPublications,
  keysOf,
  keyText,
  leaseLost,
  listPublicationsByKey,
  type PostLease,
  type PublicationRow,
  WAIT_MS_MAX,
} from './publications.store.js'

const PUBLISHER = { type: 'publisher' } as const
const NOT_FINISHED = { reason: 'The publisher before did not finish it in time.' }

export interface Claim {
  lease: PostLease
  /** The post after the claim, with the status PUBLISHING. */
  post: ScheduledPostRow
  /** One publication for each channel of the post. */
  publications: PublicationRow[]
  /** The wait that people were shown; null if there was none. */
  waited: Waited | null
}

interface Waited {
  reason: WaitReason
  since: Date
}

export interface ClaimRequest {
  /** The claiming process. Its leases end when it is found dead. */
  holder: string
  now: Date
  leaseMs: number
  /** The largest number of posts to take. */
  limit: number
  /** Ids of posts to skip: the caller is already working on them. */
  except: readonly string[]
  /**
   * How many posts of each channel the caller is working on. With the claimed posts, a channel gets at most
   * `channelPostsMax`.
   */
  channelPosts: ReadonlyMap<string, number>
  channelPostsMax: number
  /** Posts scheduled before this are no longer published. */
  lateBefore: Date
  /** Reads only posts after this position; all of them if it is omitted. */
  after?: DuePosition | undefined
  /** Returns why a post is late when it is claimed for the first time. */
  lateCause?(post: ScheduledPostRow): LateCause | undefined
}

/** A place in the order of the claim: PUBLISHING before SCHEDULED, each by time. */
export interface DuePosition {
  status: 'PUBLISHING' | 'SCHEDULED'
  /** The instant as text, to the microsecond. */
  scheduled_for: string
  organization_id: string
  scheduled_post_id: string
}

/**
 * The largest number of posts that one claim reads. Posts that cannot be taken, because their channel is busy or their
 * organization inactive, make a claim slow: 500 take 2 ms, 10,000 took 24.
 */
const CLAIM_READS_MAX = 500

const startOf = (status: DuePosition['status']): DuePosition => ({
  status,
  scheduled_for: '-infinity',
  organization_id: '',
  scheduled_post_id: '',
})

interface DueRow extends DuePosition {
  leased_by: string | null
  channel_ids: string[]
}

/**
 * Claims due posts: first those whose holder released them or died, then the oldest SCHEDULED ones. `next` is where the
 * following claim continues; undefined if everything due was read. There is no lower bound, so no post is skipped for being
 * late. Posts of an inactive organization are left until they are too late to publish; claiming one then ends it.
 *
 * The caller supplies the time, so the clocks of publishers must agree to within a lease. If they do not, posts are taken
 * over needlessly, but what is written stays correct, because every write is fenced.
 */
export async function claimDuePosts(
  database: Database,
  request: ClaimRequest,
): Promise<{ claims: Claim[]; next: DuePosition | undefined }> {
  return await database.transaction(async (tx) => {
    const { due, next } = await walkDue(tx, request)
    return { claims: await leasePosts(tx, withinChannelLimits(due, request), request), next }
  })
}

/** Locks up to `limit` posts of both statuses. */
async function walkDue(
  tx: Queryable,
  request: ClaimRequest,
): Promise<{ due: DueRow[]; next: DuePosition | undefined }> {
  const due: DueRow[] = []
  for (let after = request.after ?? startOf('PUBLISHING'); ; after = startOf('SCHEDULED')) {
    const limit = request.limit - due.length
    const [rows, lastRead] = await Promise.all([lockDue(tx, request, after, limit), findLastRead(tx, request, after)])
    due.push(...rows)
    if (rows.length === limit) return { due, next: rows.at(-1) }
    if (lastRead !== undefined || after.status === 'SCHEDULED') return { due, next: lastRead }
  }
}

// Both conditions read along the index scheduled_posts_due. $1 to $3 are the position, $4 is the current time.
const BEHIND = '(p.scheduled_for, p.organization_id, p.scheduled_post_id) > ($1::timestamptz, $2::text, $3::text)'
const READ = {
  PUBLISHING: `p.status = 'PUBLISHING' and ${BEHIND}`,
  SCHEDULED: `p.status = 'SCHEDULED' and p.scheduled_for <= $4 and ${BEHIND}`,
}
const READ_ORDER = 'p.scheduled_for, p.organization_id, p.scheduled_post_id'
const positionValues = (after: DuePosition): string[] => [
  after.scheduled_for,
  after.organization_id,
  after.scheduled_post_id,
]

const IS_ACTIVE = '(select active from organizations o where o.organization_id = post.organization_id)'
// The locked row is checked again, because it may have changed since it was read. The case expression keeps this condition
// out of index searches.
const MAY_CLAIM = {
  PUBLISHING: `case when post.status = 'PUBLISHING' then
                      (leased_until > $4 and leased_until <= $8) is not true
                  and (next_attempt_at > $4 and next_attempt_at <= $9) is not true
                  and (post.scheduled_for < $10 or ${IS_ACTIVE}) end`,
  SCHEDULED: `case when post.status = 'SCHEDULED' then post.scheduled_for <= $4 and ${IS_ACTIVE} end`,
}

/** Locks those of the first CLAIM_READS_MAX posts after `after`, in its status, that may be claimed. */
async function lockDue(tx: Queryable, request: ClaimRequest, after: DuePosition, limit: number): Promise<DueRow[]> {
  const { now, leaseMs, except, channelPosts, channelPostsMax, lateBefore } = request
  const busyChannelIds = [...channelPosts].filter(([, posts]) => posts >= channelPostsMax).map(([id]) => id)
  // Subqueries read the channels and the organization, because the planner never joins them. It planned a join of the whole
  // table when a list was empty, which took 170 ms at a million posts.
  const { rows } = await tx.query<DueRow>(
    `select post.status, due.scheduled_for::text, organization_id, scheduled_post_id, channel_ids, leased_by
       from (select p.scheduled_for, p.organization_id, p.scheduled_post_id,
                    array(select channel_id from scheduled_post_channels x
                           where x.organization_id = p.organization_id
                             and x.scheduled_post_id = p.scheduled_post_id) as channel_ids
               from scheduled_posts p
              where ${READ[after.status]}
              order by ${READ_ORDER}
              limit ${CLAIM_READS_MAX}) due
       join scheduled_posts post using (organization_id, scheduled_post_id)
      where not channel_ids && $5::text[]
        and scheduled_post_id <> all($6::text[])
        and ${MAY_CLAIM[after.status]}
      order by due.scheduled_for, organization_id, scheduled_post_id
      limit $7
        for update of post skip locked`,
    [
      ...positionValues(after),
      now,
      busyChannelIds,
      except,
      limit,
      ...(after.status === 'PUBLISHING' ? [addMs(now, 2 * leaseMs), addMs(now, 2 * WAIT_MS_MAX), lateBefore] : []),
    ],
  )
  return rows
}

/** Returns the last post that lockDue reads; undefined if none follow it. */
async function findLastRead(
  tx: Queryable,
  request: ClaimRequest,
  after: DuePosition,
): Promise<DuePosition | undefined> {
  const { rows } = await tx.query<DuePosition>(
    `select p.status, p.scheduled_for::text, p.organization_id, p.scheduled_post_id
       from scheduled_posts p
      where ${READ[after.status]}
      order by ${READ_ORDER}
      limit 1 offset ${CLAIM_READS_MAX - 1}`,
    after.status === 'SCHEDULED' ? [...positionValues(after), request.now] : positionValues(after),
  )
  return rows[0]
}

/** Returns the leading posts whose channels all have room. */
function withinChannelLimits(due: readonly DueRow[], { channelPosts, channelPostsMax }: ClaimRequest): DueRow[] {
  const counts = new Map(channelPosts)
  return due.filter(({ channel_ids: ids }) => {
    if (ids.some((id) => (counts.get(id) ?? 0) >= channelPostsMax)) return false
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
    return true
  })
}

/** Gives each of these locked posts its own lease. */
async function leasePosts(
  tx: Queryable,
  due: DueRow[],
  { holder, now, leaseMs, lateCause }: ClaimRequest,
): Promise<Claim[]> {
  if (due.length === 0) return []
  const leased = due.map((row) => {
    // Resuming after a wait does not change the post.
    const isChange = row.status !== nextStatus('claim', row.status) || row.leased_by !== null
    return { ...row, claimId: newId('claim'), isChange }
  })
  const until = addMs(now, leaseMs)
  const keys = keysOf(leased)
  const [{ rows: waits }, , posts, publications] = await Promise.all([
    tx.query<PostKey & { wait_reason: WaitReason | null; wait_since: Date | null }>(
      `update scheduled_posts p
          set status = 'PUBLISHING', leased_by = claim_id, lease_holder = $7, leased_until = $5, next_attempt_at = null,
              version = case when is_change then version + 1 else version end,
              updated_at = case when is_change then ${updatedAt('$6')} else updated_at end
         from unnest($1::text[], $2::text[], $3::text[], $4::boolean[])
              as claimed (organization_id, scheduled_post_id, claim_id, is_change)
        where p.organization_id = claimed.organization_id and p.scheduled_post_id = claimed.scheduled_post_id
       returning p.organization_id, p.scheduled_post_id, p.wait_reason, p.wait_since`,
      [...keys, leased.map(({ claimId }) => claimId), leased.map(({ isChange }) => isChange), until, now, holder],
    ),
    insertMissingPublications(tx, leased),
    listScheduledPostsByKey(tx, ...keys),
    listPublicationsByKey(tx, leased),
  ])
  const postByKey = new Map(posts.map((post) => [keyText(post), post]))
  const waitByKey = new Map(waits.map((row) => [keyText(row), toWaited(row)]))
  return await Promise.all(
    leased.map(async (row) => {
      const post = postByKey.get(keyText(row))!
      if (row.isChange) {
        const detail = row.leased_by === null ? toLateDetail(lateCause?.(post)) : NOT_FINISHED
        const change = { fromStatus: row.status, actor: PUBLISHER, action: 'claimed', detail } as const
        await recordChange(tx, { post, ...change, at: post.updated_at })
      }
      return {
        lease: {
          organizationId: row.organization_id,
          scheduledPostId: row.scheduled_post_id,
          holder,
          leasedBy: row.claimId,
          durationMs: leaseMs,
          until,
        },
        post,
        publications: publications.get(keyText(row)) ?? [],
        waited: waitByKey.get(keyText(row)) ?? null,
      }
    }),
  )
}

const toWaited = (row: { wait_reason: WaitReason | null; wait_since: Date | null }): Waited | null =>
  row.wait_reason === null || row.wait_since === null ? null : { reason: row.wait_reason, since: row.wait_since }

const toLateDetail = (cause: LateCause | undefined) => cause && { late: cause, reason: LATE_TEXTS[cause] }

/** Releases a post that must wait; any publisher may claim it from `nextAttemptAt` on. Throws LeaseLostError. */
export async function releasePost(database: Queryable, lease: PostLease, nextAttemptAt: Date): Promise<void> {
  const { rowCount } = await database.query(
    `update scheduled_posts set leased_by = null, lease_holder = null, leased_until = null, next_attempt_at = $4
      where organization_id = $1 and scheduled_post_id = $2 and leased_by = $3`,
    [lease.organizationId, lease.scheduledPostId, lease.leasedBy, nextAttemptAt],
  )
  if (rowCount !== 1) throw leaseLost(lease)
}

/**
 * Ends the leases of one holder, or of all, so that other processes may claim the posts at once. If that holder is alive
 * after all, its claims still fence its writes.
 */
export const endLeases: EndLeases = async (tx, holder) => {
  await tx.query(
    `update scheduled_posts p set leased_until = null
       from (select organization_id, scheduled_post_id from scheduled_posts
              where status = 'PUBLISHING' and leased_by is not null
                and ($1::text is null or lease_holder = $1)
              order by organization_id, scheduled_post_id
                for update) held
      where p.organization_id = held.organization_id and p.scheduled_post_id = held.scheduled_post_id`,
    [holder ?? null],
  )
}

/**
 * Ends a post that has no pending channel: PUBLISHED if it is out on every channel, otherwise FAILED. Returns its status.
 * Throws LeaseLostError.
 */
export async function finishPost(
  database: Database,
  lease: PostLease,
  publications: readonly PublicationRow[],
  now: Date,
): Promise<PostStatus> {
  const isPublished = publications.length > 0 && publications.every(({ state }) => state === 'PUBLISHED')
  const trigger = isPublished ? 'finish' : 'finishWithFailure'
  const key = { organization_id: lease.organizationId, scheduled_post_id: lease.scheduledPostId }
  const end = { leasedBy: lease.leasedBy, fromStatus: 'PUBLISHING', trigger, actor: PUBLISHER, now } as const
  const status = await database.transaction((tx) => endPost(tx, key, end))
  if (status === undefined) throw leaseLost(lease)
  return status
}

/** Returns the post to approval, with a reason for people. Throws LeaseLostError. */
export async function returnToApproval(database: Database, lease: PostLease, reason: string, now: Date): Promise<void> {
  const key = { organization_id: lease.organizationId, scheduled_post_id: lease.scheduledPostId }
  const isHeld = await database.transaction((tx) =>
    returnPost(tx, key, { leasedBy: lease.leasedBy, actor: PUBLISHER, reason, now }),
  )
  if (!isHeld) throw leaseLost(lease)
}

export interface LatePost extends PostKey {
  /** True if the organization is active. */
  active: boolean
  scheduled_for: Date
}

/**
 * Fails up to `limit` of the oldest SCHEDULED posts that were scheduled before `lateBefore`, with a reason on every channel
 * where they are not out. Returns these posts; if there are fewer than `limit`, none remain.
 */
export async function expireLatePosts(
  database: Database,
  late: { lateBefore: Date; limit: number; reasonOf(post: LatePost): string; now: Date },
): Promise<LatePost[]> {
  const { lateBefore, limit, reasonOf, now } = late
  return await database.transaction(async (tx) => {
    const { rows } = await tx.query<LatePost>(
      `select organization_id, scheduled_post_id,
              (select active from organizations o where o.organization_id = p.organization_id) as active, scheduled_for
         from scheduled_posts p
        where status = 'SCHEDULED' and scheduled_for < $1
        order by ${READ_ORDER}
        limit $2
          for update skip locked`,
      [lateBefore, limit],
    )
    await insertMissingPublications(tx, rows)
    await tx.query(
      `update publications p set state = 'FAILED', error = reason
         from unnest($1::text[], $2::text[], $3::text[]) as late (organization_id, scheduled_post_id, reason)
        where p.organization_id = late.organization_id and p.scheduled_post_id = late.scheduled_post_id
          and p.state = 'PENDING'`,
      [...keysOf(rows), rows.map(reasonOf)],
    )
    const end = { leasedBy: null, fromStatus: 'SCHEDULED', trigger: 'expire', actor: PUBLISHER, now } as const
    for (const row of rows) await endPost(tx, row, end)
    return rows
  })
}

const addMs = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms)
