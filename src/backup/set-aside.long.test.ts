import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { fillSample, newPlace, openSample, type Sample, sampleRows } from '../../test/backup-sample.js'
import { type Child, startChild } from '../../test/child.js'
import { type CliRun, greenroom } from '../../test/cli.js'
import { MASTER_KEY, OPERATOR_TOKEN, operatorCall, startTestApp } from '../../test/harness.js'
import { TEST_DATABASE_URL } from '../../test/test-database.js'
import { readConfig } from '../config/index.js'
import { createContext } from '../context.js'
import { DatabaseUnavailableError } from '../database/database.js'
import { MigrationError, pendingMigrations } from '../database/migrate.js'
import { openPglite } from '../database/pglite/pglite.js'
import { openPostgres } from '../database/postgres.js'
import type { Purpose } from '../database/purpose.js'
import { readShape } from '../database/rows.js'
import { findSetAside, setAside } from '../database/set-aside.js'
import { makeBackup } from './make-backup.js'
import { describePlace, openPlace, type Place } from './place.js'
import { writeFileWhole } from './write-file.js'

const MAIN = new URL('../main.ts', import.meta.url)
const directory = mkdtempSync(join(tmpdir(), 'greenroom-set-aside-'))
const children: Child[] = []
afterAll(async () => {
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(children.map(({ ended }) => ended))
  rmSync(directory, { recursive: true, force: true })
})

const toText = (place: Place): string => ('url' in place ? place.url : place.dataDir)
const environment = (place: Place): Record<string, string> => ({
  ...('url' in place ? { DATABASE_URL: place.url } : { DATA_DIR: place.dataDir }),
  ...{ MASTER_KEY, OPERATOR_TOKEN, PORT: '0', GRAPH_BASE_URL: 'http://127.0.0.1:1' },
})
const command = (place: Place, ...words: string[]): Promise<CliRun> =>
  greenroom(words, { env: environment(place), clock: { now: () => Date.parse('2026-11-23T10:00:00Z') } })

/** Starts the real program. */
function serve(place: Place, ...words: string[]): Child {
  const child = startChild(MAIN, ['serve', ...words], environment(place))
  children.push(child)
  return child
}

/** Reads its lines until it listens, and then kills it. */
async function startAndKill(child: Child): Promise<string> {
  let lines = ''
  for await (const line of child.lines) {
    lines += `${line}\n`
    if (line.includes('listens at')) child.process.kill('SIGKILL')
  }
  expect(lines, child.errors()).toContain('listens at')
  return lines
}

/** Opens a place as a start does, and returns the warnings. */
async function start(place: Place, { purpose, again }: { purpose?: Purpose; again?: boolean } = {}): Promise<string> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const context = await createContext(readConfig(environment(place)), { log }, purpose, again)
  await context.close()
  return lines.join('')
}

let samples = 0
/** Creates the place of a service with rows, and closes it. */
async function makeSource(): Promise<Sample & { rows: Record<string, string[]> }> {
  samples += 1
  const sample = await openSample(join(directory, `source-${samples}`))
  await fillSample(sample, 50)
  const rows = await sampleRows(sample.database)
  await sample.close()
  return { ...sample, rows }
}

async function withDatabase<T>(place: Place, work: (database: Awaited<ReturnType<typeof openPlace>>) => Promise<T>) {
  const database = await openPlace(place)
  return await work(database).finally(() => database.close())
}
const rowsIn = (place: Place): Promise<Record<string, string[]>> => withDatabase(place, sampleRows)

/** The sources are on the engine of the run. If there is a PostgreSQL, both engines are tried as targets. */
const engines = TEST_DATABASE_URL === undefined ? (['pglite'] as const) : (['pglite', 'postgres'] as const)

