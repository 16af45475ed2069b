import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows } from '../../database/queries.js'

export interface PasskeyRow {
  passkey_id: string
  person_id: string
  credential_id: string
  /** COSE, in base64url. */
  public_key: string
  rp_id: string
  counter: number
  transports: string[]
  name: string
  created_at: Date
  last_used_at: Date | null
}

const COLUMNS =
  'passkey_id, person_id, credential_id, public_key, rp_id, counter, transports, name, created_at, last_used_at'

/** Oldest first. */
export const listPasskeyRows = (database: Queryable, personId: string): Promise<PasskeyRow[]> =>
  listRows(database, `select ${COLUMNS} from passkeys where person_id = $1 order by created_at, passkey_id`, [personId])

export const findPasskey = (database: Queryable, credentialId: string): Promise<PasskeyRow | undefined> =>
  findRow(database, `select ${COLUMNS} from passkeys where credential_id = $1`, [credentialId])

/** Undefined when the credential is known already. */
export function insertPasskey(
  tx: Queryable,
  passkey: Omit<PasskeyRow, 'last_used_at'>,
): Promise<PasskeyRow | undefined> {
  const { columns, parameters, values } = insertion({ ...passkey })
  return findRow(
    tx,
    `insert into passkeys (${columns}) values (${parameters}) on conflict do nothing returning ${COLUMNS}`,
    values,
  )
}

/** Notes a use. False when the passkey is gone, or its counter has come as far by another use: a copy. */
export const usePasskey = (
  tx: Queryable,
  passkeyId: string,
  { counter, at }: { counter: number; at: Date },
): Promise<boolean> =>
  hitsRow(
    tx,
    `update passkeys set counter = $2, last_used_at = $3
      where passkey_id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
    [passkeyId, counter, at],
  )

/** Gives the name; undefined for one that is not the person's. */
export const deletePasskey = (tx: Queryable, personId: string, passkeyId: string): Promise<string | undefined> =>
  findValue(tx, 'delete from passkeys where person_id = $1 and passkey_id = $2 returning name', [personId, passkeyId])

/** All of a person: how many. */
export async function deletePasskeys(tx: Queryable, personId: string): Promise<number> {
  const { rowCount } = await tx.query('delete from passkeys where person_id = $1', [personId])
  return rowCount
}
