import type { Queryable } from '../../database/database.js'
import { listValues } from '../../database/queries.js'
import type { Fact } from '../facts.js'

type Comment = Extract<Fact, { type: 'comment' }>

/** Hands comments on to what acts on them. A repeat changes nothing. Gives the channels that the organization has not. */
export async function insertComments(
  tx: Queryable,
  organizationId: string,
  comments: readonly Comment[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (comments.length === 0) return new Set()
  const named = [...new Set(comments.map(({ channelId }) => channelId))]
  const known = new Set(
    await listValues<string>(
      tx,
      `select channel_id from channels
        where organization_id = $1 and channel_id = any($2::text[]) and deleted_at is null for key share`,
      [organizationId, named],
    ),
  )
  await tx.query(
    `insert into incoming_comments (organization_id, channel_id, comment_id, object_id, parent_id, person_id, from_name,
                                    text, at_ms, received_at)
     select $1, "channelId", "commentId", "objectId", "parentId", "personId", "fromName", text, at, $3
       from json_to_recordset($2::json) as t ("channelId" text, "commentId" text, "objectId" text, "parentId" text,
         "personId" text, "fromName" text, text text, at bigint)
         on conflict do nothing`,
    [organizationId, JSON.stringify(comments.filter(({ channelId }) => known.has(channelId))), now],
  )
  return new Set(named.filter((channelId) => !known.has(channelId)))
}

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
    ['kept_deliveries', 'delivery_id', 'applied_at', applied],
    ['problems', 'problem_id', 'at', problems],
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
