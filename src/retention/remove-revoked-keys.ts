import { deleteRevokedKeys } from '../access/keys.store.js'
import { deleteInBatches, type RowBudget } from '../database/batches.js'
import { eachOrganization } from './organizations.js'
import { type RetentionContext, type Round, recordRemoval } from './task.js'

/** Removes keys that were revoked before an instant. Their ids are never given again. */
export async function removeRevokedKeys(
  { clock, database }: RetentionContext,
  before: Date,
  budget: RowBudget,
): Promise<Round> {
  let removed = 0
  for await (const organizationId of eachOrganization(database)) {
    const { deleted, done } = await deleteInBatches(database, budget, async (tx, limit) => {
      const keys = await deleteRevokedKeys(tx, organizationId, { before, limit })
      if (keys.length > 0) {
        // The names, because histories name a key by its id from now on.
        const changes = { keys: Object.fromEntries(keys.map(({ key_id, name }) => [key_id, name])) }
        await recordRemoval(tx, organizationId, new Date(clock.now()), { operation: 'removeRevokedKeys', changes })
      }
      return { deleted: keys.length }
    })
    removed += deleted
    if (!done) return { removed, done: false }
  }
  return { removed, done: true }
}
