import type { Queryable } from '../database/database.js'
import { findRow, listValues } from '../database/queries.js'
import { ApiError } from '../errors.js'
import type { SavedSuperpower } from '../interface/generated/types.js'
import { idPattern } from '../lib/ids.js'

const COLUMNS = 'creative_template_id as "creativeTemplateId", name, active, superpower'

type SuperpowerIds = [organizationId: string, creativeTemplateId: string]

export async function insertSuperpower(
  database: Queryable,
  organizationId: string,
  { creativeTemplateId, name, active, superpower }: SavedSuperpower,
): Promise<void> {
  await database.query(
    `insert into superpowers (organization_id, creative_template_id, name, active, superpower)
     values ($1, $2, $3, $4, $5)`,
    [organizationId, creativeTemplateId, name, active, JSON.stringify(superpower)],
  )
}

/** A superpower's position in the list. */
export type SuperpowerPosition = readonly [name: string, creativeTemplateId: string]

/** Lists superpowers by name, then id; `next` is the position of the last one if there are more. */
export async function listSuperpowerRows(
  database: Queryable,
  organizationId: string,
  { activeOnly, after = ['', ''], rows, bytes }: SuperpowerFilter,
): Promise<{ superpowers: SavedSuperpower[]; next: SuperpowerPosition | undefined }> {
  const { rows: found } = await database.query<SavedSuperpower & { may_have_more: boolean }>(
    `with candidates as (
       select creative_template_id, name, bytes from superpowers
        where organization_id = $1 and (active or not $2)
          and (name, creative_template_id) > ($3::text, $4::text)
        order by name, creative_template_id
        limit $5),
     sized as (
       select creative_template_id, row_number() over list as place, sum(bytes) over list as total,
              count(*) over () as candidates
         from candidates
       window list as (order by name, creative_template_id)),
     page as (
       select creative_template_id, place, candidates > max(place) over () as may_have_more
         from sized
        where place = 1 or (place <= $6 and total <= $7))
     select ${COLUMNS}, may_have_more
       from page join superpowers using (creative_template_id)
      where organization_id = $1
      order by place`,
    [organizationId, activeOnly, ...after, rows + 1, rows, bytes],
  )
  const last = found.at(-1)
  return {
    superpowers: found.map(({ may_have_more: _, ...row }) => row),
    next: last?.may_have_more ? [last.name, last.creativeTemplateId] : undefined,
  }
}

interface SuperpowerFilter {
  activeOnly: boolean
  after: SuperpowerPosition | undefined
  /** The largest number of superpowers on the page. */
  rows: number
  /** The largest size of the page, unless it has a single superpower. */
  bytes: number
}

/** Returns the organization's active superpowers among these ids, by id. */
export async function findActiveSuperpowers(
  database: Queryable,
  organizationId: string,
  creativeTemplateIds: readonly string[],
): Promise<Map<string, SavedSuperpower>> {
  const { rows } = await database.query<SavedSuperpower>(
    `select ${COLUMNS} from superpowers
      where organization_id = $1 and active and creative_template_id = any($2::text[])`,
    [organizationId, creativeTemplateIds],
  )
  return new Map(rows.map((row) => [row.creativeTemplateId, row]))
}

/** Locks the superpower until the transaction ends. Throws superpower_not_found. */
export async function lockSuperpower(tx: Queryable, ...ids: SuperpowerIds): Promise<SavedSuperpower> {
  const row = await findRow<SavedSuperpower>(
    tx,
    `select ${COLUMNS} from superpowers where organization_id = $1 and creative_template_id = $2 for update`,
    ids,
  )
  if (row === undefined) throw new ApiError('superpower_not_found')
  return row
}

/** Writes a locked superpower. Posts with a copy keep it as it is. */
export async function updateSuperpowerRow(
  tx: Queryable,
  organizationId: string,
  { creativeTemplateId, name, active, superpower }: SavedSuperpower,
): Promise<void> {
  await tx.query(
    `update superpowers set name = $3, superpower = $4, active = $5
      where organization_id = $1 and creative_template_id = $2`,
    [organizationId, creativeTemplateId, name, JSON.stringify(superpower), active],
  )
}

/** Deletes a locked superpower. Posts with a copy keep it as it is. */
export async function deleteSuperpowerRow(tx: Queryable, ...ids: SuperpowerIds): Promise<void> {
  await tx.query('delete from superpowers where organization_id = $1 and creative_template_id = $2', ids)
}

/** Lists the upload ids in the organization's saved superpowers, including deactivated ones. */
export const listUploadsOfSuperpowers = (database: Queryable, organizationId: string): Promise<string[]> =>
  listValues(
    database,
    `select distinct m[1]
       from superpowers, regexp_matches(superpower::text, '${idPattern('media')}', 'g') m
      where organization_id = $1`,
    [organizationId],
  )
