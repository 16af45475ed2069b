import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { comparable, fillSample, openSample, type Sample, sampleRows } from '../../test/backup-sample.js'
import { OPERATOR_TOKEN } from '../../test/harness.js'
import { openPlace } from './place.js'
import { restoreBackup } from './restore.js'

// A round trip. Other tests of backups are in the files that end in .long.test.ts.

const PASSPHRASE = 'correct horse battery'
const directory = mkdtempSync(join(tmpdir(), 'greenroom-backup-'))
const file = join(directory, 'sample.backup')
const masterKeyFile = join(directory, 'master.key')

let sample: Sample
beforeAll(async () => {
  sample = await openSample(join(directory, 'source'))
  await fillSample(sample, 50)
  const response = await sample.app.app.inject({
    method: 'POST',
    url: '/api/server/backups',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: JSON.stringify({ passphrase: PASSPHRASE }),
  })
  expect(response.statusCode).toBe(200)
  writeFileSync(file, response.rawPayload)
})
afterAll(async () => {
  await sample.close()
  rmSync(directory, { recursive: true, force: true })
})

const restore = async (options: Partial<Parameters<typeof restoreBackup>[0]> = {}) => {
  const place = await sample.newPlace()
  const mediaDir = join(directory, 'media')
  await restoreBackup({ file, place, mediaDir, passphrase: PASSPHRASE, masterKeyFile, ...options })
  return place
}

test('with a wrong passphrase, or with one bit changed, nothing is restored', async () => {
  await expect(restore({ passphrase: 'correct horse batterz' })).rejects.toThrow('The passphrase is wrong')
  const altered = readFileSync(file)
  altered[altered.length >> 1]! ^= 1
  const forged = join(directory, 'forged.backup')
  writeFileSync(forged, altered)
  await expect(restore({ file: forged })).rejects.toThrow()
})

test('restores every row and the master key unchanged', async () => {
  const restored = await openPlace(await restore())
  onTestFinished(() => restored.close())
  const [expected, found] = comparable(await sampleRows(sample.database), await sampleRows(restored))
  expect(found).toEqual(expected)
  expect(readFileSync(masterKeyFile, 'utf8').trim()).toBe(sample.masterKey)
})
