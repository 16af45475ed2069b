import { ok, operation } from '../../http/operation.js'
import type { DeletedDiscussionMessage } from '../../interface/generated/types.js'
import { removeMessage } from './change-message.js'
import { deletedMessageBody } from './message.js'

/** Delete a message for good: one's own, or as an administrator any. */
export const deleteDiscussionMessage = operation({
  operationId: 'deleteDiscussionMessage',
  summary: 'Delete a message of the discussion of a post.',
  description:
    'For its author, and for an administrator (who may change members). Its text is gone for good. Where others have replied, the message stays as deleted. Costs one small transaction.',
  route: 'DELETE /scheduled-posts/{scheduledPostId}/discussion/{messageId}',
  permission: 'posts:read',
  answers: [200, 400, 403, 404],
  success: deletedMessageBody,
  async handle({ params: { scheduledPostId, messageId }, principal }, context) {
    const operation = 'deleteDiscussionMessage'
    const removed = await removeMessage(context, principal, { scheduledPostId, messageId, operation })
    return ok({ id: messageId, removed } satisfies DeletedDiscussionMessage)
  },
})
