import type { Database } from '../src/database/database.js'
import { hashEntrants, hmac, orderByLot, sha256 } from '../src/lib/raffle-proof.js'

/** The tables that record what superpowers did. */
export const AUTOMATION_TABLES = [
  'automation_comments',
  'automation_effects',
  'automation_lanes',
  'automation_people',
  'automation_posts',
  'automation_turns',
  'opt_outs',
  'raffles',
  'raffle_entrants',
  'raffle_winners',
]

/** Inserts a row into each table of automation, for a post with a superpower on a channel. */
export async function insertAutomationRows(
  database: Database,
  key: [organizationId: string, scheduledPostId: string, channelId: string],
  at = '2026-11-20T08:00:00.000Z',
): Promise<void> {
  const own = 'organization_id, scheduled_post_id, channel_id'
  const of = (text: string): Promise<unknown> => database.query(text, key)
  await of(`insert into publications (${own}, state) values ($1, $2, $3, 'PENDING') on conflict do nothing`)
  // The trigger watches the post from this point.
  await of(
    `update publications set state = 'PUBLISHED', external_id = '1_5', attempted_at = '${at}'
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
  )
  await of(
    `insert into automation_comments (${own}, comment_id, person_id, from_name, text, commented_at, decided_at, group_place, reason)
     values ($1, $2, $3, '5_7', '77', 'Ana', 'me', '${at}', '${at}', 0, 'matched')`,
  )
  await of(
    `insert into automation_effects (${own}, comment_id, effect, group_place, state, due_at)
     values ($1, $2, $3, '5_7', 'like', 0, 'planned', '${at}')`,
  )
  await of(`insert into automation_people (${own}, place, person_id, last_at) values ($1, $2, $3, -1, '77', '${at}')`)
  await insertDrawnRaffle(database, key, at)
  const ofChannel = [key[0], key[2]]
  await database.query(
    `insert into automation_lanes (organization_id, channel_id, effect) values ($1, $2, 'like')`,
    ofChannel,
  )
  await database.query(
    `insert into automation_turns (organization_id, channel_id, effect, queue, person_id, turn_at)
     values ($1, $2, 'like', 'post', '77', '${at}')`,
    ofChannel,
  )
  await database.query(
    `insert into opt_outs (organization_id, channel_id, person_id, at, source) values ($1, $2, '77', '${at}', 'hand')`,
    ofChannel,
  )
}

/** A raffle drawn among three entrants. The winner is the commenter of the rows above. */
async function insertDrawnRaffle(database: Database, key: [string, string, string], at: string): Promise<void> {
  const own = 'organization_id, scheduled_post_id, channel_id'
  const seed = sha256('a seed')
  const entrants = ['77', '78', '79'].map((person) => hmac('a key', person)).sort()
  const [winner] = await orderByLot(seed, entrants)
  await database.query(
    `insert into raffles (${own}, ends_at, winners_max, drawn_at, seed, entrants, entrants_sha256, messages_planned_at)
     values ($1, $2, $3, '${at}', 1, '${at}', $4, 3, $5, '${at}')`,
    [...key, seed, hashEntrants(entrants)],
  )
  await database.query(
    `insert into raffle_entrants (${own}, entrant, person_id, comment_id, entered_at)
     select $1, $2, $3, t.entrant, case when t.entrant = $5 then '77' end, case when t.entrant = $5 then '5_7' end, '${at}'
       from unnest($4::text[]) as t (entrant)`,
    [...key, entrants, winner],
  )
  await database.query(
    `insert into raffle_winners (${own}, rank, entrant, drawn_at, planned_at, not_sent_reason)
     values ($1, $2, $3, 1, $4, '${at}', '${at}', 'private_reply_used')`,
    [...key, winner],
  )
}
