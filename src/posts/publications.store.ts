import type { Database, Queryable } from '../database/database.js'
import type { Actor } from '../http/principal.js'
import type { PostStatus } from '../interface/posts.js'
import { newId } from '../lib/ids.js'
import { recordChange } from './history.store.js'
import { nextStatus, POST_STATUSES } from './lifecycle.js'
import { releaseHashtags, requireScheduledPost, type ScheduledPostRow } from './scheduled-posts.store.js'

/** How far a post has come on one of its channels. */
export interface PublicationRow {
  channel_id: string
  state: 'PENDING' | 'PUBLISHED' | 'FAILED'
  /** What was made before publishing: an Instagram container, an unpublished photo. */
  container_id: string | null
  /** Set before the one call that publishes. Without external_id that call may have gone through. */
  attempted_at: Date | null
  external_id: string | null
  permalink: string | null
  /** How often it was put off; once attempted_at is set, how often it was looked for in vain. */
  attempts: number
  /** Not before this. */
  next_attempt_at: Date | null
  /** Why it failed or waits. */
  error: string | null
}

/** What a step changes of it. */
export type PublicationChange = Partial<Omit<PublicationRow, 'channel_id'>>

/** The hold of one claim on one post. */
export interface Lease {
  organizationId: string
  scheduledPostId: string
  /** New for each claim. Every write names it. */
  holder: string
  durationMs: number
  /** When somebody else may take the post over; each write moves it. */
  until: Date
}

/** Somebody else has taken the post over: whoever gets this stops at once and writes nothing more. */
export class LeaseLostError extends Error {
  constructor({ scheduledPostId, holder }: Lease) {
    super(`the lease ${holder} of ${scheduledPostId} is lost`)
    this.name = 'LeaseLostError'
  }
}

/** The longest wait of a publication. */
export const WAIT_MS_MAX = 86_400_000

/**
 * Whether something is put off until `until`. A time further ahead than any wait was written by a clock that has been
 * set back since, and counts for nothing: else the post would be forgotten for so long.
 */
export const isAhead = (until: Date | null, now: Date, waitMsMax: number): boolean =>
  until !== null && until > now && until.getTime() <= now.getTime() + 2 * waitMsMax

export interface Claim {
  lease: Lease
  /** After the claim: PUBLISHING. */
  post: ScheduledPostRow
  /** One for each channel of the post. */
  publications: PublicationRow[]
}

const COLUMNS =
  'channel_id, state, container_id, attempted_at, external_id, permalink, attempts, next_attempt_at, error'

/**
 * Takes hold of one post that is due: one whose holder has let go of it or vanished, else the oldest SCHEDULED one.
 * Undefined when there is none. There is no lower bound: however late, no post is passed over. Neither a post that
 * `except` names is taken, nor one with a channel in `busyChannelIds`.
 *
 * Time is the caller's: the clocks of several publishers must agree to within a lease. Where they do not, posts are taken
 * over needlessly, but what is written stays right: every write is fenced.
 */
export async function claimDuePost(
  database: Database,
  claim: { now: Date; leaseMs: number; except: string[]; busyChannelIds: string[] },
): Promise<Claim | undefined> {
  const { now, leaseMs, except, busyChannelIds } = claim
  return await database.transaction(async (tx) => {
    const due =
      (await lockOne(
        tx,
        `status = 'PUBLISHING' and (leased_until > $3 and leased_until <= $4) is not true
            and (next_attempt_at > $3 and next_attempt_at <= $5) is not true`,
        [except, busyChannelIds, now, addMs(now, 2 * leaseMs), addMs(now, 2 * WAIT_MS_MAX)],
      )) ?? (await lockOne(tx, `status = 'SCHEDULED' and scheduled_for <= $3`, [except, busyChannelIds, now]))
    if (due === undefined) return undefined

    const lease = {
      organizationId: due.organization_id,
      scheduledPostId: due.scheduled_post_id,
      holder: newId('claim'),
      durationMs: leaseMs,
      until: addMs(now, leaseMs),
    }
    const key = [lease.organizationId, lease.scheduledPostId]
    const status = nextStatus('claim', due.status)
    // Going on after a wait changes nothing of the post.
    const isChange = due.status !== status || due.leased_by !== null
    await tx.query(
      `update scheduled_posts
          set status = $3, leased_by = $4, leased_until = $5, next_attempt_at = null,
              version = case when $6 then version + 1 else version end,
              updated_at = case when $6 then $7 else updated_at end
        where organization_id = $1 and scheduled_post_id = $2`,
      [...key, status, lease.holder, lease.until, isChange, now],
    )
    await makePublications(tx, due, now)
    const post = await requireScheduledPost(tx, lease.organizationId, lease.scheduledPostId)
    if (isChange) {
      const detail = due.leased_by === null ? undefined : { reason: 'The publisher before did not finish it in time.' }
      await recordChange(tx, {
        post,
        fromStatus: due.status,
        actor: { type: 'publisher' },
        action: 'claimed',
        detail,
        at: now,
      })
    }
    return { lease, post, publications: await listPublications(tx, lease.organizationId, lease.scheduledPostId) }
  })
}

