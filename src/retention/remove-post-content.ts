import { recordAudit } from '../access/audit.store.js'
import { deleteInBatches, type RowBudget } from '../database/batches.js'
import { type RemovedBatch, removeContent } from '../posts/content-removal.store.js'
import { eachOrganization } from './organizations.js'
import { BY_SETTINGS, type RetentionContext, type Round } from './task.js'

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
          await recordAudit(tx, {
            principal: { organizationId, actor: BY_SETTINGS },
            at: now,
            operation: 'removePostContent',
            target: { type: 'organization', id: organizationId },
            changes: { posts: batch.deleted, status, before: before.toISOString() },
          })
        }
        return batch
      })
      removed += deleted
      if (!done) return { removed, done: false }
    }
  }
  return { removed, done: true }
}
