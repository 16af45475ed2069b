import type { Queryable } from '../../database/database.js'
import { listValues } from '../../database/queries.js'
import type { BeaconChain } from '../../lib/beacon.js'
import { beaconRoundOf } from '../../lib/raffle-proof.js'
import type { RaffleRule } from '../../superpowers/rule.js'
import type { AutomationPostKey } from '../posts.store.js'

export const raffleKey = ({ organization_id, scheduled_post_id, channel_id }: AutomationPostKey): string[] => [
  organization_id,
  scheduled_post_id,
  channel_id,
]

const INTEGER_MAX = 2 ** 31 - 1

/** Writes down that a post which is out has a raffle, so that it is drawn also where nobody enters. */
export async function insertRaffle(
  tx: Queryable,
  post: AutomationPostKey,
  { endsAtMs, winnersMax }: RaffleRule,
  chain: BeaconChain,
): Promise<void> {
  await tx.query(
    // The beacon is that of the version that was approved.
    `insert into raffles (organization_id, scheduled_post_id, channel_id, ends_at, winners_max, beacon_chain, beacon_round)
     select $1, $2, $3, $4, $5, approved_beacon, case when approved_beacon is not null then $6::bigint end
       from scheduled_posts where organization_id = $1 and scheduled_post_id = $2
         on conflict do nothing`,
    [...[...raffleKey(post), new Date(endsAtMs), Math.min(winnersMax, INTEGER_MAX)], beaconRoundOf(chain, endsAtMs)],
  )
}

export interface Entrant {
  entrant: string
  personId: string
  commentId: string
  enteredAtMs: number
}

/** Enters people who are not there yet, unless the list is fixed. */
export async function insertEntrants(
  tx: Queryable,
  post: AutomationPostKey,
  entrants: readonly Entrant[],
): Promise<void> {
  await tx.query(
    `insert into raffle_entrants (organization_id, scheduled_post_id, channel_id, entrant, person_id, comment_id, entered_at)
     select r.organization_id, r.scheduled_post_id, r.channel_id, t.entrant, t."personId", t."commentId",
            to_timestamp(t."enteredAtMs" / 1000.0)
       from raffles r
      cross join json_to_recordset($4::json)
        as t (entrant text, "personId" text, "commentId" text, "enteredAtMs" bigint)
      where r.organization_id = $1 and r.scheduled_post_id = $2 and r.channel_id = $3
        and r.frozen_at is null and r.drawn_at is null and r.cancelled_at is null
         on conflict do nothing`,
    [...raffleKey(post), JSON.stringify(entrants)],
  )
}

const ENTRANTS_AT_ONCE = 10_000

/** Every entrant, in order. */
export async function readEntrants(tx: Queryable, post: AutomationPostKey): Promise<string[]> {
  const entrants: string[] = []
  for (;;) {
    const page = await listValues<string>(
      tx,
      `select entrant from raffle_entrants
        where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and entrant > $4
        order by entrant limit $5`,
      [...raffleKey(post), entrants.at(-1) ?? '', ENTRANTS_AT_ONCE],
    )
    for (const entrant of page) entrants.push(entrant)
    if (page.length < ENTRANTS_AT_ONCE) return entrants
  }
}
