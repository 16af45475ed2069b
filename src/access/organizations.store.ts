import type { Queryable } from '../database/database.js'
import { findRow, hitsRow, readRow } from '../database/queries.js'
import { ApiError } from '../errors.js'
import type { AutomationMode } from '../interface/automation.js'
import type { Language } from '../interface/languages.js'
import { foldMail } from './people/mail-address.js'

export interface OrganizationRow {
  organization_id: string
  name: string
  active: boolean
  four_eyes: boolean
  require_second_factor: boolean
  automation: AutomationMode
  reviewers: string[]
  time_zone: string
  language: Language
  currency: string | null
  created_at: Date
}

const COLUMNS = `organization_id, name, active, four_eyes, require_second_factor, automation, reviewers, time_zone,
  language, currency, created_at`

export const insertOrganization = (
  database: Queryable,
  organization: { organizationId: string; name: string; createdAt: Date },
): Promise<OrganizationRow> =>
  readRow(
    database,
    `insert into organizations (organization_id, name, created_at) values ($1, $2, $3) returning ${COLUMNS}`,
    [organization.organizationId, organization.name, organization.createdAt],
  )

/** A position in the list. The instant is text, to the microsecond. */
export type OrganizationPosition = [createdAt: string, organizationId: string]

/**
 * Lists at most `rows` organizations after `after`, oldest first. `next` is the position of the last one if there are
 * more.
 */
export async function listOrganizationRows(
  database: Queryable,
  { after = ['-infinity', ''], rows }: { after: OrganizationPosition | undefined; rows: number },
): Promise<{ organizations: OrganizationRow[]; next: OrganizationPosition | undefined }> {
  const { rows: found } = await database.query<OrganizationRow & { place: string }>(
    `select ${COLUMNS}, created_at::text as place
       from organizations
      where deleted_at is null and (created_at, organization_id) > ($1::timestamptz, $2::text)
      order by created_at, organization_id
      limit $3`,
    [...after, rows + 1],
  )
  const organizations = found.slice(0, rows)
  const last = found.length > rows ? organizations.at(-1) : undefined
  return { organizations, next: last && [(last as (typeof found)[0]).place, last.organization_id] }
}

/** Returns undefined for an organization that is unknown or being deleted. */
export const findOrganization = (database: Queryable, organizationId: string): Promise<OrganizationRow | undefined> =>
  findRow(database, `select ${COLUMNS} from organizations where organization_id = $1 and deleted_at is null`, [
    organizationId,
  ])

/**
 * Updates the given fields. Stores `change` if they switch four eyes off or change the reviewers. Throws
 * organization_not_found.
 */
export async function updateOrganizationRow(
  database: Queryable,
  organizationId: string,
  changes: {
    name?: string
    active?: boolean
    fourEyes?: boolean
    requireSecondFactor?: boolean
    automation?: AutomationMode
    reviewers?: string[]
    timeZone?: string
    language?: Language
    currency?: string | null
  },
  change?: { by: string; at: Date },
): Promise<OrganizationRow> {
  const row = await findRow<OrganizationRow>(
    database,
    `update organizations
        set name = coalesce($2, name), active = coalesce($3, active), four_eyes = coalesce($4, four_eyes),
            time_zone = coalesce($5, time_zone), currency = case when $9 then $10 else currency end,
            require_second_factor = coalesce($6, require_second_factor), automation = coalesce($11, automation),
            reviewers = coalesce($12::text[], reviewers), language = coalesce($13, language),
            reviewers_set_at = case when $12::text[] <> reviewers then $7 else reviewers_set_at end,
            reviewers_set_by = case when $12::text[] <> reviewers then $8 else reviewers_set_by end,
            automation_since = case when $11 <> automation and $11 <> 'off' then $7 else automation_since end,
            four_eyes_ended_at = case when four_eyes and not $4 then $7 else four_eyes_ended_at end,
            four_eyes_ended_by = case when four_eyes and not $4 then $8 else four_eyes_ended_by end
      where organization_id = $1 and deleted_at is null returning ${COLUMNS}`,
    [
      organizationId,
      changes.name ?? null,
      changes.active ?? null,
      changes.fourEyes ?? null,
      changes.timeZone ?? null,
      changes.requireSecondFactor ?? null,
      change?.at ?? null,
      change?.by ?? null,
      changes.currency !== undefined,
      changes.currency ?? null,
      changes.automation ?? null,
      changes.reviewers?.map(foldMail) ?? null,
      changes.language ?? null,
    ],
  )
  if (row === undefined) throw new ApiError('organization_not_found')
  return row
}

/**
 * Locks the organization exclusively until the transaction ends, also against transactions that hold a shared lock
 * while they write conversations. Throws organization_not_found if it is unknown or being deleted.
 */
export async function lockOrganization(tx: Queryable, organizationId: string): Promise<void> {
  const select = 'select from organizations where organization_id = $1 and deleted_at is null for no key update'
  if (!(await hitsRow(tx, select, [organizationId]))) throw new ApiError('organization_not_found')
}
