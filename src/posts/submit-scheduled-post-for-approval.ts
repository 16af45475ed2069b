import { operation } from '../http/operation.js'
import { answerChange, postChange } from './change-post.js'

/** Hand a DRAFT or REJECTED post that is ready to be published to a human for approval. */
export const submitScheduledPostForApproval = operation({
  ...postChange,
  operationId: 'submitScheduledPostForApproval',
  summary: 'Submit a DRAFT or REJECTED post for approval.',
  description:
    'For a post that is complete: it must pass the publish check, and a human decides next. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/submit-for-approval',
  surfaces: ['v1', 'api'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  handle: (call, context) =>
    answerChange(call, context, { permission: 'posts:write', trigger: 'submit', action: 'submitted' }),
})
