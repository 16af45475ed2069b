import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadMasterKey } from './master-key.js'
import { createSealer } from './seal.js'

test('a sealed secret opens under its own key and context alone, and never looks the same twice', () => {
  const sealer = createSealer(randomBytes(32))
  const sealed = sealer.seal('geheim 🔑', 'key 1')
  expect(sealer.open(sealed, 'key 1')).toBe('geheim 🔑')
  expect(sealer.seal('geheim 🔑', 'key 1')).not.toBe(sealed)
  expect(() => sealer.open(sealed, 'key 2')).toThrow()
  expect(() => createSealer(randomBytes(32)).open(sealed, 'key 1')).toThrow()
  expect(() => sealer.open(`${sealed.slice(0, -2)}AA`, 'key 1')).toThrow()
  expect(() => sealer.open('v0.abc', 'key 1')).toThrow()
})

test('the master key is made once, for its owner alone, and a damaged one is never replaced', () => {
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-key-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const dataDir = join(directory, 'new', 'data')
  const key = loadMasterKey(dataDir)
  expect(key).toHaveLength(32)
  expect(loadMasterKey(dataDir)).toEqual(key)
  const path = join(dataDir, 'master.key')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  writeFileSync(path, 'damaged')
  expect(() => loadMasterKey(dataDir)).toThrow(/restore it/)
  expect(readFileSync(path, 'utf8')).toBe('damaged')
})
