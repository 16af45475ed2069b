import type { Queryable } from '../database/database.js'
import { listRows, listValues } from '../database/queries.js'

/**
 * The people to whom news about a post belong: who made it, and who last asked for its approval. A key is no one; a post
 * that only programs have touched has none.
 */
export const listPeopleOfPost = (tx: Queryable, organizationId: string, scheduledPostId: string): Promise<string[]> =>
  listValues(
    tx,
    `select distinct substr(actor, ${'user:'.length + 1})
       from ((select actor from scheduled_post_history
               where organization_id = $1 and scheduled_post_id = $2 and action = 'created' order by version limit 1)
             union all
             (select actor from scheduled_post_history
               where organization_id = $1 and scheduled_post_id = $2 and action <> 'reverted'
                 and to_status = 'WAITING_FOR_APPROVAL' and from_status is distinct from to_status
               order by version desc limit 1)) a
      where actor like 'user:%'`,
    [organizationId, scheduledPostId],
  )

/**
 * The posts that wait for approval, soonest first, each with the beginning of its first text. With `approver` only those in
 * whose channels this member may approve.
 */
export const listWaitingRows = (
  database: Queryable,
  organizationId: string,
  { rows, approver }: { rows: number; approver: string | null },
): Promise<{ id: string; text: string; scheduled_for: Date | null }[]> =>
  listRows(
    database,
    `select p.scheduled_post_id as id, p.scheduled_for,
            coalesce((select left(x.caption, 120) from scheduled_post_channels x
                       where x.organization_id = $1 and x.scheduled_post_id = p.scheduled_post_id and x.caption ~ '\\S'
                       order by x.channel_id collate "C" limit 1), '') as text
       from scheduled_posts p
      where p.organization_id = $1 and p.status = 'WAITING_FOR_APPROVAL'
        and ($3::text is null or member_may_for_post($1, $3, p.scheduled_post_id, 'approve'))
      order by p.list_time, p.scheduled_post_id collate "C" limit $2`,
    [organizationId, rows, approver],
  )
