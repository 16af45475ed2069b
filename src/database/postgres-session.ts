import type { Duplex } from 'node:stream'
import pg from 'pg'
import { limit } from '../lib/limits.js'
import type { ConnectionFault } from './connection-fault.js'
import { DatabaseBusyError, DatabaseUnavailableError, errorCode, type QueryResult, translateError } from './database.js'
import type { Reachability } from './reachability.js'
import type { StatementNames } from './statement-names.js'
import type { Session } from './transaction.js'

// A server that disappeared without closing (a cut network) would otherwise hold a request for a quarter of an hour. The
// server itself gives up a little earlier.
export const QUERY_TIMEOUT_MS = limit('statementMs') + 5_000
// A commit whose caller already got a 503 keeps its connection, so that hanging commits do not pile up on the server.
const COMMIT_TIMEOUT_MS = 60_000
// Migrations may rewrite a table.
const EXECUTE_TIMEOUT_MS = 3_600_000

// A prepared statement that another client made, or that belongs to another connection.
const POOLER_SQLSTATE = /^(42P05|26000)$/
const POOLER_HINT = 'a pooler mixes up the prepared statements of its clients: set DATABASE_STATEMENTS=unnamed'
const FEATURE_NOT_SUPPORTED = '0A000'

/** Shared by the sessions of one database. */
export interface Shared {
  reachability: Reachability
  /** Explains why no connection could be made. */
  explain(error: unknown): ConnectionFault | undefined
  /** Without names the connections prepare nothing. */
  names: StatementNames | undefined
  /** Each gives up a connection whose commit has not been answered yet. */
  unanswered: Set<() => void>
}

/** A connection of a pool, from checkout to return. */
export class PostgresSession implements Session {
  #isBroken = false
  #isCorked = false
  #committing: Promise<unknown> | undefined
  readonly #stream: Duplex
  readonly #onError = (): void => {
    this.#isBroken = true
  }
  readonly #uncork = (): void => {
    this.#isCorked = false
    this.#stream.uncork()
  }

  constructor(
    private readonly client: pg.PoolClient,
    private readonly shared: Shared,
  ) {
    // The types of pg omit the connection below a client.
    this.#stream = (client as pg.PoolClient & { connection: { stream: Duplex } }).connection.stream
    client.on('error', this.#onError)
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
    const { rows, rowCount } = await this.#run(text, QUERY_TIMEOUT_MS, values, this.shared.names?.nameOf(text))
    return { rows, rowCount: rowCount ?? 0 }
  }

  async execute(text: string): Promise<void> {
    await this.#run(text, EXECUTE_TIMEOUT_MS)
  }

  async command(text: string): Promise<string> {
    return (await this.#run(text, QUERY_TIMEOUT_MS)).command
  }

  async commit(): Promise<string> {
    this.#committing = this.#run('commit', COMMIT_TIMEOUT_MS)
    const { command } = await within(limit('commitMs'), this.#committing as Promise<pg.QueryResult>)
    this.#committing = undefined
    return command
  }

  isLost(): boolean {
    return this.#isBroken
  }

  /** Returns the connection to its pool, once a running commit is answered or given up. */
  end(): void {
    if (this.#committing === undefined) {
      this.#release()
      return
    }
    const { unanswered } = this.shared
    const giveUp = (): void => {
      this.#isBroken = true
      if (unanswered.delete(giveUp)) this.#release()
    }
    unanswered.add(giveUp)
    const end = (): void => void (unanswered.delete(giveUp) && this.#release())
    this.#committing.then(end, end)
  }

  #release(): void {
    this.client.off('error', this.#onError)
    // An open transaction would show every later reader what it has seen, and keep their changes.
    this.client.release(this.#isBroken || this.client.getTransactionStatus() !== 'I')
  }

  async #run(text: string, timeoutMs: number, values?: readonly unknown[], name?: string): Promise<pg.QueryResult> {
    try {
      this.#holdWrites()
      const result = await this.#send(text, timeoutMs, values, name)
      this.shared.reachability.answered()
      return result
    } catch (error) {
      const translated = translateError(error)
      const isLost = translated instanceof DatabaseUnavailableError && !(translated instanceof DatabaseBusyError)
      if (isLost) this.shared.reachability.failed(error)
      // A migration by another node changed the result of a prepared statement: a new connection prepares it again.
      if (isLost || errorCode(error) === FEATURE_NOT_SUPPORTED) this.#isBroken = true
      throw POOLER_SQLSTATE.test(errorCode(error) ?? '') ? new Error(POOLER_HINT, { cause: error }) : translated
    }
  }

  /**
   * If given a configuration instead of a query, pg copies it property by property: 4 % of a PATCH's cost to the process.
   */
  #send(text: string, timeoutMs: number, values?: readonly unknown[], name?: string): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const callback = (error: Error | undefined, result: pg.QueryResult): void =>
        error ? reject(error) : resolve(result)
      // The types of pg omit these properties.
      const parts = { name, query_timeout: timeoutMs, callback }
      this.client.query(Object.assign(new pg.Query(text, values && [...values]), parts))
    })
  }

  /** Sends statements that belong together in one write: otherwise each wakes the server and costs its own system call. */
  #holdWrites(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#stream.cork()
    process.nextTick(this.#uncork)
  }
}

/** Returns the response, or throws DatabaseUnavailableError if it takes longer. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const cause = new Error(`the commit was not answered within ${ms} ms: it may or may not have been made`)
      reject(new DatabaseUnavailableError(cause))
    }, ms)
  })
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
