import { operation } from '../http/operation.js'
import { answerChange, postChange } from './change-post.js'
import { undoReview } from './decisions.js'

/** Take back an approval, or a return, that one has given oneself: the post waits for approval again. */
export const undoDecision = operation({
  ...postChange,
  operationId: 'undoDecision',
  summary: 'Take back your own decision about a post',
  description:
    'For a decision that was a mistake. An approval can be taken back until the publisher has claimed the post, a return until the post is changed. Only the person who decided can do it. The post waits for approval as before, its last review and its notes included. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/undo-decision',
  permission: ['posts:write', 'posts:approve'],
  answers: [200, 400, 404, 412],
  handle: (call, context) =>
    answerChange(call, context, {
      permission: ['posts:write', 'posts:approve'],
      trigger: 'undoDecision',
      action: 'reverted',
      operation: 'undoDecision',
      edit: (before, tx) => undoReview(tx, before, call.principal),
      describe: ({ status }) => ({ decision: status === 'SCHEDULED' ? 'approved' : 'rejected' }),
    }),
})
