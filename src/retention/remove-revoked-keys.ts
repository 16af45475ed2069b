import { deleteRevokedKeys } from '../access/keys.store.js'
import { deleteInBatches, deleteOfEach } from '../database/batches.js'
import { eachOrganization } from './organizations.js'
import { recordRemoval, type Task } from './task.js'

/** Removes keys that were revoked before an instant. Their ids are never given again. */
export const removeRevokedKeys: Task = ({ clock, database }, before, budget) =>
  deleteOfEach(eachOrganization(database), (organizationId) =>
    deleteInBatches(database, budget, async (tx, limit) => {
      const keys = await deleteRevokedKeys(tx, organizationId, { before, limit })
      if (keys.length > 0) {
        // The names, because histories name a key by its id from now on.
        const changes = { keys: Object.fromEntries(keys.map(({ key_id, name }) => [key_id, name])) }
        await recordRemoval(tx, organizationId, new Date(clock.now()), { operation: 'removeRevokedKeys', changes })
      }
      return { deleted: keys.length }
    }),
  )
