import type { Queryable } from '../database/database.js'
import { hitsRow, listValues, readValue } from '../database/queries.js'
import { ApiError } from '../errors.js'
import { type Actor, idOfActor } from '../http/principal.js'
import type { ExternalId } from './facts.js'
import { type ConversationRow, FIELD_LIST, FIELDS, MERGES, PROFILE_FIELDS } from './fields.js'
import { findForgotten } from './live/forgotten-ids.store.js'
import { keyOf, metaKind } from './live/ids.store.js'
import type { LiveAudience } from './live/live-audiences.store.js'
import { refreshPeople } from './live/refresh.store.js'

/** A channel, and the connected workspace whose VIP marks are written. */
export interface ConversationTarget {
  organizationId: string
  channelId: string
  workspaceId?: string | undefined
  /** When the rows were read; the database's time by default. */
  at?: Date
  /** The caller who marks VIPs. */
  actor?: Actor
}

/**
 * Inserts or updates conversations and their VIP marks, and returns how many rows it omitted because they belong to erased
 * people. If two rows are for one conversation, the later one's columns win. For use in a transaction. Throws
 * channel_not_found, channel_not_connected or organization_not_found if these are being deleted.
 */
export async function upsertConversations(
  tx: Queryable,
  target: ConversationTarget,
  rows: readonly ConversationRow[],
): Promise<number> {
  const { workspaceId } = target
  // The lock comes first: what is read after it sees an erasure that held it.
  const [live, kept] = await Promise.all([holdTarget(tx, target), leaveOutForgotten(tx, target, rows)])
  const merged = mergeInOrder(kept)
  const idsWith = (vip: boolean) => merged.filter((row) => row.vip === vip).map((row) => row.conversation_id)
  const mark = (vip: boolean) =>
    workspaceId === undefined ? undefined : setVipMarks(tx, { ...target, workspaceId }, idsWith(vip), vip)
  // Sent together, executed in this order: a mark needs its conversation.
  await Promise.all([
    merged.length > 0 && upsertRows(tx, target, merged),
    live !== undefined && keepOpenings(tx, target, live, merged),
    mark(true),
    mark(false),
  ])
  return rows.length - kept.length
}

/**
 * Locks organization, channel and connection until the transaction ends. All writers share the organization's lock, and an
 * erasure takes it exclusively: either the erasure comes before a later statement of this transaction reads who is erased,
 * or it finds what this transaction wrote. One statement does this, because a few changed rows cost the embedded engine
 * little more than their statements. If the audience is live, it is locked first, and returned.
 */
async function holdTarget(
  tx: Queryable,
  { organizationId, channelId, workspaceId }: ConversationTarget,
): Promise<LiveAudience | undefined> {
  const { rows } = await tx.query<{
    live_since_ms: number | null
    currency: string | null
    organization: boolean | null
    channel: boolean | null
    connection: boolean | null
  }>(
    `with live as materialized (
       select live_since_ms from live_audiences where organization_id = $1 for update)
     select (select live_since_ms from live) as live_since_ms,
            (select true from organizations where organization_id = $1 and deleted_at is null for share) as organization,
            (select currency from organizations where organization_id = $1) as currency,
            (select true from channels
              where organization_id = $1 and channel_id = $2 and deleted_at is null for key share) as channel,
            (select true from workspace_channels
              where organization_id = $1 and channel_id = $2 and workspace_id = $3 for key share) as connection`,
    [organizationId, channelId, workspaceId ?? null],
  )
  const { organization, channel, connection, live_since_ms: since, currency } = rows[0]!
  if (organization === null) throw new ApiError('organization_not_found')
  if (channel === null) throw new ApiError('channel_not_found')
  if (workspaceId !== undefined && connection === null) throw new ApiError('channel_not_connected')
  return since === null ? undefined : { live_since_ms: since, currency, revalue_after: null }
}

/** Returns the rows whose conversation and cuid are not ids of an erased person. */
export async function leaveOutForgotten(
  tx: Queryable,
  { organizationId, channelId }: Pick<ConversationTarget, 'organizationId' | 'channelId'>,
  rows: readonly ConversationRow[],
): Promise<readonly ConversationRow[]> {
  const kind = metaKind(channelId)
  const idsOf = ({ conversation_id, cuid }: ConversationRow): ExternalId[] => [
    { kind, id: conversation_id },
    { kind: 'userId', id: cuid },
  ]
  const forgotten = await findForgotten(tx, organizationId, rows.flatMap(idsOf))
  return forgotten.size === 0 ? rows : rows.filter((row) => !idsOf(row).some((id) => forgotten.has(keyOf(id))))
}

/**
 * Makes the values of rows opening values as of now, to which later live purchases are added. Profile fields are as of now
 * too; a field that a row clears is filled with what sources know.
 */
