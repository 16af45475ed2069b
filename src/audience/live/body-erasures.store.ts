import type { Queryable } from '../../database/database.js'
import { findRow, listRows } from '../../database/queries.js'

/** Bodies that name one of the ids, or all of a source. */
export type Erased = { ids: readonly string[] } | { sourceId: string }

/**
 * Records what must be searched: everything received until now. For an organization that never had a source, nothing was
 * kept.
 */
export async function insertBodyErasure(tx: Queryable, organizationId: string, erased: Erased): Promise<void> {
  await tx.query(
    `insert into body_erasures (organization_id, ids, source_id, until_delivery)
     select $1, $2::json, $3, greatest((select max(delivery_id) from inbox where organization_id = $1),
                                       (select max(delivery_id) from kept_deliveries where organization_id = $1), -1)
       from live_audiences where organization_id = $1`,
    [
      organizationId,
      'ids' in erased ? JSON.stringify(erased.ids) : null,
      'sourceId' in erased ? erased.sourceId : null,
    ],
  )
}

export interface BodyErasureKey {
  organization_id: string
  erasure_no: number
}

/** Lists unfinished erasures, of one organization or of all. */
export const listBodyErasures = (database: Queryable, organizationId?: string): Promise<BodyErasureKey[]> =>
  listRows(
    database,
    `select organization_id, erasure_no from body_erasures
      where $1::text is null or organization_id = $1 order by organization_id, erasure_no`,
    [organizationId ?? null],
  )

export interface BodyErasure {
  ids: string[] | null
  source_id: string | null
  until_delivery: number
  after_delivery: number
  after_problem: string
  /** The oldest waiting delivery that belongs to it: that one and later ones are searched later. */
  waiting: number | null
}

/** Returns undefined if another process is working on it, or it is done. */
export const lockBodyErasure = (
  tx: Queryable,
  { organization_id, erasure_no }: BodyErasureKey,
): Promise<BodyErasure | undefined> =>
  findRow(
    tx,
    `select ids, source_id, until_delivery, after_delivery, after_problem,
            (select min(delivery_id) from inbox
              where organization_id = $1 and delivery_id <= b.until_delivery) as waiting
       from body_erasures b where organization_id = $1 and erasure_no = $2 for update skip locked`,
    [organization_id, erasure_no],
  )

export interface LookedThrough {
  key: string
  source_id: string
  /** In base64; null if it contains none of the forms, nor any value that may be written in another form. */
  body: string | null
  has_form: boolean
}

interface Look {
  /** In base64. */
  forms: readonly string[]
  rows: number
  bytes: number
}

const HAS_FORM = `exists (select from unnest($2::text[]) as t (form) where position(decode(t.form, 'base64') in body) > 0)`
/**
 * A string with an escape, or with non-ASCII characters at an end; a number with a point, an exponent or a minus; or
 * compressed bytes: everything in which holdsOddValue may find an id.
 */
const MAY_BE_ODD = `cardinality($2::text[]) > 0 and (
  position('\\x5c'::bytea in body) > 0 or substring(body for 2) = '\\x1f8b'
  or encode(body, 'escape') ~ '[:,[]\\s*(-|[0-9]+[.eE])|"\\\\[23][0-7][0-7]|\\\\[23][0-7][0-7]"')`
const LOOKED_AT = `source_id, has_form, case when has_form or ${MAY_BE_ODD} then encode(body, 'base64') end as body`
const LOOK = `cross join lateral (select ${HAS_FORM} as has_form) look`

/** Reads the next bodies of kept deliveries, up to a number of rows, with at most one that exceeds the number of bytes. */
export const lookThroughDeliveries = (
  tx: Queryable,
  organizationId: string,
  { after, until, forms, rows, bytes }: Look & { after: number; until: number },
): Promise<LookedThrough[]> =>
  listRows(
    tx,
    `select delivery_id::text as key, ${LOOKED_AT}
       from (select *, sum(octet_length(body)) over (order by delivery_id) - octet_length(body) as before
               from (select delivery_id, source_id, body from kept_deliveries
                      where organization_id = $1 and delivery_id > $3 and delivery_id <= $4
                      order by delivery_id limit $5) next) sized ${LOOK}
      where before < $6
      order by delivery_id`,
    [organizationId, forms, after, until, rows, bytes],
  )

/** The same for problems, including the responses to people who asked for their data. */
export const lookThroughProblems = (
  tx: Queryable,
  organizationId: string,
  { after, forms, rows, bytes }: Look & { after: string },
): Promise<LookedThrough[]> =>
  listRows(
    tx,
    `select problem_id as key, ${LOOKED_AT}
       from (select *, sum(octet_length(body)) over (order by problem_id) - octet_length(body) as before
               from (select problem_id, source_id,
                            case when answer is null then body else body || convert_to(answer::text, 'UTF8') end as body
                       from problems where organization_id = $1 and problem_id > $3
                      order by problem_id limit $4) next) sized ${LOOK}
      where before < $5
      order by problem_id`,
    [organizationId, forms, after, rows, bytes],
  )

export async function deleteKeptDeliveries(
  tx: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await tx.query('delete from kept_deliveries where organization_id = $1 and delivery_id = any($2::bigint[])', [
    organizationId,
    ids,
  ])
}

export async function deleteProblemsById(tx: Queryable, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query('delete from problems where organization_id = $1 and problem_id = any($2::text[])', [
    organizationId,
    ids,
  ])
}

/** Records how far an erasure has progressed. */
export async function updateBodyErasure(
  tx: Queryable,
  { organization_id, erasure_no }: BodyErasureKey,
  { afterDelivery, afterProblem }: { afterDelivery: number; afterProblem: string },
): Promise<void> {
  await tx.query(
    `update body_erasures set after_delivery = $3, after_problem = $4 where organization_id = $1 and erasure_no = $2`,
    [organization_id, erasure_no, afterDelivery, afterProblem],
  )
}

export async function deleteBodyErasure(tx: Queryable, { organization_id, erasure_no }: BodyErasureKey): Promise<void> {
  await tx.query('delete from body_erasures where organization_id = $1 and erasure_no = $2', [
    organization_id,
    erasure_no,
  ])
}
