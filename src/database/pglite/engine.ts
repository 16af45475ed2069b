import { setFlagsFromString } from 'node:v8'
import { PGlite, type Results, types } from '@electric-sql/pglite'
import { limit } from '../../lib/limits.js'
import { createTurns } from '../../lib/turns.js'
import { DatabaseUnavailableError, type Log, TYPE_PARSERS, translateError } from '../database.js'
import { diskErrorOf } from './disk-errors.js'
import { type DurableDirectory, DurableFs } from './durable-fs.js'
import { EMPTY_SCHEMA, readNewCluster } from './new-cluster.js'
import { Statements } from './statements.js'

const ENTRY_POINTS = [
  '_PostgresMainLoopOnce',
  '_PostgresMainLongJmp',
  '_PostgresSendReadyForQueryIfNecessary',
  '_pgl_pq_flush',
] as const
const USED = [...ENTRY_POINTS, 'stackSave', 'stackRestore'] as const

/** Parts of the engine's WebAssembly module that we use beyond its published types; they are checked at start. */
interface EngineModule extends Record<(typeof USED)[number], () => unknown> {
  FS: { streams: (object | null)[]; close(stream: object): void }
}

/** After a failed statement the engine exits with this status, and is still alive. */
const STATEMENT_FAILED = 100

const SHARED_BUFFERS = '32MB'

const START_PARAMETERS = [
  ...PGlite.defaultStartParams,
  // For plans as simple as ours, a tenth of the usual sample is enough, and taking it blocks everything for 15 ms instead of
  // 150.
  ...['-c', 'default_statistics_target=10'],
  // The engine touches all of it when it starts, so the usual 128 MB would be in use from the first moment
  // (docs/scaling.md). The system's cache provides further pages.
  ...['-c', `shared_buffers=${SHARED_BUFFERS}`],
]

/** PGlite turns fsync off; these keep it on. fdatasync is a stub in the engine, so the log must be written with fsync. */
const DURABLE_START_PARAMETERS = [
  ...START_PARAMETERS.filter((parameter) => parameter !== '-F'),
  ...['-c', 'wal_sync_method=fsync'],
  // Limits the log files kept for reuse; maintenance.ts decides when to write a checkpoint.
  ...['-c', 'max_wal_size=128MB'],
  ...['-c', `max_files_per_process=${limit('engineDescriptors')}`],
]

export interface OnDisk extends DurableDirectory {
  log: Log | undefined
  /** True if nothing needs to reach the disk, because everything is discarded, or synced later. */
  isThrownAway?: boolean
}

// V8 optimizes a function after it has run for a moment; this makes the moment ten times as long. Otherwise a fifth of a
// start's processor time goes into functions that hardly run again. After 5,000 statements the engine is as fast as before.
setFlagsFromString('--wasm-tiering-budget=20000000')

/** Bytes as pg returns them: PGlite's own parser reads them one at a time. */
const PARSERS = { ...TYPE_PARSERS, [types.BYTEA]: (hex: string) => Buffer.from(hex.slice('\\x'.length), 'hex') }

/** A PGlite instance that remembers a crash. */
export class Engine {
  /** Why it died. A dead engine must not be entered again: it would return nonsense, or never return. */
  failure: unknown
  readonly #log: Log | undefined
  /** Undefined in memory. */
  #fs: DurableFs | undefined
  // The engine runs on this thread, and reads never leave it in between: without turns, all waiting statements would run in
  // one go.
  readonly #takeTurn = createTurns()
  #module: EngineModule | undefined
  #pglite: PGlite | undefined
  #statements: Statements | undefined
  #lastWords = ''
  /** True if a write of the current job found the disk full. For a quota, the engine's own error does not say so. */
  #foundFull = false

  private constructor(onDisk?: OnDisk) {
    this.#log = onDisk?.log
    if (onDisk === undefined) return
    const onFullDisk = (error: unknown): void => {
      this.#foundFull = true
      onDisk.onFullDisk?.(error)
    }
    this.#fs = new DurableFs({ ...onDisk, onFullDisk }, (pglite) => this.#watch(pglite))
  }

  static async inMemory(isMigrated: boolean): Promise<Engine> {
    const engine = new Engine()
    const loadDataDir = await readNewCluster()
    const pglite = await PGlite.create({
      parsers: PARSERS,
      startParams: START_PARAMETERS,
      ...(loadDataDir && { loadDataDir }),
    })
    engine.#watch(pglite)
    engine.#use(pglite)
    if (loadDataDir !== undefined && !isMigrated) await engine.execute(EMPTY_SCHEMA)
    return engine
  }

