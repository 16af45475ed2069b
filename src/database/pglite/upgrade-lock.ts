import { existsSync, lstatSync, rmdirSync } from 'node:fs'
import { takeEarlierLock } from './earlier-lock.js'
import { type MovableLock, type ProcessLock, type ProcessLockOptions, takeProcessLock } from './process-lock.js'

/** The lock of a data directory. */
export interface DirectoryLock extends ProcessLock {
  /**
   * Makes the directory one of this version: earlier ones cannot open it any more. Called when its schema is of this
   * version.
   */
  adopt(): void
}

const isDirectory = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Takes the lock of the database in `directory`, or throws DataDirectoryInUseError.
 *
 * An earlier version keeps a lock file at the place of the lock directory, and cannot start where that is. So a
 * database without a lock directory keeps the file, in the name of this process, until `adopt`; processes of this
 * version are kept apart by a lock directory beside it, which takes the place of the file then. An upgrade that fails
 * or is killed leaves all as the earlier version had it.
 */
export async function takeDirectoryLock(directory: string, options: ProcessLockOptions = {}): Promise<DirectoryLock> {
  const path = `${directory}.lock`
  for (;;) {
    if (isDirectory(path) || !existsSync(directory)) {
      return { ...(await takeProcessLock(path, options)), adopt() {} }
    }
    const lock = await takeBesideFile(path, options)
    if (lock !== undefined) return lock
  }
}

/** Undefined when another process has adopted the directory meanwhile. */
async function takeBesideFile(path: string, options: ProcessLockOptions): Promise<DirectoryLock | undefined> {
  const beside = `${path}.next`
  let lock: MovableLock
  try {
    lock = await takeProcessLock(beside, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && isDirectory(path)) return undefined
    throw error
  }
  const release = (): void => {
    lock.release()
    removeEmpty(beside)
  }
  if (isDirectory(path)) {
    release()
    return undefined
  }
  let file: ReturnType<typeof takeEarlierLock>
  try {
    file = takeEarlierLock(path)
  } catch (error) {
    release()
    throw error
  }
  let isAdopted = false
  return {
    assertHeld: lock.assertHeld,
    adopt() {
      if (isAdopted) return
      file.release()
      lock.moveTo(path)
      isAdopted = true
    },
    release() {
      if (isAdopted) return lock.release()
      release()
      file.release()
    },
  }
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Another process waits in it already.
  }
}
