import type { Context } from '../../http/context.js'
import { type Answer, ok, operation } from '../../http/operation.js'
import { pathParams } from '../../http/params.js'
import type { Principal } from '../../http/principal.js'
import type { DeletedDiscussionMessage } from '../../interface/generated/types.js'
import { requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { requireLinkedPost } from '../review-links/review-link.js'
import { removeMessage } from './change-message.js'
import { deletedMessageBody } from './message.js'
import { linkedMessageParams } from './review-message.js'

const shared = {
  method: 'DELETE',
  surfaces: ['review'],
  permission: 'review',
  answers: [200, 400, 403, 404],
  success: deletedMessageBody,
} as const

/** Delete a message for good that one has written with the link. */
export const deleteReviewMessage = operation({
  ...shared,
  operationId: 'deleteReviewMessage',
  summary: 'Delete a message about the post of a link that was written with this link.',
  description:
    'Its text is gone for good. Where others have replied, the message stays as deleted. What another link wrote stays. Costs one small transaction.',
  path: '/discussion/{messageId}',
  params: pathParams('messageId'),
  handle: ({ params: { messageId }, principal }, context) =>
    answerDeleted(context, principal, {
      ...{ messageId, scheduledPostId: requireLinkedPost(principal) },
      operation: 'deleteReviewMessage',
    }),
})

/** The same about one post of a link to several. */
export const deleteMessageForReview = operation({
  ...shared,
  operationId: 'deleteMessageForReview',
  summary: 'Delete a message about one post of a link to several that was written with this link.',
  description:
    'As long as the holder may decide about the post. Its text is gone for good. Where others have replied, the message stays as deleted. Costs one small transaction.',
  path: '/posts/{number}/discussion/{messageId}',
  params: linkedMessageParams,
  handle: async (call, context) =>
    answerDeleted(context, call.principal, {
      messageId: call.params.messageId,
      scheduledPostId: await requireOpenLinkedPost(call, context.database),
      operation: 'deleteMessageForReview',
    }),
})

async function answerDeleted(
  context: Context,
  principal: Principal,
  deleted: { scheduledPostId: string; messageId: string; operation: string },
): Promise<Answer> {
  const removed = await removeMessage(context, principal, deleted)
  return ok({ id: deleted.messageId, removed } satisfies DeletedDiscussionMessage)
}
