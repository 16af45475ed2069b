import type { Queryable } from '../database/database.js'
import { listRows, listValues, readRow } from '../database/queries.js'
import type { AutomationMode, CommentReason, EffectName, EffectReason, EffectState } from '../interface/automation.js'
import type { RuleReply } from '../superpowers/rule.js'
import type { AutomationPostKey } from './posts.store.js'

/** A comment with its decision, as stored. */
export interface LedgerComment {
  commentId: string
  parentId: string | null
  personId: string | null
  fromName: string | null
  text: string | null
  commentedAtMs: number
  groupPlace: number | null
  reason: CommentReason
}

export interface LedgerEffect {
  commentId: string
  effect: EffectName
  groupPlace: number
  state: EffectState
  reason: EffectReason | null
  reply: RuleReply | null
  dueAtMs: number
  /** Null if it is not planned, or waits for the private reply. */
  nextAttemptAtMs: number | null
  /** The person whose turn it uses. */
  personId: string
  /** True for the one private reply to the person on the post. */
  isOnce: boolean
}

const keyOf = ({ organization_id, scheduled_post_id, channel_id }: AutomationPostKey): [string, string, string] => [
  organization_id,
  scheduled_post_id,
  channel_id,
]

/** Writes decided comments. Existing ones stay as they are. */
export async function insertComments(
  tx: Queryable,
  post: AutomationPostKey,
  comments: readonly LedgerComment[],
  now: Date,
): Promise<void> {
  if (comments.length === 0) return
  await tx.query(
    `insert into automation_comments (organization_id, scheduled_post_id, channel_id, comment_id, parent_id, person_id,
                                      from_name, text, commented_at, decided_at, group_place, reason)
     select $1, $2, $3, "commentId", "parentId", "personId", "fromName", text,
            to_timestamp("commentedAtMs" / 1000.0), $5, "groupPlace", reason
       from json_to_recordset($4::json) as t ("commentId" text, "parentId" text, "personId" text, "fromName" text,
         text text, "commentedAtMs" bigint, "groupPlace" integer, reason text)
         on conflict do nothing`,
    [...keyOf(post), JSON.stringify(comments), now],
  )
}

/** Writes the effects of comments that were just inserted. */
export async function insertEffects(
  tx: Queryable,
  post: AutomationPostKey,
  effects: readonly LedgerEffect[],
  now: Date,
): Promise<void> {
  if (effects.length === 0) return
  await tx.query(
    `insert into automation_effects (organization_id, scheduled_post_id, channel_id, comment_id, effect, group_place,
                                     state, reason, reply, due_at, next_attempt_at, ended_at, queue, person_id, once)
     select $1, $2, $3, "commentId", effect, "groupPlace", state, reason, reply, to_timestamp("dueAtMs" / 1000.0),
            to_timestamp("nextAttemptAtMs" / 1000.0), case when state <> 'planned' then $5::timestamptz end, $2, "personId",
            "isOnce"
       from json_to_recordset($4::json) as t ("commentId" text, effect text, "groupPlace" integer, state text,
         reason text, reply json, "dueAtMs" bigint, "nextAttemptAtMs" bigint, "personId" text, "isOnce" boolean)
         on conflict (organization_id, channel_id, comment_id, effect) do nothing`,
    [...keyOf(post), JSON.stringify(effects), now],
  )
}

/** The queues of a lane, in addition to one for each post. */
export const WINNERS_QUEUE = 'winners'
export const LOSERS_QUEUE = 'losers'

/** Something that waits in a lane, from `atMs` on. */
export interface Waiting {
  effect: EffectName
  /** The id of the post, or the queue of the winners or losers of raffles. */
  queue: string
  personId: string
  atMs: number
}

/**
 * Gives people their turns, no later than their new effects, and makes the lanes due. A holder that has not seen these
 * notices that `wakes` has grown.
 */
