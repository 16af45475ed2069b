import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../database.js'
import { openPglite } from './pglite.js'

let database: Database
beforeAll(async () => {
  database = await openPglite()
  await database.execute('create table kept (id int)')
})
afterAll(() => database.close())

test('a prepared statement follows a schema change', async () => {
  const rows = async () => (await database.query('select * from widened')).rows
  await database.execute('create table widened (a int); insert into widened values (1)')
  expect(await rows()).toEqual([{ a: 1 }])
  await database.execute('alter table widened add column b int default 2')
  expect(await rows()).toEqual([{ a: 1, b: 2 }])
})

test('a statement that fails, the first time or later, is ready for the next call', async () => {
  const divide = (by: number) => database.query<{ x: number }>('select 6 / $1::int as x', [by])
  for (const by of [0, 3, 0, 2]) {
    if (by === 0) await expect(divide(by)).rejects.toMatchObject({ code: '22012' })
    else expect((await divide(by)).rows).toEqual([{ x: 6 / by }])
  }
  await expect(database.query('select nothing from nowhere')).rejects.toMatchObject({ code: '42P01' })
})

test('more different statements than are kept prepared still run', async () => {
  for (let n = 1; n <= 600; n++) {
    expect((await database.query('select $1::int + '.concat(String(n), ' as n'), [1])).rows).toEqual([{ n: n + 1 }])
  }
})

test('bytes are stored unchanged, even none, and those of a part of a buffer', async () => {
  const all = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))
  for (const bytes of [all, Buffer.alloc(0), all.subarray(100, 300), new Uint8Array([0, 92, 120, 255])]) {
    const { rows } = await database.query<{ bytes: Buffer; length: number }>(
      'select $1::bytea as bytes, length($1::bytea)',
      [bytes],
    )
    expect(rows).toEqual([{ bytes: Buffer.from(bytes), length: bytes.length }])
  }
})

test('others get turns between reads that wait for one another', async () => {
  let turns = 0
  let isReading = true
  const count = (): void => {
    turns += 1
    if (isReading) setImmediate(count)
  }
  setImmediate(count)
  const reads = 20
  await Promise.all(
    Array.from({ length: reads }, () => database.query('select sum(n) from generate_series(1, 50000) n')),
  )
  isReading = false
  // There is one between each two; before the first, none is due right after another.
  expect(turns).toBeGreaterThanOrEqual(reads - 1)
})

test('statements that a transaction sends without waiting are part of it, even after long statements', async () => {
  const busy = 'select sum(n) from generate_series(1, 50000) n'
  const begin = (id: number, error?: Error) =>
    database.transaction(async (tx) => {
      await tx.query(busy)
      void tx.query(busy)
      void tx.query('insert into kept values ($1)', [id])
      if (error !== undefined) throw error
    })
  const error = new Error('not this one')
  await expect(begin(902, error)).rejects.toBe(error)
  await begin(901)
  expect((await database.query('select id from kept')).rows).toEqual([{ id: 901 }])
})
