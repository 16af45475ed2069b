import type { Queryable } from '../database/database.js'
import { readRow } from '../database/queries.js'

export interface WaitingMails {
  waiting: number
  /** Those that were tried and did not go. */
  failing: number
  /** When the one was due that waits longest; null when none does. */
  due_at: Date | null
}

/** Counts the mails of all kinds that were due before the given time, and are not sent. */
export const countWaitingMails = (database: Queryable, now: Date): Promise<WaitingMails> =>
  readRow(
    database,
    `select count(*) filter (where next_attempt_at <= $1) as waiting, count(*) filter (where attempts > 0) as failing,
            min(next_attempt_at) filter (where next_attempt_at <= $1) as due_at
       from (select attempts, next_attempt_at from mails where next_attempt_at is not null
             union all select attempts, next_attempt_at from person_mails where next_attempt_at is not null
             union all select attempts, next_attempt_at from inbox_mails where next_attempt_at is not null) m`,
    [now],
  )
