import type { Queryable } from '../database/database.js'
import { findRow, listRows } from '../database/queries.js'
import { LATE_MS, type WaitReason } from '../interface/post-waits.js'

/** A due post, and why its channels are waiting. */
export interface WaitRow {
  scheduled_for: Date
  next_attempt_at: Date | null
  wait_since: Date | null
  /** True if a publisher is working on it. */
  is_held: boolean
  status: 'SCHEDULED' | 'PUBLISHING'
  organization_active: boolean
  channels: { channel_id: string; wait_reason: WaitReason; error: string | null; next_attempt_at: Date | null }[]
}

/** Returns undefined if the post is not due at `now`, or is already finished. */
export async function findWait(
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
  now: Date,
): Promise<WaitRow | undefined> {
  const row = await findRow<Omit<WaitRow, 'channels'>>(
    database,
    `select p.scheduled_for, p.next_attempt_at, p.wait_since, p.status, coalesce(p.leased_until > $3, false) as is_held,
            o.active as organization_active
       from scheduled_posts p join organizations o using (organization_id)
      where p.organization_id = $1 and p.scheduled_post_id = $2 and p.status in ('SCHEDULED', 'PUBLISHING')
        and p.scheduled_for <= $3`,
    [organizationId, scheduledPostId, now],
  )
  if (row === undefined) return undefined
  const channels = await listRows<WaitRow['channels'][number]>(
    database,
    `select channel_id, wait_reason, error, next_attempt_at from publications
      where organization_id = $1 and scheduled_post_id = $2 and state = 'PENDING' and wait_reason is not null
      order by channel_id collate "C"`,
    [organizationId, scheduledPostId],
  )
  return { ...row, channels }
}

/** Returns an SQL condition for a post `p` that is late. `now` is the placeholder of the current time. */
const isLate = (now: string): string =>
  `p.status in ('SCHEDULED', 'PUBLISHING') and p.scheduled_for <= ${now}::timestamptz - interval '${LATE_MS} ms'`

/** Returns an SQL expression for why a late post `p` waits, as far as its own row shows. */
const storedReason = (now: string): string =>
  `case when p.wait_reason is not null then p.wait_reason
        when p.status = 'PUBLISHING' and p.leased_until > ${now} then 'in_progress'
        else 'queue' end`

/** Returns the same expression, but null for a post that is not late. */
export const lateReason = (now: string): string => `case when ${isLate(now)} then ${storedReason(now)} end`

/** Late posts beyond this number are not counted. */
const COUNTED_MAX = 10_000

/** Counts the late posts of all organizations by their stored reason. */
export const countStoredWaits = (database: Queryable, now: Date) =>
  listRows<{ reason: WaitReason; posts: number; oldest_at: Date }>(
    database,
    `select reason, count(*)::int as posts, min(scheduled_for) as oldest_at
       from (select case when o.active then ${storedReason('$1')} else 'organization_inactive' end as reason, p.scheduled_for
               from scheduled_posts p join organizations o using (organization_id)
              where ${isLate('$1')}
              order by p.status, p.scheduled_for
              limit ${COUNTED_MAX}) late
      group by reason order by reason`,
    [now],
  )
