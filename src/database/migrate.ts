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
}

// Any number, the same in every version of the program.
const MIGRATION_LOCK = 7_105_336

/**
 * Brings the schema up to date: runs each numbered SQL file that has not run, in order, each in one transaction. Safe
 * when several processes start at once. Throws MigrationError when a file that has run was changed since, or when a
 * newer program has already changed the schema.
 */
export async function migrate(database: Database, directory = MIGRATIONS_DIRECTORY): Promise<{ applied: string[] }> {
  const migrations = readMigrations(directory)
  const applied: string[] = []
  for (;;) {
    const name = await database.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
      await tx.execute(`create table if not exists migrations (
        name       text primary key,
        checksum   text not null,
        applied_at timestamptz not null default now()
      )`)
      const [next] = missing(migrations, await appliedMigrations(tx))
      if (next === undefined) return undefined
      await tx.execute(next.sql)
      await tx.query('insert into migrations (name, checksum) values ($1, $2)', [next.name, next.checksum])
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

/** Checksums by name. */
async function appliedMigrations(database: Queryable): Promise<Map<string, string>> {
  const { rows } = await database.query<{ name: string; checksum: string }>('select name, checksum from migrations')
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

function missing(migrations: Migration[], applied: Map<string, string>): Migration[] {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database has migrations that this program does not know (${unknown.join(', ')}): a newer version has run on it. Run that version.`,
    )
  }
  for (const { name, checksum } of migrations) {
    if (applied.has(name) && applied.get(name) !== checksum) {
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
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}
