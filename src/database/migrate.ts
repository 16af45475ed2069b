import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../lib/start-error.js'
import type { Database, Queryable } from './database.js'

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

/** What a migration that only expands the schema says (docs/operations.md, rolling upgrades). */
const COMPATIBLE = /^-- compatible with the program before\b/m

// Any number, the same in every version of the program.
const MIGRATION_LOCK = 7_105_336

/**
 * Brings the schema up to date: runs each numbered SQL file that has not run, in order, each in one transaction. Safe
 * when several processes start at once. Throws MigrationError when a file that has run was changed since, or when a
 * newer program has already changed the schema in a way that this one cannot run with. `only`: none but these.
 */
export async function migrate(
  database: Database,
  directory = MIGRATIONS_DIRECTORY,
  only?: ReadonlySet<string>,
): Promise<{ applied: string[] }> {
  const migrations = readMigrations(directory)
  const applied: string[] = []
  for (;;) {
    const name = await database.transaction(async (tx) => {
      // It may rewrite a table, and waits for the node that migrates already.
      await tx.execute('set local statement_timeout = 0; set local lock_timeout = 0')
      await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
      await tx.execute(`create table if not exists migrations (
        name       text primary key,
        checksum   text not null,
        applied_at timestamptz not null default now()
      );
      alter table migrations add column if not exists compatible boolean not null default false`)
      const next = missing(migrations, await appliedMigrations(tx)).find(({ name }) => only?.has(name) ?? true)
      if (next === undefined) return undefined
      await tx.execute(next.sql)
      await tx.query('insert into migrations (name, checksum, compatible) values ($1, $2, $3)', [
        next.name,
        next.checksum,
        next.compatible,
      ])
      return next.name
    })
    if (name === undefined) return { applied }
    applied.push(name)
  }
}

/** The names of the files that have not run. Throws as `migrate` does. */
export async function pendingMigrations(database: Database, directory = MIGRATIONS_DIRECTORY): Promise<string[]> {
  const { rows } = await database.query<{ made: boolean }>("select to_regclass('migrations') is not null as made")
  const applied = rows[0]?.made ? await appliedMigrations(database) : new Map()
  return missing(readMigrations(directory), applied).map(({ name }) => name)
}

/** The names of all files. */
export const knownMigrations = (directory = MIGRATIONS_DIRECTORY): string[] =>
  readMigrations(directory).map(({ name }) => name)

type Applied = Pick<Migration, 'checksum' | 'compatible'>

/** By name. */
async function appliedMigrations(database: Queryable): Promise<Map<string, Applied>> {
  const { rows } = await database.query<Applied & { name: string }>('select name, checksum, compatible from migrations')
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
    if (applied.has(name) && applied.get(name)?.checksum !== checksum) {
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
