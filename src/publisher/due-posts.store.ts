import type { Queryable } from '../database/database.js'
import { POST_STATUSES, type PostStatus } from '../interface/post-status.js'

/**
 * Returns the scheduled time of the post that has waited longest to be published; undefined if none is waiting. Posts of
 * inactive organizations do not count: the index skips them, and they fail when they are too late.
 */
export async function findOldestDueAt(database: Queryable, now: Date): Promise<Date | undefined> {
  const oldest = (status: 'PUBLISHING' | 'SCHEDULED'): string =>
    `(select organization_id, scheduled_for from scheduled_posts p
       where p.status = '${status}' and p.scheduled_for <= $1
         and p.organization_id not in (select o.organization_id from organizations o where not o.active)
       order by p.scheduled_for, p.organization_id, p.scheduled_post_id
       limit 1)`
  const { rows } = await database.query<{ scheduled_for: Date }>(
    `${oldest('PUBLISHING')} union all ${oldest('SCHEDULED')} order by scheduled_for limit 1`,
    [now],
  )
  return rows[0]?.scheduled_for
}

/** Counts the posts of all organizations by status, as the trigger count_post_status does. */
export async function countPostsByStatus(database: Queryable): Promise<Record<PostStatus, number>> {
  const sums = POST_STATUSES.map((status) => `sum(${status.toLowerCase()})::bigint as "${status}"`).join(', ')
  const { rows } = await database.query<Record<PostStatus, number>>(`select ${sums} from post_counts`)
  return rows[0]!
}
