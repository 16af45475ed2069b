import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { linesOf } from '../../src/backup/backup-file.js'
import { openBackupFile } from '../../src/backup/open-backup.js'
import { openPlace } from '../../src/backup/place.js'
import { restoreBackup } from '../../src/backup/restore.js'
import { type Contents, verifyBackup } from '../../src/backup/verify.js'
import type { Database } from '../../src/database/database.js'
import { openPglite } from '../../src/database/pglite/pglite.js'
import { beginFilling, countRows, endFilling, insertRows } from '../../src/database/rows.js'
import { TABLE_ENTRIES } from '../../src/database/tables.js'
import { programVersion } from '../../src/lib/version.js'
import { newPlace } from '../backup-sample.js'
import { startTestApp, type TestApp } from '../harness.js'
import { addMigration, useMigrations } from '../later-migration.js'
import { runToEnd } from '../points.js'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL } from '../test-database.js'
import { type Answer, call } from './callers.js'
import { type LeftBehind, leaveBehind, listMigrations, PUBLIC_URL } from './leave-behind.js'

/** Each released version has left a fixture: a backup, and the answers that it gave about the same data. */
const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const RELEASES = readdirSync(at('.')).flatMap((name) => (name.endsWith('.backup') ? [name.replace('.backup', '')] : []))

/** Changes of the schema such as a later version may need. */
const LATER = `
create table made_up (
  organization_id text not null references organizations,
  name            text not null,
  primary key (organization_id, name)
);
insert into made_up select organization_id, name from organizations;
alter table scheduled_posts add column made_up integer not null default 1;
create index conversations_made_up on conversations (organization_id, user_name);
alter table vip_marks rename to vip_marks_before;
create table vip_marks (like vip_marks_before including all);
insert into vip_marks select * from vip_marks_before;
drop table vip_marks_before;
`

test.runIf(process.env.npm_lifecycle_event === 'upgrade-fixture')('this version leaves its fixture', async () => {
  const { backup, left } = await leaveBehind()
  writeFileSync(at(`${programVersion()}.backup`), backup)
  // An answer a line.
  const text = JSON.stringify(left).replaceAll('},{"caller"', '},\n{"caller"')
  writeFileSync(at(`${programVersion()}.json`), `${text}\n`)
  const { digests } = await verifyBackup(at(`${programVersion()}.backup`))
  const carried = TABLE_ENTRIES.flatMap(([name, { carried = true }]) => (carried ? [name] : []))
  expect(Object.keys(digests).toSorted()).toEqual(carried.toSorted())
})

test('0.1.0 and the versions after it have left a fixture', () => {
  expect(RELEASES).toContain('0.1.0')
})

describe.each(RELEASES)('the database of %s', (version) => {
  const file = at(`${version}.backup`)
  const left: LeftBehind = JSON.parse(readFileSync(at(`${version}.json`), 'utf8'))

  /** Starts this program on the database, at the time at which the answers were recorded. */
  async function start(database: Database): Promise<TestApp & { sandbox: Sandbox }> {
    const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages: left.pages } })
    onTestFinished(() => sandbox.close())
    const settings = { graph: { baseUrl: sandbox.url }, media: { dir: makeFolder() }, http: { publicUrl: PUBLIC_URL } }
    const app = await startTestApp(settings, undefined, database)
    onTestFinished(() => app.app.close())
    app.clock.set(left.at)
    return { ...app, sandbox }
  }

  async function expectAnswers(app: TestApp, answers: readonly Answer[]): Promise<void> {
    expect(answers.length).toBeGreaterThan(10)
    for (const { body, ...request } of answers) {
      const given = await call(app, left, request)
      expect.soft(given, `${request.caller}: ${request.url}`).toMatchObject({ status: 200, body })
    }
  }

  test('had rows in every table', async () => {
    const { head, digests } = await verifyBackup(file)
    expect(head.program).toBe(version)
    expect(Object.entries(digests).flatMap(([table, { rows }]) => (rows === 0 ? [table] : []))).toEqual([])
  })

  test('is upgraded by a start: everything is answered as before, and each post that is due goes out once', async () => {
    const database =
      TEST_DATABASE_URL === undefined
        ? await openPglite()
        : openTestPostgres(await createEmptyDatabase('greenroom_upgrade'), 6)
    onTestFinished(() => database.close())
    const { head, digests } = await fillAsBefore(database, file)
    expect(await listMigrations(database), 'a released migration was changed').toEqual(left.migrations)
    addMigration('9000_later.sql', LATER)
    const app = await start(database)
    await expectAnswers(app, left.answers)
    for (const table of head.tables) {
      expect.soft(await countRows(database, table), table.name).toBeGreaterThanOrEqual(digests[table.name]!.rows)
    }

    await runToEnd(app.context, app.clock)
    await runToEnd(app.context, app.clock)
    expect(app.sandbox.published.map(({ text }) => text).toSorted()).toEqual(left.scheduled)
    expect(left.scheduled.length).toBeGreaterThan(1)
  })

  test('is restored from a backup, and everything is answered as before', async () => {
    addMigration('9000_later.sql', LATER)
    const place = await newPlace(makeFolder())
    const without = { mediaDir: undefined, passphrase: undefined, masterKeyFile: undefined }
    await restoreBackup({ file, place, ...without })
    const database = await openPlace(place)
    onTestFinished(() => database.close())
    // A restore ends sessions, links and invitations, which other answers show.
    await expectAnswers(
      await start(database),
      left.answers.filter(({ caller }) => caller === 'key'),
    )
  })
})

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-upgrades-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Makes the database as the version left it: its own migrations, every row, and nothing that a restore would change. */
async function fillAsBefore(database: Database, file: string): Promise<Contents> {
  const contents = await verifyBackup(file)
  const { head } = contents
  useMigrations(head.migrations)
  await beginFilling(database, { kind: 'restore', source: head.id }, head.migrations)
  const { parts } = await openBackupFile(file, undefined)
  for await (const { header, content } of parts) {
    if (header.part !== 'rows') continue
    const table = head.tables.find(({ name }) => name === header.table)!
    for await (const rows of linesOf(content)) await database.transaction((tx) => insertRows(tx, table, rows))
  }
  await endFilling(database, head)
  return contents
}