describe.each(engines)('a service that was moved to %s', { timeout: 300_000 }, (engine) => {
  test('no longer starts, with this version or an earlier one, and --again brings it back', async () => {
    const source = await makeSource()
    const to = await newPlace(directory, engine)
    const moved = await command(source.place, 'move', '--to', toText(to))
    expect(moved.code, moved.stderr).toBe(0)
    expect(moved.stderr).toContain(
      `The source ${describePlace(source.place)} keeps its data, but a service starts on it only with --again.\n`,
    )
    const at = 'url' in source.place ? 'DATABASE_URL' : `DATA_DIR ${source.place.dataDir}`
    const sentence = `The database at ${at} was moved to ${describePlace(to)} (2026-11-23T10:00:00.000Z): start the service there.`
    const refused = serve(source.place)
    expect(await refused.ended).toBe(1)
    expect(refused.errors()).toMatch(/^.+\n$/)
    expect(refused.errors()).toContain(`${sentence} Two services`)
    expect(await rowsIn(source.place)).toEqual(source.rows)

    const { code, stdout } = await command(source.place, 'doctor')
    expect(code).toBe(1)
    expect(JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'database')).toEqual([
      { check: 'database', state: 'problem', finding: sentence, remedy: expect.stringContaining('--again') },
    ])
    await withDatabase(source.place, async (database) => {
      // Every version refuses an unknown migration.
      await expect(pendingMigrations(database)).rejects.toThrow(MigrationError)
      // A service that was overlooked makes such changes.
      for (const change of [
        "update organizations set name = 'late'",
        "update publications set state = 'ATTEMPTED' where false",
        'delete from conversations',
        "insert into organizations (organization_id, name, created_at) values ('org_late', 'Late', now())",
      ]) {
        await expect(database.query(change), change).rejects.toThrow(DatabaseUnavailableError)
      }
    })
    expect(await rowsIn(to)).toEqual(source.rows)
    await start(to)

    const lines = await startAndKill(serve(source.place, '--again'))
    expect(lines).toContain(`taken back with --again. ${sentence} Stop that service permanently`)
    const { rows } = await withDatabase(source.place, (database) =>
      database.query("select changes ->> 'kind' as kind from audit_trail where operation = 'takeBackServer'"),
    )
    expect(rows).toEqual([{ kind: 'moved' }])
    await start(source.place)
    expect(await start(source.place, { again: true })).toContain('the database was not set aside')
  })

  test('continues where it was interrupted after it was set aside, only to the same place', async () => {
    const source = await makeSource()
    const [to, other] = [await newPlace(directory, engine), await newPlace(directory, engine)]
    // The last step of a move writes the key.
    const breaksOff = 'dataDir' in to
    if (breaksOff) {
      mkdirSync(to.dataDir)
      writeFileSync(join(to.dataDir, 'master.key'), `${'ab'.repeat(32)}\n`)
    } else {
      await withDatabase(to, (database) =>
        // The last step of a move drops it.
        database.execute(`
          create function public.refuse() returns event_trigger language plpgsql as $$
            begin
              if exists (select from pg_event_trigger_dropped_objects() where object_name = 'unfinished_copy')
              then raise exception 'not now'; end if;
            end $$;
          create event trigger refuse_drop on sql_drop execute function public.refuse()`),
      )
    }
    const broken = await command(source.place, 'move', '--to', toText(to)).catch((error: Error) => error.message)
    expect(JSON.stringify(broken)).toMatch(breaksOff ? /another master key/ : /not now/)
    expect((await command(source.place, 'doctor')).stdout).toContain('was moved to')
    const elsewhere = await command(source.place, 'move', '--to', toText(other))
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('add --again') })
    if (breaksOff) rmSync(join(to.dataDir, 'master.key'))
    else await withDatabase(to, (database) => database.execute('drop event trigger refuse_drop; drop function refuse'))
    const done = await command(source.place, 'move', '--to', toText(to))
    expect(done.code, done.stderr).toBe(0)
    expect(await rowsIn(to)).toEqual(source.rows)
    const again = await command(source.place, 'move', '--again', '--to', toText(other))
    expect(again.code, again.stderr).toBe(0)
    expect(await rowsIn(other)).toEqual(source.rows)
    expect(await withDatabase(source.place, findSetAside)).toMatchObject({ place: describePlace(other) })
  })

  test('is unchanged if a move fails earlier', async () => {
    const source = await makeSource()
    const to = await newPlace(directory, engine)
    const theirs = 'url' in to ? await openPlace(to) : await openPglite({ dataDir: to.dataDir })
    await theirs.execute('create table theirs (id int primary key)')
    await theirs.close()
    expect(await command(source.place, 'move', '--to', toText(to))).toMatchObject({ code: 1 })
    expect(await withDatabase(source.place, findSetAside)).toBeUndefined()
    await start(source.place)
  })
})

