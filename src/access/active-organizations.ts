import type { Database } from '../database/database.js'
import { findOrganization } from './organizations.store.js'
import { createSnapshotReader } from './snapshot.js'

/**
 * Returns a function that checks whether an organization exists and is active, from memory while no access data
 * changes.
 */
export function createIsActive(database: Database): (organizationId: string) => Promise<boolean> {
  const readSnapshot = createSnapshotReader(database)
  return async (organizationId) => {
    const cache = await (await readSnapshot()).cacheOf(organizationId)
    const organization = await cache.getOrLoad(['organization', organizationId], () =>
      findOrganization(database, organizationId),
    )
    return organization?.active === true
  }
}
