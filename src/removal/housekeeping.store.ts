import type { Queryable } from '../database/database.js'

export interface TaskRow {
  task: string
  next_at: Date
  /** The last time that it was done to its end; null before the first. */
  ended_at: Date | null
  /** The number of rows that it has removed since the database was made. */
  removed: number
}

/**
 * Takes a task that is due, and puts it off until `next`: by then the node that takes it has ended it, or has died.
 * False when it is not due, or when another node has taken it.
 */
export async function claimTask(
  database: Queryable,
  task: string,
  { now, next }: { now: Date; next: Date },
): Promise<boolean> {
  // A clock that was set back must not put a task off for ever; one that is a little ahead on another node is not
  // taken for that.
  const { rows } = await database.query(
    `insert into housekeeping (task, next_at) values ($1, $3)
         on conflict (task) do update set next_at = excluded.next_at
      where housekeeping.next_at <= $2 or housekeeping.next_at > $3::timestamptz + interval '1 day'
  returning task`,
    [task, now, next],
  )
  return rows.length > 0
}

/** Notes how a task ended: when it is due again, and what it has removed. */
export async function noteTask(
  database: Queryable,
  task: string,
  { next, endedAt, removed }: { next: Date; endedAt: Date | undefined; removed: number },
): Promise<void> {
  await database.query(
    `update housekeeping set next_at = $2, ended_at = coalesce($3, ended_at), removed = removed + $4 where task = $1`,
    [task, next, endedAt ?? null, removed],
  )
}

export async function listTasks(database: Queryable): Promise<TaskRow[]> {
  const { rows } = await database.query<TaskRow>(
    'select task, next_at, ended_at, removed from housekeeping order by task',
  )
  return rows
}
