import { setImmediate as nextTurn } from 'node:timers/promises'
import { limit } from '../../lib/limits.js'
import type { Log } from '../database.js'
import type { DiskUsage } from './disk-usage.js'
import type { EngineQueue } from './engine-queue.js'

// The first round comes early, because the count starts with the process.
const FIRST_MAINTENANCE_CHANGES = 1_000
const MAINTENANCE_CHANGES = 20_000
const MAINTENANCE_WAL_BYTES = limit('databaseWalBytes')
// Everything waits for a vacuum, a tenth of a second for 100,000 changed rows; this limits it to 4 % of the time.
const VACUUM_PAUSE_FACTOR = 25
/** The same rule as autovacuum. The system's own tables are left out: they take longest, and change only with the schema. */
const TABLES_TO_ANALYZE = `select relid::regclass::text as name from pg_stat_user_tables
                            where n_mod_since_analyze > 50 + n_live_tup / 10`
const TABLES_TO_VACUUM = `select relid::regclass::text as name from pg_stat_user_tables
                           where n_dead_tup > 0 order by n_dead_tup desc`

/**
 * The engine has neither autovacuum nor its own checkpointer: without this, statistics stay empty, dead rows stay, and the
 * write-ahead log grows without limit.
 */
export class Maintenance {
  #changesLeft = FIRST_MAINTENANCE_CHANGES
  #vacuumNotBefore = 0
  #isRunning = false
  #holdsCheckpoints = false
  #isCheckpointDue = false

  constructor(
    private readonly queue: EngineQueue,
    private readonly usage: DiskUsage | undefined,
    private readonly log: Log | undefined,
  ) {}

  count(changes: number): void {
    this.#changesLeft -= changes
  }

  runWhenDue(): void {
    if (!this.#isRunning && (this.#changesLeft <= 0 || this.#isLogLong)) void this.#run()
  }

  /** Keeps the log since the last checkpoint: a copy of the files recovers from there. */
  holdCheckpoints(): void {
    this.#holdsCheckpoints = true
  }

  releaseCheckpoints(): void {
    this.#holdsCheckpoints = false
    if (this.#isCheckpointDue) void this.#step(() => this.#checkpoint())
  }

  get #isLogLong(): boolean {
    return this.usage !== undefined && this.usage.walBytes >= MAINTENANCE_WAL_BYTES
  }

  /** Takes one step at a time, because callers are waiting. */
  async #run(): Promise<void> {
    this.#isRunning = true
    const vacuums = this.#isLogLong ? await this.#vacuumsOfChanged() : [() => this.#vacuum()]
    this.#changesLeft = MAINTENANCE_CHANGES
    if (this.usage !== undefined) this.usage.walBytes = 0
    for (const step of [...vacuums, () => this.#analyze(), () => this.#checkpoint()]) {
      await this.#step(step)
      await nextTurn()
    }
    this.#isRunning = false
  }

  async #step<T>(step: () => Promise<T>): Promise<T | undefined> {
    return await this.queue
      .inTurn(async () => (this.queue.isUsable ? await step() : undefined))
      .catch((error) => {
        this.log?.warn({ err: error }, 'the maintenance of the embedded database failed')
        return undefined
      })
  }

  /**
   * Vacuums the changed tables. A few rows can be large: their old versions are removed without the pause, so that the
   * tables do not grow by what is written during it. Each table is a separate step; the end of its file is returned to the
   * disk if it is empty.
   */
  async #vacuumsOfChanged(): Promise<(() => Promise<void>)[]> {
    const tables = (await this.#step(() => this.#namesOf(TABLES_TO_VACUUM))) ?? []
    return tables.map((table) => () => this.#query(`vacuum ${table}`))
  }

  async #namesOf(select: string): Promise<string[]> {
    // Otherwise the engine updates its counts once a second.
    await this.#query('select pg_stat_force_next_flush()')
    return ((await this.queue.engine.query(select, [])).rows as { name: string }[]).map(({ name }) => name)
  }

  async #vacuum(): Promise<void> {
    if (performance.now() < this.#vacuumNotBefore) return
    const startedAt = performance.now()
    await this.#query('vacuum')
    const endedAt = performance.now()
    this.#vacuumNotBefore = endedAt + VACUUM_PAUSE_FACTOR * (endedAt - startedAt)
  }

  async #analyze(): Promise<void> {
    for (const table of await this.#namesOf(TABLES_TO_ANALYZE)) await this.#query(`analyze ${table}`)
  }

  async #checkpoint(): Promise<void> {
    this.#isCheckpointDue = this.#holdsCheckpoints
    if (!this.#holdsCheckpoints) await this.#query('checkpoint')
  }

  async #query(text: string): Promise<void> {
    await this.queue.engine.query(text, [])
  }
}
