import type { Queryable } from '../database/database.js'
import type { Actor } from '../interface/access.js'
import type { PostAction, PostStatus } from '../interface/posts.js'

/** One change of a post. */
export interface PostChange {
  /** The post after the change: its new version. A deletion has the version that would have come next, and no status. */
  post: { organization_id: string; scheduled_post_id: string; version: number; status: PostStatus | null }
  /** Null for a creation. */
  fromStatus: PostStatus | null
  actor: Actor
  action: PostAction
  /** What else there is to say: the fields that changed, the reason. */
  detail?: Record<string, unknown>
  at: Date
}

export interface HistoryRow {
  version: number
  at: Date
  actor: Actor
  action: PostAction
  from_status: PostStatus | null
  to_status: PostStatus | null
  detail: Record<string, unknown> | null
}

/**
 * Writes a change into the history, in the transaction that makes it. A version is written once: a second change that
 * takes itself for the same one fails.
 */
export async function recordChange(
  tx: Queryable,
  { post, fromStatus, actor, action, detail, at }: PostChange,
): Promise<void> {
  await tx.query(
    `insert into scheduled_post_history
            (organization_id, scheduled_post_id, version, at, actor, action, from_status, to_status, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      post.organization_id,
      post.scheduled_post_id,
      post.version,
      at,
      actor,
      action,
      fromStatus,
      post.status,
      detail === undefined ? null : JSON.stringify(detail),
    ],
  )
}

/** Every change of a post, oldest first; of a deleted one as well. */
export async function listHistory(
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<HistoryRow[]> {
  const { rows } = await database.query<HistoryRow>(
    `select version, at, actor, action, from_status, to_status, detail
       from scheduled_post_history
      where organization_id = $1 and scheduled_post_id = $2
      order by version`,
    [organizationId, scheduledPostId],
  )
  return rows
}
