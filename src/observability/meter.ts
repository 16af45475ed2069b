import type { Database, Queryable, QueryResult } from '../database/database.js'
import type { Ready } from '../lib/ready.js'

/** The costs and results of one request, for its log line. */
export interface Meter {
  /** From `performance.now()`. */
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

/** Counts the time that a request waits for the database, and names the organization of its changes. */
export class MeteredDatabase implements Database {
  constructor(
    private readonly database: Database,
    private readonly meter: Meter,
    private readonly organizationId: () => string | undefined = () => undefined,
  ) {}

  get engine(): Database['engine'] {
    return this.database.engine
  }

  get writes(): Database['writes'] {
    return this.database.writes
  }

  query<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    return timed(this.meter, this.database.query<Row>(text, values))
  }

  execute(text: string): Promise<void> {
    return timed(this.meter, this.database.execute(text))
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return timed(this.meter, this.database.transaction(work, this.organizationId()))
  }

  readInSnapshot<T>(read: (tx: Queryable) => Promise<T>): Promise<T> {
    return timed(this.meter, this.database.readInSnapshot(read))
  }

  readAside<T>(read: (tx: Queryable) => Promise<T>): Promise<T> {
    return timed(this.meter, this.database.readAside(read))
  }

  close(): Promise<void> {
    return this.database.close()
  }
}

/** Counts the time until the value is read from the database. */
export function timed<T>(meter: Meter, value: Promise<T>): Promise<T>
export function timed<T>(meter: Meter, value: Ready<T>): Ready<T>
export function timed<T>(meter: Meter, value: Ready<T>): Ready<T> {
  if (!(value instanceof Promise)) return value
  const start = performance.now()
  return value.finally(() => {
    meter.databaseMs += performance.now() - start
  })
}
