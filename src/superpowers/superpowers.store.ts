import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Superpower } from '../interface/superpowers.js'

/** A saved superpower, which posts may name. */
export interface SuperpowerRow {
  creative_template_id: string
  name: string
  superpower: Superpower
  active: boolean
}

const COLUMNS = 'creative_template_id, name, superpower, active'

export async function insertSuperpower(database: Queryable, organizationId: string, row: SuperpowerRow): Promise<void> {
  await database.query(
    `insert into superpowers (organization_id, creative_template_id, name, superpower, active)
     values ($1, $2, $3, $4, $5)`,
    [organizationId, row.creative_template_id, row.name, JSON.stringify(row.superpower), row.active],
  )
}

/** By name, then id. */
export async function listSuperpowerRows(
  database: Queryable,
  organizationId: string,
  { activeOnly }: { activeOnly: boolean },
): Promise<SuperpowerRow[]> {
  const { rows } = await database.query<SuperpowerRow>(
    `select ${COLUMNS} from superpowers
      where organization_id = $1 and (active or not $2)
      order by name, creative_template_id`,
    [organizationId, activeOnly],
  )
  return rows
}

/** Those of the given ids that are active superpowers of the organization, by id. */
export async function findActiveSuperpowers(
  database: Queryable,
  organizationId: string,
  creativeTemplateIds: readonly string[],
): Promise<Map<string, SuperpowerRow>> {
  const { rows } = await database.query<SuperpowerRow>(
    `select ${COLUMNS} from superpowers
      where organization_id = $1 and active and creative_template_id = any($2::text[])`,
    [organizationId, creativeTemplateIds],
  )
  return new Map(rows.map((row) => [row.creative_template_id, row]))
}

/** Locks the superpower until the transaction ends. Throws superpower_not_found. */
export async function lockSuperpower(
  tx: Queryable,
  organizationId: string,
  creativeTemplateId: string,
): Promise<SuperpowerRow> {
  const { rows } = await tx.query<SuperpowerRow>(
    `select ${COLUMNS} from superpowers where organization_id = $1 and creative_template_id = $2 for update`,
    [organizationId, creativeTemplateId],
  )
  if (rows[0] === undefined) throw new ApiError('superpower_not_found')
  return rows[0]
}

/** Writes a locked superpower. Posts that hold a copy keep it as it is. */
export async function updateSuperpowerRow(tx: Queryable, organizationId: string, row: SuperpowerRow): Promise<void> {
  await tx.query(
    `update superpowers set name = $3, superpower = $4, active = $5
      where organization_id = $1 and creative_template_id = $2`,
    [organizationId, row.creative_template_id, row.name, JSON.stringify(row.superpower), row.active],
  )
}

/** The same. */
export async function deleteSuperpowerRow(
  tx: Queryable,
  organizationId: string,
  creativeTemplateId: string,
): Promise<void> {
  await tx.query('delete from superpowers where organization_id = $1 and creative_template_id = $2', [
    organizationId,
    creativeTemplateId,
  ])
}

export async function deleteAllSuperpowers(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query('delete from superpowers where organization_id = $1', [organizationId])
}
