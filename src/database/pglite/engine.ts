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

/** The parts of the engine's WebAssembly module that we use beyond its published types; a start checks them. */
interface EngineModule extends Record<(typeof USED)[number], () => unknown> {
  FS: { streams: (object | null)[]; close(stream: object): void }
}

/** The engine leaves a failed statement with this status, and is alive. */
const STATEMENT_FAILED = 100

const SHARED_BUFFERS = '32MB'

const START_PARAMETERS = [
  ...PGlite.defaultStartParams,
  // For plans as plain as ours a tenth of the usual sample does, and to take it holds up everything for 15 ms, not 150.
  ...['-c', 'default_statistics_target=10'],
  // The engine touches all of it when it starts, so that the usual 128 MB are taken from the first moment on
  // (docs/scaling.md). Pages beyond it come from the system's cache.
  ...['-c', `shared_buffers=${SHARED_BUFFERS}`],
]

/** PGlite turns fsync off; these keep it. fdatasync is a stub in the engine, so the log must be written with fsync. */
const DURABLE_START_PARAMETERS = [
  ...START_PARAMETERS.filter((parameter) => parameter !== '-F'),
  ...['-c', 'wal_sync_method=fsync'],
  // Bounds the log files kept for reuse; maintenance.ts decides when to write a checkpoint.
  ...['-c', 'max_wal_size=128MB'],
  ...['-c', `max_files_per_process=${limit('engineDescriptors')}`],
]

export interface OnDisk extends DurableDirectory {
  log: Log | undefined
  /** Nothing need reach the disk, because all of it is thrown away, or synced later. */
  isThrownAway?: boolean
}

// V8 compiles a function again, optimized, after it has run for a moment; this makes the moment ten times as long. Otherwise
// a fifth of the processor time of a start goes into functions that hardly run again. After 5,000 statements the engine is
// as fast as it was.
setFlagsFromString('--wasm-tiering-budget=20000000')

/** Bytes as pg gives them: PGlite's own parser reads each by itself. */
const PARSERS = { ...TYPE_PARSERS, [types.BYTEA]: (hex: string) => Buffer.from(hex.slice('\\x'.length), 'hex') }

/** A PGlite instance that remembers a crash. */
export class Engine {
  /** Why it died. A dead engine must not be entered again: it would answer nonsense, or never. */
  failure: unknown
  readonly #log: Log | undefined
  /** Undefined: in memory. */
  #fs: DurableFs | undefined
  // The engine runs on this thread, and reads never leave it in between: without turns all waiting statements run in
  // one piece.
  readonly #takeTurn = createTurns()
  #module: EngineModule | undefined
  #pglite: PGlite | undefined
  #statements: Statements | undefined
  #lastWords = ''
  /** True if a write of the current job found the disk full. The engine's own error does not say so of a quota. */
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

  /** One statement. */
  query(text: string, values: readonly unknown[]): Promise<Results<unknown>> {
    return this.#enter((statements) => statements.run(text, values))
  }

  /** Several statements at once; gives what the last one did. */
  execute(text: string): Promise<Results<unknown>> {
    return this.#enter((statements) => statements.runScript(text))
  }

  async close(): Promise<void> {
    await this.#pglite?.close()
    await this.#fs?.settle()
    // The engine's memory is given back, though something may hold the database for longer.
    this.#pglite = undefined
    this.#statements = undefined
    this.#module = undefined
    this.#fs = undefined
  }

  async #enter<T>(job: (statements: Statements) => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw new DatabaseUnavailableError(this.failure)
    try {
      return await this.#pglite!.runExclusive(async () => {
        // Statements that were sent later wait here: none comes after the commit that follows it.
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

  /** Names what the disk has said, which the engine's own error does not always. */
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

  /** Makes every entry throw from now on, also stackRestore, which PGlite calls where it does not catch. */
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
   * PGlite swallows whatever is thrown inside a statement and goes on calling the dead engine, for ever or until it
   * seems to have succeeded. So each entry watches for more than a failed statement.
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
        // The engine that would need the file is gone: what cannot be closed now closes with the process.
      }
    }
  }
}
