import type { Queryable } from '../../database/database.js'
import { hitsRow, listRows } from '../../database/queries.js'
import type { PersonData } from '../../interface/generated/types.js'
import { RETRIED } from '../inbox/inbox.store.js'

type ProblemIds = [organizationId: string, sourceId: string, problemId: string]

export interface ProblemRow {
  problem_id: string
  source_id: string
  at: Date
  item: string | null
  reason: string
  topic: string | null
  /** In base64, because the drivers disagree about bytes. */
  body: string
  body_bytes: number
  answer: PersonData | null
}

/** The part of a body that is shown, in bytes. */
const SHOWN_BYTES = 65_536

/** Lists problems of a source, latest first, at most `rows` after `after`. */
export const listProblemRows = (
  database: Queryable,
  organizationId: string,
  sourceId: string,
  { after, rows }: { after: readonly [at: string, problemId: string] | undefined; rows: number },
): Promise<(ProblemRow & { place: string })[]> =>
  listRows(
    database,
    `select problem_id, source_id, at, item, reason, topic, encode(substring(body for ${SHOWN_BYTES}), 'base64') as body,
            length(body) as body_bytes, answer, at::text as place
       from problems
      where organization_id = $1 and source_id = $2
        and ($3::timestamptz is null or (at, problem_id) < ($3::timestamptz, $4::text))
      order by at desc, problem_id desc limit $5`,
    [organizationId, sourceId, after?.[0] ?? null, after?.[1] ?? null, rows],
  )

export interface ProblemToInsert {
  problemId: string
  sourceId: string
  at: Date
  /** Empty for the whole delivery. */
  item: string
  reason: string
  topic: string | null
  headers: Readonly<Record<string, string>>
  /** The body of a waiting delivery stays in the database: a large one would block the embedded engine for seconds. */
  body: Buffer | { deliveryId: number }
  answer?: PersonData | undefined
}

export async function insertProblems(
  tx: Queryable,
  organizationId: string,
  problems: readonly ProblemToInsert[],
): Promise<void> {
  if (problems.length === 0) return
  const rows = problems.map(({ body, item, answer, ...problem }) => ({
    ...problem,
    item: item === '' ? null : item,
    body: Buffer.isBuffer(body) ? body.toString('base64') : '',
    deliveryId: Buffer.isBuffer(body) ? null : body.deliveryId,
    answer: answer ?? null,
  }))
  await tx.query(
    `insert into problems (organization_id, problem_id, source_id, at, item, reason, topic, headers, body, answer)
     select $1, t."problemId", t."sourceId", t.at, t.item, t.reason, t.topic, t.headers,
            coalesce((select i.body from inbox i where i.organization_id = $1 and i.delivery_id = t."deliveryId"),
                     decode(t.body, 'base64')), t.answer
       from json_to_recordset($2::json) as t ("problemId" text, "sourceId" text, at timestamptz, item text, reason text,
         topic text, headers json, body text, "deliveryId" bigint, answer json)`,
    [organizationId, JSON.stringify(rows)],
  )
}

/** Returns false if there is none. */
export const deleteProblem = (tx: Queryable, ...ids: ProblemIds): Promise<boolean> =>
  hitsRow(tx, 'delete from problems where organization_id = $1 and source_id = $2 and problem_id = $3', ids)

/**
 * Moves a problem back to the inbox, without the key of its delivery, because it is not a repeat. Returns false if there is
 * none.
 */
export const moveProblemToInbox = (
  tx: Queryable,
  [organizationId, sourceId, problemId]: ProblemIds,
): Promise<boolean> =>
  hitsRow(
    tx,
    `with gone as (
       delete from problems where organization_id = $1 and source_id = $2 and problem_id = $3
       returning source_id, topic, headers, body, at)
     insert into inbox (organization_id, source_id, topic, headers, body, received_at)
     select $1, source_id, topic, (headers::jsonb || $4::jsonb)::json, body, at from gone`,
    [organizationId, sourceId, problemId, JSON.stringify({ [RETRIED]: 'true' })],
  )