  static async inDirectory(onDisk: OnDisk): Promise<Engine> {
    const engine = new Engine(onDisk)
    const fs = engine.#fs!
    try {
      const pglite = await PGlite.create({
        fs,
        parsers: PARSERS,
        startParams: onDisk.isThrownAway ? START_PARAMETERS : DURABLE_START_PARAMETERS,
        onStderr: (text) => engine.#listen(text),
      })
      await fs.settle()
      engine.#use(pglite)
    } catch (error) {
      engine.#fail(error)
      engine.#evict()
      const message = `the embedded database in ${onDisk.directory} does not start: ${engine.#lastWords || error}`
      throw Object.assign(new Error(message, { cause: error }), { code: diskErrorOf(error, engine.#lastWords) })
    }
    return engine
  }

  /** Runs one statement. */
  query(text: string, values: readonly unknown[]): Promise<Results<unknown>> {
    return this.#enter((statements) => statements.run(text, values))
  }

  /** Runs several statements at once; returns the result of the last. */
  execute(text: string): Promise<Results<unknown>> {
    return this.#enter((statements) => statements.runScript(text))
  }

  async close(): Promise<void> {
    await this.#pglite?.close()
    await this.#fs?.settle()
    // Releases the engine's memory, although something may hold the database for longer.
    this.#pglite = undefined
    this.#statements = undefined
    this.#module = undefined
    this.#fs = undefined
  }

  async #enter<T>(job: (statements: Statements) => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw new DatabaseUnavailableError(this.failure)
    try {
      return await this.#pglite!.runExclusive(async () => {
        // Statements that were sent later wait here, so that none comes after the commit that follows.
        await this.#takeTurn()
        this.#foundFull = false
        const result = await job(this.#statements!)
        await this.#fs?.settle().catch((error) => this.#die(error))
        return result
      })
    } catch (error) {
      if (this.failure !== undefined) throw this.#toUnavailable(this.failure)
      throw this.#foundFull ? this.#toUnavailable(error) : translateError(error)
    } finally {
      if (this.failure !== undefined) this.#evict()
    }
  }

  /** Names what the disk reported, which the engine's own error does not always do. */
  #toUnavailable(error: unknown): DatabaseUnavailableError {
    const code = this.#foundFull ? 'ENOSPC' : diskErrorOf(error, this.#lastWords)
    if (code === undefined) return new DatabaseUnavailableError(error)
    return new DatabaseUnavailableError(Object.assign(new Error(`the disk says ${code}`, { cause: error }), { code }))
  }

  #use(pglite: PGlite): void {
    this.#pglite = pglite
    this.#statements = new Statements(pglite)
  }

  #listen(text: string): boolean {
    if (/ (PANIC|FATAL): /.test(text)) this.#lastWords = text
    return false
  }

  #fail(cause: unknown): void {
    this.failure ??= this.#lastWords ? new Error(this.#lastWords, { cause }) : cause
  }

  /** Makes every entry throw from now on, including stackRestore, which PGlite calls outside its catch blocks. */
  #die(error: unknown): never {
    this.#fail(error)
    const code = diskErrorOf(error, this.#lastWords)
    this.#log?.error({ ...(code !== undefined && { code }), err: this.failure }, 'the embedded database died')
    const refuse = (): never => {
      throw this.failure
    }
    for (const name of USED) this.#module![name] = refuse
    throw error
  }

  /**
   * PGlite swallows whatever is thrown inside a statement, and continues to call the dead engine, forever or until it seems
   * to have succeeded. So each entry checks for more than a failed statement.
   */
  #watch(pglite: PGlite): void {
    const module = pglite.Module as unknown as EngineModule
    for (const name of USED) {
      if (typeof module[name] !== 'function') throw new Error(`this version of PGlite is unknown: it has no ${name}`)
    }
    this.#module = module
    for (const name of ENTRY_POINTS) {
      const enter = module[name]
      module[name] = () => {
        try {
          return enter()
        } catch (error) {
          if ((error as { status?: unknown }).status === STATEMENT_FAILED) throw error
          return this.#die(error)
        }
      }
    }
  }

  /** A dead engine closes nothing. */
  #evict(): void {
    this.#pglite = undefined
    this.#fs?.abandon()
    for (const stream of this.#module?.FS.streams.splice(0) ?? []) {
      try {
        if (stream !== null && stream !== undefined) this.#module?.FS.close(stream)
      } catch {
        // The engine that needed the file is gone; whatever cannot be closed now closes with the process.
      }
    }
  }
}
