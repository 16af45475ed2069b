import { setImmediate as nextTurn } from 'node:timers/promises'
import { analyzeUnknownTables } from '../database/analyze.js'
import type { Database } from '../database/database.js'
import { type ConversationRow, type ConversationTarget, upsertConversations } from './conversations.store.js'

/**
 * Rows of one transaction: the more, the more land in a second, and the longer wait requests beside it. On PostgreSQL
 * some 35,000 land with 1000 and 22,000 with 500; the slowest hundredth of reads takes five times as long as without an
 * import, and three times. The embedded engine works on this very thread: a batch of 1000 keeps every request waiting for
 * some 80 ms, one of 250 for 20, at little cost.
 */
export const BATCH_ROWS = { postgres: 1000, pglite: 250 } as const satisfies Record<Database['engine'], number>

/**
 * Lands rows in batches, one transaction each and one after another, and takes the rows of the next batch while one lands:
 * memory stays at two batches whatever the number of rows. `onLanded` hears of each batch once it is committed; when a
 * later one fails, what has landed stays.
 */
export async function importConversationRows(
  database: Database,
  target: ConversationTarget,
  rows: Iterable<ConversationRow> | AsyncIterable<ConversationRow>,
  onLanded: (count: number) => void = () => {},
): Promise<void> {
  const batchRows = BATCH_ROWS[database.engine]
  let landing = Promise.resolve()
  let landedBatches = 0
  let failed = false
  async function landNext(batch: ConversationRow[]): Promise<void> {
    await database.transaction((tx) => upsertConversations(tx, target, batch))
    onLanded(batch.length)
    landedBatches += 1
    // On the embedded engine one batch would follow another without a pause, and no request would be heard.
    await nextTurn()
    // A few rows need no statistics, and are what a steady stream of changes comes as.
    const isFirstOfMany = landedBatches === 1 && batch.length === BATCH_ROWS[database.engine]
    if (isFirstOfMany) await analyzeUnknownTables(database, ['conversations', 'vip_marks'])
  }
  async function land(batch: ConversationRow[]): Promise<void> {
    await landing
    landing = landNext(batch)
    landing.catch(() => {
      failed = true
    })
  }
  let batch: ConversationRow[] = []
  try {
    for await (const row of rows) {
      batch.push(row)
      if (batch.length === batchRows) {
        await land(batch)
        batch = []
      }
      if (failed) break
    }
    if (batch.length > 0) await land(batch)
  } finally {
    // Also when the rows end with an error: what is landing is told of before it.
    await landing
  }
}
