import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { foldMigrations } from '../scripts/fold-migrations.js'

test('folded migrations make the same schema, and keep the comments of what remains', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-fold-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const write = (name: string, sql: string): void => writeFileSync(join(directory, name), sql)
  write(
    '0001_first.sql',
    `-- Colours by name.
create table colours (
  name text primary key,
  -- Gone soon.
  code integer not null
);
`,
  )
  write(
    '0002_second.sql',
    `alter table colours
  drop column code,
  -- How bright it is.
  add column light integer check (light > 0);
-- The bright ones first.
create index colours_by_light on colours (light);
`,
  )
  const { folded, lost } = await foldMigrations(directory)
  expect(folded).toEqual(['0001_first.sql', '0002_second.sql'])
  expect(lost).toEqual(['-- Gone soon.\n(colours.code)'])
  expect(readdirSync(directory)).toEqual(['0001_baseline.sql'])
  const baseline = readFileSync(join(directory, '0001_baseline.sql'), 'utf8')
  expect(baseline).toContain(`-- Colours by name.
create table colours (
  name  text primary key,
  -- How bright it is.
  light integer check (light > 0)
);
-- The bright ones first.
create index colours_by_light on colours (light);`)
  await foldMigrations(directory)
  expect(readFileSync(join(directory, '0001_baseline.sql'), 'utf8')).toBe(baseline)
})
