import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows, readRow } from '../../database/queries.js'
import type { AutomationPostKey } from '../posts.store.js'
import { raffleKey } from './entrants.store.js'

/**
 * A raffle `r` of a post `p` that may be drawn at $1: its end has passed, and the comments that were read after that are
 * decided. Where they cannot be read it waits for them until $2 alone.
 */
const IS_DUE = `
  r.drawn_at is null and r.cancelled_at is null and r.ends_at <= $1
  and (r.ends_at <= $2
       or p.polled_at >= r.ends_at
          and not exists (select from incoming_comments i
                           where i.organization_id = p.organization_id and i.channel_id = p.channel_id
                             and i.object_id in (p.external_id, p.commented_id) and i.waiting))`

interface DueAt {
  now: Date
  /** A raffle that ended before this waits for no comments any more. */
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
  /** Its superpower was stopped before its end. */
  is_stopped: boolean
}

/** Locks a raffle that is to be drawn, and its post against new entrants. Undefined where another process has it. */
export const lockDueRaffle = (
  tx: Queryable,
  post: AutomationPostKey,
  { now, atLatest }: DueAt,
): Promise<DueRaffle | undefined> =>
  findRow(
    tx,
    `select r.organization_id, r.scheduled_post_id, r.channel_id, r.winners_max,
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

export interface Draw {
  seed: string
  entrants: number
  entrantsSha256: string
  at: Date
}

export async function storeDraw(
  tx: Queryable,
  post: AutomationPostKey,
  { seed, entrants, entrantsSha256, at }: Draw,
): Promise<void> {
  await tx.query(
    `update raffles set drawn_at = $4, seed = $5, entrants = $6, entrants_sha256 = $7
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...raffleKey(post), at, seed, entrants, entrantsSha256],
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

/** Locks a raffle and gives its seed; undefined where it is not drawn, or there is none. */
export const lockDrawnRaffle = (tx: Queryable, post: AutomationPostKey): Promise<string | undefined> =>
  findValue(
    tx,
    `select seed from raffles
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and drawn_at is not null
        for update`,
    raffleKey(post),
  )

/** Tells whether a rank has won, and was not replaced. */
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

export interface Redraw {
  rank: number
  entrant: string
  replaces: number
  reason: string
  at: Date
}

/** Stores who has won in another one's place, who is to be told as well. */
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
    `update raffles set told_at = null where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    raffleKey(post),
  )
}
