import Joi from 'joi'
import { findActorNames } from '../../audit/actors.store.js'
import type { Queryable } from '../../database/database.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { namedObject } from '../../http/named.js'
import { created, ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { Principal } from '../../http/principal.js'
import type { DeletedDiscussionMessage, ReviewMessage } from '../../interface/generated/types.js'
import { linkedPostNumber, linkedPostParams, requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { byLink } from '../review-links/review-link.js'
import { listMessages, type MessageRow } from './discussion.store.js'
import { deletedMessageBody, PAGE_BYTES_MAX, PAGE_ROWS_MAX, replyToSchema, textSchema } from './message.js'
import { editMessage, isOwn, removeMessage, writeMessage } from './write-message.js'

/** The number of the post in the link, and a message about it. */
const linkedMessageParams = Joi.object<{ number: string; messageId: string }, true>({
  number: linkedPostNumber,
  messageId: Joi.string().required(),
})

/** A message without the ids of people, and without mentions. */
const reviewMessageBody = namedObject('ReviewMessage', {
  id: Joi.string().required(),
  replyTo: Joi.string().description('The first message of the thread; absent on that message itself.'),
  author: Joi.string().description(
    'The name of the author; absent if the author is not a person, or if the account was deleted.',
  ),
  own: Joi.boolean().required().description('The holder of this link wrote it.'),
  text: Joi.string().allow('').required().description('Empty once the message is deleted.'),
  createdAt: Joi.string().isoDate().required(),
  edited: Joi.boolean().required(),
  deleted: Joi.boolean().required(),
  resolved: Joi.boolean().required().description('Only on the first message of a thread.'),
})

/** Returns the shared messages as the holder of a link reads them. */
async function toReviewMessages(
  database: Queryable,
  principal: Principal,
  rows: readonly MessageRow[],
): Promise<ReviewMessage[]> {
  const authors = rows.map(({ author_type: type, author_id: id }) => ({ type, id }))
  const names = await findActorNames(database, principal.organizationId, authors)
  return rows.map((row) => ({
    id: row.message_id,
    replyTo: row.reply_to ?? undefined,
    author: row.outsider_name ?? names.get(`${row.author_type}:${row.author_id}`),
    own: isOwn(row, principal),
    text: row.text,
    createdAt: row.created_at.toISOString(),
    edited: row.edited_at !== null,
    deleted: row.deleted_at !== null,
    resolved: row.resolved_at !== null,
  }))
}

/** List the messages about one post of a link that members have shared with people outside. Idempotent. */
export const listMessagesForReview = operation({
  ...byLink,
  operationId: 'listMessagesForReview',
  summary: 'List the messages about one post that are shared with the holder of the link, oldest first.',
  description:
    'Works only while the holder may decide about the post. The response has no messages that members did not share. Costs one small read, and two of the page.',
  route: 'GET /posts/{number}/discussion',
  answers: [200, 400, 404],
  params: linkedPostParams,
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Messages per page: at most 200.'),
    after: afterSchema,
  }),
  success: pageBody(reviewMessageBody),
  async handle(call, { database, cursorKey }) {
    const { query, principal, meter } = call
    const { organizationId } = principal
    const scheduledPostId = await requireOpenLinkedPost(call, database)
    const scope = ['listMessagesForReview', organizationId, scheduledPostId]
    const must = 'the nextCursor of a response for the same post'
    const [after = 0] = readCursor<[number]>(cursorKey, scope, query.after, must) ?? []
    const page = { after, rows: Math.min(query.limit, PAGE_ROWS_MAX), bytes: PAGE_BYTES_MAX, sharedOnly: true }
    const { messages, next } = await listMessages(database, { organizationId, scheduledPostId }, page)
    meter.rows = messages.length
    const items = await toReviewMessages(database, principal, messages)
    return ok(toPage(cursorKey, scope, items, next === undefined ? undefined : [next]))
  },
})

/** Write a message about one post of a link, under the name on the link. */
export const createMessageForReview = operation({
  ...byLink,
  operationId: 'createMessageForReview',
  summary: 'Write a message about one post of a link, or reply to a shared one.',
  description:
    'Use it for a question or a remark without a decision, while the holder may decide about the post. Members of the organization see it under the name on the link. Costs one small transaction.',
  route: 'POST /posts/{number}/discussion',
  answers: [201, 400, 404, 409],
  params: linkedPostParams,
  body: namedObject('NewReviewMessage', { text: textSchema, replyTo: replyToSchema }),
  success: reviewMessageBody,
  async handle(call, context) {
    const scheduledPostId = await requireOpenLinkedPost(call, context.database)
    const written = { ...call.body, scheduledPostId, operation: 'createMessageForReview' }
    const message = await writeMessage(context, call.principal, written)
    const [body] = await toReviewMessages(context.database, call.principal, [message])
    return created(body)
  },
})

/** Change a message about one post of a link that was written with this link. Idempotent. */
export const updateMessageForReview = operation({
  ...byLink,
  operationId: 'updateMessageForReview',
  summary: 'Change a message about one post of a link that was written with this link.',
  description:
    'Use it to correct a text, while the holder may decide about the post. The message is then marked as edited. Messages written with another link cannot be changed. Costs one small transaction.',
  route: 'PATCH /posts/{number}/discussion/{messageId}',
  answers: [200, 400, 403, 404],
  params: linkedMessageParams,
  body: namedObject('ReviewMessagePatch', { text: textSchema }),
  success: reviewMessageBody,
  async handle(call, context) {
    const edited = {
      scheduledPostId: await requireOpenLinkedPost(call, context.database),
      messageId: call.params.messageId,
      text: call.body.text,
      mentions: [],
      operation: 'updateMessageForReview',
    }
    const message = await editMessage(context, call.principal, edited)
    const [body] = await toReviewMessages(context.database, call.principal, [message])
    return ok(body)
  },
})

/** Permanently delete a message about one post of a link that was written with this link. */
export const deleteMessageForReview = operation({
  ...byLink,
  operationId: 'deleteMessageForReview',
  summary: 'Delete a message about one post of a link that was written with this link.',
  description:
    'Works only while the holder may decide about the post. The text is permanently deleted. If others have replied, the message stays, marked as deleted. Messages written with another link cannot be deleted. Costs one small transaction.',
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
