import { FIELDS } from '../audience/fields.js'
import type { Database, Queryable } from '../database/database.js'
import { findRow, hitsRow, readRow } from '../database/queries.js'
import type { AutomationMode, EffectName, EffectReason, EffectState } from '../interface/automation.js'
import type { ChannelType } from '../interface/generated/types.js'
import type { RuleReply } from '../superpowers/rule.js'
import type { Claimed, WorkTable } from '../work/claims.store.js'
import { takeTurns, WINNERS_QUEUE } from './ledger.store.js'
import { MODE } from './posts.store.js'

const MESSAGED = FIELDS.lastUserMessageTimestamp.column

/** The effects of one kind on one channel. The holder of a lane makes its calls one at a time. */
export const LANES: WorkTable = {
  name: 'automation_lanes',
  key: ['organization_id', 'channel_id', 'effect'],
  columns: `t.organization_id, t.channel_id, t.effect, t.attempts, t.wakes, t.open_at, t.served_at, t.leased_until,
    t.after_queue`,
  // An organization with slow pages leaves room for the others.
  fair: { by: 'organization_id', max: 10, among: 'select organization_id from organizations' },
}

export interface Lane extends Claimed {
  organization_id: string
  channel_id: string
  effect: EffectName
  /** The number of consecutive obstacles. */
  attempts: number
  wakes: number
  open_at: Date | null
  served_at: Date | null
  leased_until: Date
  /** The queue that had the last turn. */
  after_queue: string
}

export interface EffectKey {
  organization_id: string
  channel_id: string
  comment_id: string
  effect: EffectName
}

export interface EffectRow extends EffectKey {
  scheduled_post_id: string
  state: EffectState
  reply: RuleReply | null
  due_at: Date
  next_attempt_at: Date
  attempts: number
  attempted_at: Date | null
}

/** An effect with everything that decides just before its call. */
export interface EffectScene extends EffectRow {
  commented_at: Date
  person_id: string | null
  type: ChannelType
  mode: AutomationMode
  /** Effects of comments from before this instant are not made: superpowers were off, or in a dry run, in the meantime. */
  since: Date | null
  is_stopped: boolean
  is_opted_out: boolean
  /** Why the platform stopped the channel. */
  automation_problem: string | null
  page_id: string | null
  access_token_sealed: string | null
  token_problem: string | null
  private_replies_per_hour: number
  /** The conversation of a message. */
  recipient_id: string | null
  /** When the person last wrote in it. */
  wrote_at_ms: number | null
}

const laneKey = ({ organization_id, channel_id, effect }: Lane): [string, string, EffectName] => [
  organization_id,
  channel_id,
  effect,
]
const effectKey = ({ organization_id, channel_id, comment_id, effect }: EffectKey): string[] => [
  organization_id,
  channel_id,
  comment_id,
  effect,
]

/** A person's turn in a lane. */
export interface Turn {
  queue: string
  person_id: string
  /** When the turn comes. */
  turn_at: Date
  /** The person's next effect there; null if none is waiting. */
  comment_id: string | null
  next_attempt_at: Date | null
}

const WAITS = `state = 'planned' and next_attempt_at is not null`

/**
 * Finds whose turn it is: winners of raffles first, then each queue in turn, and in each queue the person whose turn comes
 * first. A person's turn comes when their next effect is due, but not before the time at which they were last served. The
 * cost grows only with the number of queues, which are the posts that have something waiting.
 */
