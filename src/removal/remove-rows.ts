import { deleteRevokedKeys } from '../access/keys/keys.store.js'
import { deleteInBatches, deleteOfEach } from '../database/batches.js'
import { type RemovedBatch, removeContent } from '../posts/content-removal.store.js'
import { eachOrganization, recordRemoval, type Task } from './task.js'

/** Removes keys that were revoked before an instant. Their ids are never reused. */
export const removeRevokedKeys: Task = ({ clock, database }, before, budget) =>
  deleteOfEach(eachOrganization(database), (organizationId) =>
    deleteInBatches(database, budget, async (tx, limit) => {
      const keys = await deleteRevokedKeys(tx, organizationId, { before, limit })
      if (keys.length > 0) {
        // Records the names, because from now on histories show only the id of a key.
        const changes = { keys: Object.fromEntries(keys.map(({ key_id, name }) => [key_id, name])) }
        await recordRemoval(tx, organizationId, new Date(clock.now()), { operation: 'removeRevokedKeys', changes })
      }
      return { deleted: keys.length }
    }),
  )

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
