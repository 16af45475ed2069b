import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, systemClock } from '../../lib/clock.js'
import { StartError } from '../../lib/start-error.js'
import { type Database, DatabaseUnavailableError, type Log, onlyReads, translateError } from '../database.js'
import { UNFINISHED } from '../rows.js'
import { assertOutsideTransaction, rerunOnConflict, runTransaction, type Session } from '../transaction.js'
import { QUOTA_REACHED } from '../writes.js'
import { makeCopy, readCopy, removeCopy } from './aside.js'
import { asDamagedAtStart, requireVersion } from './damage.js'
import { Descriptors } from './descriptors.js'
import { diskErrorOf } from './disk-errors.js'
import { DiskUsage } from './disk-usage.js'
import { makeDirectory, makePrivate, syncPath, syncTree } from './durable-files.js'
import { Engine, type OnDisk } from './engine.js'
import { EngineQueue } from './engine-queue.js'
import { Maintenance } from './maintenance.js'
import { EMPTY_SCHEMA, unpackNewCluster } from './new-cluster.js'
import { takeProcessLock } from './process-lock.js'

export interface PgliteOptions {
  /** Holds the database (`database/`) and its lock (`database.lock`). Undefined for a database in memory, for tests. */
  dataDir?: string | undefined
  /** Writes are refused once the directory is larger than this. */
  dataMaxBytes?: number | undefined
  /** The database is discarded when the process ends, or synced by the caller: nothing needs to reach the disk. */
  isThrownAway?: boolean
  /** A newly made database already has a service's tables, if the build made them; otherwise it is empty. */
  isMigrated?: boolean
  log?: Log | undefined
  clock?: Clock
}

// Starting the engine blocks the whole process for a while, so a disk that stays full must not cause constant restarts.
const REOPEN_PAUSE_MS = 5_000
const FULL_DISK_SAID_MS = 60_000
/**
 * Opens the embedded PostgreSQL. In a directory, an acknowledged write is on disk: it survives kill -9 and a power cut. If
 * the engine dies (a full disk can cause that), queries fail with DatabaseUnavailableError until it restarts, which a later
 * query triggers. Throws DataDirectoryInUseError if another process holds the directory.
 */
export async function openPglite(options: PgliteOptions = {}): Promise<Database> {
  const { dataDir, dataMaxBytes, isThrownAway = false, isMigrated = false, log, clock = systemClock } = options
  if (dataDir === undefined) return createDatabase(await Engine.inMemory(isMigrated), undefined, log)
  await makeDirectory(dataDir)
  const directory = join(dataDir, 'database')
  const lock = await takeProcessLock(`${directory}.lock`, { log })
  const { assertHeld } = lock
  const descriptors = new Descriptors()
  const usage = new DiskUsage(directory, dataMaxBytes)
  const onFullDisk = createFullDiskLog(directory, log, clock)
  const onDisk = { directory, assertHeld, descriptors, usage, log, isThrownAway, onFullDisk }
  const released = (): void => {
    descriptors.release()
    lock.release()
  }
  try {
    await removeCopy(directory)
    if (!existsSync(directory)) {
      if (existsSync(`${directory}.filling`)) {
        throw new StartError(
          `The database in ${dataDir} is not complete: ${UNFINISHED} (or delete ${directory}.filling).`,
        )
      }
      await makeDatabase(onDisk, isMigrated)
    }
    // For another user's directory, the engine would report that a file exists.
    accessSync(directory, constants.R_OK | constants.W_OK)
    makePrivate(directory)
    requireVersion(directory, dataDir)
    const reopen = throttle(() => Engine.inDirectory(onDisk), clock)
    const first = await reopen().catch((error) => {
      throw asDamagedAtStart(error, dataDir)
    })
    return createDatabase(first, { path: directory, usage, reopen, released }, log)
  } catch (error) {
    released()
    throw error
  }
}

/** Logs a full disk, once a minute: every write finds it full again. */
function createFullDiskLog(directory: string, log: Log | undefined, clock: Clock): (error: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (Math.abs(clock.now() - saidAt) < FULL_DISK_SAID_MS) return
    saidAt = clock.now()
    log?.error(
      { code: diskErrorOf(error), directory },
      'the disk of the embedded database is full: writes get a 503 until there is space',
    )
  }
}

