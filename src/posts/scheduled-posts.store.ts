import { isDeepStrictEqual } from 'node:util'
import { assignments, parameters } from '../database/columns.js'
import { endWith, type Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { type Actor, textOfActor, tokenOfActor } from '../http/principal.js'
import { listNewTexts } from './copies.js'
import { noteTexts } from './copies.store.js'
import { describeValues } from './describe-changes.js'
import { type PostChangeEntry, recordChange } from './history.store.js'
import { type Changes, continueRun, type HistoryRun, namesOf } from './history-run.js'
import { STATUS_RULES } from './lifecycle.js'
import { lockChannels, lockLiveChannels, replaceChannels } from './post-channels.store.js'
import type { ScheduledPostRow } from './scheduled-post-row.js'

type PostIds = [organizationId: string, scheduledPostId: string]

/** The author, kind and time of a change. */
export type ChangeNote = Pick<PostChangeEntry, 'actor' | 'action' | 'operation' | 'detail' | 'at'>

// One statement, so that a post and its channels come from one database snapshot.
export const SELECT_POSTS = `
  select organization_id, scheduled_post_id, status, media, media_type, alt_text, ai_generated, scheduled_for, task_id, notes,
         review_notes, version, created_at, updated_at, approved_version, approved_at, approved_actor_type, approved_actor_id,
         approved_beacon, media_sha256, media_problem, media_checked_at, coalesce((
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

/** Throws post_not_found, also for another organization's post. */
export async function requireScheduledPost(database: Queryable, ...ids: PostIds): Promise<ScheduledPostRow> {
  const { rows } = await database.query<ScheduledPostRow>(
    `${SELECT_POSTS} where organization_id = $1 and scheduled_post_id = $2`,
    ids,
  )
  if (rows[0] === undefined) throw new ApiError('post_not_found')
  return rows[0]
}

/** Lists the posts with these keys, in any order; `organizationIds` and `scheduledPostIds` correspond by position. */
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

/** A post that the transaction has locked. */
export interface LockedPostRow extends ScheduledPostRow {
  history_run: HistoryRun | null
}

/** Reads the post as requireScheduledPost does, and locks it until the transaction ends. */
export async function lockScheduledPost(
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<LockedPostRow> {
  // Two statements are needed: after waiting for the lock, the first would still see the channels from before the wait. They
  // are sent together and run in this order.
  const [{ rows }, post] = await Promise.all([
    tx.query<Pick<LockedPostRow, 'history_run'>>(
      'select history_run from scheduled_posts where organization_id = $1 and scheduled_post_id = $2 for update',
      [organizationId, scheduledPostId],
    ),
    requireScheduledPost(tx, organizationId, scheduledPostId),
  ])
  return { ...post, history_run: rows[0]?.history_run ?? null }
}

const CONTENT = [
  ...(['status', 'media', 'media_type', 'alt_text', 'ai_generated', 'scheduled_for', 'task_id', 'notes'] as const),
  ...(['review_notes', 'version', 'updated_at'] as const),
] as const
const APPROVAL = [
  ...(['approved_version', 'approved_at', 'approved_actor_type', 'approved_actor_id', 'approved_beacon'] as const),
] as const
const PROOF = ['media_sha256', 'media_problem', 'media_checked_at'] as const
const UPDATED = [...CONTENT, ...APPROVAL, ...PROOF]
const INSERTED = [...CONTENT, 'created_at'] as const

/**
 * Writes a locked post with its channels, claims and history as its next version, and returns that. It must not be
 * PUBLISHING. Throws hashtag_conflict with every conflict; the transaction must then be rolled back.
 */
export async function saveScheduledPost(
  tx: Queryable,
  before: LockedPostRow,
  after: ScheduledPostRow,
  note: ChangeNote,
): Promise<ScheduledPostRow> {
  const saved = { ...after, version: before.version + 1, updated_at: note.at }
  const { run, hasEntry } = continueHistory(before, saved, note)
  // While locked, a channel cannot be deleted before its deletion sees that the post is scheduled.
  if (saved.status === 'SCHEDULED' && before.status !== 'SCHEDULED') await lockLiveChannels(tx, saved)
  const update = tx.query(
    `update scheduled_posts
        set leased_by = null, lease_holder = null, leased_until = null, next_attempt_at = null, history_run = $3,
            ${assignments(UPDATED, 4)}
      where organization_id = $1 and scheduled_post_id = $2`,
    [
      ...[saved.organization_id, saved.scheduled_post_id, run && JSON.stringify(run)],
      ...UPDATED.map((column) => saved[column]),
    ],
  )
  const held = STATUS_RULES[before.status].holdsHashtags
  const isChannelChange =
    held !== STATUS_RULES[saved.status].holdsHashtags || !isDeepStrictEqual(before.channels, saved.channels)
  const texts = isChannelChange ? listNewTexts(saved, before) : []
  const record = (): Promise<void> | undefined =>
    hasEntry
      ? recordChange(tx, { ...note, post: saved, fromStatus: before.status, values: describeValues(before, saved) })
      : undefined
  // New channels and the events of a new status need further statements, which must be awaited. Otherwise these statements
  // are the last, and the commit is sent along with them.
  if (isChannelChange || saved.status !== before.status) {
    await Promise.all([
      update,
      isChannelChange && replaceChannels(tx, saved, note.at, before),
      noteTexts(tx, saved.organization_id, { texts, actor: note.actor, at: note.at }),
      record(),
    ])
  } else {
    await endWith(tx, [update, record()])
  }
  return saved
}

/** Continues the run that the post keeps of its history. A loop of updates is truncated: later updates get no entry. */
function continueHistory(
  before: LockedPostRow,
  saved: ScheduledPostRow,
  { actor, action, detail, at }: ChangeNote,
): { run: HistoryRun | null; hasEntry: boolean } {
  // An update that adds writers always gets an entry.
  if (action !== 'updated' || !Array.isArray(detail?.changed) || detail.writers !== undefined)
    return { run: null, hasEntry: true }
  return continueRun(before.history_run, {
    version: before.version,
    caller: [textOfActor(actor), tokenOfActor(actor)].filter(Boolean).join('/'),
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
 * Creates a post, in a transaction, as its first version, with its hashtags claimed and its history begun. Throws
 * hashtag_conflict as saveScheduledPost does.
 */
export async function insertScheduledPostRow(
  tx: Queryable,
  post: ScheduledPostRow,
  actor: Actor,
  more: Pick<ChangeNote, 'operation' | 'detail'> = {},
): Promise<void> {
  await tx.query(
    `insert into scheduled_posts (organization_id, scheduled_post_id, ${INSERTED.join(', ')})
     values ($1, $2, ${parameters(INSERTED, 3)})`,
    [post.organization_id, post.scheduled_post_id, ...INSERTED.map((column) => post[column])],
  )
  await replaceChannels(tx, post, post.created_at)
  await noteTexts(tx, post.organization_id, {
    texts: listNewTexts(post),
    actor,
    at: post.created_at,
  })
  await recordChange(tx, { ...more, actor, action: 'created', at: post.created_at, post, fromStatus: null })
}

/** Returns whether a post with these media waits for approval, is scheduled, or is being published. */
export async function isMediaAwaited(tx: Queryable, organizationId: string, media: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select from scheduled_posts
      where organization_id = $1 and status in ('WAITING_FOR_APPROVAL', 'SCHEDULED', 'PUBLISHING') and media = $2
      limit 1`,
    [organizationId, media],
  )
  return rows.length > 0
}

/** Deletes at most `limit` posts of the organization in any status, with everything they have. Their history stays. */
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
