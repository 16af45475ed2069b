import type { Queryable } from '../database/database.js'
import { listRows, readRow } from '../database/queries.js'
import type { AutomationMode, CommentReason, EffectName, EffectReason, EffectState } from '../interface/automation.js'
import type { RuleReply } from '../superpowers/rule.js'
import { MODE } from './posts.store.js'

export interface DecidedCommentRow {
  comment_id: string
  channel_id: string
  text: string | null
  person_id: string | null
  from_name: string | null
  commented_at: Date
  group_place: number | null
  reason: CommentReason
  /** In the order in which they are made. */
  effects: {
    effect: EffectName
    state: EffectState
    reason: EffectReason | null
    reply: RuleReply | null
    /** Milliseconds since the epoch. */
    at: number
  }[]
}

/** The position of the last row of the previous page. */
export type CommentPosition = [commentedAt: string, channelId: string, commentId: string]

/** Lists the comments of a post with their decisions, newest first. */
export const listDecidedComments = (
  database: Queryable,
  [organizationId, scheduledPostId]: [string, string],
  { channelId, after, rows }: { channelId: string | undefined; after: CommentPosition | undefined; rows: number },
): Promise<DecidedCommentRow[]> =>
  listRows(
    database,
    `select m.comment_id, m.channel_id, m.text, m.person_id, m.from_name, m.commented_at, m.group_place, m.reason,
            coalesce((
              select json_agg(json_build_object(
                       'effect', e.effect, 'state', e.state, 'reason', e.reason, 'reply', e.reply,
                       'at', (extract(epoch from coalesce(e.ended_at, e.next_attempt_at, e.due_at)) * 1000)::bigint)
                       order by array_position(array['private_reply', 'public_reply', 'like', 'message'], e.effect))
                from automation_effects e
               where e.organization_id = $1 and e.channel_id = m.channel_id and e.comment_id = m.comment_id), '[]'
            ) as effects
       from automation_comments m
      where m.organization_id = $1 and m.scheduled_post_id = $2 and ($3::text is null or m.channel_id = $3)
        and ($4::timestamptz is null or m.commented_at < $4
             or m.commented_at = $4 and (m.channel_id, m.comment_id) > ($5, $6))
      order by m.commented_at desc, m.channel_id, m.comment_id limit $7`,
    [organizationId, scheduledPostId, channelId ?? null, ...(after ?? [null, null, null]), rows],
  )

export interface ReportedPostRow {
  channel_id: string
  mode: AutomationMode
  automation_problem: string | null
  stopped_at: Date | null
  stop_reason: string | null
  published_at: Date
  polled_at: Date | null
  poll_problem: string | null
  newest_comment_at: Date | null
}

/** Lists the superpowers of a post that are published, by channel. */
export const listReportedPosts = (database: Queryable, ...post: [string, string]): Promise<ReportedPostRow[]> =>
  listRows(
    database,
    `select p.channel_id, ${MODE} as mode, c.automation_problem, s.stopped_at, s.reason as stop_reason, p.published_at,
            p.polled_at, p.poll_problem, p.newest_comment_at
       from automation_posts p
       join channels c using (organization_id, channel_id)
       join organizations o using (organization_id)
       left join automation_stops s on s.organization_id = p.organization_id
                                   and s.scheduled_post_id = p.scheduled_post_id and s.channel_id = p.channel_id
      where p.organization_id = $1 and p.scheduled_post_id = $2
      order by p.channel_id collate "C"`,
    post,
  )

export interface CountedComments {
  channel_id: string
  reason: CommentReason
  group_place: number | null
  count: number
}

export const countComments = (database: Queryable, ...post: [string, string]): Promise<CountedComments[]> =>
  listRows(
    database,
    `select channel_id, reason, group_place, count(*) as count from automation_comments
      where organization_id = $1 and scheduled_post_id = $2
      group by channel_id, reason, group_place order by channel_id collate "C", group_place, reason`,
    post,
  )

export interface CountedEffects {
  channel_id: string
  group_place: number
  effect: EffectName
  state: EffectState
  reason: EffectReason | null
  /** The place of the reply among those of its group. */
  reply_place: number | null
  count: number
}

export const countEffects = (database: Queryable, ...post: [string, string]): Promise<CountedEffects[]> =>
  listRows(
    database,
    `select channel_id, group_place, effect, state, reason, (reply ->> 'place')::integer as reply_place, count(*) as count
       from automation_effects
      where organization_id = $1 and scheduled_post_id = $2
      group by channel_id, group_place, effect, state, reason, reply_place
      order by channel_id collate "C", group_place, effect, state, reason`,
    post,
  )

interface AutomationFigures {
  /** Channels where superpowers act, or would in a dry run. */
  channels: number
  /** The number that the platform stopped. */
  stopped: number
  /** Posts whose comments are read. */
  posts: number
  /** Comments that are not decided yet; counted up to 100,000. */
  waiting: number
  oldest_at: Date | null
  /** Effects of the last day whose answer was lost. */
  unknown: number
  newest_comment_at: Date | null
}

/** Counts what superpowers do in all organizations. */
export const readAutomationFigures = (database: Queryable, now: Date): Promise<AutomationFigures> =>
  readRow(
    database,
    `select (select count(*) from channels where automation <> 'off' and deleted_at is null) as channels,
            (select count(*) from channels where automation_problem is not null and deleted_at is null) as stopped,
            (select count(*) from automation_posts where next_attempt_at is not null) as posts,
            (select count(*) from (select from incoming_comments where waiting limit 100000) w) as waiting,
            (select min(received_at) from incoming_comments where waiting) as oldest_at,
            (select count(*) from automation_effects
              where state = 'unknown' and ended_at > $1::timestamptz - interval '1 day') as unknown,
            (select max(newest_comment_at) from automation_posts where next_attempt_at is not null) as newest_comment_at`,
    [now],
  )