type PostKey = Pick<ScheduledPostRow, 'organization_id' | 'scheduled_post_id'>

interface DueRow extends PostKey {
  status: PostStatus
  leased_by: string | null
}

/** What a post that is published for the first time, or has gained a channel since, lacks. */
async function makePublications(
  tx: Queryable,
  { organization_id, scheduled_post_id }: PostKey,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into publications (organization_id, scheduled_post_id, channel_id, state, updated_at)
     select organization_id, scheduled_post_id, channel_id, 'PENDING', $3
       from scheduled_post_channels where organization_id = $1 and scheduled_post_id = $2
         on conflict do nothing`,
    [organization_id, scheduled_post_id, now],
  )
}

/** The oldest post for which `condition` holds, which may use parameters from $3 on; locked. */
async function lockOne(tx: Queryable, condition: string, values: unknown[]): Promise<DueRow | undefined> {
  const { rows } = await tx.query<DueRow>(
    `select organization_id, scheduled_post_id, status, leased_by
       from scheduled_posts p
      where ${condition}
        and scheduled_post_id <> all($1::text[])
        and not exists (
              select from scheduled_post_channels x
               where x.organization_id = p.organization_id and x.scheduled_post_id = p.scheduled_post_id
                 and x.channel_id = any($2::text[]))
      order by scheduled_for, organization_id, scheduled_post_id
      limit 1
        for update of p skip locked`,
    values,
  )
  return rows[0]
}

/** Of the channels that the post has now, by channel id. */
export async function listPublications(
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<PublicationRow[]> {
  const { rows } = await database.query<PublicationRow>(
    `select ${COLUMNS}
       from publications join scheduled_post_channels using (organization_id, scheduled_post_id, channel_id)
      where organization_id = $1 and scheduled_post_id = $2
      order by channel_id collate "C"`,
    [organizationId, scheduledPostId],
  )
  return rows
}

/**
 * Stores what a step has changed, renews the lease, and gives the row as it is then. Throws LeaseLostError.
 *
 * The post's row is locked before its publication is written. Whoever takes the post over locks it first too, so he
 * either comes after this write and sees it, or before it, and it does not happen.
 */
export async function savePublication(
  database: Queryable,
  lease: Lease,
  row: PublicationRow,
  change: PublicationChange,
  now: Date,
): Promise<PublicationRow> {
  const saved = { ...row, ...change }
  const until = addMs(now, lease.durationMs)
  const { rowCount } = await database.query(
    `with held as (
       update scheduled_posts set leased_until = $4
        where organization_id = $1 and scheduled_post_id = $2 and leased_by = $3
       returning organization_id, scheduled_post_id)
     update publications p
        set state = $6, container_id = $7, attempted_at = $8, external_id = $9, permalink = $10, attempts = $11,
            next_attempt_at = $12, error = $13, updated_at = $14
       from held
      where p.organization_id = held.organization_id and p.scheduled_post_id = held.scheduled_post_id
        and p.channel_id = $5
     returning p.channel_id`,
    [
      lease.organizationId,
      lease.scheduledPostId,
      lease.holder,
      until,
      saved.channel_id,
      saved.state,
      saved.container_id,
      saved.attempted_at,
      saved.external_id,
      saved.permalink,
      saved.attempts,
      saved.next_attempt_at,
      saved.error,
      now,
    ],
  )
  if (rowCount !== 1) throw new LeaseLostError(lease)
  lease.until = until
  return saved
}

/** Lets go of a post that must wait; anybody may claim it from `nextAttemptAt` on. Throws LeaseLostError. */
export async function releasePost(database: Queryable, lease: Lease, nextAttemptAt: Date): Promise<void> {
  const { rowCount } = await database.query(
    `update scheduled_posts set leased_by = null, leased_until = null, next_attempt_at = $4
      where organization_id = $1 and scheduled_post_id = $2 and leased_by = $3`,
    [lease.organizationId, lease.scheduledPostId, lease.holder, nextAttemptAt],
  )
  if (rowCount !== 1) throw new LeaseLostError(lease)
}

/**
 * Ends a post none of whose channels is pending: PUBLISHED when it is out on each, else FAILED. Gives its status. Throws
 * LeaseLostError.
 */
export async function finishPost(
  database: Database,
  lease: Lease,
  publications: readonly PublicationRow[],
  now: Date,
): Promise<PostStatus> {
  const isPublished = publications.length > 0 && publications.every(({ state }) => state === 'PUBLISHED')
  const fromStatus = 'PUBLISHING'
  const status = nextStatus(isPublished ? 'finish' : 'finishWithFailure', fromStatus)
  const key = { organization_id: lease.organizationId, scheduled_post_id: lease.scheduledPostId }
  await database.transaction(async (tx) => {
    const actor = { type: 'publisher' } as const
    const isEnded = await endPost(tx, key, { holder: lease.holder, fromStatus, status, publications, actor, now })
    if (!isEnded) throw new LeaseLostError(lease)
  })
  return status
}

/**
 * Fails one SCHEDULED post whose time was before `lateBefore`, with that reason on every channel on which it is not out.
 * Gives it, or undefined when there is none.
 */
export async function expireLatePost(
  database: Database,
  { lateBefore, reason, now }: { lateBefore: Date; reason: string; now: Date },
): Promise<PostKey | undefined> {
  return await database.transaction(async (tx) => {
    const late = await lockOne(tx, `status = 'SCHEDULED' and scheduled_for < $3`, [[], [], lateBefore])
    if (late === undefined) return undefined
    await makePublications(tx, late, now)
    await tx.query(
      `update publications set state = 'FAILED', error = $3, updated_at = $4
        where organization_id = $1 and scheduled_post_id = $2 and state = 'PENDING'`,
      [late.organization_id, late.scheduled_post_id, reason, now],
    )
    const publications = await listPublications(tx, late.organization_id, late.scheduled_post_id)
    const status = nextStatus('expire', late.status)
    const actor = { type: 'publisher' } as const
    await endPost(tx, late, { holder: null, fromStatus: late.status, status, publications, actor, now })
    return late
  })
}

interface PostEnd {
  holder: string | null
  fromStatus: PostStatus
  status: PostStatus
  publications: readonly PublicationRow[]
  actor: Actor
  /** The operationId, where it is not the publisher's. */
  operation?: string
  now: Date
}

/** With failed_to_publish on the channels that failed, and on no other. False when `holder` does not hold the post. */
async function endPost(
  tx: Queryable,
  { organization_id, scheduled_post_id }: PostKey,
  { holder, fromStatus, status, publications, actor, operation, now }: PostEnd,
): Promise<boolean> {
  const key = [organization_id, scheduled_post_id]
  const isPublished = status === 'PUBLISHED'
  const { rows } = await tx.query<{ version: number }>(
    `update scheduled_posts
        set status = $4, task_id = null, leased_by = null, leased_until = null, next_attempt_at = null,
            published_at = $5, version = version + 1, updated_at = $6
      where organization_id = $1 and scheduled_post_id = $2 and leased_by is not distinct from $3
     returning version`,
    [...key, holder, status, isPublished ? now : null, now],
  )
  if (rows[0] === undefined) return false
  await tx.query(
    `update scheduled_post_channels x set failed_to_publish = (p.state = 'FAILED')
       from publications p
      where x.organization_id = $1 and x.scheduled_post_id = $2
        and p.organization_id = $1 and p.scheduled_post_id = $2 and p.channel_id = x.channel_id`,
    key,
  )
  await releaseHashtags(tx, organization_id, scheduled_post_id)
  await recordChange(tx, {
    post: { organization_id, scheduled_post_id, version: rows[0].version, status },
    fromStatus,
    actor,
    action: isPublished ? 'published' : 'failed',
    ...(operation === undefined ? {} : { operation }),
    detail: { channels: Object.fromEntries(publications.map((row) => [row.channel_id, toDetail(row)])) },
    at: now,
  })
  return true
}

const toDetail = ({ state, external_id, permalink, error }: PublicationRow): Record<string, unknown> => ({
  state,
  externalId: external_id ?? undefined,
  permalink: permalink ?? undefined,
  error: error ?? undefined,
})

/** A post that is to be published on a channel that is deleted. */
export interface BoundPostRow extends PostKey {
  status: PostStatus
}

/** Locks the posts that are SCHEDULED or PUBLISHING and not yet out, or failed, on the channel, in the order of their ids. */
export async function lockPostsBoundFor(
  tx: Queryable,
  organizationId: string,
  channelId: string,
): Promise<BoundPostRow[]> {
  const { rows } = await tx.query<BoundPostRow>(
    `select organization_id, scheduled_post_id, status
       from scheduled_posts p
      where organization_id = $1 and status in ('SCHEDULED', 'PUBLISHING')
        and exists (
              select from scheduled_post_channels x
               where x.organization_id = $1 and x.channel_id = $2 and x.scheduled_post_id = p.scheduled_post_id)
        and not exists (
              select from publications f
               where f.organization_id = $1 and f.channel_id = $2 and f.scheduled_post_id = p.scheduled_post_id
                 and f.state in ('PUBLISHED', 'FAILED'))
      order by scheduled_post_id for update`,
    [organizationId, channelId],
  )
  return rows
}

/** Why a channel of a post is lost: by whom, when, and the reason that people read. */
export interface Loss {
  channelId: string
  reason: string
  actor: Actor
  operation: string
  at: Date
}

/**
 * Fails a locked SCHEDULED post on one of its channels. On the others it goes out at its time; without another it ends here,
 * FAILED. Its approved content stays as it is.
 */
export async function failOnChannel(
  tx: Queryable,
  { organization_id, scheduled_post_id, status }: BoundPostRow,
  { channelId, reason, actor, operation, at }: Loss,
): Promise<void> {
  const key = [organization_id, scheduled_post_id]
  await tx.query(
    `insert into publications (organization_id, scheduled_post_id, channel_id, state, error, updated_at)
     values ($1, $2, $3, 'FAILED', $4, $5)
         on conflict (organization_id, scheduled_post_id, channel_id) do update
        set state = 'FAILED', error = excluded.error, next_attempt_at = null, updated_at = excluded.updated_at`,
    [...key, channelId, reason, at],
  )
  await tx.query(
    `update scheduled_post_channels set failed_to_publish = true
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...key, channelId],
  )
  const { channels } = await requireScheduledPost(tx, organization_id, scheduled_post_id)
  if (channels.every(({ failed_to_publish, published }) => failed_to_publish || published)) {
    const publications = await listPublications(tx, organization_id, scheduled_post_id)
    const ended = nextStatus('loseChannels', status)
    await endPost(
      tx,
      { organization_id, scheduled_post_id },
      { holder: null, fromStatus: status, status: ended, publications, actor, operation, now: at },
    )
    return
  }
  const { rows } = await tx.query<{ version: number }>(
    `update scheduled_posts set version = version + 1, updated_at = $3
      where organization_id = $1 and scheduled_post_id = $2 returning version`,
    [...key, at],
  )
  await recordChange(tx, {
    post: { organization_id, scheduled_post_id, version: rows[0]!.version, status },
    fromStatus: status,
    actor,
    operation,
    action: 'updated',
    detail: { channels: { [channelId]: { state: 'FAILED', error: reason } } },
    at,
  })
}

