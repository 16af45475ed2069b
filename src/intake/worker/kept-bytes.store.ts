import type { Queryable } from '../../database/database.js'
import { listValues } from '../../database/queries.js'

/** The sources of an organization of which more bytes of bodies are kept than `bytesMax`. */
export const listSourcesBeyond = (
  database: Queryable,
  ...values: [organizationId: string, bytesMax: number]
): Promise<{ sourceId: string; beyond: number }[]> =>
  listValues(
    database,
    `select json_build_object('sourceId', source_id, 'beyond', sum(bytes) - $2::bigint) from source_bytes
      where organization_id = $1 group by source_id having sum(bytes) > $2::bigint`,
    values,
  )

interface Beyond {
  sourceId: string
  /** So many bytes are to go. */
  beyond: number
  rows: number
}

/** Empties the oldest bodies of applied deliveries, at most so many rows. The rows stay: repeats are known by their keys. */
export async function emptyOldestKept(
  tx: Queryable,
  organizationId: string,
  { sourceId, beyond, rows }: Beyond,
): Promise<{ emptied: number }> {
  const { rowCount } = await tx.query(
    `update kept_deliveries set body = '' where organization_id = $1 and delivery_id in (
       select delivery_id
         from (select delivery_id, sum(bytes) over (order by delivery_id) - bytes as before
                 from (select delivery_id, octet_length(body) as bytes from kept_deliveries
                        where organization_id = $1 and source_id = $2 and octet_length(body) > 0
                        order by delivery_id limit $4) oldest) sized
        where before < $3)`,
    [organizationId, sourceId, beyond, rows],
  )
  return { emptied: rowCount }
}

/** The same of problems, which say so. */
export async function emptyOldestProblems(
  tx: Queryable,
  organizationId: string,
  { sourceId, beyond, rows }: Beyond,
  told: string,
): Promise<{ emptied: number }> {
  const { rowCount } = await tx.query(
    `update problems set body = '', reason = reason || $5 where organization_id = $1 and problem_id in (
       select problem_id
         from (select problem_id, sum(bytes) over (order by at, problem_id) - bytes as before
                 from (select problem_id, at, octet_length(body) as bytes from problems
                        where organization_id = $1 and source_id = $2 and octet_length(body) > 0
                        order by at, problem_id limit $4) oldest) sized
        where before < $3)`,
    [organizationId, sourceId, beyond, rows, told],
  )
  return { emptied: rowCount }
}
