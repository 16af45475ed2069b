import type { Queryable } from '../database/database.js'
import { idPattern } from '../lib/ids.js'
import { removeNewsOfPosts } from '../news/inbox/inbox.store.js'

/** A batch of posts. */
export interface RemovedBatch {
  /** The number of posts that lost their content. */
  deleted: number
  /** The position in the list where the next batch starts. */
  after: readonly [listTime: string, scheduledPostId: string]
}

interface Removal {
  status: 'PUBLISHED' | 'FAILED'
  before: Date
  now: Date
  limit: number
  after: RemovedBatch['after'] | undefined
}

const START: RemovedBatch['after'] = ['-infinity', '']

/**
 * Removes the content of the organization's ended posts that were due and last changed before an instant: media, captions,
 * notes, superpowers, the copy of the last review, the discussion, and inbox entries about them. The posts stay in lists and
 * figures, and get a new ETag.
 */
export async function removeContent(
  tx: Queryable,
  organizationId: string,
  { status, before, now, limit, after = START }: Removal,
): Promise<RemovedBatch> {
  // Locked rows are skipped: a post being retried or deleted at this moment has not ended.
  const { rows } = await tx.query<{ list_time: string; scheduled_post_id: string }>(
    `select list_time::text as list_time, scheduled_post_id from scheduled_posts
      where organization_id = $1 and status = $2 and list_time < $3 and updated_at < $3 and content_removed_at is null
        and (list_time, scheduled_post_id collate "C") > ($4::text::timestamptz, $5::text collate "C")
      order by list_time, scheduled_post_id collate "C"
      limit $6 for update skip locked`,
    [organizationId, status, before, ...after, limit],
  )
  const last = rows.at(-1)
  if (last === undefined) return { deleted: 0, after }
  const ids = rows.map(({ scheduled_post_id }) => scheduled_post_id)
  await tx.query(
    `update scheduled_posts
        set media = null, media_type = null, alt_text = null, ai_generated = false, notes = null, review_notes = null,
            history_run = null, content_removed_at = $3, updated_at = $3
      where organization_id = $1 and scheduled_post_id = any($2::text[])`,
    [organizationId, ids, now],
  )
  await tx.query(
    `update scheduled_post_channels set caption = null, superpower = null
      where organization_id = $1 and scheduled_post_id = any($2::text[])`,
    [organizationId, ids],
  )
  await tx.query('delete from hashtag_claims where organization_id = $1 and scheduled_post_id = any($2::text[])', [
    organizationId,
    ids,
  ])
  await tx.query('delete from discussion_messages where organization_id = $1 and scheduled_post_id = any($2::text[])', [
    organizationId,
    ids,
  ])
  await tx.query('delete from post_reviews where organization_id = $1 and scheduled_post_id = any($2::text[])', [
    organizationId,
    ids,
  ])
  await removeNewsOfPosts(tx, organizationId, ids)
  return { deleted: ids.length, after: [last.list_time, last.scheduled_post_id] }
}

const UPLOAD = idPattern('media')

/** Selects the upload ids in all content of the posts of `page`, and in the copies of their last reviews. */
const NAMED = `
  select m[1] as media_id from page, regexp_matches(coalesce(page.media, '') || ' ' || coalesce(page.notes, '') || ' ' || coalesce(page.review_notes, ''), '${UPLOAD}', 'g') m
   union
  select m[1] from page join scheduled_post_channels x on x.organization_id = $1 and x.scheduled_post_id = page.scheduled_post_id,
         regexp_matches(coalesce(x.caption, '') || ' ' || coalesce(x.superpower::text, ''), '${UPLOAD}', 'g') m
   union
  select m[1] from page join post_reviews r on r.organization_id = $1 and r.scheduled_post_id = page.scheduled_post_id,
         regexp_matches(r.content::text || coalesce(r.replaced::text, ''), '${UPLOAD}', 'g') m`

/**
 * Lists the upload ids that a page of the organization's posts refers to: posts ordered by id, starting after `after`.
 * `last` is the id of the last post; undefined if no posts remain.
 */
export async function listNamedUploads(
  database: Queryable,
  organizationId: string,
  { after, rows: limit }: { after: string; rows: number },
): Promise<{ mediaIds: string[]; last: string | undefined }> {
  const { rows } = await database.query<{ media_ids: string[]; last: string | null }>(
    `with page as materialized (
       select scheduled_post_id, media, notes, review_notes from scheduled_posts
        where organization_id = $1 and scheduled_post_id > $2 order by scheduled_post_id limit $3)
     select array(select media_id from (${NAMED}) named) as media_ids, (select max(scheduled_post_id) from page) as last`,
    [organizationId, after, limit],
  )
  const { media_ids: mediaIds, last } = rows[0]!
  return { mediaIds, last: last ?? undefined }
}

/** Lists the upload ids in the organization's posts that were changed at or after `since`. */
export async function listUploadsNamedSince(tx: Queryable, organizationId: string, since: Date): Promise<string[]> {
  const { rows } = await tx.query<{ media_id: string }>(
    `with page as materialized (
       select scheduled_post_id, media, notes, review_notes from scheduled_posts where organization_id = $1 and updated_at >= $2)
     select media_id from (${NAMED}) named`,
    [organizationId, since],
  )
  return rows.map(({ media_id }) => media_id)
}
