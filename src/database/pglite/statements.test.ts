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

test('a statement that fails, the first time or later, can be run again', async () => {
  const divide = (by: number) => database.query<{ x: number }>('select 6 / $1::int as x', [by])
  for (const by of [0, 3, 0, 2]) {
    if (by === 0) await expect(divide(by)).rejects.toMatchObject({ code: '22012' })
    else expect((await divide(by)).rows).toEqual([{ x: 6 / by }])
  }
  await expect(database.query('select nothing from nowhere')).rejects.toMatchObject({ code: '42P01' })
})

test('more statements can be run than are kept prepared', async () => {
  for (let n = 1; n <= 600; n++) {
    expect((await database.query('select $1::int + '.concat(String(n), ' as n'), [1])).rows).toEqual([{ n: n + 1 }])
  }
})

test('bytes are stored unchanged, including an empty value and a slice of a larger buffer', async () => {
  const all = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))
  for (const bytes of [all, Buffer.alloc(0), all.subarray(100, 300), new Uint8Array([0, 92, 120, 255])]) {
    const { rows } = await database.query<{ bytes: Buffer; length: number }>(
      'select $1::bytea as bytes, length($1::bytea)',
      [bytes],
    )
    expect(rows).toEqual([{ bytes: Buffer.from(bytes), length: bytes.length }])
  }
})

test('the event loop gets a turn between queued reads', async () => {
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
  // There is a turn between every two reads, but not necessarily one before the first.
  expect(turns).toBeGreaterThanOrEqual(reads - 1)
})

test('statements that a transaction does not await are still part of it, even after a slow one', async () => {
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
