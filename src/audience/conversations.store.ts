import type { Queryable } from '../database/database.js'
import { hitsRow } from '../database/queries.js'
import { ApiError } from '../errors.js'
import { leaveOutErased } from './erased-people.store.js'
import { type ConversationRow, FIELD_LIST, MERGES } from './fields.js'

/** A channel, and the workspace connected to it whose VIP marks are written. */
export interface ConversationTarget {
  organizationId: string
  channelId: string
  workspaceId?: string | undefined
}

/**
 * Inserts or updates conversations and their VIP marks, and gives how many rows it left out: those of erased people. Of two
 * rows for one conversation the later one's columns win. For use in a transaction. Throws channel_not_found,
 * channel_not_connected or organization_not_found when they are being deleted.
 */
export async function upsertConversations(
  tx: Queryable,
  target: ConversationTarget,
  rows: readonly ConversationRow[],
): Promise<number> {
  const { organizationId, workspaceId } = target
  const [, kept] = await Promise.all([holdTarget(tx, target), leaveOutErased(tx, organizationId, rows)])
  const merged = mergeInOrder(kept)
  const idsWith = (vip: boolean) => merged.filter((row) => row.vip === vip).map((row) => row.conversation_id)
  const mark = (vip: boolean) =>
    workspaceId === undefined ? undefined : setVipMarks(tx, { ...target, workspaceId }, idsWith(vip), vip)
  // Sent together, executed in this order: a mark needs its conversation.
  await Promise.all([merged.length > 0 && upsertRows(tx, target, merged), mark(true), mark(false)])
  return rows.length - kept.length
}

/**
 * Holds organization, channel and connection until the transaction ends. The lock of the organization is shared by all
 * writers and taken alone by an erasure: it either comes before a later statement of this transaction reads who is
 * erased, or finds what this transaction has written. One statement does it, because a few changed rows cost the
 * embedded engine little more than its statements.
 */
async function holdTarget(
  tx: Queryable,
  { organizationId, channelId, workspaceId }: ConversationTarget,
): Promise<void> {
  const { rows } = await tx.query<{
    organization: boolean | null
    channel: boolean | null
    connection: boolean | null
  }>(
    `select (select true from organizations where organization_id = $1 and deleted_at is null for share) as organization,
            (select true from channels
              where organization_id = $1 and channel_id = $2 and deleted_at is null for key share) as channel,
            (select true from workspace_channels
              where organization_id = $1 and channel_id = $2 and workspace_id = $3 for key share) as connection`,
    [organizationId, channelId, workspaceId ?? null],
  )
  const { organization, channel, connection } = rows[0]!
  if (organization === null) throw new ApiError('organization_not_found')
  if (channel === null) throw new ApiError('channel_not_found')
  if (workspaceId !== undefined && connection === null) throw new ApiError('channel_not_connected')
}

/** Marks, or unmarks, conversations as VIPs of the workspace. Gives how many were not so before. */
export async function setVipMarks(
  database: Queryable,
  target: ConversationTarget & { workspaceId: string },
  conversationIds: readonly string[],
  vip: boolean,
): Promise<number> {
  if (conversationIds.length === 0) return 0
  const { rowCount } = await database.query(
    vip
      ? `insert into vip_marks (organization_id, channel_id, workspace_id, conversation_id)
         select $1, $2, $3, unnest($4::text[])
         on conflict do nothing`
      : `delete from vip_marks
          where organization_id = $1 and channel_id = $2 and workspace_id = $3 and conversation_id = any($4::text[])`,
    [target.organizationId, target.channelId, target.workspaceId, conversationIds],
  )
  return rowCount
}

type ConversationIds = [organizationId: string, channelId: string, conversationId: string]

/** Throws conversation_not_found. The conversation cannot be deleted before the transaction ends. */
export async function holdConversation(tx: Queryable, ...ids: ConversationIds): Promise<void> {
  const { rows } = await tx.query(
    `select from conversations
      where organization_id = $1 and channel_id = $2 and conversation_id = $3 for key share`,
    ids,
  )
  if (rows.length === 0) throw new ApiError('conversation_not_found')
}

