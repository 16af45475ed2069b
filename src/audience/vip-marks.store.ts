import type { Queryable } from '../database/database.js'
import { listRows, listValues } from '../database/queries.js'

type PersonIds = [organizationId: string, cuid: string]

/** Returns the existing conversations among these, which cannot be deleted before the transaction ends. */
export const holdConversations = (
  tx: Queryable,
  { organizationId, channelId }: { organizationId: string; channelId: string },
  conversationIds: readonly string[],
): Promise<string[]> =>
  listValues(
    tx,
    `select conversation_id from conversations
      where organization_id = $1 and channel_id = $2 and conversation_id = any($3::text[])
      order by conversation_id for key share`,
    [organizationId, channelId, conversationIds],
  )

export interface PersonVipMarkRow {
  workspaceId: string
  channelId: string
  conversationId: string
  at: Date | null
  actor_type: string | null
  actor_id: string | null
}

const LISTED_MAX = 1_000

/** Lists the VIP marks of all conversations of a person. */
export const listPersonVipMarkRows = (database: Queryable, ...ids: PersonIds): Promise<PersonVipMarkRow[]> =>
  listRows(
    database,
    `select v.workspace_id as "workspaceId", v.channel_id as "channelId", v.conversation_id as "conversationId",
            v.marked_at as at, v.actor_type, v.actor_id
       from conversations c
       join vip_marks v on v.organization_id = $1 and v.channel_id = c.channel_id and v.conversation_id = c.conversation_id
      where c.organization_id = $1 and c.cuid = $2
      order by v.channel_id, v.conversation_id, v.workspace_id limit ${LISTED_MAX}`,
    ids,
  )
