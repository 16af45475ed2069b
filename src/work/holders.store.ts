import type { Database, Queryable } from '../database/database.js'
import { hitsRow, listRows, readValue } from '../database/queries.js'

/** A process that holds leases. The table is called publishers, because publishers were the first to have one. */
export interface HolderRow {
  publisher_id: string
  /** Grows while the process lives. */
  beats: number
}

/** The kinds of work. Holders only end the leases of dead holders of their own kind. */
export type Work = 'publishing' | 'intake'

/** Ends the leases of one holder, or of all, so that others can claim the rows at once. */
export type EndLeases = (tx: Queryable, holder?: string) => Promise<void>

export async function insertHolder(database: Queryable, work: Work, holder: string): Promise<void> {
  await database.query('insert into publishers (publisher_id, work, beat_at) values ($1, $2, now())', [holder, work])
}

/** Returns false if the holder was found dead: its rows may belong to another by now. */
export const beatHolder = (database: Queryable, holder: string): Promise<boolean> =>
  hitsRow(database, 'update publishers set beats = beats + 1, beat_at = now() where publisher_id = $1', [holder])

export const listHolders = (database: Queryable, work: Work): Promise<HolderRow[]> =>
  listRows(database, 'select publisher_id, beats from publishers where work = $1', [work])

/** Longer than any pause between two heartbeats. */
const SILENT = "interval '30 seconds'"

/**
 * Returns whether a process other than `except` does the work. For readers: it compares two times of the database's clock,
 * and decides about no lease. The only holder of an embedded database sends no heartbeats. A heartbeat of an older program
 * has no time.
 */
export const hasLivingHolder = (database: Database, work: Work, except = ''): Promise<boolean> =>
  readValue(
    database,
    `select exists (select from publishers
                     where work = $1 and publisher_id <> $3
                       and ($2 or beat_at is null or beat_at > now() - ${SILENT}))`,
    [work, database.engine === 'pglite', except],
  )

/**
 * Ends a holder and its leases. Returns false if it has sent a heartbeat in the meantime, or another process has ended it.
 */
export async function endSilentHolder(
  database: Database,
  { publisher_id: holder, beats }: HolderRow,
  endLeases: EndLeases,
): Promise<boolean> {
  return await database.transaction(async (tx) => {
    const isEnded = await hitsRow(tx, 'delete from publishers where publisher_id = $1 and beats = $2', [holder, beats])
    if (isEnded) await endLeases(tx, holder)
    return isEnded
  })
}

/** Ends a holder that stops, whatever its heartbeats. */
export async function endHolder(database: Database, holder: string, endLeases: EndLeases): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query('delete from publishers where publisher_id = $1', [holder])
    await endLeases(tx, holder)
  })
}

/** Ends every holder of the work, for the one process that has the database to itself. */
export async function endAllHolders(database: Database, work: Work, endLeases: EndLeases): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query('delete from publishers where work = $1', [work])
    await endLeases(tx)
  })
}
