import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { sampleRows } from '../../test/backup-sample.js'
import { startTestApp } from '../../test/harness.js'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL } from '../../test/test-database.js'
import { MigrationError, migrate, pendingMigrations } from './migrate.js'
import { openPglite } from './pglite/pglite.js'

const database = TEST_DATABASE_URL
  ? openTestPostgres(await createEmptyDatabase('greenroom_migrate_test'), 4)
  : await openPglite()
let directory = ''
const directories: string[] = []

beforeEach(async () => {
  await database.execute('drop schema public cascade; create schema public')
  directory = mkdtempSync(join(tmpdir(), 'greenroom-migrations-'))
  directories.push(directory)
  write('0001_first.sql', 'create table first (id int); create table beside (id int);')
  write('0002_second.sql', 'alter table first add column name text;')
})
afterAll(async () => {
  await database.close()
  for (const made of directories) rmSync(made, { recursive: true, force: true })
})

const write = (name: string, sql: string): void => writeFileSync(join(directory, name), sql)

test('runs new files, in order, once', async () => {
  expect(await pendingMigrations(database, directory)).toEqual(['0001_first.sql', '0002_second.sql'])
  expect(await migrate(database, directory)).toEqual({ applied: ['0001_first.sql', '0002_second.sql'] })
  expect(await pendingMigrations(database, directory)).toEqual([])
  expect(await migrate(database, directory)).toEqual({ applied: [] })
  write('0003_third.sql', 'insert into first values (1);')
  expect(await migrate(database, directory)).toEqual({ applied: ['0003_third.sql'] })
  expect((await database.query('select name from first')).rowCount).toBe(1)
})

test('simultaneous migrations run each file once', async () => {
  const runs = await Promise.all([1, 2, 3].map(() => migrate(database, directory)))
  expect(runs.flatMap(({ applied }) => applied).sort()).toEqual(['0001_first.sql', '0002_second.sql'])
})

test('a failed file is named, and it and the files before it are rolled back', async () => {
  write('0002_second.sql', 'create table half (id int); select 1/0;')
  await expect(migrate(database, directory)).rejects.toMatchObject({
    message: 'The migration 0002_second.sql failed, and the database is as it was before: division by zero.',
    cause: { code: '22012' },
  })
  expect(await pendingMigrations(database, directory)).toEqual(['0001_first.sql', '0002_second.sql'])
  for (const table of ['first', 'half', 'migrations']) {
    await expect(database.query(`select * from ${table}`)).rejects.toMatchObject({ code: '42P01' })
  }
})

test('a file that was changed after it ran is refused, unless only its line endings differ', async () => {
  write('0002_second.sql', 'create table\n  lines (id int);\n')
  await migrate(database, directory)
  write('0002_second.sql', 'create table\r\n  lines (id int);\r\n')
  expect(await migrate(database, directory)).toEqual({ applied: [] })
  write('0002_second.sql', 'create table lines (id bigint);')
  await expect(migrate(database, directory)).rejects.toThrow(MigrationError)
  await expect(migrate(database, directory)).rejects.toThrow('0002_second.sql was changed after it ran')
  await expect(pendingMigrations(database, directory)).rejects.toThrow(MigrationError)
})

test('a database that was migrated by a newer version is refused', async () => {
  write('0003_newer.sql', 'create table newer (id int);')
  await migrate(database, directory)
  rmSync(join(directory, '0003_newer.sql'))
  await expect(migrate(database, directory)).rejects.toThrow('does not know (0003_newer.sql): a newer version')
})

test("the program's own migrations run on an empty database", async () => {
  const pending = await pendingMigrations(database)
  expect(pending[0]).toBe('0001_baseline.sql')
  expect(await migrate(database)).toEqual({ applied: pending })
})

test.each([
  ['with another first migration', "update migrations set name = '0001_initial.sql' where name = '0001_baseline.sql'"],
  ['with another baseline', "update migrations set checksum = 'x' where name = '0001_baseline.sql'"],
])('a database of a development version %s is refused at start and left unchanged', async (_, change) => {
  await migrate(database)
  await database.execute(`${change}; insert into organizations values ('org_dev', 'Kept', true, now())`)
  const read = async (): Promise<unknown> => [
    await sampleRows(database),
    (await database.query('select * from migrations order by name')).rows,
  ]
  const before = await read()
  // A start that fails closes the database.
  await expect(startTestApp({}, undefined, { ...database, close: async () => {} })).rejects.toThrow(
    'This database was created by a development version before 0.1.0 and cannot be upgraded: set another DATA_DIR or DATABASE_URL.',
  )
  await expect(migrate(database)).rejects.toThrow(MigrationError)
  expect(await read()).toEqual(before)
})

test('of the schemas that newer versions have changed, only a compatible one is accepted', async () => {
  await migrate(database, directory)
  const newer = mkdtempSync(join(tmpdir(), 'greenroom-migrations-'))
  directories.push(newer)
  for (const name of ['0001_first.sql', '0002_second.sql'])
    writeFileSync(join(newer, name), readFileSync(join(directory, name)))
  const expand = '-- compatible with the program before: it adds a column.\nalter table first add column more text;'
  writeFileSync(join(newer, '0003_expand.sql'), expand)
  await migrate(database, newer)
  expect(await pendingMigrations(database, directory)).toEqual([])
  expect(await migrate(database, directory)).toEqual({ applied: [] })
  writeFileSync(join(newer, '0004_contract.sql'), 'alter table first drop column name;')
  await migrate(database, newer)
  await expect(pendingMigrations(database, directory)).rejects.toThrow(/0004_contract\.sql/)
  await expect(migrate(database, directory)).rejects.toBeInstanceOf(MigrationError)
})
