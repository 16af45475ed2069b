import { listOrganizationRows, type OrganizationPosition } from '../access/organizations.store.js'
import type { Queryable } from '../database/database.js'

const ORGANIZATIONS_AT_ONCE = 100

/** Yields the ids of all organizations that are not being deleted, inactive ones too. */
export async function* eachOrganization(database: Queryable): AsyncGenerator<string> {
  for (let after: OrganizationPosition | undefined; ; ) {
    const { organizations, next } = await listOrganizationRows(database, { after, rows: ORGANIZATIONS_AT_ONCE })
    for (const { organization_id } of organizations) yield organization_id
    if (next === undefined) return
    after = next
  }
}
