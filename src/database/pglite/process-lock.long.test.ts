import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { type Child, startChild } from '../../../test/child.js'
import { findContainer } from '../../../test/tools.js'
import { DataDirectoryInUseError } from './in-use.js'
import { takeProcessLock } from './process-lock.js'

const HOLDER = new URL('../../../test/programs/hold-lock.ts', import.meta.url)
const container = findContainer()
const directory = mkdtempSync(join(tmpdir(), 'greenroom-lock-'))
const children: Child[] = []
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})
afterAll(async () => {
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(children.map((child) => child.ended))
  rmSync(directory, { recursive: true, force: true })
})

/** A process that takes each of the locks as soon as `release` is called for it. */
async function startHolder(paths: string[], through?: string[]): Promise<Child> {
  const child = startChild(HOLDER, paths, {}, through)
  children.push(child)
  expect((await child.lines.next()).value, child.errors()).toBe('ready')
  return child
}

const release = (path: string): void => writeFileSync(`${path}.go`, '')
const nextLine = async (child: Child): Promise<string> => String((await child.lines.next()).value)

/** The lock's only entry. */
function entryOf(path: string): string {
  const entries = readdirSync(path)
  expect(entries).toHaveLength(1)
  return entries[0]!
}

async function kill(child: Child): Promise<void> {
  child.process.kill('SIGKILL')
  await child.ended
}

async function startAndTake(path: string, through?: string[]): Promise<Child> {
  release(path)
  const child = await startHolder([path], through)
  expect(await nextLine(child)).toMatch(/^taken/)
  return child
}

/** Replaces a wait that must take no time. */
const noWait = async (): Promise<void> => {
  throw new Error('it waits')
}

test('a lock of a living process is refused at once, with its pid and a remedy, and stays its own', async () => {
  const path = join(directory, 'held.lock')
  const child = await startAndTake(path)
  const entry = entryOf(path)
  const refused = expect.objectContaining({
    name: 'DataDirectoryInUseError',
    message: `The data directory is in use by process ${child.process.pid}: stop that process, or set another DATA_DIR.`,
  })
  await expect(takeProcessLock(path, { wait: noWait })).rejects.toThrow(refused)
  expect(entryOf(path)).toBe(entry)
})

test('a stopped process is alive: its lock is refused', async () => {
  const path = join(directory, 'stopped.lock')
  const child = await startAndTake(path)
  child.process.kill('SIGSTOP')
  await expect(takeProcessLock(path, { wait: noWait })).rejects.toThrow(DataDirectoryInUseError)
  child.process.kill('SIGCONT')
})

test('a process cannot take a lock twice, but can after releasing it', async () => {
  const path = join(directory, 'own.lock')
  const lock = await takeProcessLock(path)
  await expect(takeProcessLock(path)).rejects.toThrow(`in use by process ${process.pid}`)
  lock.assertHeld()
  lock.release()
  expect(readdirSync(path)).toEqual([])
  ;(await takeProcessLock(path)).release()
})

test('the lock of a killed process is taken over at once', async () => {
  const path = join(directory, 'stale.lock')
  await kill(await startAndTake(path))
  const lock = await takeProcessLock(path, { wait: noWait })
  expect(entryOf(path)).toContain(`@${process.pid}@`)
  lock.release()
})

test('a path that is too long for a socket makes no difference', async () => {
  const long = join(directory, 'x'.repeat(150))
  mkdirSync(long)
  const path = join(long, 'long.lock')
  const child = await startAndTake(path)
  await expect(takeProcessLock(path, { wait: noWait })).rejects.toThrow(`in use by process ${child.process.pid}`)
  await kill(child)
  ;(await takeProcessLock(path, { wait: noWait })).release()
})

