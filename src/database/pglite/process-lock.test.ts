import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Child, startChild } from '../../../test/child.js'
import { DataDirectoryInUseError, takeProcessLock } from './process-lock.js'

const HOLDER = new URL('../../../test/programs/hold-lock.ts', import.meta.url)
const directory = mkdtempSync(join(tmpdir(), 'greenroom-lock-'))
const children: Child[] = []
afterAll(async () => {
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(children.map((child) => child.ended))
  rmSync(directory, { recursive: true, force: true })
})

/** A process that takes each of the locks as soon as `release` is called for it. */
async function startHolder(paths: string[]): Promise<Child> {
  const child = startChild(HOLDER, paths)
  children.push(child)
  expect((await child.lines.next()).value, child.errors()).toBe('ready')
  return child
}

const release = (path: string): void => writeFileSync(`${path}.go`, '')
const nextLine = async (child: Child): Promise<string> => String((await child.lines.next()).value)

async function leaveStaleLock(path: string): Promise<void> {
  release(path)
  const child = await startHolder([path])
  expect(await nextLine(child)).toBe('taken')
  child.process.kill('SIGKILL')
  await child.ended
}

test('a lock of a living process is refused, with its pid and what to do, and stays its own', async () => {
  const path = join(directory, 'held.lock')
  release(path)
  const child = await startHolder([path])
  expect(await nextLine(child)).toBe('taken')
  const text = readFileSync(path, 'utf8')
  const refused = expect.objectContaining({
    name: 'DataDirectoryInUseError',
    message: expect.stringMatching(
      new RegExp(`process ${child.process.pid}: stop that process, or set another DATA_DIR`),
    ),
  })
  expect(() => takeProcessLock(path)).toThrow(refused)
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('the own process cannot take a lock twice, and can after releasing it', () => {
  const path = join(directory, 'own.lock')
  const lock = takeProcessLock(path)
  expect(() => takeProcessLock(path)).toThrow(`in use by process ${process.pid}`)
  lock.release()
  expect(existsSync(path)).toBe(false)
  takeProcessLock(path).release()
})

test('the lock of a killed process is taken over', async () => {
  const path = join(directory, 'stale.lock')
  await leaveStaleLock(path)
  const lock = takeProcessLock(path)
  expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(process.pid)
  lock.release()
})

test('a lock is released by its owner alone', () => {
  const path = join(directory, 'owner.lock')
  const lock = takeProcessLock(path)
  const another = JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), id: 'another' })
  writeFileSync(path, another)
  lock.release()
  expect(readFileSync(path, 'utf8')).toBe(another)
})

test.runIf(process.platform === 'linux')('another process that got the pid of the dead holder does not count', () => {
  const path = join(directory, 'recycled.lock')
  takeProcessLock(path)
  const holder = JSON.parse(readFileSync(path, 'utf8'))
  // Our own pid, but begun at another moment.
  writeFileSync(path, JSON.stringify({ ...holder, started: `${holder.started}0` }))
  takeProcessLock(path).release()
})

test.runIf(process.platform === 'linux')('a holder on another host is never judged dead', () => {
  const path = join(directory, 'elsewhere.lock')
  takeProcessLock(path)
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), host: 'elsewhere', started: 'x' }))
  expect(() => takeProcessLock(path)).toThrow('on host elsewhere')
})

test('an unreadable lock is refused, with what to do', () => {
  const path = join(directory, 'unreadable.lock')
  writeFileSync(path, '')
  expect(() => takeProcessLock(path)).toThrow(DataDirectoryInUseError)
  expect(() => takeProcessLock(path)).toThrow(`delete it and start again`)
})

test('of several that take over one stale lock at once exactly one wins (20 rounds)', async () => {
  const stale = join(directory, 'race.lock')
  await leaveStaleLock(stale)
  const paths = Array.from({ length: 20 }, (_, round) => join(directory, `race-${round}.lock`))
  for (const path of paths) copyFileSync(stale, path)
  const starters = await Promise.all([1, 2, 3].map(() => startHolder(paths)))
  for (const path of paths) {
    release(path)
    const answers = await Promise.all(starters.map(nextLine))
    expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1)
    expect(answers.filter((answer) => answer.startsWith('refused'))).toHaveLength(2)
  }
  expect(readdirSync(directory).filter((name) => !/\.lock(\.go)?$/.test(name))).toEqual([])
})
