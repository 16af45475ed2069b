import { ok, operation } from '../../http/operation.js'
import { editMessage } from './change-message.js'
import { messageBody, messagePatchBody, toMessageBodies } from './message.js'

/** Change a message that one has written. Idempotent. */
export const updateDiscussionMessage = operation({
  operationId: 'updateDiscussionMessage',
  summary: 'Change a message of yours in the discussion of a post.',
  description:
    'For its author alone: the message then says that it was edited. Mentions that are left out stay only if you send them again; people who are mentioned for the first time are told. Costs one small transaction.',
  route: 'PATCH /scheduled-posts/{scheduledPostId}/discussion/{messageId}',
  permission: 'posts:read',
  answers: [200, 400, 403, 404],
  body: messagePatchBody,
  success: messageBody,
  async handle({ params: { scheduledPostId, messageId }, body: { text, mentions = [] }, principal }, context) {
    const operation = 'updateDiscussionMessage'
    const changed = { scheduledPostId, messageId, text, mentions, operation }
    const message = await editMessage(context, principal, changed)
    const [written] = await toMessageBodies(context.database, principal.organizationId, [message])
    return ok(written)
  },
})
