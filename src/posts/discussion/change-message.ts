import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { holdsAny, type Principal } from '../../http/principal.js'
import { removeMessageNews, updateMessageNews } from '../../inbox/inbox.store.js'
import { deleteMessage, type MessageRow, updateMessage } from './discussion.store.js'
import { changeDiscussion, isOwn, quoteOf, requireMembers, requireMessage, tellConcerned } from './write-message.js'

interface ChangedMessage {
  scheduledPostId: string
  messageId: string
  operation: string
}

type DiscussionContext = Pick<Context, 'clock' | 'database'>

/** Changes a message for its author alone. The same text and mentions again are no change. */
export const editMessage = (
  context: DiscussionContext,
  principal: Principal,
  { text, mentions, ...changed }: ChangedMessage & { text: string; mentions: readonly string[] },
): Promise<MessageRow> =>
  changeDiscussion(context, principal, changed.scheduledPostId, async ({ tx, key, at, record }) => {
    const before = await requireMessage(tx, key, changed.messageId, principal)
    if (!isOwn(before, principal)) throw new ApiError('message_not_yours')
    // A member who was removed since stays mentioned.
    const mentioned = mentions.filter((id) => !before.mentions.includes(id))
    await requireMembers(tx, principal, mentioned)
    if (before.text === text && before.mentions.join() === mentions.join()) return before
    const after = { ...before, text, mentions: [...mentions], edited_at: at }
    await updateMessage(tx, key, after)
    await record(changed.operation, after)
    const news = { messageId: changed.messageId, text: quoteOf(text) }
    await updateMessageNews(tx, principal.organizationId, changed.scheduledPostId, news)
    await tellConcerned(tx, principal, after, { key, at, mentioned, onlyMentioned: true })
    return after
  })

/** Deletes a message for its author or an administrator; false where it stays as deleted, because it has replies. */
export const removeMessage = (
  context: DiscussionContext,
  principal: Principal,
  { scheduledPostId, messageId, operation }: ChangedMessage,
): Promise<boolean> =>
  changeDiscussion(context, principal, scheduledPostId, async ({ tx, key, at, record }) => {
    const message = await requireMessage(tx, key, messageId, principal)
    const mayDelete = isOwn(message, principal) || holdsAny(principal.permissions, 'people:write')
    if (!mayDelete) throw new ApiError('message_not_yours')
    await record(operation, message)
    await removeMessageNews(tx, principal.organizationId, scheduledPostId, messageId)
    return deleteMessage(tx, key, message, at)
  })
