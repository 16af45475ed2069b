import type { Queryable } from '../../database/database.js'
import { deleteSomeOf, type KeyedTables } from '../../database/deletion.js'

/** The tables of an organization's people, with the rest of their keys. */
const TABLES_OF_PEOPLE: KeyedTables = [
  ['purchases', 'source_id, order_id'],
  ['person_fields', 'id_kind, id, field'],
  ['person_ids', 'kind, id'],
  ['forgotten_ids', 'id_hash'],
]

/** Deletes at most `limit` rows of an organization's people, except their conversations. */
export const deletePeopleOfOrganization = (tx: Queryable, organizationId: string, limit: number) =>
  deleteSomeOf(tx, TABLES_OF_PEOPLE, { organizationId }, limit)
