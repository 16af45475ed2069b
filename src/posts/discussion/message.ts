import Joi from 'joi'
import { type StoredActorType, toActorBody } from '../../audit/actor.js'
import { findActorNames } from '../../audit/actors.store.js'
import type { Queryable } from '../../database/database.js'
import { named, namedObject } from '../../http/named.js'
import type { DiscussionActor, DiscussionMessage } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import type { MessageRow } from './discussion.store.js'

export const textSchema = Joi.string()
  .max(limit('discussionMessageChars'))
  .pattern(/\S/, 'not blank')
  .required()
  .description('Plain text, not blank.')

export const replyToSchema = Joi.string().description('The message of the thread that it replies to.')

const mentions = Joi.array()
  .items(Joi.string())
  .unique()
  .max(limit('discussionMentions'))
  .description('The ids of the mentioned members. Names in the text are never read as mentions.')

export const newMessageBody = named(
  'NewDiscussionMessage',
  Joi.object({
    text: textSchema,
    mentions,
    replyTo: replyToSchema,
    shared: Joi.boolean().description(
      '`true` shows the thread to people with a review link; `false` by default. A reply is shared if its thread is.',
    ),
  }).without('replyTo', 'shared'),
)

export const messagePatchBody = namedObject('DiscussionMessagePatch', {
  text: textSchema,
  mentions,
})

export const discussionActorBody = namedObject('DiscussionActor', {
  type: Joi.string().valid('key', 'user', 'operator', 'publisher', 'outsider').required(),
  id: Joi.string().description('The id of the person or the link, or the name of the operator token.'),
  name: Joi.string().description(
    "The person's current name; for a person with a review link, the name on the link. Absent for a person whose account was deleted.",
  ),
  linkOf: Joi.string().description("For a person with a review link, the name of the link's maker."),
})

export const messageBody = namedObject('DiscussionMessage', {
  id: Joi.string().required(),
  replyTo: Joi.string().description('The first message of the thread; absent on that message itself.'),
  shared: Joi.boolean().required().description('People with a review link also see it.'),
  author: discussionActorBody.required(),
  text: Joi.string().allow('').required().description('Empty once the message is deleted.'),
  mentions: Joi.array()
    .items(
      namedObject('MentionedPerson', {
        id: Joi.string().required(),
        name: Joi.string().allow('').required().description('Empty for a person whose account was deleted.'),
      }),
    )
    .required(),
  createdAt: Joi.string().isoDate().required(),
  editedAt: Joi.string().isoDate(),
  deletedAt: Joi.string().isoDate().description('When the message was deleted. It stays while it has replies.'),
  resolvedAt: Joi.string().isoDate().description('Only on the first message of a thread.'),
  resolvedBy: discussionActorBody,
})

export const deletedMessageBody = namedObject('DeletedDiscussionMessage', {
  id: Joi.string().required(),
  removed: Joi.boolean()
    .required()
    .description('`false` if the message stays, marked as deleted, because it has replies.'),
})

/** A stored actor of a discussion. Someone with a review link has a name, and the maker of the link. */
export interface StoredAuthor {
  type: StoredActorType
  id: string | null
  outsiderName?: string | null | undefined
  linkOf?: string | null | undefined
}

type Names = ReadonlyMap<string, string>

/** Finds the current names of these actors and people, by `<type>:<id>`, including people who left the organization. */
export const findNames = (
  database: Queryable,
  organizationId: string,
  authors: readonly StoredAuthor[],
  personIds: readonly string[] = [],
): Promise<Names> => {
  const makers = authors.flatMap(({ linkOf }) => linkOf ?? [])
  const people = [...personIds, ...makers].map((id) => ({ type: 'user', id }))
  return findActorNames(database, organizationId, [...authors, ...people])
}

export function toDiscussionActor({ type, id, outsiderName, linkOf }: StoredAuthor, names: Names): DiscussionActor {
  const name = outsiderName ?? names.get(`${type}:${id}`)
  const maker = linkOf == null ? undefined : names.get(`user:${linkOf}`)
  return {
    ...toActorBody(type, id),
    ...(name === undefined ? {} : { name }),
    ...(maker === undefined ? {} : { linkOf: maker }),
  }
}

const authorOf = ({ author_type, author_id, outsider_name, link_of }: MessageRow): StoredAuthor => ({
  type: author_type,
  id: author_id,
  outsiderName: outsider_name,
  linkOf: link_of,
})

const resolverOf = ({ resolved_by_type: type, resolved_by_id: id }: MessageRow): StoredAuthor[] =>
  type === null ? [] : [{ type, id }]

/** Returns messages as members read them. */
export async function toMessageBodies(
  database: Queryable,
  organizationId: string,
  rows: readonly MessageRow[],
): Promise<DiscussionMessage[]> {
  const authors = rows.flatMap((row) => [authorOf(row), ...resolverOf(row)])
  const mentioned = rows.flatMap((row) => row.mentions)
  const names = await findNames(database, organizationId, authors, mentioned)
  return rows.map((row) => toMessageBody(row, names))
}

function toMessageBody(row: MessageRow, names: Names): DiscussionMessage {
  const [resolver] = resolverOf(row)
  return {
    id: row.message_id,
    replyTo: row.reply_to ?? undefined,
    shared: row.shared,
    author: toDiscussionActor(authorOf(row), names),
    text: row.text,
    mentions: row.mentions.map((id) => ({ id, name: names.get(`user:${id}`) ?? '' })),
    createdAt: row.created_at.toISOString(),
    editedAt: row.edited_at?.toISOString(),
    deletedAt: row.deleted_at?.toISOString(),
    resolvedAt: row.resolved_at?.toISOString(),
    resolvedBy: resolver && toDiscussionActor(resolver, names),
  }
}

/** The largest page of a discussion or of its changes. */
export const PAGE_ROWS_MAX = 200
export const PAGE_BYTES_MAX = limit('pageBytes')
