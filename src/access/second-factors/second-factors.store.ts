import { SERVER } from '../../audit/audit.store.js'
import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows, readRow } from '../../database/queries.js'
import { TABLES } from '../../database/tables.js'

export const totpSecretContext = (personId: string): string =>
  TABLES.totp_secrets.sealed.secret_sealed.context(SERVER, personId)

/** The numbers of a person's second factors. */
export interface FactorsRow {
  passkeys: number
  totp: boolean
  recovery_codes: number
}

export const findFactors = (database: Queryable, personId: string): Promise<FactorsRow> =>
  readRow(
    database,
    `select (select count(*) from passkeys where person_id = $1) as passkeys,
            exists (select from totp_secrets where person_id = $1 and confirmed_at is not null) as totp,
            (select count(*) from recovery_codes where person_id = $1) as recovery_codes`,
    [personId],
  )

export const hasFactor = ({ passkeys, totp }: FactorsRow): boolean => passkeys > 0 || totp

interface TotpRow {
  secret_sealed: string
  created_at: Date
  confirmed_at: Date | null
  last_step: number
}

export const findTotp = (database: Queryable, personId: string): Promise<TotpRow | undefined> =>
  findRow(
    database,
    'select secret_sealed, created_at, confirmed_at, last_step from totp_secrets where person_id = $1',
    [personId],
  )

/** Replaces an earlier secret that was not confirmed. Returns false if there is a confirmed one. */
export const beginTotp = (
  tx: Queryable,
  { personId, secretSealed, at }: { personId: string; secretSealed: string; at: Date },
): Promise<boolean> =>
  hitsRow(
    tx,
    `insert into totp_secrets as t (person_id, secret_sealed, created_at) values ($1, $2, $3)
     on conflict (person_id) do update set secret_sealed = $2, created_at = $3, last_step = 0
      where t.confirmed_at is null`,
    [personId, secretSealed, at],
  )

/** Uses up the code of a step: false if it is not later than the last one. */
export const takeTotpStep = (tx: Queryable, personId: string, step: number): Promise<boolean> =>
  hitsRow(tx, 'update totp_secrets set last_step = $2 where person_id = $1 and last_step < $2', [personId, step])

export async function confirmTotp(tx: Queryable, personId: string, at: Date): Promise<void> {
  await tx.query('update totp_secrets set confirmed_at = $2 where person_id = $1', [personId, at])
}

/** Returns whether there was a confirmed one. */
export async function deleteTotp(tx: Queryable, personId: string): Promise<boolean> {
  const statement = 'delete from totp_secrets where person_id = $1 returning confirmed_at is not null as counted'
  return (await findValue<boolean>(tx, statement, [personId])) ?? false
}

export async function replaceRecoveryCodes(tx: Queryable, personId: string, hashes: readonly string[]): Promise<void> {
  await tx.query('delete from recovery_codes where person_id = $1', [personId])
  await tx.query('insert into recovery_codes (person_id, code_hash) select $1, unnest($2::text[])', [personId, hashes])
}

/** Uses up a recovery code: false for the second caller. */
export const takeRecoveryCode = (tx: Queryable, personId: string, hash: string): Promise<boolean> =>
  hitsRow(tx, 'delete from recovery_codes where person_id = $1 and code_hash = $2', [personId, hash])

/** The failed attempts of a person since the last valid one. */
export interface FailuresRow {
  count: number
  last_at: Date
}

export type FailureKind = 'totp' | 'password'

export const findFailures = (
  database: Queryable,
  personId: string,
  kind: FailureKind,
): Promise<FailuresRow | undefined> =>
  findRow(database, 'select count, last_at from factor_failures where person_id = $1 and kind = $2', [personId, kind])

export async function setFailures(
  tx: Queryable,
  personId: string,
  { kind, count, at }: { kind: FailureKind; count: number; at: Date },
): Promise<void> {
  await tx.query(
    `insert into factor_failures (person_id, kind, count, last_at) values ($1, $2, $3, $4)
     on conflict (person_id, kind) do update set count = $3, last_at = $4`,
    [personId, kind, count, at],
  )
}

export async function clearFailures(tx: Queryable, personId: string, kind: FailureKind): Promise<void> {
  await tx.query('delete from factor_failures where person_id = $1 and kind = $2', [personId, kind])
}

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

/** Lists the passkeys, oldest first. */
export const listPasskeyRows = (database: Queryable, personId: string): Promise<PasskeyRow[]> =>
  listRows(database, `select ${COLUMNS} from passkeys where person_id = $1 order by created_at, passkey_id`, [personId])

export const findPasskey = (database: Queryable, credentialId: string): Promise<PasskeyRow | undefined> =>
  findRow(database, `select ${COLUMNS} from passkeys where credential_id = $1`, [credentialId])

/** Returns undefined if the credential already exists. */
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

/** Records a use. Returns false if the passkey was deleted, or its stored counter is not lower: then it is a copy. */
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

/** Returns the name; undefined if the person has no such passkey. */
export const deletePasskey = (tx: Queryable, personId: string, passkeyId: string): Promise<string | undefined> =>
  findValue(tx, 'delete from passkeys where person_id = $1 and passkey_id = $2 returning name', [personId, passkeyId])

/** Returns how many were deleted. */
async function deletePasskeys(tx: Queryable, personId: string): Promise<number> {
  const { rowCount } = await tx.query('delete from passkeys where person_id = $1', [personId])
  return rowCount
}

/** Deletes every second factor and recovery code of a person. Returns how many passkeys and apps there were. */
export async function deleteFactors(tx: Queryable, personId: string): Promise<number> {
  const passkeys = await deletePasskeys(tx, personId)
  const hadTotp = await deleteTotp(tx, personId)
  await replaceRecoveryCodes(tx, personId, [])
  await clearFailures(tx, personId, 'totp')
  return passkeys + (hadTotp ? 1 : 0)
}
