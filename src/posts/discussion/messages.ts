import Joi from 'joi'
import type { Context } from '../../http/context.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { type Answer, created, ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { Principal } from '../../http/principal.js'
import type { DeletedDiscussionMessage } from '../../interface/generated/types.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { listMessages, setResolved } from './discussion.store.js'
import {
  deletedMessageBody,
  messageBody,
  messagePatchBody,
  newMessageBody,
  PAGE_BYTES_MAX,
  PAGE_ROWS_MAX,
  toMessageBodies,
} from './message.js'
import { changeDiscussion, editMessage, removeMessage, requireThread, writeMessage } from './write-message.js'

/** List a post's discussion in the order it was written. Idempotent. */
export const listDiscussionMessages = operation({
  operationId: 'listDiscussionMessages',
  summary: 'List the messages in the discussion of a post, oldest first.',
  description:
    'Use it to read what colleagues said about a post. A message without `replyTo` starts a thread, which is open until it has a `resolvedAt`. Comments under the published post are listed by listPostComments. Costs two reads of the page.',
  route: 'GET /scheduled-posts/{scheduledPostId}/discussion',
  permission: 'posts:read',
  answers: [200, 404],
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Messages per page: at most 200.'),
    after: afterSchema,
  }),
  success: pageBody(messageBody),
  async handle({ params: { scheduledPostId }, query, principal: { organizationId }, meter }, { database, cursorKey }) {
    const scope = ['listDiscussionMessages', organizationId, scheduledPostId]
    const must = 'the nextCursor of a response for the same post'
    const [after = 0] = readCursor<[number]>(cursorKey, scope, query.after, must) ?? []
    const key = { organizationId, scheduledPostId }
    const page = { after, rows: Math.min(query.limit, PAGE_ROWS_MAX), bytes: PAGE_BYTES_MAX, sharedOnly: false }
    const { messages, next } = await listMessages(database, key, page)
    if (messages.length === 0) await requireScheduledPost(database, organizationId, scheduledPostId)
    meter.rows = messages.length
    const items = await toMessageBodies(database, organizationId, messages)
    return ok(toPage(cursorKey, scope, items, next === undefined ? undefined : [next]))
  },
})

/** Write a message in a post's discussion. Everyone who may read the post may write there. */
export const createDiscussionMessage = operation({
  operationId: 'createDiscussionMessage',
  summary: 'Write a message in the discussion of a post, or a reply to one.',
  description:
    'Write what colleagues should know about the post; with `shared`, people with a review link also read it. It never reaches the platform, and does not change the post or its ETag. A reply reopens a resolved thread. A program needs the permission posts:write to write, change or delete messages. Costs one small transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/discussion',
  permission: 'posts:read',
  answers: [201, 400, 404, 409],
  body: newMessageBody,
  success: messageBody,
  async handle({ params: { scheduledPostId }, body, principal }, context) {
    const operation = 'createDiscussionMessage'
    const message = await writeMessage(context, principal, { scheduledPostId, ...body, operation })
    const [written] = await toMessageBodies(context.database, principal.organizationId, [message])
    return created(written)
  },
})

/** Change the text or mentions of one's own message. Idempotent. */
export const updateDiscussionMessage = operation({
  operationId: 'updateDiscussionMessage',
  summary: 'Change one of your messages in the discussion of a post.',
  description:
    'Only the author can change a message, which is then marked as edited. Send all mentions again: those you omit are removed, and newly mentioned people are notified. Costs one small transaction.',
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

/** Permanently delete one's own message, or any message as an administrator. */
export const deleteDiscussionMessage = operation({
  operationId: 'deleteDiscussionMessage',
  summary: 'Delete a message in the discussion of a post.',
  description:
    'Only the author or an administrator (who may change members) can delete a message. The text is permanently deleted. If others have replied, the message stays, marked as deleted. Costs one small transaction.',
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

const shared = {
  permission: 'posts:read',
  answers: [200, 400, 404],
  success: messageBody,
} as const

/** Mark a thread as resolved. Idempotent: the record keeps the first person who did so. */
export const resolveDiscussionMessage = operation({
  ...shared,
  operationId: 'resolveDiscussionMessage',
  summary: 'Mark a thread of the discussion of a post as resolved.',
  description:
    "Use it when a question is answered: the thread no longer counts as open. Anyone who may read the post can do it. The id of a reply resolves the reply's thread. Returns the first message of the thread. Costs one small transaction.",
  route: 'POST /scheduled-posts/{scheduledPostId}/discussion/{messageId}/resolve',
  handle: ({ params, principal }, context) => answerResolved(context, principal, params, 'resolveDiscussionMessage'),
})

/** Reopen a resolved thread. Idempotent. */
export const reopenDiscussionMessage = operation({
  ...shared,
  operationId: 'reopenDiscussionMessage',
  summary: 'Reopen a resolved thread in the discussion of a post.',
  description:
    'Use it when a question is not answered after all. A reply also reopens the thread. Returns the first message of the thread. Costs one small transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/discussion/{messageId}/reopen',
  handle: ({ params, principal }, context) => answerResolved(context, principal, params, 'reopenDiscussionMessage'),
})

async function answerResolved(
  context: Context,
  principal: Principal,
  { scheduledPostId, messageId }: { scheduledPostId: string; messageId: string },
  operationId: 'resolveDiscussionMessage' | 'reopenDiscussionMessage',
): Promise<Answer> {
  const by = operationId === 'resolveDiscussionMessage' ? principal.actor : null
  const thread = await changeDiscussion(context, principal, scheduledPostId, async ({ tx, key, at, record }) => {
    const before = await requireThread(tx, key, messageId)
    if (!(await setResolved(tx, key, before.message_id, { by, at }))) return before
    await record(operationId, before)
    return requireThread(tx, key, messageId)
  })
  const [body] = await toMessageBodies(context.database, principal.organizationId, [thread])
  return ok(body)
}
