import { existsSync, fsyncSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite, type Results } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { type Clock, systemClock } from '../lib/clock.js'
import {
  type Database,
  DatabaseUnavailableError,
  type Log,
  onlyReads,
  type Queryable,
  TYPE_PARSERS,
  translateError,
} from './database.js'
import { makeDirectory, syncPath, syncTree } from './durable-files.js'
import { takeProcessLock } from './process-lock.js'
import { assertOutsideTransaction, rerunOnConflict, runTransaction, type Session } from './transaction.js'

export interface PgliteOptions {
  /** Holds the database (`database/`) and its lock (`database.lock`). Undefined: in memory, for tests. */
  dataDir?: string | undefined
  log?: Log | undefined
  clock?: Clock
}

// Starting the engine stops the whole process for a while, so a disk that stays full must not make it start all the time.
const REOPEN_PAUSE_MS = 5_000
// The engine has neither autovacuum nor a checkpointer of its own: without ours statistics stay empty, dead rows stay,
// and the write-ahead log grows without end. The first round comes early, because the count starts anew with the process.
const FIRST_MAINTENANCE_CHANGES = 1_000
const MAINTENANCE_CHANGES = 20_000
// Everything waits while it vacuums, half a second for some 100,000 rows: during an import that may take 4 % of the time.
const VACUUM_PAUSE_FACTOR = 25

/**
 * Opens the embedded PostgreSQL. In a directory an acknowledged write is on disk: it survives kill -9 and a power cut.
 * When the engine dies (a full disk does that), queries fail with DatabaseUnavailableError until it could be started
 * again, which a later query does by itself. Throws DataDirectoryInUseError when another process holds the directory.
 */
