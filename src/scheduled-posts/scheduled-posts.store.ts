import type { Queryable } from '../database/database.js'
import { ApiError, type HashtagConflict } from '../errors.js'
import { newId } from '../lib/ids.js'
import type { ChannelRow } from '../workspaces/workspaces.store.js'
import { type PostStatus, STATUS_RULES } from './lifecycle.js'
import { completeSuperpower, type Superpower } from './superpower-schema.js'

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
  channels: PostChannelRow[]
}

export interface PostChannelRow extends ChannelRow {
  caption: string | null
  superpower: Superpower | null
  failed_to_publish: boolean
}

export interface NewScheduledPost {
  scheduledPostId: string
  status: PostStatus
  media?: string
  mediaType?: 'IMAGE' | 'VIDEO'
  scheduledFor?: Date
  notes?: string
  channels?: { channelId: string; caption?: string; superpower?: Superpower; failedToPublish?: boolean }[]
  createdAt: Date
}

/** Throws post_not_found, for another organization's post as well. */
export async function requireScheduledPost(
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<ScheduledPostRow> {
  // One statement, so that the post and its channels are of one moment.
  const { rows } = await database.query<ScheduledPostRow>(
    `select organization_id, scheduled_post_id, status, media, media_type, scheduled_for, task_id, notes, version,
            created_at, updated_at, coalesce((
              select json_agg(json_build_object(
                       'channel_id', c.channel_id, 'type', c.type, 'name', c.name,
                       'caption', x.caption, 'superpower', x.superpower, 'failed_to_publish', x.failed_to_publish)
                       order by c.channel_id collate "C")
                from scheduled_post_channels x join channels c using (organization_id, channel_id)
               where x.organization_id = $1 and x.scheduled_post_id = $2), '[]') as channels
       from scheduled_posts where organization_id = $1 and scheduled_post_id = $2`,
    [organizationId, scheduledPostId],
  )
  if (rows[0] === undefined) throw new ApiError('post_not_found')
  return rows[0]
}

/** The same, in a transaction, until whose end nobody else changes the post. */
export async function lockScheduledPost(
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<ScheduledPostRow> {
  // A statement of its own: after waiting for the lock, this one would still see the channels of before the wait.
  await tx.query('select from scheduled_posts where organization_id = $1 and scheduled_post_id = $2 for update', [
    organizationId,
    scheduledPostId,
  ])
  return requireScheduledPost(tx, organizationId, scheduledPostId)
}

/**
 * Writes a locked post with its channels and claims, as its next version, and returns that. Throws hashtag_conflict with
 * every conflict there is; the transaction must then be rolled back.
 */
export async function saveScheduledPost(tx: Queryable, post: ScheduledPostRow, now: Date): Promise<ScheduledPostRow> {
  const saved = { ...post, version: post.version + 1, updated_at: now }
  await tx.query(
    `update scheduled_posts
        set status = $3, media = $4, media_type = $5, scheduled_for = $6, task_id = $7, notes = $8, version = $9,
            updated_at = $10
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
    ],
  )
  await replaceChannels(tx, saved, now)
  return saved
}

/**
 * Makes a post in any status, in a transaction: with a task where the status has one, and with its hashtags claimed.
 * Its channels must be the organization's. Throws hashtag_conflict as saveScheduledPost does.
 */
export async function insertScheduledPost(
  tx: Queryable,
  organizationId: string,
  post: NewScheduledPost,
): Promise<void> {
  await tx.query(
    `insert into scheduled_posts (organization_id, scheduled_post_id, status, media, media_type, scheduled_for, task_id,
                                  notes, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [
      organizationId,
      post.scheduledPostId,
      post.status,
      post.media ?? null,
      post.mediaType ?? null,
      post.scheduledFor ?? null,
      STATUS_RULES[post.status].hasTask ? newId('task') : null,
      post.notes ?? null,
      post.createdAt,
    ],
  )
  const channels = (post.channels ?? []).map(({ channelId, caption, superpower, failedToPublish }) => ({
    channel_id: channelId,
    caption: caption ?? null,
    superpower: superpower === undefined ? null : completeSuperpower(superpower),
    failed_to_publish: failedToPublish ?? false,
  }))
  await replaceChannels(
    tx,
    { organization_id: organizationId, scheduled_post_id: post.scheduledPostId, status: post.status, channels },
    post.createdAt,
  )
}

interface PostWithChannels extends Pick<ScheduledPostRow, 'organization_id' | 'scheduled_post_id' | 'status'> {
  channels: Omit<PostChannelRow, 'type' | 'name'>[]
}

async function replaceChannels(tx: Queryable, post: PostWithChannels, now: Date): Promise<void> {
  const key = [post.organization_id, post.scheduled_post_id]
  const channelIds = post.channels.map(({ channel_id }) => channel_id)
  // Every channel that is gained or left, in one order: claims of several posts then wait for each other, never in a
  // circle. The weakest lock that excludes itself, so that what only refers to a channel does not wait.
  await tx.query(
    `select from channels
      where organization_id = $1 and channel_id in (
              select unnest($3::text[])
               union
              select channel_id from scheduled_post_channels where organization_id = $1 and scheduled_post_id = $2)
      order by channel_id for no key update`,
    [...key, channelIds],
  )
  // Takes the claims on these channels with it.
  await tx.query(
    `delete from scheduled_post_channels
      where organization_id = $1 and scheduled_post_id = $2 and channel_id <> all($3::text[])`,
    [...key, channelIds],
  )
  await tx.query(
    `insert into scheduled_post_channels
            (organization_id, scheduled_post_id, channel_id, caption, superpower, failed_to_publish)
     select $1, $2, channel_id, caption, superpower, failed_to_publish
       from json_to_recordset($3::json)
            as c (channel_id text, caption text, superpower json, failed_to_publish boolean)
         on conflict (organization_id, scheduled_post_id, channel_id) do update
        set caption = excluded.caption, superpower = excluded.superpower,
            failed_to_publish = excluded.failed_to_publish`,
    [...key, JSON.stringify(post.channels)],
  )
  await replaceClaims(tx, post, now.getTime())
}

async function replaceClaims(tx: Queryable, post: PostWithChannels, nowMs: number): Promise<void> {
  const key = [post.organization_id, post.scheduled_post_id]
  await tx.query('delete from hashtag_claims where organization_id = $1 and scheduled_post_id = $2', key)
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

/** The hashtags that the post has in use at this moment: an expired superpower leaves its own to others. */
function listClaims({ status, channels }: PostWithChannels, nowMs: number): Claim[] {
  if (!STATUS_RULES[status].holdsHashtags) return []
  return channels.flatMap(({ channel_id, superpower }) => {
    const { hashtag, lookupHashtag, expirationDate = null } = superpower ?? {}
    if (hashtag === undefined || lookupHashtag === undefined) return []
    if (expirationDate !== null && expirationDate <= nowMs) return []
    return [{ channel_id, lookup_hashtag: lookupHashtag, hashtag, expires_at_ms: expirationDate }]
  })
}
