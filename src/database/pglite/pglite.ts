import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Results } from '@electric-sql/pglite'
import { type Clock, systemClock } from '../../lib/clock.js'
import { limit } from '../../lib/limits.js'
import { StartError } from '../../lib/start-error.js'
import { type Database, DatabaseUnavailableError, type Log, onlyReads, translateError } from '../database.js'
import { UNFINISHED } from '../rows.js'
import { assertOutsideTransaction, rerunOnConflict, runTransaction, type Session } from '../transaction.js'
import { prepareCopy, readCopy, removeCopy } from './aside.js'
import { asDamagedAtStart, requireVersion } from './damage.js'
import { Descriptors } from './descriptors.js'
import { diskErrorOf } from './disk-errors.js'
import { DiskUsage } from './disk-usage.js'
import { makeDirectory, makePrivate, syncPath, syncTree } from './durable-files.js'
import { unpackEmptyCluster } from './empty-cluster.js'
import { Engine, type OnDisk } from './engine.js'
import { takeDirectoryLock } from './upgrade-lock.js'

export interface PgliteOptions {
  /** Holds the database (`database/`) and its lock (`database.lock`). Undefined: in memory, for tests. */
  dataDir?: string | undefined
  /** Writes are refused once the directory takes more. */
  dataMaxBytes?: number | undefined
  /** It is thrown away when the process ends, or synced by the caller: nothing need reach the disk. */
  isThrownAway?: boolean
  log?: Log | undefined
  clock?: Clock
}

// Starting the engine stops the whole process for a while, so a disk that stays full must not make it start all the time.
const REOPEN_PAUSE_MS = 5_000
const FULL_DISK_SAID_MS = 60_000
// The engine has neither autovacuum nor a checkpointer of its own: without ours statistics stay empty, dead rows stay,
// and the write-ahead log grows without end. The first round comes early, because the count starts with the process.
const FIRST_MAINTENANCE_CHANGES = 1_000
const MAINTENANCE_CHANGES = 20_000
const MAINTENANCE_WAL_BYTES = limit('databaseWalBytes')
// Everything waits for a vacuum, a tenth of a second for 100,000 rows that changed: it may take 4 % of the time.
const VACUUM_PAUSE_FACTOR = 25
/** As autovacuum decides it. Only our own tables: those of the system take longest, and change with the schema alone. */
const TABLES_TO_ANALYZE = `select relid::regclass::text as name from pg_stat_user_tables
                            where n_mod_since_analyze > 50 + n_live_tup / 10`
const TABLES_TO_VACUUM = `select relid::regclass::text as name from pg_stat_user_tables
                           where n_dead_tup > 0 order by n_dead_tup desc`

/**
 * Opens the embedded PostgreSQL. In a directory an acknowledged write is on disk: it survives kill -9 and a power cut.
 * When the engine dies (a full disk does that), queries fail with DatabaseUnavailableError until it could be started
 * again, which a later query does by itself. Throws DataDirectoryInUseError when another process holds the directory.
 */
export async function openPglite(options: PgliteOptions = {}): Promise<Database> {
  const { dataDir, dataMaxBytes, isThrownAway = false, log, clock = systemClock } = options
  if (dataDir === undefined) return createDatabase(await Engine.inMemory(), undefined, log)
  await makeDirectory(dataDir)
  const directory = join(dataDir, 'database')
  const lock = await takeDirectoryLock(directory, { log })
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
      await makeDatabase(onDisk)
    }
    // In another user's directory the engine would say that a file exists.
    accessSync(directory, constants.R_OK | constants.W_OK)
    makePrivate(directory)
    requireVersion(directory, dataDir)
    const reopen = throttle(() => Engine.inDirectory(onDisk), clock)
    const first = await reopen().catch((error) => {
      throw asDamagedAtStart(error, dataDir)
    })
    return createDatabase(first, { path: directory, usage, reopen, released, adopt: lock.adopt }, log)
  } catch (error) {
    released()
    throw error
  }
}

/** Names a full disk in the log, once a minute: each write finds it full again. */
function createFullDiskLog(directory: string, log: Log | undefined, clock: Clock): (error: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (Math.abs(clock.now() - saidAt) < FULL_DISK_SAID_MS) return
    saidAt = clock.now()
    log?.error(
      { code: diskErrorOf(error), directory },
      'the disk of the embedded database is full: writes are answered with 503 until there is room',
    )
  }
}

