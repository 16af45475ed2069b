import { deleteInBatches, type RowBudget } from '../database/batches.js'
import { type RemovedBatch, removeContent } from '../posts/content-removal.store.js'
import { eachOrganization } from './organizations.js'
import { type RetentionContext, type Round, recordRemoval } from './task.js'

/** Removes the content of published and failed posts that no one has changed since `before`. */
export async function removePostContent(
  { clock, database }: RetentionContext,
  before: Date,
  budget: RowBudget,
): Promise<Round> {
  let removed = 0
  for await (const organizationId of eachOrganization(database)) {
    for (const status of ['PUBLISHED', 'FAILED'] as const) {
      const { deleted, done } = await deleteInBatches<RemovedBatch>(database, budget, async (tx, limit, last) => {
        const now = new Date(clock.now())
        const batch = await removeContent(tx, organizationId, { status, before, now, limit, after: last?.after })
        if (batch.deleted > 0) {
          const changes = { posts: batch.deleted, status, before: before.toISOString() }
          await recordRemoval(tx, organizationId, now, { operation: 'removePostContent', changes })
        }
        return batch
      })
      removed += deleted
      if (!done) return { removed, done: false }
    }
  }
  return { removed, done: true }
}
