import type { Queryable } from './database.js'

/** The rows of a table, and its size with indexes in bytes. */
export interface TableFigures {
  name: string
  rows: number
  /** True if `rows` is an estimate from the last statistics. */
  isEstimate: boolean
  bytes: number
}

/** Tables up to this size have their rows counted, which takes a few milliseconds. */
const COUNTED_BYTES_MAX = 1024 * 1024

/** Lists the tables of the service, largest first. */
export async function readTableFigures(database: Queryable): Promise<TableFigures[]> {
  const { rows: tables } = await database.query<{ name: string; estimate: number; bytes: number; heap: number }>(
    `select relname as name, greatest(reltuples, 0)::bigint as estimate, pg_total_relation_size(oid) as bytes,
            pg_relation_size(oid) as heap
       from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
      order by bytes desc, relname`,
  )
  const small = tables.filter(({ heap }) => heap <= COUNTED_BYTES_MAX).map(({ name }) => name)
  const counts = new Map<string, number>()
  if (small.length > 0) {
    const counting = small.map((name) => `select '${name}' as name, count(*) as rows from "${name}"`)
    const { rows } = await database.query<{ name: string; rows: number }>(counting.join(' union all '))
    for (const row of rows) counts.set(row.name, row.rows)
  }
  return tables.map(({ name, estimate, bytes }) => {
    const counted = counts.get(name)
    return { name, rows: counted ?? estimate, isEstimate: counted === undefined, bytes }
  })
}
