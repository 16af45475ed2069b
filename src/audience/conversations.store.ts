import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { recordAudienceChange } from './cache/change-log.store.js'

/** A conversation as far as a writer names it: an absent column keeps what is stored. */
export interface ConversationRow {
  conversation_id: string
  cuid: string
  user_name?: string | null
  first_name?: string | null
  last_name?: string | null
  profile_pic?: string | null
  birthday?: string | null
  last_purchase_at_ms?: number | null
  last_user_message_at_ms?: number | null
  last_app_open_at_ms?: number | null
  lifetime_value?: number
  /** Whether the target's workspace holds it for a VIP. */
  vip?: boolean
}

/** Where conversations go: a channel, and the workspace, connected to it, whose VIPs are meant. */
export interface ConversationTarget {
  organizationId: string
  channelId: string
  workspaceId?: string | undefined
}

const COLUMN_TYPES = {
  conversation_id: 'text',
  cuid: 'text',
  user_name: 'text',
  first_name: 'text',
  last_name: 'text',
  profile_pic: 'text',
  birthday: 'text',
  last_purchase_at_ms: 'bigint',
  last_user_message_at_ms: 'bigint',
  last_app_open_at_ms: 'bigint',
  lifetime_value: 'double precision',
} as const satisfies Record<Exclude<keyof ConversationRow, 'vip'>, string>

type Column = keyof typeof COLUMN_TYPES
const COLUMNS = Object.keys(COLUMN_TYPES) as Column[]

/**
 * Inserts or updates conversations and their VIP marks; of two rows for one conversation the later wins where it speaks.
 * For use in a transaction.
 */
export async function upsertConversations(
  tx: Queryable,
  target: ConversationTarget,
  rows: readonly ConversationRow[],
): Promise<void> {
  const merged = mergeInOrder(rows)
  const { workspaceId } = target
  const idsWith = (vip: boolean) => merged.filter((row) => row.vip === vip).map((row) => row.conversation_id)
  const mark = (vip: boolean) =>
    workspaceId === undefined ? [] : setVipMarks(tx, { ...target, workspaceId }, idsWith(vip), vip)
  // Sent together, and carried out in this order: a mark needs its conversation.
  const touched = await Promise.all([upsertRows(tx, target, merged), mark(true), mark(false)])
  await recordAudienceChange(tx, target, [...new Set(touched.flat())])
}

/** Marks, or unmarks, one conversation as a VIP of the workspace. False when it was so before. For use in a transaction. */
export async function changeVipMark(
  tx: Queryable,
  target: ConversationTarget & { workspaceId: string },
  conversationId: string,
  vip: boolean,
): Promise<boolean> {
  const changed = await setVipMarks(tx, target, [conversationId], vip)
  await recordAudienceChange(tx, target, changed)
  return changed.length > 0
}

/** Gives the ids of those that were not so before. */
async function setVipMarks(
  tx: Queryable,
  target: ConversationTarget & { workspaceId: string },
  conversationIds: readonly string[],
  vip: boolean,
): Promise<string[]> {
  if (conversationIds.length === 0) return []
  const { rows } = await tx.query<{ conversation_id: string }>(
    vip
      ? // Of a channel that was disconnected a moment ago nobody is a VIP.
        `insert into vip_marks (organization_id, channel_id, workspace_id, conversation_id)
         select organization_id, channel_id, workspace_id, unnest($4::text[])
           from workspace_channels where organization_id = $1 and channel_id = $2 and workspace_id = $3
         on conflict do nothing returning conversation_id`
      : `delete from vip_marks
          where organization_id = $1 and channel_id = $2 and workspace_id = $3 and conversation_id = any($4::text[])
          returning conversation_id`,
    [target.organizationId, target.channelId, target.workspaceId, conversationIds],
  )
  return rows.map((row) => row.conversation_id)
}

/** Throws conversation_not_found. */
export async function requireConversation(
  database: Queryable,
  organizationId: string,
  channelId: string,
  conversationId: string,
): Promise<void> {
  const { rows } = await database.query(
    'select from conversations where organization_id = $1 and channel_id = $2 and conversation_id = $3',
    [organizationId, channelId, conversationId],
  )
  if (rows.length === 0) throw new ApiError('conversation_not_found')
}

/** One row per conversation, by id: two writers of the same rows take their locks in the same order. */
function mergeInOrder(rows: readonly ConversationRow[]): ConversationRow[] {
  const merged = new Map<string, ConversationRow>()
  for (const row of rows) {
    const before = merged.get(row.conversation_id)
    merged.set(row.conversation_id, before === undefined ? row : { ...before, ...row })
  }
  return [...merged.values()].sort((a, b) => (a.conversation_id < b.conversation_id ? -1 : 1))
}

/**
 * Gives the ids of those that were written. One statement, whichever columns each row names: what a row does not name keeps
 * what is stored, which the statement knows by lists of ids.
 */
async function upsertRows(
  tx: Queryable,
  { organizationId, channelId }: ConversationTarget,
  rows: readonly ConversationRow[],
): Promise<string[]> {
  const values: unknown[] = [organizationId, channelId, JSON.stringify(rows)]
  const idsParameter = (listed: readonly ConversationRow[]): string =>
    `$${values.push(listed.map((row) => row.conversation_id))}::text[]`

  const given = COLUMNS.filter((column) => column !== 'conversation_id' && rows.some((row) => column in row))
  const updated = given.map((column) => {
    const naming = rows.filter((row) => column in row)
    if (naming.length === rows.length) return `excluded.${column}`
    // The shorter list of the two.
    return naming.length * 2 < rows.length
      ? `case when excluded.conversation_id = any(${idsParameter(naming)}) then excluded.${column} else stored.${column} end`
      : `case when excluded.conversation_id = any(${idsParameter(rows.filter((row) => !(column in row)))})
              then stored.${column} else excluded.${column} end`
  })
  const inserted = given.map((column) => (column === 'lifetime_value' ? 'coalesce(lifetime_value, 0)' : column))
  // What is the same already is not written again: to repeat an import costs little and leaves no dead rows.
  const written = await tx.query<{ conversation_id: string }>(
    `insert into conversations as stored (organization_id, channel_id, conversation_id, ${given.join(', ')})
     select $1, $2, conversation_id, ${inserted.join(', ')}
       from json_to_recordset($3::json) as t (${COLUMNS.map((column) => `${column} ${COLUMN_TYPES[column]}`).join(', ')})
     on conflict (organization_id, channel_id, conversation_id)
     do update set ${given.map((column, index) => `${column} = ${updated[index]}`).join(', ')}
      where row(${given.map((column) => `stored.${column}`).join(', ')}) is distinct from row(${updated.join(', ')})
     returning conversation_id`,
    values,
  )
  return written.rows.map((row) => row.conversation_id)
}
