import { isDeepStrictEqual } from 'node:util'
import type { ChannelRow } from '../channels/channels.store.js'
import { endWith, type Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { type Actor, idOfActor } from '../http/principal.js'
import type { HashtagConflict } from '../interface/errors.js'
import type { PostStatus } from '../interface/posts.js'
import type { Superpower } from '../interface/superpowers.js'
import { toExpiresAtMs } from '../superpowers/superpower-schema.js'
import { type PostChangeEntry, recordChange } from './history.store.js'
import { type Changes, continueRun, type HistoryRun, namesOf } from './history-run.js'
import { STATUS_RULES } from './lifecycle.js'

/** A post with its channels, those by channel id. */
export interface ScheduledPostRow {
  organization_id: string
  scheduled_post_id: string
  status: PostStatus
  media: string | null
  media_type: string | null
  scheduled_for: Date | null
  task_id: string | null
  notes: string | null
  /** Counts the changes. */
  version: number
  created_at: Date
  updated_at: Date
  /** The version that its approver saw; null for a post without approval, like the next three. */
  approved_version: number | null
  approved_at: Date | null
  approved_actor_type: Actor['type'] | null
  /** Null for an actor without an id as well. */
  approved_actor_id: string | null
  channels: PostChannelRow[]
}

type Approval = Pick<ScheduledPostRow, 'approved_version' | 'approved_at' | 'approved_actor_type' | 'approved_actor_id'>

export const NO_APPROVAL: Approval = {
  approved_version: null,
  approved_at: null,
  approved_actor_type: null,
  approved_actor_id: null,
}

/** The approval of the version that the actor has seen. */
export const approvalBy = (actor: Actor, version: number, at: Date): Approval => ({
  approved_version: version,
  approved_at: at,
  approved_actor_type: actor.type,
  approved_actor_id: idOfActor(actor),
})

export interface PostChannelRow extends ChannelRow {
  caption: string | null
  superpower: Superpower | null
  failed_to_publish: boolean
  /** It is out on this channel already, and stays what it is there. */
  published: boolean
  /** The channel was deleted. */
  deleted: boolean
}

/** Who changes a post, how, and when. */
export type ChangeNote = Pick<PostChangeEntry, 'actor' | 'action' | 'operation' | 'detail' | 'at'>

// One statement, so that a post and its channels are of one database snapshot.
const SELECT_POSTS = `
  select organization_id, scheduled_post_id, status, media, media_type, scheduled_for, task_id, notes, version,
         created_at, updated_at, approved_version, approved_at, approved_actor_type, approved_actor_id, coalesce((
           select json_agg(json_build_object(
                    'channel_id', c.channel_id, 'type', c.type, 'name', c.name,
                    'caption', x.caption, 'superpower', x.superpower, 'failed_to_publish', x.failed_to_publish,
                    'published', coalesce(p.state = 'PUBLISHED', false), 'deleted', c.deleted_at is not null)
                    order by c.channel_id collate "C")
             from scheduled_post_channels x
             join channels c using (organization_id, channel_id)
             left join publications p using (organization_id, scheduled_post_id, channel_id)
            where x.organization_id = scheduled_posts.organization_id
              and x.scheduled_post_id = scheduled_posts.scheduled_post_id), '[]') as channels
    from scheduled_posts`

/** Throws post_not_found, for another organization's post as well. */
export async function requireScheduledPost(
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<ScheduledPostRow> {
  const { rows } = await database.query<ScheduledPostRow>(
    `${SELECT_POSTS} where organization_id = $1 and scheduled_post_id = $2`,
    [organizationId, scheduledPostId],
  )
  if (rows[0] === undefined) throw new ApiError('post_not_found')
  return rows[0]
}

/** The posts of these keys, in any order: `organizationIds` and `scheduledPostIds` belong together by position. */
export async function listScheduledPostsByKey(
  tx: Queryable,
  organizationIds: readonly string[],
  scheduledPostIds: readonly string[],
): Promise<ScheduledPostRow[]> {
  const { rows } = await tx.query<ScheduledPostRow>(
    `${SELECT_POSTS} where (organization_id, scheduled_post_id) in (select * from unnest($1::text[], $2::text[]))`,
    [organizationIds, scheduledPostIds],
  )
  return rows
}

export interface PostFilter {
  status?: PostStatus
  channelId?: string
  /** ISO 8601 in UTC; included. */
  scheduledFrom?: string
  /** ISO 8601 in UTC; not included. Leaves out posts without a time. */
  scheduledBefore?: string
  /** The last post of the page before. */
  after: PostPosition | undefined
  offset: number
  /** Of the page, at most. */
  rows: number
  /** Of the page, at most; a single post may have more. */
  bytes: number
}

/** A post's place in the list: its list_time as text, and its id. */
export type PostPosition = readonly [listTime: string, scheduledPostId: string]

const START: PostPosition = ['-infinity', '']
/** Posts skipped by one statement: other requests are served between two. */
const SKIP_STEP = 5000

/**
 * Soonest scheduled_for first, those without one last, then by id. Empty only at the end; `next` is the last post's place
 * when there are more.
 */
export async function listScheduledPostRows(
  database: Queryable,
  organizationId: string,
  { after = START, offset, rows, bytes, ...filter }: PostFilter,
): Promise<{ posts: ScheduledPostRow[]; next: PostPosition | undefined }> {
  let start = after
  let left = offset
  for (; left > SKIP_STEP; left -= SKIP_STEP) {
    const { condition, values } = toCondition(filter, 5)
    const { rows: passed } = await database.query<{ list_time: string; scheduled_post_id: string }>(
      `select list_time::text as list_time, scheduled_post_id from scheduled_posts p
        where organization_id = $1 and ${AFTER_POSITION} ${condition}
        order by p.list_time, scheduled_post_id collate "C"
        limit 1 offset $4`,
      [organizationId, ...start, SKIP_STEP - 1, ...values],
    )
    if (passed[0] === undefined) return { posts: [], next: undefined }
    start = [passed[0].list_time, passed[0].scheduled_post_id]
  }
  const { condition, values } = toCondition(filter, 8)
  // Ids and sizes first: what is skipped, or does not fit, is not built.
  const { rows: found } = await database.query<ScheduledPostRow & { position_time: string; may_have_more: boolean }>(
    `with candidates as (
       select list_time, scheduled_post_id from scheduled_posts p
        where organization_id = $1 and ${AFTER_POSITION} ${condition}
        order by list_time, scheduled_post_id collate "C"
        limit $5 offset $4),
     sized as (
       select candidates.*, row_number() over list as place, count(*) over () as candidates,
              sum((select p.bytes from scheduled_posts p
                    where p.organization_id = $1 and p.scheduled_post_id = candidates.scheduled_post_id)
                  + coalesce((select sum(x.bytes) from scheduled_post_channels x
                               where x.organization_id = $1
                                 and x.scheduled_post_id = candidates.scheduled_post_id), 0)) over list as total
         from candidates
       window list as (order by list_time, scheduled_post_id collate "C")),
     page as (
       select scheduled_post_id, list_time, place, candidates > max(place) over () as may_have_more
         from sized
        where place = 1 or (place <= $6 and total <= $7))
     select posts.*, page.list_time::text as position_time, page.may_have_more
       from page join (${SELECT_POSTS} where organization_id = $1) posts using (scheduled_post_id)
      order by page.place`,
    [organizationId, ...start, left, rows + 1, rows, bytes, ...values],
  )
  const last = found.at(-1)
  return {
    posts: found.map(({ position_time: _, may_have_more: __, ...post }) => post),
    next: last?.may_have_more ? [last.position_time, last.scheduled_post_id] : undefined,
  }
}

const AFTER_POSITION = '(p.list_time, p.scheduled_post_id collate "C") > ($2::text::timestamptz, $3::text collate "C")'

/**
 * Only what is asked for stands in a statement: with `$n is null or …` the indexes would be of no use. `first` is the number
 * of its first parameter.
 */
function toCondition(
  { status, channelId, scheduledFrom, scheduledBefore }: Omit<PostFilter, 'after' | 'offset' | 'rows' | 'bytes'>,
  first: number,
) {
  const values: string[] = []
  const parameter = (value: string): string => `$${first - 1 + values.push(value)}`
  const conditions = [
    ...(status === undefined ? [] : [`and p.status = ${parameter(status)}`]),
    ...(scheduledFrom === undefined ? [] : [`and p.list_time >= ${parameter(scheduledFrom)}::text::timestamptz`]),
    ...(scheduledBefore === undefined ? [] : [`and p.list_time < ${parameter(scheduledBefore)}::text::timestamptz`]),
    ...(channelId === undefined
      ? []
      : [
          `and exists (select from scheduled_post_channels x
                    where x.organization_id = $1 and x.scheduled_post_id = p.scheduled_post_id
                      and x.channel_id = ${parameter(channelId)})`,
        ]),
  ]
  return { condition: conditions.join(' '), values }
}

/** A post that the transaction holds. */
export interface LockedPostRow extends ScheduledPostRow {
  history_run: HistoryRun | null
}

/** As requireScheduledPost, and locks the post until the transaction ends. */
export async function lockScheduledPost(
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<LockedPostRow> {
  // Two statements: after waiting for the lock, this one would still see the channels of before the wait. Sent together,
  // they are carried out in this order.
  const [{ rows }, post] = await Promise.all([
    tx.query<Pick<LockedPostRow, 'history_run'>>(
      'select history_run from scheduled_posts where organization_id = $1 and scheduled_post_id = $2 for update',
      [organizationId, scheduledPostId],
    ),
    requireScheduledPost(tx, organizationId, scheduledPostId),
  ])
  return { ...post, history_run: rows[0]?.history_run ?? null }
}

/**
 * Writes a locked post with its channels, claims and history, as its next version, and returns that. It must not be
 * PUBLISHING. Throws hashtag_conflict with every conflict there is; the transaction must then be rolled back.
 */
export async function saveScheduledPost(
  tx: Queryable,
  before: LockedPostRow,
  after: ScheduledPostRow,
  note: ChangeNote,
): Promise<ScheduledPostRow> {
  const saved = { ...after, version: before.version + 1, updated_at: note.at }
  const { run, hasEntry } = continueHistory(before, saved, note)
  // Locked, a channel cannot be deleted before the deletion sees that the post is scheduled.
  if (saved.status === 'SCHEDULED' && before.status !== 'SCHEDULED') await lockLiveChannels(tx, saved)
  const update = tx.query(
    `update scheduled_posts
        set status = $3, media = $4, media_type = $5, scheduled_for = $6, task_id = $7, notes = $8, version = $9,
            updated_at = $10, approved_version = $11, approved_at = $12, approved_actor_type = $13,
            approved_actor_id = $14, history_run = $15, leased_by = null, leased_until = null, next_attempt_at = null
      where organization_id = $1 and scheduled_post_id = $2`,
    [
      saved.organization_id,
      saved.scheduled_post_id,
      saved.status,
      saved.media,
      saved.media_type,
      saved.scheduled_for,
      saved.task_id,
      saved.notes,
      saved.version,
      saved.updated_at,
      saved.approved_version,
      saved.approved_at,
      saved.approved_actor_type,
      saved.approved_actor_id,
      run && JSON.stringify(run),
    ],
  )
  const held = STATUS_RULES[before.status].holdsHashtags
  const isChannelChange =
    held !== STATUS_RULES[saved.status].holdsHashtags || !isDeepStrictEqual(before.channels, saved.channels)
  const record = (): Promise<void> | undefined =>
    hasEntry ? recordChange(tx, { ...note, post: saved, fromStatus: before.status }) : undefined
  // New channels, and the events of a new status, take further statements, which must be waited for. Otherwise these statements are the
  // last ones, and the commit is sent along with them.
  if (isChannelChange || saved.status !== before.status) {
    await Promise.all([update, isChannelChange && replaceChannels(tx, saved, note.at, before), record()])
  } else {
    await endWith(tx, [update, record()])
  }
  return saved
}

/** What the post keeps of its history, and whether the change has an entry there. Only updates are left out, in a loop. */
function continueHistory(
  before: LockedPostRow,
  saved: ScheduledPostRow,
  { actor, action, detail, at }: ChangeNote,
): { run: HistoryRun | null; hasEntry: boolean } {
  if (action !== 'updated' || !Array.isArray(detail?.changed)) return { run: null, hasEntry: true }
  return continueRun(before.history_run, {
    version: before.version,
    caller: 'id' in actor ? `${actor.type}:${actor.id}` : actor.type,
    fields: namesOf(detail as Changes),
    at: at.getTime(),
    changesStatus: saved.status !== before.status,
  })
}

/** Deletes a locked post with its channels, claims and publications. Its history stays. */
export async function deleteScheduledPostRow(
  tx: Queryable,
  post: ScheduledPostRow,
  note: Omit<ChangeNote, 'action'>,
): Promise<void> {
  await lockChannels(tx, post, [])
  await tx.query('delete from scheduled_posts where organization_id = $1 and scheduled_post_id = $2', [
    post.organization_id,
    post.scheduled_post_id,
  ])
  const gone = { ...post, version: post.version + 1, status: null }
  await recordChange(tx, { ...note, action: 'deleted', post: gone, fromStatus: post.status })
}

/**
 * Makes a post, in a transaction, as its first version: with its hashtags claimed and its history begun. Throws
 * hashtag_conflict as saveScheduledPost does.
 */
export async function insertScheduledPostRow(tx: Queryable, post: PostToInsert, actor: Actor): Promise<void> {
  await tx.query(
    `insert into scheduled_posts (organization_id, scheduled_post_id, status, media, media_type, scheduled_for, task_id,
                                  notes, version, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      post.organization_id,
      post.scheduled_post_id,
      post.status,
      post.media,
      post.media_type,
      post.scheduled_for,
      post.task_id,
      post.notes,
      post.version,
      post.created_at,
      post.updated_at,
    ],
  )
  await replaceChannels(tx, post, post.created_at)
  await recordChange(tx, { post, fromStatus: null, actor, action: 'created', at: post.created_at })
}

/** Whether a post with these media waits for approval, is scheduled, or is being published. */
export async function isMediaAwaited(tx: Queryable, organizationId: string, media: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select from scheduled_posts
      where organization_id = $1 and status in ('WAITING_FOR_APPROVAL', 'SCHEDULED', 'PUBLISHING') and media = $2
      limit 1`,
    [organizationId, media],
  )
  return rows.length > 0
}

/** Deletes at most `limit` posts of the organization in any status, with all that they have. Their history stays. */
export async function deletePostsOfOrganization(
  tx: Queryable,
  organizationId: string,
  limit: number,
): Promise<{ deleted: number }> {
  const { rows } = await tx.query<{ scheduled_post_id: string }>(
    'select scheduled_post_id from scheduled_posts where organization_id = $1 order by scheduled_post_id limit $2',
    [organizationId, limit],
  )
  await tx.query('delete from scheduled_posts where organization_id = $1 and scheduled_post_id <= $2', [
    organizationId,
    rows.at(-1)?.scheduled_post_id ?? '',
  ])
  return { deleted: rows.length }
}

/** Frees the hashtags that the post has claimed on its channels. */
export async function releaseHashtags(tx: Queryable, organizationId: string, scheduledPostId: string): Promise<void> {
  await tx.query('delete from hashtag_claims where organization_id = $1 and scheduled_post_id = $2', [
    organizationId,
    scheduledPostId,
  ])
}

/** Resets what failed to its first step; what is published stays so, and what failed with the deletion of its channel. */
export async function resetFailedPublications(tx: Queryable, post: ScheduledPostRow): Promise<void> {
  await tx.query(
    `update publications
        set state = 'PENDING', container_id = null, attempted_at = null, platform_attempted_at = null, text_digest = null,
            external_id = null, permalink = null, attempts = 0, error = null
      where organization_id = $1 and scheduled_post_id = $2 and state = 'FAILED'
        and not exists (
              select from channels c
               where c.organization_id = $1 and c.channel_id = publications.channel_id and c.deleted_at is not null)`,
    [post.organization_id, post.scheduled_post_id],
  )
}

type StoredChannel = Omit<PostChannelRow, 'type' | 'name' | 'deleted'>
type PostToInsert = Omit<ScheduledPostRow, 'channels'> & { channels: StoredChannel[] }

interface PostWithChannels extends Pick<ScheduledPostRow, 'organization_id' | 'scheduled_post_id' | 'status'> {
  channels: StoredChannel[]
}

/**
 * Locks the channels of the post and the given ones, always in one order: claims of several posts then wait for each
 * other, never in a circle. The weakest lock that excludes itself, so that what only refers to a channel does not wait.
 */
async function lockChannels(
  tx: Queryable,
  { organization_id, scheduled_post_id }: Pick<ScheduledPostRow, 'organization_id' | 'scheduled_post_id'>,
  channelIds: readonly string[],
): Promise<{ channel_id: string; deleted: boolean }[]> {
  const { rows } = await tx.query<{ channel_id: string; deleted: boolean }>(
    `select channel_id, deleted_at is not null as deleted from channels
      where organization_id = $1 and channel_id in (
              select unnest($3::text[])
               union
              select channel_id from scheduled_post_channels where organization_id = $1 and scheduled_post_id = $2)
      order by channel_id for no key update`,
    [organization_id, scheduled_post_id, channelIds],
  )
  return rows
}

/** The same of the channels on which the post is to be published. Throws channel_unknown for one that was deleted. */
async function lockLiveChannels(tx: Queryable, post: ScheduledPostRow): Promise<void> {
  const wanted = post.channels.flatMap((row) => (row.published || row.failed_to_publish ? [] : [row.channel_id]))
  const locked = await lockChannels(tx, post, wanted)
  const deleted = locked.find((row) => row.deleted && wanted.includes(row.channel_id))
  if (deleted === undefined) return
  throw new ApiError('channel_unknown', { message: `The channel ${deleted.channel_id} has been deleted.` })
}

/**
 * Writes the channels of a post and claims their hashtags, in a transaction. `before`: the post as it is stored and locked, unless
 * it is new. Throws hashtag_conflict.
 */
export async function replaceChannels(
  tx: Queryable,
  post: PostWithChannels,
  now: Date,
  before?: PostWithChannels,
): Promise<void> {
  // As in most changes: of a caption. No channel comes or goes, and nothing is claimed.
  if (before !== undefined && hasSameChannels(before, post) && !hasHashtag(before) && !hasHashtag(post)) {
    await upsertChannels(tx, post)
    return
  }
  const key = [post.organization_id, post.scheduled_post_id]
  const channelIds = post.channels.map(({ channel_id }) => channel_id)
  await lockChannels(tx, post, channelIds)
  // Takes the claims on these channels with it.
  await tx.query(
    `delete from scheduled_post_channels
      where organization_id = $1 and scheduled_post_id = $2 and channel_id <> all($3::text[])`,
    [...key, channelIds],
  )
  await upsertChannels(tx, post)
  await replaceClaims(tx, post, now.getTime())
}

const hasSameChannels = ({ channels: a }: PostWithChannels, { channels: b }: PostWithChannels): boolean =>
  a.length === b.length && a.every(({ channel_id }) => b.some((other) => other.channel_id === channel_id))

/** Without one on any channel the post has no claims. */
const hasHashtag = ({ channels }: PostWithChannels): boolean =>
  channels.some(({ superpower }) => superpower?.lookupHashtag !== undefined)

async function upsertChannels(tx: Queryable, post: PostWithChannels): Promise<void> {
  await tx.query(
    `insert into scheduled_post_channels
            (organization_id, scheduled_post_id, channel_id, caption, superpower, failed_to_publish)
     select $1, $2, channel_id, caption, superpower, failed_to_publish
       from json_to_recordset($3::json)
            as c (channel_id text, caption text, superpower json, failed_to_publish boolean)
         on conflict (organization_id, scheduled_post_id, channel_id) do update
        set caption = excluded.caption, superpower = excluded.superpower,
            failed_to_publish = excluded.failed_to_publish`,
    [post.organization_id, post.scheduled_post_id, JSON.stringify(post.channels)],
  )
}

async function replaceClaims(tx: Queryable, post: PostWithChannels, nowMs: number): Promise<void> {
  const key = [post.organization_id, post.scheduled_post_id]
  await releaseHashtags(tx, post.organization_id, post.scheduled_post_id)
  const wanted = listClaims(post, nowMs)
  if (wanted.length === 0) return
  const { rows } = await tx.query<{ channel_id: string }>(
    `insert into hashtag_claims (organization_id, scheduled_post_id, channel_id, lookup_hashtag, expires_at_ms)
     select $1, $2, channel_id, lookup_hashtag, expires_at_ms
       from json_to_recordset($3::json) as c (channel_id text, lookup_hashtag text, expires_at_ms bigint)
         on conflict (organization_id, channel_id, lookup_hashtag) do update
        set scheduled_post_id = excluded.scheduled_post_id, expires_at_ms = excluded.expires_at_ms
      where hashtag_claims.expires_at_ms <= $4
     returning channel_id`,
    [...key, JSON.stringify(wanted), nowMs],
  )
  const claimed = new Set(rows.map(({ channel_id }) => channel_id))
  const conflicts = wanted
    .filter(({ channel_id }) => !claimed.has(channel_id))
    .map(({ channel_id, hashtag }): HashtagConflict => ({ mediumId: channel_id, hashtag, reason: 'already-in-use' }))
  if (conflicts.length > 0) throw new ApiError('hashtag_conflict', { conflicts })
}

interface Claim {
  channel_id: string
  lookup_hashtag: string
  /** As the caller wrote it. */
  hashtag: string
  expires_at_ms: number | null
}

/**
 * The hashtags that the post has in use at this moment. An expired superpower leaves its own to others, and so does a
 * channel on which the post is out already.
 */
function listClaims({ status, channels }: PostWithChannels, nowMs: number): Claim[] {
  if (!STATUS_RULES[status].holdsHashtags) return []
  return channels.flatMap(({ channel_id, superpower, published }) => {
    const { hashtag, lookupHashtag } = superpower ?? {}
    if (published || hashtag === undefined || lookupHashtag === undefined) return []
    const expiresAtMs = toExpiresAtMs(superpower ?? {})
    if (expiresAtMs !== null && expiresAtMs <= nowMs) return []
    return [{ channel_id, lookup_hashtag: lookupHashtag, hashtag, expires_at_ms: expiresAtMs }]
  })
}
