import type { Queryable } from '../database/database.js'
import { listRows, listValues } from '../database/queries.js'
import { listPagesOfAccounts } from './live/ids.store.js'

/** A comment as received, before it is decided (docs/automation.md). */
export interface IncomingComment {
  channelId: string
  commentId: string
  /** The platform's id of the post or medium. */
  objectId: string
  parentId?: string | null | undefined
  personId?: string | null | undefined
  fromName?: string | null | undefined
  text?: string | null | undefined
  /** When it was written, in milliseconds since the epoch. */
  at: number
}

/**
 * Passes comments on to superpowers. A repeated comment changes nothing, even within one call. Returns the channels that the
 * organization does not have.
 */
export async function insertIncomingComments(
  tx: Queryable,
  organizationId: string,
  comments: readonly IncomingComment[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (comments.length === 0) return new Set()
  const named = [...new Set(comments.map(({ channelId }) => channelId))]
  const known = new Set(
    await listValues<string>(
      tx,
      `select channel_id from channels
        where organization_id = $1 and channel_id = any($2::text[]) and deleted_at is null for key share`,
      [organizationId, named],
    ),
  )
  await tx.query(
    `insert into incoming_comments (organization_id, channel_id, comment_id, object_id, parent_id, person_id, from_name,
                                    text, at_ms, received_at)
     select $1, "channelId", "commentId", "objectId", "parentId", "personId", "fromName", text, at, $3
       from (select distinct on ("channelId", "commentId") *
               from json_to_recordset($2::json) as t ("channelId" text, "commentId" text, "objectId" text,
                 "parentId" text, "personId" text, "fromName" text, text text, at bigint)) given
         on conflict (organization_id, channel_id, comment_id) do update set waiting = true
      where not incoming_comments.waiting`,
    [organizationId, JSON.stringify(comments.filter(({ channelId }) => known.has(channelId))), now],
  )
  const unknown = named.filter((channelId) => !known.has(channelId))
  const pages = new Set(await listPagesOfAccounts(tx, organizationId, unknown))
  return new Set(unknown.filter((channelId) => !pages.has(channelId)))
}

export interface CommentedObject {
  organization_id: string
  channel_id: string
  object_id: string
}

/** Lists posts and media with waiting comments, after the given one. */
export const listWaitingObjects = (
  database: Queryable,
  limit: number,
  after: CommentedObject = { organization_id: '', channel_id: '', object_id: '' },
): Promise<CommentedObject[]> =>
  listRows(
    database,
    // Steps from one object to the next through the index, because any of them may have any number of comments.
    `with recursive waiting as (
       (select organization_id, channel_id, object_id from incoming_comments
         where waiting and (organization_id, channel_id, object_id) > ($2, $3, $4)
         order by organization_id, channel_id, object_id limit 1)
        union all
       select next.* from waiting w
        cross join lateral (
              select organization_id, channel_id, object_id from incoming_comments
               where waiting and (organization_id, channel_id, object_id) > (w.organization_id, w.channel_id, w.object_id)
               order by organization_id, channel_id, object_id limit 1) next)
     select * from waiting limit $1`,
    [limit, after.organization_id, after.channel_id, after.object_id],
  )

/** Lists the oldest waiting comments of an object. */
export const listWaitingComments = (
  tx: Queryable,
  { organization_id, channel_id, object_id }: CommentedObject,
  limit: number,
): Promise<IncomingComment[]> =>
  listRows(
    tx,
    `select channel_id as "channelId", comment_id as "commentId", object_id as "objectId", parent_id as "parentId",
            person_id as "personId", from_name as "fromName", text, at_ms as at
       from incoming_comments
      where organization_id = $1 and channel_id = $2 and object_id = $3 and waiting
      order by at_ms, comment_id limit $4`,
    [organization_id, channel_id, object_id, limit],
  )

/** Ends the wait of comments on objects that are not our posts. */
export async function setCommentsAside(
  tx: Queryable,
  { organization_id, channel_id, object_id }: CommentedObject,
): Promise<void> {
  await tx.query(
    `update incoming_comments set waiting = false
      where organization_id = $1 and channel_id = $2 and object_id = $3 and waiting`,
    [organization_id, channel_id, object_id],
  )
}

/** Makes comments of an object wait again, once it is found to be our post. */
export async function takeCommentsUp(
  tx: Queryable,
  { organization_id, channel_id, object_id }: CommentedObject,
): Promise<void> {
  await tx.query(
    `update incoming_comments set waiting = true
      where organization_id = $1 and channel_id = $2 and object_id = $3 and not waiting`,
    [organization_id, channel_id, object_id],
  )
}

/** Deletes decided comments. */
export async function deleteIncomingComments(
  tx: Queryable,
  organizationId: string,
  channelId: string,
  commentIds: readonly string[],
): Promise<void> {
  await tx.query(
    `delete from incoming_comments where organization_id = $1 and channel_id = $2 and comment_id = any($3::text[])`,
    [organizationId, channelId, commentIds],
  )
}
