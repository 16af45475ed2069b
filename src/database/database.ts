/** The one face of both engines: PGlite (embedded) and PostgreSQL. Rows have the same JavaScript types on both. */

export interface QueryResult<Row> {
  rows: Row[]
  /** Rows returned, or rows changed by a statement that returns none. */
  rowCount: number
}

/** What a store function takes first: the database itself, or a transaction of it. */
export interface Queryable {
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>
}

export interface Database extends Queryable {
  readonly engine: 'pglite' | 'postgres'
  /** Several statements at once, without values (migrations). */
  execute(text: string): Promise<void>
  /**
   * Runs `work` in one transaction (READ COMMITTED) and runs it again when the database gave up on it for a deadlock or
   * a serialization failure, so `work` must have no effect outside the transaction. Never await an upstream in it: on
   * the embedded engine every other query waits for its end.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Thrown by both drivers when the database cannot be reached, went away, or cannot write (disk full). Becomes a 503. */
export class DatabaseUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the database is unavailable', { cause })
    this.name = 'DatabaseUnavailableError'
  }
}
