import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'

export interface PersonRow {
  person_id: string
  name: string
  mail: string
  owner: boolean
  active: boolean
  created_at: Date
}

export interface PersonWithPassword extends PersonRow {
  /** A PHC string; null for a person who has none. */
  password_hash: string | null
}

const COLUMNS = 'person_id, name, mail, owner, active, created_at'

/** Throws already_exists when the mail address has an account. */
export async function insertPerson(
  tx: Queryable,
  person: { personId: string; name: string; mail: string; owner: boolean; passwordHash: string | null; at: Date },
): Promise<PersonRow> {
  const { rows } = await tx.query<PersonRow>(
    `insert into people (person_id, name, mail, owner, password_hash, created_at) values ($1, $2, $3, $4, $5, $6)
         on conflict do nothing returning ${COLUMNS}`,
    [person.personId, person.name, person.mail, person.owner, person.passwordHash, person.at],
  )
  if (rows[0] === undefined) throw new ApiError('account_exists')
  return rows[0]
}

export async function findPerson(database: Queryable, personId: string): Promise<PersonWithPassword | undefined> {
  const { rows } = await database.query<PersonWithPassword>(
    `select ${COLUMNS}, password_hash from people where person_id = $1`,
    [personId],
  )
  return rows[0]
}

/** Upper and lower case count as the same. */
export async function findPersonByMail(database: Queryable, mail: string): Promise<PersonWithPassword | undefined> {
  const { rows } = await database.query<PersonWithPassword>(
    `select ${COLUMNS}, password_hash from people where lower(mail) = lower($1)`,
    [mail],
  )
  return rows[0]
}

/** Locks the person until the transaction ends. */
export async function lockPerson(tx: Queryable, personId: string): Promise<PersonWithPassword | undefined> {
  const { rows } = await tx.query<PersonWithPassword>(
    `select ${COLUMNS}, password_hash from people where person_id = $1 for no key update`,
    [personId],
  )
  return rows[0]
}

export async function hasPeople(database: Queryable): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>('select exists (select from people) as found')
  return rows[0]!.found
}

/** As SQL: whether the person with this id has a passkey or an authenticator app. */
export const hasSecondFactor = (personId: string): string =>
  `(exists (select from passkeys k where k.person_id = ${personId})
    or exists (select from totp_secrets t where t.person_id = ${personId} and t.confirmed_at is not null))`

/** Oldest first. */
export async function listPersonRows(database: Queryable): Promise<(PersonRow & { second_factor: boolean })[]> {
  const { rows } = await database.query<PersonRow & { second_factor: boolean }>(
    `select ${COLUMNS}, ${hasSecondFactor('people.person_id')} as second_factor from people order by created_at, person_id`,
  )
  return rows
}

/** Locks every active owner until the transaction ends, so that the last one cannot go twice. */
export async function lockOwners(tx: Queryable): Promise<string[]> {
  const { rows } = await tx.query<{ person_id: string }>(
    'select person_id from people where owner and active order by person_id for update',
  )
  return rows.map(({ person_id }) => person_id)
}

/** Changes what is given; throws account_not_found. */
export async function updatePersonRow(
  tx: Queryable,
  personId: string,
  changes: { name?: string; owner?: boolean; active?: boolean },
): Promise<PersonRow> {
  const { rows } = await tx.query<PersonRow>(
    `update people set name = coalesce($2, name), owner = coalesce($3, owner), active = coalesce($4, active)
      where person_id = $1 returning ${COLUMNS}`,
    [personId, changes.name ?? null, changes.owner ?? null, changes.active ?? null],
  )
  if (rows[0] === undefined) throw new ApiError('account_not_found')
  return rows[0]
}

/** `before` is the hash that was checked: false when another change came between. */
export async function replacePassword(
  tx: Queryable,
  personId: string,
  { before, after }: { before: string | null; after: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update people set password_hash = $3 where person_id = $1 and password_hash is not distinct from $2',
    [personId, before, after],
  )
  return rowCount === 1
}
