import { createHash } from 'node:crypto'
import { StartError } from '../lib/start-error.js'
import { quoted } from './columns.js'
import type { Database, Queryable } from './database.js'
import { migrate, pendingMigrations } from './migrate.js'
import { findRow, hasTable, readValue } from './queries.js'
import { SET_ASIDE, SET_ASIDE_MIGRATION } from './set-aside.js'
import { TABLE_ENTRIES } from './tables.js'

/**
 * The rows of a whole database as text, in the same form for both engines (docs/decisions/backups.md). A row is a JSON
 * array of its stored columns, each as PostgreSQL writes it as text, or null. Backups store this form, and moves
 * transfer it.
 */

export interface Table {
  name: string
  columns: { name: string; type: string }[]
  /** The columns of its primary key. */
  key: string[]
}

export interface Sequence {
  name: string
  lastValue: number
  isCalled: boolean
}

/** Everything in a database besides its rows. */
export interface Shape {
  /** The names of the applied migrations. */
  migrations: string[]
  /** Each after those that it refers to. */
  tables: Table[]
  sequences: Sequence[]
}

/** Marks a database that is being filled: its rows are incomplete. */
const MARK = 'unfinished_copy'
const NOT_CARRIED = [
  ...TABLE_ENTRIES.flatMap(([name, { carried }]) => (carried === false ? [name] : [])),
  MARK,
  SET_ASIDE,
]

/** Tables of earlier schemas, which come first, refer to no others. */
const ORDER = TABLE_ENTRIES.map(([name]) => name)

const FETCH_ROWS_MAX = 100
/** About how much one statement reads or writes. */
const STATEMENT_BYTES = 1024 * 1024
/** Makes every server write the same value in the same way, whatever its settings. */
const TEXT_FORM = `set local timezone = 'UTC'; set local datestyle = 'ISO, MDY'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 1; set local bytea_output = 'hex'`

/** Reads the shape of an open database. Throws an Error for a table without a primary key. */
export async function readShape(database: Queryable): Promise<Shape> {
  const { rows: tables } = await database.query<Table>(
    `select c.relname as name,
            (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
               from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
            (select json_agg(a.attname order by array_position(i.indkey::int2[], a.attnum))
               from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
              where i.indrelid = c.oid and i.indisprimary) as key
       from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        and c.relname <> all($1)
      order by c.relname`,
    [NOT_CARRIED],
  )
  const keyless = tables.find(({ key }) => key === null)
  if (keyless !== undefined) throw new Error(`the table ${keyless.name} has no primary key`)
  const { rows: migrations } = await database.query<{ name: string }>(
    'select name from migrations where name <> $1 order by name collate "C"',
    [SET_ASIDE_MIGRATION],
  )
  return {
    migrations: migrations.map(({ name }) => name),
    tables: tables.toSorted((one, other) => ORDER.indexOf(one.name) - ORDER.indexOf(other.name)),
    sequences: await readSequences(database),
  }
}

