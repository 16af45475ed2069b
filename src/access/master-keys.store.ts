import type { Database, Queryable } from '../database/database.js'
import { findValue, listRows } from '../database/queries.js'

/** A master key that the database has had. */
export interface MasterKeyRow {
  key_id: string
  /** The installation's secret, sealed under this key. */
  secret_sealed: string
  /** Secrets rest under the current key and, while a rotation is under way, under the retiring one. */
  state: 'current' | 'retiring' | 'retired'
}

/** The sealed secret of a row is bound to this context (lib/seal.ts). */
export const INSTALLATION_SECRET_CONTEXT = 'installation'

export const listMasterKeyRows = (database: Queryable): Promise<MasterKeyRow[]> =>
  listRows(database, 'select key_id, secret_sealed, state from master_keys')

/** The id of the current key. */
export const findCurrentKeyId = (database: Queryable): Promise<string | undefined> =>
  findValue(database, "select key_id from master_keys where state = 'current'")

/** Makes a key the current one of a database that has none; of two processes at once one does. */
export async function insertFirstMasterKey(database: Queryable, keyId: string, secretSealed: string): Promise<void> {
  await database.query(
    `insert into master_keys (key_id, secret_sealed, state) values ($1, $2, 'current') on conflict do nothing`,
    [keyId, secretSealed],
  )
}

/**
 * Begins a rotation: from now on everything is sealed under this key. False when another rotation is under way, or
 * the current key is not `fromKeyId` any more.
 */
export async function beginRotation(
  database: Database,
  fromKeyId: string,
  key: { keyId: string; secretSealed: string },
): Promise<boolean> {
  return await database.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `update master_keys set state = 'retiring'
        where key_id = $1 and state = 'current' and not exists (select from master_keys where state = 'retiring')`,
      [fromKeyId],
    )
    if (rowCount !== 1) return false
    // A key that was retired once may come back.
    await tx.query(
      `insert into master_keys (key_id, secret_sealed, state) values ($1, $2, 'current')
       on conflict (key_id) do update set secret_sealed = excluded.secret_sealed, state = 'current'`,
      [key.keyId, key.secretSealed],
    )
    return true
  })
}

/** Ends the rotation to this key: no secret rests under another one. */
export async function endRotation(database: Queryable, keyId: string): Promise<void> {
  await database.query(
    `update master_keys set state = 'retired'
      where state = 'retiring' and exists (select from master_keys where key_id = $1 and state = 'current')`,
    [keyId],
  )
}
