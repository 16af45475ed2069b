import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/test-database.js'
import { endWith, onlyReads, type Queryable } from './database.js'
import { readValue, setForTransaction } from './queries.js'

// These run on the engine of the run, so `npm test` and `npm run test:postgres` together check both.
const database = await openTestDatabase()

test('rows have the same JavaScript types on both engines', async () => {
  const { rows, rowCount } = await database.query(`select
    9007199254740991::int8 as int8, count(*) as count, '{1,null,3}'::int8[] as int8s, 7::int4 as int4, 0.1::float8 as float8,
    12.50::numeric as numeric, '{1.50}'::numeric[] as numerics, '2026-02-28'::date as date, '{2026-02-28}'::date[] as dates,
    '2026-02-28 12:00:00.123+02'::timestamptz as timestamptz, '1 day 02:00:00'::interval as interval,
    true as boolean, 'ü'::text as text, '{"a b",c}'::text[] as texts, '{"a":[1,null,"ü"]}'::jsonb as jsonb, null::text as nothing`)
  expect(rowCount).toBe(1)
  expect(rows).toEqual([
    {
      int8: 9007199254740991,
      count: 1,
      int8s: [1, null, 3],
      int4: 7,
      float8: 0.1,
      numeric: '12.50',
      numerics: ['1.50'],
      date: '2026-02-28',
      dates: ['2026-02-28'],
      timestamptz: new Date('2026-02-28T10:00:00.123Z'),
      interval: '1 day 02:00:00',
      boolean: true,
      text: 'ü',
      texts: ['a b', 'c'],
      jsonb: { a: [1, null, 'ü'] },
      nothing: null,
    },
  ])
})

test('an int8 that JavaScript cannot represent is an error, not a wrong number', async () => {
  await expect(database.query('select 9007199254740993::int8')).rejects.toThrow('outside the safe integers')
  await expect(database.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] })
})

test('values reach both engines in the same way', async () => {
  const at = new Date('2026-02-28T10:00:00.123Z')
  const { rows } = await database.query(
    `select $1::int8 as number, $2::text as text, $3::boolean as boolean, $4::timestamptz as at, $5::jsonb as json,
      $6::text as nothing, array(select unnest($7::text[])) as texts, array(select unnest($8::int8[])) as numbers,
      $9::float8 as float, $10::date as date`,
    [42, "it's", false, at, JSON.stringify([1, 'x']), null, ['a"b', null, 'c,d'], [1, 2], 1.5, '2026-02-28'],
  )
  expect(rows).toEqual([
    {
      number: 42,
      text: "it's",
      boolean: false,
      at,
      json: [1, 'x'],
      nothing: null,
      texts: ['a"b', null, 'c,d'],
      numbers: [1, 2],
      float: 1.5,
      date: '2026-02-28',
    },
  ])
})

test('the session runs in UTC, whatever the time zone of the machine or the server', async () => {
  const { rows } = await database.query("select '2026-02-28T23:30:00-05:00'::timestamptz::text as at")
  expect(rows).toEqual([{ at: '2026-03-01 04:30:00+00' }])
})

test('rowCount counts returned or changed rows; errors have SQLSTATE and constraint', async () => {
  await database.execute(
    'create table if not exists counted (id int constraint counted_key primary key); delete from counted',
  )
  const insert = 'insert into counted select generate_series($1::int, $2::int)'
  expect((await database.query(insert, [1, 3])).rowCount).toBe(3)
  expect((await database.query('update counted set id = id + 10 where id > 1 returning id')).rowCount).toBe(2)
  expect((await database.query('delete from counted where false')).rowCount).toBe(0)
  // Locks on rights use such statements, which return a row without a column (hitsRow).
  expect((await database.query('select from counted where id = $1 for share', [1])).rowCount).toBe(1)
  expect((await database.query('select from counted where id = $1 for share', [2])).rowCount).toBe(0)
  const error = await database.query('insert into counted values ($1)', [1]).catch((thrown) => thrown)
  expect(error).toMatchObject({ code: '23505', constraint: 'counted_key' })
  expect(JSON.stringify(error)).not.toContain('params')
})

test('a transaction is all or nothing', async () => {
  await database.execute('create table if not exists ledger (id int primary key); delete from ledger')
  const ids = async () =>
    (await database.query<{ id: number }>('select id from ledger order by id')).rows.map((row) => row.id)
  const boom = new Error('boom')
  await expect(
    database.transaction(async (tx) => {
      await tx.query('insert into ledger values (1)')
      throw boom
    }),
  ).rejects.toBe(boom)
  expect(await ids()).toEqual([])
  const result = await database.transaction(async (tx) => {
    await tx.query('insert into ledger values (1)')
    await tx.query('insert into ledger values (2)')
    return 'done'
  })
  expect(result).toBe('done')
  expect(await ids()).toEqual([1, 2])
})

