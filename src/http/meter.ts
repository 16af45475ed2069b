import type { Database } from '../database/database.js'

/** What one request cost and gave, for its log line. */
export interface Meter {
  databaseMs: number
  upstreamMs: number
  rows: number | undefined
}

export const newMeter = (): Meter => ({ databaseMs: 0, upstreamMs: 0, rows: undefined })

/** The same database, its time counted. A transaction counts as a whole. */
export function meteredDatabase(database: Database, meter: Meter): Database {
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const start = performance.now()
    try {
      return await work
    } finally {
      meter.databaseMs += performance.now() - start
    }
  }
  return {
    engine: database.engine,
    query: (text, values) => timed(database.query(text, values)),
    execute: (text) => timed(database.execute(text)),
    transaction: (work) => timed(database.transaction(work)),
    close: () => database.close(),
  }
}
