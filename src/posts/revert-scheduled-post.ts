import { operation } from '../http/operation.js'
import { changePost, toTarget } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { scheduledPostBody, scheduledPostParams, toPostAnswer } from './scheduled-post.js'

/** Take a SCHEDULED post back to DRAFT, which cancels its task. */
export const revertScheduledPost = operation({
  operationId: 'revertScheduledPost',
  summary: 'Return a SCHEDULED post to DRAFT: it will not be published.',
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/revert',
  answers: [200, 400, 402, 403, 404, 412, 422],
  params: scheduledPostParams,
  headers: ifMatchHeader,
  success: scheduledPostBody,
  async handle(call, context) {
    const target = toTarget(call.params.scheduledPostId, call)
    return toPostAnswer(await changePost(context, target, { trigger: 'revert', action: 'reverted' }))
  },
})
