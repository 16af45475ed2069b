import type { Queryable } from '../database/database.js'
import type { ReviewedContent } from '../interface/generated/types.js'
import type { ScheduledPostRow } from './scheduled-post-row.js'

type PostIds = [organizationId: string, scheduledPostId: string]

/** A decision about a post, and the post's content at that time. */
export interface ReviewRow {
  version: number
  decision: 'approved' | 'rejected'
  decided_at: Date
  content: ReviewedContent
}

type ReviewedPost = Pick<ScheduledPostRow, 'organization_id' | 'scheduled_post_id' | 'review_notes'>

/** Replaces the previous decision, in the transaction that makes the new one. */
export async function saveReview(
  tx: Queryable,
  { organization_id, scheduled_post_id, review_notes: notes }: ReviewedPost,
  { version, decision, decided_at, content }: ReviewRow,
): Promise<void> {
  await tx.query(
    `insert into post_reviews as r
            (organization_id, scheduled_post_id, version, decision, decided_at, content, replaced)
     values ($1, $2, $3, $4, $5, $6, jsonb_build_object('notes', $7::text))
         on conflict (organization_id, scheduled_post_id) do update
        set version = excluded.version, decision = excluded.decision, decided_at = excluded.decided_at,
            content = excluded.content,
            replaced = excluded.replaced || jsonb_build_object('review', jsonb_build_object(
              'version', r.version, 'decision', r.decision, 'decided_at', r.decided_at, 'content', r.content))`,
    [organization_id, scheduled_post_id, version, decision, decided_at, JSON.stringify(content), notes],
  )
}

/** Restores the decision that the last one replaced, if any, and returns the review notes of that time. */
export async function restoreReview(
  tx: Queryable,
  { organization_id, scheduled_post_id, review_notes }: ReviewedPost,
): Promise<string | null> {
  const { rows } = await tx.query<{ replaced: { notes: string | null; review?: ReviewRow } | null }>(
    `delete from post_reviews where organization_id = $1 and scheduled_post_id = $2 returning replaced`,
    [organization_id, scheduled_post_id],
  )
  // Decisions from before version 0065 of the schema do not record what they replaced.
  const { notes, review } = rows[0]?.replaced ?? { notes: review_notes }
  if (review !== undefined) await saveReview(tx, { organization_id, scheduled_post_id, review_notes: notes }, review)
  return notes
}

export async function findReview(database: Queryable, ...ids: PostIds): Promise<ReviewRow | undefined> {
  const { rows } = await database.query<ReviewRow>(
    `select version, decision, decided_at, content from post_reviews
      where organization_id = $1 and scheduled_post_id = $2`,
    ids,
  )
  return rows[0]
}
