import { operation } from '../http/operation.js'
import { changePost, toTarget } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { scheduledPostBody, scheduledPostParams, toPostAnswer } from './scheduled-post.js'

/** Hand a DRAFT or REJECTED post that is ready to be published to a human for approval. */
export const submitScheduledPostForApproval = operation({
  operationId: 'submitScheduledPostForApproval',
  summary: 'Submit a DRAFT or REJECTED post for approval.',
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/submit-for-approval',
  answers: [200, 400, 402, 403, 404, 412, 422],
  params: scheduledPostParams,
  headers: ifMatchHeader,
  success: scheduledPostBody,
  async handle(call, context) {
    const target = toTarget(call.params.scheduledPostId, call)
    return toPostAnswer(await changePost(context, target, { trigger: 'submit', action: 'submitted' }))
  },
})