export const findTurn = (database: Queryable, lane: Lane, now: Date): Promise<Turn | undefined> =>
  findRow(
    database,
    `with recursive queues as (
       (select queue, turn_at from automation_turns where organization_id = $1 and channel_id = $2 and effect = $3 order by queue, turn_at limit 1)
        union all
       select next.queue, next.turn_at from queues q
        cross join lateral (
              select t.queue, t.turn_at from automation_turns t
               where organization_id = $1 and channel_id = $2 and effect = $3 and t.queue > q.queue order by t.queue, t.turn_at limit 1) next),
     heads as (
       select queue, turn_at from queues
        union all
       -- What a program of before has planned is one queue without people.
       (select queue, next_attempt_at from automation_effects
         where organization_id = $1 and channel_id = $2 and effect = $3 and queue = '' and person_id = '' and ${WAITS} order by next_attempt_at limit 1)),
     first as (
       select queue, turn_at from heads
        order by turn_at > $4, case when turn_at <= $4 then queue <> '${WINNERS_QUEUE}' end,
                 case when turn_at > $4 then turn_at end, queue <= $5, queue limit 1)
     select first.queue, first.turn_at, coalesce(p.person_id, '') as person_id, e.comment_id, e.next_attempt_at
       from first
       left join lateral (
            select person_id from automation_turns
             where organization_id = $1 and channel_id = $2 and effect = $3 and queue = first.queue order by turn_at, served_at nulls first, person_id limit 1) p on true
       left join lateral (
            select comment_id, next_attempt_at from automation_effects
             where organization_id = $1 and channel_id = $2 and effect = $3 and queue = first.queue and person_id = coalesce(p.person_id, '') and ${WAITS}
             order by next_attempt_at limit 1) e on true`,
    [...laneKey(lane), now, lane.after_queue],
  )

/**
 * Settles up to `limit` of the first turns of a queue, or that of one person who was just served. A turn comes when its
 * person's next effect is due, and is removed if there is none. A turn that was given again in the meantime stays.
 */
export async function settleTurns(
  database: Queryable,
  lane: Lane,
  { queue, person, servedAt, limit }: { queue: string; person: string | null; servedAt: Date | null; limit: number },
): Promise<void> {
  await database.query(
    `with these as (
       select t.person_id, t.wakes, h.next_attempt_at as due_at
         from (select person_id, wakes from automation_turns
                where organization_id = $1 and channel_id = $2 and effect = $3 and queue = $4 ${person === null ? '' : 'and person_id = $7'}
                order by turn_at, served_at nulls first, person_id limit $6) t
         left join lateral (
              select next_attempt_at from automation_effects
               where organization_id = $1 and channel_id = $2 and effect = $3 and queue = $4 and person_id = t.person_id and ${WAITS}
               order by next_attempt_at limit 1) h on true),
     gone as (
       delete from automation_turns t using these
        where organization_id = $1 and channel_id = $2 and effect = $3 and queue = $4 and t.person_id = these.person_id and t.wakes = these.wakes and these.due_at is null)
     update automation_turns t
        set turn_at = greatest(these.due_at, $5, t.served_at), served_at = coalesce($5::timestamptz, t.served_at)
       from these
      where organization_id = $1 and channel_id = $2 and effect = $3 and queue = $4 and t.person_id = these.person_id and t.wakes = these.wakes
        and these.due_at is not null`,
    [...laneKey(lane), queue, servedAt, limit, ...(person === null ? [] : [person])],
  )
}

/** Finds an effect whose call was left open by a dead process. */
export const findOpenEffect = (database: Queryable, lane: Lane): Promise<EffectScene | undefined> =>
  findRow(database, sceneOf(`state = 'attempting' limit 1`), laneKey(lane))

export const findEffect = (database: Queryable, lane: Lane, commentId: string): Promise<EffectScene | undefined> =>
  findRow(database, sceneOf('comment_id = $4'), [...laneKey(lane), commentId])

const sceneOf = (which: string): string => `
  select e.organization_id, e.channel_id, e.comment_id, e.effect, e.scheduled_post_id, e.state, e.reply, e.due_at,
         e.next_attempt_at, e.attempts, e.attempted_at, m.commented_at, m.person_id, c.type, ${MODE} as mode,
         greatest(c.automation_since, o.automation_since) as since,
         exists (select from automation_stops s
                  where s.organization_id = e.organization_id and s.scheduled_post_id = e.scheduled_post_id
                    and s.channel_id = e.channel_id) as is_stopped,
         exists (select from opt_outs u
                  where u.organization_id = e.organization_id and u.channel_id = e.channel_id
                    and (u.person_id = m.person_id
                         or u.person_id in (
                            select r.recipient_id from automation_comments w
                              join automation_effects r using (organization_id, channel_id, comment_id)
                             where w.organization_id = $1 and w.channel_id = $2 and w.person_id = m.person_id))
                ) as is_opted_out,
         c.automation_problem, c.page_id, c.access_token_sealed, c.token_problem, c.private_replies_per_hour, e.recipient_id,
         (select v.${MESSAGED} from conversations v
           where v.organization_id = e.organization_id and v.channel_id = e.channel_id
             and v.conversation_id = e.recipient_id) as wrote_at_ms
    from (select * from automation_effects
           where organization_id = $1 and channel_id = $2 and effect = $3 and ${which}) e
    join automation_comments m using (organization_id, channel_id, comment_id)
    join channels c using (organization_id, channel_id)
    join organizations o using (organization_id)`

