import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows, listValues, readRow } from '../../database/queries.js'
import type { LeftOut } from '../../interface/generated/types.js'
import type { BeaconChain } from '../../lib/beacon.js'
import { beaconRoundOf } from '../../lib/raffle-proof.js'
import type { RaffleRule } from '../../superpowers/rule.js'
import type { AutomationPostKey } from '../posts.store.js'

/**
 * The condition for freezing the entrants of a raffle `r` of a post `p` at $1: it has ended, comments were read after its
 * end, and none of them is undecided. A raffle that ended at or before $2 does not wait for comments.
 */
const IS_DUE = `
  r.frozen_at is null and r.drawn_at is null and r.cancelled_at is null and r.ends_at <= $1
  and (r.ends_at <= $2
       or p.polled_at >= r.ends_at
          and not exists (select from incoming_comments i
                           where i.organization_id = p.organization_id and i.channel_id = p.channel_id
                             and i.object_id in (p.external_id, p.commented_id) and i.waiting))`

interface DueAt {
  now: Date
  /** A raffle that ended at or before this time no longer waits for comments. */
  atLatest: Date
}

export const listDueRaffles = (
  database: Queryable,
  { now, atLatest }: DueAt,
  limit: number,
): Promise<AutomationPostKey[]> =>
  listRows(
    database,
    `select r.organization_id, r.scheduled_post_id, r.channel_id
       from raffles r join automation_posts p using (organization_id, scheduled_post_id, channel_id)
      where ${IS_DUE} order by r.ends_at limit $3`,
    [now, atLatest, limit],
  )

export interface DueRaffle extends AutomationPostKey {
  winners_max: number
  ends_at: Date
  /** Null if only the seed decides. */
  beacon_round: number | null
  /** True if its superpower was stopped before the raffle ended. */
  is_stopped: boolean
}

/** Locks a raffle that has ended, and closes its post to new entrants. Returns undefined if another process has it. */
export const lockDueRaffle = (
  tx: Queryable,
  post: AutomationPostKey,
  { now, atLatest }: DueAt,
): Promise<DueRaffle | undefined> =>
  findRow(
    tx,
    `select r.organization_id, r.scheduled_post_id, r.channel_id, r.winners_max, r.ends_at, r.beacon_round,
            exists (select from automation_stops s
                     where s.organization_id = r.organization_id and s.scheduled_post_id = r.scheduled_post_id
                       and s.channel_id = r.channel_id and s.stopped_at < r.ends_at) as is_stopped
       from raffles r join automation_posts p using (organization_id, scheduled_post_id, channel_id)
      where ${IS_DUE} and r.organization_id = $3 and r.scheduled_post_id = $4 and r.channel_id = $5
        for update of p, r skip locked`,
    [now, atLatest, ...raffleKey(post)],
  )

export async function cancelRaffle(tx: Queryable, post: AutomationPostKey, now: Date): Promise<void> {
  await tx.query(
    `update raffles set cancelled_at = $4
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...raffleKey(post), now],
  )
}

interface Freeze {
  entrants: number
  entrantsSha256: string
  leftOut: readonly LeftOut[]
  at: Date
  /** When the value of the beacon is published. */
  drawsFrom: Date | null
}

/** Freezes the list of entrants. Nobody can enter after this. */
export async function storeFreeze(
  tx: Queryable,
  post: AutomationPostKey,
  { entrants, entrantsSha256, leftOut, at, drawsFrom }: Freeze,
): Promise<void> {
  await tx.query(
    `update raffles set frozen_at = $4, entrants = $5, entrants_sha256 = $6, left_out = $7, next_attempt_at = $8
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...raffleKey(post), at, entrants, entrantsSha256, JSON.stringify(leftOut), drawsFrom],
  )
}

