import { operation } from '../http/operation.js'
import { answerChange, postChange } from './change-post.js'

/** Take a SCHEDULED post back to DRAFT, which cancels its task. */
export const revertScheduledPost = operation({
  ...postChange,
  operationId: 'revertScheduledPost',
  summary: 'Return a SCHEDULED post to DRAFT: it will not be published.',
  description: 'For a post that must not go out as it is. It needs a new approval afterwards. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/revert',
  surfaces: ['v1', 'api'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  handle: (call, context) =>
    answerChange(call, context, { permission: 'posts:write', trigger: 'revert', action: 'reverted' }),
})
