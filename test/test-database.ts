import pg from 'pg'
import type { Database } from '../src/database/database.js'
import { migrate } from '../src/database/migrate.js'
import { openPglite } from '../src/database/pglite/pglite.js'
import { openPostgres } from '../src/database/postgres.js'

/** A PostgreSQL for the tests; without it they run on the embedded engine. scripts/run-on-postgres.ts sets it. */
export const TEST_DATABASE_URL = process.env.TEST_DATABASE_URL || undefined

/** Set if a pooler that shares connections is in front of the server. */
export const TEST_STATEMENTS = process.env.DATABASE_STATEMENTS === 'unnamed' ? 'unnamed' : 'named'

/** Opens another pool on the test server, which other tests may keep busy for longer than a service waits. */
export const openTestPostgres = (url: string, poolMax: number): Database =>
  openPostgres({ url, poolMax, statements: TEST_STATEMENTS, connectTimeoutMs: 60_000 })

let shared: Promise<Database> | undefined

/**
 * The migrated database that all test files of a thread share; each test makes its own organization in it. Its close()
 * does nothing, so that other apps can use it after one has closed.
 */
export function openTestDatabase(): Promise<Database> {
  shared ??= openShared()
  return shared
}

async function openShared(): Promise<Database> {
  const database =
    TEST_DATABASE_URL === undefined
      ? await openPglite({ isMigrated: true })
      : openTestPostgres(await createEmptyDatabase('greenroom_test'), 10)
  await migrate(database)
  return { ...database, close: async () => {} }
}

let start: Promise<Database> | undefined

/** Opens an empty database without migrations, for tests of what a start finds. It is opened once and emptied each time. */
export async function openStartDatabase(): Promise<Database> {
  start ??=
    TEST_DATABASE_URL === undefined
      ? openPglite()
      : createEmptyDatabase('greenroom_start_test').then((url) => openTestPostgres(url, 6))
  const database = await start
  await database.execute('drop schema public cascade; create schema public')
  return { ...database, close: async () => {} }
}

let own: Promise<{ database: Database; emptying: string }> | undefined

/**
 * A migrated database without organizations, people or posts, for tests that look at a whole installation. It is opened
 * once and emptied each time, because its migrations take two seconds of processor time. Its close() does nothing.
 */
export async function openOwnDatabase(): Promise<Database> {
  own ??= openOwn()
  const { database, emptying } = await own
  await database.query(emptying)
  return database
}

async function openOwn(): Promise<{ database: Database; emptying: string }> {
  const database =
    TEST_DATABASE_URL === undefined
      ? await openPglite({ isMigrated: true })
      : openTestPostgres(await createEmptyDatabase('greenroom_own_test'), 6)
  await migrate(database)
  const { rows } = await database.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'`,
  )
  const restoring: string[] = []
  for (const { name } of rows) {
    const { rows: made } = await database.query(`select to_jsonb(t)::text as row from ${name} t`)
    if (made.length === 0) continue
    const values = `[${made.map(({ row }) => row as string).join(',')}]`
    restoring.push(`insert into ${name} select * from jsonb_populate_recordset(null::${name}, '${values}');`)
  }
  // Triggers are off, because they would add rows about each deletion.
  const emptying = `
    do $do$
    declare name text; has_rows boolean;
    begin
      perform set_config('session_replication_role', 'replica', true);
      foreach name in array array[${rows.map(({ name }) => `'${name}'`).join(',')}] loop
        execute 'select exists (select from ' || name || ')' into has_rows;
        if has_rows then execute 'delete from ' || name; end if;
      end loop;
      ${restoring.join('\n')}
    end $do$`
  return { database: { ...database, close: async () => {} }, emptying }
}

/** Makes an empty database for this thread on the test server, replaces one from an earlier run, and returns its URL. */
export async function createEmptyDatabase(prefix: string): Promise<string> {
  if (TEST_DATABASE_URL === undefined) throw new Error('TEST_DATABASE_URL is not set')
  const name = `${prefix}_${process.env.VITEST_POOL_ID ?? 0}`
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL })
  await client.connect()
  try {
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
  const url = new URL(TEST_DATABASE_URL)
  url.pathname = `/${name}`
  return url.href
}

/** Returns a database whose process is killed during the transaction with this number, counted from 0. */
export function killedAt(database: Database, transaction: number): Database {
  let left = transaction
  return {
    ...database,
    async transaction(work) {
      if (left-- === 0) throw new Error('the process was killed')
      return database.transaction(work)
    },
  }
}
