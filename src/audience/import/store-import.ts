import type { Database, Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { ChannelKey } from '../../http/snapshot.js'
import { newId } from '../../lib/ids.js'
import { type ConversationTarget, upsertConversations } from '../conversations.store.js'
import type { ConversationRow } from '../fields.js'
import { BATCH_ROWS, type Counts, importConversationRows } from './import-rows.js'
import { endImport, isImportRunning, leaseImport } from './running-imports.store.js'

const LEASE_MS = 30_000
const RENEW_MS = 10_000
const RETRY_SECONDS = 10

const refused = (): ApiError => new ApiError('import_running', { retryAfterSeconds: RETRY_SECONDS })

/** Throws import_running if another import has the channel. */
async function throwIfRunning(tx: Queryable, channel: ChannelKey): Promise<void> {
  if (await isImportRunning(tx, channel)) throw refused()
}

/**
 * Runs `work` as the only import of the channel. The lease expires if this process dies. Throws import_running if another
 * import has the channel; `assertHeld` throws it if one has taken over, such as after this process was suspended.
 */
async function runImport<T>(
  database: Database,
  { organizationId, channelId }: ChannelKey,
  work: (assertHeld: () => void) => Promise<T>,
): Promise<T> {
  const self = { organizationId, channelId, leasedBy: newId('import') }
  if (!(await leaseImport(database, self, LEASE_MS))) throw refused()
  let held = true
  const renew = async (): Promise<void> => {
    held = await leaseImport(database, self, LEASE_MS)
  }
  // An unavailable database is asked again; the batches report it to the caller.
  const renewing = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref()
  try {
    return await work(() => {
      if (!held) throw refused()
    })
  } finally {
    clearInterval(renewing)
    await endImport(database, self).catch(() => {})
  }
}

/** The steps of an import besides writing its rows. */
interface ImportSteps {
  /** Runs in the transaction of the first rows. */
  begin(tx: Queryable): Promise<void>
  /** Runs in the last transaction. */
  end(tx: Queryable, counts: Counts): Promise<void>
  /** Called after each commit with the number of stored rows, and of rows of erased people. */
  onStored(stored: number, erased: number): void
}

/**
 * Stores the rows as the only import of the channel. With `isAllHere`, none of them is still arriving: rows that fit in one
 * batch are then stored in one transaction with their beginning and end, which takes two thirds of the time of several.
 * Throws import_running, and what importConversationRows throws.
 */
export async function storeImport(
  database: Database,
  target: ConversationTarget,
  { rows, isAllHere }: { rows: AsyncGenerator<ConversationRow>; isAllHere: boolean },
  steps: ImportSteps,
): Promise<void> {
  const { taken, isLast } = isAllHere ? await takeFew(rows, BATCH_ROWS[database.engine]) : { taken: [], isLast: false }
  if (isLast) await storeAtOnce(database, target, taken, steps)
  else await storeInBatches(database, target, chain(taken, rows), steps)
}

async function storeAtOnce(
  database: Database,
  target: ConversationTarget,
  rows: readonly ConversationRow[],
  { begin, end, onStored }: ImportSteps,
): Promise<void> {
  const { imported, erased } = await database.transaction(async (tx) => {
    await throwIfRunning(tx, target)
    const counts: Counts = { imported: 0, erased: 0 }
    if (rows.length > 0) {
      counts.erased = await upsertConversations(tx, target, rows)
      counts.imported = rows.length - counts.erased
      await begin(tx)
    }
    await end(tx, counts)
    return counts
  })
  onStored(imported, erased)
}

async function storeInBatches(
  database: Database,
  target: ConversationTarget,
  rows: AsyncIterable<ConversationRow>,
  { begin, end, onStored }: ImportSteps,
): Promise<void> {
  const counts: Counts = { imported: 0, erased: 0 }
  await runImport(database, target, async (assertHeld) => {
    await importConversationRows(database, target, rows, {
      onStored(stored, erased) {
        counts.imported += stored
        counts.erased += erased
        onStored(stored, erased)
        assertHeld()
      },
      withFirst: begin,
    })
  })
  await database.transaction((tx) => end(tx, counts))
}

/** Takes the first rows, at most one more than `most`. `isLast` is true if there are no others. */
async function takeFew(
  rows: AsyncGenerator<ConversationRow>,
  most: number,
): Promise<{ taken: ConversationRow[]; isLast: boolean }> {
  const taken: ConversationRow[] = []
  while (taken.length <= most) {
    const { value, done } = await rows.next()
    if (done) return { taken, isLast: true }
    taken.push(value)
  }
  return { taken, isLast: false }
}

async function* chain(
  first: readonly ConversationRow[],
  rest: AsyncGenerator<ConversationRow>,
): AsyncGenerator<ConversationRow> {
  yield* first
  yield* rest
}
