import type { Queryable } from '../database/database.js'
import { deleteSomeOf, type KeyedTables } from '../database/deletion.js'

/** The tables of what superpowers did, with the rest of their keys; referring tables come first. */
const TABLES_OF_AUTOMATION: KeyedTables = [
  ['raffle_winners', 'scheduled_post_id, channel_id, rank'],
  ['raffle_entrants', 'scheduled_post_id, channel_id, entrant'],
  ['raffles', 'scheduled_post_id, channel_id'],
  ['automation_turns', 'channel_id, effect, queue, person_id'],
  ['automation_effects', 'channel_id, comment_id, effect'],
  ['automation_comments', 'channel_id, comment_id'],
  ['automation_people', 'scheduled_post_id, channel_id, place, person_id, is_dry'],
  ['automation_posts', 'scheduled_post_id, channel_id'],
]

/** Deletes at most `limit` rows of what superpowers did in an organization, or on one of its channels. */
export const deleteAutomation = (
  tx: Queryable,
  of: { organizationId: string; channelId?: string | null },
  limit: number,
): Promise<{ deleted: number }> => deleteSomeOf(tx, TABLES_OF_AUTOMATION, of, limit)
