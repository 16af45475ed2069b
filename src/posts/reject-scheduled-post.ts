import { operation } from '../http/operation.js'
import { postChange, toTarget } from './change-post.js'
import { rejectPost } from './decisions.js'
import { rejectionBody, toPostAnswer } from './scheduled-post.js'

/** Refuse a post that waits for approval. The notes say why and become the post's. */
export const rejectScheduledPost = operation({
  ...postChange,
  operationId: 'rejectScheduledPost',
  summary: 'Reject a post that waits for approval, with notes that say why.',
  description:
    "For the one who reviews: who may approve may reject as well. The notes become the post's, and its author returns it to DRAFT or submits it again. Costs one transaction.",
  route: 'POST /scheduled-posts/{scheduledPostId}/reject',
  surfaces: ['v1', 'api'],
  permission: ['posts:write', 'posts:approve'],
  answers: [200, 400, 404, 412],
  body: rejectionBody,
  async handle(call, context) {
    return toPostAnswer(await rejectPost(context, toTarget(call), call.body.notes), call.principal)
  },
})
