import { DatabaseUnavailableError, type Log } from '../database.js'
import type { Engine } from './engine.js'

/** Runs one job after another on the engine's only connection. An engine that died is replaced before the next job. */
export class EngineQueue {
  /** Counts jobs that may have changed something, by the time they are acknowledged. */
  writes = 0
  /** The number of waiting jobs, including the running one. */
  jobs = 0
  /** Called at the end of each caller's job, within its turn. */
  onJobEnd = (): void => {}
  #closed: Promise<void> | undefined
  /** True if the current job may have changed something. */
  #wrote = false
  #lastJob: Promise<unknown> = Promise.resolve()
  readonly #countEnd = (): void => {
    this.jobs -= 1
  }
  /**
   * Counts after a failure too, because a lost COMMIT may have taken effect; before the next job, which sees what was
   * written.
   */
  readonly #countWrite = (): void => {
    if (this.#wrote) this.writes += 1
    this.#wrote = false
  }

  /** Without `reopen`, an engine that died is not replaced. */
  constructor(
    public engine: Engine,
    private readonly reopen: (() => Promise<Engine>) | undefined,
    private readonly log: Log | undefined,
  ) {}

  get isUsable(): boolean {
    return this.#closed === undefined && this.engine.failure === undefined
  }

  noteWrite(): void {
    this.#wrote = true
  }

  inTurn<T>(job: () => Promise<T>): Promise<T> {
    this.jobs += 1
    const turn = this.#lastJob.then(job)
    this.#lastJob = turn.then(this.#countEnd, this.#countEnd)
    return turn
  }

  /** Runs a caller's job. Throws DatabaseUnavailableError if the database is closed or does not restart. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new DatabaseUnavailableError(new Error('the database is closed'))
    return await this.inTurn(async () => {
      if (this.engine.failure !== undefined) await this.#replaceEngine()
      const result = await job().finally(this.#countWrite)
      this.onJobEnd()
      return result
    })
  }

  close(released: (() => void) | undefined): Promise<void> {
    this.#closed ??= this.inTurn(async () => {
      await this.engine.close()
      released?.()
    })
    return this.#closed
  }

  async #replaceEngine(): Promise<void> {
    if (this.reopen === undefined) throw new DatabaseUnavailableError(this.engine.failure)
    try {
      this.engine = await this.reopen()
      // Writes that did not reach the disk before the failure are lost, although others may have read them.
      this.writes += 1
    } catch (cause) {
      throw new DatabaseUnavailableError(cause)
    }
    this.log?.info('the embedded database is open again')
  }
}
