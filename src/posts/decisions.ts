import type { Queryable } from '../database/database.js'
import { changePost, type PostContext, type Target } from './change-post.js'
import { resetFailedPublications } from './channel-failures.store.js'
import { requireIfMatch } from './etag.js'
import { checkFourEyes } from './four-eyes.js'
import { type ReviewRow, saveReview } from './reviews.store.js'
import { toScheduledPostBody } from './scheduled-post.js'
import { approvalBy, type ScheduledPostRow } from './scheduled-post-row.js'

/**
 * A human's decision about the version that they have seen (If-Match), from which on the post is published at its time.
 * Throws precondition_required without it, and own_post where the organization asks for four eyes.
 */
export async function approvePost(context: PostContext, target: Target): Promise<ScheduledPostRow> {
  requireIfMatch(target.ifMatch)
  return changePost(context, target, {
    trigger: 'approve',
    action: 'approved',
    operation: target.principal.link && 'approveByLink',
    async edit(before, tx, now) {
      await checkFourEyes(tx, target.principal, target.scheduledPostId, now)
      // A channel that was deleted under an earlier approval may be there again.
      await resetFailedPublications(tx, before)
      await keepReview(tx, before, 'approved', now)
      return { ...before, ...approvalBy(target.principal.actor, before.version, now) }
    },
    describe: (before) => ({ version: before.version }),
  })
}

/** The notes say why, and become the post's. */
export const rejectPost = (context: PostContext, target: Target, notes: string): Promise<ScheduledPostRow> =>
  changePost(context, target, {
    trigger: 'reject',
    action: 'rejected',
    operation: target.principal.link && 'returnByLink',
    async edit(before, tx, now) {
      await keepReview(tx, before, 'rejected', now)
      return { ...before, notes }
    },
    describe: () => ({ notes }),
  })

/** Keeps what the post says for the one who reviews it next. */
function keepReview(tx: Queryable, post: ScheduledPostRow, decision: ReviewRow['decision'], at: Date): Promise<void> {
  const { media, mediaType, scheduledFor, mediumsData } = toScheduledPostBody(post)
  const content = { media, mediaType, scheduledFor, mediumsData }
  const review = { version: post.version, decision, decided_at: at, content }
  return saveReview(tx, post.organization_id, post.scheduled_post_id, review)
}
