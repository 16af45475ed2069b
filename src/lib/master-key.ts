import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from './ids.js'

/**
 * The master key of the embedded default: `master.key` in the data directory, made on the first start (mode 0600).
 * Without it every sealed secret is lost, so it is synced to disk before anything is sealed under it.
 */
export function loadMasterKey(dataDir: string): Buffer {
  const path = join(dataDir, 'master.key')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return readKey(path) ?? makeKey(path)
}

function readKey(path: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new Error(`${path} does not hold 64 hex digits: restore it from a backup; without it no sealed secret opens.`)
  }
  return Buffer.from(text, 'hex')
}

function makeKey(path: string): Buffer {
  // Written to a draft and linked into place: a crash leaves no half key, and of two first starts one key wins.
  const draft = `${path}.${process.pid}`
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, `${newSecret()}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  const directory = openSync(join(path, '..'), 'r')
  fsyncSync(directory)
  closeSync(directory)
  return readKey(path)!
}
