import Joi from 'joi'
import { findActorNames } from '../../access/actors.store.js'
import type { Queryable } from '../../database/database.js'
import { namedObject } from '../../http/named.js'
import type { Principal } from '../../http/principal.js'
import type { ReviewMessage } from '../../interface/generated/types.js'
import { linkedPostNumber } from '../review-links/linked-posts.js'
import type { MessageRow } from './discussion.store.js'
import { isOwn } from './write-message.js'

/** The number of the post in the link, and a message about it. */
export const linkedMessageParams = Joi.object<{ number: string; messageId: string }, true>({
  number: linkedPostNumber,
  messageId: Joi.string().required(),
})

/** A message without the ids of people, and without those whom it mentions. */
export const reviewMessageBody = namedObject('ReviewMessage', {
  id: Joi.string().required(),
  replyTo: Joi.string().description('The message that begins the thread; absent for that one itself.'),
  author: Joi.string().description(
    'The name of the person who wrote it; absent where it is not a person, and where the account was deleted.',
  ),
  own: Joi.boolean().required().description('The holder of this link wrote it.'),
  text: Joi.string().allow('').required().description('Empty once it is deleted.'),
  createdAt: Joi.string().isoDate().required(),
  edited: Joi.boolean().required(),
  deleted: Joi.boolean().required(),
  resolved: Joi.boolean().required().description('For the message that begins a thread.'),
})

/** The shared messages as the holder of a link reads them. */
export async function toReviewMessages(
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
