import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/test-database.js'
import { analyzeUnknownTables } from './analyze.js'

test('analyzes tables with rows and without statistics, once, and again when they are ten times as large', async () => {
  const database = await openTestDatabase()
  // This is one transaction, because the engine's own maintenance would otherwise give all tables statistics.
  await database.transaction(async (tx) => {
    const rowsKnown = async (): Promise<number[]> =>
      (
        await tx.query<{ rows: number }>(
          "select reltuples::float8 as rows from pg_class where relname in ('known_a', 'known_b') order by relname",
        )
      ).rows.map(({ rows }) => rows)
    await tx.execute('create table known_a (id int); create table known_b (id int)')
    await tx.execute('insert into known_a select generate_series(1, 300)')
    await analyzeUnknownTables(tx, ['known_a', 'known_b'])
    expect(await rowsKnown()).toEqual([300, -1])
    await tx.execute('insert into known_a values (301)')
    await analyzeUnknownTables(tx, ['known_a', 'known_b'])
    expect(await rowsKnown()).toEqual([300, -1])
    await tx.execute('insert into known_a select generate_series(302, 5000)')
    await analyzeUnknownTables(tx, ['known_a', 'known_b'])
    expect(await rowsKnown()).toEqual([5000, -1])
    await tx.execute('drop table known_a, known_b')
  })
})
