import Joi from 'joi'
import { holdChannelRoles } from '../access/hold-rights.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { utcInstant } from '../http/params.js'
import { notBefore, parseIsoInstant } from '../lib/dates.js'
import { answerChange, postChange, toTarget } from './change-post.js'
import { approvePost, rejectPost, undoReview } from './decisions.js'
import { resetFailedPublications } from './end-post.store.js'
import { checkIfMatch, ifMatchRequired } from './etag.js'
import { nextStatus } from './lifecycle.js'
import { checkScheduledFor } from './post-rules.js'
import { rejectionBody, scheduledPostBody, toPostAnswer } from './scheduled-post.js'
import { deleteScheduledPostRow, lockScheduledPost } from './scheduled-posts.store.js'

/** Submit a DRAFT or REJECTED post that is ready for publishing to a human for approval. */
export const submitScheduledPostForApproval = operation({
  ...postChange,
  operationId: 'submitScheduledPostForApproval',
  summary: 'Submit a DRAFT or REJECTED post for approval.',
  description:
    'Use it when a post is complete. It must pass the publish check; then a human decides. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/submit-for-approval',
  surfaces: ['v1', 'api'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  handle: (call, context) =>
    answerChange(call, context, { permission: 'posts:write', trigger: 'submit', action: 'submitted' }),
})

/** Approve a post that waits for approval. The decision is a human's, so no key may make it (permission posts:approve). */
export const approveScheduledPost = operation({
  ...postChange,
  operationId: 'approveScheduledPost',
  summary: 'Approve a post that waits for approval. It is published at its time.',
  description:
    'For the human who has read the post: If-Match names the version, and only that version is published. API keys cannot approve: a key gets 403 with the code approval_is_human. Media at an outside address are fetched and fixed, within 10 seconds. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/approve',
  surfaces: ['v1', 'api'],
  permission: 'posts:approve',
  answers: [200, 400, 403, 404, 412, 428],
  headers: ifMatchRequired,
  async handle(call, context) {
    return toPostAnswer(await approvePost(context, toTarget(call)), call.principal)
  },
})

/** Reject a post that waits for approval. The notes say why and become the post's. */
export const rejectScheduledPost = operation({
  ...postChange,
  operationId: 'rejectScheduledPost',
  summary: 'Reject a post that waits for approval, with notes that explain why.',
  description:
    'For reviewers: anyone who may approve may reject. The notes replace those of the post; its author then returns it to DRAFT or submits it again. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/reject',
  surfaces: ['v1', 'api'],
  permission: ['posts:write', 'posts:approve'],
  answers: [200, 400, 404, 412],
  body: rejectionBody,
  async handle(call, context) {
    return toPostAnswer(await rejectPost(context, toTarget(call), call.body.notes), call.principal)
  },
})

/** Undo one's own approval or return: the post waits for approval again. */
export const undoDecision = operation({
  ...postChange,
  operationId: 'undoDecision',
  summary: 'Take back your own decision about a post',
  description:
    'Use it if a decision was a mistake. An approval can be taken back until the publisher claims the post, a rejection until the post is changed, and only by the person who decided. The post then waits for approval as before, with its last review and its notes. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/undo-decision',
  permission: ['posts:write', 'posts:approve'],
  answers: [200, 400, 404, 412],
  handle: (call, context) =>
    answerChange(call, context, {
      permission: ['posts:write', 'posts:approve'],
      trigger: 'undoDecision',
      action: 'reverted',
      operation: 'undoDecision',
      edit: (before, tx) => undoReview(tx, before, call.principal),
      describe: ({ status }) => ({ decision: status === 'SCHEDULED' ? 'approved' : 'rejected' }),
    }),
})

/** Return a SCHEDULED post to DRAFT, which cancels its task. */
export const revertScheduledPost = operation({
  ...postChange,
  operationId: 'revertScheduledPost',
  summary: 'Return a SCHEDULED post to DRAFT, so that it is not published.',
  description:
    'Use it for a post that must not be published as it is. It then needs a new approval. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/revert',
  surfaces: ['v1', 'api'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  handle: (call, context) =>
    answerChange(call, context, { permission: 'posts:write', trigger: 'revert', action: 'reverted' }),
})

/** A post must be scheduled at least this far in the future. */
const SOON_MS = 1_000

/**
 * Schedule a FAILED post again. It is published on the channels where it failed. Nothing changes on channels where it is
 * already published.
 */
export const retryScheduledPost = operation({
  ...postChange,
  operationId: 'retryScheduledPost',
  summary: 'Schedule a FAILED post again, for the channels on which it failed.',
  description:
    'Use it when the cause of the failure is fixed, for example after replacing a token. A channel on which the post may already be published is not retried automatically: check there first. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/retry',
  permission: 'posts:approve',
  answers: [200, 400, 404, 409, 412],
  body: namedObject('Retry', {
    scheduledFor: utcInstant.description(
      'The new time: an ISO 8601 datetime in UTC (Z), in the future. By default the post is published at once.',
    ),
  }),
  handle: (call, context) =>
    answerChange(call, context, {
      permission: 'posts:approve',
      trigger: 'retry',
      action: 'retried',
      async edit(before, tx, now) {
        const { scheduledFor } = call.body
        checkScheduledFor({ scheduledFor }, now.getTime())
        await resetFailedPublications(tx, before)
        return {
          ...before,
          scheduled_for: new Date(
            scheduledFor === undefined ? now.getTime() + SOON_MS : parseIsoInstant(scheduledFor)!,
          ),
          // A channel that was deleted in the meantime stays failed.
          channels: before.channels.map((channel) => ({
            ...channel,
            failed_to_publish: channel.deleted && !channel.published,
          })),
        }
      },
      describe: (_before, after) => ({ scheduledFor: after.scheduled_for?.toISOString() }),
    }),
})

/** Always refused: the publisher publishes an approved post at its time. */
export const publishScheduledPost = operation({
  operationId: 'publishScheduledPost',
  summary: 'Always refused: the service publishes a post at its time, once a human has approved it.',
  description:
    'Do not call this. It always returns approval_is_human, with a message that explains how posts are published.',
  route: 'POST /scheduled-posts/{scheduledPostId}/publish',
  surfaces: ['v1'],
  permission: 'posts:approve',
  answers: [200],
  success: scheduledPostBody,
  handle() {
    throw new ApiError('approval_is_human')
  },
})

/** Delete a post that is neither published nor being published. Its hashtags become available; its history stays. */
export const deleteScheduledPost = operation({
  ...postChange,
  operationId: 'deleteScheduledPost',
  summary: 'Delete a scheduled post that is not being published and has not been.',
  description:
    'Use it for a post that is no longer needed. Its hashtags become available again, and its history stays. Costs one transaction.',
  route: 'DELETE /scheduled-posts/{scheduledPostId}',
  surfaces: ['v1', 'api'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  // Unlike other changes, the response has no post.
  successOn: {},
  success: namedObject('Message', { message: Joi.string().required() }),
  async handle(call, { clock, database }) {
    const { principal, scheduledPostId, ifMatch } = toTarget(call)
    await database.transaction(async (tx) => {
      const checkChannels = await holdChannelRoles(tx, principal, 'posts:write')
      const post = await lockScheduledPost(tx, principal.organizationId, scheduledPostId)
      checkChannels(post.channels)
      checkIfMatch(ifMatch, post)
      nextStatus('delete', post.status)
      const at = notBefore(post.updated_at, new Date(clock.now()))
      await deleteScheduledPostRow(tx, post, { actor: principal.actor, at })
    })
    return ok({ message: 'The post is deleted.' })
  },
})
