import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { knownMigrations, MIGRATIONS } from '../src/database/migrate.js'

const OWN = MIGRATIONS.directory

/** Makes this a version with only these of its migrations, and the added ones, until the end of the test. */
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

/** Makes this a version with one more migration until the end of the test: what was made before it is of an older one. */
export const addMigration = (name: string, sql: string): void => useMigrations(knownMigrations(OWN), { [name]: sql })
