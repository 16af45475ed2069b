import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { canMount } from '../../../test/tools.js'
import { readConfig } from '../../config/index.js'
import { serve } from '../../serve.js'
import { findDirectoryMistake, openDirectory } from './directory.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-directory-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const at = (...names: string[]): string => join(directory, ...names)
mkdirSync(at('data', 'database'), { recursive: true })
mkdirSync(at('media'))
mkdirSync(at('backups'))
writeFileSync(at('file'), '')
symlinkSync(at('data'), at('link'))

const mistakeOf = (backupDir: string, more: Record<string, string> = {}): string | undefined =>
  findDirectoryMistake(readConfig({ DATA_DIR: at('data'), MEDIA_DIR: at('media'), BACKUP_DIR: backupDir, ...more }))

test.each([
  ['the data directory', 'data', /is the data directory: choose a separate directory/],
  ['a link to it', 'link', /is the data directory/],
  ['the database', 'data/database/backups', /is the data directory/],
  ['the media', 'media', /is inside MEDIA_DIR: choose a separate directory/],
  ['below the media', 'media/backups', /is inside MEDIA_DIR/],
  ['a file', 'file', /file is a file: set BACKUP_DIR to a directory\.$/],
  ['below a file', 'file/backups', /is a file: set BACKUP_DIR/],
  [
    'below nothing',
    'mnt/backups',
    /cannot be created, because .+mnt does not exist\. Create it \(mkdir -p .+backups\), or mount its disk\.$/,
  ],
])('BACKUP_DIR that is %s stops the start with one sentence', async (_what, path, sentence) => {
  expect(mistakeOf(at(path))).toMatch(sentence)
  const config = readConfig({
    DATA_DIR: at('data'),
    MEDIA_DIR: at('media'),
    BACKUP_DIR: at(path),
    PORT: '0',
    LOG_LEVEL: 'silent',
  })
  await expect(serve(config, undefined, () => {}, false)).rejects.toMatchObject({
    name: 'StartError',
    message: mistakeOf(at(path)),
  })
  expect(readdirSync(at('data'))).toEqual(['database'])
})

test('a directory, one that can be created in its parent, and one in the data directory of a first start are accepted', () => {
  expect(mistakeOf(at('backups'))).toBeUndefined()
  expect(mistakeOf(at('next'))).toBeUndefined()
  expect(existsSync(at('next'))).toBe(false)
  expect(mistakeOf(at('data', 'backups'))).toBeUndefined()
  expect(mistakeOf(at('new', 'backups'), { DATA_DIR: at('new') })).toBeUndefined()
  // With PostgreSQL there is no database in DATA_DIR.
  const postgres = { DATABASE_URL: 'postgres://db/greenroom', MASTER_KEY: 'ab'.repeat(32) }
  expect(mistakeOf(at('data'), postgres)).toBeUndefined()
})

test.skipIf(process.getuid?.() === 0)('a directory that this user may not write stops the start', () => {
  mkdirSync(at('closed'), { mode: 0o500 })
  expect(mistakeOf(at('closed'))).toMatch(/cannot be written \(EACCES\): chown it to the user/)
  chmodSync(at('closed'), 0o700)
})

test('checking it creates it, and leaves nothing in it', async () => {
  await openDirectory(at('looked')).check()
  expect(readdirSync(at('looked'))).toEqual([])
  await expect(openDirectory(at('file')).check()).rejects.toThrow(/^BACKUP_DIR .+file cannot be written \(EEXIST\): /)
})

test.runIf(canMount())('a disk that is read-only or full is reported', async () => {
  mkdirSync(at('mounted'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,nr_inodes=2', 'tmpfs', at('mounted')])
  onTestFinished(() => void execFileSync('umount', [at('mounted')]))
  writeFileSync(at('mounted', 'filler'), '')
  await expect(openDirectory(at('mounted')).check()).rejects.toThrow(
    /cannot be written \(ENOSPC\): free some space on its disk\.$/,
  )
  execFileSync('mount', ['-o', 'remount,ro', at('mounted')])
  await expect(openDirectory(at('mounted')).check()).rejects.toThrow(/\(EROFS\): mount its disk for writing\.$/)
  expect(mistakeOf(at('mounted'))).toMatch(/\(EROFS\)/)
})