/** Records that there is no obstacle, and extends the claim. Returns false if the lane has another holder by now. */
export const keepLane = (
  database: Queryable,
  lane: Lane,
  { servedAt, until }: { servedAt: Date | null; until: Date },
): Promise<boolean> =>
  hitsRow(
    database,
    `update automation_lanes set leased_until = $5, served_at = coalesce($6, served_at), after_queue = $7
      where organization_id = $1 and channel_id = $2 and effect = $3 and leased_by = $4`,
    [...laneKey(lane), lane.leased_by, until, servedAt, lane.after_queue],
  )

/**
 * Releases a lane until `at`; null means that nothing is waiting. Anything planned since the claim makes it due at once,
 * because its holder has not seen that.
 */
export const releaseLane = (
  database: Queryable,
  lane: Lane,
  { at, attempts, now }: { at: Date | null; attempts: number; now: Date },
): Promise<boolean> =>
  hitsRow(
    database,
    `update automation_lanes
        set leased_by = null, leased_until = null, attempts = $6,
            next_attempt_at = case when wakes = $7 then $5::timestamptz else least($5::timestamptz, $8) end
      where organization_id = $1 and channel_id = $2 and effect = $3 and leased_by = $4`,
    [...laneKey(lane), lane.leased_by, at, attempts, lane.wakes, now],
  )

/**
 * Stores that a call is about to be made, if the lane is still held, the effect is still planned, and every switch allows it
 * at this moment. Returns false otherwise.
 */
export async function attemptEffect(
  database: Database,
  lane: Lane,
  effect: EffectKey,
  { now, openAt }: { now: Date; openAt: Date },
): Promise<boolean> {
  return await hitsRow(
    database,
    `with held as (
       update automation_lanes set open_at = $6
        where organization_id = $1 and channel_id = $2 and effect = $4 and leased_by = $5
       returning organization_id, channel_id)
     update automation_effects e
        set state = 'attempting', reason = null, problem = null, next_attempt_at = null, attempted_at = $7
       from held
       join channels c using (organization_id, channel_id)
       join organizations o using (organization_id)
      where e.organization_id = held.organization_id and e.channel_id = held.channel_id
        and e.comment_id = $3 and e.effect = $4 and e.state = 'planned'
        and ${MODE} = 'on' and c.automation_problem is null
        and not exists (select from automation_stops s
                         where s.organization_id = e.organization_id and s.scheduled_post_id = e.scheduled_post_id
                           and s.channel_id = e.channel_id)`,
    [...effectKey(effect), lane.leased_by, openAt, now],
  )
}

export interface EffectEnd {
  state: 'done' | 'refused' | 'unknown' | 'skipped'
  reason: EffectReason | null
  problem: string | null
  externalId: string | null
  /** The conversation that a private reply began. */
  recipientId: string | null
}

/**
 * Stores how an effect ended. The public reply that waits for a private one follows it if that succeeded, and is skipped
 * otherwise. An answer that arrives after another holder gave the call up replaces `unknown`, because it is the truth.
 */
export async function endEffect(tx: Queryable, effect: EffectRow, end: EffectEnd, now: Date): Promise<boolean> {
  const from = end.state === 'skipped' ? ['planned'] : ['planned', 'attempting', 'unknown']
  const isEnded = await hitsRow(
    tx,
    `update automation_effects
        set state = $5, reason = $6, problem = $7, external_id = $8, recipient_id = coalesce($12, recipient_id), next_attempt_at = null,
            ended_at = $9
      where organization_id = $1 and channel_id = $2 and comment_id = $3 and effect = $4 and state = any($10::text[])
        and attempted_at is not distinct from $11`,
    [
      ...[...effectKey(effect), end.state, end.reason, end.problem, end.externalId, now],
      ...[from, effect.attempted_at, end.recipientId],
    ],
  )
  if (isEnded && effect.effect === 'private_reply') await endPrivateReply(tx, effect, end.state === 'done', now)
  return isEnded
}

