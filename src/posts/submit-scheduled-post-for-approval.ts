import { operation } from '../http/operation.js'
import { toTarget } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { scheduledPostBody, scheduledPostParams, toPostAnswer } from './scheduled-post.js'
import { submitPost } from './verbs.js'

/** Hand a DRAFT or REJECTED post that is ready to be published to a human for approval. */
export const submitScheduledPostForApproval = operation({
  operationId: 'submitScheduledPostForApproval',
  summary: 'Submit a DRAFT or REJECTED post for approval.',
  description:
    'For a post that is complete: it must pass the publish check, and a human decides next. Costs one transaction.',
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/submit-for-approval',
  surfaces: ['v1', 'console'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  params: scheduledPostParams,
  headers: ifMatchHeader,
  success: scheduledPostBody,
  async handle(call, context) {
    return toPostAnswer(await submitPost(context, toTarget(call)), call.principal)
  },
})
