import type { Queryable } from '../database/database.js'

export interface TaskRow {
  task: string
  next_at: Date
  /** When the task last ran to its end; null before the first time. */
  ended_at: Date | null
  /** The rows removed since the database was created. */
  removed: number
}

/**
 * Claims a due task and postpones it until `next`: by then the node that claims it has finished or died. Returns
 * false if the task is not due or another node has it.
 */
export async function claimTask(
  database: Queryable,
  task: string,
  { now, next }: { now: Date; next: Date },
): Promise<boolean> {
  // A clock that was set back must not postpone a task forever; a clock that is slightly ahead on another node must
  // not count as such.
  const { rows } = await database.query(
    `insert into housekeeping (task, next_at) values ($1, $3)
         on conflict (task) do update set next_at = excluded.next_at
      where housekeeping.next_at <= $2 or housekeeping.next_at > $3::timestamptz + interval '1 day'
  returning task`,
    [task, now, next],
  )
  return rows.length > 0
}

/** Records the end of a run: when the task is due again, and what it removed. */
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
