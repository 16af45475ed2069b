import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { updateMessage } from './discussion.store.js'
import { messageBody, messageParams, messagePatchBody, toMessageBodies } from './message.js'
import { changeDiscussion, isOwn, requireMembers, requireMessage, tellConcerned } from './write-message.js'

/** Change a message that one has written. Idempotent. */
export const updateDiscussionMessage = operation({
  operationId: 'updateDiscussionMessage',
  summary: 'Change a message of yours in the discussion of a post.',
  description:
    'For its author alone: the message then says that it was edited. Mentions that are left out stay only if you send them again; people who are mentioned for the first time are told. Costs one small transaction.',
  method: 'PATCH',
  path: '/scheduled-posts/{scheduledPostId}/discussion/{messageId}',
  surfaces: ['operator', 'console'],
  permission: 'posts:read',
  answers: [200, 400, 403, 404],
  params: messageParams,
  body: messagePatchBody,
  success: messageBody,
  async handle({ params: { scheduledPostId, messageId }, body: { text, mentions = [] }, principal }, context) {
    const message = await changeDiscussion(context, principal, scheduledPostId, async ({ tx, key, at, record }) => {
      const before = await requireMessage(tx, key, messageId)
      if (!isOwn(before, principal)) throw new ApiError('message_not_yours')
      // A member who was removed since stays mentioned.
      const mentioned = mentions.filter((id) => !before.mentions.includes(id))
      await requireMembers(tx, principal, mentioned)
      if (before.text === text && before.mentions.join() === mentions.join()) return before
      const after = { ...before, text, mentions: [...mentions], edited_at: at }
      await updateMessage(tx, key, after)
      await record('updateDiscussionMessage', after)
      await tellConcerned(tx, principal, after, { key, at, mentioned, onlyMentioned: true })
      return after
    })
    const [written] = await toMessageBodies(context.database, principal.organizationId, [message])
    return ok(written)
  },
})
