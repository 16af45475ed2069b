import { ApiError } from '../errors.js'
import { operation } from '../http/operation.js'
import { scheduledPostParams } from './scheduled-post.js'

/** Refused to every key, whatever the post. */
export const publishScheduledPost = operation({
  operationId: 'publishScheduledPost',
  summary: 'Refused: the service publishes a post at its time, once a human has approved it.',
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/publish',
  answers: [400, 402, 403, 422],
  params: scheduledPostParams,
  async handle() {
    throw new ApiError('approval_is_human')
  },
})
