import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { comparable, fillSample, openSample, type Sample, sampleRows } from '../../test/backup-sample.js'
import { greenroom } from '../../test/cli.js'
import { withConfig } from '../../test/config.js'
import { type S3Server, startS3Server } from '../../test/s3-server.js'
import type { S3Config, S3Place } from '../config/backup.js'
import { examine } from '../doctor/doctor.js'
import { openPlace } from './place.js'
import { restoreBackup } from './restore.js'
import { backUpWhenDue, startBackupSchedule } from './schedule.js'
import { openS3 } from './storage/s3.js'
import { verifyBackup } from './verify.js'

const PASSPHRASE = 'a passphrase of the tests'
const directory = mkdtempSync(join(tmpdir(), 'greenroom-bucket-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let server: S3Server
beforeEach(async () => {
  server = await startS3Server()
})
afterEach(() => server.close())

const configOf = (more: Partial<S3Config> = {}): S3Config => ({
  ...{ endpoint: server.url, pathStyle: 'auto', region: server.region, keyId: server.keyId, secret: server.secret },
  ...more,
})
const bucketOf = (): S3Place => ({ bucket: server.bucket, prefix: 'here/' })

describe('automatic backups', { timeout: 300_000 }, () => {
  let sample: Sample
  beforeAll(async () => {
    sample = await openSample(join(directory, 'source'))
    await fillSample(sample)
  })
  afterAll(() => sample.close())

  const lines: string[] = []
  const contextWith = (more: Partial<S3Config> = {}, passphrase: string | undefined = undefined) => ({
    ...sample.app.context,
    backups: { isRunning: false } as { isRunning: boolean; isPlaceUsable?: boolean },
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    config: withConfig(sample.app.context.config, {
      backup: { dir: undefined, bucket: bucketOf(), passphrase, everyMs: 3_600_000, keep: 1 },
      s3: configOf(more),
    }),
  })
  const environment = (): Record<string, string> => ({
    BACKUP_DIR: `s3://${server.bucket}/here`,
    BACKUP_S3_ENDPOINT: server.url,
    BACKUP_S3_REGION: server.region,
    BACKUP_S3_KEY_ID: server.keyId,
    BACKUP_S3_SECRET: server.secret,
    BACKUP_PASSPHRASE: PASSPHRASE,
  })

  test('go into the bucket, encrypted; the newest are kept, and the commands list, verify and restore them', async () => {
    const context = contextWith({}, PASSPHRASE)
    const names: string[] = []
    for (const _ of [1, 2]) {
      sample.app.clock.advance(3_600_001)
      names.push((await backUpWhenDue(context))!)
      server.uploads.set('dead', { key: `here/${names[0]}`, parts: new Map() })
    }
    expect([...server.objects.keys()]).toEqual([`here/${names[1]}`])
    expect([...server.uploads.keys()]).toEqual(['dead'])
    expect(context.backups.isPlaceUsable).toBe(true)
    for (const content of server.objects.values())
      expect(content.toString('latin1', 0, 21)).toBe('age-encryption.org/v1')

    const env = environment()
    const file = join(directory, 'passphrase')
    writeFileSync(file, PASSPHRASE)
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await greenroom(args, { env: { ...env, DATA_DIR: join(directory, 'none') } })
      expect(code, stderr).toBe(0)
      expect(stdout + stderr).not.toContain(server.secret)
      return JSON.parse(stdout)
    }
    const backup = `s3://${server.bucket}/here/${names[1]}`
    const listed = await run('backup', 'list')
    expect(listed).toEqual([{ backup, bytes: [...server.objects.values()][0]!.length }])
    expect(await run('backup', 'list', `s3://${server.bucket}/here/`)).toEqual(listed)
    expect(await run('backup', 'verify', backup, '--passphrase-file', file)).toMatchObject({
      ...{ authenticated: true, masterKey: 'opens', mediaFiles: 3, missingMediaFiles: 0 },
    })
    const place = await sample.newPlace()
    const storage = openS3(configOf(), bucketOf())
    await restoreBackup({
      ...{ file: { storage, name: names[1]! }, place, mediaDir: join(directory, 'media') },
      ...{ passphrase: PASSPHRASE, masterKeyFile: join(directory, 'restored.key') },
    })
    const restored = await openPlace(place)
    onTestFinished(() => restored.close())
    const [expected, found] = comparable(await sampleRows(sample.database), await sampleRows(restored))
    expect({ ...found, last_backup: [] }).toEqual({ ...expected, last_backup: [] })
    // Another object under the name of a backup cannot be opened as that backup.
    server.objects.set(`here/${names[0]}`, server.objects.get(`here/${names[1]}`)!)
    await expect(verifyBackup({ storage, name: names[0]! }, { passphrase: PASSPHRASE })).rejects.toThrow(
      'Its name says',
    )
  })

  test('that fail leave nothing, are reported with a remedy and without the secret, and older ones stay', async () => {
    server.objects.set('here/greenroom-2026-01-01T00-00-00Z.backup', Buffer.alloc(1))
    const { metrics } = sample.app.context
    const failed = vi.spyOn(metrics, 'countBackup')
    lines.length = 0
    const context = contextWith({ secret: 'hush-this-is-secret' })
    sample.app.clock.advance(3_600_001)
    const schedule = startBackupSchedule(context)
    onTestFinished(() => schedule?.stop())
    await vi.waitFor(() => expect(failed).toHaveBeenCalledWith('failed'), 120_000)
    expect(context.backups).toEqual({ isRunning: false, isPlaceUsable: false })
    expect(
      lines.filter((line) => line.includes('set BACKUP_S3_SECRET to the secret of BACKUP_S3_KEY_ID')),
    ).toHaveLength(2)
    expect(lines.join()).not.toMatch(/hush-this|AKID/)
    expect([...server.objects.keys()]).toEqual(['here/greenroom-2026-01-01T00-00-00Z.backup'])
  })

  /** No backup is due, so the schedule only checks the storage. */
  async function beginWithBackupMadeNow(): Promise<void> {
    await sample.database.query(
      `insert into last_backup (made_at, file, bytes, master_key) values ($1, 'x.backup', 1, true)
       on conflict (only_row) do update set made_at = excluded.made_at`,
      [new Date(sample.app.clock.now())],
    )
  }

  test('a storage that was unavailable at the start is checked again, and reported once', async () => {
    await beginWithBackupMadeNow()
    server.fault = () => ({ status: 403, code: 'AccessDenied' })
    lines.length = 0
    const context = contextWith()
    let poll = (): void => {}
    const schedule = startBackupSchedule(context, () => {
      return new Promise((resolve) => {
        poll = resolve
      })
    })
    onTestFinished(() => schedule?.stop())
    await vi.waitFor(() => expect(context.backups.isPlaceUsable).toBe(false), 60_000)
    const looks = server.requests.length
    poll()
    await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(looks), 60_000)
    server.fault = () => undefined
    poll()
    await vi.waitFor(() => expect(context.backups.isPlaceUsable).toBe(true), 60_000)
    const messages = lines.map((line) => JSON.parse(line).msg).filter((msg) => msg.includes('BACKUP_DIR'))
    expect(messages).toEqual(['backups cannot be written to BACKUP_DIR', 'backups can be written to BACKUP_DIR again'])
  })

  test('a storage that no longer answers gets one check at a time', async () => {
    await beginWithBackupMadeNow()
    let asked = 0
    server.fault = () => (asked++ === 0 ? 'hang' : undefined)
    const context = contextWith()
    // A schedule that did not wait for its check would start another with each turn.
    const schedule = startBackupSchedule(context, () => new Promise((resolve) => setImmediate(resolve)))
    onTestFinished(() => schedule?.stop())
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), 60_000)
    // These requests come after those of another check, if there were one.
    await openS3(configOf(), bucketOf()).check()
    expect(server.requests).toHaveLength(4)
    expect(context.backups.isPlaceUsable).toBeUndefined()
  })

  test('count as made with a key that may not delete', async () => {
    server.objects.set('here/greenroom-2026-01-01T00-00-00Z.backup', Buffer.alloc(1))
    server.objects.set('here/greenroom-2026-01-02T00-00-00Z.backup', Buffer.alloc(1))
    server.fault = ({ operation }) =>
      operation === 'DELETE object' ? { status: 403, code: 'AccessDenied' } : undefined
    lines.length = 0
    sample.app.clock.advance(3_600_001)
    expect(await backUpWhenDue(contextWith())).toBeDefined()
    expect(server.objects.size).toBe(3)
    expect(lines.some((line) => line.includes('older backups could not be removed'))).toBe(true)
  })

  test('doctor checks the bucket', async () => {
    const look = async (more: Record<string, string> = {}) => {
      const env = {
        ...environment(),
        DATA_DIR: join(directory, 'empty'),
        GRAPH_BASE_URL: 'http://127.0.0.1:1',
        ...more,
      }
      const findings = await examine({ env })
      expect(JSON.stringify(findings)).not.toMatch(/hush-this/)
      return findings.filter(({ check }) => check === 'backups' || check === 'configuration')
    }
    expect(await look()).toContainEqual({
      ...{ check: 'backups', state: 'ok', finding: 's3://backups/here/ can be listed and written.', remedy: '' },
    })
    expect(await look({ BACKUP_S3_SECRET: 'hush-this-is-secret' })).toContainEqual(
      expect.objectContaining({ state: 'problem', finding: expect.stringContaining('rejects the signature') }),
    )
    expect(await look({ BACKUP_S3_SECRET: '' })).toEqual([
      expect.objectContaining({ finding: 'BACKUP_S3_KEY_ID and BACKUP_S3_SECRET belong together: set both.' }),
    ])
  })

  test('`greenroom backup` refuses an invalid place in a bucket, and a bucket without its key', async () => {
    const run = async (args: string[], env: Record<string, string> = {}) => {
      const { code, stderr } = await greenroom(args, { env })
      return [code, stderr]
    }
    expect(await run(['backup', 'verify', 's3://acme.backup'])).toEqual([
      1,
      'Specify a backup in a bucket like this: s3://backups/greenroom/acme.backup.\n',
    ])
    expect(await run(['backup', 'list', 's3://backups/x'])).toEqual([
      1,
      'Set BACKUP_S3_KEY_ID and BACKUP_S3_SECRET to an access key for the bucket.\n',
    ])
    expect(await run(['backup', 'list'])).toEqual([
      2,
      'Specify a directory or s3://bucket/prefix, or set BACKUP_DIR.\n',
    ])
    expect((await run(['backup', 'list', join(directory, 'nowhere')]))[1]).toMatch(/cannot be read \(ENOENT\)/)
  })
})
