import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSample } from '../../test/backup-sample.js'
import { OPERATOR_TOKEN, operatorCall } from '../../test/harness.js'
import { DAY_MS, readExports } from '../../test/retention.js'
import { openPlace } from '../backup/place.js'
import { restoreBackup } from '../backup/restore.js'
import type { Config } from '../config/index.js'
import type { Database } from '../database/database.js'
import { runDueTasks } from './retention.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-retention-restore-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('a restore reports what the replaced server has only in files, and the restored one loses no entry', async () => {
  const sample = await openSample(join(directory, 'source'))
  const { app, organizationId } = sample
  const exportDir = join(directory, 'trail')
  const none = { postContentMs: undefined, revokedKeysMs: undefined, unusedMediaMs: undefined }
  const config: Config = { ...app.context.config, retention: { ...none, audit: { keepMs: 30 * DAY_MS, exportDir } } }
  const run = (database: Database) => runDueTasks({ ...app.context, database, config })
  const path = `/organizations/${organizationId}/keys`
  const issue = async (): Promise<string> => (await operatorCall(app, 201, 'POST', path, { body: {} })).body.id
  const before = await issue()
  const response = await app.app.inject({
    method: 'POST',
    url: '/api/server/backups',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: '{}',
  })
  const file = join(directory, 'whole.backup')
  writeFileSync(file, response.rawPayload)
  app.clock.advance(DAY_MS)
  await issue()
  app.clock.advance(40 * DAY_MS)
  const late = await issue()
  await run(sample.database)
  await sample.close()

  const place = await sample.newPlace()
  const options = { mediaDir: join(directory, 'media'), passphrase: undefined, masterKeyFile: undefined }
  const report = await restoreBackup({ file, place, ...options, replaces: sample.place, clock: app.clock })
  expect(report.undone!.map(({ id }) => id)).toEqual([late])
  expect(report.exportedBefore).toEqual(new Date(app.clock.now() - 30 * DAY_MS))
  const database = await openPlace(place)
  try {
    // The replaced server exported the trail of the backup; its list of files is not in the backup.
    await run(database)
    const { rows } = await database.query<{ at: Date }>('select at from audit_trail order by audit_id limit 1')
    expect(rows[0]!.at.getTime()).toBeGreaterThanOrEqual(app.clock.now() - 30 * DAY_MS)
    const exported = readExports(exportDir).filter(({ target }) => (target as { id: string }).id === before)
    expect(exported).toHaveLength(2)
    expect(exported[0]).toEqual(exported[1])
  } finally {
    await database.close()
  }
}, 300_000)
