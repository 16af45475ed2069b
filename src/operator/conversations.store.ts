import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'

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
  for (const [columns, alike] of groupByColumns(merged)) await upsertAlike(tx, target, columns, alike)
  const { workspaceId } = target
  if (workspaceId === undefined) return
  const idsWith = (vip: boolean) => merged.filter((row) => row.vip === vip).map((row) => row.conversation_id)
  await setVipMarks(tx, { ...target, workspaceId }, idsWith(true), true)
  await setVipMarks(tx, { ...target, workspaceId }, idsWith(false), false)
}

/** Marks, or unmarks, conversations as VIPs of a workspace; those that are so already stay so. */
export async function setVipMarks(
  database: Queryable,
  target: ConversationTarget & { workspaceId: string },
  conversationIds: readonly string[],
  vip: boolean,
): Promise<void> {
  if (conversationIds.length === 0) return
  await database.query(
    vip
      ? // Of a channel that was disconnected a moment ago nobody is a VIP.
        `insert into vip_marks (organization_id, channel_id, workspace_id, conversation_id)
         select organization_id, channel_id, workspace_id, unnest($4::text[])
           from workspace_channels where organization_id = $1 and channel_id = $2 and workspace_id = $3
         on conflict do nothing`
      : `delete from vip_marks
          where organization_id = $1 and channel_id = $2 and workspace_id = $3 and conversation_id = any($4::text[])`,
    [target.organizationId, target.channelId, target.workspaceId, conversationIds],
  )
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
  for (const row of rows) merged.set(row.conversation_id, { ...merged.get(row.conversation_id), ...row })
  return [...merged.values()].sort((a, b) => (a.conversation_id < b.conversation_id ? -1 : 1))
}

/** Rows that name the same columns, by those columns: one statement serves them all. */
function groupByColumns(rows: readonly ConversationRow[]): [Column[], ConversationRow[]][] {
  const groups = new Map<string, [Column[], ConversationRow[]]>()
  for (const row of rows) {
    const columns = COLUMNS.filter((column) => column in row)
    const key = columns.join()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [columns, [row]])
    else group[1].push(row)
  }
  return [...groups.values()]
}

async function upsertAlike(
  tx: Queryable,
  { organizationId, channelId }: ConversationTarget,
  columns: Column[],
  rows: ConversationRow[],
): Promise<void> {
  const arrays = columns.map((column, index) => `$${index + 3}::${COLUMN_TYPES[column]}[]`)
  const given = columns.filter((column) => column !== 'conversation_id')
  // What is the same already is not written again: to repeat an import costs little and leaves no dead rows.
  await tx.query(
    `insert into conversations as stored (organization_id, channel_id, ${columns.join(', ')})
     select $1, $2, * from unnest(${arrays.join(', ')})
     on conflict (organization_id, channel_id, conversation_id)
     do update set ${given.map((column) => `${column} = excluded.${column}`).join(', ')}
      where row(${given.map((column) => `stored.${column}`).join(', ')})
            is distinct from row(${given.map((column) => `excluded.${column}`).join(', ')})`,
    [organizationId, channelId, ...columns.map((column) => rows.map((row) => row[column] ?? null))],
  )
}
