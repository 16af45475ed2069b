import { createHash } from 'node:crypto'
import type { Queryable } from '../database/database.js'
import { findValue, hitsRow, listValues } from '../database/queries.js'

type Person = [organizationId: string, cuid: string]

/**
 * Returns the hash that is kept of an erased person. It cannot be turned back into the cuid, and differs between
 * organizations; given a cuid, it shows whether that person was erased here. No secret is involved, so it stays valid under
 * a new master key.
 */
const toPersonHash = (organizationId: string, cuid: string): string =>
  createHash('sha256').update(`${organizationId}\0${cuid}`).digest('base64url')

/** Returns the id of the person's erasure; undefined if there is none. */
export const findErasure = (database: Queryable, ...person: Person): Promise<string | undefined> =>
  findValue(database, 'select erasure_id from erased_people where organization_id = $1 and person_hash = $2', [
    person[0],
    toPersonHash(...person),
  ])

export async function insertErasure(
  tx: Queryable,
  organizationId: string,
  { cuid, erasureId, at }: { cuid: string; erasureId: string; at: Date },
): Promise<void> {
  await tx.query(
    'insert into erased_people (organization_id, person_hash, erasure_id, erased_at) values ($1, $2, $3, $4)',
    [organizationId, toPersonHash(organizationId, cuid), erasureId, at],
  )
}

/** Returns the id of the deleted erasure; undefined if there was none. */
export const deleteErasure = (database: Queryable, ...person: Person): Promise<string | undefined> =>
  findValue(
    database,
    'delete from erased_people where organization_id = $1 and person_hash = $2 returning erasure_id',
    [person[0], toPersonHash(...person)],
  )

/** Returns the rows of people who are not erased. */
export async function leaveOutErased<Row extends { cuid: string }>(
  tx: Queryable,
  organizationId: string,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  // Most organizations have erased nobody, so nothing is hashed.
  const any = await hitsRow(tx, 'select from erased_people where organization_id = $1 limit 1', [organizationId])
  if (!any) return rows
  const hashes = rows.map(({ cuid }) => toPersonHash(organizationId, cuid))
  const found = await listValues<string>(
    tx,
    'select person_hash from erased_people where organization_id = $1 and person_hash = any($2::text[])',
    [organizationId, hashes],
  )
  const erased = new Set(found)
  return rows.filter((_, index) => !erased.has(hashes[index]!))
}
