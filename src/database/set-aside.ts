import { StartError } from '../lib/start-error.js'
import type { Database, Queryable } from './database.js'
import { findRow, hasTable } from './queries.js'

/**
 * A database is set aside once its service runs at another place (docs/decisions/install-and-upgrade.md). No service
 * starts on it, and it refuses every change, so that a service still running on it publishes nothing. The mark is in the
 * database itself, whatever its schema.
 */

/** Has one row while the database is set aside. */
export const SET_ASIDE = 'set_aside'
/** Listed among the applied migrations, so that a version that does not know the mark refuses it as an unknown migration. */
export const SET_ASIDE_MIGRATION = 'in use elsewhere'
const TRIGGER = 'refuse_set_aside'
/** SQLSTATE read_only_sql_transaction: callers of a service that is still running get a 503. */
const READ_ONLY = '25006'

export interface SetAside {
  /** Replaced by a server that was restored from a backup. */
  kind: 'moved' | 'replaced'
  /** The other place, for people. */
  place: string
  at: Date
}

/** The service of this database runs at another place. */
export class SetAsideError extends StartError {
  constructor(
    readonly finding: string,
    readonly remedy: string,
  ) {
    super(`${finding} ${remedy}`)
  }
}

export async function findSetAside(database: Queryable): Promise<SetAside | undefined> {
  if (!(await hasTable(database, SET_ASIDE))) return undefined
  return await findRow(database, `select kind, place, at from ${SET_ASIDE}`)
}

/** Throws SetAsideError for a database whose service runs at another place. */
export async function refuseSetAside(database: Queryable, place: string): Promise<void> {
  const found = await findSetAside(database)
  if (found !== undefined) throw new SetAsideError(describe(found, place), HOW_TO_TAKE_BACK)
}

export const describe = ({ kind, place: other, at }: SetAside, place: string): string =>
  kind === 'moved'
    ? `The database at ${place} was moved to ${other} (${at.toISOString()}): start the service there.`
    : `The database at ${place} was replaced by the backup that was restored into ${other} (${at.toISOString()}): start the service there.`

const HOW_TO_TAKE_BACK =
  'Two services with the same posts would publish them twice. To go back to this database, stop the other service permanently and start this one with --again: changes made there since then are missing here, and posts published there may be published again.'

/**
 * Sets the database aside. Other connections that write to it wait for the transaction to end, and are then refused. A
 * second call replaces the first one's place.
 */
export async function setAside(
  tx: Queryable,
  tables: readonly { name: string }[],
  { kind, place, at }: SetAside,
): Promise<void> {
  await takeBackWithin(tx)
  await tx.execute(`create table ${SET_ASIDE} (kind text not null, place text not null, at timestamptz not null)`)
  await tx.query(`insert into ${SET_ASIDE} (kind, place, at) values ($1, $2, $3)`, [kind, place, at])
  await tx.query('insert into migrations (name, checksum) values ($1, $2)', [SET_ASIDE_MIGRATION, ''])
  await tx.execute(
    `create function ${TRIGGER}() returns trigger language plpgsql as $$
     begin
       raise exception 'the service of this database runs at another place' using errcode = '${READ_ONLY}';
     end $$`,
  )
  for (const { name } of tables) {
    await tx.execute(
      `create trigger ${TRIGGER} before insert or update or delete or truncate on "${name}"
         for each statement execute function ${TRIGGER}()`,
    )
  }
}

/** Lets services start on the database again. Returns the mark it had; undefined if it was not set aside. */
export async function takeBack(database: Database): Promise<SetAside | undefined> {
  return await database.transaction(async (tx) => {
    const found = await findSetAside(tx)
    await takeBackWithin(tx)
    return found
  })
}

async function takeBackWithin(tx: Queryable): Promise<void> {
  await tx.execute(`drop function if exists ${TRIGGER}() cascade; drop table if exists ${SET_ASIDE}`)
  if (await hasTable(tx, 'migrations')) await tx.query('delete from migrations where name = $1', [SET_ASIDE_MIGRATION])
}
