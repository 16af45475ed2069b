import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../lib/start-error.js'
import { type Database, DatabaseUnavailableError, type Queryable } from './database.js'
import { hasTable } from './queries.js'

/** The files of the package; the path is the same from src/ and from dist/. Tests set another. */
export const MIGRATIONS = { directory: fileURLToPath(new URL('../../migrations', import.meta.url)) }

/** The schema of the database does not match this program. The message says what to do. */
export class MigrationError extends StartError {}

interface Migration {
  name: string
  sql: string
  checksum: string
  /** True if the previous program can run with this migration: its file says so in a line of its own. */
  compatible: boolean
}

/** Marks a migration that only extends the schema (docs/upgrading.md, rolling upgrades). */
const COMPATIBLE = /^-- compatible with the program before\b/m

// Any number, the same in every version of the program.
const MIGRATION_LOCK = 7_105_336

/**
 * Brings the schema up to date: runs each numbered SQL file that has not run, in order and in one transaction, so that the
 * previous program still works if one fails. Safe if several processes start at once. Throws MigrationError if a file fails
 * or was changed after it ran, or if a newer program changed the schema incompatibly. `only` limits it to these files.
 */
export async function migrate(
  database: Database,
  directory = MIGRATIONS.directory,
  only?: ReadonlySet<string>,
): Promise<{ applied: string[] }> {
  const migrations = readMigrations(directory)
  let running: string | undefined
  try {
    const applied = await database.transaction(async (tx) => {
      running = undefined
      return await migrateWithin(tx, {
        migrations,
        only,
        onRun: (name) => {
          running = name
        },
      })
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

interface Run {
  migrations?: Migration[]
  only?: ReadonlySet<string> | undefined
  onRun?(name: string): void
}

/** The same within a transaction. Returns the names of the files that ran. */
export async function migrateWithin(
  tx: Queryable,
  { migrations = readMigrations(MIGRATIONS.directory), only, onRun }: Run = {},
): Promise<string[]> {
  await prepare(tx)
  const next = missing(migrations, await appliedMigrations(tx)).filter(({ name }) => only?.has(name) ?? true)
  for (const { name, sql, checksum, compatible } of next) {
    onRun?.(name)
    await tx.execute(sql)
    await tx.query('insert into migrations (name, checksum, compatible) values ($1, $2, $3)', [
      name,
      checksum,
      compatible,
    ])
  }
  return next.map(({ name }) => name)
}

async function prepare(tx: Queryable): Promise<void> {
  // It may rewrite a table, and waits for a node that is already migrating.
  await tx.query("select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)")
  await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  if (await hasTable(tx, 'migrations')) return
  await tx.execute(`create table migrations (
    name       text primary key,
    checksum   text not null,
    applied_at timestamptz not null default now(),
    compatible boolean not null default false
  )`)
}

/** Returns the names of the files that have not run. Throws what `migrate` throws. */
export async function pendingMigrations(database: Database, directory = MIGRATIONS.directory): Promise<string[]> {
  const applied = (await hasTable(database, 'migrations')) ? await appliedMigrations(database) : new Map()
  return missing(readMigrations(directory), applied).map(({ name }) => name)
}

/** Returns the names of all files. */
export const knownMigrations = (directory = MIGRATIONS.directory): string[] =>
  readMigrations(directory).map(({ name }) => name)

/** Identifies the result of all files. */
export const checksumOfMigrations = (): string =>
  createHash('sha256')
    .update(
      readMigrations(MIGRATIONS.directory)
        .map(({ name, checksum }) => name + checksum)
        .join(),
    )
    .digest('hex')

type Applied = Pick<Migration, 'checksum' | 'compatible'>

/** Returns the applied migrations of this program, by name. */
async function appliedMigrations(database: Queryable): Promise<Map<string, Applied>> {
  const { rows } = await database.query<Applied & { name: string }>('select name, checksum, compatible from migrations')
  return new Map(rows.map(({ name, ...applied }) => [name, applied]))
}

/** The first files of development versions. The baseline of 0.1.0 differs from every earlier one. */
const [BEFORE_BASELINE, BASELINE] = ['0001_initial.sql', '0001_baseline.sql']

function missing(migrations: Migration[], applied: Map<string, Applied>): Migration[] {
  const baseline = migrations.find(({ name }) => name === BASELINE)
  const ran = applied.get(BASELINE)?.checksum ?? baseline?.checksum
  if (baseline !== undefined && (applied.has(BEFORE_BASELINE) || ran !== baseline.checksum)) {
    throw new MigrationError(
      'This database was created by a development version before 0.1.0 and cannot be upgraded: set another DATA_DIR or DATABASE_URL.',
    )
  }
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied].flatMap(([name, { compatible }]) => (known.has(name) || compatible ? [] : [name]))
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database has migrations that this program does not know (${unknown.join(', ')}): a newer version has run on it. Run that version.`,
    )
  }
  for (const { name, checksum } of migrations) {
    const ran = applied.get(name)?.checksum
    if (ran !== undefined && ran !== checksum) {
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
      // A checkout may have changed the line endings.
      const sql = readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { name, sql, checksum, compatible: COMPATIBLE.test(sql) }
    })
}
