import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Principal } from '../http/principal.js'
import { changePost, linkedPostIsOver, type PostContext, type Target } from './change-post.js'
import { resetFailedPublications } from './end-post.store.js'
import { matchesIfMatch, requireIfMatch } from './etag.js'
import { checkFourEyes, textsOf } from './four-eyes.js'
import { findLastDecision } from './history.store.js'
import { checkMedia } from './outside-media.js'
import { decideLinkedPost } from './review-links/linked-posts.store.js'
import { type ReviewRow, restoreReview, saveReview } from './reviews.store.js'
import { toContentBody } from './scheduled-post.js'
import { approvalBy, type MediaProof, NO_PROOF, type ScheduledPostRow } from './scheduled-post-row.js'
import { requireScheduledPost } from './scheduled-posts.store.js'

/**
 * Records a human's approval of the version they have seen (If-Match). From then on the post is published at its time.
 * Throws precondition_required without If-Match, and own_post if the organization requires four eyes.
 */
export async function approvePost(context: PostContext, target: Target): Promise<ScheduledPostRow> {
  requireIfMatch(target.ifMatch)
  const proof = await fixMedia(context, target)
  return changePost(context, target, {
    permission: 'posts:approve',
    trigger: 'approve',
    action: 'approved',
    operation: target.principal.link && 'approvePostForReview',
    async edit(before, tx, now) {
      await checkFourEyes(tx, target.principal, target.scheduledPostId, now)
      // A channel that was deleted under an earlier approval may exist again.
      await resetFailedPublications(tx, before)
      await noteInLink(tx, target, before, 'approved')
      await keepReview(tx, before, 'approved', now)
      const beacon = context.config.automation.beacon?.chain.hash ?? null
      const approval = approvalBy(target.principal.actor, { version: before.version, at: now, beacon })
      return { ...before, ...approval, ...proof(before, now) }
    },
    describe: (before, { media_sha256: sha256, media_problem: problem }) => ({
      version: before.version,
      ...(sha256 === null ? {} : { mediaSha256: sha256 }),
      ...(problem === null ? {} : { mediaNotFixed: problem }),
    }),
  })
}

/**
 * Fetches media at an external address, before the transaction, for the version being approved. Returns what the approval
 * stores: a digest, or why there is none. Nothing is fetched for a post that cannot be approved.
 */
async function fixMedia(
  { config, database }: PostContext,
  { principal: { organizationId }, scheduledPostId, ifMatch }: Target,
): Promise<(before: ScheduledPostRow, now: Date) => MediaProof> {
  const post = await requireScheduledPost(database, organizationId, scheduledPostId)
  const isOpen = post.status === 'WAITING_FOR_APPROVAL' && matchesIfMatch(ifMatch, post)
  const check = isOpen ? await checkMedia(config, post.media) : undefined
  return (before, now) => {
    // An If-Match may name several versions.
    if (before.media !== post.media) throw new ApiError('post_changed')
    if (check === undefined) return NO_PROOF
    const { sha256 = null, problem = null } = check
    return { media_sha256: sha256, media_problem: problem, media_checked_at: now }
  }
}

/** Returns the post to its writer. The notes say why, and are kept beside the writer's own. */
export const rejectPost = (context: PostContext, target: Target, notes: string): Promise<ScheduledPostRow> =>
  changePost(context, target, {
    permission: ['posts:write', 'posts:approve'],
    trigger: 'reject',
    action: 'rejected',
    operation: target.principal.link && 'returnPostForReview',
    async edit(before, tx, now) {
      await noteInLink(tx, target, before, 'rejected')
      await keepReview(tx, before, 'rejected', now)
      return { ...before, review_notes: notes }
    },
    describe: () => ({ notes }),
  })

/** Stores a decision in the link that made it. Throws wrong_state if the link is done with the post. */
async function noteInLink(
  tx: Queryable,
  { principal: { organizationId, link }, scheduledPostId }: Target,
  { version }: ScheduledPostRow,
  decision: ReviewRow['decision'],
): Promise<void> {
  if (link === undefined) return
  const place = { organizationId, linkId: link.id, scheduledPostId }
  if (!(await decideLinkedPost(tx, place, decision, version + 1))) throw linkedPostIsOver()
}

/** Keeps the post's content for its next reviewer. */
function keepReview(tx: Queryable, post: ScheduledPostRow, decision: ReviewRow['decision'], at: Date): Promise<void> {
  const review = { version: post.version, decision, decided_at: at, content: toContentBody(post) }
  return saveReview(tx, post, review)
}

/**
 * Returns the post without its current decision, which must be the caller's own. Throws decision_not_yours, also for a
 * return after which the post was changed, and for an approval after which the post failed and was rescheduled.
 */
export async function undoReview(
  tx: Queryable,
  post: ScheduledPostRow,
  { organizationId, actor }: Principal,
): Promise<ScheduledPostRow> {
  const last = await findLastDecision(tx, organizationId, post.scheduled_post_id)
  const isCurrent = last?.action === 'approved' || (last?.action === 'rejected' && last.version === post.version)
  if (!isCurrent || !(await textsOf(tx, actor)).includes(last.actor)) throw new ApiError('decision_not_yours')
  return { ...post, review_notes: await restoreReview(tx, post) }
}