export async function readSequences(database: Queryable): Promise<Sequence[]> {
  const { rows } = await database.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'S' and relpersistence = 'p' order by relname`,
  )
  const sequences: Sequence[] = []
  for (const { name } of rows) {
    const { rows: found } = await database.query<Omit<Sequence, 'name'>>(
      `select last_value as "lastValue", is_called as "isCalled" from ${quoted(name)}`,
    )
    sequences.push({ name, ...found[0]! })
  }
  return sequences
}

/** Yields all rows in key order, with 100 of them in memory. Runs within one transaction. */
export async function* readRows(tx: Queryable, { name, columns, key }: Table): AsyncGenerator<string[]> {
  await tx.execute(TEXT_FORM)
  const values = columns.map((column) => `${quoted(column.name)}::text`).join(', ')
  await tx.execute(
    `declare rows_to_carry no scroll cursor for
       select json_build_array(${values})::text as row from ${quoted(name)} order by ${key.map(quoted).join(', ')}`,
  )
  for (let count = FETCH_ROWS_MAX; ; ) {
    const { rows } = await tx.query<{ row: string }>(`fetch ${count} from rows_to_carry`)
    // Formatted again, because servers differ in spaces.
    if (rows.length > 0) yield rows.map(({ row }) => JSON.stringify(JSON.parse(row)))
    if (rows.length < count) break
    const bytes = rows.reduce((sum, { row }) => sum + row.length, 0)
    count = bytes > STATEMENT_BYTES ? Math.max(1, count >> 2) : Math.min(FETCH_ROWS_MAX, count << 1)
  }
  await tx.execute('close rows_to_carry')
}

/** Inserts rows as `readRows` yields them. */
export async function insertRows(tx: Queryable, { name, columns }: Table, rows: readonly string[]): Promise<void> {
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const values = columns.map((column, index) => `(r ->> ${index})::${column.type}`).join(', ')
  for (let from = 0; from < rows.length; ) {
    let to = from
    for (let bytes = 0; to < rows.length && bytes < STATEMENT_BYTES; to++) bytes += rows[to]!.length
    await tx.query(
      `insert into ${quoted(name)} (${names}) overriding system value
       select ${values} from json_array_elements($1::text::json) as r`,
      [`[${rows.slice(from, to).join(',')}]`],
    )
    from = to
  }
}

/** Digests rows in any order, because another server may sort the same database differently. */
export class RowDigest {
  rows = 0
  readonly #sum = Buffer.alloc(32)

  add(row: string): void {
    this.rows += 1
    const digest = createHash('sha256').update(row).digest()
    // No two rows of a table are the same, so none cancels another out.
    for (let i = 0; i < 32; i++) this.#sum[i]! ^= digest[i]!
  }

  get sum(): string {
    return this.#sum.toString('hex')
  }

  equals({ rows, sum }: { rows: number; sum: string }): boolean {
    return this.rows === rows && this.sum === sum
  }
}

/** Yields the same rows, and adds them to a digest. */
export async function* digestOfRows(batches: AsyncIterable<string[]>, digest: RowDigest): AsyncGenerator<string[]> {
  for await (const rows of batches) {
    for (const row of rows) digest.add(row)
    yield rows
  }
}

/** Reads everything at one moment, from a database that nobody else uses, so no copy is needed. */
export function readAlone<T>(database: Database, read: (tx: Queryable) => Promise<T>): Promise<T> {
  return database.engine === 'pglite' ? database.transaction(read) : database.readAside(read)
}

export async function digestOf(tx: Queryable, table: Table): Promise<RowDigest> {
  const digest = new RowDigest()
  for await (const rows of readRows(tx, table)) for (const row of rows) digest.add(row)
  return digest
}

/** The copy with which a database is being filled. */
export interface Filling {
  kind: 'restore' | 'move'
  /** Identifies the source. */
  source: string
}

export const UNFINISHED =
  'a restore or a move into it was interrupted: run the same command again, or choose an empty place'

/** Throws StartError for a database that is being filled. */
export async function refuseUnfinished(database: Queryable, place: string): Promise<void> {
  if ((await findFilling(database)) !== undefined) {
    throw new StartError(`The database at ${place} is not complete: ${UNFINISHED}.`)
  }
}

export async function findFilling(database: Queryable): Promise<Filling | undefined> {
  if (!(await hasTable(database, MARK))) return undefined
  return await findRow(database, `select kind, source from ${MARK}`)
}

/** Returns the major version. */
export const serverVersion = (database: Queryable): Promise<number> =>
  readValue(database, "select current_setting('server_version_num')::integer / 10000")

export const serverEncoding = (database: Queryable): Promise<string> =>
  readValue(database, "select current_setting('server_encoding')")

/** Returns whether the database is empty. */
export const isEmpty = (database: Queryable): Promise<boolean> =>
  readValue(
    database,
    `select not exists (
       select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
     )`,
  )

/**
 * Prepares an empty database for the rows of a copy: it gets their schema, without the rows of a new database, and with
 * triggers off, because what they count and refuse has already been counted and allowed. Marks it, so that no service starts
 * on it before `endFilling`. An unfinished copy of the same source is kept as it is.
 */
export async function beginFilling(database: Database, filling: Filling, migrations: readonly string[]): Promise<void> {
  const found = await findFilling(database)
  if (found === undefined) {
    await database.transaction(async (tx) => {
      await tx.execute(
        `create table ${MARK} (kind text not null, source text not null, ready boolean not null default false)`,
      )
      await tx.query(`insert into ${MARK} (kind, source) values ($1, $2)`, [filling.kind, filling.source])
    })
  }
  await migrate(database, undefined, new Set(migrations))
  if (await readValue<boolean>(database, `select ready from ${MARK}`)) return
  const { tables } = await readShape(database)
  await database.transaction(async (tx) => {
    for (const { name } of tables) await tx.execute(`alter table ${quoted(name)} disable trigger user`)
    await emptyTables(tx, tables)
    await tx.execute(`update ${MARK} set ready = true`)
  })
}

export async function emptyTables(tx: Queryable, tables: readonly Table[]): Promise<void> {
  await tx.execute(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')} cascade`)
}

/**
 * Turns the triggers on, sets the sequences, runs `last`, removes the mark, and brings the schema up to date. `last` runs in
 * the transaction after which a service can start here, on the schema of the rows.
 */
export async function endFilling(
  database: Database,
  { tables, sequences }: Shape,
  last: (tx: Queryable) => Promise<void> = async () => {},
): Promise<void> {
  await database.transaction(async (tx) => {
    for (const { name } of tables) await tx.execute(`alter table ${quoted(name)} enable trigger user`)
    for (const { name, lastValue, isCalled } of sequences) {
      await tx.query('select setval($1::text::regclass, $2::bigint, $3::boolean)', [quoted(name), lastValue, isCalled])
    }
    await last(tx)
    await tx.execute(`drop table ${MARK}`)
  })
  await migrate(database)
  // The migrations may have created other tables.
  for (const { name } of (await readShape(database)).tables) await database.execute(`analyze ${quoted(name)}`)
}

/** Keeps everyone else from writing to the tables until the transaction ends. Throws DatabaseBusyError after 30 s. */
export async function lockTables(tx: Queryable, tables: readonly Table[]): Promise<void> {
  await tx.execute(
    `set local lock_timeout = '30s'; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
     lock table ${tables.map(({ name }) => quoted(name)).join(', ')} in share row exclusive mode`,
  )
}

/** Counts the rows of a table. */
export const countRows = (tx: Queryable, { name }: Table): Promise<number> =>
  readValue(tx, `select count(*) from ${quoted(name)}`)

/** Returns a name for the database for as long as it exists, without revealing anything about it. */
export async function findIdentity(database: Queryable): Promise<string> {
  const identity = `select md5(string_agg(key_id, ',' order by key_id collate "C")) from master_keys`
  return (await readValue<string | null>(database, identity)) ?? 'none'
}

/** Lists the migrations to run on a database with data that they change. Throws what `migrate` throws. */
export async function migratesData(database: Database): Promise<string[]> {
  return (await hasTable(database, 'organizations')) ? await pendingMigrations(database) : []
}
