import type { Database, Queryable } from '../database/database.js'
import { findValue, listRows } from '../database/queries.js'

/** A current or former master key of the database. */
export interface MasterKeyRow {
  key_id: string
  /** The installation's secret, sealed under this key. */
  secret_sealed: string
  /** Secrets are sealed under the current key and, during a rotation, also under the retiring one. */
  state: 'current' | 'retiring' | 'retired'
}

/** The sealed secret of a row is bound to this context (lib/seal.ts). */
export const INSTALLATION_SECRET_CONTEXT = 'installation'

export const listMasterKeyRows = (database: Queryable): Promise<MasterKeyRow[]> =>
  listRows(database, 'select key_id, secret_sealed, state from master_keys')

export const findCurrentKeyId = (database: Queryable): Promise<string | undefined> =>
  findValue(database, "select key_id from master_keys where state = 'current'")

/** Makes a key the current one if the database has none. If two processes try at once, one succeeds. */
export async function insertFirstMasterKey(database: Queryable, keyId: string, secretSealed: string): Promise<void> {
  await database.query(
    `insert into master_keys (key_id, secret_sealed, state) values ($1, $2, 'current') on conflict do nothing`,
    [keyId, secretSealed],
  )
}

/**
 * Begins a rotation: from now on everything is sealed under this key. Returns false if another rotation is in
 * progress or `fromKeyId` is no longer the current key.
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
    // A retired key may become current again.
    await tx.query(
      `insert into master_keys (key_id, secret_sealed, state) values ($1, $2, 'current')
       on conflict (key_id) do update set secret_sealed = excluded.secret_sealed, state = 'current'`,
      [key.keyId, key.secretSealed],
    )
    return true
  })
}

/** Ends the rotation to this key. No secret may be sealed under another key by then. */
export async function endRotation(database: Queryable, keyId: string): Promise<void> {
  await database.query(
    `update master_keys set state = 'retired'
      where state = 'retiring' and exists (select from master_keys where key_id = $1 and state = 'current')`,
    [keyId],
  )
}
