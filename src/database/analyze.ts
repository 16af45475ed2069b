import type { Clock } from '../lib/clock.js'
import type { Queryable } from './database.js'

const LOOK_MS = 1_000

/**
 * Updates the planner's statistics for tables that have rows but no statistics, or have grown tenfold since. The database
 * itself does so a minute or more after the first rows. Until then the planner assumes that a whole channel has a row or
 * two, and picks any index of a table with few rows. A role that does not own the tables and may not maintain them
 * (PostgreSQL 17) leaves this to the server.
 */
export async function analyzeUnknownTables(database: Queryable, tables: readonly string[]): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where oid = any($1::text[]::regclass[]) and (reltuples <= 0 and pg_relation_size(oid) > 0
            or pg_relation_size(oid) > 10 * relpages::bigint * current_setting('block_size')::bigint)
        and case when current_setting('server_version_num')::integer < 170000 then pg_has_role(relowner, 'usage')
                 else has_table_privilege(oid, 'maintain') end`,
    [tables],
  )
  if (rows.length > 0) await database.execute(`analyze ${rows.map(({ name }) => name).join(', ')}`)
}

/** Returns a function that analyzes these tables if needed, checking at most once a second. */
export function createAnalyzer(database: Queryable, clock: Clock, tables: readonly string[]): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const now = clock.now()
    if (Math.abs(now - lookedAt) < LOOK_MS) return
    lookedAt = now
    await analyzeUnknownTables(database, tables)
  }
}
