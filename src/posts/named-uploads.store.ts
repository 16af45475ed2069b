import type { Queryable } from '../database/database.js'

/** Ids of uploads in any text: those of `newId('media')`. */
const UPLOAD = 'media_[A-Za-z0-9_-]{22}'

/** Everything that a post says, and the copy of its last review: where a URL of an upload may stand. */
const NAMED = `
  select m[1] as media_id from page, regexp_matches(coalesce(page.media, '') || ' ' || coalesce(page.notes, ''), '${UPLOAD}', 'g') m
   union
  select m[1] from page join scheduled_post_channels x on x.organization_id = $1 and x.scheduled_post_id = page.scheduled_post_id,
         regexp_matches(coalesce(x.caption, '') || ' ' || coalesce(x.superpower::text, ''), '${UPLOAD}', 'g') m
   union
  select m[1] from page join post_reviews r on r.organization_id = $1 and r.scheduled_post_id = page.scheduled_post_id,
         regexp_matches(r.content::text, '${UPLOAD}', 'g') m`

/** The uploads that some posts of the organization name, by id from after one on. `last`: undefined when there are no more posts. */
export async function listNamedUploads(
  database: Queryable,
  organizationId: string,
  { after, rows: limit }: { after: string; rows: number },
): Promise<{ mediaIds: string[]; last: string | undefined }> {
  const { rows } = await database.query<{ media_ids: string[]; last: string | null }>(
    `with page as materialized (
       select scheduled_post_id, media, notes from scheduled_posts
        where organization_id = $1 and scheduled_post_id > $2 order by scheduled_post_id limit $3)
     select array(select media_id from (${NAMED}) named) as media_ids, (select max(scheduled_post_id) from page) as last`,
    [organizationId, after, limit],
  )
  const { media_ids: mediaIds, last } = rows[0]!
  return { mediaIds, last: last ?? undefined }
}

/** The uploads that posts of the organization name which have changed since an instant. */
export async function listUploadsNamedSince(tx: Queryable, organizationId: string, since: Date): Promise<string[]> {
  const { rows } = await tx.query<{ media_id: string }>(
    `with page as materialized (
       select scheduled_post_id, media, notes from scheduled_posts where organization_id = $1 and updated_at >= $2)
     select media_id from (${NAMED}) named`,
    [organizationId, since],
  )
  return rows.map(({ media_id }) => media_id)
}
