import type { StoredActorType } from '../../audit/actor.js'
import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows, listValues, readRow } from '../../database/queries.js'
import { ApiError } from '../../errors.js'
import { type Actor, idOfActor } from '../../http/principal.js'

/** The post of an organization to which a discussion belongs. */
export interface DiscussionKey {
  organizationId: string
  scheduledPostId: string
}

export interface MessageRow {
  message_id: string
  /** The first message of the thread; null for that message itself. */
  reply_to: string | null
  shared: boolean
  author_type: StoredActorType
  author_id: string | null
  outsider_name: string | null
  link_of: string | null
  text: string
  mentions: string[]
  created_at: Date
  edited_at: Date | null
  deleted_at: Date | null
  resolved_at: Date | null
  resolved_by_type: StoredActorType | null
  resolved_by_id: string | null
}

const COLUMNS = `m.message_id, m.reply_to, m.shared, m.author_type, m.author_id, m.outsider_name, m.link_of, m.text, m.mentions,
  m.created_at, m.edited_at, m.deleted_at, m.resolved_at, m.resolved_by_type, m.resolved_by_id`

const valuesOf = ({ organizationId, scheduledPostId }: DiscussionKey) => [organizationId, scheduledPostId] as const

/**
 * Locks the post until the transaction ends, so that changes of its discussion happen one at a time. Throws post_not_found,
 * and wrong_state if the post's content was removed: nothing would remove what is written later.
 */
export async function lockDiscussion(tx: Queryable, key: DiscussionKey): Promise<void> {
  const post = await findRow<{ content_removed_at: Date | null }>(
    tx,
    `select content_removed_at from scheduled_posts where organization_id = $1 and scheduled_post_id = $2
        for no key update`,
    valuesOf(key),
  )
  if (post === undefined) throw new ApiError('post_not_found')
  if (post.content_removed_at !== null) {
    throw new ApiError('wrong_state', {
      message: 'The content of this old post and its discussion were removed: write about a newer post.',
    })
  }
}

interface MessagePage {
  /** The position after which the page begins. */
  after: number
  rows: number
  bytes: number
  /** True for a reader with a review link. */
  sharedOnly: boolean
}

/** Returns a page of messages in the order they were written; `next` is the position of the last one if there are more. */
export async function listMessages(
  database: Queryable,
  key: DiscussionKey,
  { after, rows, bytes, sharedOnly }: MessagePage,
): Promise<{ messages: MessageRow[]; next: number | undefined }> {
  const found = await listRows<MessageRow & { place: number; total: number }>(
    database,
    `select ${COLUMNS}, place, sum(octet_length(m.text) + 300) over (order by place) as total
       from (select * from discussion_messages
              where organization_id = $1 and scheduled_post_id = $2 and place > $3 and (shared or not $4)
              order by place limit $5) m
      order by place`,
    [...valuesOf(key), after, sharedOnly, rows + 1],
  )
  const page = found.filter(({ total }, index) => index === 0 || (index < rows && total <= bytes))
  return {
    messages: page.map(({ place: _, total: __, ...message }) => message),
    next: found.length > page.length ? page.at(-1)!.place : undefined,
  }
}

export const findMessage = (tx: Queryable, key: DiscussionKey, messageId: string): Promise<MessageRow | undefined> =>
  findRow(
    tx,
    `select ${COLUMNS} from discussion_messages m
      where organization_id = $1 and scheduled_post_id = $2 and message_id = $3`,
    [...valuesOf(key), messageId],
  )

/** Counts the messages of the post, and those written with one link. */
export const countMessages = (
  tx: Queryable,
  key: DiscussionKey,
  linkId: string | null,
): Promise<{ all: number; of_link: number }> =>
  readRow(
    tx,
    `select count(*)::int as all,
            (count(*) filter (where author_type = 'outsider' and author_id = $3))::int as of_link
       from discussion_messages where organization_id = $1 and scheduled_post_id = $2`,
    [...valuesOf(key), linkId],
  )

export async function insertMessage(tx: Queryable, key: DiscussionKey, message: MessageRow): Promise<void> {
  const { columns, parameters, values } = insertion({ ...message, changed_at: message.created_at }, 3)
  await tx.query(
    `insert into discussion_messages (organization_id, scheduled_post_id, place, ${columns})
     select $1, $2, (select coalesce(max(place), 0) + 1 from discussion_messages
                      where organization_id = $1 and scheduled_post_id = $2), ${parameters}`,
    [...valuesOf(key), ...values],
  )
}

export const updateMessage = (
  tx: Queryable,
  key: DiscussionKey,
  { message_id, text, mentions, edited_at }: MessageRow,
): Promise<unknown> =>
  tx.query(
    `update discussion_messages set text = $4, mentions = $5, edited_at = $6, changed_at = $6
      where organization_id = $1 and scheduled_post_id = $2 and message_id = $3`,
    [...valuesOf(key), message_id, text, mentions, edited_at],
  )

