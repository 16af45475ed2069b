import type { Queryable } from '../database/database.js'
import type { ReviewedContent } from '../interface/posts.js'

/** A decision about a post, and what the post said then. */
export interface ReviewRow {
  version: number
  decision: 'approved' | 'rejected'
  decided_at: Date
  content: ReviewedContent
}

/** Keeps a decision in place of the one before, in the transaction that makes it. */
export async function saveReview(
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
  { version, decision, decided_at, content }: ReviewRow,
): Promise<void> {
  await tx.query(
    `insert into post_reviews (organization_id, scheduled_post_id, version, decision, decided_at, content)
     values ($1, $2, $3, $4, $5, $6)
         on conflict (organization_id, scheduled_post_id) do update
        set version = excluded.version, decision = excluded.decision, decided_at = excluded.decided_at,
            content = excluded.content`,
    [organizationId, scheduledPostId, version, decision, decided_at, JSON.stringify(content)],
  )
}

export async function findReview(
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<ReviewRow | undefined> {
  const { rows } = await database.query<ReviewRow>(
    `select version, decision, decided_at, content from post_reviews
      where organization_id = $1 and scheduled_post_id = $2`,
    [organizationId, scheduledPostId],
  )
  return rows[0]
}