/** Counts the people who commented before the end but did not enter, by the reason recorded for their last comment. */
export const countLeftOut = (tx: Queryable, post: AutomationPostKey, endsAt: Date): Promise<LeftOut[]> =>
  listRows(
    tx,
    `with comments as (
       select person_id, comment_id, commented_at,
              case when person_id is null and reason <> 'no_person' then 'person_forgotten'
                   when reason = 'matched' then 'no_part' else reason end as reason
         from automation_comments m
        where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and commented_at < $4
          and reason <> 'own_comment'
          and not exists (select from raffle_entrants e
                           where e.organization_id = $1 and e.scheduled_post_id = $2 and e.channel_id = $3
                             and e.person_id = m.person_id)),
     people as (
       (select distinct on (person_id) reason from comments where person_id is not null
         order by person_id, commented_at desc, comment_id)
        union all
       select reason from comments where person_id is null)
     select reason, count(*) as people from people group by reason order by reason`,
    [...raffleKey(post), endsAt],
  )

/** Lists the raffles, of any organization, whose entrants are frozen and whose beacon value has arrived. */
export const listFrozenRaffles = (database: Queryable, limit: number): Promise<AutomationPostKey[]> =>
  listRows(
    database,
    `select organization_id, scheduled_post_id, channel_id from raffles
      where frozen_at is not null and drawn_at is null and beacon_signature is not null
      order by next_attempt_at limit $1`,
    [limit],
  )

interface FrozenRaffle extends AutomationPostKey {
  winners_max: number
  entrants_sha256: string
  beacon_chain: string
  beacon_round: number
  beacon_signature: string
}

/** Locks a raffle that may be drawn. Returns undefined if another process has it. */
export const lockFrozenRaffle = (tx: Queryable, post: AutomationPostKey): Promise<FrozenRaffle | undefined> =>
  findRow(
    tx,
    `select organization_id, scheduled_post_id, channel_id, winners_max, entrants_sha256, beacon_chain, beacon_round,
            beacon_signature
       from raffles
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3
        and frozen_at is not null and drawn_at is null and beacon_signature is not null
        for update skip locked`,
    raffleKey(post),
  )

export async function storeDraw(tx: Queryable, post: AutomationPostKey, seed: string, at: Date): Promise<void> {
  await tx.query(
    `update raffles set drawn_at = $4, seed = $5 where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...raffleKey(post), at, seed],
  )
}

const WINNERS_AT_ONCE = 5_000

/** Stores the winners in the order of their ranks, from 1. */
export async function insertWinners(
  tx: Queryable,
  post: AutomationPostKey,
  winners: readonly string[],
  at: Date,
): Promise<void> {
  for (let before = 0; before < winners.length; before += WINNERS_AT_ONCE) {
    await tx.query(
      `insert into raffle_winners (organization_id, scheduled_post_id, channel_id, rank, entrant, drawn_at)
       select $1, $2, $3, $4 + t.place, t.entrant, $6
         from unnest($5::text[]) with ordinality as t (entrant, place)`,
      [...raffleKey(post), before, winners.slice(before, before + WINNERS_AT_ONCE), at],
    )
  }
}

interface DrawnRaffle {
  seed: string
  /** All three are null if only the seed decided. */
  beacon_chain: string | null
  beacon_round: number | null
  beacon_signature: string | null
}

/** Locks a drawn raffle and returns what its order is derived from; undefined if it was not drawn or does not exist. */
export const lockDrawnRaffle = (tx: Queryable, post: AutomationPostKey): Promise<DrawnRaffle | undefined> =>
  findRow(
    tx,
    `select seed, beacon_chain, beacon_round, beacon_signature from raffles
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and drawn_at is not null
        for update`,
    raffleKey(post),
  )

/** Returns whether a rank has won and was not replaced. */
export const isStanding = (tx: Queryable, post: AutomationPostKey, rank: number): Promise<boolean> =>
  hitsRow(
    tx,
    `select from raffle_winners w
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and rank = $4
        and not exists (select from raffle_winners o
                         where o.organization_id = $1 and o.scheduled_post_id = $2 and o.channel_id = $3
                           and o.replaces = w.rank)`,
    [...raffleKey(post), rank],
  )

export const findLastRank = async (tx: Queryable, post: AutomationPostKey): Promise<number> => {
  const { last } = await readRow<{ last: number }>(
    tx,
    `select coalesce(max(rank), 0) as last from raffle_winners
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    raffleKey(post),
  )
  return last
}

