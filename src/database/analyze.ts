import type { Queryable } from './database.js'

/**
 * Gives the planner statistics of those tables that hold rows and have none. The database's own come
 * up to a minute after the first rows, and until then the planner guesses that a whole channel is a row or two.
 */
export async function analyzeUnknownTables(database: Queryable, tables: readonly string[]): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where oid = any($1::text[]::regclass[]) and reltuples <= 0 and pg_relation_size(oid) > 0`,
    [tables],
  )
  if (rows.length > 0) await database.execute(`analyze ${rows.map(({ name }) => name).join(', ')}`)
}
