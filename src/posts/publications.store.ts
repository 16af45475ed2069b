import type { Database, Queryable } from '../database/database.js'
import type { Actor } from '../http/principal.js'
import { POST_STATUSES, type PostStatus } from '../interface/post-status.js'
import { newId } from '../lib/ids.js'
import { recordChange, updatedAt } from './history.store.js'
import { nextStatus } from './lifecycle.js'
import {
  listScheduledPostsByKey,
  releaseHashtags,
  requireScheduledPost,
  type ScheduledPostRow,
} from './scheduled-posts.store.js'

/** How far a post has come on one of its channels. */
export interface PublicationRow {
  channel_id: string
  state: 'PENDING' | 'PUBLISHED' | 'FAILED'
  /** What was made before publishing: an Instagram container, an unpublished photo. */
  container_id: string | null
  /** Set before the one call that publishes. Without external_id that call may have gone through. */
  attempted_at: Date | null
  /** The same instant by the platform's clock; null where that was not known. */
  platform_attempted_at: Date | null
  /** Of the text by which it is searched for after that call; set with attempted_at. */
  text_digest: string | null
  external_id: string | null
  permalink: string | null
  /** How often it was put off; once attempted_at is set, how often it was searched for in vain. */
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
  publisherId: string
  /** The publisher's id, a slash, and an id of this claim. Every write names it. */
  holder: string
  durationMs: number
  /** When another publisher may take the post over; each write moves it. */
  until: Date
}

/** Another publisher has taken the post over: the caller stops at once and writes nothing more. */
export class LeaseLostError extends Error {
  constructor({ scheduledPostId, holder }: Lease) {
    super(`the lease ${holder} of ${scheduledPostId} is lost`)
    this.name = 'LeaseLostError'
  }
}

