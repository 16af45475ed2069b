import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows, readValue } from '../../database/queries.js'
import { ApiError } from '../../errors.js'
import type { SegmentConditions } from '../../interface/generated/types.js'

type SegmentIds = [organizationId: string, segmentId: string]

export interface SegmentRow {
  segment_id: string
  name: string
  conditions: SegmentConditions
  created_at: Date
}

const COLUMNS = 'segment_id, name, conditions, created_at'

/** Ordered by name. */
export const listSegmentRows = (database: Queryable, organizationId: string): Promise<SegmentRow[]> =>
  listRows(
    database,
    `select ${COLUMNS} from audience_segments where organization_id = $1
      order by lower(name), segment_id`,
    [organizationId],
  )

export const countSegments = (database: Queryable, organizationId: string): Promise<number> =>
  readValue(database, 'select count(*) from audience_segments where organization_id = $1', [organizationId])

/** Throws segment_not_found. */
export async function findSegment(database: Queryable, organizationId: string, segmentId: string): Promise<SegmentRow> {
  const row = await findRow<SegmentRow>(
    database,
    `select ${COLUMNS} from audience_segments where organization_id = $1 and segment_id = $2`,
    [organizationId, segmentId],
  )
  if (row === undefined) throw new ApiError('segment_not_found')
  return row
}

export const insertSegment = (tx: Queryable, organizationId: string, row: SegmentRow): Promise<unknown> =>
  tx.query(
    `insert into audience_segments (organization_id, segment_id, name, conditions, created_at)
     values ($1, $2, $3, $4::jsonb, $5)`,
    [organizationId, row.segment_id, row.name, JSON.stringify(row.conditions), row.created_at],
  )

/** Throws segment_not_found. Undefined fields stay as they are. */
export async function updateSegmentRow(
  tx: Queryable,
  organizationId: string,
  segmentId: string,
  { name, conditions }: { name?: string | undefined; conditions?: SegmentConditions | undefined },
): Promise<SegmentRow> {
  const row = await findRow<SegmentRow>(
    tx,
    `update audience_segments set name = coalesce($3, name), conditions = coalesce($4::jsonb, conditions)
      where organization_id = $1 and segment_id = $2 returning ${COLUMNS}`,
    [organizationId, segmentId, name ?? null, conditions === undefined ? null : JSON.stringify(conditions)],
  )
  if (row === undefined) throw new ApiError('segment_not_found')
  return row
}

export const deleteSegmentRow = (tx: Queryable, ...ids: SegmentIds): Promise<boolean> =>
  hitsRow(tx, 'delete from audience_segments where organization_id = $1 and segment_id = $2', ids)