/** A database is complete and on disk once it has its name: it is made under another name, synced, and renamed. */
async function makeDatabase(database: OnDisk, isMigrated: boolean): Promise<void> {
  const { directory, assertHeld } = database
  const draft = `${directory}.new`
  rmSync(draft, { recursive: true, force: true })
  try {
    mkdirSync(draft, { mode: 0o700 })
    // Everything is synced below, once.
    const hasTables = await unpackNewCluster(draft)
    // An engine makes the cluster if there is no archive, which costs half a second of processor time to start and end.
    if (!hasTables || !isMigrated) {
      const engine = await Engine.inDirectory({ ...database, directory: draft, isThrownAway: true })
      if (hasTables) await engine.execute(EMPTY_SCHEMA)
      await engine.close()
    }
    if (!database.isThrownAway) await syncTree(draft)
    assertHeld()
    renameSync(draft, directory)
  } catch (error) {
    // Half a database would keep a full disk full.
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
  await syncPath(dirname(directory))
}

function throttle(open: () => Promise<Engine>, clock: Clock): () => Promise<Engine> {
  let endedAt = Number.NEGATIVE_INFINITY
  return async () => {
    // The absolute value, so that a clock set back does not keep the database closed.
    if (Math.abs(clock.now() - endedAt) < REOPEN_PAUSE_MS) throw new Error('the embedded database failed a moment ago')
    try {
      return await open()
    } finally {
      endedAt = clock.now()
    }
  }
}

interface Directory {
  path: string
  usage: DiskUsage
  reopen(): Promise<Engine>
  released(): void
}

function createDatabase(first: Engine, directory: Directory | undefined, log: Log | undefined): Database {
  const self = {}
  const queue = new EngineQueue(first, directory?.reopen, log)
  const maintenance = new Maintenance(queue, directory?.usage, log)
  queue.onJobEnd = () => maintenance.runWhenDue()
  let lastCopy: Promise<unknown> = Promise.resolve()
  const session = createSession(queue, maintenance, directory?.usage)

  async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    assertOutsideTransaction(self)
    return await queue.run(() => work(session))
  }

  const transaction: Database['transaction'] = (work) =>
    rerunOnConflict(() => withSession((session) => runTransaction(session, work, { of: self })))

  return {
    engine: 'pglite',
    query: <Row>(text: string, values?: readonly unknown[]) =>
      withSession((session) => session.query<Row>(text, values)),
    execute: (text) => withSession((session) => session.execute(text)),
    transaction,
    // Nothing else runs during a transaction.
    readInSnapshot: (read) => transaction(read),
    async readAside(read) {
      assertOutsideTransaction(self)
      if (directory === undefined) return await transaction(read)
      const { path, usage } = directory
      const copy = lastCopy.then(async () => {
        try {
          return await readCopy(await makeCopy(queue, maintenance, path, usage.bytes()), read)
        } catch (error) {
          throw translateError(error)
        } finally {
          await removeCopy(path)
        }
      })
      lastCopy = copy.catch(() => {})
      return await copy
    },
    writes: () => queue.writes,
    pools: () => [{ pool: 'embedded', max: 1, used: Math.min(queue.jobs, 1), waiting: Math.max(queue.jobs - 1, 0) }],
    ...(directory === undefined ? {} : { diskBytes: () => directory.usage.bytes() }),
    close: () => queue.close(directory?.released),
  }
}

/** The engine's only connection. Statements run in the turn of the job that has it. */
function createSession(queue: EngineQueue, maintenance: Maintenance, usage: DiskUsage | undefined): Session {
  const command = async (text: string) => (await queue.engine.query(text, [])).command
  return {
    async query<Row>(text: string, values: readonly unknown[] = []) {
      const writes = !onlyReads(text)
      if (writes && usage?.isFull())
        throw new DatabaseUnavailableError(
          Object.assign(new Error('the database has reached DATA_MAX_MB'), { code: QUOTA_REACHED }),
        )
      if (writes) queue.noteWrite()
      const { rows, rowCount = 0, affectedRows = 0 } = await queue.engine.query(text, values)
      maintenance.count(affectedRows)
      return { rows: rows as Row[], rowCount }
    },
    async execute(text) {
      queue.noteWrite()
      maintenance.count((await queue.engine.execute(text)).affectedRows ?? 0)
    },
    command,
    commit: () => command('commit'),
    // There is only one. If it died, it refuses to roll back, and has done so anyway.
    isLost: () => false,
  }
}
