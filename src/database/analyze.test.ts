import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/test-database.js'
import { analyzeUnknownTables } from './analyze.js'

test('analyzes what has rows and no statistics, once', async () => {
  const database = await openTestDatabase()
  const rowsKnown = async (): Promise<number[]> =>
    (
      await database.query<{ rows: number }>(
        "select reltuples::float8 as rows from pg_class where relname in ('known_a', 'known_b') order by relname",
      )
    ).rows.map(({ rows }) => rows)
  await database.execute('create table known_a (id int); create table known_b (id int)')
  try {
    await database.execute('insert into known_a select generate_series(1, 300)')
    await analyzeUnknownTables(database, ['known_a', 'known_b'])
    expect(await rowsKnown()).toEqual([300, -1])
    await database.execute('insert into known_a values (301)')
    await analyzeUnknownTables(database, ['known_a', 'known_b'])
    expect(await rowsKnown()).toEqual([300, -1])
  } finally {
    await database.execute('drop table known_a, known_b')
  }
})