/** Under its own name a database is always complete and on disk: it is made under another, synced, and renamed. */
async function makeDatabase(database: OnDisk): Promise<void> {
  const { directory, assertHeld } = database
  const draft = `${directory}.new`
  rmSync(draft, { recursive: true, force: true })
  try {
    mkdirSync(draft, { mode: 0o700 })
    // All of it is synced below, once.
    await unpackEmptyCluster(draft)
    const engine = await Engine.inDirectory({ ...database, directory: draft, isThrownAway: true })
    await engine.close()
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
    // The absolute value, so that a clock set back does not hold the database closed.
    if (Math.abs(clock.now() - endedAt) < REOPEN_PAUSE_MS) throw new Error('the embedded database failed a moment ago')
    try {
      return await open()
    } finally {
      endedAt = clock.now()
    }
  }
}

function createDatabase(
  first: Engine,
  directory: { path: string; usage: DiskUsage; reopen(): Promise<Engine>; released(): void; adopt(): void } | undefined,
  log: Log | undefined,
): Database {
  const self = {}
  let engine = first
  let closed: Promise<void> | undefined
  let changesUntilMaintenance = FIRST_MAINTENANCE_CHANGES
  let vacuumNotBefore = 0
  let isMaintaining = false
  // A copy is recovered from the checkpoint before it: the log since then must stay.
  let isCopying = false
  let isCheckpointDue = false
  let lastCopy: Promise<unknown> = Promise.resolve()
  const usage = directory?.usage
  let writes = 0
  // Whether the job on the engine may have changed something.
  let wrote = false
  // The engine has one connection: one job after another.
  let lastJob: Promise<unknown> = Promise.resolve()
  /** With the one that runs. */
  let jobs = 0
  const jobEnded = (): void => {
    jobs -= 1
  }

  function inTurn<T>(job: () => Promise<T>): Promise<T> {
    jobs += 1
    const turn = lastJob.then(job)
    lastJob = turn.then(jobEnded, jobEnded)
    return turn
  }

  async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    assertOutsideTransaction(self)
    if (closed !== undefined) throw new DatabaseUnavailableError(new Error('the database is closed'))
    return await inTurn(async () => {
      if (engine.failure !== undefined) await replaceEngine()
      const result = await work(session).finally(countWrite)
      if (!isMaintaining && (changesUntilMaintenance <= 0 || isLogLong())) void maintain()
      return result
    })
  }

  /** Also after a failure: whether a lost COMMIT counted is not known. Before the next job, which sees what was written. */
  function countWrite(): void {
    if (wrote) writes += 1
    wrote = false
  }

  async function replaceEngine(): Promise<void> {
    if (directory === undefined) throw new DatabaseUnavailableError(engine.failure)
    try {
      engine = await directory.reopen()
      // What the engine that failed had not brought to the disk is gone, though it may have been read.
      writes += 1
    } catch (cause) {
      throw new DatabaseUnavailableError(cause)
    }
    log?.info('the embedded database is open again')
  }

  function isLogLong(): boolean {
    return usage !== undefined && usage.walBytes >= MAINTENANCE_WAL_BYTES
  }

  /** One step at a time, because whatever else there is waits for it. */
  async function maintain(): Promise<void> {
    isMaintaining = true
    const steps = isLogLong() ? await vacuumsOfChanged() : [vacuum]
    changesUntilMaintenance = MAINTENANCE_CHANGES
    if (usage !== undefined) usage.walBytes = 0
    for (const step of [...steps, analyze, checkpoint]) {
      await runStep(step)
      await nextTurn()
    }
    isMaintaining = false
  }

  async function runStep<T>(step: () => Promise<T>): Promise<T | undefined> {
    return await inTurn(async () => {
      return closed === undefined && engine.failure === undefined ? await step() : undefined
    }).catch((error) => {
      log?.warn({ err: error }, 'the maintenance of the embedded database failed')
      return undefined
    })
  }

  /**
   * A few rows can be much: their old versions are given up without the pause, so that the tables do not grow by what is
   * written in it. Each table by itself; its end is returned to the disk where nothing is left in it.
   */
  async function vacuumsOfChanged(): Promise<(() => Promise<void>)[]> {
    const tables = (await runStep(() => namesOf(TABLES_TO_VACUUM))) ?? []
    return tables.map((table) => async () => void (await engine.query(`vacuum ${table}`, [])))
  }

  async function namesOf(select: string): Promise<string[]> {
    // The engine counts changes once a second otherwise.
    await engine.query('select pg_stat_force_next_flush()', [])
    return ((await engine.query(select, [])).rows as { name: string }[]).map(({ name }) => name)
  }

  async function vacuum(): Promise<void> {
    if (performance.now() < vacuumNotBefore) return
    const startedAt = performance.now()
    await engine.query('vacuum', [])
    const endedAt = performance.now()
    vacuumNotBefore = endedAt + VACUUM_PAUSE_FACTOR * (endedAt - startedAt)
  }

  async function analyze(): Promise<void> {
    for (const table of await namesOf(TABLES_TO_ANALYZE)) await engine.query(`analyze ${table}`, [])
  }

  async function checkpoint(): Promise<void> {
    isCheckpointDue = isCopying
    if (!isCopying) await engine.query('checkpoint', [])
  }

  /** Makes a copy of the directory while others write; gives the directory that holds it. */
  async function copyAside(source: string, bytes: number): Promise<string> {
    const copy = await prepareCopy(source, bytes)
    let copied: Engine | undefined
    const inOwnTurn = <T>(job: () => Promise<T>): Promise<T> =>
      withSession(async () => {
        copied ??= engine
        // Another start of the engine has written a checkpoint.
        if (copied !== engine) throw new DatabaseUnavailableError(new Error('the embedded database failed meanwhile'))
        return await job()
      })
    const fileOf = async (lsn: string): Promise<string> =>
      ((await engine.query(`select pg_walfile_name(${lsn}) as name`, [])).rows[0] as { name: string }).name
    isCopying = true
    try {
      const first = await inOwnTurn(async () => {
        await engine.query('checkpoint', [])
        return await fileOf('(pg_control_checkpoint()).redo_lsn')
      })
      await copy.files()
      const current = await inOwnTurn(() => fileOf('pg_current_wal_insert_lsn()'))
      await copy.log(first, current)
      await inOwnTurn(async () => copy.endOfLog(current, await fileOf('pg_current_wal_insert_lsn()')))
    } finally {
      isCopying = false
      if (isCheckpointDue) void runStep(checkpoint)
    }
    return copy.dataDir
  }

  /** Takes a result into account. */
  async function counted<R extends Results<unknown>>(job: Promise<R>): Promise<R> {
    const result = await job
    changesUntilMaintenance -= result.affectedRows ?? 0
    return result
  }

  const command = async (text: string) => (await engine.query(text, [])).command
  const session: Session = {
    async query<Row>(text: string, values: readonly unknown[] = []) {
      const writes = !onlyReads(text)
      if (writes && usage?.isFull())
        throw new DatabaseUnavailableError(new Error('the database has reached DATA_MAX_MB'))
      wrote ||= writes
      const { rows, rowCount = 0 } = await counted(engine.query(text, values))
      return { rows: rows as Row[], rowCount }
    },
    async execute(text) {
      wrote = true
      await counted(engine.execute(text))
    },
    command,
    commit: () => command('commit'),
    // There is only the one. When it died it refuses to roll back, and has.
    isLost: () => false,
  }

  const transaction: Database['transaction'] = (work) =>
    rerunOnConflict(() => withSession((session) => runTransaction(session, work, { of: self })))

  return {
    engine: 'pglite',
    query: <Row>(text: string, values?: readonly unknown[]) =>
      withSession((session) => session.query<Row>(text, values)),
    execute: (text) => withSession((session) => session.execute(text)),
    transaction,
    // Nothing else runs beside a transaction.
    readInSnapshot: (read) => transaction(read),
    async readAside(read) {
      assertOutsideTransaction(self)
      if (directory === undefined) return await transaction(read)
      const { path, usage } = directory
      const copy = lastCopy.then(async () => {
        try {
          return await readCopy(await copyAside(path, usage.bytes()), read)
        } catch (error) {
          throw translateError(error)
        } finally {
          await removeCopy(path)
        }
      })
      lastCopy = copy.catch(() => {})
      return await copy
    },
    writes: () => writes,
    pools: () => [{ pool: 'embedded', max: 1, used: Math.min(jobs, 1), waiting: Math.max(jobs - 1, 0) }],
    ...(usage === undefined ? {} : { diskBytes: () => usage.bytes() }),
    ...(directory === undefined ? {} : { adopt: directory.adopt }),
    close() {
      closed ??= inTurn(async () => {
        await engine.close()
        directory?.released()
      })
      return closed
    },
  }
}
