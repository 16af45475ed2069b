import type { Queryable } from '../../database/database.js'
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
  // In one value: to read 10,000 rows takes the embedded engine 111 ms of CPU so, and 321 ms as rows of their own.
  const { rows } = await database.query<{ packed: PackedRow[] | null }>(
    `select json_agg(json_build_array(${COLUMNS})) as packed from (
       select ${COLUMNS}
         from conversations c
        where organization_id = $1 and channel_id = $2
          and ($3::text is null or exists (
            select from vip_marks v
             where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = $3
               and v.conversation_id = c.conversation_id))
          and lifetime_value <= coalesce($4::float8, 'infinity')
          and ($4 is null or lifetime_value < $4 or conversation_id > $5::text)
        order by lifetime_value desc, conversation_id
        limit $6) listed`,
    [organizationId, channelId, workspaceId ?? null, after?.value ?? null, after?.id ?? null, limit],
  )
  return (rows[0]!.packed ?? []).map(unpack)
}

const COLUMNS = `conversation_id, cuid, user_name, first_name, last_name, profile_pic, birthday,
            last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms, lifetime_value`

type Text = string | null
type Instant = number | null
type PackedRow = [string, string, Text, Text, Text, Text, Text, Instant, Instant, Instant, number]

function unpack(row: PackedRow): ListRow {
  return {
    conversation_id: row[0],
    cuid: row[1],
    user_name: row[2],
    first_name: row[3],
    last_name: row[4],
    profile_pic: row[5],
    birthday: row[6],
    last_purchase_at_ms: row[7],
    last_user_message_at_ms: row[8],
    last_app_open_at_ms: row[9],
    lifetime_value: row[10],
  }
}

/** A page in the words of the database. */
interface PageOfRows {
  workspaceId: string | undefined
  /** Rows with a birthday alone, or with one in this month. */
  filter: 'none' | 'birthday' | number
  limit: number
  offset: number
}

/** A page of the channel's list, how many rows match within the scan, and whether the channel exceeds it. */
export async function readListPage(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
  { workspaceId, filter, limit, offset }: PageOfRows,
  scan: number,
): Promise<{ rows: ListRow[]; total: number; scanCapped: boolean }> {
  const { rows: found } = await database.query<ListRow & { total: number; scan_capped: boolean }>(
    `with scan as materialized (
       select conversation_id, lifetime_value, birthday
         from conversations c
        where organization_id = $1 and channel_id = $2
          and ($3::text is null or exists (
            select from vip_marks v
             where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = $3
               and v.conversation_id = c.conversation_id))
        order by lifetime_value desc, conversation_id
        limit $4),
     matched as (
       select conversation_id, lifetime_value from scan
        where (not $5 or birthday is not null)
          and ($6::int is null or substr(right(birthday, 5), 1, 2)::int = $6)),
     page as (select * from matched order by lifetime_value desc, conversation_id limit $7 offset $8),
     facts as (
       select (select count(*) from matched) as total,
              (select count(*) from (
                 select from conversations where organization_id = $1 and channel_id = $2 limit $4::int + 1
               ) counted) > $4::int as scan_capped)
     select facts.*, conversation_id, cuid, user_name, first_name, last_name, profile_pic, c.birthday,
            last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms, c.lifetime_value
       from facts left join (page join conversations c using (conversation_id))
            on c.organization_id = $1 and c.channel_id = $2
      order by c.lifetime_value desc, conversation_id`,
    [
      organizationId,
      channelId,
      workspaceId ?? null,
      scan,
      filter !== 'none',
      typeof filter === 'number' ? filter : null,
      limit,
      // Nothing is served past the scan, and an offset may be larger than the database counts.
      Math.min(offset, scan),
    ],
  )
  const { total, scan_capped: scanCapped } = found[0]!
  // An empty page leaves one row that has only the facts.
  return { rows: found.filter(({ cuid }) => cuid !== null), total, scanCapped }
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
