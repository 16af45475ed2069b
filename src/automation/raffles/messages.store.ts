import { FIELDS } from '../../audience/fields.js'
import type { Queryable } from '../../database/database.js'
import { findRow, listRows, listValues } from '../../database/queries.js'
import type { EffectName } from '../../interface/automation.js'
import type { ChannelType, NotSentReason, Superpower } from '../../interface/generated/types.js'
import type { RuleReply } from '../../superpowers/rule.js'
import type { AutomationPostKey } from '../posts.store.js'
import { raffleKey } from './draw.store.js'

const MESSAGED = FIELDS.lastUserMessageTimestamp.column

/** Lists the raffles whose messages are not all planned. */
export const listRafflesToMessage = (database: Queryable, limit: number): Promise<AutomationPostKey[]> =>
  listRows(
    database,
    `select organization_id, scheduled_post_id, channel_id from raffles
      where drawn_at is not null and messages_planned_at is null order by drawn_at limit $1`,
    [limit],
  )

export interface RaffleToMessage extends AutomationPostKey {
  type: ChannelType
  automated_notice: string | null
  superpower: Superpower | null
  /** The last losing entrant that was handled. */
  messages_planned_to: string
}

/** Locks a raffle whose messages are not all planned; returns undefined if another process has it. */
export const lockRaffleToMessage = (tx: Queryable, post: AutomationPostKey): Promise<RaffleToMessage | undefined> =>
  findRow(
    tx,
    `select r.organization_id, r.scheduled_post_id, r.channel_id, c.type, c.automated_notice, x.superpower,
            coalesce(r.messages_planned_to, '') as messages_planned_to
       from raffles r
       join scheduled_post_channels x using (organization_id, scheduled_post_id, channel_id)
       join channels c using (organization_id, channel_id)
      where r.organization_id = $1 and r.scheduled_post_id = $2 and r.channel_id = $3
        and r.drawn_at is not null and r.messages_planned_at is null
        for no key update of r skip locked`,
    raffleKey(post),
  )

/** Lists current winners for whom nothing is planned yet. */
export const listUnplannedWinners = (tx: Queryable, post: AutomationPostKey, limit: number): Promise<string[]> =>
  listValues(
    tx,
    `select entrant from raffle_winners w
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and planned_at is null
        and not exists (select from raffle_winners o
                         where o.organization_id = $1 and o.scheduled_post_id = $2 and o.channel_id = $3
                           and o.replaces = w.rank)
      order by rank limit $4`,
    [...raffleKey(post), limit],
  )

/** Lists entrants after the given one, without winners. */
export const listLosers = (tx: Queryable, post: AutomationPostKey, after: string, limit: number): Promise<string[]> =>
  listValues(
    tx,
    `select entrant from raffle_entrants e
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and entrant > $4
        and not exists (select from raffle_winners w
                         where w.organization_id = $1 and w.scheduled_post_id = $2 and w.channel_id = $3
                           and w.entrant = e.entrant)
      order by entrant limit $5`,
    [...raffleKey(post), after, limit],
  )

/** Everything that decides how an entrant can be notified. */
export interface EntrantScene {
  entrant: string
  /** Null for a person who was erased. */
  person_id: string | null
  /** The comment with which the person entered. */
  comment_id: string | null
  from_name: string | null
  group_place: number
  is_opted_out: boolean
  /** True if a human had answered the comment before it was decided. */
  is_answered: boolean
  /** True if a message about this raffle was already planned. */
  has_message: boolean
  /** True if any comment of the person on the post is recent enough. */
  has_fresh_comment: boolean
  /** The newest of these whose private reply is unused. */
  unused_comment_id: string | null
  conversation_id: string | null
  wrote_at_ms: number | null
}

/** Comments that no human has answered and that only the rule decided. */
const ANSWERABLE = ['matched', 'no_match', 'chance', 'users_limit', 'time_limit']

