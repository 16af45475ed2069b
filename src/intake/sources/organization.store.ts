import type { Queryable } from '../../database/database.js'
import { hitsRow } from '../../database/queries.js'
import { ApiError } from '../../errors.js'

/** Holds the organization until the transaction ends, so that two calls do not both make its last source. */
export async function lockOrganizationForSources(tx: Queryable, organizationId: string): Promise<void> {
  const isThere = await hitsRow(
    tx,
    'select from organizations where organization_id = $1 and deleted_at is null for no key update',
    [organizationId],
  )
  if (!isThere) throw new ApiError('organization_not_found')
}
