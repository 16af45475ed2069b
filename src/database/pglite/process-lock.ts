import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { newId } from '../../lib/ids.js'

/** Another process holds the data directory. The message is for the operator: it names the holder and what to do. */
export class DataDirectoryInUseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DataDirectoryInUseError'
  }
}

export interface ProcessLock {
  release(): void
}

/** What a lock file says. A pid alone does not identify its holder: pids are used again. */
interface Holder {
  pid: number
  /** Names this one taking of the lock. */
  id: string
  /** Pids mean nothing in another container, which has another host name. Null where there are no containers. */
  host: string | null
  /** Boot and moment at which the process began. Null where the system does not tell. */
  started: string | null
}

/**
 * Takes the lock file at `path` or throws DataDirectoryInUseError. A lock is never taken from a living process, however
 * old it is; the lock of a dead one is taken over, by exactly one of those who try. The directory must exist.
 */
export function takeProcessLock(path: string): ProcessLock {
  const self = describeProcess()
  // The file gets its name only when it is complete, so that nobody ever reads half a lock.
  const draft = `${path}.${self.id}`
  writeFileSync(draft, JSON.stringify(self), { flag: 'wx', flush: true })
  try {
    while (!linkUnlessExists(draft, path)) {
      const holder = readHolder(path)
      if (holder === undefined) continue // Released in this moment.
      if (isAlive(holder, self)) throw new DataDirectoryInUseError(inUse(path, holder))
      if (takeOver(draft, path, holder.id)) break
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return {
    release() {
      if (readHolder(path)?.id === self.id) unlinkSync(path)
    },
  }
}

/**
 * Replaces the lock of a dead holder. Between seeing it dead and replacing it somebody else may have replaced it, so
 * that is done under a second lock, held for an instant.
 */
function takeOver(draft: string, path: string, deadId: string): boolean {
  const guard = `${path}.takeover`
  if (!linkUnlessExists(draft, guard)) {
    const other = readHolder(guard)
    if (other === undefined) return false
    throw new DataDirectoryInUseError(
      `Process ${other.pid} is taking over the data directory in this moment. If no such process runs, delete ${guard} and start again.`,
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

function readHolder(path: string): Holder | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { pid, id, host, started } = JSON.parse(text)
    if (Number.isInteger(pid) && typeof id === 'string')
      return { pid, id, host: host ?? null, started: started ?? null }
  } catch {
    // Not one of ours, or damaged: said below.
  }
  throw new DataDirectoryInUseError(
    `The lock file ${path} is unreadable. If no other process uses the data directory, delete it and start again.`,
  )
}

function inUse(path: string, { pid, host }: Holder): string {
  if (host === null || host === describeProcess().host) {
    return `The data directory is in use by process ${pid}: stop that process, or set another DATA_DIR. (${path})`
  }
  return `The data directory is in use by process ${pid} on host ${host}: stop it there, or set another DATA_DIR. If that host or container is gone, delete ${path} and start again.`
}

function describeProcess(): Holder {
  return {
    pid: process.pid,
    id: newId('lock'),
    host: process.platform === 'linux' ? hostname() : null,
    started: startOf(process.pid),
  }
}

/** In doubt a holder is alive: two processes on one database destroy it. */
function isAlive(holder: Holder, self: Holder): boolean {
  if (holder.host !== self.host) return true
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  if (holder.started === null) return true
  const started = startOf(holder.pid)
  // Unknown: the process belongs to somebody who hides it.
  return started === null || started === holder.started
}

/** Boot id and start time in clock ticks, on Linux. Null elsewhere. A killed process that waits for its parent is gone. */
function startOf(pid: number): string | null {
  try {
    // The name in parentheses may itself hold spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return 'gone'
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
  } catch {
    return null
  }
}
