import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'

export interface OrganizationRow {
  organization_id: string
  name: string
  active: boolean
  created_at: Date
}

const COLUMNS = 'organization_id, name, active, created_at'

export async function insertOrganization(
  database: Queryable,
  organization: { organizationId: string; name: string; createdAt: Date },
): Promise<OrganizationRow> {
  const { rows } = await database.query<OrganizationRow>(
    `insert into organizations (organization_id, name, created_at) values ($1, $2, $3) returning ${COLUMNS}`,
    [organization.organizationId, organization.name, organization.createdAt],
  )
  return rows[0]!
}

/** Oldest first. */
export async function listOrganizationRows(database: Queryable): Promise<OrganizationRow[]> {
  const { rows } = await database.query<OrganizationRow>(
    `select ${COLUMNS} from organizations order by created_at, organization_id`,
  )
  return rows
}

export async function findOrganization(
  database: Queryable,
  organizationId: string,
): Promise<OrganizationRow | undefined> {
  const { rows } = await database.query<OrganizationRow>(
    `select ${COLUMNS} from organizations where organization_id = $1`,
    [organizationId],
  )
  return rows[0]
}

/** Changes what is given; throws organization_not_found. */
export async function updateOrganizationRow(
  database: Queryable,
  organizationId: string,
  changes: { name?: string; active?: boolean },
): Promise<OrganizationRow> {
  const { rows } = await database.query<OrganizationRow>(
    `update organizations set name = coalesce($2, name), active = coalesce($3, active)
      where organization_id = $1 returning ${COLUMNS}`,
    [organizationId, changes.name ?? null, changes.active ?? null],
  )
  if (rows[0] === undefined) throw new ApiError('organization_not_found')
  return rows[0]
}
