import type { Database, Queryable } from '../database/database.js'
import { hitsRow, listRows, readValue } from '../database/queries.js'
import { newId } from '../lib/ids.js'

/**
 * A table whose rows are pieces of work. It has the columns next_attempt_at (null: nothing to do), attempts, leased_by and
 * leased_until, and often one for the state. The row is the schedule: there is no other queue.
 */
export interface WorkTable {
  name: string
  /** The columns of its primary key. */
  key: readonly [string, ...string[]]
  /**
   * A condition on `t` that rows must meet to be waiting, in addition to next_attempt_at. The partial index on that column
   * has the same condition.
   */
  waiting?: string
  /** The columns that a claim returns, qualified with `t` for the table's own or with an alias from `with`. */
  columns: string
  /** A join to the claimed rows, such as `join webhooks w on w.organization_id = t.organization_id`. */
  with?: string
  /**
   * Rows with one value of `by` do not delay those with another: the values take turns, and at most `max` rows of each are
   * held at once.
   */
  fair?: {
    by: string
    max: number
    /** A query for the values of `by` whose rows may be claimed now; $1 is the time. */
    among: string
  }
}

/** The column that each claimed row has in addition to those of its table. */
export interface Claimed {
  /** The id of the claim. Every later write names it, so that a late write of an earlier claim changes nothing. */
  leased_by: string
}

export interface ClaimRequest {
  now: Date
  leaseMs: number
  limit: number
  /** The numbers of rows that the caller already holds, by the value of `fair.by`. */
  held?: ReadonlyMap<string, number>
  /** The value of `fair.by` after which the turns begin, wrapping around to the smallest. */
  after?: string
}

const FREE = '(t.leased_until is null or t.leased_until <= $1)'

/**
 * Claims up to `limit` due rows. If the holder of a row dies, the row is due again when its lease ends. If nothing is due,
 * this only reads: a write, even an empty one, invalidates the caches of the embedded engine.
 */
export async function claimDue<Row extends Claimed>(
  database: Database,
  table: WorkTable,
  request: ClaimRequest,
): Promise<Row[]> {
  const { now, leaseMs, limit, held = new Map(), after = '' } = request
  if (limit <= 0 || !(await hasDue(database, table, now))) return []
  const { name, key, columns, with: joined = '', fair } = table
  const until = new Date(now.getTime() + leaseMs)
  const values = [now, until, newId('claim'), limit]
  if (fair !== undefined) values.push([...held.keys()] as never, [...held.values()] as never, after)
  return await listRows(
    database,
    // Materialized, because a query that ran again for each row of the join would select other rows each time.
    `with due as materialized (${fair === undefined ? dueOf(table) : dueInTurn(table, fair)}),
          claimed as (
     update ${name} t set leased_by = $3, leased_until = $2 from due
      where ${key.map((column) => `t.${column} = due.${column}`).join(' and ')}
  returning t.*)
     select ${columns}, t.leased_by from claimed t ${joined}`,
    values,
  )
}

const hasDue = (database: Queryable, { name, waiting = 'true' }: WorkTable, now: Date): Promise<boolean> =>
  readValue(database, `select exists (select from ${name} t where ${waiting} and t.next_attempt_at <= $1)`, [now])

const dueOf = ({ name, key, waiting = 'true' }: WorkTable): string =>
  `select ${key.join(', ')} from ${name} t
    where ${waiting} and t.next_attempt_at <= $1 and ${FREE}
    order by t.next_attempt_at limit $4 for update skip locked`

/** More values are chosen than rows are claimed, by this number, because another process may hold locks on some rows. */
const VALUES_MORE = 10

/**
 * Takes the first row of each value before the second of any. The values whose turn it is are chosen before any row is
 * locked, because a lock is a write: otherwise every claim would write once for each value that has work.
 */
function dueInTurn(
  { name, key, waiting = 'true' }: WorkTable,
  { by, max, among }: Required<WorkTable>['fair'],
): string {
  const free = `t.${by} = among.value and ${waiting} and t.next_attempt_at <= $1 and ${FREE}`
  return `select ${key.map((column) => `row.${column}`).join(', ')}
            from (select among.value, ${max} - coalesce(held.count, 0) as places
                    from (${among}) among (value)
               left join unnest($5::text[], $6::integer[]) held (value, count) on held.value = among.value
                   where coalesce(held.count, 0) < ${max} and exists (select from ${name} t where ${free})
                   order by among.value <= $7, among.value
                   limit $4 + ${VALUES_MORE}) among
      cross join lateral (
                 select ${key.map((column) => `t.${column}`).join(', ')}, t.next_attempt_at from ${name} t
                  where ${free}
                  order by t.next_attempt_at limit among.places for update skip locked) row
        order by row_number() over (partition by among.value order by row.next_attempt_at),
                 among.value <= $7, among.value
        limit $4`
}

/**
 * Writes the result of a claimed row, and releases it. The placeholders of `set` start at $1. Returns false if the row
 * belongs to another claim by now, or no longer exists.
 */
export async function endClaim(
  database: Queryable,
  table: WorkTable,
  row: Claimed,
  set: string,
  values: readonly unknown[] = [],
): Promise<boolean> {
  return await hitsRow(
    database,
    `update ${table.name} t set ${set === '' ? '' : `${set}, `}leased_by = null, leased_until = null
      where ${isHeldBy(table, values.length)}`,
    [...values, ...heldValues(table, row)],
  )
}

/** Deletes a claimed row whose work is done. Returns false if the row belongs to another claim by now. */
export const deleteClaimed = (database: Queryable, table: WorkTable, row: Claimed): Promise<boolean> =>
  hitsRow(database, `delete from ${table.name} t where ${isHeldBy(table, 0)}`, heldValues(table, row))

/** Releases a claimed row whose attempt failed, and makes it due again at `nextAttemptAt`. */
export const putOff = (database: Queryable, table: WorkTable, row: Claimed, nextAttemptAt: Date): Promise<boolean> =>
  endClaim(database, table, row, 'attempts = attempts + 1, next_attempt_at = $1', [nextAttemptAt])

const isHeldBy = ({ key }: WorkTable, before: number): string =>
  [...key, 'leased_by'].map((column, index) => `t.${column} = $${before + index + 1}`).join(' and ')

const heldValues = ({ key }: WorkTable, row: Claimed): unknown[] =>
  [...key, 'leased_by'].map((column) => (row as unknown as Record<string, unknown>)[column])
