import type { Queryable } from '../../database/database.js'
import { readValue } from '../../database/queries.js'
import type { ChannelKey } from '../../http/snapshot.js'
import { FIELD_LIST, FIELDS, type PackedConversation, type StoredConversation, selectedColumns } from '../fields.js'
import type { ListQuery } from './channel-lists.js'
import type { EntryKey } from './list-entry.js'

const COLUMNS = FIELD_LIST.map(({ column, double = column }) => double).join(', ')
/** A double, which is how nodes compare rows: two programs may have written the same double as two decimals. */
const VALUE = FIELDS.lifetimeValue.double
const BIRTHDAY = FIELDS.birthday.column
const LIST_ORDER = `${VALUE} desc, conversation_id`
/** The conversations of a channel, or those of them that are VIPs of the workspace $3. */
const FROM_LISTED = `
         from conversations c
        where organization_id = $1 and channel_id = $2
          and ($3::text is null or exists (
            select from vip_marks v
             where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = $3
               and v.conversation_id = c.conversation_id))`

/**
 * Reads the first `limit` conversations of the channel in list order, or those after a row; with a workspace, only its VIPs.
 * The index has this order.
 */
export async function readListRows(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
  workspaceId: string | undefined,
  limit: number,
  after?: EntryKey,
): Promise<PackedConversation[]> {
  // As one value: reading 10,000 rows this way takes the embedded engine 111 ms of CPU, and 321 ms as separate rows.
  const packed = await readValue<PackedConversation[] | null>(
    database,
    `select json_agg(json_build_array(${COLUMNS})) from (
       select ${COLUMNS} ${FROM_LISTED}
          and ${VALUE} <= coalesce($4::float8, 'infinity')
          and ($4 is null or ${VALUE} < $4 or conversation_id > $5::text)
        order by ${LIST_ORDER}
        limit $6) listed`,
    [organizationId, channelId, workspaceId ?? null, after?.value ?? null, after?.id ?? null, limit],
  )
  return packed ?? []
}

/** Reads a page of the channel's list, the number of matching rows within the scan, and whether the channel exceeds it. */
export async function readListPage(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
  { vipsOf, filter, limit, offset }: Omit<ListQuery, 'compact'>,
  scan: number,
): Promise<{ rows: StoredConversation[]; total: number; scanCapped: boolean }> {
  const { rows: found } = await database.query<StoredConversation & { total: number; scan_capped: boolean }>(
    `with scan as materialized (
       select conversation_id, ${VALUE}, ${BIRTHDAY} ${FROM_LISTED}
        order by ${LIST_ORDER}
        limit $4),
     matched as (
       select conversation_id, ${VALUE} from scan
        where (not $5 or ${BIRTHDAY} is not null)
          and ($6::int is null or substr(right(${BIRTHDAY}, 5), 1, 2)::int = $6)),
     page as (select * from matched order by ${LIST_ORDER} limit $7 offset $8),
     facts as (
       select (select count(*) from matched) as total,
              (select count(*) from (
                 select from conversations where organization_id = $1 and channel_id = $2 limit $4::int + 1
               ) counted) > $4::int as scan_capped)
     select facts.*, ${selectedColumns('c')}
       from facts left join (page join conversations c using (conversation_id))
            on c.organization_id = $1 and c.channel_id = $2
      order by c.${VALUE} desc, c.conversation_id`,
    [
      organizationId,
      channelId,
      vipsOf ?? null,
      scan,
      filter !== 'none',
      typeof filter === 'number' ? filter : null,
      limit,
      // Nothing is served past the scan, and an offset may exceed the database's number range.
      Math.min(offset, scan),
    ],
  )
  const { total, scan_capped: scanCapped } = found[0]!
  // For an empty page there is one row with only the facts.
  return { rows: found.filter(({ cuid }) => cuid !== null), total, scanCapped }
}

/** Counts the conversations of the channel, up to `max`. */
export const countConversations = (
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
  max: number,
): Promise<number> =>
  readValue(
    database,
    `select count(*) from (
       select from conversations where organization_id = $1 and channel_id = $2 limit $3
     ) counted`,
    [organizationId, channelId, max],
  )
