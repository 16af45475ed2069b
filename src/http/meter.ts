import type { Database, Queryable, QueryResult } from '../database/database.js'

/** What one request cost and gave, for its log line. */
export interface Meter {
  /** On the clock of `performance`. */
  startedAt: number
  databaseMs: number
  upstreamMs: number
  rows: number | undefined
}

export const newMeter = (): Meter => ({
  startedAt: performance.now(),
  databaseMs: 0,
  upstreamMs: 0,
  rows: undefined,
})

/** The same database, its time counted. A transaction counts as a whole. */
export class MeteredDatabase implements Database {
  constructor(
    private readonly database: Database,
    private readonly meter: Meter,
  ) {}

  get engine(): Database['engine'] {
    return this.database.engine
  }

  get writes(): Database['writes'] {
    return this.database.writes
  }

  query<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    return this.timed(this.database.query<Row>(text, values))
  }

  execute(text: string): Promise<void> {
    return this.timed(this.database.execute(text))
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.timed(this.database.transaction(work))
  }

  close(): Promise<void> {
    return this.database.close()
  }

  private async timed<T>(work: Promise<T>): Promise<T> {
    const start = performance.now()
    try {
      return await work
    } finally {
      this.meter.databaseMs += performance.now() - start
    }
  }
}
