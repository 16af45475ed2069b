import type { Queryable } from '../../database/database.js'
import { findRow, listRows, readValue } from '../../database/queries.js'

/** Notes that a worker takes deliveries of the organization. */
export async function insertAttempt(database: Queryable, organizationId: string, holder: string): Promise<void> {
  await database.query('insert into intake_attempts (organization_id, holder) values ($1, $2) on conflict do nothing', [
    organizationId,
    holder,
  ])
}

/**
 * Notes the next delivery of a range as the one that the worker takes by itself, and gives it. What another worker has noted
 * is left to it.
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

/** Notes that the delivery is done. */
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
  /** Its worker gave no sign of life for so long that it was ended. */
  is_dead: boolean
}

/** The attempts of workers that died, or may have, and single deliveries of others; not those of `holder`. */
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

/** The last of the deliveries that may have been in work when a worker died; undefined where none waits. */
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

/** Deletes those of a worker that stops. */
export async function deleteAttemptsOf(database: Queryable, holder: string): Promise<void> {
  await database.query('delete from intake_attempts where holder = $1', [holder])
}

/**
 * Makes a problem of a delivery that waits, without reading its body. Gives its source; undefined where it does not wait any
 * more.
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