export async function takeTurns(
  tx: Queryable,
  { organization_id, channel_id }: Pick<AutomationPostKey, 'organization_id' | 'channel_id'>,
  waiting: readonly Waiting[],
): Promise<void> {
  if (waiting.length === 0) return
  const values = [organization_id, channel_id, JSON.stringify(waiting)]
  // In one order, so that transactions wait for each other without deadlocks.
  await tx.query(
    `insert into automation_lanes as l (organization_id, channel_id, effect, wakes, next_attempt_at)
     select $1, $2, effect, 1, to_timestamp(min("atMs") / 1000.0)
       from json_to_recordset($3::json) as g (effect text, "atMs" bigint)
      group by effect order by effect
         on conflict (organization_id, channel_id, effect) do update
        set wakes = l.wakes + 1, next_attempt_at = least(l.next_attempt_at, excluded.next_attempt_at)`,
    values,
  )
  await tx.query(
    `insert into automation_turns as t (organization_id, channel_id, effect, queue, person_id, turn_at)
     select $1, $2, effect, queue, "personId", to_timestamp(min("atMs") / 1000.0)
       from json_to_recordset($3::json) as g (effect text, queue text, "personId" text, "atMs" bigint)
      where queue <> ''
      group by effect, queue, "personId" order by effect, queue, "personId"
         on conflict (organization_id, channel_id, effect, queue, person_id) do update
        set wakes = t.wakes + 1, turn_at = least(t.turn_at, greatest(excluded.turn_at, t.served_at))`,
    values,
  )
}

/** Finds the comments that someone at the page has answered, as far as is known. */
export const listAnsweredByPeople = (
  tx: Queryable,
  { organization_id, channel_id }: AutomationPostKey,
  commentIds: readonly string[],
): Promise<string[]> =>
  listValues(
    tx,
    `select distinct parent_id from automation_comments
      where organization_id = $1 and channel_id = $2 and parent_id = any($3::text[]) and reason = 'own_comment'
        and not exists (select from automation_effects e
                         where e.organization_id = $1 and e.channel_id = $2
                           and e.external_id = automation_comments.comment_id)
        and not exists (select from automation_effects e
                         where e.organization_id = $1 and e.channel_id = $2 and e.comment_id = parent_id
                           and e.effect = 'public_reply' and e.state in ('attempting', 'unknown'))`,
    [organization_id, channel_id, commentIds],
  )

/**
 * Finds the comments beneath which the channel has written, or may have. On a page, a reply to a reply names the comment
 * above both, so a reply there may be one to ours.
 */
export const listAnsweredThreads = (
  tx: Queryable,
  { organization_id, channel_id }: AutomationPostKey,
  ids: readonly string[],
): Promise<string[]> =>
  listValues(
    tx,
    `select comment_id from automation_effects
      where organization_id = $1 and channel_id = $2 and comment_id = any($3::text[]) and effect = 'public_reply'
        and state in ('attempting', 'done', 'unknown')
      union
     select parent_id from automation_comments
      where organization_id = $1 and channel_id = $2 and parent_id = any($3::text[]) and reason = 'own_comment'`,
    [organization_id, channel_id, ids],
  )

/** Returns the ids written by the channel: our replies, and comments by its people. */
export const listOwnComments = (
  tx: Queryable,
  { organization_id, channel_id }: AutomationPostKey,
  ids: readonly string[],
): Promise<string[]> =>
  listValues(
    tx,
    `select external_id from automation_effects
      where organization_id = $1 and channel_id = $2 and external_id = any($3::text[])
      union
     select comment_id from automation_comments
      where organization_id = $1 and channel_id = $2 and comment_id = any($3::text[]) and reason = 'own_comment'`,
    [organization_id, channel_id, ids],
  )

/**
 * Skips what is planned for comments that someone at the page has just answered. If we made a public reply, or may have made
 * one, the answer counts as that reply.
 */
export async function skipAnsweredByPeople(
  tx: Queryable,
  { organization_id, channel_id }: AutomationPostKey,
  answers: readonly { commentId: string; answerId: string }[],
  now: Date,
): Promise<void> {
  if (answers.length === 0) return
  await tx.query(
    `update automation_effects e set state = 'skipped', reason = 'human_first', next_attempt_at = null, ended_at = $5
       from unnest($3::text[], $4::text[]) as t (comment_id, answer_id)
      where e.organization_id = $1 and e.channel_id = $2 and e.comment_id = t.comment_id and e.state = 'planned'
        and not exists (select from automation_effects o
                         where o.organization_id = $1 and o.channel_id = $2 and o.comment_id = t.comment_id
                           and o.effect = 'public_reply' and o.state in ('attempting', 'done', 'unknown')
                           and coalesce(o.external_id, t.answer_id) = t.answer_id)`,
    [
      ...[organization_id, channel_id, answers.map(({ commentId }) => commentId)],
      ...[answers.map(({ answerId }) => answerId), now],
    ],
  )
}

