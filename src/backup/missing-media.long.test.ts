import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { CliStage } from '../../test/cli-stage.js'
import { withConfig } from '../../test/config.js'
import { Tenant } from '../../test/harness.js'
import { buildApp } from '../app.js'
import { readConfig } from '../config/index.js'
import { createContext } from '../context.js'
import { examine } from '../doctor/doctor.js'
import { backupOf, makeBackup } from './make-backup.js'
import { openBackup } from './open-backup.js'
import { backUpWhenDue, startBackupSchedule } from './schedule.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-missing-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const stage = new CliStage()
let tenant: Tenant
/** There are two uploaded files, but only one is on the disk. */
beforeAll(async () => {
  tenant = await Tenant.create(stage.app)
  await insertMedia(stage.app.context.database, tenant.organizationId)
  const folder = join(stage.directory, 'media', tenant.organizationId)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'media_there.jpg'), 'x')
})
afterAll(async () => {
  const { database } = stage.app.context
  await database.query('delete from media where organization_id = $1', [tenant.organizationId])
  await database.query('delete from last_backup')
})

async function insertMedia(database: Tenant['test']['context']['database'], organizationId: string): Promise<void> {
  for (const id of ['media_there', 'media_gone']) {
    await database.query(
      `insert into media (organization_id, media_id, content_type, bytes, width, height, created_at)
       values ($1, $2, 'image/jpeg', 1, 1, 1, now()) on conflict do nothing`,
      [organizationId, id],
    )
  }
}

const lines: string[] = []
const contextWith = (mediaDir: string | undefined) => ({
  ...stage.app.context,
  backups: { isRunning: false } as { isRunning: boolean; isPlaceUsable?: boolean },
  log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
  config: withConfig(stage.app.context.config, {
    media: mediaDir === undefined ? null : { dir: mediaDir },
    backup: { dir: join(directory, 'backups'), everyMs: 60_000 },
  }),
})
const errors = (): string[] =>
  lines
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 50)
    .map(({ msg }) => msg)

test("a backup that lacks media is an error in the log, and a number in every node's metrics", async () => {
  const missing = async (): Promise<string | undefined> => {
    const app = await buildApp(contextWith(undefined))
    const { body } = await app.inject('/metrics')
    await app.close()
    return /^greenroom_last_backup_missing_media (\d+)$/m.exec(body)?.[1]
  }
  await stage.app.context.database.query('delete from last_backup')
  expect(await missing()).toBe('0')
  lines.length = 0
  stage.app.clock.advance(86_400_000)
  await backUpWhenDue(contextWith(undefined))
  expect(errors()).toEqual(['the backup lacks uploaded media: this node has no MEDIA_DIR'])
  expect(Number(await missing())).toBeGreaterThanOrEqual(2)
  lines.length = 0
  const mediaDir = join(stage.directory, 'media')
  stage.app.clock.advance(86_400_000)
  await backUpWhenDue(contextWith(mediaDir))
  expect(errors()).toEqual([`the backup lacks uploaded media: they are not in ${mediaDir}`])
  expect(Number(await missing())).toBeGreaterThanOrEqual(1)
})

test('media that were deleted during the backup are not missing', async () => {
  const { context } = stage.app
  const backup = backupOf(contextWith(join(stage.directory, 'media')), { passphrase: undefined, at: new Date(0) })
  /** Returns how many files are missing by the report and by the backup itself. */
  const make = async (): Promise<[number, number | undefined]> => {
    const blocks: Uint8Array[] = []
    const { missingMediaFiles } = await makeBackup(backup, async (block) => void blocks.push(Uint8Array.from(block)))
    const { parts } = await openBackup(Readable.from(blocks), undefined)
    for await (const { header, content } of parts) {
      if (header.part === 'end') return [missingMediaFiles, header.missing]
      for await (const _ of content);
    }
    return [missingMediaFiles, undefined]
  }
  const [missing, written] = await make()
  expect(written).toBe(missing)
  const { readRows } = backup
  backup.readRows = async (read) => {
    const result = await readRows(read)
    const gone = [tenant.organizationId, 'media_gone']
    await context.database.query('delete from media where organization_id = $1 and media_id = $2', gone)
    return result
  }
  expect(await make()).toEqual([missing - 1, missing - 1])
  await insertMedia(context.database, tenant.organizationId)
})

test('a node without MEDIA_DIR says at its start that its backups will lack the media', async () => {
  lines.length = 0
  await stage.app.context.database.query('delete from last_backup')
  const schedule = startBackupSchedule(contextWith(undefined))
  onTestFinished(() => schedule?.stop())
  await vi.waitFor(() => expect(errors().join()).toContain('the backup lacks uploaded media'), 120_000)
  expect(errors()[0]).toMatch(/^the backups of this node lack all uploaded media, because it has no MEDIA_DIR/)
})

test('`greenroom backup` and `greenroom backup verify` warn about media that a backup lacks', async () => {
  const file = join(directory, 'acme.backup')
  for (const args of [
    ['backup', file, '--no-master-key'],
    ['backup', 'verify', file],
  ]) {
    const { stdout, stderr } = await stage.run(0, args)
    const { missingMediaFiles } = JSON.parse(stdout)
    expect(missingMediaFiles).toBeGreaterThanOrEqual(1)
    expect(stderr).toMatch(/^WARNING: \d+ uploaded media files? (is|are) not in the backup\./m)
  }
})

test('doctor reports media without a MEDIA_DIR, and what the last backup lacks', async () => {
  const env = {
    DATA_DIR: join(directory, 'data'),
    BACKUP_DIR: join(directory, 'backups'),
    GRAPH_BASE_URL: 'http://127.0.0.1:1',
  }
  const context = await createContext(readConfig({ ...env, LOG_LEVEL: 'silent' }))
  await context.database.query(
    "insert into organizations (organization_id, name, created_at) values ('org_a', 'A', now())",
  )
  await insertMedia(context.database, 'org_a')
  await context.database.query(
    "insert into last_backup (made_at, file, bytes, master_key, missing_media) values (now(), 'x.backup', 1, true, 2)",
  )
  await context.close()
  const look = async (more: Record<string, string>) =>
    (await examine({ env: { ...env, ...more } })).filter(
      ({ check, state }) => check === 'backups' && state === 'problem',
    )
  const lacks = expect.objectContaining({ finding: 'The last backup is x.backup. It lacks 2 uploaded files.' })
  expect(await look({})).toEqual([
    expect.objectContaining({ finding: 'There are uploaded media but no MEDIA_DIR, so the backups lack them.' }),
    lacks,
  ])
  expect(await look({ MEDIA_DIR: directory })).toEqual([lacks])
})
