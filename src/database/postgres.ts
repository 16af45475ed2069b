import type { Duplex } from 'node:stream'
import pg from 'pg'
import { limit } from '../lib/limits.js'
import {
  type Database,
  DatabaseBusyError,
  DatabaseUnavailableError,
  errorCode,
  type Log,
  onlyReads,
  type QueryResult,
  TYPE_PARSERS,
  translateError,
} from './database.js'
import { Places } from './places.js'
import { watchReachability } from './reachability.js'
import { sessionOptions, startupParameters } from './session-options.js'
import { StatementNames } from './statement-names.js'
import {
  assertOutsideTransaction,
  BEGIN_SNAPSHOT,
  rerunOnConflict,
  runTransaction,
  type Session,
} from './transaction.js'

export interface PostgresOptions {
  url: string
  /** 2 or more. */
  poolMax: number
  /** Whether the connections prepare statements by name; named unless said. */
  statements?: 'named' | 'unnamed' | undefined
  /** The name under which the server shows the connections; by default that of a service (running.ts). */
  applicationName?: string
  log?: Log | undefined
}

const CONNECT_TIMEOUT_MS = 5_000
// A server that vanished without a word (a cut network) would otherwise hold a request for a quarter of an hour. The server
// itself gives up a little earlier.
const QUERY_TIMEOUT_MS = limit('statementMs') + 5_000
// A commit whose caller has its 503 keeps its connection, so that commits that hang do not add up on the server.
const COMMIT_TIMEOUT_MS = 60_000
// Migrations may rewrite a table.
const EXECUTE_TIMEOUT_MS = 3_600_000
/** Of all connections; the others make changes. */
const READING_SHARE = 0.4

// pg-pool gives it no code.
const WAITED_TOO_LONG = /^timeout exceeded when trying to connect/
// A prepared statement that another client has made, or that is another connection's.
const POOLER_SQLSTATE = /^(42P05|26000)$/
const POOLER_HINT = 'a pooler mixes up the prepared statements of its clients: set DATABASE_STATEMENTS=unnamed'
const FEATURE_NOT_SUPPORTED = '0A000'

/** The connection below a client, which pg's types leave out. */
interface Wired {
  connection: { stream: Duplex }
}

type StartupParameters = Record<string, string>
interface Startup {
  getStartupConf(): StartupParameters
}

/** The method is missing in the types of pg. Without it a start behind a pooler would be refused (session-options.ts). */
class Client extends pg.Client {
  getStartupConf(): StartupParameters {
    const { getStartupConf } = pg.Client.prototype as unknown as Startup
    return { ...getStartupConf.call(this), ...startupParameters() }
  }
}

/**
 * A PostgreSQL behind two pools, so that reads go on while changes wait for a lock or for a standby. It connects when a query
 * needs it, so it opens without a server and outlives one.
 */
