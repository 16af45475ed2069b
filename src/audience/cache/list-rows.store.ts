import type { Database, Queryable } from '../../database/database.js'
import type { ChannelKey } from '../../http/snapshot.js'
import type { VipUserRow } from '../vip-user.js'
import type { EntryKey } from './list-entry.js'

export type ListRow = VipUserRow & { lifetime_value: number }

/**
 * The first `limit` conversations of the channel in list order, or those after a row; with a workspace, its VIPs alone.
 * The index gives them in this order.
 */
export async function readListRows(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
  workspaceId: string | undefined,
  limit: number,
  after?: EntryKey,
): Promise<ListRow[]> {
  const { rows } = await database.query<ListRow>(
    `select conversation_id, cuid, user_name, first_name, last_name, profile_pic, birthday,
            last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms, lifetime_value
       from conversations c
      where organization_id = $1 and channel_id = $2
        and ($3::text is null or exists (
          select from vip_marks v
           where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = $3
             and v.conversation_id = c.conversation_id))
        and lifetime_value <= coalesce($4::float8, 'infinity')
        and ($4 is null or lifetime_value < $4 or conversation_id > $5::text)
      order by lifetime_value desc, conversation_id
      limit $6`,
    [organizationId, channelId, workspaceId ?? null, after?.value ?? null, after?.id ?? null, limit],
  )
  return rows
}

/** How many conversations the channel has, counted up to `max`. */
export async function countConversations(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
  max: number,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*) from (
       select from conversations where organization_id = $1 and channel_id = $2 limit $3
     ) counted`,
    [organizationId, channelId, max],
  )
  return rows[0]!.count
}

/** All that `read` reads is of one snapshot. */
export function readInSnapshot<T>(database: Database, read: (tx: Queryable) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    // On the embedded engine nothing else runs beside a transaction.
    if (database.engine === 'postgres') {
      await tx.execute('set transaction isolation level repeatable read read only')
    }
    return await read(tx)
  })
}