/** With its VIP marks. False when there is none. */
export const deleteConversationRow = (database: Queryable, ...ids: ConversationIds): Promise<boolean> =>
  hitsRow(
    database,
    'delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = $3',
    ids,
  )

/** One row per conversation, by id, so that two writers of the same rows lock them in the same order. */
function mergeInOrder(rows: readonly ConversationRow[]): ConversationRow[] {
  const merged = new Map<string, ConversationRow>()
  for (const row of rows) {
    const before = merged.get(row.conversation_id)
    merged.set(row.conversation_id, before === undefined ? row : { ...before, ...row })
  }
  return [...merged.values()].sort((a, b) => (a.conversation_id < b.conversation_id ? -1 : 1))
}

/** The bit of a field is set in the masks of a row that does not name it. */
const UPDATED_FIELDS = FIELD_LIST.filter(({ name }) => name !== 'conversationId').map((field, bit) => ({
  ...field,
  mask: 1 << bit,
}))

/**
 * Each column with the SQL of its value in a staged row, and of its value when that row comes for a stored conversation. A
 * column that a row does not name keeps its value. $4 has, as bits, the columns that most rows do not name, and $5 by
 * id those of the others; it is null when there are none. Looked up by id for every row, the file of one shape that is
 * imported again costs PostgreSQL half as much again; looked up in lists of ids, a batch of many shapes takes twice as
 * long once its plan is kept.
 */
const WRITTEN = UPDATED_FIELDS.flatMap(({ column, double, empty, mask, merge }) => {
  const value = empty === undefined ? column : `coalesce(${column}, ${empty})`
  const write = (to: string, staged: string) => ({
    column: to,
    staged,
    merged: `case when coalesce(($5::jsonb -> excluded.conversation_id)::integer, $4::integer) & ${mask} = 0
                  then ${MERGES[merge](to)} else stored.${to} end`,
    isCompared: to !== double,
  })
  // Written here, a double costs an import a few hundredths less than by its trigger.
  return [write(column, value), ...(double === undefined ? [] : [write(double, `${value}::float8`)])]
})
const COMPARED = WRITTEN.filter(({ isCompared }) => isCompared)

// One text, whichever columns the rows name, so that it is planned once. Unchanged rows are not written: to repeat an import
// costs little and leaves no dead rows.
const UPSERT = `
  insert into conversations as stored (organization_id, channel_id, conversation_id, ${WRITTEN.map(({ column }) => column).join(', ')})
  select $1, $2, conversation_id, ${WRITTEN.map(({ staged }) => staged).join(', ')}
    from json_to_recordset($3::json) as t (${FIELD_LIST.map(({ column, type }) => `${column} ${type}`).join(', ')})
  on conflict (organization_id, channel_id, conversation_id)
  do update set ${WRITTEN.map(({ column, merged }) => `${column} = ${merged}`).join(', ')}
   where row(${COMPARED.map(({ column }) => `stored.${column}`).join(', ')})
         is distinct from row(${COMPARED.map(({ merged }) => merged).join(', ')})`

async function upsertRows(
  tx: Queryable,
  { organizationId, channelId }: ConversationTarget,
  rows: readonly ConversationRow[],
): Promise<void> {
  const unnamed = rows.map((row) =>
    UPDATED_FIELDS.reduce((bits, { column, mask }) => (column in row ? bits : bits | mask), 0),
  )
  const most = mostFrequent(unnamed)
  const others = rows.flatMap((row, index) =>
    unnamed[index] === most ? [] : [[row.conversation_id, unnamed[index]!] as const],
  )
  const othersById = others.length === 0 ? null : JSON.stringify(Object.fromEntries(others))
  await tx.query(UPSERT, [organizationId, channelId, JSON.stringify(rows), most, othersById])
}

function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0])[0]
}
