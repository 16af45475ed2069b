import type { Queryable } from '../database/database.js'
import { readRow } from '../database/queries.js'

export interface AutomationFigures {
  /** Channels where superpowers act, or would in a dry run. */
  channels: number
  /** Those that the platform stopped. */
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
