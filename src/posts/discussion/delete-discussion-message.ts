import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { holdsAny } from '../../http/principal.js'
import type { DeletedDiscussionMessage } from '../../interface/discussion.js'
import { deleteMessage } from './discussion.store.js'
import { messageParams } from './message.js'
import { changeDiscussion, isOwn, requireMessage } from './write-message.js'

/** Delete a message for good: one's own, or as an administrator any. */
export const deleteDiscussionMessage = operation({
  operationId: 'deleteDiscussionMessage',
  summary: 'Delete a message of the discussion of a post.',
  description:
    'For its author, and for an administrator (who may change members). Its text is gone for good. Where others have replied, the message stays as deleted. Costs one small transaction.',
  method: 'DELETE',
  path: '/scheduled-posts/{scheduledPostId}/discussion/{messageId}',
  surfaces: ['operator', 'console'],
  permission: 'posts:read',
  answers: [200, 400, 403, 404],
  params: messageParams,
  success: Joi.object<DeletedDiscussionMessage, true>({
    id: Joi.string().required(),
    removed: Joi.boolean().required().description('`false` where it stays as deleted, because it has replies.'),
  }),
  async handle({ params: { scheduledPostId, messageId }, principal }, context) {
    const removed = await changeDiscussion(context, principal, scheduledPostId, async ({ tx, key, at, record }) => {
      const message = await requireMessage(tx, key, messageId)
      const mayDelete = isOwn(message, principal) || holdsAny(principal.permissions, 'people:write')
      if (!mayDelete) throw new ApiError('message_not_yours')
      await record('deleteDiscussionMessage', message)
      return deleteMessage(tx, key, message, at)
    })
    return ok({ id: messageId, removed } satisfies DeletedDiscussionMessage)
  },
})