/** Ends the wait of a locked PUBLISHING post on one of its channels, so that the publisher looks at it next. */
export async function endWaitOnChannel(
  tx: Queryable,
  { organization_id, scheduled_post_id }: BoundPostRow,
  channelId: string,
): Promise<void> {
  const key = [organization_id, scheduled_post_id]
  await tx.query(
    `update publications set next_attempt_at = null
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...key, channelId],
  )
  await tx.query(
    'update scheduled_posts set next_attempt_at = null where organization_id = $1 and scheduled_post_id = $2',
    key,
  )
}

/** Whether what has this id on the channel is known as another post's. */
export async function isOfAnotherPost(
  database: Queryable,
  { organizationId, scheduledPostId }: Lease,
  channelId: string,
  externalId: string,
): Promise<boolean> {
  const { rows } = await database.query(
    `select from publications
      where organization_id = $1 and channel_id = $2 and external_id = $3 and scheduled_post_id <> $4 limit 1`,
    [organizationId, channelId, externalId, scheduledPostId],
  )
  return rows.length > 0
}

/** The time of the post that waits longest for its publication; undefined when none does. Cheap: a probe asks it. */
export async function findOldestDueAt(database: Queryable, now: Date): Promise<Date | undefined> {
  const { rows } = await database.query<{ scheduled_for: Date }>(
    `select organization_id, scheduled_for from scheduled_posts
      where status in ('SCHEDULED', 'PUBLISHING') and scheduled_for <= $1
      order by scheduled_for, organization_id limit 1`,
    [now],
  )
  return rows[0]?.scheduled_for
}

/** How many posts of all organizations are in each status. */
export async function countPostsByStatus(database: Queryable): Promise<Record<PostStatus, number>> {
  const { rows } = await database.query<{ status: PostStatus; posts: number }>(
    'select status, count(organization_id) as posts from scheduled_posts group by status',
  )
  const counts = new Map(rows.map(({ status, posts }) => [status, posts]))
  return Object.fromEntries(POST_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
    PostStatus,
    number
  >
}

const addMs = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms)
