import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../lib/start-error.js'
import { type Database, DatabaseUnavailableError, type Queryable } from './database.js'
import { hasTable } from './queries.js'

/** The files of the package; the same path from src/ and from dist/. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../migrations', import.meta.url))

/** The schema of the database and this program do not belong together. The message says what to do. */
export class MigrationError extends StartError {}

interface Migration {
  name: string
  sql: string
  checksum: string
  /** The program before this migration runs on with it: its file says so in a line of its own. */
  compatible: boolean
}

/** Stands in a migration that only expands the schema (docs/operations.md, rolling upgrades). */
const COMPATIBLE = /^-- compatible with the program before\b/m

/** Checksums of files whose comments were reworded after they had run somewhere: the SQL was the same. */
const REWORDED: Readonly<Record<string, string>> = {
  '0006_audit_trail.sql': '1ebefa471b12e050e967abf0b379ff4e6f4e40ee123ffa94539fc4ddd0c14533',
  '0012_revisions_only_grow.sql': '8d84a73f39b04e2934dff2cf4122afa10d8236138885dfac6f615a09d8732c3e',
  '0042_notices.sql': '85e8617ab0e6730f2aae32cd0524894234d891371cf68de6d9956e3bbeca85ea',
}

// Any number, the same in every version of the program.
const MIGRATION_LOCK = 7_105_336

/**
 * Brings the schema up to date: runs each numbered SQL file that has not run, in order, all in one transaction, so
 * that the program before still runs on the database when one of them fails. Safe when several processes start at
 * once. Throws MigrationError when a file fails, or was changed since it ran, or when a newer program has already
 * changed the schema in a way that this one cannot run with. `only`: none but these.
 */
export async function migrate(
  database: Database,
  directory = MIGRATIONS_DIRECTORY,
  only?: ReadonlySet<string>,
): Promise<{ applied: string[] }> {
  const migrations = readMigrations(directory)
  let running: string | undefined
  try {
    const applied = await database.transaction(async (tx) => {
      running = undefined
      await prepare(tx)
      const next = missing(migrations, await appliedMigrations(tx)).filter(({ name }) => only?.has(name) ?? true)
      for (const { name, sql, checksum, compatible } of next) {
        running = name
        await tx.execute(sql)
        await tx.query('insert into migrations (name, checksum, compatible) values ($1, $2, $3)', [
          name,
          checksum,
          compatible,
        ])
      }
      return next.map(({ name }) => name)
    })
    return { applied }
  } catch (cause) {
    if (running === undefined || cause instanceof DatabaseUnavailableError) throw cause
    throw new MigrationError(
      `The migration ${running} failed, and the database is as it was before: ${(cause as Error).message}.`,
      { cause },
    )
  }
}

async function prepare(tx: Queryable): Promise<void> {
  // It may rewrite a table, and waits for the node that migrates already.
  await tx.execute('set local statement_timeout = 0; set local lock_timeout = 0')
  await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  await tx.execute(`create table if not exists migrations (
    name       text primary key,
    checksum   text not null,
    applied_at timestamptz not null default now()
  );
  alter table migrations add column if not exists compatible boolean not null default false`)
}

/** The names of the files that have not run. Throws as `migrate` does. */
export async function pendingMigrations(database: Database, directory = MIGRATIONS_DIRECTORY): Promise<string[]> {
  const applied = (await hasTable(database, 'migrations')) ? await appliedMigrations(database) : new Map()
  return missing(readMigrations(directory), applied).map(({ name }) => name)
}

/** The names of all files. */
export const knownMigrations = (directory = MIGRATIONS_DIRECTORY): string[] =>
  readMigrations(directory).map(({ name }) => name)

type Applied = Pick<Migration, 'checksum' | 'compatible'>

/** The migrations of this program, by name. */
async function appliedMigrations(database: Queryable): Promise<Map<string, Applied>> {
  // Earlier versions made the table without `compatible`.
  const { rows } = await database.query<Applied & { name: string }>(
    "select name, checksum, coalesce((to_jsonb(m) ->> 'compatible')::boolean, false) as compatible from migrations m",
  )
  return new Map(rows.map(({ name, ...applied }) => [name, applied]))
}

function missing(migrations: Migration[], applied: Map<string, Applied>): Migration[] {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied].flatMap(([name, { compatible }]) => (known.has(name) || compatible ? [] : [name]))
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database has migrations that this program does not know (${unknown.join(', ')}): a newer version has run on it. Run that version.`,
    )
  }
  for (const { name, checksum } of migrations) {
    const ran = applied.get(name)?.checksum
    if (ran !== undefined && ran !== checksum && ran !== REWORDED[name]) {
      throw new MigrationError(
        `The migration ${name} was changed after it ran on this database: restore the file, and put the change into a new one.`,
      )
    }
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
    .map((name) => {
      // A checkout may have changed the line ends.
      const sql = readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { name, sql, checksum, compatible: COMPATIBLE.test(sql) }
    })
}
