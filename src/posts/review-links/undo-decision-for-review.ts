import Joi from 'joi'
import { reopenLinkedPost } from '../../access/review-links/linked-posts.store.js'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { changePost } from '../change-post.js'
import { undoReview } from '../decisions.js'
import { ifMatchHeader } from '../etag.js'
import { linkedPostParams, requireLinkedTarget } from './linked-posts.js'
import { byLink, requireGrant } from './review-link.js'

/** Take back a decision that was made by this link: the post waits for approval again. */
export const undoDecisionForReview = operation({
  ...byLink,
  operationId: 'undoDecisionForReview',
  summary: 'Take back a decision that was made by this link about one of its posts.',
  description:
    'For a decision that was a mistake. An approval can be taken back until the publisher has claimed the post, a return until the post is changed, and both while the link works: the decision about its only post ends it. The post waits for approval as before. Costs one transaction.',
  route: 'POST /posts/{number}/undo-decision',
  answers: [200, 400, 404, 412],
  params: linkedPostParams,
  headers: ifMatchHeader,
  success: Joi.object({}),
  async handle(call, context) {
    const { principal } = call
    const target = await requireLinkedTarget(call, context.database)
    const { organizationId } = principal
    const place = { organizationId, linkId: requireGrant(principal).id, scheduledPostId: target.scheduledPostId }
    await changePost(context, target, {
      permission: 'review',
      trigger: 'undoDecision',
      action: 'reverted',
      operation: 'undoDecisionForReview',
      async edit(before, tx) {
        const after = await undoReview(tx, before, principal)
        if (!(await reopenLinkedPost(tx, place))) throw new ApiError('decision_not_yours')
        return after
      },
      describe: ({ status }) => ({ decision: status === 'SCHEDULED' ? 'approved' : 'rejected' }),
    })
    return ok({})
  },
})
