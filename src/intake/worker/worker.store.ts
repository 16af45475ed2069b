import type { Queryable } from '../../database/database.js'
import { findRow, listRows, listValues, readValue } from '../../database/queries.js'

/**
 * Deletes at most `limit` rows older than a time: of kept deliveries and comments, of problems, and of data deletion
 * requests.
 */
export async function deleteOld(
  tx: Queryable,
  organizationId: string,
  { applied, problems, requests, limit }: { applied: Date; problems: Date; requests: Date; limit: number },
): Promise<{ deleted: number }> {
  let deleted = 0
  for (const [table, key, at, before] of [
    // The bytes of both are counted in rows that each writer locks in this order.
    ['problems', 'problem_id', 'at', problems],
    ['kept_deliveries', 'delivery_id', 'applied_at', applied],
    ['incoming_comments', 'channel_id, comment_id', 'received_at', applied],
    ['data_deletions', 'source_id, code', 'requested_at', requests],
  ] as const) {
    const { rowCount } = await tx.query(
      `delete from ${table} where organization_id = $1 and (${key}) in (
         select ${key} from ${table} where organization_id = $1 and ${at} < $2 order by ${at} limit $3)`,
      [organizationId, before, limit],
    )
    deleted += rowCount
  }
  return { deleted }
}

/** Lists organizations that have, or had, sources. */
export const listLiveOrganizations = (database: Queryable): Promise<string[]> =>
  listValues(database, 'select organization_id from live_audiences order by organization_id')

/** Records that a worker processes deliveries of the organization. */
export async function insertAttempt(database: Queryable, organizationId: string, holder: string): Promise<void> {
  await database.query('insert into intake_attempts (organization_id, holder) values ($1, $2) on conflict do nothing', [
    organizationId,
    holder,
  ])
}

/**
 * Records the next delivery of a range as the one that the worker processes separately, and returns it. Deliveries that
 * another worker has recorded are left to it.
 */
export async function nameNextDelivery(
  database: Queryable,
  organizationId: string,
  { holder, after, until }: { holder: string; after: number; until: number },
): Promise<number | undefined> {
  const row = await findRow<{ delivery_id: number | null }>(
    database,
    `insert into intake_attempts as own (organization_id, holder, delivery_id)
     select $1, $2, (select i.delivery_id from inbox i
                      where i.organization_id = $1 and i.delivery_id > $3 and i.delivery_id <= $4
                        and not exists (select from intake_attempts other
                                         where other.organization_id = $1 and other.holder <> $2
                                           and other.delivery_id = i.delivery_id)
                      order by i.delivery_id limit 1)
         on conflict (organization_id, holder) do update set delivery_id = excluded.delivery_id
     returning own.delivery_id`,
    [organizationId, holder, after, until],
  )
  return row?.delivery_id ?? undefined
}

/** Records that the delivery is done. */
export async function clearAttempt(database: Queryable, organizationId: string, holder: string): Promise<void> {
  await database.query(
    `update intake_attempts set delivery_id = null
      where organization_id = $1 and holder = $2 and delivery_id is not null`,
    [organizationId, holder],
  )
}

export interface Doubt {
  organization_id: string
  holder: string
  delivery_id: number | null
  /** True if its worker stopped responding and was ended. */
  is_dead: boolean
}

/** Lists the attempts of workers that died, or may have, and single deliveries of others, except those of `holder`. */
export const listDoubts = (database: Queryable, holder: string, living: readonly string[]): Promise<Doubt[]> =>
  listRows(
    database,
    `select a.organization_id, a.holder, a.delivery_id,
            not exists (select from publishers p where p.publisher_id = a.holder) as is_dead
       from intake_attempts a
      where a.holder <> $1 and (a.delivery_id is not null or a.holder <> all($2::text[]))
      order by a.organization_id, a.holder`,
    [holder, living],
  )

/** Returns the last delivery that may have been in process when a worker died; undefined if none is waiting. */
export const findLastSuspect = async (
  database: Queryable,
  ...values: [organizationId: string, rows: number]
): Promise<number | undefined> =>
  (await readValue<number | null>(
    database,
    `select max(delivery_id) from (
       select delivery_id from inbox where organization_id = $1 order by delivery_id limit $2) first`,
    values,
  )) ?? undefined

export async function deleteAttempts(
  database: Queryable,
  organizationId: string,
  holders: readonly string[],
): Promise<void> {
  await database.query('delete from intake_attempts where organization_id = $1 and holder = any($2::text[])', [
    organizationId,
    holders,
  ])
}

/** Deletes the attempts of a worker that stops. */
export async function deleteAttemptsOf(database: Queryable, holder: string): Promise<void> {
  await database.query('delete from intake_attempts where holder = $1', [holder])
}

/**
 * Turns a waiting delivery into a problem without reading its body. Returns its source; undefined if it is no longer
 * waiting.
 */
export const insertProblemOfDelivery = (
  tx: Queryable,
  organizationId: string,
  { deliveryId, problemId, reason }: { deliveryId: number; problemId: string; reason: string },
): Promise<{ source_id: string } | undefined> =>
  findRow(
    tx,
    `insert into problems (organization_id, problem_id, source_id, at, item, reason, topic, headers, body)
     select $1, $3, source_id, received_at, null, $4, topic, headers, body from inbox
      where organization_id = $1 and delivery_id = $2
     returning source_id`,
    [organizationId, deliveryId, problemId, reason],
  )

/** Lists an organization's sources that keep more bytes of bodies than `bytesMax`. */
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
  /** The number of bytes to remove. */
  beyond: number
  rows: number
}

/**
 * Empties the oldest bodies of applied deliveries, up to a number of rows. The rows stay, because their keys identify
 * repeats.
 */
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

/** The same for problems, which then say so. */
export async function emptyOldestProblems(
  tx: Queryable,
  organizationId: string,
  { sourceId, beyond, rows }: Beyond,
  note: string,
): Promise<{ emptied: number }> {
  const { rowCount } = await tx.query(
    `update problems set body = '', reason = reason || $5 where organization_id = $1 and problem_id in (
       select problem_id
         from (select problem_id, sum(bytes) over (order by at, problem_id) - bytes as before
                 from (select problem_id, at, octet_length(body) as bytes from problems
                        where organization_id = $1 and source_id = $2 and octet_length(body) > 0
                        order by at, problem_id limit $4) oldest) sized
        where before < $3)`,
    [organizationId, sourceId, beyond, rows, note],
  )
  return { emptied: rowCount }
}
