import { hash } from 'node:crypto'
import { assignments, insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows, readValue } from '../../database/queries.js'
import { TABLES } from '../../database/tables.js'
import { ApiError } from '../../errors.js'
import type { Refusal, SourceTrust, SourceType, ValueFrom } from '../../interface/generated/types.js'
import type { Sealer } from '../../lib/seal.js'
import type { OrderStatuses } from '../facts.js'

type SourceIds = [organizationId: string, sourceId: string]

export interface SourceRow {
  organization_id: string
  source_id: string
  type: SourceType
  name: string
  /** Null for EVENTS. */
  secret_sealed: string | null
  previous_secret_sealed: string | null
  /** The previous secret or key is accepted until then. */
  previous_until: Date | null
  /** Only for META. */
  second_secret_sealed: string | null
  /** Only for META. */
  verify_token_sealed: string | null
  /** Only for EVENTS. */
  write_key_hash: string | null
  previous_key_hash: string | null
  value_from: ValueFrom
  /** Only for WOOCOMMERCE. */
  counted_statuses: string[]
  uncounted_statuses: string[]
  trust: SourceTrust
  /** Null for the server's own limit. */
  deliveries_per_second: number | null
  created_at: Date
  updated_at: Date
}

/** A source, and what it did last. */
export interface ActiveSourceRow extends SourceRow {
  last_delivery_at: Date | null
  last_refusal_at: Date | null
  last_refusal_reason: Refusal['reason'] | null
  refused: number
  left_out: number
  waiting: number
  problems: number
}

export const statusesOf = (row: Pick<SourceRow, 'counted_statuses' | 'uncounted_statuses'>): OrderStatuses => ({
  counted: row.counted_statuses,
  uncounted: row.uncounted_statuses,
})

const { sealed } = TABLES.sources
export const sourceSecretContext = sealed.secret_sealed.context
export const instagramSecretContext = sealed.second_secret_sealed.context
export const verifyTokenContext = sealed.verify_token_sealed.context

/** Returns the hash by which a write key is found. A key has 256 random bits, so nothing slower is needed. */
export const hashWriteKey = (key: string): string => hash('sha256', key, 'base64url')

const COLUMNS = `organization_id, source_id, type, name, secret_sealed, previous_secret_sealed, previous_until,
  second_secret_sealed, verify_token_sealed, write_key_hash, previous_key_hash, value_from, trust, deliveries_per_second,
  counted_statuses, uncounted_statuses, created_at, updated_at`

/** Finds an existing, active source of any organization: a delivery names no organization. */
export const findSourceById = (database: Queryable, sourceId: string): Promise<SourceRow | undefined> =>
  findRow(
    database,
    `select s.* from sources s join organizations o on o.organization_id = s.organization_id
      where s.source_id = $1 and o.deleted_at is null`,
    [sourceId],
  )

/** The same by the hash of a write key or of the previous one, even if that is no longer accepted. */
export const findSourceByKeyHash = (database: Queryable, keyHash: string): Promise<SourceRow | undefined> =>
  findRow(
    database,
    `select s.* from sources s join organizations o on o.organization_id = s.organization_id
      where (s.write_key_hash = $1 or s.previous_key_hash = $1) and o.deleted_at is null`,
    [keyHash],
  )

/** Returns whether this is the hash of a key that the source accepts now. */
export const isKeyOf = (row: SourceRow, keyHash: string, now: Date): boolean =>
  row.write_key_hash === keyHash ||
  (row.previous_key_hash === keyHash && row.previous_until !== null && row.previous_until > now)

/**
 * Returns the secrets with which a delivery may be signed: the current one, the previous one while it is accepted, and
 * Instagram's.
 */
export function openSecrets(sealer: Sealer, row: SourceRow, now: Date): string[] {
  const isPreviousValid = row.previous_until !== null && row.previous_until > now
  const { organization_id, source_id } = row
  const open = (secret: string | null, context: (organizationId: string, id: string) => string): string[] =>
    secret === null ? [] : [sealer.open(secret, context(organization_id, source_id))]
  return [
    ...open(row.secret_sealed, sourceSecretContext),
    ...open(isPreviousValid ? row.previous_secret_sealed : null, sourceSecretContext),
    ...open(row.second_secret_sealed, instagramSecretContext),
  ]
}

type NewSourceRow = Omit<SourceRow, 'previous_secret_sealed' | 'previous_until' | 'previous_key_hash'>

export async function insertSource(tx: Queryable, { organization_id, ...row }: NewSourceRow): Promise<void> {
  const { columns, parameters, values } = insertion(row, 2)
  const text = `insert into sources (organization_id, ${columns}) values ($1, ${parameters})`
  await tx.query(text, [organization_id, ...values])
}

export const countSources = (database: Queryable, organizationId: string): Promise<number> =>
  readValue(database, 'select count(*) from sources where organization_id = $1', [organizationId])

const ACTIVE = `
  select s.*, a.last_delivery_at, a.last_refusal_at, a.last_refusal_reason, coalesce(a.refused, 0) as refused,
         coalesce(a.left_out, 0) as left_out,
         (select count(*) from (select from inbox i where i.organization_id = $1 and i.source_id = s.source_id
                                 limit 100000) counted) as waiting,
         (select count(*) from problems p where p.organization_id = $1 and p.source_id = s.source_id) as problems
    from sources s
    left join source_activity a on a.organization_id = $1 and a.source_id = s.source_id
   where s.organization_id = $1`

/** Ordered by id, at most `rows` after `after`. */
export const listSourceRows = (
  database: Queryable,
  organizationId: string,
  { after = '', rows }: { after: string | undefined; rows: number },
): Promise<ActiveSourceRow[]> =>
  listRows(database, `${ACTIVE} and s.source_id > $2 order by s.source_id limit $3`, [organizationId, after, rows])

/** Throws source_not_found. */
export async function requireSource(database: Queryable, ...ids: SourceIds): Promise<ActiveSourceRow> {
  const row = await findRow<ActiveSourceRow>(database, `${ACTIVE} and s.source_id = $2`, ids)
  if (row === undefined) throw new ApiError('source_not_found')
  return row
}

/** Locks the source until the transaction ends; throws source_not_found. */
export async function lockSource(tx: Queryable, organizationId: string, sourceId: string): Promise<SourceRow> {
  const row = await findRow<SourceRow>(
    tx,
    `select ${COLUMNS} from sources where organization_id = $1 and source_id = $2 for update`,
    [organizationId, sourceId],
  )
  if (row === undefined) throw new ApiError('source_not_found')
  return row
}

/** Writes everything that can change in a locked source. */
export async function updateSourceRow(tx: Queryable, row: SourceRow): Promise<void> {
  const { organization_id, source_id, type: _, created_at: __, ...changed } = row
  await tx.query(
    `update sources set ${assignments(Object.keys(changed), 3)} where organization_id = $1 and source_id = $2`,
    [organization_id, source_id, ...Object.values(changed)],
  )
}

/** Deletes a source with its deliveries and problems. Returns false if there is none. */
export const deleteSourceRow = (tx: Queryable, organizationId: string, sourceId: string): Promise<boolean> =>
  hitsRow(tx, 'delete from sources where organization_id = $1 and source_id = $2', [organizationId, sourceId])

/** Locks the organization until the transaction ends, so that two calls cannot both create its last source. */
export async function lockOrganizationForSources(tx: Queryable, organizationId: string): Promise<void> {
  const isThere = await hitsRow(
    tx,
    'select from organizations where organization_id = $1 and deleted_at is null for no key update',
    [organizationId],
  )
  if (!isThere) throw new ApiError('organization_not_found')
}
