import type { Queryable } from '../database/database.js'
import { listRows } from '../database/queries.js'
import type { MediaUse } from '../interface/generated/types.js'
import { NAME_CHARS } from './post-list.store.js'

/** The posts of the organization with each of these addresses, the last changed first, at most `limit` of each. */
export const listPostsWithMedia = (
  database: Queryable,
  organizationId: string,
  files: readonly { mediaId: string; url: string }[],
  limit: number,
): Promise<MediaUse[]> =>
  listRows(
    database,
    `select asked.id as "mediaId", used.scheduled_post_id as "scheduledPostId", used.status,
            coalesce(left(x.caption, ${NAME_CHARS}), '') as text
       from unnest($2::text[], $3::text[]) with ordinality as asked (id, url, place)
      cross join lateral (
            select p.scheduled_post_id, p.status, p.updated_at from scheduled_posts p
             where p.organization_id = $1 and p.media = asked.url
             order by p.updated_at desc, p.scheduled_post_id limit $4) used
       left join lateral (
            select caption from scheduled_post_channels
             where organization_id = $1 and scheduled_post_id = used.scheduled_post_id and caption ~ '\\S'
             order by channel_id collate "C" limit 1) x on true
      order by asked.place, used.updated_at desc, used.scheduled_post_id`,
    [organizationId, files.map(({ mediaId }) => mediaId), files.map(({ url }) => url), limit],
  )
