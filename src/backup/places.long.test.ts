import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { comparable, fillSample, newPlace, openSample, type Sample, sampleRows } from '../../test/backup-sample.js'
import { operatorCall, startTestApp } from '../../test/harness.js'
import { addMigration } from '../../test/later-migration.js'
import { TEST_DATABASE_URL } from '../../test/test-database.js'
import { canMount } from '../../test/tools.js'
import { readConfig } from '../config/index.js'
import { createContext } from '../context.js'
import type { Database } from '../database/database.js'
import { knownMigrations, migrate } from '../database/migrate.js'
import { openPglite } from '../database/pglite/pglite.js'
import { takeBack } from '../database/set-aside.js'
import { systemClock } from '../lib/clock.js'
import { makeBackup } from './make-backup.js'
import { type Move, moveDatabase } from './move.js'
import { openPlace, type Place } from './place.js'
import { restoreBackup } from './restore.js'
import { verifyBackup } from './verify.js'
import { writeFileWhole } from './write-file.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-places-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let sample: Sample
let backup: string
let backedUp: Record<string, string[]>
/** The current rows of the source. */
let expected: Record<string, string[]>
beforeAll(async () => {
  sample = await openSample(join(directory, 'source'))
  await fillSample(sample)
  expected = await sampleRows(sample.database)
  backup = await backUp(sample)
  backedUp = expected
  await sample.close()
})

async function backUp({ database, mediaDir }: Pick<Sample, 'database'> & { mediaDir?: string }): Promise<string> {
  const file = join(directory, `${mediaDir === undefined ? 'rows' : 'whole'}.backup`)
  await writeFileWhole(file, (write) =>
    makeBackup(
      { readRows: (read) => database.readAside(read), engine: database.engine, at: new Date(0), mediaDir },
      write,
    ),
  )
  return file
}

async function rowsIn(place: Place): Promise<Record<string, string[]>> {
  const database = await openPlace(place)
  return await sampleRows(database).finally(() => database.close())
}

/** Moves a place that other tests may have moved before. */
const moveAgain = (options: Omit<Move, 'clock' | 'again'>) =>
  moveDatabase({ ...options, again: true, clock: systemClock })

async function openTakenBack(place: Place): Promise<Database> {
  const database = await openPlace(place)
  await takeBack(database)
  return database
}

/** Both directions are tried if there is a PostgreSQL. */
const engines = TEST_DATABASE_URL === undefined ? (['pglite'] as const) : (['pglite', 'postgres'] as const)

// Each of them creates several databases.
describe.each(engines)('into %s', { timeout: 300_000 }, (engine) => {
  test('a restore and a move copy every row, in both directions, and do not change the source', async () => {
    const restored = await newPlace(directory, engine)
    const mediaDir = join(directory, `media-${engine}`)
    await restoreBackup({ file: backup, place: restored, mediaDir, passphrase: undefined, masterKeyFile: undefined })
    const [wanted, found] = comparable(backedUp, await rowsIn(restored))
    expect(found).toEqual(wanted)
    const moved = await newPlace(directory, engine)
    const progress: string[] = []
    const report = await moveAgain({
      ...{ from: sample.place, to: moved, masterKeys: [sample.masterKey] },
      onProgress: (table) => void progress.push(table),
    })
    // Sequences are not tables, and the rows of last_fetched_backup are not expected.
    expect(report).toMatchObject({ resumed: 0, tables: Object.keys(expected).length })
    expect(progress).toContain('conversations')
    expect(await rowsIn(moved)).toEqual(expected)
    if ('dataDir' in moved) {
      expect(readFileSync(join(moved.dataDir, 'master.key'), 'utf8').trim()).toBe(sample.masterKey)
      expect(statSync(join(moved.dataDir, 'master.key')).mode & 0o077).toBe(0)
      expect(readdirSync(moved.dataDir).toSorted()).toEqual(['database', 'database.lock', 'master.key'])
    }
    const back = await newPlace(directory)
    await moveAgain({ from: moved, to: back, masterKeys: [sample.masterKey] })
    expect(await rowsIn(back)).toEqual(expected)
    expect(await rowsIn(sample.place)).toEqual(expected)
  })

  test('a move continues if its rows are there, and restarts if they are others’', async () => {
    const to = await newPlace(directory, engine)
    const breaking = (atRow: number) =>
      moveAgain({
        ...{ from: sample.place, to, masterKeys: [sample.masterKey] },
        onProgress(table, rows) {
          if (table === 'conversations' && rows >= atRow) throw new Error('broken off')
        },
      })
    await expect(breaking(1_000)).rejects.toThrow('broken off')
    // This place is not a service's: a start, another move and a restore refuse it.
    if ('url' in to) {
      const config = readConfig({ DATABASE_URL: to.url, MASTER_KEY: sample.masterKey, LOG_LEVEL: 'silent' })
      await expect(createContext(config)).rejects.toThrow(
        'is not complete: a restore or a move into it was interrupted',
      )
    } else {
      await expect(openPglite({ dataDir: to.dataDir })).rejects.toThrow('is not complete')
    }
    await expect(breaking(2_000)).rejects.toThrow('broken off')
    const source = await openTakenBack(sample.place)
    await source.query("update organizations set name = 'changed' where organization_id = 'org_torn'")
    await source.close()
    const { resumed } = await moveAgain({ from: sample.place, to, masterKeys: [sample.masterKey] })
    const changed = await openTakenBack(sample.place)
    const now = await sampleRows(changed)
    // The change of the organization made the move restart.
    expect(resumed).toBe(0)
    await changed.query("update organizations set name = 'n0' where organization_id = 'org_torn'")
    await changed.close()
    expect(await rowsIn(to)).toEqual(now)
    expected = await rowsIn(sample.place)
  })

  test('an interrupted move does not copy existing rows again', async () => {
    const next = await newPlace(directory, engine)
    const again = { from: sample.place, to: next, masterKeys: [sample.masterKey] }
    await expect(
      moveAgain({
        ...again,
        onProgress: (table) => {
          if (table === 'vip_marks') throw new Error('broken off')
        },
      }),
    ).rejects.toThrow('broken off')
    expect((await moveAgain(again)).resumed).toBeGreaterThan(2_500)
    expect(await rowsIn(next)).toEqual(expected)
  })

  test('nobody writes to the source during a move, and a place that is not empty is refused', async () => {
    const to = await newPlace(directory, engine)
    let tried: Promise<unknown> | undefined
    await moveAgain({
      ...{ from: sample.place, to, masterKeys: [sample.masterKey] },
      onProgress() {
        tried ??= openPlace(sample.place)
          .then(async (database) => {
            await database
              .execute("set lock_timeout = '100ms'; update organizations set name = 'late'")
              .finally(() => database.close())
          })
          .catch((error: Error) => error)
      },
    })
    expect(await tried).toBeInstanceOf(Error)
    expect(await rowsIn(to)).toEqual(expected)
    const other = await newPlace(directory, engine)
    const database = 'url' in other ? await openPlace(other) : await openPglite({ dataDir: other.dataDir })
    await database.execute('create table theirs (id int primary key)')
    await database.close()
    await expect(moveAgain({ from: sample.place, to: other, masterKeys: [] })).rejects.toThrow(/choose an empty/)
    await expect(
      restoreBackup({
        file: backup,
        place: other,
        mediaDir: join(directory, `m-${engine}`),
        passphrase: undefined,
        masterKeyFile: undefined,
      }),
    ).rejects.toThrow(/choose an empty/)
  })
})

