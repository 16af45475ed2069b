import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3mini } from 's3mini'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openPlace } from '../src/backup/place.js'
import { restoreBackup } from '../src/backup/restore.js'
import { backUpWhenDue } from '../src/backup/schedule.js'
import { openS3 } from '../src/backup/storage/s3.js'
import type { S3Config, S3Place } from '../src/config/backup.js'
import { comparable, fillSample, openSample, type Sample, sampleRows } from './backup-sample.js'
import { greenroom } from './cli.js'
import { withConfig } from './config.js'
import { hasSwift, type Swift, startSwift } from './swift.js'

/** Backups in a real storage: OpenStack Swift with its S3 API, from Debian's packages. */

const PASSPHRASE = 'a passphrase of the tests'
const BUCKET = 'backups'
const directory = mkdtempSync(join(tmpdir(), 'greenroom-s3-swift-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe.runIf(hasSwift())('backups in Swift', { timeout: 600_000 }, () => {
  let swift: Swift
  let client: S3mini
  let sample: Sample
  beforeAll(async () => {
    swift = await startSwift()
    client = new S3mini({
      ...{ accessKeyId: swift.keyId, secretAccessKey: swift.secret, region: swift.region },
      endpoint: `${swift.url}/${BUCKET}`,
    })
    await vi.waitFor(async () => expect(await client.createBucket()).toBe(true), { timeout: 60_000, interval: 500 })
    sample = await openSample(join(directory, 'source'))
    await fillSample(sample)
    // Random bytes do not compress, so the backup has several parts.
    const organization = sample.organizationId
    mkdirSync(join(sample.mediaDir, organization), { recursive: true })
    writeFileSync(join(sample.mediaDir, organization, 'media_large.mp4'), randomBytes(40 * 1024 * 1024))
    await sample.database.query(
      `insert into media (organization_id, media_id, content_type, bytes, width, height, duration_ms, created_at)
       values ($1, 'media_large', 'video/mp4', 41943040, 1, 1, 1, now())`,
      [organization],
    )
  }, 300_000)
  afterAll(async () => {
    await sample?.close()
    await swift?.close()
  })

  const configOf = (more: Partial<S3Config> = {}): S3Config => ({
    ...{ endpoint: swift.url, pathStyle: 'auto', region: swift.region, keyId: swift.keyId, secret: swift.secret },
    ...more,
  })
  const bucket = { bucket: BUCKET, prefix: 'greenroom/' }
  const open = ({ place = bucket, ...more }: Partial<S3Config & { place: S3Place }> = {}) =>
    openS3(configOf(more), place, { wait: async () => {} })
  const refusal = (more: Parameters<typeof open>[0]): Promise<string> =>
    open(more)
      .check()
      .then(
        () => 'nothing',
        (error: Error) => error.message,
      )

  test('keep the newest, contain no incomplete one, and can be listed, verified and restored by the commands', async () => {
    const context = {
      ...sample.app.context,
      config: withConfig(sample.app.context.config, {
        backup: { dir: undefined, bucket, passphrase: PASSPHRASE, everyMs: 3_600_000, keep: 2 },
        s3: configOf(),
      }),
    }
    const storage = open()
    await storage.check()
    expect(await storage.list()).toEqual([])
    // A killed process leaves such an upload.
    const dead = 'greenroom/greenroom-2026-01-01T00-00-00Z.backup'
    await client.getMultipartUploadId(dead)
    const names: string[] = []
    for (const _ of [1, 2, 3]) {
      sample.app.clock.advance(3_600_001)
      names.push((await backUpWhenDue(context))!)
    }
    const listed = await storage.list()
    expect(listed.map(({ name }) => name)).toEqual(names.slice(1))
    for (const { bytes } of listed) expect(bytes).toBeGreaterThan(40 * 1024 * 1024)
    expect(await storage.removeUnfinished(/\.backup$/)).toEqual([])

    const env = {
      ...{ BACKUP_DIR: `s3://${BUCKET}/greenroom`, BACKUP_S3_ENDPOINT: swift.url, BACKUP_S3_REGION: swift.region },
      ...{ BACKUP_S3_KEY_ID: swift.keyId, BACKUP_S3_SECRET: swift.secret, DATA_DIR: join(directory, 'none') },
    }
    const file = join(directory, 'passphrase')
    writeFileSync(file, PASSPHRASE)
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await greenroom(args, { env })
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout)
    }
    const backup = `s3://${BUCKET}/greenroom/${names[2]}`
    expect(await run('backup', 'list')).toContainEqual({ backup, bytes: listed[1]!.bytes })
    expect(await run('backup', 'verify', backup, '--passphrase-file', file)).toMatchObject({
      ...{ authenticated: true, masterKey: 'opens', mediaFiles: 4, missingMediaFiles: 0 },
    })
    const place = await sample.newPlace()
    await restoreBackup({
      ...{ file: { storage, name: names[2]! }, place, mediaDir: join(directory, 'media') },
      ...{ passphrase: PASSPHRASE, masterKeyFile: join(directory, 'restored.key') },
    })
    const restored = await openPlace(place)
    onTestFinished(() => restored.close())
    const [expected, found] = comparable(await sampleRows(sample.database), await sampleRows(restored))
    expect({ ...found, last_backup: [] }).toEqual({ ...expected, last_backup: [] })
  })

  test('an upload that fails in the middle is not listed, and its parts are removed', async () => {
    const storage = open()
    const before = await storage.list()
    const writing = storage.write('greenroom-2026-02-02T00-00-00Z.backup', async (write) => {
      await write(randomBytes(36 * 1024 * 1024))
      throw new Error('the database went away')
    })
    await expect(writing).rejects.toThrow('the database went away')
    expect(await storage.list()).toEqual(before)
    expect(await storage.removeUnfinished(/\.backup$/)).toEqual([])
  })

  test('mistakes are explained in one sentence', async () => {
    // Swift does not report which of the two is wrong.
    expect(await refusal({ keyId: 'backups:stranger' })).toMatch(/rejects the signature: set BACKUP_S3_SECRET/)
    expect(await refusal({ secret: 'hush' })).toMatch(/rejects the signature: set BACKUP_S3_SECRET/)
    expect(await refusal({ region: 'us-east-1' })).toMatch(
      /not in the region us-east-1: set BACKUP_S3_REGION to eu-test-1/,
    )
    expect(await refusal({ place: { bucket: 'other', prefix: '' } })).toMatch(/There is no bucket other at /)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await refusal({})).toMatch(/clock of this machine is off .* NTP/)
  })
})