/** Lists the scenes of these entrants, in any order. Comments up to `since` are too old. */
export const listScenes = (
  tx: Queryable,
  post: AutomationPostKey,
  entrants: readonly string[],
  since: Date,
): Promise<EntrantScene[]> =>
  listRows(
    tx,
    `select e.entrant, e.person_id, e.comment_id, entry.from_name, coalesce(entry.group_place, 0) as group_place,
            coalesce(entry.reason = 'human_first', false) as is_answered,
            exists (select from opt_outs u
                     where u.organization_id = $1 and u.channel_id = $3 and u.person_id = e.person_id) as is_opted_out,
            exists (select from automation_effects x
                     where x.organization_id = $1 and x.channel_id = $3 and x.comment_id = e.comment_id
                       and x.effect = 'message') as has_message,
            fresh.has_one as has_fresh_comment, fresh.unused as unused_comment_id,
            v.conversation_id, v.${MESSAGED} as wrote_at_ms
       from raffle_entrants e
       left join automation_comments entry
              on entry.organization_id = $1 and entry.channel_id = $3 and entry.comment_id = e.comment_id
      cross join lateral (
        select count(*) > 0 as has_one,
               (array_agg(m.comment_id order by m.commented_at desc) filter (
                  where m.reason = any($6::text[])
                    and not exists (select from automation_effects x
                                     where x.organization_id = $1 and x.channel_id = $3
                                       and x.comment_id = m.comment_id and x.effect = 'private_reply')))[1] as unused
          from automation_comments m
         where m.organization_id = $1 and m.channel_id = $3 and m.person_id = e.person_id
           and m.scheduled_post_id = $2 and m.commented_at > $5) fresh
       left join lateral (
        select x.recipient_id
          from automation_comments m
          join automation_effects x on x.organization_id = $1 and x.channel_id = $3 and x.comment_id = m.comment_id
         where m.organization_id = $1 and m.channel_id = $3 and m.person_id = e.person_id
           and x.recipient_id is not null
         limit 1) known on true
       left join conversations v on v.organization_id = $1 and v.channel_id = $3
                                and v.conversation_id = coalesce(known.recipient_id, e.person_id)
      where e.organization_id = $1 and e.scheduled_post_id = $2 and e.channel_id = $3 and e.entrant = any($4::text[])`,
    [...raffleKey(post), entrants, since, ANSWERABLE],
  )

/** How one entrant is notified: an effect, or the reason why there is none. */
export interface PlannedMessage {
  entrant: string
  commentId: string | null
  effect: Extract<EffectName, 'private_reply' | 'message'> | null
  reason: NotSentReason | null
  groupPlace: number
  reply: RuleReply | null
  recipientId: string | null
  /** The message uses this person's turn in this queue. */
  queue: string
  personId: string
}

/** Adds the effects that send the messages. */
export async function insertMessages(
  tx: Queryable,
  post: AutomationPostKey,
  messages: readonly PlannedMessage[],
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into automation_effects (organization_id, scheduled_post_id, channel_id, comment_id, effect, group_place,
                                     state, reply, due_at, next_attempt_at, recipient_id, queue, person_id)
     select $1, $2, $3, "commentId", effect, "groupPlace", 'planned', reply, $5::timestamptz, $5, "recipientId", queue,
            "personId"
       from json_to_recordset($4::json) as t ("commentId" text, effect text, "groupPlace" integer, reply json,
         "recipientId" text, queue text, "personId" text)
      where effect is not null`,
    [...raffleKey(post), JSON.stringify(messages), now],
  )
}

const storeMessages = (table: string, more: string): string => `
  update ${table} w set message_comment_id = t."commentId", message_effect = t.effect, not_sent_reason = t.reason${more}
    from json_to_recordset($4::json) as t (entrant text, "commentId" text, effect text, reason text)
   where w.organization_id = $1 and w.scheduled_post_id = $2 and w.channel_id = $3 and w.entrant = t.entrant`

/** Records how winners are notified. */
export async function recordWinnerMessages(
  tx: Queryable,
  post: AutomationPostKey,
  messages: readonly PlannedMessage[],
  now: Date,
): Promise<void> {
  await tx.query(storeMessages('raffle_winners', ', planned_at = $5'), [
    ...raffleKey(post),
    JSON.stringify(messages),
    now,
  ])
}

/** Records how losing entrants are notified. They are handled in order. */
export async function recordLoserMessages(
  tx: Queryable,
  post: AutomationPostKey,
  messages: readonly PlannedMessage[],
): Promise<void> {
  await tx.query(storeMessages('raffle_entrants', ''), [...raffleKey(post), JSON.stringify(messages)])
}

/** Records how far the losing entrants are handled; `messages_planned_at` means that none remain. */
export async function recordProgress(
  tx: Queryable,
  post: AutomationPostKey,
  { plannedTo, plannedAt }: { plannedTo: string | null; plannedAt: Date | null },
): Promise<void> {
  await tx.query(
    `update raffles set messages_planned_to = coalesce($4, messages_planned_to), messages_planned_at = $5
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...raffleKey(post), plannedTo, plannedAt],
  )
}
