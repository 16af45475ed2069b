import { beforeAll, describe, expect, test } from 'vitest'
import { withConfig } from '../../test/config.js'
import {
  FROM_OWN_PAGE,
  Member,
  operatorCall,
  send,
  startTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { insertPost, publishable } from '../../test/posts.js'
import { openOwnDatabase } from '../../test/test-database.js'
import { beginRotation } from '../access/master-keys.store.js'
import { judgeMasterKey } from '../access/sealed-values.js'
import { buildApp } from '../app.js'
import { recordBackup } from '../backup/last-backup.store.js'
import { findBackupWeaknesses } from '../backup/weaknesses.js'
import type { BackupHealth, HealthPart, ListedPerson, ServerHealth } from '../interface/generated/types.js'
import { KeyRing } from '../lib/seal.js'
import { programVersion } from '../lib/version.js'
import type { Disk } from '../observability/disks.js'
import { endHolder, insertHolder } from '../work/holders.store.js'
import { judgeBackup, judgeDisk, judgeIntake, judgeMail, judgePublisher } from './get-server-health.js'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const NOW = Date.parse('2028-02-29T12:00:00Z')
const ago = (ms: number): Date => new Date(NOW - ms)

let app: TestApp
beforeAll(async () => {
  const backup = { dir: '/nowhere', everyMs: DAY, passphrase: 'a passphrase of backups' }
  // Examines the whole server and begins a rotation of the master key.
  app = await startTestApp({ backup }, undefined, await openOwnDatabase())
})

const read = async (): Promise<ServerHealth> => (await operatorCall(app, 200, 'GET', '/server/health')).body
const partOf = async (name: HealthPart['part']): Promise<HealthPart> =>
  (await read()).parts.find(({ part }) => part === name)!

describe('the health of the server', () => {
  test('is only for owners and the operator', async () => {
    const tenant = await Tenant.create(app)
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    await admin.call(403, 'GET', '/server/health')
    await tenant.get(404, '/health')
    await send(app.app, 401, 'GET', '/api/server/health')
    await send(app.app, 401, 'GET', '/api/server/health', { headers: FROM_OWN_PAGE })
    const owner = await Member.create(app, { owner: true })
    const { version, database, parts } = (await owner.call(200, 'GET', '/server/health')).body as ServerHealth
    expect([version, database]).toEqual([programVersion(), app.context.database.engine])
    expect(parts.map(({ part }) => part).slice(0, 4)).toEqual(['publisher', 'intake', 'mail', 'media'])
    expect(parts).toContainEqual(expect.objectContaining({ part: 'disk', directory: 'backups' }))
  })

  test('reads from the database who publishes and what has waited too long', async () => {
    const tenant = await Tenant.create(app)
    await insertPost(tenant, {
      ...publishable(await tenant.channel()),
      status: 'SCHEDULED',
      scheduledFor: new Date(app.clock.now()),
    })
    await insertHolder(app.context.database, 'publishing', 'publisher_of_health')
    expect(await partOf('publisher')).toEqual({ part: 'publisher', state: 'good', found: 'on_time' })
    app.clock.advance(3 * MINUTE)
    expect(await partOf('publisher')).toMatchObject({ state: 'warning', found: 'late', since: expect.any(String) })
    await endHolder(app.context.database, 'publisher_of_health', async () => {})
    expect(await partOf('publisher')).toMatchObject({ state: 'bad', found: 'stopped' })
  })

  test("has the version of the platform's API, which is a warning before it ends", async () => {
    const { graph } = app.context.config
    const { newest, version } = { newest: graph.version, version: 'v25.0' }
    expect(await partOf('platform')).toEqual({ part: 'platform', state: 'good', found: 'supported', version: newest })
    const older = withConfig(app.context.config, { graph: { version } })
    const other: TestApp = { ...app, app: await buildApp({ ...app.context, config: older }, TEST_OPTIONS) }
    const ends = { part: 'platform', version, newest, api: 'marketing', endsOn: '2027-02-23' }
    const before = app.clock.now()
    for (const [day, state, found] of [
      ['2026-12-24', 'good', 'supported'],
      ['2026-12-25', 'warning', 'ending'],
      ['2027-02-24', 'bad', 'ended'],
    ] as const) {
      app.clock.advance(Date.parse(day) - app.clock.now())
      const { parts } = (await operatorCall(other, 200, 'GET', '/server/health')).body as ServerHealth
      expect(parts).toContainEqual({ ...ends, state, found })
    }
    app.clock.advance(before - app.clock.now())
  })

  test('has the last automatic backup, or reports that one is missing', async () => {
    await app.context.database.query('delete from last_backup')
    expect((await read()).backup).toMatchObject({ state: 'bad', found: 'none', place: '/nowhere', everyMs: DAY })
    app.context.backups.isRunning = true
    expect((await read()).backup).toMatchObject({ state: 'warning', found: 'making' })
    app.context.backups.isRunning = false
    const made_at = new Date(app.clock.now())
    const last = { made_at, file: 'greenroom.backup', bytes: 7, master_key: true, missing_media: 0 }
    await recordBackup(app.context.database, last)
    const { weaknesses } = (await read()).backup
    // The tests' embedded database may be on any disk.
    expect(weaknesses).not.toContain('no_master_key')
    expect((await read()).backup).toMatchObject({
      ...{ state: weaknesses.length > 0 ? 'warning' : 'good' },
      ...{ found: 'made', madeAt: made_at.toISOString(), file: 'greenroom.backup', hasMasterKey: true },
    })
    await recordBackup(app.context.database, { ...last, master_key: false })
    const keyless = (await read()).backup
    expect(keyless).toMatchObject({ state: 'warning', weaknesses: expect.arrayContaining(['no_master_key']) })
    app.clock.advance(2 * DAY + 1)
    expect((await read()).backup).toMatchObject({ state: 'bad', found: 'late' })
    await app.context.database.query('delete from last_backup')
  })

  test('counts the secrets that are sealed under another master key', async () => {
    await Tenant.create(app)
    const { database } = app.context
    const { keyId, ...before } = (await read()).masterKey
    expect(before).toEqual({ state: 'good', found: 'good', otherSecrets: 0, lostSecrets: 0 })
    await beginRotation(database, keyId, { keyId: 'of_a_rotation', secretSealed: 'sealed' })
    const { otherSecrets, ...under } = (await read()).masterKey
    expect(under).toEqual({ state: 'warning', found: 'unfinished', keyId: 'of_a_rotation', lostSecrets: 0 })
    // Another process may have a key that is missing here.
    const { sealer } = app.context
    const other = new KeyRing([Buffer.alloc(32, 7)])
    expect(await judgeMasterKey(database, other)).toMatchObject({
      state: 'bad',
      found: 'lost',
      lostSecrets: otherSecrets,
    })
    expect(await judgeMasterKey(database, sealer)).toMatchObject({ found: 'unfinished' })
    expect(otherSecrets).toBeGreaterThan(0)
    await database.query("delete from master_keys where key_id = 'of_a_rotation'")
    await database.query("update master_keys set state = 'current' where key_id = $1", [keyId])
  })

  test('comes with a list of people that shows when and from where each last signed in', async () => {
    const person = await Member.create(app)
    const listed = async (): Promise<ListedPerson> =>
      (await operatorCall(app, 200, 'GET', '/server/people')).body.find(({ id }: ListedPerson) => id === person.id)
    app.clock.advance(MINUTE)
    await send(app.app, 200, 'POST', '/api/sign-in', {
      body: { mail: person.mail, password: Member.PASSWORD },
      headers: {
        ...FROM_OWN_PAGE,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
    })
    expect((await listed()).lastSignIn).toEqual({
      at: new Date(app.clock.now()).toISOString(),
      browser: 'Firefox on Linux',
      network: '127.0.0.0/24',
    })
    await app.context.database.query('delete from sign_in_places where person_id = $1', [person.id])
    expect(await listed()).not.toHaveProperty('lastSignIn')
  })
})

describe('a part is rated by what waits', () => {
  test.each([
    [true, undefined, 'good', 'on_time'],
    [true, ago(2 * MINUTE), 'good', 'on_time'],
    [true, ago(2 * MINUTE + 1), 'warning', 'late'],
    [true, ago(15 * MINUTE + 1), 'bad', 'late'],
    [false, undefined, 'bad', 'stopped'],
  ])('publishing: a process lives: %s, oldest %s', (isPublishing, oldest, state, found) => {
    expect(judgePublisher(isPublishing, oldest, NOW)).toMatchObject({ state, found })
  })

  const inbox = { sources: 1, waiting: 0, oldest_at: null, problems: 0 }
  test.each([
    [{ sources: 0 }, { state: 'off', found: 'unused' }],
    [{}, { state: 'good', found: 'on_time' }],
    [{ problems: 2 }, { state: 'warning', found: 'problems', count: 2 }],
    [{ waiting: 9, oldest_at: ago(MINUTE) }, { state: 'good' }],
    [
      { waiting: 9, problems: 2, oldest_at: ago(20 * MINUTE) },
      { state: 'bad', found: 'late', count: 9 },
    ],
  ])('intake: %o', (figures, expected) => {
    expect(judgeIntake({ ...inbox, ...figures }, NOW)).toMatchObject(expected)
  })

  const mail = { url: 'smtp://mail.example', from: 'a@example.com' } as Parameters<typeof judgeMail>[0]
  const idle = { waiting: 0, failing: 0, due_at: null }
  test.each([
    [null, {}, { state: 'off', found: 'off' }],
    [mail, {}, { state: 'good', found: 'on_time' }],
    [mail, { failing: 1 }, { state: 'warning', found: 'failing', count: 1 }],
    [mail, { waiting: 3, due_at: ago(3 * MINUTE) }, { state: 'warning', found: 'late', count: 3 }],
    [mail, { waiting: 3, failing: 2, due_at: ago(DAY) }, { state: 'bad', found: 'failing', count: 2 }],
  ])('email: %o %o', (config, figures, expected) => {
    expect(judgeMail(config, { ...idle, ...figures }, NOW)).toMatchObject(expected)
  })

  const data = { directory: 'data', setting: 'DATA_DIR', path: '/data', device: 1 } as const
  const GIB = 1024 ** 3
  test.each([
    [[], 'bad', 'silent'],
    [[{ ...data, freeBytes: 1_000_000, sizeBytes: GIB }], 'bad', 'full'],
    [[{ ...data, freeBytes: 4 * GIB, sizeBytes: 100 * GIB }], 'warning', 'low'],
    [[{ ...data, freeBytes: 50 * GIB, sizeBytes: 100 * GIB }], 'good', 'room'],
  ])('disk: %o', (disks, state, found) => {
    expect(judgeDisk(data, disks)).toMatchObject({ state, found, directory: 'data' })
  })

  const last = { made_at: ago(DAY), file: 'a.backup', bytes: 1, master_key: false, missing_media: 0 }
  const made = { bytes: 1, hasMasterKey: false, missingMedia: 0 }
  const bucket = { dir: undefined, bucket: { bucket: 'safe', prefix: 'room/' }, everyMs: DAY, keep: 7 }
  const backup = { ...bucket, passphrase: undefined }

  test('backups have weaknesses on the disk of the data or the media, and without the master key', () => {
    const disk = (directory: 'data' | 'media' | 'backups', device: number): Disk =>
      ({ directory, setting: 'DATA_DIR', path: '/', freeBytes: GIB, sizeBytes: GIB, device }) as Disk
    const config = { ...backup, passphrase: 'a passphrase of backups' }
    const facts = { backup: config, last: { master_key: true }, fetched: undefined }
    expect(findBackupWeaknesses(facts, [disk('data', 1), disk('media', 2), disk('backups', 3)])).toEqual([])
    expect(findBackupWeaknesses(facts, [disk('data', 1), disk('media', 3), disk('backups', 3)])).toEqual(['same_disk'])
    expect(findBackupWeaknesses(facts, [disk('data', 1)])).toEqual([])
    const keyless = { ...facts, last: { master_key: false } }
    expect(findBackupWeaknesses(keyless, [disk('data', 3), disk('backups', 3)])).toEqual(['same_disk', 'no_master_key'])
    expect(findBackupWeaknesses({ ...facts, backup }, [])).toEqual(['no_master_key'])
    const fetched = { backup: null, last: undefined, fetched: { master_key: false } }
    expect(findBackupWeaknesses(fetched, [])).toEqual(['no_master_key'])
  })

  test.each([
    [
      { backup: null, last: undefined },
      { state: 'warning', found: 'off' },
    ],
    [
      { backup, last: undefined },
      { state: 'bad', found: 'none', place: 's3://safe/room/' },
    ],
    [
      { backup, last: undefined, isRunning: true },
      { state: 'warning', found: 'making', place: 's3://safe/room/' },
    ],
    [
      { backup, last, isRunning: true },
      { state: 'good', found: 'made' },
    ],
    [
      { backup, last, weaknesses: ['same_disk'] },
      { state: 'warning', found: 'made', weaknesses: ['same_disk'] },
    ],
    [
      { backup, last },
      { state: 'good', found: 'made', madeAt: ago(DAY).toISOString() },
    ],
    [
      { backup, last: { ...last, missing_media: 2 } },
      { state: 'warning', found: 'incomplete', missingMedia: 2 },
    ],
    [
      { backup, last, isPlaceUsable: false },
      { state: 'bad', found: 'unusable' },
    ],
    [
      { backup, last: { ...last, made_at: ago(2 * DAY + 1) } },
      { state: 'bad', found: 'late' },
    ],
    [
      { fetched: { ...last, made_at: ago(2 * DAY) } },
      { state: 'good', found: 'fetched', fetched: { ...made, madeAt: ago(2 * DAY).toISOString() } },
    ],
    [{ fetched: { ...last, missing_media: 1 } }, { state: 'warning', found: 'incomplete' }],
    [
      { fetched: { ...last, made_at: ago(2 * DAY + 1) } },
      { state: 'warning', found: 'off', fetched: { ...made, madeAt: ago(2 * DAY + 1).toISOString() } },
    ],
    // A fetched backup does not replace those that the service should make.
    [
      { backup, fetched: last },
      { state: 'bad', found: 'none', fetched: { ...made, madeAt: last.made_at.toISOString() } },
    ],
  ] as [Partial<Parameters<typeof judgeBackup>[0]>, Partial<BackupHealth>][])('backup: %o', (facts, expected) => {
    const known = {
      backup: null,
      last: undefined,
      fetched: undefined,
      isPlaceUsable: undefined,
      isRunning: false,
      weaknesses: [],
      ...facts,
    }
    expect(judgeBackup(known, NOW)).toMatchObject(expected)
  })
})
