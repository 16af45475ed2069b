import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { DAY_MS } from '../../test/retention.js'
import { readConfig } from '../config/index.js'
import { examine } from '../doctor/doctor.js'
import { startRetention } from './retention.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-retention-settings-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const at = (name: string): string => join(directory, name)

test('without a setting everything is kept, and nothing runs', () => {
  const config = readConfig({})
  expect(config.retention).toStrictEqual({
    audit: undefined,
    postContentMs: undefined,
    revokedKeysMs: undefined,
    unusedMediaMs: undefined,
  })
  expect(startRetention({ config } as never)).toBeUndefined()
})

test('the settings are days', () => {
  const env = {
    ...{ AUDIT_KEEP_DAYS: '400', AUDIT_EXPORT_DIR: at('trail'), POST_CONTENT_KEEP_DAYS: '365' },
    ...{ REVOKED_KEYS_KEEP_DAYS: '1', UNUSED_MEDIA_KEEP_DAYS: '3650', MEDIA_DIR: at('media') },
  }
  expect(readConfig(env).retention).toEqual({
    audit: { keepMs: 400 * DAY_MS, exportDir: at('trail') },
    postContentMs: 365 * DAY_MS,
    revokedKeysMs: DAY_MS,
    unusedMediaMs: 3_650 * DAY_MS,
  })
})

test.each([
  [{ AUDIT_KEEP_DAYS: '400' }, /^AUDIT_KEEP_DAYS needs AUDIT_EXPORT_DIR/],
  [{ AUDIT_EXPORT_DIR: 'trail' }, /^AUDIT_EXPORT_DIR is set without AUDIT_KEEP_DAYS/],
  [{ AUDIT_KEEP_DAYS: '29', AUDIT_EXPORT_DIR: 'trail' }, /^AUDIT_KEEP_DAYS must be a whole number from 30 to 3650/],
  [
    { AUDIT_KEEP_DAYS: '400', MEDIA_DIR: 'media', AUDIT_EXPORT_DIR: 'media/trail' },
    /^AUDIT_EXPORT_DIR must not be in MEDIA_DIR/,
  ],
  [
    { AUDIT_KEEP_DAYS: '400', DATA_DIR: 'data', AUDIT_EXPORT_DIR: 'data/database' },
    /^AUDIT_EXPORT_DIR must not be in the directory of the embedded database/,
  ],
  [{ UNUSED_MEDIA_KEEP_DAYS: '30' }, /^UNUSED_MEDIA_KEEP_DAYS needs MEDIA_DIR/],
  [{ POST_CONTENT_KEEP_DAYS: '0' }, /^POST_CONTENT_KEEP_DAYS must be a whole number from 1 to 3650/],
  [{ REVOKED_KEYS_KEEP_DAYS: '1y' }, /^REVOKED_KEYS_KEEP_DAYS must be a whole number/],
])('the start and the doctor reject %j', async (env, expected) => {
  const findings = await examine({ env: { DATA_DIR: at('none'), ...env } })
  const named = findings.filter(({ state }) => state === 'problem').map(({ finding }) => finding)
  expect(named).toEqual([expect.stringMatching(expected)])
  expect(() => readConfig(env)).toThrow('The configuration is invalid')
})