/** The place of people whom the superpower as a whole has answered. */
export const EVERYONE = -1

export interface AnsweredPerson {
  place: number
  personId: string
  lastAtMs: number
}

/** A post whose people are counted. Decisions of a dry run count only in dry runs. */
type CountedPost = AutomationPostKey & { mode: AutomationMode }

const isDry = ({ mode }: CountedPost): boolean => mode === 'shadow'

/** Counts the people answered at a place. */
export async function countAnswered(tx: Queryable, post: CountedPost, place: number): Promise<number> {
  const { count } = await readRow<{ count: number }>(
    tx,
    `select count(distinct person_id) as count from automation_people
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and place = $4 and (not is_dry or $5)`,
    [...keyOf(post), place, isDry(post)],
  )
  return count
}

/** Returns when these people were last answered, at each place. */
export const listAnswered = (
  tx: Queryable,
  post: CountedPost,
  personIds: readonly string[],
): Promise<AnsweredPerson[]> =>
  listRows(
    tx,
    `select place, person_id as "personId", (extract(epoch from max(last_at)) * 1000)::bigint as "lastAtMs"
       from automation_people
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and person_id = any($4::text[])
        and (not is_dry or $5)
      group by place, person_id`,
    [...keyOf(post), personIds, isDry(post)],
  )

/**
 * Returns those of the people who had a private reply on the post, or are about to get one; in a dry run, also those who
 * would have had one.
 */
export async function listPrivatelyAnswered(
  tx: Queryable,
  post: CountedPost,
  personIds: readonly string[],
): Promise<Set<string>> {
  if (personIds.length === 0) return new Set()
  const found = await listValues<string>(
    tx,
    `select distinct person_id from automation_effects
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and person_id = any($4::text[])
        and effect = 'private_reply' and person_id <> '' and queue not in ('${WINNERS_QUEUE}', '${LOSERS_QUEUE}')
        and (state in ('planned', 'attempting', 'done', 'unknown') or reason = 'dry_run')
        and ($5 or reason is distinct from 'dry_run')`,
    [...keyOf(post), personIds, isDry(post)],
  )
  return new Set(found)
}

export async function upsertAnswered(
  tx: Queryable,
  post: CountedPost,
  people: readonly AnsweredPerson[],
): Promise<void> {
  if (people.length === 0) return
  await tx.query(
    `insert into automation_people (organization_id, scheduled_post_id, channel_id, place, person_id, is_dry, last_at)
     select $1, $2, $3, place, "personId", $5, to_timestamp("lastAtMs" / 1000.0)
       from json_to_recordset($4::json) as t (place integer, "personId" text, "lastAtMs" bigint)
         on conflict (organization_id, scheduled_post_id, channel_id, place, person_id, is_dry) do update
        set last_at = greatest(automation_people.last_at, excluded.last_at)`,
    [...keyOf(post), JSON.stringify(people), isDry(post)],
  )
}

/**
 * Returns those of the people who opted out of automated messages, in a comment, in a message, or by hand. The platform's id
 * of a conversation may differ from that of the commenter: sent private replies link the two.
 */
export async function listOptedOut(
  tx: Queryable,
  { organization_id, channel_id }: AutomationPostKey,
  personIds: readonly string[],
): Promise<Set<string>> {
  if (personIds.length === 0) return new Set()
  const found = await listValues<string>(
    tx,
    `select person_id from opt_outs
      where organization_id = $1 and channel_id = $2 and person_id = any($3::text[])
      union
     select m.person_id from automation_comments m
       join automation_effects e using (organization_id, channel_id, comment_id)
       join opt_outs u on u.organization_id = $1 and u.channel_id = $2 and u.person_id = e.recipient_id
      where m.organization_id = $1 and m.channel_id = $2 and m.person_id = any($3::text[])`,
    [organization_id, channel_id, personIds],
  )
  return new Set(found)
}
