import type { Queryable } from '../../database/database.js'
import { findRow } from '../../database/queries.js'

type SourceIds = [organizationId: string, sourceId: string]

/** The header of a stored delivery with the code of the request. */
export const DELETION_CODE = 'deletion-code'

/** A request to delete the data of a user of Meta. */
interface DataDeletionRow {
  requested_at: Date
  /** Null while it waits. */
  done_at: Date | null
}

/** Records a request that is stored in the same transaction. A repeat changes nothing, even after the request is done. */
export async function insertDataDeletion(
  tx: Queryable,
  { organizationId, sourceId, code, at }: { organizationId: string; sourceId: string; code: string; at: Date },
): Promise<void> {
  await tx.query(
    `insert into data_deletions (organization_id, source_id, code, requested_at)
     select organization_id, source_id, $3, $4 from sources where organization_id = $1 and source_id = $2
         on conflict do nothing`,
    [organizationId, sourceId, code, at],
  )
}

/** Marks a source's requests that are applied in the same transaction as done. */
export async function endDataDeletions(
  tx: Queryable,
  [organizationId, sourceId]: SourceIds,
  codes: readonly string[],
  at: Date,
): Promise<void> {
  if (codes.length === 0) return
  await tx.query(
    `update data_deletions set done_at = $4
      where organization_id = $1 and source_id = $2 and code = any($3::text[]) and done_at is null`,
    [organizationId, sourceId, codes, at],
  )
}

export const findDataDeletion = (
  database: Queryable,
  ...ids: [organizationId: string, sourceId: string, code: string]
): Promise<DataDeletionRow | undefined> =>
  findRow(
    database,
    'select requested_at, done_at from data_deletions where organization_id = $1 and source_id = $2 and code = $3',
    ids,
  )
