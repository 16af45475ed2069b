import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillSample, openSample, type Sample } from '../../test/backup-sample.js'
import { startChild } from '../../test/child.js'
import { greenroom } from '../../test/cli.js'
import { OPERATOR_TOKEN } from '../../test/harness.js'
import { makePipe } from '../../test/pipe.js'
import { systemClock } from '../lib/clock.js'
import { drillBackup } from './drill.js'

const PASSPHRASE = 'correct horse battery'
const MAIN = new URL('../main.ts', import.meta.url)
const directory = mkdtempSync(join(tmpdir(), 'greenroom-drills-'))
const within = join(directory, 'within')
const passphraseFile = join(directory, 'passphrase')

let sample: Sample
let file: string
let open: string

async function takeBackup(name: string, body: object): Promise<string> {
  const response = await sample.app.app.inject({
    method: 'POST',
    url: '/api/server/backups',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  expect(response.statusCode).toBe(200)
  const path = join(directory, name)
  writeFileSync(path, response.rawPayload)
  return path
}

beforeAll(async () => {
  mkdirSync(within)
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`)
  sample = await openSample(join(directory, 'source'))
  await fillSample(sample)
  file = await takeBackup('whole.backup', { passphrase: PASSPHRASE })
  open = await takeBackup('open.backup', {})
})
afterAll(async () => {
  await sample.close()
  rmSync(directory, { recursive: true, force: true })
})

const verify = (path: string, ...options: string[]) =>
  greenroom(['backup', 'verify', path, '--restore', '--in', within, ...options], { clock: systemClock })

test('a drill restores the backup, reports secrets that cannot be opened, and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await verify(file, '--passphrase-file', passphraseFile)
  const found = JSON.parse(stdout)
  expect(found).toMatchObject({
    authenticated: true,
    migrated: 0,
    missingMediaFiles: 0,
    tookSeconds: expect.any(Number),
  })
  for (const name of ['rows', 'organizations', 'conversations', 'secrets']) expect(found[name], name).toBeGreaterThan(0)
  // Some of the sample's values are not sealed.
  expect(found.secretsOpened).toBeGreaterThan(0)
  expect(code).toBe(1)
  expect(stderr).toContain(`${found.secrets - found.secretsOpened} secrets cannot be opened, such as that of `)
  expect(stdout + stderr).not.toContain(PASSPHRASE)
  expect(readdirSync(within)).toEqual([])
})

test('a backup without a master key is tried with a given key', async () => {
  const { code, stdout, stderr } = await verify(open)
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ authenticated: false, secrets: null, secretsOpened: null })
  expect(stderr).toContain('contains no master key')
  const [key, other] = [join(directory, 'master.key'), join(directory, 'other.key')]
  writeFileSync(key, `${sample.masterKey}\n`)
  writeFileSync(other, `${'cd'.repeat(32)}\n`)
  const opened = await verify(open, '--master-key-file', key)
  expect(JSON.parse(opened.stdout).secrets).toBeGreaterThan(0)
  // A pipe is read once: `--master-key-file <(…)`.
  const pipe = makePipe(join(directory, 'pipe'), sample.masterKey)
  await expect.poll(() => existsSync(pipe)).toBe(true)
  const piped = await verify(open, '--master-key-file', pipe)
  expect(JSON.parse(piped.stdout).secrets, piped.stderr).toBeGreaterThan(0)
  const again = await verify(pipe)
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is a pipe, but a backup is read more than')])
  const none = await verify(open, '--master-key-file', passphraseFile)
  expect([none.code, none.stderr]).toEqual([
    2,
    `${passphraseFile} does not contain a master key, which is 64 hex digits.\n`,
  ])
  const wrong = await verify(open, '--master-key-file', other)
  expect([wrong.code, wrong.stdout]).toEqual([1, ''])
  expect(wrong.stderr).toContain('is not the master key of this database')
  expect(readdirSync(within)).toEqual([])
})

test('a disk without room is reported before anything is restored, and Ctrl-C removes what was restored', async () => {
  const place = mkdtempSync(join(within, 'place-'))
  const statfs = async () => ({ bavail: 10, bsize: 1_000_000, blocks: 100, dev: 1 })
  const drill = { file, passphrase: PASSPHRASE, masterKey: undefined, directory: place, clock: systemClock, statfs }
  await expect(drillBackup({ ...drill, onProgress: () => {} })).rejects.toThrow(/needs about \d+ MB, .* has 10 MB left/)
  expect(readdirSync(place)).toEqual([])
  rmSync(place, { recursive: true })

  const args = ['backup', 'verify', file, '--restore', '--in', within, '--passphrase-file', passphraseFile]
  const child = startChild(MAIN, args, { DATA_DIR: directory })
  await expect.poll(() => readdirSync(within).length, { timeout: 60_000 }).toBe(1)
  child.process.kill('SIGINT')
  expect(await child.ended).toBe(130)
  expect(readdirSync(within)).toEqual([])
})
