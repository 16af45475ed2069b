import type { Queryable } from '../database/database.js'
import { idPattern } from '../lib/ids.js'

const UPLOAD = idPattern('media')

/** Selects the ids of uploads in everything that the posts of `page` say, and in the copies of their last reviews. */
const NAMED = `
  select m[1] as media_id from page, regexp_matches(coalesce(page.media, '') || ' ' || coalesce(page.notes, '') || ' ' || coalesce(page.review_notes, ''), '${UPLOAD}', 'g') m
   union
  select m[1] from page join scheduled_post_channels x on x.organization_id = $1 and x.scheduled_post_id = page.scheduled_post_id,
         regexp_matches(coalesce(x.caption, '') || ' ' || coalesce(x.superpower::text, ''), '${UPLOAD}', 'g') m
   union
  select m[1] from page join post_reviews r on r.organization_id = $1 and r.scheduled_post_id = page.scheduled_post_id,
         regexp_matches(r.content::text || coalesce(r.replaced::text, ''), '${UPLOAD}', 'g') m`

/**
 * Lists the ids of the uploads that a page of the organization's posts names: posts in the order of their ids, after the id
 * `after`. `last` is the id of the last one, and undefined when there are no more posts.
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

/** Lists the ids of the uploads that posts of the organization name which were changed at `since` or later. */
export async function listUploadsNamedSince(tx: Queryable, organizationId: string, since: Date): Promise<string[]> {
  const { rows } = await tx.query<{ media_id: string }>(
    `with page as materialized (
       select scheduled_post_id, media, notes, review_notes from scheduled_posts where organization_id = $1 and updated_at >= $2)
     select media_id from (${NAMED}) named`,
    [organizationId, since],
  )
  return rows.map(({ media_id }) => media_id)
}
