import type { Database } from '../database/database.js'
import { findRow } from '../database/queries.js'
import type { WaitReason } from '../interface/post-waits.js'
import { recordChange, updatedAt } from '../posts/history.store.js'
import { leaseLost, type PostLease } from './publications.store.js'

/** The reason for a wait that people are shown, and what the history says about it. */
export interface NotedWait {
  reason: WaitReason
  detail: Record<string, unknown>
}

/** The result of a release, for the log. */
export interface Released {
  /** True if the log should mention the wait: it is new, has another reason, or has lasted long. */
  isLogged: boolean
  since: Date
}

/** The largest number of history entries for a wait whose reason changes back and forth. */
const CHANGES_MAX = 20
/** When the log mentions a wait again; after that, each time the wait has doubled. */
const LOG_AGAIN = "interval '5 minutes'"

/**
 * Releases a post that must wait until `nextAttemptAt`, and stores the reason. The history gets an entry for each change of
 * the reason, but none for a try. Throws LeaseLostError.
 */
export async function releaseWaiting(
  database: Database,
  lease: PostLease,
  { nextAttemptAt, wait, now }: { nextAttemptAt: Date; wait: NotedWait; now: Date },
): Promise<Released> {
  const { organizationId: organization_id, scheduledPostId: scheduled_post_id } = lease
  return await database.transaction(async (tx) => {
    const row = await findRow<{
      version: number
      updated_at: Date
      is_change: boolean
      is_logged: boolean
      wait_since: Date
    }>(
      tx,
      `update scheduled_posts p
          set leased_by = null, lease_holder = null, leased_until = null, next_attempt_at = $4, wait_reason = $5,
              wait_since = coalesce(was.wait_since, $6), wait_changes = was.wait_changes + is_change::int,
              wait_logged_at = case when is_logged then $6 else was.wait_logged_at end,
              version = p.version + is_change::int,
              updated_at = case when is_change then ${updatedAt('$6')} else p.updated_at end
         from (select w.*, is_new and wait_changes < ${CHANGES_MAX} as is_change,
                      (is_new and wait_changes < ${CHANGES_MAX})
                        or wait_logged_at is null
                        or $6 - wait_logged_at >= greatest(${LOG_AGAIN}, wait_logged_at - wait_since) as is_logged
                 from (select organization_id, scheduled_post_id, wait_since, wait_changes, wait_logged_at,
                              wait_reason is distinct from $5 as is_new
                         from scheduled_posts
                        where organization_id = $1 and scheduled_post_id = $2 and leased_by = $3
                          for update) w) was
        where p.organization_id = was.organization_id and p.scheduled_post_id = was.scheduled_post_id
       returning p.version, p.updated_at, is_change, is_logged, p.wait_since`,
      [organization_id, scheduled_post_id, lease.leasedBy, nextAttemptAt, wait.reason, now],
    )
    if (row === undefined) throw leaseLost(lease)
    const { version, updated_at, is_change, is_logged: isLogged, wait_since: since } = row
    if (is_change) {
      const post = { organization_id, scheduled_post_id, version, status: 'PUBLISHING' } as const
      const change = { fromStatus: 'PUBLISHING', actor: { type: 'publisher' }, action: 'waits' } as const
      await recordChange(tx, { post, ...change, detail: wait.detail, at: updated_at })
    }
    return { isLogged, since }
  })
}
