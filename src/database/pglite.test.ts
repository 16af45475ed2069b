import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { type Database, DatabaseUnavailableError } from './database.js'
import { openPglite } from './pglite.js'
import { DataDirectoryInUseError } from './process-lock.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-pglite-'))
const dataDir = join(directory, 'deep', 'data')
const clock = { ms: 0, now: () => clock.ms }
let database: Database

afterEach(repairDisk)
afterAll(async () => {
  await database?.close()
  rmSync(directory, { recursive: true, force: true })
})

async function idsAfter(action: () => Promise<unknown>): Promise<number[]> {
  await action()
  return (await database.query<{ id: number }>('select id from kept order by id')).rows.map(({ id }) => id)
}
const insert = (id: number) => database.query('insert into kept values ($1)', [id])

/** Watches a function of node:fs, which both the engine and our code call. With `code` it fails. */
function watchDisk(name: 'writeSync' | 'fsyncSync', code?: string) {
  const spy = vi.spyOn(fs, name)
  if (code !== undefined) {
    spy.mockImplementation(() => {
      throw Object.assign(new Error(`${code}: the test says so`), { code })
    })
  }
  syncBuiltinESMExports()
  return spy
}

function repairDisk(): void {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
}

test('the first start clears away what an interrupted one left, and syncs the new directory before it counts', async () => {
  mkdirSync(join(dataDir, 'database.new', 'base'), { recursive: true })
  writeFileSync(join(dataDir, 'database.new', 'PG_VERSION'), 'half')
  const handle = await fs.promises.open(directory)
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync')
  await handle.close()
  const rename = fs.renameSync
  let syncedBeforeNamed = 0
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    if (to === join(dataDir, 'database')) syncedBeforeNamed = sync.mock.calls.length
    rename(from, to)
  })
  syncBuiltinESMExports()
  database = await openPglite({ dataDir, clock })
  expect(readdirSync(dataDir).sort()).toEqual(['database', 'database.lock'])
  // A new database has about a thousand files.
  expect(syncedBeforeNamed).toBeGreaterThan(900)
  await database.execute('create table kept (id int primary key)')
})

test('an acknowledged write was synced, in a transaction and without', async () => {
  const sync = watchDisk('fsyncSync')
  expect(await idsAfter(() => insert(1))).toEqual([1])
  expect(sync).toHaveBeenCalledTimes(1)
  await database.transaction(async (tx) => {
    await tx.query('insert into kept values (2)')
    await tx.query('insert into kept values (3)')
  })
  expect(sync).toHaveBeenCalledTimes(2)
})

test('a second opening of the directory is refused', async () => {
  await expect(openPglite({ dataDir })).rejects.toThrow(DataDirectoryInUseError)
  await expect(openPglite({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`)
})

test('a full disk: unavailable while it lasts, nothing acknowledged is lost, and it recovers by itself', async () => {
  watchDisk('writeSync', 'ENOSPC')
  await expect(insert(4)).rejects.toThrow(DatabaseUnavailableError)
  // The engine is dead, and does not start on a full disk.
  await expect(insert(5)).rejects.toThrow(DatabaseUnavailableError)
  repairDisk()
  // It is tried again after a pause only.
  clock.ms += 4_999
  await expect(insert(5)).rejects.toThrow(DatabaseUnavailableError)
  clock.ms += 1
  expect(await idsAfter(() => insert(6))).toEqual(expect.arrayContaining([1, 2, 3, 6]))
})

test('a full disk in a transaction: none of it is kept', async () => {
  clock.ms += 5_000
  const before = await idsAfter(async () => {})
  const transaction = database.transaction(async (tx) => {
    await tx.query('insert into kept values (7)')
    watchDisk('writeSync', 'ENOSPC')
    await tx.query('insert into kept values (8)')
  })
  await expect(transaction).rejects.toThrow(DatabaseUnavailableError)
  repairDisk()
  clock.ms += 5_000
  const after = await idsAfter(() => insert(9))
  // The answer to the COMMIT was lost, so the caller does not know; but never half of it.
  expect([before.concat(9), before.concat(7, 8, 9)]).toContainEqual(after)
})

test('an fsync that fails is not an acknowledged write', async () => {
  clock.ms += 5_000
  watchDisk('fsyncSync', 'EIO')
  await expect(insert(10)).rejects.toThrow(DatabaseUnavailableError)
  repairDisk()
  clock.ms += 5_000
  await expect(idsAfter(() => insert(11))).resolves.toContain(11)
})

test('after many changes it vacuums, analyzes and writes a checkpoint', async () => {
  const state = async () =>
    (
      await database.query<{ redo: string; estimate: number }>(
        "select redo_lsn::text as redo, (select reltuples from pg_class where relname = 'many') as estimate from pg_control_checkpoint()",
      )
    ).rows[0]!
  await database.execute('create table many (id int)')
  const before = await state()
  expect(before.estimate).toBe(-1)
  await database.query('insert into many select generate_series(1, 20000)')
  const after = await state()
  expect(after.estimate).toBe(20_000)
  expect(after.redo).not.toBe(before.redo)
})

test('close waits for what is running, refuses what comes later, and releases the directory', async () => {
  const running = insert(12)
  const closing = database.close()
  await expect(database.query('select 1')).rejects.toThrow(DatabaseUnavailableError)
  await running
  await closing
  await database.close()
  expect(existsSync(join(dataDir, 'database.lock'))).toBe(false)
  database = await openPglite({ dataDir })
  await expect(idsAfter(async () => {})).resolves.toContain(12)
})
