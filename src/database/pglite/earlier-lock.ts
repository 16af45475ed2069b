import { linkSync, lstatSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { newId } from '../../lib/ids.js'
import { undefinedIfMissing } from '../../lib/missing-file.js'
import { DataDirectoryInUseError } from './in-use.js'

/**
 * The lock of earlier versions: a file that names its holder. They fail on a lock directory, so that a data directory
 * of theirs keeps such a file until this version adopts it (upgrade-lock.ts).
 */

/** Written and read by earlier versions: the names stay as they are. */
interface Holder {
  pid: number
  id: string
  /** Null where there are no containers. */
  host: string | null
  /** Boot id and start of the process in clock ticks. Null where the system does not tell. */
  started: string | null
}

export const isLockFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Throws DataDirectoryInUseError while the process of the lock file at `path` may live. */
export function refuseEarlierHolder(path: string): void {
  const holder = readHolder(path)
  if (holder !== undefined && mayLive(holder)) throw inUse(path, holder)
}

/** Takes the lock file, so that no earlier version starts. Of this version only one process at a time may call this. */
export function takeEarlierLock(path: string): { release(): void } {
  const self: Holder = { pid: process.pid, id: newId('lock'), host: ownHost(), started: startOf(process.pid) }
  const draft = `${path}.${self.id}`
  writeFileSync(draft, JSON.stringify(self), { flag: 'wx', mode: 0o600, flush: true })
  try {
    while (!linkUnlessExists(draft, path)) {
      const holder = readHolder(path)
      if (holder === undefined) continue
      if (mayLive(holder)) throw inUse(path, holder)
      if (takeOver(draft, path, holder.id)) break
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return {
    release() {
      if (isLockFile(path) && readHolder(path)?.id === self.id) unlinkSync(path)
    },
  }
}

/** An earlier version that starts in the same moment does this under the same guard. */
function takeOver(draft: string, path: string, deadId: string): boolean {
  const guard = `${path}.takeover`
  if (!linkUnlessExists(draft, guard)) {
    throw new DataDirectoryInUseError(
      `Another process is taking over the data directory in this moment. If none is, delete ${guard} and start again.`,
    )
  }
  try {
    if (readHolder(path)?.id !== deadId) return false
    renameSync(draft, path)
    return true
  } finally {
    unlinkSync(guard)
  }
}

function linkUnlessExists(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Undefined when it was released in this moment. */
function readHolder(path: string): Holder | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return undefinedIfMissing(error)
  }
  try {
    const { pid, id, host = null, started = null } = JSON.parse(text)
    if (Number.isInteger(pid) && typeof id === 'string') return { pid, id, host, started }
  } catch {
    // Said below.
  }
  throw new DataDirectoryInUseError(
    `The lock file ${path} is unreadable: if no other process uses the data directory, delete it and start again.`,
  )
}

function inUse(path: string, { pid, host }: Holder): DataDirectoryInUseError {
  if (host === ownHost()) {
    const finding = `The data directory is in use by process ${pid}, of an earlier version`
    return new DataDirectoryInUseError(finding, { remedy: 'stop it, or set another DATA_DIR.' })
  }
  return new DataDirectoryInUseError(
    `The data directory ${dirname(path)} is in use by process ${pid} of host ${host}, of an earlier version`,
    { remedy: `stop it there. If that host or container is gone, delete ${path} and start again.` },
  )
}

/** True in doubt: two processes on one database destroy it. */
function mayLive({ pid, host, started }: Holder): boolean {
  const [boot, ticks] = started?.split(' ') ?? []
  // Nothing outlives a boot of the kernel.
  if (boot !== undefined && ticks !== undefined && bootId() !== undefined && boot !== bootId()) return false
  // The process ids of another container mean nothing here.
  if (host !== ownHost()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  const now = startOf(pid)
  return started === null || now === null || now === started
}

const ownHost = (): string | null => (process.platform === 'linux' ? hostname() : null)

/** Gives the start of a process as earlier versions write it. A killed process that waits for its parent is gone. */
function startOf(pid: number): string | null {
  try {
    // The name in parentheses may itself hold spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : `${bootId()} ${fields[19]}`
  } catch {
    return null
  }
}

/** The kernel's id of this boot; undefined where the system does not tell. */
export function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
