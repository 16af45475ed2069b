import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { systemClock } from '../../lib/clock.js'
import { newId } from '../../lib/ids.js'
import { undefinedIfMissing } from '../../lib/missing-file.js'
import { type Wait, waitJittered } from '../../lib/wait.js'
import type { Log } from '../database.js'
import { DataDirectoryInUseError } from './in-use.js'

export interface ProcessLock {
  /**
   * Throws if another process has taken the directory over. That happens only if a holder cannot be distinguished from a
   * dead one: on another machine, while this one was suspended. Called before each change of a file.
   */
  assertHeld(): void
  release(): void
}

export interface ProcessLockOptions {
  log?: Pick<Log, 'info'> | undefined
  wait?: Wait
}

/** The holder that an entry names, as `<kernel>@<pid>@<host>@<id>`. */
interface Holder {
  /** The boot of the kernel on which it listens. `UNKNOWN` if a refusing socket proves nothing. */
  kernel: string
  pid: number
  host: string
  /** Identifies this acquisition of the lock. */
  id: string
}

const UNKNOWN = '0'
/** How often a holder shows that it is alive, to processes that cannot reach its socket. */
const BEAT_MS = 3_000
/** A holder that cannot be reached and shows nothing for this many looks, about 12 s, is dead. */
const LOOKS = 12
const LOOK_MS = 1_000
/** The delay before trying again if several start at the same instant. */
const RETRY_MS = 50
/** A socket's path has 108 bytes on Linux and 104 elsewhere, including the final zero. */
const SOCKET_PATH_BYTES_MAX = 103

/**
 * Takes the lock directory at `path`, or throws DataDirectoryInUseError. Its parent must exist.
 *
 * Each process that wants the lock listens on its own socket in the directory. It holds the lock if, after its own name
 * became visible, it saw no other that may be alive: of any two, the later one sees the earlier. A dead process no longer
 * listens, and its entry is removed. None of this depends on pids, host names or clocks.
 */
export async function takeProcessLock(
  path: string,
  { log, wait = waitJittered }: ProcessLockOptions = {},
): Promise<ProcessLock> {
  const kernel = kernelOf(dirname(path))
  makeLockDirectory(path)
  const self: Holder = { kernel, pid: process.pid, host: hostName(), id: newId('lock') }
  for (;;) {
    for (const other of listHolders(path)) {
      if (await mayLive(path, other, self, { log, wait })) throw inUse(other, self)
      rmSync(join(path, nameOf(other)), { force: true })
    }
    const server = await publish(path, self)
    if (server !== undefined) {
      if (listHolders(path).every(({ id }) => id === self.id)) return hold(path, self, server.socket)
      withdraw(path, self, server.socket)
    }
    await wait(RETRY_MS)
  }
}

function hold(path: string, self: Holder, socket: Server | undefined): ProcessLock {
  const entry = join(path, nameOf(self))
  let beatAt = performance.now()
  const assertHeld = (): void => {
    if (!existsSync(entry)) {
      throw new DataDirectoryInUseError(
        `The data directory ${dirname(path)} was taken over by another process while this one was paused: start again.`,
      )
    }
    // A check also counts as a sign of life, because one long statement keeps the timer from running.
    if (performance.now() - beatAt < BEAT_MS) return
    beatAt = performance.now()
    const now = new Date(systemClock.now())
    try {
      utimesSync(entry, now, now)
    } catch {
      // The disk refuses it for now. Only the entry shows whether the directory was taken over.
    }
  }
  const beats = setInterval(() => {
    try {
      assertHeld()
    } catch (error) {
      clearInterval(beats)
      // Deliberately uncaught: a process that has lost its directory can only end.
      throw error
    }
  }, BEAT_MS).unref()
  // Drafts of processes that were killed while starting. One that is still alive starts over.
  for (const name of readdirSync(path)) if (name.startsWith('.')) rmSync(join(path, name), { force: true })
  return {
    assertHeld,
    release() {
      clearInterval(beats)
      withdraw(path, self, socket)
    },
  }
}

/** Lists itself while already listening. Returns undefined if its draft was removed in the meantime. */
async function publish(path: string, self: Holder): Promise<{ socket: Server | undefined } | undefined> {
  const draft = `.${self.id}`
  const socket = process.platform === 'win32' ? undefined : await listen(path, draft)
  // Windows has no sockets in directories, so only the signs of life count there.
  if (socket === undefined) writeFileSync(join(path, draft), '')
  try {
    renameSync(join(path, draft), join(path, nameOf(self)))
    return { socket }
  } catch (error) {
    socket?.close()
    return undefinedIfMissing(error)
  }
}

function withdraw(path: string, self: Holder, socket: Server | undefined): void {
  rmSync(join(path, nameOf(self)), { force: true })
  socket?.close()
}

async function mayLive(
  path: string,
  other: Holder,
  self: Holder,
  { log, wait }: Required<Pick<ProcessLockOptions, 'wait'>> & ProcessLockOptions,
): Promise<boolean> {
  const name = nameOf(other)
  const state = await probe(path, name)
  if (state !== 'refused' || (other.kernel === self.kernel && other.kernel !== UNKNOWN)) return state === 'listens'
  const { pid, host } = other
  log?.info({ holder: { pid, host } }, 'waiting to see whether the last holder of the data directory is still alive')
  const beat = beatOf(path, name)
  for (let look = 0; look < LOOKS; look++) {
    await wait(LOOK_MS)
    const now = beatOf(path, name)
    if (now !== beat) return now !== undefined
  }
  return false
}

