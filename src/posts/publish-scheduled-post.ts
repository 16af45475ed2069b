import { ApiError } from '../errors.js'
import { operation } from '../http/operation.js'
import { scheduledPostBody } from './scheduled-post.js'

/** Refused to everyone, whatever the post: the publisher publishes an approved post at its time. */
export const publishScheduledPost = operation({
  operationId: 'publishScheduledPost',
  summary: 'The service publishes a post at its time, once a human has approved it.',
  description: 'There is nothing to call: it only tells, with the code approval_is_human, how a post gets published.',
  route: 'POST /scheduled-posts/{scheduledPostId}/publish',
  surfaces: ['v1'],
  permission: 'posts:approve',
  answers: [200],
  success: scheduledPostBody,
  handle() {
    throw new ApiError('approval_is_human')
  },
})
