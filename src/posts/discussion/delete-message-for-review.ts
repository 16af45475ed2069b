import { ok, operation } from '../../http/operation.js'
import type { DeletedDiscussionMessage } from '../../interface/generated/types.js'
import { requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { byLink } from '../review-links/review-link.js'
import { removeMessage } from './change-message.js'
import { deletedMessageBody } from './message.js'
import { linkedMessageParams } from './review-message.js'

/** Delete a message about one post of a link for good that was written with this link. */
export const deleteMessageForReview = operation({
  ...byLink,
  operationId: 'deleteMessageForReview',
  summary: 'Delete a message about one post of a link that was written with this link.',
  description:
    'As long as the holder may decide about the post. Its text is gone for good. If others have replied, the message stays as deleted. What another link wrote stays. Costs one small transaction.',
  route: 'DELETE /posts/{number}/discussion/{messageId}',
  answers: [200, 400, 403, 404],
  params: linkedMessageParams,
  success: deletedMessageBody,
  async handle(call, context) {
    const { messageId } = call.params
    const scheduledPostId = await requireOpenLinkedPost(call, context.database)
    const deleted = { scheduledPostId, messageId, operation: 'deleteMessageForReview' }
    const removed = await removeMessage(context, call.principal, deleted)
    return ok({ id: messageId, removed } satisfies DeletedDiscussionMessage)
  },
})