test('a transaction with a swallowed error is not mistaken for a committed one', async () => {
  await database.execute('create table if not exists swallowed (id int primary key); delete from swallowed')
  const transaction = database.transaction(async (tx) => {
    await tx.query('insert into swallowed values (1)')
    await tx.query('insert into swallowed values (1)').catch(() => {})
  })
  await expect(transaction).rejects.toThrow('rolled back')
  expect((await database.query('select * from swallowed')).rows).toEqual([])
})

test('the commit that is sent with the last statements makes them, or nothing and their error', async () => {
  await database.execute('create table if not exists last_ones (id int primary key); delete from last_ones')
  const insert = (tx: Queryable, id: number) => tx.query('insert into last_ones values ($1)', [id])
  const ids = async () =>
    (await database.query<{ id: number }>('select id from last_ones order by id')).rows.map(({ id }) => id)
  const made = await database.transaction(async (tx) => {
    await insert(tx, 1)
    await endWith(tx, [insert(tx, 2), undefined, insert(tx, 3)])
    return 'made'
  })
  expect([made, await ids()]).toEqual(['made', [1, 2, 3]])
  const failing = database.transaction(async (tx) => {
    await insert(tx, 4)
    await endWith(tx, [insert(tx, 1), insert(tx, 5)])
  })
  await expect(failing).rejects.toMatchObject({ code: '23505' })
  expect(await ids()).toEqual([1, 2, 3])
  // The error of a later statement says less than the first error.
  const goingOn = database.transaction(async (tx) => {
    await endWith(tx, [insert(tx, 1)])
    await insert(tx, 6)
  })
  await expect(goingOn).rejects.toMatchObject({ code: '23505' })
  expect(await ids()).toEqual([1, 2, 3])
})

test('inside a transaction the database itself is refused, and so is a tx after its end', async () => {
  let late: (() => Promise<unknown>) | undefined
  await database.transaction(async (tx) => {
    late = () => tx.query('select 1')
    await expect(database.query('select 1')).rejects.toThrow('use its tx')
    await expect(database.transaction(async () => {})).rejects.toThrow('use its tx')
  })
  await expect(late!()).rejects.toThrow('the transaction is over')
})

test('a transaction that loses to another is run again, at most three times', async () => {
  let runs = 0
  const conflict = (times: number) =>
    database.transaction(async (tx) => {
      if (runs++ < times) await tx.query("do $$ begin raise exception 'lost' using errcode = '40001'; end $$")
      return 'won'
    })
  expect(await conflict(3)).toBe('won')
  expect(runs).toBe(4)
  runs = 0
  await expect(conflict(4)).rejects.toMatchObject({ code: '40001' })
  expect(runs).toBe(4)
})

test.each([
  ['select 1', true],
  ["  with a as (select 1) select 'x' from a", true],
  ['show server_version', true],
  ['select updated_at from scheduled_posts', true],
  ['with a as (insert into t values (1) returning id) select id from a', false],
  ['select 1; delete from t', false],
  ['update t set a = 1', false],
  ['analyze t', false],
  ['select id from t for update', false],
])('onlyReads(%j) is %j: in doubt it is false', (text, reads) => {
  expect(onlyReads(text)).toBe(reads)
})

test.runIf(database.engine === 'pglite')('writes(): grows with every write and not with reads', async () => {
  await database.execute('create table counted_writes (id int primary key)')
  const grows = async (action: () => Promise<unknown>): Promise<boolean> => {
    const before = database.writes!()
    await action()
    return database.writes!() > before
  }
  expect(await grows(() => database.query('insert into counted_writes values (1)'))).toBe(true)
  expect(await grows(() => database.transaction((tx) => tx.query('delete from counted_writes')))).toBe(true)
  expect(await grows(() => database.query('insert into counted_writes values (null)').catch(() => {}))).toBe(true)
  expect(await grows(() => database.query('select * from counted_writes'))).toBe(false)
  expect(await grows(() => database.transaction((tx) => tx.query('select * from counted_writes')))).toBe(false)
  await database.execute('drop table counted_writes')
})

test('settings of a transaction end with it, and keep prepared statements', async () => {
  const setting = (on: Queryable) => readValue<string>(on, `select current_setting('enable_seqscan')`)
  const prepared = (on: Queryable) => readValue<number>(on, 'select count(*) from pg_prepared_statements')
  await database.transaction(async (tx) => {
    expect(await setting(tx)).toBe('on')
    const before = await prepared(tx)
    await setForTransaction(tx, { enable_seqscan: 'off' })
    expect(await setting(tx)).toBe('off')
    expect(await prepared(tx)).toBeGreaterThanOrEqual(before)
  })
  expect(await setting(database)).toBe('on')
})
