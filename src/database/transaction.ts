import { AsyncLocalStorage } from 'node:async_hooks'
import { errorCode, type Queryable } from './database.js'

/** The one connection on which a transaction runs. */
export interface Session extends Queryable {
  /** Runs a statement without values and returns its command tag, such as `COMMIT`. */
  command(text: string): Promise<string | undefined>
  /** The same for COMMIT. It may give up before the server does, in which case the change may or may not be made. */
  commit(): Promise<string | undefined>
  /** Returns whether the connection is discarded, which also rolls back. */
  isLost(): boolean
}

const RERUNS_MAX = 3
/**
 * Serialization failure, deadlock, foreign key. A foreign key fails if the row that a new row refers to was deleted after it
 * was read; the next run then sees that it is gone.
 */
const CONFLICTS = new Set(['40001', '40P01', '23503'])

/** A caller's transaction, and those around it. */
interface Running {
  open: boolean
  /** The database. */
  of: object | undefined
  outer: Running | undefined
}

let running: AsyncLocalStorage<Running> | undefined

/**
 * Turns assertOutsideTransaction on permanently. For the tests, which run every statement: following one transaction through
 * its promises slows Node 20 down from then on, by an eighth of a small request.
 */
export function guardTransactions(): void {
  running ??= new AsyncLocalStorage()
}

/**
 * Guards the database itself: on the embedded engine, a query next to the same caller's open transaction would wait for that
 * transaction, and so for itself, forever. It is refused on both engines, so that no test passes on only one.
 */
export function assertOutsideTransaction(database: object): void {
  for (let state = running?.getStore(); state !== undefined; state = state.outer) {
    if (state.open && state.of === database) throw new Error('a transaction is open here: use its tx, not the database')
  }
}

const READ_COMMITTED = 'begin isolation level read committed'
export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only'

/**
 * Runs BEGIN, `work` and COMMIT on one connection, or ROLLBACK if `work` throws. `of` is the database whose other
 * connections `work` must not use.
 */
export async function runTransaction<T>(
  session: Session,
  work: (tx: Queryable) => Promise<T>,
  { begin = READ_COMMITTED, of }: { begin?: string; of?: object } = {},
): Promise<T> {
  const state: Running = { open: true, of, outer: running?.getStore() }
  // The connection serves others afterwards, so a tx that is used too late must not reach it.
  const assertOpen = (): void => {
    if (!state.open) throw new Error('the transaction is over')
  }
  let last: Promise<unknown> | undefined
  const tx: Queryable = {
    async query<Row>(text: string, values?: readonly unknown[]) {
      assertOpen()
      return await session.query<Row>(text, values)
    },
    async execute(text) {
      assertOpen()
      await session.execute(text)
    },
    endWith(statements) {
      assertOpen()
      last = Promise.all(statements)
      // Its error is thrown below.
      last.catch(() => {})
    },
  }
  // Nothing waits for BEGIN: the first statement of the work is sent along with it if the connection takes several at a
  // time.
  const begun = session.command(begin)
  let result: T
  try {
    const worked = running === undefined ? work(tx) : running.run(state, () => work(tx))
    result = (await Promise.all([worked, begun]))[0]
  } catch (error) {
    if (!session.isLost()) await session.command('rollback').catch(() => {})
    // Its error says most: a later one only says that the transaction is aborted.
    await last
    throw error
  } finally {
    state.open = false
  }
  const committed = session.commit()
  if (last !== undefined) {
    // The connection is free again when the commit is answered.
    await committed.catch(() => {})
    await last
  }
  // COMMIT after a failed statement rolls back without an error; and an engine that died may answer nothing at all.
  if ((await committed) !== 'COMMIT') {
    throw new Error('the transaction was rolled back: a statement in it had failed')
  }
  return result
}

/** Runs the whole transaction again if it failed because of a concurrent one. */
export async function rerunOnConflict<T>(transaction: () => Promise<T>): Promise<T> {
  for (let reruns = 0; ; reruns++) {
    try {
      return await transaction()
    } catch (error) {
      if (reruns === RERUNS_MAX || !CONFLICTS.has(errorCode(error) ?? '')) throw error
    }
  }
}
