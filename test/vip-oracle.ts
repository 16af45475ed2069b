import { toCompactBody, toFullBody, type VipUserRow } from '../src/audience/vip-user.js'
import type { Queryable } from '../src/database/database.js'

export interface VipUserScan {
  organizationId: string
  workspaceId: string
  channelId: string
  scope: 'vip' | 'all'
  hasBirthday: boolean
  birthdayMonth: number | undefined
  compact: boolean
  limit: number
  offset: number
  /** interface 8: the scan guardrail. */
  scanRowsMax: number
}

const COLUMNS = `conversation_id, cuid, user_name, first_name, last_name, profile_pic, birthday,
  last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms`

/**
 * What GET /vip-users must answer at this moment, in plain SQL: the tests hold the list in memory against it. A page of the
 * first conversations (scope `vip`: VIPs of the workspace) in list order, filtered (interface 4.1), in one statement.
 */
export async function scanVipUsers(database: Queryable, scan: VipUserScan): Promise<unknown> {
  const { rows } = await database.query<Partial<VipUserRow> & { total: number; scan_capped: boolean }>(
    `with scan as materialized (
       select ${COLUMNS}, lifetime_value
         from conversations c
        where organization_id = $1 and channel_id = $2
          and ($3::text is null or exists (
            select from vip_marks v
             where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = $3
               and v.conversation_id = c.conversation_id))
        order by lifetime_value desc, conversation_id
        limit $8
     ), matched as (
       select * from scan
        where (not $4 or birthday is not null) and ($5::int is null or substr(right(birthday, 5), 1, 2)::int = $5)
     ), page as (
       select * from matched order by lifetime_value desc, conversation_id limit $6 offset $7
     ), facts as (
       select (select count(*) from matched) as total,
              (select count(*) from (
                 select from conversations where organization_id = $1 and channel_id = $2 limit $8::int + 1
               ) counted) > $8::int as scan_capped
     )
     select total, scan_capped, ${COLUMNS}
       from facts left join page on true
      order by lifetime_value desc, conversation_id`,
    [
      scan.organizationId,
      scan.channelId,
      scan.scope === 'vip' ? scan.workspaceId : null,
      scan.hasBirthday,
      scan.birthdayMonth ?? null,
      scan.limit,
      // Nothing is served past the scan, and an offset may be larger than the database counts.
      Math.min(scan.offset, scan.scanRowsMax),
      scan.scanRowsMax,
    ],
  )
  const { total, scan_capped: scanCapped } = rows[0]!
  // An empty page leaves one row that has only the facts.
  const found = rows.filter((row): row is (typeof rows)[0] & VipUserRow => row.cuid !== null)
  const items = JSON.parse(JSON.stringify(found.map(scan.compact ? toCompactBody : toFullBody)))
  const nextOffset = scan.offset + items.length
  return { items, returned: items.length, total, mayHaveMore: nextOffset < total, nextOffset, scanCapped }
}
