import type { Queryable } from '../../database/database.js'
import { listValues } from '../../database/queries.js'

/**
 * Deletes at most `limit` rows from before a time: of kept deliveries and comments, of problems, and of requests to delete
 * data.
 */
export async function deleteOld(
  tx: Queryable,
  organizationId: string,
  { applied, problems, requests, limit }: { applied: Date; problems: Date; requests: Date; limit: number },
): Promise<{ deleted: number }> {
  let deleted = 0
  for (const [table, key, at, before] of [
    // The bytes of both are counted in rows that each writer locks in this order.
    ['problems', 'problem_id', 'at', problems],
    ['kept_deliveries', 'delivery_id', 'applied_at', applied],
    ['incoming_comments', 'channel_id, comment_id', 'received_at', applied],
    ['data_deletions', 'source_id, code', 'requested_at', requests],
  ] as const) {
    const { rowCount } = await tx.query(
      `delete from ${table} where organization_id = $1 and (${key}) in (
         select ${key} from ${table} where organization_id = $1 and ${at} < $2 order by ${at} limit $3)`,
      [organizationId, before, limit],
    )
    deleted += rowCount
  }
  return { deleted }
}

/** Organizations that have, or had, sources. */
export const listLiveOrganizations = (database: Queryable): Promise<string[]> =>
  listValues(database, 'select organization_id from live_audiences order by organization_id')
