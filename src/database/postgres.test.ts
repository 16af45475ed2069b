import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { CuttableLine } from '../../test/cuttable-line.js'
import { TEST_DATABASE_URL, TEST_STATEMENTS } from '../../test/test-database.js'
import { readConfig } from '../config/index.js'
import { limit } from '../lib/limits.js'
import { DatabaseUnavailableError, type Log } from './database.js'
import { openDatabase } from './open.js'
import { openPostgres } from './postgres.js'

const silent = pino({ level: 'silent' })

/** Our own sockets, of this process. */
function connectionsTo(port: number): Socket[] {
  const { _getActiveHandles: open } = process as unknown as { _getActiveHandles(): unknown[] }
  return open().filter((handle): handle is Socket => handle instanceof Socket && handle.remotePort === port)
}

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

  async function open(log?: Log) {
    const url = new URL(TEST_DATABASE_URL!)
    await line.listen(Number(url.port || 5432), url.hostname)
    url.port = String(line.port)
    url.hostname = '127.0.0.1'
    return openPostgres({ url: url.href, poolMax: 4, log })
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
    // On a busy machine the one that restarts may be ahead of the one that waited, and they collide again.
    expect(first).toBeGreaterThanOrEqual(3)
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

  test('a connection lost while it is taken from the pool ends no process', async () => {
    const database = await open()
    for (let n = 0; n < 4; n++) {
      await database.query('select 1')
      const asked = database.query('select 1')
      for (const connection of connectionsTo(line.port)) connection.destroy(new Error('lost'))
      await expect(asked).rejects.toThrow(DatabaseUnavailableError)
    }
    await database.close()
  })

  test('a lost server is one line in the log, however many calls fail', async () => {
    const lines: string[] = []
    const write = (_fields: object, message: string): void => void lines.push(message)
    const database = await open({ info: write, warn: write, error: write } as unknown as Log)
    await Promise.all(Array.from({ length: 4 }, () => database.query('select 1')))
    await line.cut()
    for (let round = 0; round < 5; round++) {
      await Promise.allSettled(Array.from({ length: 10 }, () => database.query('select 1')))
    }
    expect(lines).toEqual(['the database is unreachable'])
    await database.close()
  })

  test('a start waits for the server, but not if it rejects the password', async () => {
    await (await open()).close()
    const url = new URL(TEST_DATABASE_URL!)
    url.port = String(line.port)
    url.hostname = '127.0.0.1'
    const config = { ...readConfig({}).database, url: url.href, startTimeoutMs: 600_000 }
    let waits = 0
    const wait = async (): Promise<void> => {
      waits += 1
      if (waits === 3) await line.resume()
    }
    await line.cut()
    const database = await openDatabase(config, silent, wait)
    expect([waits, (await database.query('select 1 as one')).rows]).toEqual([3, [{ one: 1 }]])
    await database.close()

    url.password = 'wrong'
    const refused = openDatabase({ ...config, url: url.href }, silent, wait)
    await expect(refused).rejects.toThrow('refuses the password of the role')
    expect(waits).toBe(3)
  })

  test('a session has the timeouts, and the options of the URL take precedence', async () => {
    const url = new URL(TEST_DATABASE_URL!)
    url.searchParams.set('options', '-c lock_timeout=123ms -c work_mem=5MB')
    const database = openPostgres({ url: url.href, poolMax: 2, statements: TEST_STATEMENTS })
    const { rows } = await database.query(
      `select name, setting from pg_settings
        where name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'work_mem') order by 1`,
    )
    expect(rows.map(({ name, setting }) => `${name} ${setting}`)).toEqual([
      `idle_in_transaction_session_timeout ${limit('idleInTransactionMs')}`,
      'lock_timeout 123',
      `statement_timeout ${limit('statementMs')}`,
      'work_mem 5120',
    ])
    await database.close()
  })

  test('a start explains how to give a session its settings if something in between drops them', async () => {
    const warnings: string[] = []
    const log = { ...silent, warn: (_: object, text: string) => void warnings.push(text) } as unknown as Log
    const url = new URL(TEST_DATABASE_URL!)
    const config = { ...readConfig({}).database, url: url.href }
    await (await openDatabase(config, log)).close()
    expect(warnings).toEqual([])
    url.searchParams.set('options', '-c lock_timeout=0')
    await (await openDatabase({ ...config, url: url.href }, log)).close()
    expect(warnings).toEqual([expect.stringContaining("alter role postgres set lock_timeout = '5000ms';")])
  })

  test('a prepared statement that another client has made is an error that says what to set', async () => {
    const database = await open()
    const failing = database.execute("do $$ begin raise exception 'exists' using errcode = '42P05'; end $$")
    await expect(failing).rejects.toThrow('DATABASE_STATEMENTS=unnamed')
    await database.close()
  })

  test('a backend shut down during a query is an unavailable database', async () => {
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

  test('however the work of a transaction ends, its connection serves others outside it', async () => {
    const database = await open()
    for (const error of [new DatabaseUnavailableError(new Error('elsewhere')), new Error('a mistake')]) {
      for (const run of [database.transaction, database.readInSnapshot]) {
        // The same holds before the BEGIN is answered.
        await expect(run(() => Promise.reject(error))).rejects.toBe(error)
        const failing = run(async (tx) => {
          await tx.query('select 1')
          // The transaction does not wait for this statement.
          void tx.query('select 2').catch(() => {})
          throw error
        })
        await expect(failing).rejects.toBe(error)
      }
    }
    await database.execute('create table if not exists seen_at_once (id int); delete from seen_at_once')
    for (let id = 1; id <= 8; id++) {
      await database.query('insert into seen_at_once values ($1)', [id])
      const rows = await Promise.all([1, 2, 3].map(() => database.query('select count(*)::int as n from seen_at_once')))
      expect(rows.map(({ rows: [row] }) => row)).toEqual([{ n: id }, { n: id }, { n: id }])
    }
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
