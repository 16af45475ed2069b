import type { Queryable } from '../../database/database.js'

/** The tables of people of an organization, with the rest of their keys. */
const TABLES_OF_PEOPLE = [
  ['purchases', 'source_id, order_id'],
  ['person_fields', 'id_kind, id, field'],
  ['person_ids', 'kind, id'],
  ['forgotten_ids', 'id_hash'],
] as const

/** Deletes at most `limit` rows of an organization's people, beside their conversations. */
export async function deletePeopleOfOrganization(
  tx: Queryable,
  organizationId: string,
  limit: number,
): Promise<{ deleted: number }> {
  let deleted = 0
  for (const [table, key] of TABLES_OF_PEOPLE) {
    if (deleted >= limit) break
    const { rowCount } = await tx.query(
      `delete from ${table} where organization_id = $1 and (${key}) in (
         select ${key} from ${table} where organization_id = $1 limit $2)`,
      [organizationId, limit - deleted],
    )
    deleted += rowCount
  }
  return { deleted }
}