/**
 * Skips up to `limit` due effects of a lane that a stop or a switch no longer allows, and returns their number. Skipped one
 * at a time, 20,000 effects of a stopped post take the embedded engine a minute.
 */
export const skipSwitched = async (
  database: Queryable,
  lane: Lane,
  { now, limit }: { now: Date; limit: number },
): Promise<number> =>
  (
    await readRow<{ count: number }>(
      database,
      `with these as (
         select e.organization_id, e.channel_id, e.comment_id, e.effect,
                case when s.channel_id is not null then 'stopped' when ${MODE} = 'shadow' and not b.is_before then 'dry_run'
                     else 'switched_off' end as reason
           from automation_effects e
           join automation_comments m using (organization_id, channel_id, comment_id)
           join channels c using (organization_id, channel_id)
           join organizations o using (organization_id)
           left join automation_stops s on s.organization_id = e.organization_id
                and s.scheduled_post_id = e.scheduled_post_id and s.channel_id = e.channel_id
          cross join lateral (
            select coalesce(case when (e.reply ->> 'place')::integer < 0 then e.due_at else m.commented_at end
                            < greatest(c.automation_since, o.automation_since), false) as is_before) b
          where e.organization_id = $1 and e.channel_id = $2 and e.effect = $3 and e.state = 'planned'
            and e.next_attempt_at <= $4 and (s.channel_id is not null or ${MODE} <> 'on' or b.is_before)
          order by e.next_attempt_at limit $5),
       gone as (
         update automation_effects e
            set state = 'skipped', reason = these.reason, next_attempt_at = null, ended_at = $4
           from these
          where e.organization_id = these.organization_id and e.channel_id = these.channel_id
            and e.comment_id = these.comment_id and e.effect = these.effect and e.state = 'planned'
         returning e.organization_id, e.channel_id, e.comment_id, e.effect),
       following as (
         update automation_effects e
            set state = 'skipped', reason = 'no_private_reply', next_attempt_at = null, ended_at = $4
           from gone
          where gone.effect = 'private_reply' and e.organization_id = gone.organization_id
            and e.channel_id = gone.channel_id and e.comment_id = gone.comment_id and e.effect = 'public_reply'
            and e.state = 'planned' and e.next_attempt_at is null)
       select count(*) as count from gone`,
      [...laneKey(lane), now, limit],
    )
  ).count

async function endPrivateReply(tx: Queryable, effect: EffectRow, isDone: boolean, now: Date): Promise<void> {
  const { organization_id, channel_id, comment_id } = effect
  const key = [organization_id, channel_id, comment_id]
  if (!isDone) {
    await tx.query(
      `update automation_effects set state = 'skipped', reason = 'no_private_reply', next_attempt_at = null, ended_at = $4
        where organization_id = $1 and channel_id = $2 and comment_id = $3 and effect = 'public_reply'
          and state = 'planned' and next_attempt_at is null`,
      [...key, now],
    )
    return
  }
  const next = await findRow<{ next_attempt_at: Date; queue: string; person_id: string }>(
    tx,
    `update automation_effects set next_attempt_at = greatest(due_at, $4)
      where organization_id = $1 and channel_id = $2 and comment_id = $3 and effect = 'public_reply'
        and state = 'planned' and next_attempt_at is null
  returning next_attempt_at, queue, person_id`,
    [...key, now],
  )
  if (next === undefined) return
  const { next_attempt_at, queue, person_id: personId } = next
  await takeTurns(tx, effect, [{ effect: 'public_reply', queue, personId, atMs: next_attempt_at.getTime() }])
}

/** Postpones an effect whose call certainly had no effect, or was not made. */
export async function putOffEffect(
  database: Queryable,
  effect: EffectRow,
  { at, reason, problem }: { at: Date; reason: EffectReason; problem: string | null },
): Promise<void> {
  await database.query(
    `update automation_effects
        set state = 'planned', reason = $5, problem = $6, next_attempt_at = $7, attempts = attempts + 1,
            attempted_at = null
      where organization_id = $1 and channel_id = $2 and comment_id = $3 and effect = $4
        and state in ('planned', 'attempting') and attempted_at is not distinct from $8`,
    [...effectKey(effect), reason, problem, at, effect.attempted_at],
  )
}