describe.runIf(container !== undefined)('in containers, each with its own process ids', () => {
  const named = (host: string): string[] => [...container!, 'sh', '-c', `hostname ${host} && exec "$@"`, 'sh']

  test.each([
    ['one host name', 'web', 'web'],
    ['two host names', 'web-1', 'web-2'],
  ])('with %s, the second is refused while the first lives, and takes over after it was killed', async (_, first, second) => {
    const path = join(directory, `${first}.${second}.lock`)
    const holder = await startAndTake(path, named(first))
    const [inside, another] = [await startHolder([path, `${path}.2`], named(second)), container]
    // Both are the first process of their container, and neither can see the other's.
    expect(entryOf(path)).toContain(`@1@${first}@`)
    const of = first === second ? '' : ` of host ${first}`
    expect(await nextLine(inside)).toBe(
      `refused: The data directory is in use by process 1${of}: stop that process, or set another DATA_DIR.`,
    )
    await expect(takeProcessLock(path, { wait: noWait })).rejects.toThrow(`process 1 of host ${first}`)
    expect(another).toBeDefined()
    await kill(holder)
    const next = await startHolder([path], named(second))
    expect(await nextLine(next)).toBe('taken by 1')
  })
})

describe('a holder whose socket cannot be reached from here', () => {
  /** An entry left by another machine, or from before a reboot. */
  function leaveEntry(name: string, host = 'elsewhere'): { path: string; entry: string } {
    const path = join(directory, name)
    mkdirSync(path)
    const entry = join(path, `0123456789abcdef@7@${host}@lock_x`)
    writeFileSync(entry, '')
    return { path, entry }
  }

  test('is refused while it gives signs of life', async () => {
    const { path, entry } = leaveEntry('elsewhere.lock')
    let waitedMs = 0
    const wait = async (ms: number): Promise<void> => {
      waitedMs += ms
      if (waitedMs === 3_000) utimesSync(entry, 1, 1)
    }
    await expect(takeProcessLock(path, { wait })).rejects.toThrow('in use by process 7 of host elsewhere')
    expect(waitedMs).toBe(3_000)
    expect(existsSync(entry)).toBe(true)
  })

  test.each(['elsewhere', hostname()])('is taken over within 30 seconds without them (host %s)', async (host) => {
    const { path } = leaveEntry(`silent.${host}.lock`, host)
    let waitedMs = 0
    const wait = async (ms: number): Promise<void> => {
      waitedMs += ms
    }
    const lock = await takeProcessLock(path, { wait })
    // A holder gives a sign every 3 s, later when it is busy.
    expect(waitedMs).toBeGreaterThanOrEqual(12_000)
    expect(waitedMs).toBeLessThanOrEqual(20_000)
    expect(entryOf(path)).toContain(`@${process.pid}@`)
    lock.release()
  })

  test('is not waited for if it ends in between', async () => {
    const { path, entry } = leaveEntry('leaving.lock')
    const lock = await takeProcessLock(path, { wait: async () => rmSync(entry, { force: true }) })
    lock.release()
  })

  test('a socket from before a reboot is also taken over', async () => {
    const path = join(directory, 'reboot.lock')
    await kill(await startAndTake(path))
    const entry = entryOf(path)
    renameSync(join(path, entry), join(path, entry.replace(/^[^@]+/, '0123456789abcdef')))
    let waits = 0
    const lock = await takeProcessLock(path, { wait: async () => void waits++ })
    expect(waits).toBeGreaterThan(0)
    lock.release()
  })

  test('gives a sign every few seconds, even to processes that see its clock wrong', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const path = join(directory, 'beating.lock')
      const lock = await takeProcessLock(path)
      const touched = () => fs.statSync(join(path, entryOf(path))).mtimeMs
      const before = touched()
      vi.advanceTimersByTime(3_000)
      expect(touched()).not.toBe(before)
      lock.release()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

test('a holder whose directory was taken over ends, even if a file change has reported it first', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  try {
    const path = join(directory, 'ending.lock')
    const lock = await takeProcessLock(path)
    rmSync(join(path, entryOf(path)))
    expect(() => lock.assertHeld()).toThrow('was taken over by another process')
    // Nothing catches an error thrown from a timer.
    expect(() => vi.advanceTimersByTime(3_000)).toThrow('was taken over by another process')
    expect(vi.getTimerCount()).toBe(0)
    lock.release()
  } finally {
    vi.useRealTimers()
  }
})

test('a holder whose directory was taken over knows it before it changes anything', async () => {
  const path = join(directory, 'lost.lock')
  const lock = await takeProcessLock(path)
  rmSync(join(path, entryOf(path)))
  const successor = await takeProcessLock(path)
  expect(() => lock.assertHeld()).toThrow('was taken over by another process')
  lock.release()
  successor.assertHeld()
  successor.release()
})

test.each([
  ['NFS', 0x6969],
  ['SMB', 0xff534d42],
  // This is the value of a 32-bit machine.
  ['SMB', 0xfe534d42 | 0],
])('a network file system (%s) is refused, with a remedy', async (name, type) => {
  const statfs = fs.statfsSync
  vi.spyOn(fs, 'statfsSync').mockImplementation((path) => ({ ...statfs(path), type }) as fs.StatsFs)
  syncBuiltinESMExports()
  await expect(takeProcessLock(join(directory, 'network.lock'))).rejects.toThrow(
    `is on a network file system (${name}), which cannot be locked against a second process: set DATA_DIR to a disk of this machine, or use PostgreSQL with DATABASE_URL.`,
  )
})

test.each([
  ['fuse.sshfs', 'fuse.sshfs me@host:/data'],
  ['mountpoint-s3', 'fuse mountpoint-s3'],
])('a network file system behind FUSE (%s) is also refused', async (name, mount) => {
  const { statfsSync, readFileSync } = fs
  const { dev } = fs.statSync(directory)
  const device = `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`
  vi.spyOn(fs, 'statfsSync').mockImplementation((of) => ({ ...statfsSync(of), type: 0x65735546 }) as fs.StatsFs)
  vi.spyOn(fs, 'readFileSync').mockImplementation(((path: string, options: 'utf8') =>
    path === '/proc/self/mountinfo'
      ? `1 0 255:1 / / rw - ext4 /dev/root rw\n36 1 ${device} / ${directory} rw,nosuid shared:1 - ${mount} rw\n`
      : readFileSync(path, options)) as typeof fs.readFileSync)
  syncBuiltinESMExports()
  await expect(takeProcessLock(join(directory, 'fuse-network.lock'))).rejects.toThrow(
    `is on a network file system (${name}), which cannot be locked against a second process`,
  )
})

test('on FUSE, which another machine may share, a refusing socket proves nothing', async () => {
  const path = join(directory, 'fuse.lock')
  const statfs = fs.statfsSync
  vi.spyOn(fs, 'statfsSync').mockImplementation((of) => ({ ...statfs(of), type: 0x65735546 }) as fs.StatsFs)
  syncBuiltinESMExports()
  const lock = await takeProcessLock(path)
  await expect(takeProcessLock(path, { wait: noWait })).rejects.toThrow(DataDirectoryInUseError)
  const entry = entryOf(path)
  lock.release()
  writeFileSync(join(path, entry), '')
  await expect(takeProcessLock(path, { wait: noWait })).rejects.toThrow('it waits')
})

test('of several that start at the same instant exactly one gets the lock, new or left by a killed one (40 rounds)', async () => {
  const paths = Array.from({ length: 40 }, (_, round) => join(directory, `race-${round}.lock`))
  const stale = paths.slice(20)
  for (const path of stale) release(path)
  const dead = await startHolder(stale)
  for (const _ of stale) expect(await nextLine(dead)).toMatch(/^taken/)
  await kill(dead)
  for (const path of stale) rmSync(`${path}.go`)

  const starters = await Promise.all([1, 2, 3].map(() => startHolder(paths)))
  for (const path of paths) {
    release(path)
    const answers = await Promise.all(starters.map(nextLine))
    expect(answers.filter((answer) => answer.startsWith('taken'))).toHaveLength(1)
    expect(answers.filter((answer) => answer.startsWith('refused'))).toHaveLength(2)
    entryOf(path)
  }
})
