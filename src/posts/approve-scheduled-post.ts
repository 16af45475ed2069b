import { ApiError } from '../errors.js'
import { operation } from '../http/operation.js'
import { scheduledPostParams } from './scheduled-post.js'

/** Refused to every key, whatever the post. */
export const approveScheduledPost = operation({
  operationId: 'approveScheduledPost',
  summary: "Refused: a human approves, on the operator's side.",
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/approve',
  answers: [400, 402, 403, 422],
  params: scheduledPostParams,
  async handle() {
    throw new ApiError('approval_is_human')
  },
})
