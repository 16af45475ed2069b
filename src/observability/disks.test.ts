import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { withConfig } from '../../test/config.js'
import { MASTER_KEY, startTestApp } from '../../test/harness.js'
import { readConfig } from '../config/index.js'
import { examine } from '../doctor/doctor.js'
import { createDiskReader, type Statfs } from './disks.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-disks-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const env = {
  MASTER_KEY,
  DATA_DIR: join(directory, 'data'),
  MEDIA_DIR: join(directory, 'not', 'there', 'yet'),
  BACKUP_DIR: join(directory, 'backups'),
}

test('a scrape measures the disks of the data, media and backup directories, even if these do not exist yet', async () => {
  const config = readConfig(env)
  const { app } = await startTestApp(withConfig(config, { media: null, database: { url: undefined } }))
  const { body } = await app.inject('/metrics')
  const { blocks, bsize } = statfsSync(directory)
  for (const name of ['data', 'backups']) {
    expect(body).toContain(`greenroom_disk_size_bytes{directory="${name}"} ${blocks * bsize}\n`)
    expect(
      Number(new RegExp(`greenroom_disk_free_bytes\\{directory="${name}"\\} (\\d+)`).exec(body)?.[1]),
    ).toBeGreaterThan(0)
  }
  expect((await createDiskReader(config)()).map(({ directory: name }) => name)).toEqual(['data', 'media', 'backups'])
})

test('a disk that does not answer is omitted and not asked again until it does, and the others are measured', async () => {
  const asked: string[] = []
  let answer = (): void => {}
  const statfs: Statfs = async (path) => {
    asked.push(path)
    if (path === env.BACKUP_DIR) await new Promise<void>((resolve) => (answer = resolve))
    return { bavail: 2, blocks: 5, bsize: 1_000, dev: 1 }
  }
  const read = createDiskReader(readConfig(env), statfs, async (_ms, signal) => {
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  })
  for (let times = 0; times < 3; times++) {
    expect(await read()).toMatchObject([
      { directory: 'data', freeBytes: 2_000, sizeBytes: 5_000 },
      { directory: 'media', freeBytes: 2_000, sizeBytes: 5_000 },
    ])
  }
  expect(asked.filter((path) => path === env.BACKUP_DIR)).toHaveLength(1)
  answer()
  await new Promise((resolve) => setImmediate(resolve))
  void read()
  expect(asked.filter((path) => path === env.BACKUP_DIR)).toHaveLength(2)
  answer()
})

test('two settings with the same directory are both measured', async () => {
  const config = readConfig({ ...env, AUDIT_KEEP_DAYS: '30', AUDIT_EXPORT_DIR: env.BACKUP_DIR })
  expect((await createDiskReader(config)()).map(({ directory: name }) => name)).toEqual([
    ...['data', 'media', 'backups', 'audit-exports'],
  ])
})

test.each([
  [0, 'problem'],
  [64 * 1024 ** 2 - 1, 'problem'],
  [64 * 1024 ** 2, 'warning'],
  [1024 ** 3, 'ok'],
] as const)('the doctor reports %d free bytes as %s', async (freeBytes, state) => {
  const statfs: Statfs = async () => ({ bavail: freeBytes, blocks: 10 * 1024 ** 3, bsize: 1, dev: 1 })
  const findings = await examine({ env: { ...env, GRAPH_BASE_URL: 'http://127.0.0.1:1' }, statfs })
  const disks = findings.filter(({ check }) => check === 'disk')
  expect(disks.map((disk) => disk.state)).toEqual([state, state, state])
  if (state === 'problem') {
    expect(disks[0]).toMatchObject({
      finding: `The disk of DATA_DIR ${env.DATA_DIR} is full: ${Math.floor(freeBytes / 1024 ** 2)} MiB are free.`,
      remedy: 'Free some space now: nothing can be written there.',
    })
  }
})
