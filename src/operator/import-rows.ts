import type { Database } from '../database/database.js'
import { type ConversationRow, type ConversationTarget, upsertConversations } from './conversations.store.js'

const BATCH_ROWS = 1000

/**
 * Lands rows in batches, one transaction each, and asks for the next row only when there is room: memory stays at one
 * batch whatever the number of rows. `onLanded` hears of each batch once it is committed; when a later one fails, what
 * has landed stays.
 */
export async function importConversationRows(
  database: Pick<Database, 'transaction'>,
  target: ConversationTarget,
  rows: Iterable<ConversationRow> | AsyncIterable<ConversationRow>,
  onLanded: (count: number) => void = () => {},
): Promise<void> {
  let batch: ConversationRow[] = []
  async function land(): Promise<void> {
    const landing = batch
    batch = []
    await database.transaction((tx) => upsertConversations(tx, target, landing))
    onLanded(landing.length)
  }
  for await (const row of rows) {
    batch.push(row)
    if (batch.length === BATCH_ROWS) await land()
  }
  if (batch.length > 0) await land()
}
