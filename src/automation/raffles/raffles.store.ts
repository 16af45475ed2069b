import type { Queryable } from '../../database/database.js'
import { findRow, listRows } from '../../database/queries.js'
import type { EffectReason, EffectState } from '../../interface/automation.js'
import type { LeftOut, NotSentReason, RaffleWinner, Superpower } from '../../interface/generated/types.js'
import type { PostStatus } from '../../interface/post-status.js'
import type { AutomationPostKey } from '../posts.store.js'
import { raffleKey } from './draw.store.js'

type PostIds = [organizationId: string, scheduledPostId: string]

export interface RaffleRow extends AutomationPostKey {
  status: PostStatus
  superpower: Superpower | null
  is_out: boolean
  stopped_at: Date | null
  /** The rest is null if the post is not published yet, or its comments were never read. */
  ends_at: Date | null
  winners_max: number | null
  drawn_at: Date | null
  cancelled_at: Date | null
  seed: string | null
  entrants: number
  entrants_sha256: string | null
  frozen_at: Date | null
  left_out: LeftOut[] | null
  approved_beacon: string | null
  beacon_chain: string | null
  beacon_round: number | null
  beacon_signature: string | null
  beacon_problem: string | null
}

/** Lists the channels of a post whose superpower may have a raffle. */
export const listRaffleRows = (database: Queryable, ...ids: PostIds): Promise<RaffleRow[]> =>
  listRows(
    database,
    `select x.organization_id, x.scheduled_post_id, x.channel_id, d.status, x.superpower,
            p.channel_id is not null as is_out, s.stopped_at, r.ends_at, r.winners_max, r.drawn_at, r.cancelled_at, r.seed,
            r.entrants_sha256, r.frozen_at, r.left_out, d.approved_beacon, r.beacon_chain, r.beacon_round, r.beacon_signature,
            r.beacon_problem,
            coalesce(r.entrants, (select count(*) from raffle_entrants e
                                   where e.organization_id = $1 and e.scheduled_post_id = $2
                                     and e.channel_id = x.channel_id)) as entrants
       from scheduled_post_channels x
       join scheduled_posts d using (organization_id, scheduled_post_id)
       left join automation_posts p using (organization_id, scheduled_post_id, channel_id)
       left join automation_stops s using (organization_id, scheduled_post_id, channel_id)
       left join raffles r using (organization_id, scheduled_post_id, channel_id)
      where x.organization_id = $1 and x.scheduled_post_id = $2
      order by x.channel_id collate "C"`,
    ids,
  )

/** The effect that notifies an entrant, or why there is none. */
export interface MessageRow {
  effect: RaffleWinner['way']
  state: EffectState | null
  reason: EffectReason | null
  not_sent_reason: NotSentReason | null
}

export interface WinnerRow extends MessageRow {
  rank: number
  entrant: string
  drawn_at: Date
  replaces: number | null
  redraw_reason: string | null
  conversation_id: string | null
  from_name: string | null
}

/** Lists everyone who has won, including those who were replaced, by rank. */
export const listWinners = (database: Queryable, post: AutomationPostKey): Promise<WinnerRow[]> =>
  listRows(
    database,
    `select w.rank, w.entrant, w.drawn_at, w.replaces, w.reason as redraw_reason, w.message_effect as effect,
            w.not_sent_reason, x.state, x.reason, m.from_name,
            coalesce((
              select k.recipient_id
                from automation_comments c
                join automation_effects k on k.organization_id = $1 and k.channel_id = $3 and k.comment_id = c.comment_id
               where c.organization_id = $1 and c.channel_id = $3 and c.person_id = e.person_id
                 and k.recipient_id is not null
               limit 1), e.person_id) as conversation_id
       from raffle_winners w
       join raffle_entrants e using (organization_id, scheduled_post_id, channel_id, entrant)
       left join automation_comments m
              on m.organization_id = $1 and m.channel_id = $3 and m.comment_id = e.comment_id
       left join automation_effects x on x.organization_id = $1 and x.channel_id = $3
                                     and x.comment_id = w.message_comment_id and x.effect = w.message_effect
      where w.organization_id = $1 and w.scheduled_post_id = $2 and w.channel_id = $3
      order by w.rank`,
    raffleKey(post),
  )

export interface CountedLosers extends MessageRow {
  count: number
}

/** Counts the entrants who never won and for whom a message was planned, or could not be. */
export const countLosers = (database: Queryable, post: AutomationPostKey): Promise<CountedLosers[]> =>
  listRows(
    database,
    `select e.message_effect as effect, x.state, x.reason, e.not_sent_reason, count(*) as count
       from raffle_entrants e
       left join automation_effects x on x.organization_id = $1 and x.channel_id = $3
                                     and x.comment_id = e.message_comment_id and x.effect = e.message_effect
      where e.organization_id = $1 and e.scheduled_post_id = $2 and e.channel_id = $3
        and (e.message_effect is not null or e.not_sent_reason is not null)
      group by e.message_effect, x.state, x.reason, e.not_sent_reason
      order by e.message_effect, x.state, x.reason, e.not_sent_reason`,
    raffleKey(post),
  )

export interface DrawnRaffleRow extends AutomationPostKey {
  ends_at: Date
  winners_max: number
  drawn_at: Date
  seed: string
  entrants_sha256: string
  frozen_at: Date | null
  left_out: LeftOut[] | null
  beacon_chain: string | null
  beacon_round: number | null
  beacon_signature: string | null
}

/** Returns undefined for a raffle that is not drawn, or does not exist. */
export const findDrawnRaffle = (database: Queryable, post: AutomationPostKey): Promise<DrawnRaffleRow | undefined> =>
  findRow(
    database,
    `select organization_id, scheduled_post_id, channel_id, ends_at, winners_max, drawn_at, seed, entrants_sha256, frozen_at,
            left_out, beacon_chain, beacon_round, beacon_signature
       from raffles
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and drawn_at is not null`,
    raffleKey(post),
  )