interface Redraw {
  rank: number
  entrant: string
  replaces: number
  reason: string
  at: Date
}

/** Stores the winner who replaces another, and marks the raffle so that they are notified too. */
export async function insertRedraw(
  tx: Queryable,
  post: AutomationPostKey,
  { rank, entrant, replaces, reason, at }: Redraw,
): Promise<void> {
  await tx.query(
    `insert into raffle_winners
            (organization_id, scheduled_post_id, channel_id, rank, entrant, drawn_at, replaces, reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...raffleKey(post), rank, entrant, at, replaces, reason],
  )
  await tx.query(
    `update raffles set messages_planned_at = null where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    raffleKey(post),
  )
}

export const raffleKey = ({ organization_id, scheduled_post_id, channel_id }: AutomationPostKey): string[] => [
  organization_id,
  scheduled_post_id,
  channel_id,
]

const INTEGER_MAX = 2 ** 31 - 1

/** Records that a published post has a raffle, so that it is drawn even if nobody enters. */
export async function insertRaffle(
  tx: Queryable,
  post: AutomationPostKey,
  { endsAtMs, winnersMax }: RaffleRule,
  chain: BeaconChain,
): Promise<void> {
  await tx.query(
    // The beacon is that of the approved version.
    `insert into raffles (organization_id, scheduled_post_id, channel_id, ends_at, winners_max, beacon_chain, beacon_round)
     select $1, $2, $3, $4, $5, approved_beacon, case when approved_beacon is not null then $6::bigint end
       from scheduled_posts where organization_id = $1 and scheduled_post_id = $2
         on conflict do nothing`,
    [...[...raffleKey(post), new Date(endsAtMs), Math.min(winnersMax, INTEGER_MAX)], beaconRoundOf(chain, endsAtMs)],
  )
}

interface Entrant {
  entrant: string
  personId: string
  commentId: string
  enteredAtMs: number
}

/** Adds people who have not entered yet, unless the list is frozen. */
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

/** Reads every entrant, in order. */
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

/** A raffle whose draw waits for the value of a beacon. */
export interface AwaitedBeacon extends AutomationPostKey {
  beacon_round: number
  attempts: number
}

/** Lists the raffles, of any organization, whose beacon values may be fetched now. */
export const listAwaitedBeacons = (database: Queryable, now: Date, limit: number): Promise<AwaitedBeacon[]> =>
  listRows(
    database,
    `select organization_id, scheduled_post_id, channel_id, beacon_round, attempts from raffles
      where frozen_at is not null and drawn_at is null and beacon_signature is null and next_attempt_at <= $1
      order by next_attempt_at limit $2`,
    [now, limit],
  )

/** Stores the beacon value of a raffle. Returns false if there already is one, which stays. */
export const storeBeaconValue = (
  database: Queryable,
  raffle: AwaitedBeacon,
  signature: string,
  at: Date,
): Promise<boolean> =>
  hitsRow(
    database,
    `update raffles set beacon_signature = $4, beacon_fetched_at = $5, beacon_problem = null
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and beacon_signature is null
        and frozen_at is not null and drawn_at is null`,
    [...raffleKey(raffle), signature, at],
  )

export async function noteBeaconProblem(
  database: Queryable,
  raffle: AwaitedBeacon,
  problem: string,
  at: Date,
): Promise<void> {
  await database.query(
    `update raffles set beacon_problem = $4, next_attempt_at = $5, attempts = attempts + 1
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and beacon_signature is null
        and drawn_at is null and attempts = $6`,
    [...raffleKey(raffle), problem, at, raffle.attempts],
  )
}
