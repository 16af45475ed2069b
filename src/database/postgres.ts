import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import { explainConnection } from './connection-fault.js'
import {
  type Database,
  DatabaseBusyError,
  DatabaseUnavailableError,
  type Log,
  onlyReads,
  type Queryable,
  TYPE_PARSERS,
} from './database.js'
import { Places } from './places.js'
import { PostgresSession, QUERY_TIMEOUT_MS, type Shared } from './postgres-session.js'
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
  /** At least 2. */
  poolMax: number
  /** With `unnamed` the connections prepare nothing, as behind a pooler that shares them. Default: named. */
  statements?: 'named' | 'unnamed' | undefined
  /** The name under which the server shows the connections; by default a service's (running.ts). */
  applicationName?: string
  /** How long a new connection may take, and a wait for a free one. Default: 5 s. */
  connectTimeoutMs?: number
  log?: Log | undefined
}

/** The share of connections that read; the others make changes. */
const READING_SHARE = 0.4

// pg-pool gives it no code.
const WAITED_TOO_LONG = /^timeout exceeded when trying to connect/

/** The method is missing in the types of pg. Without it, starts behind a pooler would be refused (session-options.ts). */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    // If pg gives up by itself, such as for lack of a password, the server keeps the connection for a minute, and the
    // connection keeps the process.
    const { connection } = this as unknown as { connection: EventEmitter & { stream: Duplex } }
    connection.once('error', () => connection.stream.destroy())
  }

  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as Client
    return { ...getStartupConf.call(this), ...startupParameters() }
  }
}

function createPool(url: string, applicationName: string, connectTimeoutMs: number, max: number): pg.Pool {
  const pool = new pg.Pool({
    Client,
    connectionString: sessionOptions(url),
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: applicationName,
    types: { getTypeParser },
    // A transaction sends what need not wait for a response together; the server runs it in order.
    pipeline: true,
  })
  // Without a listener, a lost idle connection ends the process. The pool has already dropped it, and the next call says
  // more.
  pool.on('error', () => {})
  // The pool does not listen between taking a connection out and handing it over either.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Opens PostgreSQL behind two pools, so that reads continue while changes wait for a lock or a standby. It connects when a
 * query needs it, so it opens without a server and outlives one.
 */
export function openPostgres({
  url,
  poolMax,
  statements = 'named',
  applicationName = 'greenroom',
  connectTimeoutMs = 5_000,
  log,
}: PostgresOptions): Database {
  const openPool = (max: number): pg.Pool => createPool(url, applicationName, connectTimeoutMs, max)
  const readingMax = Math.max(1, Math.floor(poolMax * READING_SHARE))
  const changingMax = Math.max(1, poolMax - readingMax)
  const [reading, changing] = [openPool(readingMax), openPool(changingMax)] as const
  const places = new Places(Math.ceil(changingMax / 2))
  const reachability = watchReachability(log)
  const shared: Shared = {
    reachability,
    explain: (error) => explainConnection(error, url),
    unanswered: new Set(),
    // Each connection prepares separately, all under the same names.
    names: statements === 'named' ? new StatementNames() : undefined,
  }

  const self = {}
  return {
    engine: 'postgres',
    async query<Row>(text: string, values?: readonly unknown[]) {
      assertOutsideTransaction(self)
      const pool = onlyReads(text) ? reading : changing
      return await borrowSession(pool, shared, (session) => session.query<Row>(text, values))
    },
    async execute(text) {
      assertOutsideTransaction(self)
      await borrowSession(changing, shared, (session) => session.execute(text))
    },
    async transaction(work, organizationId) {
      assertOutsideTransaction(self)
      const runOnce = () => borrowSession(changing, shared, (session) => runTransaction(session, work, { of: self }))
      const run = () => rerunOnConflict(runOnce)
      return await (organizationId === undefined ? run() : places.run(organizationId, run))
    },
    async readInSnapshot(read) {
      assertOutsideTransaction(self)
      const snapshot = { begin: BEGIN_SNAPSHOT, of: self }
      return await borrowSession(reading, shared, (session) => runTransaction(session, read, snapshot))
    },
    async readAside(read) {
      assertOutsideTransaction(self)
      return await readOnOwnPool(openPool(1), shared, read)
    },
    pools: () =>
      Object.entries({ reading, changing }).map(([pool, { options, totalCount, idleCount, waitingCount }]) => ({
        pool,
        max: options.max,
        used: totalCount - idleCount,
        waiting: waitingCount,
      })),
    async close() {
      for (const giveUp of shared.unanswered) giveUp()
      await Promise.all([reading, changing].map((pool) => (pool.ending ? undefined : pool.end())))
    },
  }
}

async function borrowSession<T>(pool: pg.Pool, shared: Shared, work: (session: Session) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((cause) => {
    // Every connection of the pool is in use.
    if (WAITED_TOO_LONG.test(cause.message)) throw new DatabaseBusyError(cause)
    const fault = shared.explain(cause)
    shared.reachability.failed(cause, fault)
    throw new DatabaseUnavailableError(cause, fault)
  })
  const session = new PostgresSession(client, shared)
  try {
    return await work(session)
  } finally {
    session.end()
  }
}

/** Reads a snapshot for as long as needed, because the reader may be slow. It holds no lock that others wait for. */
async function readOnOwnPool<T>(pool: pg.Pool, shared: Shared, read: (tx: Queryable) => Promise<T>): Promise<T> {
  const readSlowly = async (tx: Queryable): Promise<T> => {
    await tx.execute('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    return await read(tx)
  }
  try {
    // Runs outside the pools, so that the other connections are free for the reader.
    return await borrowSession(pool, shared, (session) =>
      runTransaction(session, readSlowly, { begin: BEGIN_SNAPSHOT }),
    )
  } finally {
    await pool.end()
  }
}

// The array types of TYPE_PARSERS, which pg would read with its own element parsers.
const ELEMENT_TYPES: Readonly<Record<number, number>> = { 1016: 20, 1182: 1082, 1187: 1186, 1231: 1700 }
const TEXT_ARRAY = 1009

/**
 * Returns pg's own parsers except for the pinned ones. Only this pool uses it, because pg's registry is shared by the
 * process.
 */
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
