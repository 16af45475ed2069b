import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { CuttableLine } from '../../test/cuttable-line.js'
import { TEST_DATABASE_URL } from '../../test/test-database.js'
import { DatabaseUnavailableError } from './database.js'
import { openPostgres } from './postgres.js'

test('an address where nothing listens is an unavailable database', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const database = openPostgres({ url: `postgres://nobody@127.0.0.1:${port}/none`, poolMax: 1 })
  await expect(database.query('select 1')).rejects.toThrow(DatabaseUnavailableError)
  await expect(database.transaction((tx) => tx.query('select 1'))).rejects.toThrow(DatabaseUnavailableError)
  await database.close()
  await expect(database.query('select 1')).rejects.toThrow(DatabaseUnavailableError)
})

describe.skipIf(TEST_DATABASE_URL === undefined)('on a PostgreSQL', () => {
  const line = new CuttableLine()
  afterAll(() => line.cut())

  async function open() {
    const url = new URL(TEST_DATABASE_URL!)
    await line.listen(Number(url.port || 5432), url.hostname)
    url.port = String(line.port)
    url.hostname = '127.0.0.1'
    return openPostgres({ url: url.href, poolMax: 4 })
  }

  test('two transactions in a deadlock both succeed in the end', async () => {
    const database = await open()
    await database.execute(
      'create table if not exists pair (id int primary key, n int); delete from pair; insert into pair values (1, 0), (2, 0)',
    )
    let first = 0
    let meet = (): void => {}
    const bothHoldOne = new Promise<void>((resolve) => {
      meet = resolve
    })
    const add = (from: number, to: number) =>
      database.transaction(async (tx) => {
        await tx.query('update pair set n = n + 1 where id = $1', [from])
        if (++first === 2) meet()
        await bothHoldOne
        await tx.query('update pair set n = n + 1 where id = $1', [to])
      })
    await Promise.all([add(1, 2), add(2, 1)])
    expect(first).toBe(3)
    expect((await database.query('select n from pair')).rows).toEqual([{ n: 2 }, { n: 2 }])
    await database.close()
  })

  test('a lost connection is an unavailable database, and the same pool recovers when the server is back', async () => {
    const database = await open()
    expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    const inFlight = database.transaction(async (tx) => {
      await tx.query('select 1')
      await line.cut()
      await tx.query('select 2')
    })
    await expect(inFlight).rejects.toThrow(DatabaseUnavailableError)
    await expect(database.query('select 1')).rejects.toThrow(DatabaseUnavailableError)
    await line.resume()
    expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await database.close()
  })

  test('a backend shut down under a query is an unavailable database', async () => {
    const database = await open()
    const killed = database.query('select pg_terminate_backend(pg_backend_pid())')
    await expect(killed).rejects.toThrow(DatabaseUnavailableError)
    await expect(database.query('select 1')).resolves.toMatchObject({ rowCount: 1 })
    await database.close()
  })

  test('a failed statement does not cost its connection', async () => {
    const database = await open()
    const pid = async () => (await database.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
    const before = await pid()
    await expect(database.query('select 1/0')).rejects.toMatchObject({ code: '22012' })
    expect(await pid()).toBe(before)
    await database.close()
  })

  test('a full disk and a read-only server are an unavailable database', async () => {
    const database = await open()
    const raise = (state: string) =>
      database.execute(`do $$ begin raise exception 'no' using errcode = '${state}'; end $$`)
    await expect(raise('53100')).rejects.toThrow(DatabaseUnavailableError)
    await expect(raise('25006')).rejects.toThrow(DatabaseUnavailableError)
    await expect(raise('23514')).rejects.toMatchObject({ code: '23514' })
    await database.close()
  })
})
