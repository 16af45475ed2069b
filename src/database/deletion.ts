import type { Queryable } from './database.js'
import { type Owner, tablesDeletedWith } from './tables.js'

const KEYS: Record<Owner, string> = {
  organization: 'organization_id = $1',
  workspace: 'organization_id = $1 and workspace_id = $2',
  channel: 'organization_id = $1 and channel_id = $2',
}

/** Deletes the few rows that belong to this owner. Those that go in batches must be gone. */
export async function deleteRowsOf(
  tx: Queryable,
  owner: Owner,
  ids: readonly string[],
  step: 'first' | 'last' = 'last',
): Promise<void> {
  for (const table of tablesDeletedWith(owner, step)) {
    await tx.query(`delete from ${table} where ${KEYS[owner]}`, ids)
  }
}