export async function openPglite({ dataDir, log, clock = systemClock }: PgliteOptions = {}): Promise<Database> {
  if (dataDir === undefined) return createDatabase(await Engine.inMemory(), undefined, log)
  await makeDirectory(dataDir)
  const directory = join(dataDir, 'database')
  const lock = takeProcessLock(`${directory}.lock`)
  try {
    if (!existsSync(directory)) await makeDatabase(directory, log)
    const reopen = throttle(() => Engine.inDirectory(directory, log), clock)
    return createDatabase(await reopen(), { reopen, released: () => lock.release() }, log)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Under its own name a database is always complete and on disk: it is made under another, synced, and renamed. */
async function makeDatabase(directory: string, log: Log | undefined): Promise<void> {
  const draft = `${directory}.new`
  rmSync(draft, { recursive: true, force: true })
  const engine = await Engine.inDirectory(draft, log)
  await engine.close()
  await syncTree(draft)
  renameSync(draft, directory)
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
  directory: { reopen(): Promise<Engine>; released(): void } | undefined,
  log: Log | undefined,
): Database {
  let engine = first
  let closed: Promise<void> | undefined
  let changesUntilMaintenance = FIRST_MAINTENANCE_CHANGES
  let vacuumNotBefore = 0
  let writes = 0
  // Whether the job on the engine may have changed something.
  let wrote = false
  // The engine has one connection: one job after another.
  let lastJob: Promise<unknown> = Promise.resolve()

  function inTurn<T>(job: () => Promise<T>): Promise<T> {
    const turn = lastJob.then(job)
    lastJob = turn.catch(() => {})
    return turn
  }

  async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    assertOutsideTransaction()
    if (closed !== undefined) throw new DatabaseUnavailableError(new Error('the database is closed'))
    return await inTurn(async () => {
      if (engine.failure !== undefined) await replaceEngine()
      const result = await work(session).finally(countWrite)
      if (changesUntilMaintenance <= 0) {
        changesUntilMaintenance = MAINTENANCE_CHANGES
        void inTurn(maintain)
      }
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
    } catch (cause) {
      throw new DatabaseUnavailableError(cause)
    }
    log?.info('the embedded database is open again')
  }

  async function maintain(): Promise<void> {
    if (closed !== undefined || engine.failure !== undefined) return
    try {
      if (performance.now() >= vacuumNotBefore) {
        const startedAt = performance.now()
        await engine.run((pglite) => pglite.exec('vacuum analyze'))
        const endedAt = performance.now()
        vacuumNotBefore = endedAt + VACUUM_PAUSE_FACTOR * (endedAt - startedAt)
      }
      await engine.run((pglite) => pglite.exec('checkpoint'))
    } catch (error) {
      log?.warn({ err: error }, 'the maintenance of the embedded database failed')
    }
  }

  async function run<R extends Results<unknown>>(job: (pglite: PGlite) => Promise<R>): Promise<R> {
    const result = await engine.run(job)
    changesUntilMaintenance -= result.affectedRows ?? 0
    return result
  }

  const session: Session = {
    async query<Row>(text: string, values: readonly unknown[] = []) {
      wrote ||= !onlyReads(text)
      const { rows, rowCount = 0 } = await run((pglite) => pglite.query<Row>(text, [...values]))
      return { rows, rowCount }
    },
    async execute(text) {
      wrote = true
      await run(async (pglite) => (await pglite.exec(text)).at(-1)!)
    },
    command: async (text) => (await run((pglite) => pglite.query(text))).command,
  }

  return {
    engine: 'pglite',
    query: <Row>(text: string, values?: readonly unknown[]) =>
      withSession((session) => session.query<Row>(text, values)),
    execute: (text) => withSession((session) => session.execute(text)),
    transaction: <T>(work: (tx: Queryable) => Promise<T>) =>
      rerunOnConflict(() => withSession((session) => runTransaction(session, work))),
    writes: () => writes,
    close() {
      closed ??= inTurn(async () => {
        await engine.close()
        directory?.released()
      })
      return closed
    },
  }
}

/** What we use of the engine's WebAssembly module beyond its published types. All of it is checked when it starts. */
interface EngineModule {
  NODEFS: {
    stream_ops: { fsync?(stream: { nfd: number }): number }
    tryFSOperation(operation: () => void): void
  }
  FS: { streams: (object | null)[]; close(stream: object): void }
  stackSave(): unknown
  stackRestore(pointer: unknown): unknown
  _PostgresMainLoopOnce(): unknown
  _PostgresMainLongJmp(): unknown
  _PostgresSendReadyForQueryIfNecessary(): unknown
  _pgl_pq_flush(): unknown
}

const ENTRY_POINTS = [
  '_PostgresMainLoopOnce',
  '_PostgresMainLongJmp',
  '_PostgresSendReadyForQueryIfNecessary',
  '_pgl_pq_flush',
] as const

/** With this status the engine leaves a failed statement; it is alive. */
const STATEMENT_FAILED = 100

/** As PGlite starts it, but with fsync. fdatasync is a stub in the engine, so the log must be written with fsync. */
const DURABLE_START_PARAMETERS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'wal_sync_method=fsync'],
  // Bounds the log files kept for reuse; when to write a checkpoint is decided above.
  ...['-c', 'max_wal_size=128MB'],
]

/** One start of PGlite, and the knowledge whether it has died. */
class Engine {
  /** Why it died. A dead engine must not be entered again: it would answer nonsense, or never. */
  failure: unknown
  private pglite: PGlite | undefined
  private lastWords = ''

  private constructor(private readonly log: Log | undefined) {}

  static async inMemory(): Promise<Engine> {
    const engine = new Engine(undefined)
    engine.pglite = await PGlite.create({ parsers: TYPE_PARSERS })
    engine.watch(engine.pglite)
    return engine
  }

