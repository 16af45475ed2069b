import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** Creates a directory and its parents so that they survive a power cut. */
export async function makeDirectory(directory: string): Promise<void> {
  const path = resolve(directory)
  const first = makeDirectories(path)
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    await syncPath(dirname(made))
  }
}

/** Returns the first directory that it created. */
function makeDirectories(path: string): string | undefined {
  try {
    return mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    // On a read-only disk Node only reports that there is no such directory.
    let above = dirname(path)
    while (!existsSync(above)) above = dirname(above)
    accessSync(above, constants.W_OK)
    throw error
  }
}

/**
 * Takes a directory and everything in it away from other users of the machine: directories become 0700, files 0600. Links
 * are not followed. Throws EPERM if they belong to another user.
 */
export function makePrivate(directory: string): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return
  setMode(directory, 0o700)
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) setMode(join(entry.parentPath, entry.name), 0o700)
    else if (entry.isFile()) setMode(join(entry.parentPath, entry.name), 0o600)
  }
}

function setMode(path: string, mode: number): void {
  if ((lstatSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
}

const SYNCS_AT_ONCE = 8

/**
 * Waits until every file in `directory`, and the directory itself, is on disk. Several at once, because the disk then
 * combines them: the thousand files of a new database take over a second one after another.
 */
export async function syncTree(directory: string): Promise<void> {
  const paths = [directory]
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory() || entry.isFile()) paths.push(join(entry.parentPath, entry.name))
  }
  const work = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) await syncPath(path)
  }
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, work))
}

/** Waits until one file is on disk, or the names in one directory: a new or renamed file needs both. */
export async function syncPath(path: string): Promise<void> {
  // Windows neither opens directories nor syncs files that are open for reading; it keeps names in its own journal.
  if (process.platform === 'win32') return
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