const inUse = ({ pid, host }: Holder, self: Holder): DataDirectoryInUseError =>
  new DataDirectoryInUseError(
    `The data directory is in use by process ${pid}${host === self.host ? '' : ` of host ${host}`}`,
    { remedy: 'stop that process, or set another DATA_DIR.' },
  )

/** Returns when the entry was last touched; undefined if it is gone. */
const beatOf = (path: string, name: string): number | undefined =>
  lstatSync(join(path, name), { throwIfNoEntry: false })?.mtimeMs

/** Checks whether a process of this kernel listens there. A suspended one does too. */
async function probe(path: string, name: string): Promise<'listens' | 'refused' | 'gone'> {
  const stats = lstatSync(join(path, name), { throwIfNoEntry: false })
  if (stats === undefined) return 'gone'
  if (!stats.isSocket()) return 'refused'
  return await withSocketPath(path, name, (socketPath) => {
    return new Promise((resolve) => {
      const socket = connect({ path: socketPath })
        .once('connect', () => {
          socket.destroy()
          resolve('listens')
        })
        .once('error', ({ code }: NodeJS.ErrnoException) => {
          // For anything else, such as EAGAIN from a process that does not answer or EACCES from another user's, it may be
          // alive.
          resolve(code === 'ECONNREFUSED' ? 'refused' : code === 'ENOENT' ? 'gone' : 'listens')
        })
    })
  })
}

/** Error codes of file systems without sockets. */
const NO_SOCKETS = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EINVAL']

async function listen(path: string, name: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  try {
    await withSocketPath(path, name, (socketPath) => {
      return new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen({ path: socketPath, exclusive: true }, resolve)
      })
    })
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    if (!NO_SOCKETS.includes(code)) throw Object.assign(new Error(message, { cause }), { code, path })
    throw new DataDirectoryInUseError(
      `The data directory ${dirname(path)} cannot be locked, because its file system has no sockets (${code}): set DATA_DIR to another disk.`,
      { cause },
    )
  }
  // A connection could not be accepted, but its sender already knows enough.
  server.removeAllListeners('error').on('error', () => {})
  return server.unref()
}

/** Calls `use` with a path of `name` that is short enough for a socket. */
async function withSocketPath<T>(directory: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(directory, name)
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX || process.platform !== 'linux') return await use(path)
  const descriptor = openSync(directory, 'r')
  try {
    return await use(`/proc/self/fd/${descriptor}/${name}`)
  } finally {
    closeSync(descriptor)
  }
}

const nameOf = ({ kernel, pid, host, id }: Holder): string => [kernel, pid, host, id].join('@')

function listHolders(path: string): Holder[] {
  return readdirSync(path).flatMap((name) => {
    const [kernel, pid, host, id] = name.split('@')
    return kernel && pid && host && id ? [{ kernel, pid: Number(pid), host, id }] : []
  })
}

/** Names the host for the reader of a message. */
const hostName = (): string =>
  hostname()
    .replaceAll(/[^\w.-]/g, '')
    .slice(0, 30) || 'unknown'

const FUSE = 0x65735546
/** Names of file systems by the number that statfs returns (linux/magic.h and the file systems' own sources). */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x19830326, 'BeeGFS'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
])

/** All file systems behind FUSE share its number: a part of their name distinguishes them. */
const NETWORK_FUSE = /sshfs|gluster|ceph|s3|rclone|goofys|gcsfuse|blobfuse|juicefs|weed|mfs|moosefs|dav|ftp|hdfs/

/**
 * Returns the kernel whose living and dead processes can be distinguished by their sockets in this directory. Throws
 * DataDirectoryInUseError on a file system that shows names to other machines late or never.
 */
function kernelOf(dataDir: string): string {
  if (process.platform !== 'linux') return UNKNOWN
  const type = statfsSync(dataDir).type >>> 0
  const network = type === FUSE ? networkFuseOf(dataDir) : NETWORK_FILE_SYSTEMS.get(type)
  if (network !== undefined) {
    throw new DataDirectoryInUseError(
      `The data directory ${dataDir} is on a network file system (${network}), which cannot be locked against a second process: set DATA_DIR to a disk of this machine, or use PostgreSQL with DATABASE_URL.`,
    )
  }
  // Two mounts of one FUSE file system each have their own sockets.
  return (type === FUSE ? undefined : bootId()?.replaceAll('-', '').slice(0, 16)) ?? UNKNOWN
}

/** Returns the kernel's id of this boot; undefined if the system does not say. */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

/** Returns the name of a network file system behind FUSE, such as `fuse.sshfs` or `mountpoint-s3`; undefined for others. */
function networkFuseOf(directory: string): string | undefined {
  const { dev } = statSync(directory)
  const device = `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`
  const mount = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[2] === device)
  // The format is `… - <type> <source> <options>`.
  const [type = '', source] = mount?.split(' - ').at(-1)?.split(' ') ?? []
  const name = type === 'fuse' ? source : type
  return name !== undefined && NETWORK_FUSE.test(name) ? name : undefined
}

function makeLockDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
