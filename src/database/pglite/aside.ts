import { fork } from 'node:child_process'
import { copyFileSync, constants as fsConstants } from 'node:fs'
import { copyFile, mkdir, readdir, rm, statfs } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join, relative } from 'node:path'
import { limit } from '../../lib/limits.js'
import { programAt } from '../../lib/program.js'
import { DatabaseUnavailableError, type Queryable } from '../database.js'
import type { Engine } from './engine.js'
import type { EngineQueue } from './engine-queue.js'
import type { Maintenance } from './maintenance.js'

/** Reads a copy of the database. */
const READER = programAt(new URL('./aside-reader.js', import.meta.url))

/** Shares blocks with the original if the file system supports that. */
const CLONE = fsConstants.COPYFILE_FICLONE

/** Space for what callers write in the meantime, and for what the copy writes when it is opened. */
const ROOM_LEFT_BYTES = 2 * limit('databaseWalBytes')

/** The copy is placed next to the database, never inside it, so that its size does not count as the database's. */
const placeOf = (directory: string): string => `${directory}.aside`

export const removeCopy = (directory: string): Promise<void> => rm(placeOf(directory), { recursive: true, force: true })

/**
 * Copies the database in `directory` while callers write, and returns the data directory of the copy. When an engine opens
 * the copy, it recovers as after a kill: from the files as they are, and the whole log since a checkpoint before the first
 * of them. So the copy has the state of its last moment. Throws ENOSPC if the disk lacks space for this many `bytes`, and
 * some more for the database itself.
 */
export async function makeCopy(
  queue: EngineQueue,
  maintenance: Maintenance,
  directory: string,
  bytes: number,
): Promise<string> {
  await removeCopy(directory)
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize < bytes + ROOM_LEFT_BYTES) {
    throw Object.assign(new Error('the disk has no space for a copy of the embedded database'), { code: 'ENOSPC' })
  }
  const dataDir = placeOf(directory)
  const target = join(dataDir, 'database')
  const [log, targetLog] = [join(directory, 'pg_wal'), join(target, 'pg_wal')]
  await mkdir(target, { recursive: true, mode: 0o700 })
  let copied: Engine | undefined
  const inOwnTurn = <T>(job: () => Promise<T>): Promise<T> =>
    queue.run(async () => {
      copied ??= queue.engine
      // The engine was restarted, and wrote a checkpoint.
      if (copied !== queue.engine) {
        throw new DatabaseUnavailableError(new Error('the embedded database failed during the copy'))
      }
      return await job()
    })
  const fileOf = async (lsn: string): Promise<string> =>
    ((await queue.engine.query(`select pg_walfile_name(${lsn}) as name`, [])).rows[0] as { name: string }).name
  maintenance.holdCheckpoints()
  try {
    const first = await inOwnTurn(async () => {
      await queue.engine.query('checkpoint', [])
      return await fileOf('(pg_control_checkpoint()).redo_lsn')
    })
    await copyFiles(directory, target, log)
    const current = await inOwnTurn(() => fileOf('pg_current_wal_insert_lsn()'))
    for (const name of (await readdir(log)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort()) {
      if (name >= first && name < current) await copyFile(join(log, name), join(targetLog, name), CLONE)
    }
    // The engine pauses while the end of its log is copied.
    await inOwnTurn(async () => {
      const last = await fileOf('pg_current_wal_insert_lsn()')
      for (let name = current; name <= last; name = nextName(name)) {
        copyFileSync(join(log, name), join(targetLog, name), CLONE)
      }
    })
  } finally {
    maintenance.releaseCheckpoints()
  }
  return dataDir
}

/** Copies all files except the log; they may change in the meantime. */
async function copyFiles(directory: string, target: string, log: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const to = join(target, relative(directory, path))
    if (entry.isDirectory()) await mkdir(to, { recursive: true, mode: 0o700 })
    else if (entry.isFile() && !path.startsWith(log) && entry.name !== 'postmaster.pid') await copyExisting(path, to)
  }
}

async function copyExisting(path: string, to: string): Promise<void> {
  try {
    await copyFile(path, to, CLONE)
  } catch (error) {
    // Deleted in the meantime, which the log records.
    const { code, path: missing } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || missing !== path) throw error
  }
}

/**
 * Returns the name of the next log file. Each has 16 MiB; the name has eight digits each for the timeline and both halves of
 * the position.
 */
function nextName(name: string): string {
  const next = BigInt(`0x${name.slice(8, 16)}`) * 256n + BigInt(`0x${name.slice(16)}`) + 1n
  const hex = (value: bigint): string => value.toString(16).toUpperCase().padStart(8, '0')
  return name.slice(0, 8) + hex(next / 256n) + hex(next % 256n)
}

/** A statement for the reader; without values it may be several at once. */
export interface Question {
  text: string
  values?: readonly unknown[]
}

export type Answer = { rows: unknown[]; rowCount: number } | { error: string; code: string | undefined }

/**
 * Reads the database in `dataDir` in a separate process, whose memory is released afterwards. Throws what the database
 * throws, with its code.
 */
export async function readCopy<T>(dataDir: string, read: (tx: Queryable) => Promise<T>): Promise<T> {
  const reader = fork(READER.url, [dataDir], {
    execArgv: READER.execArgv,
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // The service takes precedence on few processors. With the lowest priority, a busy service would never get its copy read.
  if (reader.pid !== undefined) setPriority(reader.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  const waiting: { resolve(answer: Answer): void; reject(error: unknown): void }[] = []
  let failure: unknown
  let lastWords = ''
  const fail = (error: unknown): void => {
    failure ??= error
    for (const { reject } of waiting.splice(0)) reject(failure)
  }
  reader.stderr!.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-1_000)
  })
  const ended = new Promise<void>((resolve) => {
    reader.on('close', () => {
      fail(new Error(`the reader of the copy ended: ${lastWords}`))
      resolve()
    })
  })
  reader.on('error', fail).on('message', (answer: Answer) => waiting.shift()?.resolve(answer))
  const ask = async (question: Question): Promise<Exclude<Answer, { error: string }>> => {
    if (failure !== undefined) throw failure
    const answer = await new Promise<Answer>((resolve, reject) => {
      waiting.push({ resolve, reject })
      reader.send(question, (error) => error && fail(error))
    })
    if ('error' in answer) throw Object.assign(new Error(answer.error), answer.code && { code: answer.code })
    return answer
  }
  try {
    return await read({
      async query<Row>(text: string, values: readonly unknown[] = []) {
        const { rows, rowCount } = await ask({ text, values })
        return { rows: rows as Row[], rowCount }
      },
      execute: async (text) => void (await ask({ text })),
    })
  } finally {
    reader.kill('SIGKILL')
    await ended
  }
}
