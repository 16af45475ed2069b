import { setImmediate as nextTurn } from 'node:timers/promises'
import { holdChannel } from '../../channels/channels.store.js'
import { analyzeUnknownTables } from '../../database/analyze.js'
import type { Database, Queryable } from '../../database/database.js'
import { type ConversationRow, type ConversationTarget, upsertConversations } from '../conversations.store.js'

/**
 * Rows of one transaction: the more, the more land in a second, and the longer wait requests beside it. On PostgreSQL 500
 * cost next to nothing against 1000. The embedded engine works on this very thread: a batch of 100 keeps every request
 * waiting for some 6 ms.
 */
export const BATCH_ROWS = { postgres: 500, pglite: 100 } as const satisfies Record<Database['engine'], number>

export interface ImportHooks {
  /** Called after each batch is committed, with its number of rows. */
  onLanded?(count: number): void
  /** Runs in the transaction of the first batch. */
  withFirst?(tx: Queryable): Promise<void>
}

/**
 * Lands rows in batches, one transaction each and one after another, and takes the rows of the next batch while one lands:
 * memory stays at two batches whatever the number of rows. `onLanded` hears of each batch once it is committed; when a
 * later one fails, what has landed stays. Throws channel_not_found or channel_not_connected when the channel goes meanwhile.
 */
export async function importConversationRows(
  database: Database,
  target: ConversationTarget,
  rows: Iterable<ConversationRow> | AsyncIterable<ConversationRow>,
  { onLanded = () => {}, withFirst = async () => {} }: ImportHooks = {},
): Promise<void> {
  const batchRows = BATCH_ROWS[database.engine]
  let landing = Promise.resolve()
  let landedBatches = 0
  let lastTookMs = 0
  let failed = false
  async function landNext(batch: ConversationRow[]): Promise<void> {
    if (landedBatches > 0) await letOthersWork(lastTookMs)
    const startedAt = performance.now()
    await database.transaction(async (tx) => {
      await holdChannel(tx, target)
      await upsertConversations(tx, target, batch)
      if (landedBatches === 0) await withFirst(tx)
    })
    lastTookMs = performance.now() - startedAt
    onLanded(batch.length)
    landedBatches += 1
    // A few rows need no statistics, and are what a steady stream of changes comes as.
    const isFirstOfMany = landedBatches === 1 && batch.length === batchRows
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

/** A turn of the event loop that takes no longer had nothing to do. */
const IDLE_TURN_MS = 0.2
/** A request takes some turns: it is read, what it needs is asked for, its answer is written. */
const IDLE_TURNS = 4

/** Waits until the requests that came meanwhile are answered, as long as they keep this thread busy; `maxMs` at most. */
async function letOthersWork(maxMs: number): Promise<void> {
  const startedAt = performance.now()
  for (let idleTurns = 0, turnedAt = startedAt; idleTurns < IDLE_TURNS; ) {
    await nextTurn()
    const now = performance.now()
    if (now - startedAt > maxMs) return
    idleTurns = now - turnedAt < IDLE_TURN_MS ? idleTurns + 1 : 0
    turnedAt = now
  }
}
