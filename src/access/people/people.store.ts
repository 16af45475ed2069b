import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows, listValues, readValue } from '../../database/queries.js'
import { ApiError } from '../../errors.js'
import type { OwnPreferences } from '../../interface/generated/types.js'
import type { Language } from '../../interface/languages.js'

export interface PersonRow {
  person_id: string
  name: string
  mail: string
  owner: boolean
  active: boolean
  created_at: Date
  /** Null until something proves that the address is the person's. */
  mail_proven_at: Date | null
  /** The only organization that an account with an unproven address may be a member of; null for any. */
  bound_to: string | null
  /** Null to use the language of the browser and the time zone of the organization. */
  language: Language | null
  own_time_zone: string | null
}

export interface PersonWithPassword extends PersonRow {
  /** A PHC string; null if the person has no password. */
  password_hash: string | null
}

const COLUMNS = 'person_id, name, mail, owner, active, created_at, mail_proven_at, bound_to, language, own_time_zone'

/**
 * Throws account_exists if the email address already has an unbound account, or one that is bound to the same
 * organization.
 */
export async function insertPerson(
  tx: Queryable,
  person: {
    personId: string
    name: string
    mail: string
    owner: boolean
    passwordHash: string | null
    at: Date
    /** False by default. */
    isMailProven?: boolean
    boundTo?: string | undefined
  },
): Promise<PersonRow> {
  const { personId, name, mail, owner, passwordHash, at, isMailProven = false, boundTo = null } = person
  const row = await findRow<PersonRow>(
    tx,
    `insert into people (person_id, name, mail, owner, password_hash, created_at, mail_proven_at, bound_to)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning ${COLUMNS}`,
    [personId, name, mail, owner, passwordHash, at, isMailProven ? at : null, boundTo],
  )
  if (row === undefined) throw new ApiError('account_exists')
  return row
}

export const findPerson = (database: Queryable, personId: string): Promise<PersonWithPassword | undefined> =>
  findRow(database, `select ${COLUMNS}, password_hash from people where person_id = $1`, [personId])

/**
 * Lists the accounts of an email address: first the unbound one, if there is one, then those that are bound to an
 * organization, oldest first. ASCII letters match in either case (mail-address.ts).
 */
export const listAccounts = (database: Queryable, mail: string): Promise<PersonWithPassword[]> =>
  listRows(database, ACCOUNTS, [mail])

const ACCOUNTS = `select ${COLUMNS}, password_hash from people
  where lower(mail collate "C") = lower($1::text collate "C") and merged_into is null
  order by bound_to is not null, created_at, person_id`

/** Lists and locks the accounts of an email address. */
export const lockAccounts = (tx: Queryable, mail: string): Promise<PersonWithPassword[]> =>
  listRows(tx, `${ACCOUNTS} for no key update`, [mail])

/**
 * Locks people until the transaction ends, in the order of their ids. Every transaction that involves an account starts
 * with this, because locks must be taken in one order to avoid deadlocks:
 *
 *   1. people, all that the transaction involves in one statement
 *   2. memberships
 *   3. organizations
 *   4. posts, and what belongs to them
 *   5. review links, invitations, entry links, keys, sessions and other credentials
 *
 * A credential is therefore looked up first and used up once its people are locked. Rows that reference a person or a
 * membership, such as messages about a locked post, are inserted without regard to this order: only the final deletion
 * of the person excludes them.
 */
export async function lockPeople(
  tx: Queryable,
  { ids = [], mails = [], owners = false }: { ids?: readonly string[]; mails?: readonly string[]; owners?: boolean },
): Promise<void> {
  await tx.query(
    `select from people
      where person_id in (
              select unnest($1::text[])
               union select person_id from people where merged_into = any($1::text[])
               union select person_id from people where owner and active and $3
               union select person_id from people
                      where merged_into is null and lower(mail collate "C") in (
                              select lower(mail collate "C") from unnest($2::text[]) as given (mail)))
      order by person_id for no key update`,
    [ids, mails, owners],
  )
}

/** Locks the person until the transaction ends. */
export const lockPerson = (tx: Queryable, personId: string): Promise<PersonWithPassword | undefined> =>
  findRow(tx, `select ${COLUMNS}, password_hash from people where person_id = $1 for no key update`, [personId])

export const hasPeople = (database: Queryable): Promise<boolean> =>
  readValue(database, 'select exists (select from people) as found')

/** SQL for whether the person with this id has a passkey or an authenticator app. */
export const hasSecondFactor = (personId: string): string =>
  `(exists (select from passkeys k where k.person_id = ${personId})
    or exists (select from totp_secrets t where t.person_id = ${personId} and t.confirmed_at is not null))`

/** A person in the list for owners. */
export interface ListedPersonRow extends PersonRow {
  second_factor: boolean
  /** Null before the first sign-in, as are the browser and the network. */
  signed_in_at: Date | null
  browser: string | null
  network: string | null
}

