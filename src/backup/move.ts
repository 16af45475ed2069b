import { join } from 'node:path'
import type { Database, Queryable } from '../database/database.js'
import { DatabaseBusyError, errorCode } from '../database/database.js'
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
  readShape,
  refuseUnfinished,
  type Shape,
  type Table,
} from '../database/rows.js'
import { restoreKeys } from '../lib/master-key.js'
import { StartError } from '../lib/start-error.js'
import { describePlace, type Found, fillPlace, notEmpty, openPlace, type Place } from './place.js'
import type { OnProgress } from './verify.js'

export interface Move {
  from: Place
  to: Place
  /** In hex: of a service on PostgreSQL, for the data directory. Those of a data directory stay where they are. */
  masterKeys: readonly string[]
  onProgress?: OnProgress
}

export interface MoveReport {
  rows: number
  tables: number
  /** Rows that an attempt before had brought over. */
  resumed: number
}

/** In one transaction of the target, more or less. */
const BATCH_ROWS = 1_000
const BATCH_CHARS = 1024 * 1024

/**
 * Carries everything over into an empty place, while no one can write to the source, and holds each table against it
 * afterwards. Broken off, the same call goes on. The source is left as it was. Throws StartError.
 */
export async function moveDatabase({ from, to, masterKeys, onProgress = () => {} }: Move): Promise<MoveReport> {
  const source = await openPlace(from)
  try {
    await refuseUnfinished(source, describePlace(from))
    const shape = await readShape(source)
    refuseUnknown(shape)
    return await hold(source, from, shape, async (tx) => {
      const filling = { kind: 'move', source: await findIdentity(tx) } as const
      return await fillPlace(to, {
        filling,
        again: true,
        async fill(target, found) {
          if (found === 'something') return await recognize(tx, target, to, shape, filling.source)
          await beginFilling(target, filling, shape.migrations)
          const report = await carry(tx, target, shape, found, onProgress)
          await endFilling(target, shape)
          return report
        },
        finish() {
          if ('dataDir' in to) restoreKeys(join(to.dataDir, 'master.key'), masterKeys)
        },
      })
    })
  } finally {
    await source.close()
  }
}

function refuseUnknown({ migrations }: Shape): void {
  const known = new Set(knownMigrations())
  const unknown = migrations.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new StartError(`A newer version has run on this database (${unknown.join(', ')}): move it with that version.`)
  }
}

/** Runs `work` on one moment of the source, and no one writes to it meanwhile. */
async function hold<T>(
  source: Database,
  from: Place,
  { tables }: Shape,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  // This process alone has it open.
  if (source.engine === 'pglite') return await source.transaction(work)
  return await source.readAside(async (tx) => {
    await lockTables(tx, tables).catch((error) => {
      if (!(error instanceof DatabaseBusyError)) throw error
      throw new StartError(`Someone writes to ${describePlace(from)}: stop the services on it first.`, { cause: error })
    })
    return await work(tx)
  })
}

/** The target is complete where an attempt was broken off after its last step; anything else is not ours. */
async function recognize(
  source: Queryable,
  target: Database,
  to: Place,
  { tables }: Shape,
  identity: string,
): Promise<MoveReport> {
  const there = await readShape(target).catch(() => undefined)
  const isOurs = there?.tables.some(({ name }) => name === 'master_keys') && (await findIdentity(target)) === identity
  if (!isOurs) throw notEmpty(to)
  const report: MoveReport = { rows: 0, tables: tables.length, resumed: 0 }
  for (const table of tables) {
    const digest = await digestOf(source, table)
    if (!(await readAlone(target, (tx) => digestOf(tx, table))).equals(digest)) throw notEmpty(to)
    report.rows += digest.rows
    report.resumed += digest.rows
  }
  return report
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
  // The source has changed since an attempt that was broken off.
  if (found === 'unfinished') {
    await target.transaction((tx) => emptyTables(tx, tables))
    const second = await carryOnce(source, target, tables, onProgress)
    if (second !== undefined) return second
  }
  throw new StartError('The rows that were stored are not those of the source: nothing was moved.')
}

/** SQLSTATE: what is there refuses what comes. */
const CONFLICT = /^23/

/** Undefined when the target holds other rows afterwards. */
async function carryOnce(
  source: Queryable,
  target: Database,
  tables: readonly Table[],
  onProgress: OnProgress,
): Promise<MoveReport | undefined> {
  const report: MoveReport = { rows: 0, tables: tables.length, resumed: 0 }
  for (const table of tables) {
    // Each transaction of an attempt before has added the next rows in the order of the key.
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
