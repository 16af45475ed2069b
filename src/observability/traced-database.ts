import { type Database, onlyReads, type Queryable, type QueryResult } from '../database/database.js'
import type { Tracing } from '../lib/tracing.js'

/** A bound on the cached names; our own code has far fewer. */
const NAMES_MAX = 1_000

/**
 * Wraps the database with a span for each statement and each transaction, named by what it does to which table, without
 * values.
 */
export function traceDatabase(database: Database, tracing: Tracing): Database {
  const attributes = { 'db.system.name': 'postgresql', 'greenroom.engine': database.engine }

  const part = <T>(name: string, work: Parameters<typeof tracing.part<T>>[3]): Promise<T> =>
    tracing.part(name, 'client', attributes, work)
  const traced = (queryable: Queryable): Queryable => ({
    query: <Row>(text: string, values?: readonly unknown[]) =>
      part<QueryResult<Row>>(nameOf(text), async (note) => {
        const result = await queryable.query<Row>(text, values)
        note({ 'db.response.returned_rows': result.rowCount })
        return result
      }),
    execute: (text) => part(nameOf(text), () => queryable.execute(text)),
  })
  return {
    ...database,
    ...traced(database),
    transaction: (work, organizationId) =>
      part('transaction', () => database.transaction((tx) => work(traced(tx)), organizationId)),
    readInSnapshot: (read) => part('snapshot', () => database.readInSnapshot((tx) => read(traced(tx)))),
    // It may run any number of statements.
    readAside: (read) => part('read aside', () => database.readAside(read)),
  }
}

const names = new Map<string, string>()

/**
 * Returns a name such as `select scheduled_posts`. It uses only words of the statement, whose text never contains values.
 */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const [, verb = 'statement'] =
    /\b(insert|update|delete|merge)\b/i.exec(onlyReads(text) ? '' : text) ?? /(\w+)/.exec(text) ?? []
  const [, table] = /\b(?:into|update|from|table)\s+(?:only\s+)?([a-z_]+)/i.exec(text) ?? []
  const name = [verb, table]
    .filter((word) => word !== undefined)
    .join(' ')
    .toLowerCase()
  if (names.size < NAMES_MAX) names.set(text, name)
  return name
}
