import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { knownMigrations, MIGRATIONS } from '../src/database/migrate.js'

const OWN = MIGRATIONS.directory

/** Reduces this version to these migrations and the added ones until the end of the test. */
export function useMigrations(names: readonly string[], added: Record<string, string> = {}): void {
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-migrations-'))
  for (const name of names) cpSync(join(OWN, name), join(directory, name))
  for (const [name, sql] of Object.entries(added)) writeFileSync(join(directory, name), sql)
  MIGRATIONS.directory = directory
  onTestFinished(() => {
    MIGRATIONS.directory = OWN
    rmSync(directory, { recursive: true })
  })
}

/** Adds a migration to this version until the end of the test. Anything made before belongs to an older version. */
export const addMigration = (name: string, sql: string): void => useMigrations(knownMigrations(OWN), { [name]: sql })