export function openPostgres({
  url,
  poolMax,
  statements = 'named',
  applicationName = 'greenroom',
  log,
}: PostgresOptions): Database {
  const openPool = (max: number): pg.Pool => {
    const pool = new pg.Pool({
      Client,
      connectionString: sessionOptions(url),
      max,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      application_name: applicationName,
      types: { getTypeParser },
      // A transaction sends what need not wait for an answer together; the server carries it out one after the other.
      pipeline: true,
    })
    // Without a listener a lost idle connection ends the process. The pool has dropped it already, and the next call tells more.
    pool.on('error', () => {})
    // And the pool does not listen between taking a connection out and handing it over.
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const readingMax = Math.max(1, Math.floor(poolMax * READING_SHARE))
  const changingMax = Math.max(1, poolMax - readingMax)
  const [reading, changing] = [openPool(readingMax), openPool(changingMax)] as const
  const places = new Places(Math.ceil(changingMax / 2))
  const reachability = watchReachability(log)
  /** Give up connections whose commit is not answered yet. */
  const held = new Set<() => void>()

  // For all connections: each prepares by itself.
  const names = statements === 'named' ? new StatementNames() : undefined

  async function withSession<T>(pool: pg.Pool, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((cause) => {
      // Every connection of the pool is in use.
      if (WAITED_TOO_LONG.test(cause.message)) throw new DatabaseBusyError(cause)
      reachability.failed(cause)
      throw new DatabaseUnavailableError(cause)
    })
    let broken = false
    let committing: Promise<unknown> | undefined
    const onError = (): void => {
      broken = true
    }
    client.on('error', onError)
    const { stream } = (client as pg.PoolClient & Wired).connection
    let isHeld = false
    // Statements that are sent together go in one write: else each wakes the server, and takes a call of the system of its own.
    const holdWrites = (): void => {
      if (isHeld) return
      isHeld = true
      stream.cork()
      process.nextTick(() => {
        isHeld = false
        stream.uncork()
      })
    }
    const run = async (
      text: string,
      timeoutMs: number,
      values?: readonly unknown[],
      name?: string,
    ): Promise<pg.QueryResult> => {
      try {
        holdWrites()
        const result = await send(client, { text, values, name, timeoutMs })
        reachability.answered()
        return result
      } catch (error) {
        const translated = translateError(error)
        // A migration of another node changed what a prepared statement returns: a new connection prepares it again.
        const isLost = translated instanceof DatabaseUnavailableError && !(translated instanceof DatabaseBusyError)
        if (isLost) reachability.failed(error)
        if (isLost || errorCode(error) === FEATURE_NOT_SUPPORTED) broken = true
        throw POOLER_SQLSTATE.test(errorCode(error) ?? '') ? new Error(POOLER_HINT, { cause: error }) : translated
      }
    }
    const release = (): void => {
      client.off('error', onError)
      // An open transaction would show every later reader what it has seen, and keep what they change.
      client.release(broken || client.getTransactionStatus() !== 'I')
    }
    try {
      return await work({
        async query<Row>(text: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
          const { rows, rowCount } = await run(text, QUERY_TIMEOUT_MS, values, names?.nameOf(text))
          return { rows, rowCount: rowCount ?? 0 }
        },
        execute: async (text) => void (await run(text, EXECUTE_TIMEOUT_MS)),
        command: async (text) => (await run(text, QUERY_TIMEOUT_MS)).command,
        async commit() {
          const commit = run('commit', COMMIT_TIMEOUT_MS)
          committing = commit
          const { command } = await within(limit('commitMs'), commit)
          committing = undefined
          return command
        },
        isLost: () => broken,
      })
    } finally {
      if (committing === undefined) release()
      else hold(committing, release)
    }

    function hold(commit: Promise<unknown>, release: () => void): void {
      const giveUp = (): void => {
        broken = true
        if (held.delete(giveUp)) release()
      }
      held.add(giveUp)
      const end = (): void => void (held.delete(giveUp) && release())
      commit.then(end, end)
    }
  }

  const self = {}
  return {
    engine: 'postgres',
    async query<Row>(text: string, values?: readonly unknown[]) {
      assertOutsideTransaction(self)
      return await withSession(onlyReads(text) ? reading : changing, (session) => session.query<Row>(text, values))
    },
    async execute(text) {
      assertOutsideTransaction(self)
      await withSession(changing, (session) => session.execute(text))
    },
    async transaction(work, organizationId) {
      assertOutsideTransaction(self)
      const run = () =>
        rerunOnConflict(() => withSession(changing, (session) => runTransaction(session, work, { of: self })))
      return await (organizationId === undefined ? run() : places.run(organizationId, run))
    },
    async readInSnapshot(read) {
      assertOutsideTransaction(self)
      return await withSession(reading, (session) => runTransaction(session, read, { begin: BEGIN_SNAPSHOT, of: self }))
    },
    async readAside(read) {
      assertOutsideTransaction(self)
      const own = openPool(1)
      try {
        return await withSession(own, (session) =>
          runTransaction(
            session,
            async (tx) => {
              // Its reader may be slow. It holds no lock that another one waits for.
              await tx.execute('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
              return await read(tx)
            },
            // The other connections are free.
            { begin: BEGIN_SNAPSHOT },
          ),
        )
      } finally {
        await own.end()
      }
    },
    pools: () =>
      Object.entries({ reading, changing }).map(([pool, { options, totalCount, idleCount, waitingCount }]) => ({
        pool,
        max: options.max,
        used: totalCount - idleCount,
        waiting: waitingCount,
      })),
    async close() {
      for (const giveUp of held) giveUp()
      await Promise.all([reading, changing].map((pool) => (pool.ending ? undefined : pool.end())))
    },
  }
}

interface Statement {
  text: string
  values: readonly unknown[] | undefined
  name: string | undefined
  timeoutMs: number
}

/** The properties of a query that pg's types leave out. */
interface QueryParts {
  name: string | undefined
  query_timeout: number
  callback(error: Error | undefined, result: pg.QueryResult): void
}

/** Given a configuration in place of a query, pg copies it property by property: 4 % of what a PATCH costs the process. */
function send(client: pg.PoolClient, { text, values, name, timeoutMs }: Statement): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const parts: QueryParts = {
      name,
      query_timeout: timeoutMs,
      callback: (error, result) => (error ? reject(error) : resolve(result)),
    }
    client.query(Object.assign(new pg.Query(text, values && [...values]), parts))
  })
}

/** The answer, or DatabaseUnavailableError when it takes longer. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const cause = new Error(`the commit was not answered within ${ms} ms: it may be made or not`)
      reject(new DatabaseUnavailableError(cause))
    }, ms)
  })
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer))
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
