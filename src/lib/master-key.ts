import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { newId, newSecret } from './ids.js'
import { StartError } from './start-error.js'

/**
 * The master key of the embedded default: `master.key` in the data directory (mode 0600), and during a rotation
 * `master.key.next`. Without it every encrypted secret is lost, so it is synced to disk before anything is encrypted with
 * it.
 */
export class MasterKeyFile {
  readonly path: string

  constructor(dataDir: string) {
    this.path = join(dataDir, 'master.key')
  }

  /** Returns undefined if there is none. Throws StartError for a damaged one. */
  read(): Buffer | undefined {
    return readKey(this.path)
  }

  make(): Buffer {
    return makeKey(this.path)
  }

  /** Returns the key of a rotation in progress. */
  readNext(): Buffer | undefined {
    return readKey(this.#next)
  }

  makeNext(): Buffer {
    return makeKey(this.#next)
  }

  /** Replaces the current key with the next one; the current one is then gone. */
  adoptNext(): void {
    renameSync(this.#next, this.path)
    syncDirectory(this.path)
  }

  get #next(): string {
    return `${this.path}.next`
  }
}

/**
 * Writes keys from a backup (in hex) to files of mode 0600: the first to `file`, that of a rotation next to it, as in a data
 * directory. The same keys may already be there. Throws StartError for others.
 */
export function restoreKeys(file: string, keys: readonly string[]): void {
  refuseOtherKeys(file, keys)
  for (const [index, key] of keys.entries()) makeKey(nthFile(file, index), key)
}

/** Throws StartError where `restoreKeys` would. */
export function refuseOtherKeys(file: string, keys: readonly string[]): void {
  for (const [index, key] of keys.entries()) {
    const path = nthFile(file, index)
    const there = readKey(path)
    if (there !== undefined && there.toString('hex') !== key.toLowerCase()) {
      throw new StartError(`There is already another master key in ${path}: choose an empty place.`)
    }
  }
}

const nthFile = (file: string, index: number): string => (index === 0 ? file : `${file}.next`)

function readKey(path: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new StartError(
      `${path} does not contain 64 hex digits: restore it from a backup, because no secret can be opened without it.`,
    )
  }
  return Buffer.from(text, 'hex')
}

function makeKey(path: string, secret?: string): Buffer {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Written to a draft and linked into place: a crash leaves no partial key, and of two simultaneous first starts one key
  // wins.
  const draft = `${path}.${newId('draft')}`
  try {
    writeSecret(draft, secret)
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  syncDirectory(path)
  return readKey(path)!
}

function writeSecret(path: string, secret = newSecret()): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, `${secret}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), 'r')
  fsyncSync(directory)
  closeSync(directory)
}