/** A change of a publication is not stored, because another post on the channel has that `external_id` or open call. */
export class PublicationConflictError extends Error {
  constructor(
    readonly conflict: 'external_id' | 'open_call',
    cause: unknown,
  ) {
    super(`another post on the channel has this ${conflict}`, { cause })
    this.name = 'PublicationConflictError'
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

export interface ClaimRequest {
  /** Of the publisher: its leases end with it. */
  publisherId: string
  now: Date
  leaseMs: number
  /** How many posts at most. */
  limit: number
  /** Ids of posts that are not taken: those that the caller works on. */
  except: readonly string[]
  /** How many posts of a channel the caller works on; with the claimed ones not more than `channelPostsMax`. */
  channelPosts: ReadonlyMap<string, number>
  channelPostsMax: number
  /** A post whose time was before this is no longer published. */
  lateBefore: Date
  /** Only posts behind this one are read; from the first when left out. */
  after?: DuePosition | undefined
}

/** A place in the order of the claim: PUBLISHING, then SCHEDULED, each by its time. */
export interface DuePosition {
  status: 'PUBLISHING' | 'SCHEDULED'
  /** As text, to the microsecond. */
  scheduled_for: string
  organization_id: string
  scheduled_post_id: string
}

const COLUMNS = `channel_id, state, container_id, attempted_at, platform_attempted_at, text_digest, external_id, permalink,
  attempts, next_attempt_at, error`

/**
 * How many posts one claim reads. Posts that it may not take, because their channel is busy or their organization
 * inactive, make a claim long: 500 take 2 ms, 10,000 took 24.
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
 * Takes posts that are due: those whose holder has released them or died, then the oldest SCHEDULED ones. `next` is
 * where the following claim goes on; undefined when all that is due was read. There is no lower bound: however late, no
 * post is passed over. Posts of an inactive organization are left, until it is too late to publish them: then taking one
 * ends it.
 *
 * Time is the caller's: the clocks of several publishers must agree to within a lease. Where they do not, posts are taken
 * over needlessly, but what is written stays right: every write is fenced.
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

/** Locks posts of both statuses, `limit` at most. */
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

// Along the index scheduled_posts_due. $1 to $3 are the position, $4 is now.
const READ = {
  PUBLISHING: `p.status = 'PUBLISHING'
                and (p.scheduled_for, p.organization_id, p.scheduled_post_id) > ($1::timestamptz, $2::text, $3::text)`,
  SCHEDULED: `p.status = 'SCHEDULED' and p.scheduled_for <= $4
                and (p.scheduled_for, p.organization_id, p.scheduled_post_id) > ($1::timestamptz, $2::text, $3::text)`,
}
const READ_ORDER = 'p.scheduled_for, p.organization_id, p.scheduled_post_id'
const positionValues = (after: DuePosition): string[] => [
  after.scheduled_for,
  after.organization_id,
  after.scheduled_post_id,
]

const IS_ACTIVE = '(select active from organizations o where o.organization_id = post.organization_id)'
// Asked again of the locked row, which may have changed since it was read. In a case, so that no index is searched by it.
const MAY_CLAIM = {
  PUBLISHING: `case when post.status = 'PUBLISHING' then
                      (leased_until > $4 and leased_until <= $8) is not true
                  and (next_attempt_at > $4 and next_attempt_at <= $9) is not true
                  and (post.scheduled_for < $10 or ${IS_ACTIVE}) end`,
  SCHEDULED: `case when post.status = 'SCHEDULED' then post.scheduled_for <= $4 and ${IS_ACTIVE} end`,
}

/** Of the first CLAIM_READS_MAX posts behind `after` with its status those that may be claimed; locked. */
async function lockDue(tx: Queryable, request: ClaimRequest, after: DuePosition, limit: number): Promise<DueRow[]> {
  const { now, leaseMs, except, channelPosts, channelPostsMax, lateBefore } = request
  const busyChannelIds = [...channelPosts].filter(([, posts]) => posts >= channelPostsMax).map(([id]) => id)
  // The channels and the organization are read by subqueries, because those are never joined: a join of the whole table
  // was planned where a list was empty, and took 170 ms at a million posts.
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

/** The last of the posts that lockDue reads; undefined when there are no more behind them. */
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

/** The first ones, as far as each of their channels has room. */
function withinChannelLimits(due: readonly DueRow[], { channelPosts, channelPostsMax }: ClaimRequest): DueRow[] {
  const counts = new Map(channelPosts)
  return due.filter(({ channel_ids: ids }) => {
    if (ids.some((id) => (counts.get(id) ?? 0) >= channelPostsMax)) return false
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
    return true
  })
}

/** Gives each of these locked posts a lease of its own. */
async function leasePosts(tx: Queryable, due: DueRow[], { publisherId, now, leaseMs }: ClaimRequest): Promise<Claim[]> {
  if (due.length === 0) return []
  const leased = due.map((row) => {
    const status = nextStatus('claim', row.status)
    // Going on after a wait changes nothing of the post.
    return {
      ...row,
      holder: `${publisherId}/${newId('claim')}`,
      isChange: row.status !== status || row.leased_by !== null,
    }
  })
  const until = addMs(now, leaseMs)
  const keys = keysOf(leased)
  const [, , posts, publications] = await Promise.all([
    tx.query(
      `update scheduled_posts p
          set status = 'PUBLISHING', leased_by = holder, leased_until = $5, next_attempt_at = null,
              version = case when is_change then version + 1 else version end,
              updated_at = case when is_change then ${updatedAt('$6')} else updated_at end
         from unnest($1::text[], $2::text[], $3::text[], $4::boolean[])
              as claimed (organization_id, scheduled_post_id, holder, is_change)
        where p.organization_id = claimed.organization_id and p.scheduled_post_id = claimed.scheduled_post_id`,
      [...keys, leased.map(({ holder }) => holder), leased.map(({ isChange }) => isChange), until, now],
    ),
    makePublications(tx, leased),
    listScheduledPostsByKey(tx, ...keys),
    listPublicationsByKey(tx, leased),
  ])
  const postByKey = new Map(posts.map((post) => [keyText(post), post]))
  return await Promise.all(
    leased.map(async (row) => {
      const post = postByKey.get(keyText(row))!
      if (row.isChange) {
        const detail =
          row.leased_by === null ? undefined : { reason: 'The publisher before did not finish it in time.' }
        await recordChange(tx, {
          post,
          fromStatus: row.status,
          actor: { type: 'publisher' },
          action: 'claimed',
          detail,
          at: post.updated_at,
        })
      }
      return {
        lease: {
          organizationId: row.organization_id,
          scheduledPostId: row.scheduled_post_id,
          publisherId,
          holder: row.holder,
          durationMs: leaseMs,
          until,
        },
        post,
        publications: publications.get(keyText(row)) ?? [],
      }
    }),
  )
}

type PostKey = Pick<ScheduledPostRow, 'organization_id' | 'scheduled_post_id'>

const keysOf = (posts: readonly PostKey[]): [string[], string[]] => [
  posts.map(({ organization_id }) => organization_id),
  posts.map(({ scheduled_post_id }) => scheduled_post_id),
]

const keyText = ({ organization_id, scheduled_post_id }: PostKey): string => `${organization_id} ${scheduled_post_id}`

/** What posts that are published for the first time, or have gained a channel since, lack. */
async function makePublications(tx: Queryable, posts: readonly PostKey[]): Promise<void> {
  await tx.query(
    `insert into publications (organization_id, scheduled_post_id, channel_id, state)
     select organization_id, scheduled_post_id, channel_id, 'PENDING'
       from scheduled_post_channels
      where (organization_id, scheduled_post_id) in (select * from unnest($1::text[], $2::text[]))
         on conflict do nothing`,
    keysOf(posts),
  )
}

/** Of the channels that the post has now, by channel id. */
export async function listPublications(
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<PublicationRow[]> {
  const key = { organization_id: organizationId, scheduled_post_id: scheduledPostId }
  return (await listPublicationsByKey(database, [key])).get(keyText(key)) ?? []
}

/** The same of several posts, by keyText. */
async function listPublicationsByKey(
  database: Queryable,
  posts: readonly PostKey[],
): Promise<Map<string, PublicationRow[]>> {
  const { rows } = await database.query<PublicationRow & PostKey>(
    `select organization_id, scheduled_post_id, ${COLUMNS}
       from publications join scheduled_post_channels using (organization_id, scheduled_post_id, channel_id)
      where (organization_id, scheduled_post_id) in (select * from unnest($1::text[], $2::text[]))
      order by channel_id collate "C"`,
    keysOf(posts),
  )
  const lists = new Map<string, PublicationRow[]>()
  for (const { organization_id, scheduled_post_id, ...row } of rows) {
    const key = keyText({ organization_id, scheduled_post_id })
    lists.set(key, [...(lists.get(key) ?? []), row])
  }
  return lists
}

/**
 * Stores what a step has changed, renews the lease, and gives the row as it is then. Throws LeaseLostError, or
 * PublicationConflictError.
 *
 * The post's row is locked before its publication is written. A publisher that takes the post over locks it first too: it
 * comes after this write and sees it, or before it, and this write does not happen.
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
  const { rowCount } = await database
    .query(
      `with held as (
       update scheduled_posts set leased_until = $4
        where organization_id = $1 and scheduled_post_id = $2 and leased_by = $3
       returning organization_id, scheduled_post_id)
     update publications p
        set state = $6, container_id = $7, attempted_at = $8, platform_attempted_at = $9, text_digest = $10,
            external_id = $11, permalink = $12, attempts = $13, next_attempt_at = $14, error = $15
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
        saved.platform_attempted_at,
        saved.text_digest,
        saved.external_id,
        saved.permalink,
        saved.attempts,
        saved.next_attempt_at,
        saved.error,
      ],
    )
    .catch((error) => {
      throw toConflict(error)
    })
  if (rowCount !== 1) throw new LeaseLostError(lease)
  lease.until = until
  return saved
}

const CONFLICTS: Readonly<Record<string, PublicationConflictError['conflict']>> = {
  publications_external_id: 'external_id',
  publications_open_call: 'open_call',
}

function toConflict(error: unknown): unknown {
  const { constraint } = error as { constraint?: string }
  const conflict = CONFLICTS[constraint ?? '']
  return conflict === undefined ? error : new PublicationConflictError(conflict, error)
}

/** Releases a post that must wait; any publisher may claim it from `nextAttemptAt` on. Throws LeaseLostError. */
export async function releasePost(database: Queryable, lease: Lease, nextAttemptAt: Date): Promise<void> {
  const { rowCount } = await database.query(
    `update scheduled_posts set leased_by = null, leased_until = null, next_attempt_at = $4
      where organization_id = $1 and scheduled_post_id = $2 and leased_by = $3`,
    [lease.organizationId, lease.scheduledPostId, lease.holder, nextAttemptAt],
  )
  if (rowCount !== 1) throw new LeaseLostError(lease)
}

/**
 * Ends every lease of a publisher, or of all of them: any other may claim the posts at once. What a holder writes that is not
 * dead after all is still fenced by its claim.
 */
export async function endLeasesOf(tx: Queryable, publisherId?: string): Promise<void> {
  await tx.query(
    `update scheduled_posts p set leased_until = null
       from (select organization_id, scheduled_post_id from scheduled_posts
              where status = 'PUBLISHING' and leased_by is not null
                and ($1::text is null or starts_with(leased_by, $1 || '/'))
              order by organization_id, scheduled_post_id
                for update) held
      where p.organization_id = held.organization_id and p.scheduled_post_id = held.scheduled_post_id`,
    [publisherId ?? null],
  )
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

export interface LatePost extends PostKey {
  /** Of the organization. */
  active: boolean
}

/**
 * Fails the oldest SCHEDULED posts whose time was before `lateBefore`, `limit` at most, with a reason on every channel on
 * which they are not out. Gives them; fewer than `limit` are the last.
 */
export async function expireLatePosts(
  database: Database,
  late: { lateBefore: Date; limit: number; reasonOf(post: LatePost): string; now: Date },
): Promise<LatePost[]> {
  const { lateBefore, limit, reasonOf, now } = late
  return await database.transaction(async (tx) => {
    const { rows } = await tx.query<LatePost>(
      `select organization_id, scheduled_post_id,
              (select active from organizations o where o.organization_id = p.organization_id) as active
         from scheduled_posts p
        where status = 'SCHEDULED' and scheduled_for < $1
        order by ${READ_ORDER}
        limit $2
          for update skip locked`,
      [lateBefore, limit],
    )
    await makePublications(tx, rows)
    await tx.query(
      `update publications p set state = 'FAILED', error = reason
         from unnest($1::text[], $2::text[], $3::text[]) as late (organization_id, scheduled_post_id, reason)
        where p.organization_id = late.organization_id and p.scheduled_post_id = late.scheduled_post_id
          and p.state = 'PENDING'`,
      [...keysOf(rows), rows.map(reasonOf)],
    )
    const publications = await listPublicationsByKey(tx, rows)
    const fromStatus = 'SCHEDULED'
    const status = nextStatus('expire', fromStatus)
    const actor = { type: 'publisher' } as const
    for (const row of rows) {
      const own = publications.get(keyText(row)) ?? []
      await endPost(tx, row, { holder: null, fromStatus, status, publications: own, actor, now })
    }
    return rows
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
  const { rows } = await tx.query<{ version: number; updated_at: Date }>(
    `update scheduled_posts p
        set status = $4, task_id = null, leased_by = null, leased_until = null, next_attempt_at = null,
            version = version + 1, updated_at = ${updatedAt('$5')}
      where organization_id = $1 and scheduled_post_id = $2 and leased_by is not distinct from $3
     returning version, updated_at`,
    [...key, holder, status, now],
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
    action: status === 'PUBLISHED' ? 'published' : 'failed',
    ...(operation === undefined ? {} : { operation }),
    detail: { channels: Object.fromEntries(publications.map((row) => [row.channel_id, toDetail(row)])) },
    at: rows[0].updated_at,
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
    `insert into publications (organization_id, scheduled_post_id, channel_id, state, error)
     values ($1, $2, $3, 'FAILED', $4)
         on conflict (organization_id, scheduled_post_id, channel_id) do update
        set state = 'FAILED', error = excluded.error, next_attempt_at = null`,
    [...key, channelId, reason],
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
  const { rows } = await tx.query<{ version: number; updated_at: Date }>(
    `update scheduled_posts p set version = version + 1, updated_at = ${updatedAt('$3')}
      where organization_id = $1 and scheduled_post_id = $2 returning version, updated_at`,
    [...key, at],
  )
  await recordChange(tx, {
    post: { organization_id, scheduled_post_id, version: rows[0]!.version, status },
    fromStatus: status,
    actor,
    operation,
    action: 'updated',
    detail: { channels: { [channelId]: { state: 'FAILED', error: reason } } },
    at: rows[0]!.updated_at,
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

/** What is known of the items that a search has found on a channel. */
export interface FoundItems {
  /** Those of the ids that are another post's. */
  takenIds: Set<string>
  /** Another call for this text was made since then whose id is not known: the items may be its. */
  isContested: boolean
}

/** Asks of items on the row's channel, by their ids there, whether they belong to other posts. */
export async function checkFoundItems(
  database: Queryable,
  { organizationId, scheduledPostId }: Lease,
  { channel_id, text_digest }: PublicationRow,
  { ids, since }: { ids: readonly string[]; since: Date },
): Promise<FoundItems> {
  const { rows } = await database.query<{ external_id: string | null }>(
    `select external_id from publications
      where organization_id = $1 and channel_id = $2 and scheduled_post_id <> $3 and external_id = any($4::text[])
      union all
     select external_id from publications
      where organization_id = $1 and channel_id = $2 and scheduled_post_id <> $3 and external_id is null
        and text_digest = $5 and attempted_at >= $6`,
    [organizationId, channel_id, scheduledPostId, ids, text_digest, since],
  )
  const takenIds = new Set(rows.flatMap(({ external_id }) => external_id ?? []))
  return { takenIds, isContested: rows.some(({ external_id }) => external_id === null) }
}

/**
 * The time of the post that waits longest for its publication; undefined when none does. Those of inactive organizations
 * do not count: they are passed over along the index, and fail when they are too late.
 */
export async function findOldestDueAt(database: Queryable, now: Date): Promise<Date | undefined> {
  const oldest = (status: DuePosition['status']): string =>
    `(select organization_id, scheduled_for from scheduled_posts p
       where p.status = '${status}' and p.scheduled_for <= $1
         and p.organization_id not in (select o.organization_id from organizations o where not o.active)
       order by ${READ_ORDER}
       limit 1)`
  const { rows } = await database.query<{ scheduled_for: Date }>(
    `${oldest('PUBLISHING')} union all ${oldest('SCHEDULED')} order by scheduled_for limit 1`,
    [now],
  )
  return rows[0]?.scheduled_for
}

/** How many posts of all organizations are in each status, as the triggers of migrations/0019 count them. */
export async function countPostsByStatus(database: Queryable): Promise<Record<PostStatus, number>> {
  const sums = POST_STATUSES.map((status) => `sum(${status.toLowerCase()})::bigint as "${status}"`).join(', ')
  const { rows } = await database.query<Record<PostStatus, number>>(`select ${sums} from post_counts`)
  return rows[0]!
}

const addMs = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms)