describe('a server replaced by a restored one', { timeout: 300_000 }, () => {
  test('no longer starts; without --replaces the source of a backup is left alone', async () => {
    const source = await makeSource()
    const file = join(directory, 'whole.backup')
    await withDatabase(source.place, (database) =>
      writeFileWhole(file, (write) =>
        makeBackup(
          {
            readRows: (read) => database.transaction(read),
            engine: database.engine,
            at: new Date('2026-11-23T09:00:00Z'),
            mediaDir: undefined,
          },
          write,
        ),
      ),
    )
    const restore = async (...words: string[]): Promise<CliRun & { place: Place }> => {
      const place = await newPlace(directory)
      const run = await command(source.place, 'restore', file, '--to', toText(place), ...words)
      expect(run.code, run.stderr).toBe(0)
      return { ...run, place }
    }
    const beside = await restore()
    expect(beside.stderr).toContain('Never start a service again on the source of the backup')
    await start(source.place)

    const { place, stderr } = await restore('--replaces', toText(source.place))
    expect(stderr).toContain(`From now on a service starts on ${describePlace(source.place)} only with --again.`)
    await expect(start(source.place)).rejects.toThrow(
      `was replaced by the backup that was restored into ${describePlace(place)} (2026-11-23T10:00:00.000Z): start the service there.`,
    )
    await start(place)
    // Its trail can still be read, also by another restore.
    await restore('--replaces', toText(source.place))
  })

  test('is left alone if the restore fails', async () => {
    const source = await makeSource()
    const file = join(directory, 'nothing.backup')
    writeFileSync(file, 'nothing')
    const to = await newPlace(directory)
    const run = await command(source.place, 'restore', file, '--to', toText(to), '--replaces', toText(source.place))
    expect(run.code).toBe(1)
    expect(await withDatabase(source.place, findSetAside)).toBeUndefined()
  })
})

test('a moved demo starts only with --again', async () => {
  const place = await newPlace(directory, 'pglite')
  await start(place, { purpose: 'demo' })
  const moved = await command(place, 'move', '--to', toText(await newPlace(directory, 'pglite')))
  expect(moved.code, moved.stderr).toBe(0)
  await expect(start(place, { purpose: 'demo' })).rejects.toThrow('was moved to')
  await start(place, { purpose: 'demo', again: true })
  await start(place, { purpose: 'demo' })
})

describe.runIf(TEST_DATABASE_URL !== undefined)('a PostgreSQL with a running service', { timeout: 300_000 }, () => {
  test('is neither moved nor replaced, and an overlooked service changes nothing', async () => {
    const place = (await newPlace(directory, 'postgres')) as { url: string }
    const database = openPostgres({ url: place.url, poolMax: 4 })
    const app = await startTestApp({}, undefined, database)
    onTestFinished(async () => {
      await app.app.close()
      await database.close()
    })
    const to = await newPlace(directory, 'pglite')
    await operatorCall(app, 201, 'POST', '/organizations', { body: { name: 'Runs' } })
    expect(await command(place, 'move', '--to', toText(to))).toMatchObject({
      code: 1,
      stderr: `Services are running on ${describePlace(place)}: stop all of them first.\n`,
    })
    await withDatabase(place, async (own) => {
      expect(await findSetAside(own)).toBeUndefined()
      const { tables } = await readShape(own)
      await own.transaction((tx) => setAside(tx, tables, { kind: 'moved', place: 'elsewhere', at: new Date(0) }))
    })
    await operatorCall(app, 503, 'POST', '/organizations', { body: { name: 'Late' } })
    await operatorCall(app, 200, 'GET', '/organizations')
  })
})