/** Lists everyone with an account, oldest first. */
export const listPersonRows = (database: Queryable): Promise<ListedPersonRow[]> =>
  listRows(
    database,
    `select ${COLUMNS}, ${hasSecondFactor('people.person_id')} as second_factor, signed_in_at, browser, network
       from people left join lateral (
            select last_at as signed_in_at, browser, network from sign_in_places s where s.person_id = people.person_id
             order by last_at desc, browser, network limit 1) last on true
      where merged_into is null order by created_at, person_id`,
  )

/** Locks every active owner until the transaction ends, so that two transactions cannot both remove the last ones. */
export const lockOwners = (tx: Queryable): Promise<string[]> =>
  listValues(tx, 'select person_id from people where owner and active order by person_id for no key update')

/** An address has at most one account that is bound to no organization. */
const MAY_BE_UNBOUND = `(bound_to is null or not exists (
  select from people other
   where other.person_id <> p.person_id and other.bound_to is null and other.merged_into is null
     and lower(other.mail collate "C") = lower(p.mail collate "C")))`

/** Updates the given fields. An owner is not bound to any organization. Throws account_not_found and account_exists. */
export async function updatePersonRow(
  tx: Queryable,
  personId: string,
  changes: { name?: string; owner?: boolean; active?: boolean },
): Promise<PersonRow> {
  const { rows } = await tx.query<PersonRow>(
    `update people p set name = coalesce($2, name), owner = coalesce($3, owner), active = coalesce($4, active),
                       bound_to = case when $3 then null else bound_to end
      where person_id = $1 and merged_into is null and (not coalesce($3, false) or ${MAY_BE_UNBOUND})
      returning ${COLUMNS}`,
    [personId, changes.name ?? null, changes.owner ?? null, changes.active ?? null],
  )
  if (rows[0] !== undefined) return rows[0]
  throw new ApiError((await findPerson(tx, personId)) === undefined ? 'account_not_found' : 'account_exists')
}

export async function setPreferences(
  tx: Queryable,
  personId: string,
  { language, timeZone }: OwnPreferences,
): Promise<void> {
  await tx.query('update people set language = $2, own_time_zone = $3 where person_id = $1', [
    personId,
    language,
    timeZone,
  ])
}

/** Stores the locale of the browser for emails; undefined if it prefers none of our languages. */
export async function setBrowserLocale(tx: Queryable, personId: string, locale: string | undefined): Promise<void> {
  await tx.query(
    'update people set browser_locale = $2 where person_id = $1 and browser_locale is distinct from $2::text',
    [personId, locale ?? null],
  )
}

/** `before` is the hash that was checked. Returns false if the password has changed since. */
export const replacePassword = (
  tx: Queryable,
  personId: string,
  { before, after }: { before: string | null; after: string },
): Promise<boolean> =>
  hitsRow(tx, 'update people set password_hash = $3 where person_id = $1 and password_hash is not distinct from $2', [
    personId,
    before,
    after,
  ])

/**
 * Marks the address as proven, or replaces password and name. Undefined fields stay. Throws account_exists if the
 * address has another unbound account.
 */
export async function setCredentials(
  tx: Queryable,
  personId: string,
  set: { name?: string | undefined; passwordHash?: string | null | undefined; provenAt?: Date | undefined },
): Promise<void> {
  const { rowCount } = await tx.query(
    `update people p
        set name = coalesce($2, name),
            password_hash = case when $3 then $4 else password_hash end,
            mail_proven_at = coalesce(mail_proven_at, $5),
            bound_to = case when $5::timestamptz is null then bound_to end
      where person_id = $1
        and ($5::timestamptz is null or ${MAY_BE_UNBOUND})`,
    [personId, set.name ?? null, set.passwordHash !== undefined, set.passwordHash ?? null, set.provenAt ?? null],
  )
  if (rowCount === 0) throw new ApiError('account_exists')
}

/**
 * Merges an account into another one of its address. Its row stays for the names in histories, but no one can sign in
 * with it.
 */
export async function mergePerson(tx: Queryable, personId: string, into: string): Promise<void> {
  await tx.query(
    'update people set merged_into = $2, active = false, password_hash = null where person_id = $1 and merged_into is null',
    [personId, into],
  )
}

/** Locks an account for deletion until the transaction ends; undefined for a merged account. */
export const lockForRemoval = (tx: Queryable, personId: string): Promise<PersonRow | undefined> =>
  findRow(tx, `select ${COLUMNS} from people where person_id = $1 and merged_into is null for no key update`, [
    personId,
  ])

/**
 * Deletes an account and the accounts that were merged into it. The database cascades to the person's own rows;
 * review links are deleted before.
 */
export async function deletePersonRow(tx: Queryable, personId: string): Promise<void> {
  await tx.query('delete from people where person_id = $1', [personId])
}

/** Lists the person's id and those of the accounts that were merged into it. */
export const listIdsOfPerson = (database: Queryable, personId: string): Promise<string[]> =>
  listValues(database, 'select person_id from people where person_id = $1 or merged_into = $1', [personId])
