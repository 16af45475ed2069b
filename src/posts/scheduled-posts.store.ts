import { isDeepStrictEqual } from 'node:util'
import { endWith, type Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Actor } from '../http/principal.js'
import { type PostChangeEntry, recordChange } from './history.store.js'
import { type Changes, continueRun, type HistoryRun, namesOf } from './history-run.js'
import { STATUS_RULES } from './lifecycle.js'
import { lockChannels, lockLiveChannels, replaceChannels, type StoredChannel } from './post-channels.store.js'
import type { ScheduledPostRow } from './scheduled-post-row.js'

/** Who changes a post, how, and when. */
export type ChangeNote = Pick<PostChangeEntry, 'actor' | 'action' | 'operation' | 'detail' | 'at'>

// One statement, so that a post and its channels are of one database snapshot.
export const SELECT_POSTS = `
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

type PostToInsert = Omit<ScheduledPostRow, 'channels'> & { channels: StoredChannel[] }

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
