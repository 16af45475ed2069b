import { lockOrganization } from '../../access/organizations.store.js'
import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows, readValue } from '../../database/queries.js'
import { ApiError } from '../../errors.js'
import type { SavedText } from '../../interface/generated/types.js'

type SavedTextIds = [organizationId: string, savedTextId: string]

const COLUMNS = 'saved_text_id as id, kind, name, text'

/** Ordered by name, then id. */
export const listSavedTextRows = (database: Queryable, organizationId: string): Promise<SavedText[]> =>
  listRows(
    database,
    `select ${COLUMNS} from saved_texts where organization_id = $1 order by lower(name), name, saved_text_id`,
    [organizationId],
  )

/** Counts them, and locks the organization until the transaction ends, so that two calls cannot both create the last one. */
export async function countSavedTexts(tx: Queryable, organizationId: string): Promise<number> {
  await lockOrganization(tx, organizationId)
  return readValue(tx, 'select count(*) from saved_texts where organization_id = $1', [organizationId])
}

/** Throws already_exists if another one of its kind has the name. */
export async function insertSavedText(
  tx: Queryable,
  organizationId: string,
  { id, kind, name, text }: SavedText,
  at: Date,
): Promise<void> {
  const isNew = await hitsRow(
    tx,
    `insert into saved_texts (organization_id, saved_text_id, kind, name, text, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6) on conflict do nothing`,
    [organizationId, id, kind, name, text, at],
  )
  if (!isNew) throw nameTaken(name)
}

/** Locks it, and every other saved text of the organization, until the transaction ends. Throws saved_text_not_found. */
export async function lockSavedText(tx: Queryable, organizationId: string, savedTextId: string): Promise<SavedText> {
  // Two changes to the same name wait for each other here, and the second sees the first.
  await lockOrganization(tx, organizationId)
  const row = await findRow<SavedText>(
    tx,
    `select ${COLUMNS} from saved_texts where organization_id = $1 and saved_text_id = $2 for update`,
    [organizationId, savedTextId],
  )
  if (row === undefined) throw new ApiError('saved_text_not_found')
  return row
}

/** Writes a locked saved text. Throws already_exists if another one of its kind has the name. */
export async function updateSavedTextRow(
  tx: Queryable,
  organizationId: string,
  { id, kind, name, text }: SavedText,
  at: Date,
): Promise<void> {
  const isChanged = await hitsRow(
    tx,
    `update saved_texts set name = $3, text = $4, updated_at = $5
      where organization_id = $1 and saved_text_id = $2
        and not exists (
              select from saved_texts other
               where other.organization_id = $1 and other.saved_text_id <> $2 and other.kind = $6
                 and lower(other.name) = lower($3))`,
    [organizationId, id, name, text, at, kind],
  )
  if (!isChanged) throw nameTaken(name)
}

export async function deleteSavedTextRow(tx: Queryable, ...ids: SavedTextIds): Promise<void> {
  await tx.query('delete from saved_texts where organization_id = $1 and saved_text_id = $2', ids)
}

const nameTaken = (name: string): ApiError =>
  new ApiError('already_exists', { message: `One of this kind already has the name ${name}: choose another.` })