test('there is nothing to move without a database, or from one of a newer version', async () => {
  const to = { dataDir: join(directory, 'nowhere') }
  await expect(moveAgain({ from: { dataDir: join(directory, 'none') }, to, masterKeys: [] })).rejects.toThrow(
    'There is no database in',
  )
  const newer = { dataDir: join(directory, 'newer') }
  const database = await openPglite({ dataDir: newer.dataDir })
  await migrate(database)
  await database.query("insert into migrations (name, checksum, compatible) values ('9999_later.sql', 'x', true)")
  await database.close()
  await expect(moveAgain({ from: newer, to, masterKeys: [] })).rejects.toThrow(
    'A newer version has run on this database',
  )
  expect(existsSync(to.dataDir)).toBe(false)
})

test('a start that migrates an embedded database with data keeps a copy that can be restored', async () => {
  const names = knownMigrations()
  const fillOlder = async (database: Database): Promise<void> => {
    await migrate(database)
    await database.query(
      "insert into organizations (organization_id, name, created_at) values ('org_a', 'Before', now())",
    )
  }
  const dataDir = join(directory, 'older')
  const older = await openPglite({ dataDir })
  await fillOlder(older)
  await older.close()
  const other = await openPglite()
  await fillOlder(other)
  const olderBackup = await backUp({ database: other })
  await other.close()
  addMigration('9000_later.sql', 'alter table organizations rename column name to title')
  const start = async () => {
    const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
    const context = await createContext(config, { log: pino({ level: 'silent' }) })
    await context.close()
  }
  await start()
  const file = join(dataDir, 'backups', 'before-9000.backup')
  const { head, holdsMasterKey } = await verifyBackup(file)
  expect(head.migrations).toEqual(names)
  expect(holdsMasterKey).toBe(false)
  // A start without migrations makes no copy.
  rmSync(file)
  await start()
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([])

  const place = await newPlace(directory)
  await restoreBackup({
    file: olderBackup,
    place,
    mediaDir: undefined,
    passphrase: undefined,
    masterKeyFile: undefined,
  })
  const restored = await openPlace(place)
  const { rows } = await restored.query('select name from migrations order by name collate "C"')
  expect(rows).toEqual([...names, '9000_later.sql'].map((name) => ({ name })))
  expect((await restored.query('select title from organizations')).rows).toEqual([{ title: 'Before' }])
  await restored.close()
})

test.runIf(canMount())(
  'a full disk leaves nothing behind, is reported in a sentence, and the service continues',
  async () => {
    const mounted = join(directory, 'small')
    mkdirSync(mounted)
    const mount = (size: string): void =>
      void execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', mounted])
    const unmount = (): void => void execFileSync('umount', [mounted])
    mount('8m')
    onTestFinished(unmount)
    const restoring = restoreBackup({
      ...{
        file: backup,
        place: { dataDir: join(mounted, 'data') },
        mediaDir: join(directory, 'full'),
        passphrase: undefined,
        masterKeyFile: undefined,
      },
    })
    await expect(restoring).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(existsSync(join(mounted, 'data', 'database'))).toBe(false)
    await expect(
      writeFileWhole(join(mounted, 'backups', 'x.backup'), async (write) => {
        for (let n = 0; n < 20; n++) await write(Buffer.alloc(1024 * 1024))
      }),
    ).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(readdirSync(join(mounted, 'backups'))).toEqual([])
    unmount()

    // The database fits, but its copy does not.
    mount('120m')
    const database = await openPglite({ dataDir: join(mounted, 'data') })
    const app = await startTestApp({}, undefined, database)
    const { body } = await operatorCall(app, 503, 'POST', '/server/backups', { body: {} })
    expect(body.message).toMatch('no space for a copy')
    await operatorCall(app, 201, 'POST', '/organizations', { body: { name: 'Goes on' } })
    expect(existsSync(join(mounted, 'data', 'database.aside'))).toBe(false)
    await database.close()
    writeFileSync(join(directory, 'done'), '')
  },
)
