import type { Queryable } from '../database/database.js'

/** The tables of what superpowers did, with the rest of their keys; what refers to others comes first. */
const TABLES_OF_AUTOMATION = [
  ['raffle_winners', 'scheduled_post_id, channel_id, rank'],
  ['raffle_entrants', 'scheduled_post_id, channel_id, entrant'],
  ['raffles', 'scheduled_post_id, channel_id'],
  ['automation_turns', 'channel_id, effect, queue, person_id'],
  ['automation_effects', 'channel_id, comment_id, effect'],
  ['automation_comments', 'channel_id, comment_id'],
  ['automation_people', 'scheduled_post_id, channel_id, place, person_id, is_dry'],
  ['automation_posts', 'scheduled_post_id, channel_id'],
] as const

/** Deletes at most `limit` rows of what superpowers did in an organization, or on one of its channels. */
export async function deleteAutomation(
  tx: Queryable,
  { organizationId, channelId = null }: { organizationId: string; channelId?: string | null },
  limit: number,
): Promise<{ deleted: number }> {
  let deleted = 0
  for (const [table, key] of TABLES_OF_AUTOMATION) {
    if (deleted >= limit) break
    const { rowCount } = await tx.query(
      `delete from ${table} where organization_id = $1 and (${key}) in (
         select ${key} from ${table}
          where organization_id = $1 and ($2::text is null or channel_id = $2) limit $3)`,
      [organizationId, channelId, limit - deleted],
    )
    deleted += rowCount
  }
  return { deleted }
}
