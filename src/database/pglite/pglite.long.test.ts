import { createHash, randomBytes } from 'node:crypto'
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { startChild } from '../../../test/child.js'
import { type Database, DatabaseUnavailableError } from '../database.js'
import { DamagedDirectoryError } from './damage.js'
import { DataDirectoryInUseError } from './in-use.js'
import { openPglite } from './pglite.js'

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

/** Watches a function of node:fs that the engine or our code calls. With `code` it fails. */
function watchDisk(name: 'writeSync' | 'fsync' | 'fsyncSync' | 'openSync' | 'writeFileSync', code?: string) {
  const spy = vi.spyOn(fs, name)
  if (code !== undefined) {
    const error = Object.assign(new Error(`${code}: the test says so`), { code })
    spy.mockImplementation((_file: number, done: unknown) => {
      if (name !== 'fsync') throw error
      ;(done as fs.NoParamCallback)(error)
    })
  }
  syncBuiltinESMExports()
  return spy
}

function repairDisk(): void {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
}

test('the first start removes what an interrupted one left, and syncs the new directory before it counts', async () => {
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

test('an acknowledged write was synced, in a transaction and outside one', async () => {
  const sync = watchDisk('fsync')
  expect(await idsAfter(() => insert(1))).toEqual([1])
  expect(sync).toHaveBeenCalledTimes(1)
  await database.transaction(async (tx) => {
    await tx.query('insert into kept values (2)')
    await tx.query('insert into kept values (3)')
  })
  expect(sync).toHaveBeenCalledTimes(2)
})

test.skipIf(process.platform === 'win32')(
  'no other user of the machine can read or change its files, even if they were open to all before',
  async () => {
    const paths = () =>
      readdirSync(join(dataDir, 'database'), { recursive: true, withFileTypes: true }).map((entry) => ({
        path: join(entry.parentPath, entry.name),
        isDirectory: entry.isDirectory(),
      }))
    const modes = () => {
      const modeOf = (path: string): string => (fs.lstatSync(path).mode & 0o777).toString(8)
      return new Set(paths().map(({ path, isDirectory }) => `${isDirectory ? 'd' : 'f'}${modeOf(path)}`))
    }
    expect(modes()).toEqual(new Set(['d700', 'f600']))
    await database.close()
    for (const { path, isDirectory } of paths()) fs.chmodSync(path, isDirectory ? 0o777 : 0o666)
    fs.chmodSync(join(dataDir, 'database'), 0o777)
    database = await openPglite({ dataDir, clock })
    await database.execute('create table private (id int); insert into private values (1); checkpoint')
    expect(modes()).toEqual(new Set(['d700', 'f600']))
    expect(fs.statSync(join(dataDir, 'database')).mode & 0o777).toBe(0o700)
  },
)

test('opening the directory a second time is refused', async () => {
  await expect(openPglite({ dataDir })).rejects.toThrow(DataDirectoryInUseError)
  await expect(openPglite({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`)
})

test('a full disk: unavailable while it lasts, nothing acknowledged is lost, and it recovers automatically', async () => {
  watchDisk('writeSync', 'ENOSPC')
  await expect(insert(4)).rejects.toThrow(DatabaseUnavailableError)
  // The engine is dead, and does not start on a full disk.
  await expect(insert(5)).rejects.toThrow(DatabaseUnavailableError)
  repairDisk()
  // It retries only after a pause.
  clock.ms += 4_999
  await expect(insert(5)).rejects.toThrow(DatabaseUnavailableError)
  clock.ms += 1
  expect(await idsAfter(() => insert(6))).toEqual(expect.arrayContaining([1, 2, 3, 6]))
})

test.each(['ENOSPC', 'EDQUOT'])('a full disk is reported in the log as an error (%s), once a minute', async (code) => {
  const lines: { code?: unknown }[] = []
  const log = { info() {}, warn() {}, error: (line: object) => void lines.push(line) }
  const own = { ms: 0, now: () => own.ms }
  const logged = await openPglite({ dataDir: join(directory, `logged-${code}`), clock: own, log })
  onTestFinished(() => logged.close())
  await logged.execute('create table kept (id int primary key)')
  watchDisk('writeSync', code)
  const write = () => logged.query('insert into kept values (1)').catch((error: unknown) => error)
  for (const ms of [0, 5_000, 54_999]) {
    own.ms = ms
    expect(await write()).toBeInstanceOf(DatabaseUnavailableError)
  }
  const named = (): unknown[] => lines.filter((line) => 'directory' in line).map((line) => line.code)
  expect(named()).toEqual([code])
  own.ms = 60_000
  await write()
  expect(named()).toEqual([code, code])
  // Reads continue: the statements failed, but the engine lives.
  expect((await logged.query('select count(*)::int as n from kept')).rows).toEqual([{ n: 0 }])
  expect(lines).toHaveLength(2)
  repairDisk()
  await logged.query('insert into kept values (1)')
})

test('a full disk in a transaction: none of it is stored', async () => {
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
  // The response to the COMMIT was lost, so the caller does not know the result; but it is never half.
  expect([before.concat(9), before.concat(7, 8, 9)]).toContainEqual(after)
})

test.each([
  ['that is awaited', 'fsync', () => insert(10)],
  ['that is made up for before another change', 'fsyncSync', () => database.query('checkpoint')],
] as const)('a failed fsync, %s, means that the write is not acknowledged', async (_which, name, write) => {
  clock.ms += 5_000
  await expect(idsAfter(() => insert(11 + clock.ms))).resolves.toContain(11 + clock.ms)
  watchDisk(name, 'EIO')
  await expect(write()).rejects.toThrow(DatabaseUnavailableError)
  await expect(insert(12)).rejects.toThrow(DatabaseUnavailableError)
  repairDisk()
  const before = 11 + clock.ms
  clock.ms += 5_000
  await expect(idsAfter(() => insert(11 + clock.ms))).resolves.toEqual(expect.arrayContaining([before, 11 + clock.ms]))
})

test.each([
  ['made', 'writeFileSync'],
  ['opened', 'openSync'],
] as const)('a file that cannot be %s: the database is unavailable, and recovers automatically', async (_how, name) => {
  clock.ms += 5_000
  const table = `unopened_${name}`
  const create = () => database.execute(`create table ${table} (id int)`)
  const before = await idsAfter(() => insert(1000 + clock.ms))
  watchDisk(name, 'EMFILE')
  await expect(create()).rejects.toThrow(DatabaseUnavailableError)
  repairDisk()
  clock.ms += 5_000
  await create()
  await database.query(`insert into ${table} values (1)`)
  expect(await idsAfter(() => database.query('checkpoint'))).toEqual(before)
})

test('a start without free descriptors does not call the directory damaged', async () => {
  const own = join(directory, 'few-descriptors')
  await (await openPglite({ dataDir: own })).close()
  const open = fs.openSync
  vi.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
    if (!String(path).startsWith(join(own, 'database', 'global'))) return open(path, ...rest)
    throw Object.assign(new Error('EMFILE: the test says so'), { code: 'EMFILE' })
  })
  syncBuiltinESMExports()
  const error = await openPglite({ dataDir: own }).catch((thrown: unknown) => thrown)
  repairDisk()
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(DamagedDirectoryError)
  await (await openPglite({ dataDir: own })).close()
})

test.skipIf(process.platform === 'win32')(
  'its files open while the rest of the process has taken every other descriptor',
  async () => {
    await database.close()
    const program = new URL('../../../test/programs/write-without-descriptors.ts', import.meta.url)
    const limited = ['sh', '-c', 'ulimit -n 200; exec "$@"', 'sh']
    const child = startChild(program, [dataDir], {}, limited)
    onTestFinished(() => void child.process.kill('SIGKILL'))
    const lines: string[] = []
    for await (const line of child.lines) lines.push(line)
    expect(lines, child.errors()).toEqual(['open', 'EMFILE', '[{"n":150}]'])
    expect(await child.ended).toBe(0)
    clock.ms += 5_000
    database = await openPglite({ dataDir, clock })
  },
)

test('nothing on disk overtakes what was synced before it', async () => {
  const paths = new Map<number, string>()
  const unsynced = new Set<string>()
  const overtaken: string[] = []
  const [open, write, sync, syncNow] = [fs.openSync, fs.writeSync, fs.fsync, fs.fsyncSync] as const
  vi.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
    const file = open(path, ...rest)
    paths.set(file, String(path))
    return file
  })
  vi.spyOn(fs, 'writeSync').mockImplementation((file, ...rest: unknown[]) => {
    const path = paths.get(file)!
    // It says from where the log counts, so everything before must be on disk.
    if (path.endsWith('pg_control')) overtaken.push(...unsynced)
    // Each start writes these.
    if (!/pg_internal\.init|pg_subtrans/.test(path)) unsynced.add(path)
    return (write as (file: number, ...rest: unknown[]) => number)(file, ...rest)
  })
  vi.spyOn(fs, 'fsync').mockImplementation((file, done) =>
    sync(file, (error) => {
      unsynced.delete(paths.get(file)!)
      done(error)
    }),
  )
  vi.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
    unsynced.delete(paths.get(file)!)
    syncNow(file)
  })
  syncBuiltinESMExports()
  await database.close()
  database = await openPglite({ dataDir, clock })
  // The first checkpoint syncs the files of the start.
  await database.query('checkpoint')
  unsynced.clear()
  overtaken.length = 0
  await database.execute('create table watched (id int primary key)')
  for (let id = 1; id <= 20; id++) {
    await database.query('insert into watched values ($1)', [id])
    expect([...unsynced].filter((path) => path.includes('pg_wal'))).toEqual([])
  }
  const syncedNow = vi.mocked(fs.fsyncSync).mock.calls.length
  await database.query('checkpoint')
  expect(vi.mocked(fs.fsyncSync).mock.calls.length).toBeGreaterThan(syncedNow)
  expect(overtaken).toEqual([])
})

test('it vacuums, analyzes and writes a checkpoint after many changes', async () => {
  const state = async () =>
    (
      await database.query<{ redo: string; vacuumed: boolean; analyzed: number | null }>(
        `select redo_lsn::text as redo,
                (select last_vacuum is not null from pg_stat_user_tables where relname = 'many') as vacuumed,
                (select n_distinct from pg_stats where tablename = 'many') as analyzed
           from pg_control_checkpoint()`,
      )
    ).rows[0]!
  await database.execute('create table many (id int)')
  const before = await state()
  expect(before).toMatchObject({ vacuumed: false, analyzed: null })
  await database.query('insert into many select generate_series(1, 20000)')
  await vi.waitFor(async () => {
    const after = await state()
    // -1 means that all values differ.
    expect(after).toMatchObject({ vacuumed: true, analyzed: -1 })
    expect(after.redo).not.toBe(before.redo)
  }, 20_000)
})

/** A string of 1 MB that cannot be compressed. */
const megabyte = () => randomBytes(750_000).toString('base64')

test('large changes of one row: the log and the table stay small', async () => {
  await database.execute('create table large (id int primary key, body text); insert into large values (1)')
  const before = database.diskBytes!()
  for (let n = 0; n < 150; n++) await database.query('update large set body = $1 where id = 1', [megabyte()])
  // Without maintenance the table would take 150 MB, and the log as much.
  await vi.waitFor(async () => {
    await database.query('select 1')
    expect(database.diskBytes!() - before).toBeLessThan(200 * 1024 * 1024)
  }, 10_000)
}, 120_000)

test('past its quota it refuses writes and continues reads, and with a larger quota it writes again', async () => {
  const largest = database.diskBytes!()
  await database.close()
  database = await openPglite({ dataDir, dataMaxBytes: largest + 20 * 1024 * 1024 })
  const row = (id: number) => database.query('insert into large values ($1, $2)', [id, megabyte()])
  const fill = async () => {
    for (let id = 1000; id < 1100; id++) await row(id)
  }
  await expect(fill()).rejects.toThrow(DatabaseUnavailableError)
  await expect(database.query('delete from large')).rejects.toThrow(DatabaseUnavailableError)
  await expect(database.transaction((tx) => tx.query('update large set body = null where id = 1'))).rejects.toThrow(
    DatabaseUnavailableError,
  )
  expect((await database.query('select id from large where id = 1')).rows).toEqual([{ id: 1 }])
  // A segment of the log is created at once.
  expect(database.diskBytes!()).toBeLessThan(largest + 60 * 1024 * 1024)
  await database.close()
  database = await openPglite({ dataDir, clock })
  await database.query('delete from large')
}, 120_000)

test('a statement for which the disk has no room rolls back its transaction, and the next one works', async () => {
  // A table that cannot grow reports it this way, and the engine lives.
  const noRoom = "do $$ begin raise exception 'no room' using errcode = '53100'; end $$"
  const transaction = database.transaction(async (tx) => {
    await tx.query('insert into kept values (-1)')
    await tx.execute(noRoom)
  })
  await expect(transaction).rejects.toThrow(DatabaseUnavailableError)
  expect(await idsAfter(() => database.query(`update kept set id = id`))).not.toContain(-1)
})

test('close waits for running statements, refuses later ones, and releases the directory', async () => {
  const running = insert(13)
  const closing = database.close()
  await expect(database.query('select 1')).rejects.toThrow(DatabaseUnavailableError)
  await running
  await closing
  await database.close()
  expect(readdirSync(join(dataDir, 'database.lock'))).toEqual([])
  database = await openPglite({ dataDir })
  await expect(idsAfter(async () => {})).resolves.toContain(13)
})

test('a process whose directory was taken over while it was stopped writes nothing more, and ends', async () => {
  // It exists from another test, because creating a database takes long.
  const dataDir = join(directory, 'watched')
  const program = new URL('../../../test/programs/write-on-signal.ts', import.meta.url)
  const child = startChild(program, [dataDir])
  onTestFinished(() => void child.process.kill('SIGKILL'))
  expect((await child.lines.next()).value, child.errors()).toBe('open')
  child.process.stdin.write('\n')
  expect((await child.lines.next()).value).toBe('written')
  child.process.kill('SIGSTOP')
  // Another machine does this to a holder without signs of life.
  for (const entry of readdirSync(join(dataDir, 'database.lock'))) rmSync(join(dataDir, 'database.lock', entry))
  const successor = await openPglite({ dataDir })
  try {
    const filesOf = () =>
      readdirSync(join(dataDir, 'database'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path, createHash('sha1').update(readFileSync(path)).digest('hex')])
    const before = filesOf()
    child.process.kill('SIGCONT')
    child.process.stdin.write('\n')
    for await (const line of child.lines) expect(line).toMatch(/^refused/)
    expect(await child.ended).toBe(1)
    expect(child.errors()).toContain('was taken over by another process')
    expect(filesOf()).toEqual(before)
    expect((await successor.query<{ id: number }>('select id from written')).rows).toEqual([{ id: 1 }])
  } finally {
    await successor.close()
  }
}, 90_000)
