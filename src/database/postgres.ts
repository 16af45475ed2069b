import pg from 'pg'
import {
  type Database,
  DatabaseUnavailableError,
  errorCode,
  type Log,
  type QueryResult,
  TYPE_PARSERS,
  translateError,
} from './database.js'
import { watchReachability } from './reachability.js'
import { StatementNames } from './statement-names.js'
import { assertOutsideTransaction, rerunOnConflict, runTransaction, type Session } from './transaction.js'

export interface PostgresOptions {
  url: string
  poolMax: number
  log?: Log | undefined
}

const CONNECT_TIMEOUT_MS = 5_000
// A server that vanished without a word (a cut network) would otherwise hold a request for a quarter of an hour.
const QUERY_TIMEOUT_MS = 30_000
// Migrations may rewrite a table.
const EXECUTE_TIMEOUT_MS = 3_600_000
// Same time zone as the embedded engine. And a node that vanished in a transaction must not keep its locks.
const SESSION_SETTINGS = "set timezone = 'UTC'; set idle_in_transaction_session_timeout = '60s'"

const FEATURE_NOT_SUPPORTED = '0A000'

/** A PostgreSQL behind a pool. It connects when a query needs it, so it opens without a server and outlives one. */
export function openPostgres({ url, poolMax, log }: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'greenroom',
    types: { getTypeParser },
    // A transaction sends what need not wait for an answer together; the server carries it out one after the other.
    pipeline: true,
    onConnect: async (client) => {
      await client.query(SESSION_SETTINGS)
    },
  })
  const reachability = watchReachability(log)
  // Without a listener a lost idle connection ends the process. The pool has dropped it already, and the next call tells more.
  pool.on('error', () => {})

  // For all connections: each prepares by itself.
  const names = new StatementNames()

  async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((cause) => {
      reachability.failed(cause)
      throw new DatabaseUnavailableError(cause)
    })
    let broken = false
    const onError = (): void => {
      broken = true
    }
    client.on('error', onError)
    const run = async (
      text: string,
      timeoutMs: number,
      parameters: Pick<pg.QueryConfig, 'values' | 'name'> = {},
    ): Promise<pg.QueryResult> => {
      try {
        // query_timeout is missing in the types of pg.
        const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: timeoutMs, ...parameters }
        const result = await client.query(query)
        reachability.answered()
        return result
      } catch (error) {
        const translated = translateError(error)
        // A migration of another node changed what a prepared statement returns: a new connection prepares it again.
        const isLost = translated instanceof DatabaseUnavailableError
        if (isLost) reachability.failed(error)
        if (isLost || errorCode(error) === FEATURE_NOT_SUPPORTED) broken = true
        throw translated
      }
    }
    try {
      return await work({
        async query<Row>(text: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
          const name = names.nameOf(text)
          const { rows, rowCount } = await run(text, QUERY_TIMEOUT_MS, { values: [...values], ...(name && { name }) })
          return { rows, rowCount: rowCount ?? 0 }
        },
        execute: async (text) => void (await run(text, EXECUTE_TIMEOUT_MS)),
        command: async (text) => (await run(text, QUERY_TIMEOUT_MS)).command,
        isLostBy: (error) => error instanceof DatabaseUnavailableError,
      })
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }

  return {
    engine: 'postgres',
    async query<Row>(text: string, values?: readonly unknown[]) {
      assertOutsideTransaction()
      return await withSession((session) => session.query<Row>(text, values))
    },
    async execute(text) {
      assertOutsideTransaction()
      await withSession((session) => session.execute(text))
    },
    async transaction(work) {
      assertOutsideTransaction()
      return await rerunOnConflict(() => withSession((session) => runTransaction(session, work)))
    },
    async close() {
      if (!pool.ending) await pool.end()
    },
  }
}

// The array types of TYPE_PARSERS, which pg would read with its own element parsers.
const ELEMENT_TYPES: Readonly<Record<number, number>> = { 1016: 20, 1182: 1082, 1187: 1186, 1231: 1700 }
const TEXT_ARRAY = 1009

/** pg's own parsers except the pinned ones; given to this pool alone, because pg's registry is shared by the process. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  const parser = TYPE_PARSERS[oid]
  if (parser !== undefined) return parser
  const parseElement = TYPE_PARSERS[ELEMENT_TYPES[oid] ?? 0]
  if (parseElement !== undefined) {
    const parseTexts: (text: string) => (string | null)[] = pg.types.getTypeParser(TEXT_ARRAY as number)
    return (text) => parseTexts(text).map((element) => (element === null ? null : parseElement(element)))
  }
  return pg.types.getTypeParser(oid, format as 'text')
}
