import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { DAY_MS } from '../../test/retention.js'
import { readConfig } from '../config/index.js'
import { createContext } from '../context.js'
import { examine, type Finding } from '../doctor/doctor.js'
import { runDueTasks } from './retention.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-retention-doctor-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const at = (name: string): string => join(directory, name)

test('the doctor reports what was not done, a directory that is not writable, and a trail shorter than the backups', async () => {
  const env = {
    ...{ DATA_DIR: at('data'), AUDIT_KEEP_DAYS: '30', AUDIT_EXPORT_DIR: at('trail'), REVOKED_KEYS_KEEP_DAYS: '30' },
    GRAPH_BASE_URL: 'http://127.0.0.1:1',
  }
  const context = await createContext(readConfig(env), { log: pino({ level: 'silent' }) })
  await runDueTasks(context)
  await context.close()
  const later = (days: number, more: object = {}): Promise<Finding[]> =>
    examine({ env: { ...env, ...more }, clock: { now: () => Date.now() + days * DAY_MS } })
  const of = (findings: Finding[], check: string) => findings.filter((one) => one.check === check)
  expect(of(await later(0), 'retention')).toMatchObject([{ state: 'ok', finding: 'It is set for audit, keys.' }])
  expect(of(await later(0), 'disk').map(({ finding }) => finding)).toContainEqual(
    expect.stringContaining('AUDIT_EXPORT_DIR'),
  )
  expect(of(await later(3), 'retention')).toMatchObject([{ state: 'warning' }, { state: 'warning' }])
  const long = { BACKUP_DIR: at('backups'), BACKUP_EVERY: '7d', BACKUP_KEEP: '8' }
  expect(of(await later(0, long), 'retention')).toMatchObject([
    { state: 'warning', remedy: 'Set AUDIT_KEEP_DAYS to more than BACKUP_EVERY times BACKUP_KEEP.' },
  ])
})
