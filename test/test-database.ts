import pg from 'pg'
import type { Database } from '../src/database/database.js'
import { migrate } from '../src/database/migrate.js'
import { openPglite } from '../src/database/pglite/pglite.js'
import { openPostgres } from '../src/database/postgres.js'

/** A PostgreSQL that the tests may use; without it they run on the embedded engine. Set by scripts/run-on-postgres.ts. */
export const TEST_DATABASE_URL = process.env.TEST_DATABASE_URL || undefined

/** Set where a pooler that shares connections stands before it. */
export const TEST_STATEMENTS = process.env.DATABASE_STATEMENTS === 'unnamed' ? 'unnamed' : 'named'

/** Another pool on the test server. */
export const openTestPostgres = (url: string, poolMax: number): Database =>
  openPostgres({ url, poolMax, statements: TEST_STATEMENTS })

let shared: Promise<Database> | undefined

/**
 * The migrated database that all test files of one thread share; each test makes an organization of its own in it. Its
 * close() does nothing, so that closing one app leaves it to the others.
 */
export function openTestDatabase(): Promise<Database> {
  shared ??= openShared()
  return shared
}

async function openShared(): Promise<Database> {
  const database =
    TEST_DATABASE_URL === undefined
      ? await openPglite()
      : openTestPostgres(await createEmptyDatabase('greenroom_test'), 10)
  await migrate(database)
  return { ...database, close: async () => {} }
}

let start: Promise<Database> | undefined

/** An empty database, not migrated, for the tests of what a start finds in it. Opened once, and emptied each time. */
export async function openStartDatabase(): Promise<Database> {
  start ??=
    TEST_DATABASE_URL === undefined
      ? openPglite()
      : createEmptyDatabase('greenroom_start_test').then((url) => openTestPostgres(url, 6))
  const database = await start
  await database.execute('drop schema public cascade; create schema public')
  return { ...database, close: async () => {} }
}

/**
 * Makes an empty database of this thread's own on the test server, in place of one that an earlier run left behind, and
 * gives its URL.
 */
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

/** A database whose process is killed with the transaction of this number, counted from 0. */
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