async function keepOpenings(
  tx: Queryable,
  { organizationId, channelId, at }: ConversationTarget,
  live: LiveAudience,
  rows: readonly ConversationRow[],
): Promise<void> {
  if (rows.length === 0) return
  const openings = rows.map((row) => ({
    conversation_id: row.conversation_id,
    cuid: row.cuid,
    names_value: VALUE in row,
    amount: row[VALUE] ?? 0,
    opening_at_ms: row.opening_at_ms ?? null,
    names_purchase: BOUGHT in row,
    bought_ms: row[BOUGHT] ?? null,
    given: PROFILE_FIELDS.flatMap(({ name, column }) => (row[column] == null ? [] : [name])),
    emptied: PROFILE_FIELDS.flatMap(({ name, column }) => (row[column] === null ? [name] : [])),
  }))
  await tx.query(OPENINGS, [organizationId, channelId, JSON.stringify(openings), at?.getTime() ?? null])
  await tx.query(
    `update person_ids p set cuid = t.cuid
       from unnest($3::text[], $4::text[]) as t (id, cuid)
      where p.organization_id = $1 and p.kind = $2 and p.id = t.id and p.cuid <> t.cuid`,
    [
      organizationId,
      metaKind(channelId),
      rows.map(({ conversation_id }) => conversation_id),
      rows.map(({ cuid }) => cuid),
    ],
  )
  await refreshPeople(
    tx,
    organizationId,
    live,
    rows.map(({ cuid }) => cuid),
  )
}

const VALUE = FIELDS.lifetimeValue.column
const BOUGHT = FIELDS.lastPurchaseTimestamp.column

const OPENINGS = `
  with given as materialized (
    select *, coalesce($4::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now_ms
      from json_to_recordset($3::json) as t (conversation_id text, cuid text, names_value boolean, amount numeric,
           opening_at_ms bigint, names_purchase boolean, bought_ms bigint, given jsonb, emptied jsonb))
  update conversations c
     set opening_amount = case when g.names_value then g.amount else c.opening_amount end,
         opening_at_ms = case when g.names_value then coalesce(g.opening_at_ms, g.now_ms) else c.opening_at_ms end,
         opening_purchase_ms = case when g.names_purchase then g.bought_ms
                                    when c.opening_amount is null then c.${BOUGHT}
                                    else c.opening_purchase_ms end,
         field_times = coalesce(c.field_times, '{}') - array(select jsonb_array_elements_text(g.emptied))
                       || coalesce((select jsonb_object_agg(name, g.now_ms) from jsonb_array_elements_text(g.given) as n (name)), '{}')
    from given g
   where c.organization_id = $1 and c.channel_id = $2 and c.conversation_id = g.conversation_id`

/** Marks or unmarks conversations as VIPs of the workspace. Returns those that changed. */
export async function setVipMarks(
  database: Queryable,
  { organizationId, channelId, workspaceId, at, actor }: ConversationTarget & { workspaceId: string },
  conversationIds: readonly string[],
  vip: boolean,
): Promise<string[]> {
  if (conversationIds.length === 0) return []
  const ids = [organizationId, channelId, workspaceId, conversationIds]
  return vip
    ? await listValues(
        database,
        `insert into vip_marks (organization_id, channel_id, workspace_id, conversation_id, marked_at, actor_type, actor_id)
         select $1, $2, $3, unnest($4::text[]), coalesce($5::timestamptz, statement_timestamp()), $6, $7
         on conflict do nothing returning conversation_id`,
        [...ids, at ?? null, actor?.type ?? null, actor === undefined ? null : idOfActor(actor)],
      )
    : await listValues(
        database,
        `delete from vip_marks
          where organization_id = $1 and channel_id = $2 and workspace_id = $3 and conversation_id = any($4::text[])
         returning conversation_id`,
        ids,
      )
}

/** Counts the ids that belong to no conversation of the channel. */
export const countNew = (
  database: Queryable,
  { organizationId, channelId }: ConversationTarget,
  conversationIds: readonly string[],
): Promise<number> =>
  readValue(
    database,
    `select count(*) from unnest($3::text[]) as given (id)
      where not exists (select from conversations
                         where organization_id = $1 and channel_id = $2 and conversation_id = given.id)`,
    [organizationId, channelId, conversationIds],
  )

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

/** Deletes a conversation with its VIP marks. Returns false if there is none. */
export const deleteConversationRow = (database: Queryable, ...ids: ConversationIds): Promise<boolean> =>
  hitsRow(
    database,
    'delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = $3',
    ids,
  )

/** Returns one row per conversation, ordered by id, so that two writers of the same rows lock them in the same order. */
function mergeInOrder(rows: readonly ConversationRow[]): ConversationRow[] {
  const merged = new Map<string, ConversationRow>()
  for (const row of rows) {
    const before = merged.get(row.conversation_id)
    merged.set(row.conversation_id, before === undefined ? row : { ...before, ...row })
  }
  return [...merged.values()].sort((a, b) => (a.conversation_id < b.conversation_id ? -1 : 1))
}

/** A field's bit is set in the masks of rows that do not name it. */
const UPDATED_FIELDS = FIELD_LIST.filter(({ name }) => name !== 'conversationId').map((field, bit) => ({
  ...field,
  mask: 1 << bit,
}))

/**
 * Each column with the SQL for its value in a staged row, and for its value when that row meets a stored conversation. A
 * column that a row does not name keeps its value. $4 has, as bits, the columns that most rows do not name, and $5 has those
 * of the other rows by id; it is null if there are none. If every row were looked up by id, reimporting a file of one shape
 * would cost PostgreSQL half as much again; looked up in lists of ids, a batch of many shapes takes twice as long once its
 * plan is kept.
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
  // Writing a double here costs an import a few hundredths less than doing so in its trigger.
  return [write(column, value), ...(double === undefined ? [] : [write(double, `${value}::float8`)])]
})
const COMPARED = WRITTEN.filter(({ isCompared }) => isCompared)

// One text, whichever columns the rows name, so that it is planned once. Unchanged rows are not written: repeating an import
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
