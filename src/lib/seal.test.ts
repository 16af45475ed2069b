import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { MasterKeyFile } from './master-key.js'
import { KeyRing, keyIdOf, UnsealError } from './seal.js'

test('a sealed secret can be opened only with its own key and context, and never looks the same twice', () => {
  const ring = new KeyRing([randomBytes(32)])
  const sealed = ring.seal('geheim 🔑', 'key 1')
  expect(ring.open(sealed, 'key 1')).toBe('geheim 🔑')
  expect(ring.seal('geheim 🔑', 'key 1')).not.toBe(sealed)
  expect(() => ring.open(sealed, 'key 2')).toThrow(UnsealError)
  expect(() => new KeyRing([randomBytes(32)]).open(sealed, 'key 1')).toThrow(UnsealError)
  const [format, payload, keyId] = sealed.split('.')
  const altered = payload!.slice(0, -1) + (payload!.endsWith('A') ? 'B' : 'A')
  expect(() => ring.open(`${format}.${altered}.${keyId}`, 'key 1')).toThrow(UnsealError)
  expect(() => ring.open('v0.abc', 'key 1')).toThrow(UnsealError)
})

test('a sealed secret names its key, which reveals nothing of the key itself', () => {
  const [key, other] = [randomBytes(32), randomBytes(32)]
  const sealed = new KeyRing([key]).seal('geheim', 'key 1')
  expect(sealed.split('.')[2]).toBe(keyIdOf(key))
  expect(keyIdOf(key)).toMatch(/^[\w-]{11}$/)
  expect(key.toString('base64url')).not.toContain(keyIdOf(key))
  expect(() => new KeyRing([other]).open(sealed, 'key 1')).toThrow(keyIdOf(key))
})

test('a ring opens with each of its keys, and seals with the chosen one', () => {
  const [old, key] = [randomBytes(32), randomBytes(32)]
  const [oldRing, ring] = [new KeyRing([old]), new KeyRing([key, old])]
  const sealed = oldRing.seal('geheim', 'key 1')
  expect(ring.open(sealed, 'key 1')).toBe('geheim')
  expect(ring.seal('x', '').split('.')[2]).toBe(keyIdOf(key))
  ring.sealUnder(keyIdOf(old))
  expect(oldRing.open(ring.seal('x', ''), '')).toBe('x')
  expect(() => oldRing.sealUnder(keyIdOf(key))).toThrow(UnsealError)
})

test('the file of the master key is created once, for its owner only, and a damaged one is never replaced', () => {
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-key-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const dataDir = join(directory, 'new', 'data')
  const file = new MasterKeyFile(dataDir)
  expect(file.read()).toBeUndefined()
  const key = file.make()
  expect(key).toHaveLength(32)
  expect([file.read(), file.make()]).toEqual([key, key])
  expect(readdirSync(dataDir)).toEqual(['master.key'])
  expect(statSync(file.path).mode & 0o777).toBe(0o600)
  writeFileSync(file.path, 'damaged')
  expect(() => file.read()).toThrow(/restore it/)
  expect(() => file.make()).toThrow(/restore it/)
  expect(readFileSync(file.path, 'utf8')).toBe('damaged')
})

test('the next master key replaces the current one on request, and no draft stays', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-key-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const file = new MasterKeyFile(dataDir)
  const key = file.make()
  const next = file.makeNext()
  expect(next).not.toEqual(key)
  expect([file.read(), file.readNext(), file.makeNext()]).toEqual([key, next, next])
  file.adoptNext()
  expect([file.read(), file.readNext()]).toEqual([next, undefined])
  expect(existsSync(`${file.path}.next`)).toBe(false)
})
