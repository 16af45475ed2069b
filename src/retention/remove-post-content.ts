import { deleteInBatches, deleteOfEach } from '../database/batches.js'
import { type RemovedBatch, removeContent } from '../posts/content-removal.store.js'
import { eachOrganization } from './organizations.js'
import { recordRemoval, type Task } from './task.js'

const STATUSES = ['PUBLISHED', 'FAILED'] as const

/** Removes the content of published and failed posts that no one has changed since `before`. */
export const removePostContent: Task = ({ clock, database }, before, budget) =>
  deleteOfEach(eachOrganization(database), (organizationId) =>
    deleteOfEach(STATUSES, (status) =>
      deleteInBatches<RemovedBatch>(database, budget, async (tx, limit, last) => {
        const now = new Date(clock.now())
        const batch = await removeContent(tx, organizationId, { status, before, now, limit, after: last?.after })
        if (batch.deleted > 0) {
          const changes = { posts: batch.deleted, status, before: before.toISOString() }
          await recordRemoval(tx, organizationId, now, { operation: 'removePostContent', changes })
        }
        return batch
      }),
    ),
  )
