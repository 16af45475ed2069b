import type { Queryable } from '../database/database.js'
import type { VipUserRow } from './vip-user.js'

/** interface 8: the scan guardrail. */
export const SCAN_ROWS_MAX = 25_000

export interface VipUserScan {
  organizationId: string
  workspaceId: string
  channelId: string
  scope: 'vip' | 'all'
  hasBirthday: boolean
  birthdayMonth: number | undefined
  limit: number
  offset: number
}

export interface VipUserPage {
  rows: VipUserRow[]
  /** Matches within the scan. */
  total: number
  /** Whether the channel holds more conversations than one scan reads. */
  scanCapped: boolean
}

const COLUMNS = `conversation_id, cuid, user_name, first_name, last_name, profile_pic, birthday,
  last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms`

/**
 * One page of the first 25,000 conversations (scope `vip`: VIPs of the workspace) in list order, filtered (interface
 * 4.1). One statement, so that page, total and scanCapped tell of the same moment.
 */
export async function scanVipUsers(database: Queryable, scan: VipUserScan): Promise<VipUserPage> {
  const { rows } = await database.query<Partial<VipUserRow> & { total: number; scan_capped: boolean }>(
    `with scan as materialized (
       select ${COLUMNS}, birthday_month, lifetime_value
         from conversations c
        where organization_id = $1 and channel_id = $2
          and ($3::text is null or exists (
            select from vip_marks v
             where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = $3
               and v.conversation_id = c.conversation_id))
        order by lifetime_value desc, conversation_id
        limit ${SCAN_ROWS_MAX}
     ), matched as (
       select * from scan
        where (not $4 or birthday is not null) and ($5::int is null or birthday_month = $5)
     ), page as (
       select * from matched order by lifetime_value desc, conversation_id limit $6 offset $7
     ), facts as (
       select (select count(*) from matched) as total,
              (select count(*) from (
                 select from conversations where organization_id = $1 and channel_id = $2 limit ${SCAN_ROWS_MAX + 1}
               ) counted) > ${SCAN_ROWS_MAX} as scan_capped
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
      Math.min(scan.offset, SCAN_ROWS_MAX),
    ],
  )
  const { total, scan_capped: scanCapped } = rows[0]!
  // An empty page leaves one row that has only the facts.
  return { rows: rows.filter((row): row is (typeof rows)[0] & VipUserRow => row.cuid !== null), total, scanCapped }
}
