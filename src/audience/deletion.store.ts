import type { Queryable } from '../database/database.js'
import { hitsRow, listValues, readRow } from '../database/queries.js'

type PersonIds = [organizationId: string, cuid: string]

type ChannelIds = [organizationId: string, channelId: string]

interface DeletedOfPerson {
  /** The number of deleted conversations. */
  deleted: number
  vipMarks: number
  /** Their channels, without duplicates. */
  channelIds: string[]
}

/** Deletes at most `limit` conversations of a person, on any channel, with their VIP marks. */
export async function deleteConversationsOfPerson(
  tx: Queryable,
  organizationId: string,
  cuid: string,
  limit: number,
): Promise<DeletedOfPerson> {
  const { rows } = await tx.query<{ channel_id: string; conversation_id: string }>(
    'select channel_id, conversation_id from conversations where cuid = $2 and organization_id = $1 limit $3',
    [organizationId, cuid, limit],
  )
  const channelIds = [...new Set(rows.map(({ channel_id }) => channel_id))]
  let vipMarks = 0
  for (const channelId of channelIds) {
    const ids = rows.flatMap((row) => (row.channel_id === channelId ? [row.conversation_id] : []))
    const { rowCount } = await tx.query(
      'delete from vip_marks where organization_id = $1 and channel_id = $2 and conversation_id = any($3::text[])',
      [organizationId, channelId, ids],
    )
    vipMarks += rowCount
    // The cuid makes the planner use the index by person. Given only the ids, and without statistics, it would scan the
    // whole channel.
    await tx.query(
      `delete from conversations
        where cuid = $2 and organization_id = $1 and channel_id = $3 and conversation_id = any($4::text[])`,
      [organizationId, cuid, channelId, ids],
    )
  }
  return { deleted: rows.length, vipMarks, channelIds }
}

/** Counts a person's conversations, VIP marks and channels in the organization. */
export const countOfPerson = (database: Queryable, ...person: PersonIds) =>
  readRow<{ conversations: number; vipMarks: number; channels: number }>(
    database,
    `select count(distinct (c.channel_id, c.conversation_id)) as conversations, count(v.workspace_id) as "vipMarks",
            count(distinct c.channel_id) as channels
       from conversations c
       left join vip_marks v on v.organization_id = $1 and v.channel_id = c.channel_id
                            and v.conversation_id = c.conversation_id
      where c.cuid = $2 and c.organization_id = $1`,
    person,
  )

/**
 * Empties the change log of these channels when the transaction ends, because it contains ids of conversations. The caches
 * then read their lists again.
 */
export async function dropChangeLogs(
  tx: Queryable,
  organizationId: string,
  channelIds: readonly string[],
): Promise<void> {
  // A row without a conversation id stands for any number of conversations (pending_audience_changes).
  await tx.query(`insert into pending_audience_changes (organization_id, channel_id) select $1, unnest($2::text[])`, [
    organizationId,
    channelIds,
  ])
}

/** Deletes at most `limit` conversations of a channel, with their VIP marks, ordered by id and starting after `after`. */
export async function deleteConversationsOfChannel(
  tx: Queryable,
  organizationId: string,
  channelId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ deleted: number; last: string }> {
  // Deleted rows stay in the index until a vacuum. Starting after `after` skips them; otherwise each call would read them
  // again.
  const ids = await listValues<string>(
    tx,
    `select conversation_id from conversations
      where organization_id = $1 and channel_id = $2 and conversation_id > $3
      order by conversation_id limit $4`,
    [organizationId, channelId, after, limit],
  )
  const last = ids.at(-1) ?? after
  await tx.query(
    `delete from conversations
      where organization_id = $1 and channel_id = $2 and conversation_id > $3 and conversation_id <= $4`,
    [organizationId, channelId, after, last],
  )
  return { deleted: ids.length, last }
}

/** Returns whether the channel has any conversations left. */
export const hasConversations = (database: Queryable, ...ids: ChannelIds): Promise<boolean> =>
  hitsRow(database, 'select from conversations where organization_id = $1 and channel_id = $2 limit 1', ids)

/** Deletes at most `limit` VIP marks of a workspace on one channel. */
export async function deleteMarksOfWorkspace(
  tx: Queryable,
  { organizationId, workspaceId, channelId }: { organizationId: string; workspaceId: string; channelId: string },
  limit: number,
): Promise<{ deleted: number }> {
  const ids = await listValues<string>(
    tx,
    `select conversation_id from vip_marks
      where organization_id = $1 and channel_id = $2 and workspace_id = $3 limit $4`,
    [organizationId, channelId, workspaceId, limit],
  )
  // Deletes each row by its key: given a list of ids, a planner without statistics would scan the whole channel.
  await Promise.all(
    ids.map((conversationId) =>
      tx.query(
        `delete from vip_marks
          where organization_id = $1 and channel_id = $2 and workspace_id = $3 and conversation_id = $4`,
        [organizationId, channelId, workspaceId, conversationId],
      ),
    ),
  )
  return { deleted: ids.length }
}