  static async inDirectory(directory: string, log: Log | undefined): Promise<Engine> {
    const engine = new Engine(log)
    const fs = new DurableNodeFS(directory, (pglite) => engine.watch(pglite))
    try {
      engine.pglite = await PGlite.create({
        fs,
        parsers: TYPE_PARSERS,
        startParams: DURABLE_START_PARAMETERS,
        onStderr: (text) => engine.listen(text),
      })
    } catch (error) {
      engine.fail(error)
      closeFiles(fs.module)
      throw new Error(`the embedded database in ${directory} does not start: ${engine.lastWords || error}`, {
        cause: error,
      })
    }
    return engine
  }

  async run<T>(job: (pglite: PGlite) => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw new DatabaseUnavailableError(this.failure)
    try {
      return await job(this.pglite!)
    } catch (error) {
      if (this.failure !== undefined) throw new DatabaseUnavailableError(this.failure)
      // PGlite hangs the values on the error, and from there they would reach the log.
      if (error instanceof Error && 'params' in error) delete error.params
      throw translateError(error)
    } finally {
      if (this.failure !== undefined && this.pglite !== undefined) {
        closeFiles(this.pglite.Module as unknown as EngineModule)
        this.pglite = undefined
      }
    }
  }

  async close(): Promise<void> {
    await this.pglite?.close()
    this.pglite = undefined
  }

  private listen(text: string): boolean {
    if (/ (PANIC|FATAL): /.test(text)) this.lastWords = text
    return false
  }

  private fail(cause: unknown): void {
    this.failure ??= this.lastWords ? new Error(this.lastWords, { cause }) : cause
  }

  /**
   * PGlite swallows whatever is thrown inside a statement and goes on calling the dead engine, for ever or until it
   * seems to have succeeded. So each entry watches for more than a failed statement; after that, every entry throws,
   * stackRestore too, the one that PGlite calls where it does not catch.
   */
  private watch(pglite: PGlite): void {
    const module = pglite.Module as unknown as EngineModule
    for (const name of [...ENTRY_POINTS, 'stackSave', 'stackRestore'] as const) {
      if (typeof module[name] !== 'function') throw new Error(`this version of PGlite is unknown: it has no ${name}`)
    }
    for (const name of ENTRY_POINTS) {
      const enter = module[name]
      module[name] = () => {
        try {
          return enter()
        } catch (error) {
          if ((error as { status?: unknown }).status === STATEMENT_FAILED) throw error
          this.fail(error)
          this.log?.error({ err: this.failure }, 'the embedded database died')
          const refuse = (): never => {
            throw this.failure
          }
          for (const entry of [...ENTRY_POINTS, 'stackSave', 'stackRestore'] as const) module[entry] = refuse
          throw error
        }
      }
    }
  }
}

/** A dead engine closes nothing. */
function closeFiles(module: EngineModule | undefined): void {
  for (const stream of module?.FS.streams ?? []) {
    try {
      if (stream !== null && stream !== undefined) module?.FS.close(stream)
    } catch {
      // The engine that would need the file is gone: what cannot be closed now closes with the process.
    }
  }
}

/** PGlite's directory on disk, with the fsync that it lacks. */
class DurableNodeFS extends NodeFS {
  module: EngineModule | undefined

  constructor(
    directory: string,
    private readonly onLoad: (pglite: PGlite) => void,
  ) {
    super(directory)
  }

  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options)
    const wireFsync = (loaded: unknown): void => {
      const module = loaded as EngineModule
      const { NODEFS } = module
      if (typeof NODEFS?.tryFSOperation !== 'function' || typeof NODEFS.stream_ops !== 'object') {
        throw new Error('this version of PGlite is unknown: its file system has no place for fsync')
      }
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        // Gives the engine a failure as an error number; it stops then, as PostgreSQL does.
        NODEFS.tryFSOperation(() => fsyncSync(nfd))
        return 0
      }
      this.module = module
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [wireFsync, ...(emscriptenOpts.preRun ?? [])] } }
  }

  /** Called between loading and starting the engine. */
  override async initialSyncFs(): Promise<void> {
    this.onLoad(this.pg!)
  }
}
