import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { newPlace } from '../../test/backup-sample.js'
import { startChild } from '../../test/child.js'
import { greenroom } from '../../test/cli.js'
import { EARLIER_FORMATS, type Earlier, readEarlier } from '../../test/earlier-formats.js'
import { Tenant, TestClock } from '../../test/harness.js'
import { TEST_DATABASE_URL } from '../../test/test-database.js'
import { buildApp } from '../app.js'
import { openPlace, type Place } from '../backup/place.js'
import { restoreBackup } from '../backup/restore.js'
import { readConfig } from '../config/index.js'
import { type AppContext, createContext } from '../context.js'
import type { Queryable } from './database.js'
import { knownMigrations } from './migrate.js'
import { openPglite } from './pglite/pglite.js'
import { readRows, readShape } from './rows.js'

const MAIN = new URL('../main.ts', import.meta.url)
const directory = mkdtempSync(join(tmpdir(), 'greenroom-earlier-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const engines = TEST_DATABASE_URL === undefined ? (['pglite'] as const) : (['pglite', 'postgres'] as const)
const cases = engines.flatMap((engine) => EARLIER_FORMATS.map(({ commit, is }) => [commit, engine, is] as const))

/** Columns that the schema has no longer, by `table.column`, each with the reason why nothing is lost. */
const GONE: Record<string, string> = {
  'directory_revision.*': 'the caches of 0020 count in access_revisions',
  'scheduled_post_history.*': 'each row of it is in the audit trail since 0006',
  'scheduled_posts.published_at': 'nothing read it (0013)',
  'superpowers.created_at': 'nothing read it (0013)',
  'publications.updated_at': 'nothing read it (0013)',
  'conversation_names.*': 'they are computed from the names of conversations, which 0089 folds in another way',
}
/** Tables to which an upgrade and a start add rows. */
const GROWS = ['audit_trail', 'master_keys', 'installation']

/**
 * Formats that differ in what a restore and a move look at: without master keys and a trail, and with ways in to be
 * ended.
 */
const MOVED: readonly string[] = ['c5a51c2', '6029460', 'acd5ca0']

/** These had an order that was refunded in part. */
const WITH_SOURCES: readonly string[] = ['d80b7b7', '412a6e8']

interface Left {
  place: Place
  /** The rows of its database. */
  before: Rows
}

/** Makes a place as the earlier version has left it. `more` is SQL that adds to its database. */
async function makePlace(earlier: Earlier, engine: 'pglite' | 'postgres', more = ''): Promise<Left> {
  const place = await newPlace(directory, engine)
  const database = 'url' in place ? await openPlace(place) : await openPglite({ dataDir: place.dataDir })
  await database.execute(earlier.sql + more)
  const before = await database.transaction(rowsOf).finally(() => database.close())
  if ('url' in place) return { place, before }
  rmSync(join(place.dataDir, 'database.lock'), { recursive: true })
  for (const [name, text] of Object.entries(earlier.files)) {
    if (text === null) mkdirSync(join(place.dataDir, name))
    else writeFileSync(join(place.dataDir, name), text)
  }
  writeFileSync(join(place.dataDir, 'master.key'), `${earlier.masterKey}\n`, { mode: 0o600 })
  return { place, before }
}

const environment = (place: Place, { masterKey }: Earlier): Record<string, string> => ({
  ...('url' in place ? { DATABASE_URL: place.url, MASTER_KEY: masterKey } : { DATA_DIR: place.dataDir }),
  ...{ LOG_LEVEL: 'silent', PORT: '0', GRAPH_BASE_URL: 'http://127.0.0.1:1' },
})

async function withDatabase<T>(place: Place, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const database = await openPlace(place)
  return await database.transaction(work).finally(() => database.close())
}

/** Gives the rows by table, each with the names of its columns. */
async function rowsOf(tx: Queryable): Promise<Record<string, Record<string, string | null>[]>> {
  const all: Record<string, Record<string, string | null>[]> = {}
  for (const table of (await readShape(tx)).tables) {
    const names = table.columns.map(({ name }) => name)
    all[table.name] = []
    for await (const rows of readRows(tx, table)) {
      for (const row of rows) {
        const values: (string | null)[] = JSON.parse(row)
        all[table.name]!.push(Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])))
      }
    }
  }
  return all
}

type Rows = Awaited<ReturnType<typeof rowsOf>>

/** Gives the rows from before and after, with the columns that existed before and still exist. */
function comparable(before: Rows, after: Rows): [Record<string, string[]>, Record<string, string[]>] {
  const expected: Record<string, string[]> = {}
  const found: Record<string, string[]> = {}
  for (const [table, rows] of Object.entries(before)) {
    if (`${table}.*` in GONE || rows.length === 0) continue
    const names = Object.keys(rows[0]!).filter((name) => !(`${table}.${name}` in GONE))
    const textOf = (row: Record<string, string | null>): string =>
      JSON.stringify(names.map((name) => [name, row[name]]))
    expected[table] = rows.map(textOf).sort()
    const kept = new Set(expected[table])
    found[table] = (after[table] ?? [])
      .map(textOf)
      .filter((row) => !GROWS.includes(table) || kept.has(row))
      .sort()
  }
  return [expected, found]
}

/** Gives the history of posts from before, by post and instant, and its entries in the audit trail after. */
function historiesOf(before: Rows, after: Rows): [string[], string[]] {
  const histories = (before.scheduled_post_history ?? []).map(({ scheduled_post_id: id, at }) => `${id} ${at}`)
  const isOf = new Set(histories)
  const trail = after.audit_trail!.map(({ target_id: id, at }) => `${id} ${at}`)
  return [histories.sort(), trail.filter((entry) => isOf.has(entry)).sort()]
}

