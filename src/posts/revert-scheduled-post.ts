import { operation } from '../http/operation.js'
import { toTarget } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { scheduledPostBody, scheduledPostParams, toPostAnswer } from './scheduled-post.js'
import { revertPost } from './verbs.js'

/** Take a SCHEDULED post back to DRAFT, which cancels its task. */
export const revertScheduledPost = operation({
  operationId: 'revertScheduledPost',
  summary: 'Return a SCHEDULED post to DRAFT: it will not be published.',
  description: 'For a post that must not go out as it is. It needs a new approval afterwards. Costs one transaction.',
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/revert',
  surfaces: ['v1', 'console'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  params: scheduledPostParams,
  headers: ifMatchHeader,
  success: scheduledPostBody,
  async handle(call, context) {
    return toPostAnswer(await revertPost(context, toTarget(call)), call.principal)
  },
})
