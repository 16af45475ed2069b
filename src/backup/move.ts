import { join } from 'node:path'
import { type Database, DatabaseBusyError, errorCode, type Queryable } from '../database/database.js'
import { knownMigrations } from '../database/migrate.js'
import {
  beginFilling,
  countRows,
  digestOf,
  emptyTables,
  endFilling,
  findIdentity,
  insertRows,
  lockTables,
  RowDigest,
  readAlone,
  readRows,
  readSequences,
  readShape,
  refuseUnfinished,
  type Sequence,
  type Shape,
  type Table,
} from '../database/rows.js'
import { describe as describeSetAside, findSetAside, setAside } from '../database/set-aside.js'
import type { Clock } from '../lib/clock.js'
import { restoreKeys } from '../lib/master-key.js'
import { StartError } from '../lib/start-error.js'
import type { Wait } from '../lib/wait.js'
import { describePlace, type Found, fillPlace, notEmpty, type Place, refuseInUse, withPlace } from './place.js'
import type { OnProgress } from './verify.js'

export interface Move {
  from: Place
  to: Place
  /** The keys, in hex, of a service on PostgreSQL, for the data directory. A data directory keeps its own keys. */
  masterKeys: readonly string[]
  /** Moves a source that was already moved or replaced. */
  again?: boolean
  clock: Clock
  onProgress?: OnProgress
  /** Waits between two checks for running services. */
  wait?: Wait
}

export interface MoveReport {
  rows: number
  tables: number
  /** Rows that an earlier attempt had already transferred. */
  resumed: number
}

/** One transaction of the target takes this many rows, or about this many characters. */
const BATCH_ROWS = 1_000
const BATCH_CHARS = 1024 * 1024

/**
 * Transfers everything into an empty place while nobody can write to the source, and verifies each table afterwards. The
 * rows of the source stay as they are. The source is set aside before a service can start on the target, so that no service
 * can ever start on both. An interrupted call continues when it is repeated. Throws StartError.
 */
export async function moveDatabase(move: Move): Promise<MoveReport> {
  const { from, to, masterKeys } = move
  return await withPlace(from, async (source) => {
    await refuseUnfinished(source, describePlace(from))
    await refuseMoved(source, move)
    await refuseInUse(source, from, move.wait)
    const shape = await readShape(source)
    refuseUnknown(shape)
    const filling = { kind: 'move', source: await findIdentity(source) } as const
    return await fillPlace(to, {
      filling,
      again: true,
      async fill(target, found) {
        if (found !== 'something') await beginFilling(target, filling, shape.migrations)
        const { report, sequences } = await leave(source, target, { move, shape, found, identity: filling.source })
        if (found !== 'something') await endFilling(target, { ...shape, sequences })
        return report
      },
      finish() {
        if ('dataDir' in to) restoreKeys(join(to.dataDir, 'master.key'), masterKeys)
      },
    })
  })
}

/** An interrupted move continues only into the same place, because that place may be complete by now. */
async function refuseMoved(source: Database, { from, to, again }: Move): Promise<void> {
  const found = await findSetAside(source)
  if (found === undefined || again || (found.kind === 'moved' && found.place === describePlace(to))) return
  throw new StartError(
    `${describeSetAside(found, describePlace(from))} The data here may be older than the data there: to move it anyway, add --again, and never start a service there again.`,
  )
}

/** Transfers the rows and sets the source aside, in one transaction of the source. */
async function leave(
  source: Database,
  target: Database,
  { move, shape, found, identity }: { move: Move; shape: Shape; found: Found; identity: string },
): Promise<{ report: MoveReport; sequences: Sequence[] }> {
  const { from, to, clock, onProgress = () => {} } = move
  return await source.transaction(async (tx) => {
    // No other process can open the embedded database.
    if (source.engine !== 'pglite') await keepOthersOut(tx, from, shape)
    const sequences = await readSequences(tx)
    const report =
      found === 'something'
        ? await recognize(tx, target, to, shape, identity)
        : await carry(tx, target, shape, found, onProgress)
    await setAside(tx, shape.tables, { kind: 'moved', place: describePlace(to), at: new Date(clock.now()) })
    return { report, sequences }
  })
}

function refuseUnknown({ migrations }: Shape): void {
  const known = new Set(knownMigrations())
  const unknown = migrations.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new StartError(`A newer version has run on this database (${unknown.join(', ')}): move it with that version.`)
  }
}

/** Keeps everyone else from writing to the source until the transaction ends. */
async function keepOthersOut(tx: Queryable, from: Place, { tables }: Shape): Promise<void> {
  await lockTables(tx, tables).catch((error) => {
    if (!(error instanceof DatabaseBusyError)) throw error
    throw new StartError(`Something is writing to ${describePlace(from)}: stop the services on it first.`, {
      cause: error,
    })
  })
}

/** The target is complete if an attempt was interrupted after its last step; anything else is not ours. */
async function recognize(
  source: Queryable,
  target: Database,
  to: Place,
  { tables }: Shape,
  identity: string,
): Promise<MoveReport> {
  const there = await readShape(target).catch(() => undefined)
  const isOurs = there !== undefined && (await findIdentity(target)) === identity
  if (!isOurs) throw notEmpty(to)
  let rows = 0
  for (const table of tables) {
    const digest = await digestOf(source, table)
    if (!(await readAlone(target, (tx) => digestOf(tx, table))).equals(digest)) throw notEmpty(to)
    rows += digest.rows
  }
  return { rows, tables: tables.length, resumed: rows }
}

async function carry(
  source: Queryable,
  target: Database,
  { tables }: Shape,
  found: Found,
  onProgress: OnProgress,
): Promise<MoveReport> {
  const first = await carryOnce(source, target, tables, onProgress)
  if (first !== undefined) return first
  // The source has changed since an interrupted attempt.
  if (found === 'unfinished') {
    await target.transaction((tx) => emptyTables(tx, tables))
    const second = await carryOnce(source, target, tables, onProgress)
    if (second !== undefined) return second
  }
  throw new StartError('The stored rows differ from those of the source: nothing was moved.')
}

/** SQLSTATE: existing data conflict with the new. */
const CONFLICT = /^23/

/** Returns undefined if the target then has other rows. */
async function carryOnce(
  source: Queryable,
  target: Database,
  tables: readonly Table[],
  onProgress: OnProgress,
): Promise<MoveReport | undefined> {
  const report: MoveReport = { rows: 0, tables: tables.length, resumed: 0 }
  for (const table of tables) {
    // Each transaction of an earlier attempt added the next rows in key order.
    const there = await countRows(target, table)
    const digest = new RowDigest()
    let waiting: string[] = []
    let chars = 0
    const flush = async (): Promise<void> => {
      const rows = waiting
      waiting = []
      chars = 0
      if (rows.length > 0) await target.transaction((tx) => insertRows(tx, table, rows))
      onProgress(table.name, digest.rows)
    }
    try {
      for await (const rows of readRows(source, table)) {
        for (const row of rows) {
          digest.add(row)
          if (digest.rows <= there) continue
          waiting.push(row)
          chars += row.length
        }
        if (waiting.length >= BATCH_ROWS || chars >= BATCH_CHARS) await flush()
      }
      await flush()
    } catch (error) {
      if (CONFLICT.test(errorCode(error) ?? '')) return undefined
      throw error
    }
    if (!(await readAlone(target, (tx) => digestOf(tx, table))).equals(digest)) return undefined
    report.rows += digest.rows
    report.resumed += Math.min(there, digest.rows)
  }
  return report
}