/** Restores the backup that the start made before it changed anything. */
async function restoreBackupOf(dataDir: string, before: Rows): Promise<void> {
  const [backup] = readdirSync(join(dataDir, 'backups'))
  const place = await newPlace(directory, 'pglite')
  const file = join(dataDir, 'backups', backup!)
  await restoreBackup({ file, place, mediaDir: undefined, passphrase: undefined, masterKeyFile: undefined })
  const [expected, found] = comparable(before, await withDatabase(place, rowsOf))
  // A restore ends the ways in, which counts a change.
  for (const table of ['sessions', 'invitations', 'entry_links', 'review_links', 'access_revisions'])
    delete expected[table]
  expect(found).toMatchObject(expected)
}

async function withService<T>(place: Place, earlier: Earlier, work: (context: AppContext) => Promise<T>): Promise<T> {
  const clock = new TestClock(Date.now())
  const context = await createContext(readConfig(environment(place, earlier)), {
    clock,
    log: pino({ level: 'silent' }),
  })
  return await work(context).finally(() => context.close())
}

describe.each(cases)('what version %s has left on %s (%s)', { timeout: 300_000 }, (commit, engine) => {
  const earlier = readEarlier(commit)

  test('is upgraded by a start, row by row, and served', async () => {
    const { place, before } = await makePlace(earlier, engine)
    expect(before.conversations!.length).toBeGreaterThan(50)
    await withService(place, earlier, async (context) => {
      const app = { app: await buildApp(context, { checkAnswers: true }), context, clock: context.clock as TestClock }
      const tenant = Tenant.of(app, earlier.organizationId, earlier.key)
      const { body } = await tenant.get(
        200,
        `/vip-users?workspaceId=${earlier.workspaceId}&mediumId=${earlier.channelId}`,
      )
      expect(JSON.stringify(body)).toMatch(/cu_1\b.+cu_2\b|cu_2\b.+cu_1\b/)
      await app.app.close()
    })
    const after = await withDatabase(place, rowsOf)
    const [expected, found] = comparable(before, after)
    expect(found).toEqual(expected)
    const [histories, trail] = historiesOf(before, after)
    expect(trail).toEqual(histories)
    expect(histories).toHaveLength(commit === 'c5a51c2' ? 14 : 0)
    const refunded = (after.purchases ?? []).filter((row) => row.has_refunds === 'true').map((row) => row.order_id)
    expect(refunded).toEqual(WITH_SOURCES.includes(commit) ? ['o1'] : [])
    if ('url' in place) return
    expect(lstatSync(join(place.dataDir, 'database.lock')).isDirectory()).toBe(true)
    if (MOVED.includes(commit)) await restoreBackupOf(place.dataDir, before)
  })

  test.runIf(MOVED.includes(commit))('is examined by doctor, which changes nothing, and is moved', async () => {
    const { place, before } = await makePlace(earlier, engine)
    const { stdout } = await greenroom(['doctor'], { env: environment(place, earlier) })
    expect(JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'database')).toEqual([
      expect.objectContaining({ state: 'ok' }),
      expect.objectContaining({ state: 'warning', finding: expect.stringMatching('The next start changes') }),
    ])
    expect(await withDatabase(place, rowsOf)).toEqual(before)
    if ('dataDir' in place && typeof earlier.files['database.lock'] === 'string') {
      expect(readdirSync(place.dataDir).toSorted()).toEqual(['database', 'master.key'])
    }
    const to = await newPlace(directory)
    const moved = await greenroom(['move', '--to', 'url' in to ? to.url : to.dataDir], {
      env: environment(place, earlier),
    })
    expect(moved.code, moved.stderr).toBe(0)
    const [expected, found] = comparable(before, await withDatabase(to, rowsOf))
    expect(found).toEqual(expected)
  })
})

describe.each(engines)('an upgrade that fails on %s', { timeout: 300_000 }, (engine) => {
  test('leaves all as the version before had it, and is said in a sentence', async () => {
    const earlier = readEarlier('c5a51c2')
    // Not the first of the migrations makes a table of that name.
    const { place, before } = await makePlace(earlier, engine, 'create table people (id int primary key)')
    const child = startChild(MAIN, ['serve'], environment(place, earlier))
    expect(await child.ended).toBe(1)
    expect(child.errors()).toBe(
      'The migration 0023_people.sql failed, and the database is as it was before: relation "people" already exists.\n',
    )
    await withDatabase(place, async (tx) => {
      expect(await rowsOf(tx)).toEqual(before)
      const { rows } = await tx.query<object>('select * from migrations limit 1')
      expect(Object.keys(rows[0]!)).toEqual(['name', 'checksum', 'applied_at'])
      await tx.execute('drop table people')
    })
    if ('dataDir' in place)
      expect(lstatSync(join(place.dataDir, 'database.lock'), { throwIfNoEntry: false })).toBe(undefined)
    await withService(place, earlier, async ({ database }) => {
      expect((await database.query('select name from migrations')).rowCount).toBe(knownMigrations().length)
    })
  })
})

test('each fixture is small, and holds no path of the machine that made it', () => {
  for (const { commit } of EARLIER_FORMATS) {
    expect(readEarlier(commit).sql).not.toMatch(/\/(tmp|work|home|root)\//)
    expect(lstatSync(new URL(`../../test/earlier/${commit}.sql.gz`, import.meta.url)).size).toBeLessThan(64 * 1024)
    expect(readFileSync(new URL(`../../test/earlier/${commit}.json`, import.meta.url), 'utf8').length).toBeLessThan(
      2_000,
    )
  }
})
