import type { BaseLogger } from 'pino'
import type { ConnectionFault } from './connection-fault.js'

/** The common interface of both engines, PGlite (embedded) and PostgreSQL. Rows have the same JavaScript types on both. */

/** The part of the log that the database uses. */
export type Log = Pick<BaseLogger, 'info' | 'warn' | 'error'>

export interface QueryResult<Row> {
  rows: Row[]
  /** The number of rows returned, or changed by a statement that returns none. */
  rowCount: number
}

/** The first argument of every store function: the database, or one of its transactions. */
export interface Queryable {
  /**
   * Runs one statement. Values may be null, a boolean, a number, a string, a Date (for a timestamptz), or an array of these;
   * pass JSON as text, because the drivers disagree about objects. Rows have int8 as a safe integer (otherwise it throws),
   * numeric, date and interval as text, timestamptz as a Date, and json parsed.
   */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>
  /**
   * Runs several statements at once, without values (migrations). The embedded engine then prepares all other statements
   * again.
   */
  execute(text: string): Promise<void>
  /**
   * Lets a transaction send its commit along with its last statements, which are already running. If one of them fails, the
   * transaction fails with its error and changes nothing. Undefined outside transactions, and in traced ones.
   */
  endWith?(statements: readonly (Promise<unknown> | undefined)[]): void
}

/**
 * Ends a transaction with statements whose results are not needed. It waits for their responses only if `tx.endWith` is
 * missing.
 */
export async function endWith(tx: Queryable, statements: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  if (tx.endWith === undefined) await Promise.all(statements)
  else tx.endWith(statements)
}

interface PoolUse {
  /** `reading` and `changing` on PostgreSQL; the embedded engine has one connection, `embedded`. */
  pool: string
  max: number
  used: number
  waiting: number
}

export interface Database extends Queryable {
  readonly engine: 'pglite' | 'postgres'
  /**
   * Runs `work` in a transaction (READ COMMITTED), and runs it again if it failed because of a deadlock, a serialization
   * failure or a foreign key, so `work` must have no effect outside the transaction. Never await an upstream in it: on the
   * embedded engine every other query waits for its end. On behalf of an organization, it may have to wait for other changes
   * of that organization; throws DatabaseBusyError if that takes too long.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, organizationId?: string): Promise<T>
  /** Everything that `read` reads comes from one snapshot. It changes nothing, and never waits for a writer. */
  readInSnapshot<T>(read: (tx: Queryable) => Promise<T>): Promise<T>
  /**
   * The same for reads that take minutes. They use a separate connection, or a copy of the embedded database that is made
   * while others write (docs/decisions/backups.md), so that nobody waits. The copy takes the same space on disk again.
   */
  readAside<T>(read: (tx: Queryable) => Promise<T>): Promise<T>
  /**
   * A number that has grown by the time a write is acknowledged. While it stays the same, earlier reads are still valid.
   * Only the embedded engine has it, because no other process writes to it.
   */
  readonly writes?: () => number
  /** Returns the connections in use, and the requests waiting for one. */
  readonly pools?: () => PoolUse[]
  /** Remembers refused changes (writes.ts). */
  readonly writeWatch?: WriteWatch
  /** Returns the size of the embedded engine's directory, in bytes. */
  readonly diskBytes?: () => number
  close(): Promise<void>
}

/** Why an available database refuses changes, until someone acts. */
export type WriteRefusal = 'full' | 'quota' | 'read-only' | 'failing'

interface WriteWatch {
  /** Why changes are refused; undefined if none was refused, or once a probe shows that they no longer are. */
  refusal(): WriteRefusal | undefined
  /** While changes are refused, writes something, at most once a second, and clears the refusal if that works. */
  probe(): Promise<void>
}

/** Thrown by both drivers if the database cannot be reached, disconnected, or cannot write (disk full). Becomes a 503. */
export class DatabaseUnavailableError extends Error {
  /** `fault` is why no connection could be made, if known. */
  constructor(
    cause: unknown,
    readonly fault?: ConnectionFault,
  ) {
    super('the database is unavailable', { cause })
    this.name = 'DatabaseUnavailableError'
  }
}

/** The database is available, but another transaction held what the statement needs for too long. Becomes a 503. */
export class DatabaseBusyError extends DatabaseUnavailableError {
  constructor(cause: unknown) {
    super(cause)
    this.message = 'the database is busy'
    this.name = 'DatabaseBusyError'
  }
}

function parseSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`an int8 is outside the safe integers: ${text}`)
  return value
}

const asText = (text: string): string => text

/** Parsers by the object id of a type, for types that the drivers read differently or that JavaScript cannot represent. */
export const TYPE_PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  20: parseSafeInteger, // int8
  1082: asText, // date
  1186: asText, // interval
  1700: asText, // numeric
}

// SQLSTATE: connection lost, resources exhausted (disk full, too many connections), shutting down, read-only, a transaction
// that timed out, I/O error.
const UNAVAILABLE_SQLSTATE = /^(08...|53...|57P0.|25006|25P03|25P04|58030)$/
// SQLSTATE: lock_timeout, statement_timeout.
const BUSY_SQLSTATE = /^(55P03|57014)$/
const UNAVAILABLE_SYSTEM_CODE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOSPC)$/
// Errors to which pg gives no code.
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after)/

/** Our own code has far fewer statements, even with those that are assembled from parts. */
const KNOWN_TEXTS_MAX = 500
const knownTexts = new Map<string, boolean>()

/** Returns whether a statement certainly changes nothing. Any word that could change something makes that doubtful. */
export function onlyReads(text: string): boolean {
  const known = knownTexts.get(text)
  if (known !== undefined) return known
  const reads = /^\s*(select|with|show)\b/i.test(text) && !/\b(insert|update|delete|merge)\b/i.test(text)
  if (knownTexts.size < KNOWN_TEXTS_MAX) knownTexts.set(text, reads)
  return reads
}

/** Returns DatabaseUnavailableError or DatabaseBusyError for such an error of a driver; any other error unchanged. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return error
  const code = errorCode(error) ?? ''
  if (BUSY_SQLSTATE.test(code)) return new DatabaseBusyError(error)
  const unavailable =
    UNAVAILABLE_SQLSTATE.test(code) || UNAVAILABLE_SYSTEM_CODE.test(code) || UNAVAILABLE_MESSAGE.test(error.message)
  return unavailable ? new DatabaseUnavailableError(error) : error
}

/** Returns the SQLSTATE, or the code of a system error. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
