import type { BaseLogger } from 'pino'
import type { ConnectionFault } from './connection-fault.js'

/** The one face of both engines: PGlite (embedded) and PostgreSQL. Rows have the same JavaScript types on both. */

/** The part of the log that the database uses. */
export type Log = Pick<BaseLogger, 'info' | 'warn' | 'error'>

export interface QueryResult<Row> {
  rows: Row[]
  /** Rows returned, or rows changed by a statement that returns none. */
  rowCount: number
}

/** The first argument of every store function: the database itself, or a transaction of it. */
export interface Queryable {
  /**
   * One statement. Values may be null, a boolean, a number, a string, a Date (for a timestamptz), or an array of these;
   * give JSON as text, because the drivers disagree about objects. Rows hold int8 as a safe integer (else it throws),
   * numeric, date and interval as text, timestamptz as a Date, json as parsed.
   */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>
  /** Several statements at once, without values (migrations). The embedded engine prepares all others again after it. */
  execute(text: string): Promise<void>
  /**
   * Lets a transaction send its commit along with its last statements, which are under way already. When one of them
   * fails, the transaction fails with its error and changes nothing. Undefined outside of transactions, and in those
   * that are traced.
   */
  endWith?(statements: readonly (Promise<unknown> | undefined)[]): void
}

/**
 * Ends a transaction with statements whose results are not needed. It waits for their answers only where `tx.endWith`
 * is missing.
 */
export async function endWith(tx: Queryable, statements: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  if (tx.endWith === undefined) await Promise.all(statements)
  else tx.endWith(statements)
}

interface PoolUse {
  /** `reading` and `changing` on PostgreSQL; the embedded engine is one connection, `embedded`. */
  pool: string
  max: number
  used: number
  waiting: number
}

export interface Database extends Queryable {
  readonly engine: 'pglite' | 'postgres'
  /**
   * Runs `work` in one transaction (READ COMMITTED) and runs it again when it failed by a deadlock, a serialization failure
   * or a foreign key, so `work` must have no effect outside the transaction. Never await an upstream in it: on
   * the embedded engine every other query waits for its end. Made on behalf of an organization, it may have to wait for
   * other changes of that organization; throws DatabaseBusyError when that takes too long.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, organizationId?: string): Promise<T>
  /** All that `read` reads is of one snapshot. It changes nothing, and waits for no one who does. */
  readInSnapshot<T>(read: (tx: Queryable) => Promise<T>): Promise<T>
  /**
   * The same for what takes minutes: on a connection of its own, or on a copy of the embedded database that is made while
   * others write (docs/decisions/backups.md), so that no one waits. The copy takes as much room again on the disk.
   */
  readAside<T>(read: (tx: Queryable) => Promise<T>): Promise<T>
  /**
   * The embedded engine alone has it, because no other process writes to it: a number that has grown by the time a write is
   * acknowledged. While it stays the same, what was read stays true.
   */
  readonly writes?: () => number
  /** Connections in use, and requests waiting for one. */
  readonly pools?: () => PoolUse[]
  /** Remembers refused changes (writes.ts). */
  readonly writeWatch?: WriteWatch
  /** The size of the embedded engine's directory, in bytes. */
  readonly diskBytes?: () => number
  close(): Promise<void>
}

/** Why a database that is there refuses changes, until someone does something about it. */
export type WriteRefusal = 'full' | 'quota' | 'read-only' | 'failing'

interface WriteWatch {
  /** Why changes are refused at present; undefined while none was refused, or once a probe shows that they are not. */
  refusal(): WriteRefusal | undefined
  /** While changes are refused: writes something, once a second at most, and forgets the refusal if that works. */
  probe(): Promise<void>
}

/** Thrown by both drivers when the database cannot be reached, went away, or cannot write (disk full). Becomes a 503. */
export class DatabaseUnavailableError extends Error {
  /** `fault`: why no connection could be made, where that is known. */
  constructor(
    cause: unknown,
    readonly fault?: ConnectionFault,
  ) {
    super('the database is unavailable', { cause })
    this.name = 'DatabaseUnavailableError'
  }
}

/** The database is there, but what the statement needs was held by another one for too long. Becomes a 503. */
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

/** Parsers by a type's object id, for types that the drivers read differently or that JavaScript cannot hold. */
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
// pg gives these no code.
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after)/

/** Our own code has far fewer statements. Some are put together, of not so many parts. */
const KNOWN_TEXTS_MAX = 500
const knownTexts = new Map<string, boolean>()

/** True if a statement surely changes nothing. A word of change anywhere in it makes that doubtful. */
export function onlyReads(text: string): boolean {
  const known = knownTexts.get(text)
  if (known !== undefined) return known
  const reads = /^\s*(select|with|show)\b/i.test(text) && !/\b(insert|update|delete|merge)\b/i.test(text)
  if (knownTexts.size < KNOWN_TEXTS_MAX) knownTexts.set(text, reads)
  return reads
}

/** Gives DatabaseUnavailableError or DatabaseBusyError for an error of a driver, or the error itself. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return error
  const code = errorCode(error) ?? ''
  if (BUSY_SQLSTATE.test(code)) return new DatabaseBusyError(error)
  const unavailable =
    UNAVAILABLE_SQLSTATE.test(code) || UNAVAILABLE_SYSTEM_CODE.test(code) || UNAVAILABLE_MESSAGE.test(error.message)
  return unavailable ? new DatabaseUnavailableError(error) : error
}

/** The SQLSTATE, or the code of a system error. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
