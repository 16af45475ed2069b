import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { knownMigrations, MIGRATIONS } from '../src/database/migrate.js'

/** Adds a migration to this version until the end of the test: what exists already now comes from an older version. */
export function addMigration(name: string, sql: string): void {
  const { directory } = MIGRATIONS
  const later = mkdtempSync(join(tmpdir(), 'greenroom-later-'))
  for (const known of knownMigrations()) cpSync(join(directory, known), join(later, known))
  writeFileSync(join(later, name), sql)
  MIGRATIONS.directory = later
  onTestFinished(() => {
    MIGRATIONS.directory = directory
    rmSync(later, { recursive: true })
  })
}