/** Resolves a thread, or reopens it if `by` is null; returns false if nothing changed. */
export const setResolved = (
  tx: Queryable,
  key: DiscussionKey,
  threadId: string,
  { by, at }: { by: Actor | null; at: Date },
): Promise<boolean> =>
  hitsRow(
    tx,
    `update discussion_messages
        set resolved_at = case when $4::text is null then null else $6::timestamptz end, resolved_by_type = $4,
            resolved_by_id = $5, changed_at = $6
      where organization_id = $1 and scheduled_post_id = $2 and message_id = $3 and reply_to is null
        and (resolved_at is null) = ($4::text is not null)`,
    [...valuesOf(key), threadId, by === null ? null : by.type, by === null ? null : idOfActor(by), at],
  )

/**
 * Deletes a message; one with replies stays without its text. A deleted first message disappears with the last reply.
 * Returns whether the message itself is gone.
 */
export async function deleteMessage(
  tx: Queryable,
  key: DiscussionKey,
  { message_id: messageId, reply_to: replyTo }: Pick<MessageRow, 'message_id' | 'reply_to'>,
  at: Date,
): Promise<boolean> {
  await tx.query(
    `update discussion_messages set text = '', mentions = '{}', deleted_at = $4, changed_at = $4
      where organization_id = $1 and scheduled_post_id = $2 and message_id = $3`,
    [...valuesOf(key), messageId, at],
  )
  const isGone = await removeWithoutReplies(tx, key, messageId)
  if (isGone && replyTo !== null) await removeWithoutReplies(tx, key, replyTo)
  return isGone
}

const removeWithoutReplies = (tx: Queryable, key: DiscussionKey, messageId: string): Promise<boolean> =>
  hitsRow(
    tx,
    `delete from discussion_messages m
      where organization_id = $1 and scheduled_post_id = $2 and message_id = $3 and deleted_at is not null
        and not exists (select from discussion_messages r
                         where r.organization_id = $1 and r.scheduled_post_id = $2 and r.reply_to = m.message_id)`,
    [...valuesOf(key), messageId],
  )

/** Returns those of these ids that do not belong to an active member. */
export const listStrangers = (tx: Queryable, organizationId: string, personIds: readonly string[]): Promise<string[]> =>
  listValues(
    tx,
    `select given.id from unnest($2::text[]) as given (id)
      where not exists (select from memberships m join people p on p.person_id = m.person_id
                         where m.organization_id = $1 and m.person_id = given.id and p.active)`,
    [organizationId, personIds],
  )

/** Counts the unresolved threads of those posts of the page that have any. */
export async function countOpenThreads(
  database: Queryable,
  organizationId: string,
  scheduledPostIds: readonly string[],
  { sharedOnly = false } = {},
): Promise<Map<string, number>> {
  if (scheduledPostIds.length === 0) return new Map()
  const rows = await listRows<{ scheduled_post_id: string; count: number }>(
    database,
    `select scheduled_post_id, count(*)::int as count from discussion_messages
      where organization_id = $1 and scheduled_post_id = any($2::text[]) and reply_to is null and resolved_at is null
        and (shared or not $3)
      group by scheduled_post_id`,
    [organizationId, scheduledPostIds, sharedOnly],
  )
  return new Map(rows.map(({ scheduled_post_id: id, count }) => [id, count]))
}

export interface DiscussionChangeRow {
  audit_id: number
  at: Date
  actor_type: StoredActorType
  actor_id: string | null
  operation: string
  changes: { messageId: string; shared: boolean; detail?: { outsider: { name: string; linkOf: string } } }
}

/** Lists the changes of the discussion, oldest first, after an audit entry; also for a deleted post. */
export const listDiscussionChanges = (
  database: Queryable,
  { organizationId, scheduledPostId }: DiscussionKey,
  { after, rows }: { after: number; rows: number },
): Promise<DiscussionChangeRow[]> =>
  listRows(
    database,
    `select audit_id, at, actor_type, actor_id, operation, changes from audit_trail
      where organization_id = $1 and target_type = 'discussion' and target_id = $2 and version is null and audit_id > $3
      order by audit_id limit $4`,
    [organizationId, scheduledPostId, after, rows],
  )

/**
 * Finds the people a message concerns, in the transaction that writes it: those it mentions, the author of the post,
 * everyone with a message in the discussion, and the makers of the links used to write there. The message's own author is
 * left out, and so is anyone who can no longer read the organization. An edit concerns only people it mentions for the first
 * time (`onlyMentioned`).
 */
export const findConcerned = (
  tx: Queryable,
  { organizationId, scheduledPostId }: DiscussionKey,
  {
    author,
    mentioned,
    onlyMentioned = false,
  }: { author: Actor; mentioned: readonly string[]; onlyMentioned?: boolean },
): Promise<string[]> =>
  listValues(
    tx,
    `with concerned as (
       select unnest($3::text[]) as person_id
        union
       select coalesce(link_of, author_id) from discussion_messages
        where organization_id = $1 and scheduled_post_id = $2 and not $5 and author_type in ('user', 'outsider')
          and deleted_at is null
        union
       select substr(actor, ${'user:'.length + 1}) from scheduled_post_history
        where organization_id = $1 and scheduled_post_id = $2 and not $5 and action = 'created' and actor like 'user:%')
     select person_id from concerned
       join memberships m using (person_id)
       join people p using (person_id)
      where m.organization_id = $1 and p.active and person_id is distinct from $4
      order by person_id`,
    [organizationId, scheduledPostId, mentioned, author.type === 'user' ? idOfActor(author) : null, onlyMentioned],
  )
