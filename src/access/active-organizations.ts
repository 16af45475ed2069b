import type { Database } from '../database/database.js'
import { findOrganization } from './organizations.store.js'
import { createSnapshotReader } from './snapshot.js'

/**
 * Makes what tells whether there is an active organization of this id: from memory, as long as no access data
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
