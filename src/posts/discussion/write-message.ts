import { recordAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { holdsAny, holdsAnywhere, idOfActor, type Principal, textOfActor, tokenOfActor } from '../../http/principal.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { addInboxEntries, removeMessageNews, updateMessageNews } from '../../news/inbox/inbox.store.js'
import { requireOpenPost } from '../change-post.js'
import {
  countMessages,
  type DiscussionKey,
  deleteMessage,
  findConcerned,
  findMessage,
  insertMessage,
  listStrangers,
  lockDiscussion,
  type MessageRow,
  setResolved,
  updateMessage,
} from './discussion.store.js'

const MESSAGES_MAX = limit('discussionMessages')
const LINK_MESSAGES_MAX = limit('discussionMessagesOfLink')

type DiscussionContext = Pick<Context, 'clock' | 'database'>

/** A change of a discussion. The post is locked, and `at` is read after that, so that later changes have later times. */
interface DiscussionChange {
  tx: Queryable
  key: DiscussionKey
  at: Date
  /** Writes the change to the audit trail, which the post's history reads. It never contains the text of a message. */
  record: (operation: string, message: Pick<MessageRow, 'message_id' | 'shared'>) => Promise<void>
}

/**
 * Everyone who may read a post may discuss it, except programs with only read permissions: a message carries its person's
 * name, and people outside may see it. Throws permission_missing.
 */
function requireWriter({ actor, permissions, channels }: Principal): void {
  const isProgram = actor.type === 'key' || tokenOfActor(actor) !== null
  if (!isProgram || holdsAny(permissions, 'posts:write') || holdsAnywhere(channels, 'posts:write')) return
  throw new ApiError('permission_missing', {
    message: 'A program needs the permission posts:write to take part in discussions, and this one lacks it.',
  })
}

/**
 * Changes a post's discussion in its own transaction. The holder of a link may change it while they may decide about the
 * post. Throws permission_missing, post_not_found and wrong_state.
 */
export async function changeDiscussion<Result>(
  { database, clock }: DiscussionContext,
  principal: Principal,
  scheduledPostId: string,
  change: (given: DiscussionChange) => Promise<Result>,
): Promise<Result> {
  requireWriter(principal)
  return await database.transaction(async (tx) => {
    const { link, organizationId } = principal
    const key = { organizationId, scheduledPostId }
    await lockDiscussion(tx, key)
    const at = new Date(clock.now())
    if (link !== undefined) await requireOpenPost(tx, principal, scheduledPostId, at)
    // The trail outlives the link, so it names the person.
    const outsider = link && { name: link.name, linkOf: link.madeBy }
    return change({
      ...{ tx, key, at },
      record: (operation, { message_id: messageId, shared }) =>
        recordAudit(tx, {
          ...{ principal, at, operation },
          target: { type: 'discussion', id: scheduledPostId },
          changes: { messageId, shared, ...(outsider && { detail: { outsider } }) },
        }),
    })
  })
}

interface NewMessage {
  scheduledPostId: string
  text: string
  mentions?: readonly string[] | undefined
  replyTo?: string | undefined
  shared?: boolean | undefined
  operation: string
}

/**
 * Writes a message. A reply reopens a resolved thread, because it may ask for a response. A person with a link writes only
 * in shared threads: other threads do not exist for them.
 */
export const writeMessage = (
  context: DiscussionContext,
  principal: Principal,
  { scheduledPostId, text, mentions = [], replyTo, shared = false, operation }: NewMessage,
): Promise<MessageRow> =>
  changeDiscussion(context, principal, scheduledPostId, async ({ tx, key, at, record }) => {
    const { link } = principal
    const thread = replyTo === undefined ? undefined : await requireThread(tx, key, replyTo)
    if (link !== undefined && thread?.shared === false) throw new ApiError('message_not_found')
    await requireRoom(tx, key, principal)
    await requireMembers(tx, principal, mentions)
    const message: MessageRow = {
      ...{ message_id: newId('msg'), reply_to: thread?.message_id ?? null },
      shared: link !== undefined || (thread?.shared ?? shared),
      ...authorColumns(principal),
      ...{ text, mentions: [...mentions], created_at: at, edited_at: null, deleted_at: null },
      ...{ resolved_at: null, resolved_by_type: null, resolved_by_id: null },
    }
    await insertMessage(tx, key, message)
    await record(operation, message)
    if (thread !== undefined && (await setResolved(tx, key, thread.message_id, { by: null, at }))) {
      await record('reopenDiscussionMessage', thread)
    }
    await notifyConcerned(tx, principal, message, { key, at, mentioned: mentions })
    return message
  })

const authorColumns = ({ actor, link }: Principal) => ({
  author_type: actor.type as MessageRow['author_type'],
  author_id: idOfActor(actor),
  outsider_name: link?.name ?? null,
  link_of: link?.madeBy ?? null,
})

const QUOTED_CHARS = 500

/** Returns the part of a message that its inbox entries quote. */
const quoteOf = (text: string): string => [...text].slice(0, QUOTED_CHARS).join('')

/**
 * Adds inbox entries for the people the message concerns, in the transaction that writes it: "you are mentioned" for
 * those it mentions, "there is a message" for the others.
 */
async function notifyConcerned(
  tx: Queryable,
  { actor, link, organizationId }: Principal,
  { message_id: messageId, text }: MessageRow,
  {
    key,
    at,
    mentioned,
    onlyMentioned = false,
  }: { key: DiscussionKey; at: Date; mentioned: readonly string[]; onlyMentioned?: boolean },
): Promise<void> {
  const concerned = await findConcerned(tx, key, { author: actor, mentioned, onlyMentioned })
  const detail = { messageId, text: quoteOf(text), ...(link === undefined ? {} : { outsider: link.name }) }
  const news = { scheduledPostId: key.scheduledPostId, at, actor, detail }
  await addInboxEntries(
    tx,
    organizationId,
    concerned.map((personId) => ({ ...news, personId, kind: mentioned.includes(personId) ? 'mentioned' : 'replied' })),
  )
}

/** Returns the message, unless it is deleted, or internal and the caller has a link. Throws message_not_found. */
async function requireMessage(
  tx: Queryable,
  key: DiscussionKey,
  messageId: string,
  { link }: Pick<Principal, 'link'>,
): Promise<MessageRow> {
  const message = await findMessage(tx, key, messageId)
  if (message === undefined || message.deleted_at !== null) throw new ApiError('message_not_found')
  if (link !== undefined && !message.shared) throw new ApiError('message_not_found')
  return message
}

/** Returns the first message of this message's thread, even if it is deleted. Throws message_not_found. */
export async function requireThread(tx: Queryable, key: DiscussionKey, messageId: string): Promise<MessageRow> {
  const message = await findMessage(tx, key, messageId)
  if (message === undefined) throw new ApiError('message_not_found')
  return message.reply_to === null ? message : requireThread(tx, key, message.reply_to)
}

/** Returns whether the caller wrote the message. */
export const isOwn = ({ author_type: type, author_id: id }: MessageRow, { actor }: Pick<Principal, 'actor'>): boolean =>
  textOfActor(actor) === (id === null ? type : `${type}:${id}`)

/** Throws mention_unknown unless each of these is an active member who may read the organization's posts. */
async function requireMembers(
  tx: Queryable,
  { organizationId }: Pick<Principal, 'organizationId'>,
  personIds: readonly string[],
): Promise<void> {
  if (personIds.length === 0) return
  const strangers = await listStrangers(tx, organizationId, personIds)
  if (strangers.length > 0) throw new ApiError('mention_unknown')
}

async function requireRoom(tx: Queryable, key: DiscussionKey, { link }: Principal): Promise<void> {
  const count = await countMessages(tx, key, link?.id ?? null)
  if (count.all >= MESSAGES_MAX || count.of_link >= LINK_MESSAGES_MAX) throw new ApiError('discussion_full')
}

interface ChangedMessage {
  scheduledPostId: string
  messageId: string
  operation: string
}

/** Changes a message, which only its author may do. Sending the same text and mentions again changes nothing. */
export const editMessage = (
  context: DiscussionContext,
  principal: Principal,
  { text, mentions, ...changed }: ChangedMessage & { text: string; mentions: readonly string[] },
): Promise<MessageRow> =>
  changeDiscussion(context, principal, changed.scheduledPostId, async ({ tx, key, at, record }) => {
    const before = await requireMessage(tx, key, changed.messageId, principal)
    if (!isOwn(before, principal)) throw new ApiError('message_not_yours')
    // A member who was removed in the meantime stays mentioned.
    const mentioned = mentions.filter((id) => !before.mentions.includes(id))
    await requireMembers(tx, principal, mentioned)
    if (before.text === text && before.mentions.join() === mentions.join()) return before
    const after = { ...before, text, mentions: [...mentions], edited_at: at }
    await updateMessage(tx, key, after)
    await record(changed.operation, after)
    const news = { messageId: changed.messageId, text: quoteOf(text) }
    await updateMessageNews(tx, principal.organizationId, changed.scheduledPostId, news)
    await notifyConcerned(tx, principal, after, { key, at, mentioned, onlyMentioned: true })
    return after
  })

/**
 * Deletes a message for its author or an administrator. Returns false if it stays, marked as deleted, because it has
 * replies.
 */
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
