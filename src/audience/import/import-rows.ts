import { analyzeUnknownTables } from '../../database/analyze.js'
import type { Database, Queryable } from '../../database/database.js'
import { letOthersWork } from '../../lib/turns.js'
import { type ConversationTarget, countNew, leaveOutForgotten, upsertConversations } from '../conversations.store.js'
import type { ConversationRow } from '../fields.js'

/**
 * Rows per transaction: more rows are stored faster, but make concurrent requests wait longer. On PostgreSQL, 500 cost
 * almost nothing compared with 1000. The embedded engine runs on this very thread: a batch of 100 blocks every request for
 * about 6 ms.
 */
export const BATCH_ROWS = { postgres: 500, pglite: 100 } as const satisfies Record<Database['engine'], number>

export interface ImportHooks {
  /** Called after each commit with the number of stored rows, and of rows of erased people. */
  onStored?(stored: number, erased: number): void
  /** Runs in the transaction of the first batch. */
  withFirst?(tx: Queryable): Promise<void>
  /** Rows per transaction; more than BATCH_ROWS only if no request is waiting. */
  batchRows?: number
}

export interface Counts {
  imported: number
  /** Rows of erased people, which are omitted. */
  erased: number
}

/** Counts rows as an import would, and those of new conversations; changes nothing. */
export async function countRows(
  database: Database,
  target: Pick<ConversationTarget, 'organizationId' | 'channelId'>,
  rows: AsyncIterable<ConversationRow>,
): Promise<Counts & { created: number }> {
  const counts = { imported: 0, erased: 0, created: 0 }
  let batch: ConversationRow[] = []
  const count = async (): Promise<void> => {
    const kept = await leaveOutForgotten(database, target, batch)
    counts.imported += kept.length
    counts.created += await countNew(database, target, [...new Set(kept.map(({ conversation_id: id }) => id))])
    counts.erased += batch.length - kept.length
    batch = []
  }
  for await (const row of rows) {
    batch.push(row)
    if (batch.length === BATCH_ROWS[database.engine]) await count()
  }
  if (batch.length > 0) await count()
  return counts
}

/**
 * Stores rows in batches, one transaction each and one after another, and takes the next batch's rows while one is being
 * stored: memory stays at two batches whatever the number of rows. `onStored` is called after each commit; if a later batch
 * fails, the stored ones stay. Throws channel_not_found or channel_not_connected if the channel is deleted in the meantime.
 */
export async function importConversationRows(
  database: Database,
  target: ConversationTarget,
  rows: Iterable<ConversationRow> | AsyncIterable<ConversationRow>,
  { onStored = () => {}, withFirst = async () => {}, batchRows = BATCH_ROWS[database.engine] }: ImportHooks = {},
): Promise<void> {
  let storing = Promise.resolve()
  let landedBatches = 0
  let lastTookMs = 0
  let failed = false
  async function storeNext(batch: ConversationRow[]): Promise<void> {
    if (landedBatches > 0) await letOthersWork(lastTookMs)
    const startedAt = performance.now()
    const erased = await database.transaction(async (tx) => {
      const leftOut = await upsertConversations(tx, target, batch)
      if (landedBatches === 0) await withFirst(tx)
      return leftOut
    })
    lastTookMs = performance.now() - startedAt
    onStored(batch.length - erased, erased)
    landedBatches += 1
    // A few rows need no statistics; a steady stream of changes arrives as few rows.
    const isFirstOfMany = landedBatches === 1 && batch.length === batchRows
    if (isFirstOfMany) await analyzeUnknownTables(database, ['conversations', 'vip_marks'])
  }
  async function store(batch: ConversationRow[]): Promise<void> {
    await storing
    storing = storeNext(batch)
    storing.catch(() => {
      failed = true
    })
  }
  let batch: ConversationRow[] = []
  try {
    for await (const row of rows) {
      batch.push(row)
      if (batch.length === batchRows) {
        await store(batch)
        batch = []
      }
      if (failed) break
    }
    if (batch.length > 0) await store(batch)
  } finally {
    // Also if the rows end with an error: the batch being stored is reported first.
    await storing
  }
}
