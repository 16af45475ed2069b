import type { Queryable } from '../../database/database.js'

type ChannelIds = [organizationId: string, channelId: string]

/** The tables of deliveries, with the rest of their keys. */
const TABLES_OF_DELIVERIES = [
  ['inbox', 'delivery_id'],
  ['problems', 'problem_id'],
  ['kept_deliveries', 'delivery_id'],
  ['incoming_comments', 'channel_id, comment_id'],
] as const

/** Deletes at most `limit` deliveries, problems and comments of an organization. */
export async function deleteDeliveriesOfOrganization(
  tx: Queryable,
  organizationId: string,
  limit: number,
): Promise<{ deleted: number }> {
  let deleted = 0
  for (const [table, key] of TABLES_OF_DELIVERIES) {
    if (deleted >= limit) break
    const { rowCount } = await tx.query(
      `delete from ${table} where organization_id = $1 and (${key}) in (
         select ${key} from ${table} where organization_id = $1 limit $2)`,
      [organizationId, limit - deleted],
    )
    deleted += rowCount
  }
  return { deleted }
}

/** Deletes at most `limit` comments of a channel. */
export async function deleteCommentsOfChannel(
  tx: Queryable,
  ...values: [...ids: ChannelIds, limit: number]
): Promise<{ deleted: number }> {
  const { rowCount } = await tx.query(
    `delete from incoming_comments where organization_id = $1 and channel_id = $2 and comment_id in (
       select comment_id from incoming_comments where organization_id = $1 and channel_id = $2 limit $3)`,
    values,
  )
  return { deleted: rowCount }
}
