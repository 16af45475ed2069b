import { letOthersWork } from '../lib/turns.js'
import type { Database, Queryable } from './database.js'
import { setForTransaction } from './queries.js'

/**
 * Rows per transaction: more rows delete faster, but make concurrent requests wait longer. The embedded engine runs on this
 * very thread.
 */
const BATCH_ROWS = { postgres: 500, pglite: 100 } as const satisfies Record<Database['engine'], number>

/** How many rows one call may still delete. */
export interface RowBudget {
  rows: number
}

/** Limits a call to seconds; repeating it deletes the rest. */
export const newRowBudget = (rows = 50_000): RowBudget => ({ rows })

export interface Deleted {
  deleted: number
  /** False if the budget was used up and more remains. */
  done: boolean
}

/** The result of a deletion in batches. */
export interface Deletion<Batch> extends Deleted {
  batches: Batch[]
}

/**
 * Deletes rows in batches, one transaction each, and yields to requests in between. `deleteSome` gets the previous batch and
 * deletes `limit` rows; it deletes fewer only if no more remain.
 */
export async function deleteInBatches<Batch extends { deleted: number }>(
  database: Database,
  budget: RowBudget,
  deleteSome: (tx: Queryable, limit: number, before: Batch | undefined) => Promise<Batch>,
): Promise<Deletion<Batch>> {
  const batches: Batch[] = []
  const result = (done: boolean): Deletion<Batch> => ({
    batches,
    deleted: batches.reduce((sum, batch) => sum + batch.deleted, 0),
    done,
  })
  for (;;) {
    const limit = Math.min(BATCH_ROWS[database.engine], budget.rows)
    if (limit === 0) return result(false)
    const startedAt = performance.now()
    const batch = await database.transaction(async (tx) => {
      // A session keeps its plans: one made while the table was small would scan it, however large it becomes.
      await setForTransaction(tx, { enable_seqscan: 'off' })
      return await deleteSome(tx, limit, batches.at(-1))
    })
    batches.push(batch)
    budget.rows -= batch.deleted
    if (batch.deleted < limit) return result(true)
    await letOthersWork(performance.now() - startedAt)
  }
}

/** Deletes what belongs to each item in turn, within the budget. */
export async function deleteOfEach<T>(
  items: Iterable<T> | AsyncIterable<T>,
  deleteOf: (item: T) => Promise<Deleted>,
): Promise<Deleted> {
  let all = 0
  for await (const item of items) {
    const { deleted, done } = await deleteOf(item)
    all += deleted
    if (!done) return { deleted: all, done }
  }
  return { deleted: all, done: true }
}
